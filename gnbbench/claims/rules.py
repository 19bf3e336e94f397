"""How readings cut a sample: by splits, into folds, or not at all."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import StratifiedKFold

from gnbbench.claims.claim import Reading
from gnbbench.measurement.sample import Sample, SplitRule
from gnbbench.splits import Split


@dataclass(frozen=True)
class WholeSet(SplitRule):
    """Trains on all samples and scores the same."""

    def cuts(self, sample: Sample, runs: Sequence[int]) -> list[Split]:
        """Return for each run all samples on both sides."""
        rows = np.arange(len(sample.X))
        return [Split(run, rows, rows) for run in runs]


@dataclass(frozen=True)
class Folds(SplitRule):
    """Run r tests on fold r of those of ``cross_val_score(model, X, y, cv=folds)``."""

    folds: int = 10

    def cuts(self, sample: Sample, runs: Sequence[int]) -> list[Split]:
        """Return the folds of these numbers; their sizes may differ by one."""
        sides = list(StratifiedKFold(self.folds).split(sample.X, sample.codes))
        return [Split(run, *sides[run]) for run in runs]


def rules_of(reading: Reading) -> tuple[SplitRule, ...]:
    """Return how a reading cuts the sample, a rule for each train fraction."""
    if reading.kind == "whole":
        return (WholeSet(0, name=reading.dataset),)
    if reading.kind == "folds":
        return (Folds(0, name=reading.dataset, folds=reading.folds),)
    sizes = reading.train_fractions or (None,)
    return tuple(
        SplitRule(
            reading.random_state,
            test_size=reading.test_size,
            train_size=train_size,
            stratify=reading.stratify,
            name=reading.dataset,
        )
        for train_size in sizes
    )


def runs_of(reading: Reading, most_runs: int | None = None) -> range:
    """Return the numbers of the runs of each rule."""
    if reading.kind == "folds":
        return range(reading.folds)
    return range(min(reading.runs, most_runs or reading.runs))

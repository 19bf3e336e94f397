"""The samples that claims are of, and how readings cut them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from gnbbench.claims.claim import Reading
from gnbbench.claims.table import STUDENT_PERFORMANCE
from gnbbench.data.dataset import Dataset, from_arrays
from gnbbench.data.loading import load
from gnbbench.errors import DatasetError
from gnbbench.measurement.split_rules import Sample, SplitRule
from gnbbench.splits import Split

FILES = {"mat": "student-mat.csv", "por": "student-por.csv"}
GRADES = ["G1", "G2"]
FINAL_GRADE = "G3"
PASS_MARK = 10


class DataNotGivenError(DatasetError):
    """Data that do not come with gnbbench, and were not pointed at."""

    def __init__(self, files: tuple[str, ...]) -> None:
        remedy = (
            "Download them from archive.ics.uci.edu/dataset/320 and give their directory: "
            "--data DIR"
        )
        names = " and ".join(files)
        super().__init__(STUDENT_PERFORMANCE, f"{names} (UCI 320) are not here", remedy)


@cache
def dataset_of(reading: Reading, data: Path | None = None) -> Dataset:
    """Return the dataset of a reading, with only the classes that it keeps."""
    if reading.dataset == STUDENT_PERFORMANCE:
        return _student_performance(reading, data)
    dataset = load(reading.dataset)
    if not reading.classes:
        return dataset
    kept = np.isin(dataset.y, reading.classes)
    return from_arrays(dataset.X[kept], dataset.y[kept], dataset.name)


def _student_performance(reading: Reading, data: Path | None) -> Dataset:
    """Return whether students pass (final grade of 10 or more), from what else is known."""
    names = tuple(
        file for subject, file in FILES.items() if reading.subject in {subject, "both"}
    )
    if data is None or not all((data / name).is_file() for name in names):
        raise DataNotGivenError(names)
    table = pd.concat([_table(data / name) for name in names], ignore_index=True)
    passed = (table[FINAL_GRADE] >= PASS_MARK).astype(np.int64).rename("passed")
    left_out = [FINAL_GRADE, *([] if reading.earlier_grades else GRADES)]
    features = table.drop(columns=left_out)
    if reading.encoding == "one-hot":
        features = pd.get_dummies(features, dtype=np.float64)
    return from_arrays(features.select_dtypes("number"), passed, STUDENT_PERFORMANCE)


def _table(path: Path) -> pd.DataFrame:
    """Return a file of the collection; its grades are partly quoted."""
    remedy = "Give the files of UCI 320 as they are there."
    try:
        table = pd.read_csv(path, sep=";")
    except (OSError, ValueError) as error:
        raise DatasetError(str(path), f"it cannot be read ({error})", remedy) from error
    missing = [name for name in (*GRADES, FINAL_GRADE) if name not in table]
    if missing:
        raise DatasetError(str(path), f"it has no column '{missing[0]}'", remedy)
    for name in (*GRADES, FINAL_GRADE):
        table[name] = pd.to_numeric(table[name], errors="coerce")
    if table[[*GRADES, FINAL_GRADE]].isna().to_numpy().any():
        raise DatasetError(str(path), "a grade is no number", remedy)
    return table


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
        from sklearn.model_selection import StratifiedKFold

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

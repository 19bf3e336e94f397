"""Some runs of a plan, evaluated: the rows they add to each table of the records."""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.errors import GnbBenchError
from gnbbench.implementations import Implementation
from gnbbench.measurement import counts, run_metrics
from gnbbench.measurement.paired import pair_values
from gnbbench.measurement.predictions import Predictions, RunError, predictions
from gnbbench.records import RUN_METRICS, TABLES, VOTES_LIMIT
from gnbbench.splits import Split, split

Row = tuple[Any, ...]
Tables = dict[str, list[Row]]


@dataclass(frozen=True)
class Sample:
    """The arrays that every run is cut from.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Labels as the implementations see them.
    classes : ndarray of shape (n_classes,)
        The distinct labels, sorted.
    codes : ndarray of int, shape (n_samples,)
        Position of each label among the classes.
    """

    X: NDArray[np.float64]
    y: NDArray[Any]
    classes: NDArray[Any]
    codes: NDArray[np.intp]


@dataclass(frozen=True)
class SplitRule:
    """How every run cuts the sample.

    Parameters
    ----------
    seed : int
        Run r uses the random state seed + r.
    test_size, train_size : float or None
        Share of the samples on that side; one of the two.
    stratify : bool
        Whether both sides keep the shares of the classes.
    name : str
        What the data are called in messages.
    """

    seed: int
    test_size: float | None = None
    train_size: float | None = None
    stratify: bool = True
    name: str = "data"

    def cut(self, sample: Sample, run: int) -> Split:
        """Return the split of one run."""
        return split(
            sample.codes,
            run,
            seed=self.seed,
            test_size=self.test_size,
            train_size=self.train_size,
            stratify=self.stratify,
            name=self.name,
        )


def evaluate(
    sample: Sample, rule: SplitRule, runs: Sequence[int], entries: Sequence[Implementation]
) -> Tables:
    """Return the rows of these runs for every table, as `gnbbench.records.TABLES` has them.

    Parameters
    ----------
    sample : Sample
    rule : SplitRule
    runs : sequence of int
        Numbers of the runs.
    entries : sequence of Implementation
        The reference first.

    Returns
    -------
    dict of str to list of tuple
        A run that failed is a row with the status "error" and the message, and so is one
        for which there is no such split.
    """
    tables: Tables = {name: [] for name in TABLES}
    try:
        splits = [rule.cut(sample, run) for run in runs]
    except GnbBenchError as error:
        tables["runs"] = [
            (
                run,
                entry.name,
                "error",
                f"no split: {error}",
                0,
                0,
                0,
                *[None] * len(RUN_METRICS),
            )
            for run in runs
            for entry in entries
        ]
        return tables
    reference, *competitors = (_speak(sample, splits, entry) for entry in entries)
    for spoken in (reference, *competitors):
        _add_runs(tables, sample, splits, spoken)
    for competitor in competitors:
        _add_pairs(tables, sample, splits, competitor, reference)
    return tables


@dataclass(frozen=True)
class _Spoken:
    """What one implementation said in each run of a batch, and where it failed."""

    name: str
    said: dict[int, Predictions]
    failed: dict[int, str]
    warned: dict[int, str]

    def places(self, *needed: str) -> list[int]:
        """Return the places in the batch where it gave labels and whatever is named."""
        return [
            place
            for place, one in self.said.items()
            if all(getattr(one, name) is not None for name in needed)
        ]

    def stacked(self, what: str, places: Sequence[int]) -> NDArray[Any]:
        """Return one array over these runs, the runs along its first axis."""
        return np.stack([getattr(self.said[place], what) for place in places])


def _speak(sample: Sample, splits: Sequence[Split], entry: Implementation) -> _Spoken:
    spoken = _Spoken(entry.name, {}, {}, {})
    for place, one in enumerate(splits):
        X_train, X_test = sample.X[one.train], sample.X[one.test]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                spoken.said[place] = predictions(
                    entry, X_train, sample.y[one.train], X_test, sample.classes
                )
            except RunError as error:
                spoken.failed[place] = str(error)
        if caught:
            texts = dict.fromkeys(str(warning.message) for warning in caught)
            spoken.warned[place] = "warned: " + "; ".join(texts)
    return spoken


def _add_runs(
    tables: Tables, sample: Sample, splits: Sequence[Split], spoken: _Spoken
) -> None:
    """Add the metrics of each run, and the counts over all of them."""
    places = spoken.places()
    metrics = np.full((len(splits), len(RUN_METRICS)), np.nan)
    if places:
        for name, values in _label_metrics(tables, sample, splits, spoken, places).items():
            metrics[places, RUN_METRICS.index(name)] = values
    places = spoken.places("probabilities")
    if places:
        for name, values in _table_metrics(tables, sample, splits, spoken, places).items():
            metrics[places, RUN_METRICS.index(name)] = values
    for place, one in enumerate(splits):
        status = "error" if place in spoken.failed else "ok"
        message = spoken.failed.get(place) or spoken.warned.get(place, "")
        key = (one.run, spoken.name, status, message)
        counts_of_classes = np.bincount(
            sample.codes[one.train], minlength=len(sample.classes)
        )
        sizes = (len(one.train), len(one.test), int(counts_of_classes.min()))
        tables["runs"].append((*key, *sizes, *_nullable(metrics[place])))


def _label_metrics(
    tables: Tables,
    sample: Sample,
    splits: Sequence[Split],
    spoken: _Spoken,
    places: list[int],
) -> dict[str, NDArray[np.float64]]:
    """Return the metrics of labels; add the counts of truths, labels and votes."""
    rows = np.stack([splits[place].test for place in places])
    truth = sample.codes[rows]
    labels = spoken.stacked("test", places)
    train_truth = sample.codes[np.stack([splits[place].train for place in places])]
    confusion = run_metrics.confusion_matrices(truth, labels, len(sample.classes))
    precision, recall, f1 = run_metrics.macro_scores(confusion)
    key = (splits[0].run, spoken.name)
    tables["confusion"] += [(*key, *row) for row in counts.pair_counts(truth, labels)]
    if len(sample.X) <= VOTES_LIMIT:
        tables["votes"] += [(*key, *row) for row in counts.pair_counts(rows, labels)]
    return {
        "train_accuracy": (spoken.stacked("train", places) == train_truth).mean(axis=1),
        "test_accuracy": (labels == truth).mean(axis=1),
        "precision": precision,
        "recall": recall,
        "f1": f1,
    }


def _table_metrics(
    tables: Tables,
    sample: Sample,
    splits: Sequence[Split],
    spoken: _Spoken,
    places: list[int],
) -> dict[str, NDArray[np.float64]]:
    """Return the metrics of probabilities; add the counts of the reliability curve."""
    truth = sample.codes[np.stack([splits[place].test for place in places])]
    probabilities = spoken.stacked("probabilities", places)
    right = spoken.stacked("test", places) == truth
    key = (splits[0].run, spoken.name)
    reliability = counts.reliability_counts(probabilities, right)
    tables["reliability"] += [(*key, *row) for row in reliability]
    return {
        **run_metrics.confidence_metrics(probabilities, right),
        "log_loss": run_metrics.log_loss(probabilities, truth),
        "brier_score": run_metrics.brier_score(probabilities, truth),
    }


def _add_pairs(
    tables: Tables,
    sample: Sample,
    splits: Sequence[Split],
    competitor: _Spoken,
    reference: _Spoken,
) -> None:
    """Add what pairs a competitor with the reference: run by run, and counted."""
    places = [place for place in competitor.said if place in reference.said]
    if not places:
        return
    differences = []
    for place in places:
        one = splits[place]
        pair = pair_values(
            sample.codes[one.test], competitor.said[place], reference.said[place]
        )
        key = (one.run, competitor.name)
        whole = (len(one.test), pair.disagreements, *pair.right_table)
        largest_and_mean = _nullable([*pair.probabilities, *pair.joint_log_likelihood])
        tables["pairs"].append((*key, *whole, *largest_and_mean))
        tables["disagreements"] += [
            (*key, int(one.test[row]), *values) for row, *values in pair.disputes
        ]
        differences.append(pair.probability_differences)
    key = (splits[0].run, competitor.name)
    labels = (speaker.stacked("test", places) for speaker in (reference, competitor))
    tables["label_pairs"] += [(*key, *row) for row in counts.pair_counts(*labels)]
    decades = counts.decade_counts(np.concatenate(differences))
    tables["probability_differences"] += [(*key, *row) for row in decades]


def _nullable(values: Sequence[float] | NDArray[np.float64]) -> list[float | None]:
    """Return plain numbers for the store, None in place of NaN."""
    return [None if math.isnan(value) else float(value) for value in values]

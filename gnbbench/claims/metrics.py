"""What is claimed: each metric's name, words, and how it follows from the runs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gnbbench.claims.claim import Kind

FloatArray = NDArray[np.float64]
SPLITTING: tuple[Kind, ...] = ("split", "splits", "whole")


@dataclass(frozen=True)
class Metric:
    """A figure that can be claimed."""

    words: str
    kinds: tuple[Kind, ...]  # Kinds of protocol that give it
    # Table of runs -> one value a run; None where it does not come from runs
    of_runs: Callable[[pd.DataFrame], pd.Series] | None
    # Values of all runs -> the figure; None where each run has its own
    over_runs: Callable[[FloatArray], Any] | None = None
    needs_reference: bool = False  # Whether it is a comparison with scikit-learn


def _column(name: str) -> Callable[[pd.DataFrame], pd.Series]:
    return lambda runs: runs[name]


def _agreement(runs: pd.DataFrame) -> pd.Series:
    return 1.0 - runs["disagreements"] / runs["n_test"]


def _mislabelled(runs: pd.DataFrame) -> pd.Series:
    return ((1.0 - runs["test_accuracy"]) * runs["n_test"]).round()


def _right_rows_difference(runs: pd.DataFrame) -> pd.Series:
    return runs["only_implementation_right"] - runs["only_reference_right"]


def _accuracy_difference(runs: pd.DataFrame) -> pd.Series:
    return _right_rows_difference(runs) / runs["n_test"]


def _exact_share(values: FloatArray) -> float:
    return float((values == 0).mean())


def _of_run(words: str, name: str) -> Metric:
    return Metric(words, SPLITTING, _column(name))


def _of_disagreements(words: str, over_runs: Callable[[FloatArray], Any]) -> Metric:
    return Metric(
        words, ("splits",), _column("disagreements"), over_runs, needs_reference=True
    )


METRICS: Mapping[str, Metric] = {
    "train_accuracy": _of_run("train accuracy", "train_accuracy"),
    "test_accuracy": _of_run("test accuracy", "test_accuracy"),
    "precision": _of_run("precision, macro average", "precision"),
    "recall": _of_run("recall, macro average", "recall"),
    "f1": _of_run("F1, macro average", "f1"),
    "mean_confidence": _of_run("mean confidence", "mean_confidence"),
    "mean_confidence_right": _of_run(
        "mean confidence where right", "mean_confidence_right"
    ),
    "mean_confidence_wrong": _of_run(
        "mean confidence where wrong", "mean_confidence_wrong"
    ),
    "mislabelled": Metric("mislabelled samples", SPLITTING, _mislabelled),
    "agreement": Metric(
        "agreement with sklearn", SPLITTING, _agreement, needs_reference=True
    ),
    "disagreements": Metric(
        "labels other than sklearn's",
        SPLITTING,
        _column("disagreements"),
        needs_reference=True,
    ),
    "right_rows_difference": Metric(
        "samples right, minus sklearn's",
        SPLITTING,
        _right_rows_difference,
        needs_reference=True,
    ),
    "accuracy_difference": Metric(
        "test accuracy minus sklearn's",
        SPLITTING,
        _accuracy_difference,
        needs_reference=True,
    ),
    "mean_accuracy_difference": Metric(
        "mean test accuracy minus sklearn's",
        ("splits",),
        _accuracy_difference,
        np.mean,
        needs_reference=True,
    ),
    "mean_test_accuracy": Metric(
        "mean test accuracy", ("splits", "folds"), _column("test_accuracy"), np.mean
    ),
    "exact_runs": _of_disagreements("runs with sklearn's labels throughout", _exact_share),
    "mean_disagreements": _of_disagreements(
        "labels other than sklearn's, mean over runs", np.mean
    ),
    "median_disagreements": _of_disagreements(
        "labels other than sklearn's, median over runs", np.median
    ),
    "max_disagreements": _of_disagreements(
        "labels other than sklearn's, most in a run", np.max
    ),
    "mean": Metric("mean", ("certified",), None),
    "standard_deviation": Metric("standard deviation", ("certified",), None),
    "fit_seconds": Metric("time of fit", ("times",), None),
    "fit_ratio": Metric(
        "time of fit over sklearn's", ("times",), None, needs_reference=True
    ),
}

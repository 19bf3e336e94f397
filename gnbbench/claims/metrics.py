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


OF_SAMPLES = {
    "train_accuracy": "train accuracy",
    "test_accuracy": "test accuracy",
    "precision": "precision, macro average",
    "recall": "recall, macro average",
    "f1": "F1, macro average",
    "mean_confidence": "mean confidence",
    "mean_confidence_right": "mean confidence where right",
    "mean_confidence_wrong": "mean confidence where wrong",
}
BESIDE_SKLEARN: Mapping[str, tuple[str, Callable[[pd.DataFrame], pd.Series]]] = {
    "agreement": ("agreement with sklearn", _agreement),
    "disagreements": ("labels other than sklearn's", _column("disagreements")),
    "right_rows_difference": ("samples right, minus sklearn's", _right_rows_difference),
    "accuracy_difference": ("test accuracy minus sklearn's", _accuracy_difference),
}
# Words, the metric of single runs, and what is made of it over all of them.
OVER_RUNS: Mapping[str, tuple[str, str, Callable[[FloatArray], Any]]] = {
    "mean_accuracy_difference": (
        "mean test accuracy minus sklearn's",
        *("accuracy_difference", np.mean),
    ),
    "exact_runs": (
        "runs with sklearn's labels throughout",
        *("disagreements", _exact_share),
    ),
    "mean_disagreements": (
        "labels other than sklearn's, mean over runs",
        *("disagreements", np.mean),
    ),
    "median_disagreements": (
        "labels other than sklearn's, median over runs",
        *("disagreements", np.median),
    ),
    "max_disagreements": (
        "labels other than sklearn's, most in a run",
        *("disagreements", np.max),
    ),
}
METRICS: Mapping[str, Metric] = {
    **{name: Metric(words, SPLITTING, _column(name)) for name, words in OF_SAMPLES.items()},
    "mislabelled": Metric("mislabelled samples", SPLITTING, _mislabelled),
    **{
        name: Metric(words, SPLITTING, of_runs, needs_reference=True)
        for name, (words, of_runs) in BESIDE_SKLEARN.items()
    },
    **{
        name: Metric(
            words, ("splits",), BESIDE_SKLEARN[single][1], over_runs, needs_reference=True
        )
        for name, (words, single, over_runs) in OVER_RUNS.items()
    },
    "mean_test_accuracy": Metric(
        "mean test accuracy", ("splits", "folds"), _column("test_accuracy"), np.mean
    ),
    "mean": Metric("mean", ("certified",), None),
    "standard_deviation": Metric("standard deviation", ("certified",), None),
    "fit_seconds": Metric("time of fit", ("times",), None),
    "fit_ratio": Metric(
        "time of fit over sklearn's", ("times",), None, needs_reference=True
    ),
}

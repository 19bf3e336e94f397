"""What is claimed: each metric's name, words, and how it follows from the runs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gnbbench.claims.claim import Kind

FloatArray = NDArray[np.float64]
ONE: tuple[Kind, ...] = ("split", "rows", "whole")
SEVERAL: tuple[Kind, ...] = ("splits", "seeds", "folds", "kfold")


@dataclass(frozen=True)
class Fitted:
    """A model that was trained, and what it can be asked about."""

    model: Any
    class_names: tuple[str, ...]
    X_test: FloatArray
    codes: NDArray[np.int64]  # Of the test side
    samples: FloatArray  # Those that the claim names

    @property
    def freedom(self) -> FloatArray:
        """Training samples of each class, less one, as a column."""
        return np.asarray(self.model.class_count_, dtype=np.float64)[:, np.newaxis] - 1

    @property
    def squares(self) -> FloatArray:
        """Sums of squared distances from the means, where variances have the divisor n."""
        return np.asarray(self.model.var_ * (self.freedom + 1))


@dataclass(frozen=True)
class Metric:
    """A figure that can be claimed."""

    words: str
    kinds: tuple[Kind, ...]  # Kinds of protocol that give it
    # What it is of the columns of `runs` and `pairs`; empty where it is not of runs
    of_runs: str = ""
    # Values of all runs -> the figure; None where each run has its own
    over_runs: Callable[[FloatArray], Any] | None = None
    # A model -> its figures; rows are classes where `is_by_class`, else samples
    of_model: Callable[[Fitted], Any] | None = None
    is_by_class: bool = True
    needs_samples: bool = False

    @property
    def needs_reference(self) -> bool:
        """Whether it is a comparison with scikit-learn."""
        return any(name in self.of_runs for name in ("disagreements", "only_"))

    def values(self, runs: pd.DataFrame) -> FloatArray:
        """Return the figure of each run."""
        return np.array(runs.eval(self.of_runs), dtype=np.float64)


def _confusion(fitted: Fitted) -> FloatArray:
    n = len(fitted.class_names)
    labels = np.searchsorted(fitted.model.classes_, fitted.model.predict(fitted.X_test))
    counts = np.bincount(fitted.codes * n + labels, minlength=n * n)
    return np.asarray(counts.reshape(n, n), dtype=np.float64)


def _densities(fitted: Fitted) -> FloatArray:
    """Return the density of each feature of the first sample under each class."""
    variances, distances = fitted.model.var_, fitted.samples[0] - fitted.model.theta_
    weights = np.exp(-(distances**2) / (2 * variances))
    return np.asarray(weights / np.sqrt(2 * np.pi * variances))


# Name -> words, and what it is of the columns of runs.
OF_RUNS: Mapping[str, tuple[str, str]] = {
    "train_accuracy": ("train accuracy", "train_accuracy"),
    "test_accuracy": ("test accuracy", "test_accuracy"),
    "precision": ("precision, macro average", "precision"),
    "recall": ("recall, macro average", "recall"),
    "f1": ("F1, macro average", "f1"),
    "log_loss": ("log loss", "log_loss"),
    "mean_confidence": ("mean confidence", "mean_confidence"),
    "mean_confidence_right": ("mean confidence where right", "mean_confidence_right"),
    "mean_confidence_wrong": ("mean confidence where wrong", "mean_confidence_wrong"),
    "mislabelled": ("mislabelled samples", "n_test - n_test * test_accuracy"),
    "agreement": ("agreement with sklearn", "1 - disagreements / n_test"),
    "disagreements": ("labels other than sklearn's", "disagreements"),
    "right_rows_difference": (
        "samples right, minus sklearn's",
        "only_implementation_right - only_reference_right",
    ),
    "accuracy_difference": (
        "test accuracy minus sklearn's",
        "(only_implementation_right - only_reference_right) / n_test",
    ),
}
# Words, the metric of single runs, and what is made of it over all of them.
OVER_RUNS: Mapping[str, tuple[str, str, Callable[[FloatArray], Any]]] = {
    **{
        f"mean_{name}": (f"{words}, mean over runs", name, np.mean)
        for name, (words, _) in OF_RUNS.items()
        if not name.startswith("mean_")
    },
    "exact_runs": (
        "runs with sklearn's labels throughout",
        *("disagreements", lambda values: (values == 0).mean()),
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


def _of_model(
    words: str, of_model: Callable[[Fitted], Any], kinds: tuple[Kind, ...] = ONE
) -> Metric:
    return Metric(words, kinds, of_model=of_model)


def _of_samples(words: str, of_model: Callable[[Fitted], Any]) -> Metric:
    return Metric(words, ONE, of_model=of_model, is_by_class=False, needs_samples=True)


METRICS: Mapping[str, Metric] = {
    **{
        name: Metric(words, (*ONE, *SEVERAL), of_runs)
        for name, (words, of_runs) in OF_RUNS.items()
    },
    **{
        name: Metric(words, SEVERAL, OF_RUNS[single][1], over_runs)
        for name, (words, single, over_runs) in OVER_RUNS.items()
    },
    "confusion": _of_model("confusion matrix, a row for each true class", _confusion),
    "class_prior": _of_model(
        "prior of a class", lambda one: one.model.class_prior_[:, np.newaxis]
    ),
    "class_mean": _of_model("mean in a class", lambda one: one.model.theta_),
    "class_variance": _of_model("variance in a class", lambda one: one.model.var_),
    "class_deviation": _of_model(
        "standard deviation in a class", lambda one: np.sqrt(one.model.var_)
    ),
    "density": replace(
        _of_samples("density of a sample's features in a class", _densities),
        is_by_class=True,
    ),
    "joint_likelihood": _of_samples(
        "prior times density of a sample",
        lambda one: np.exp(one.model.predict_joint_log_proba(one.samples)),
    ),
    "probability": _of_samples(
        "probability of a class", lambda one: one.model.predict_proba(one.samples)
    ),
    "predicted_label": _of_samples(
        "label of a sample", lambda one: one.model.predict(one.samples)[:, np.newaxis]
    ),
    "mean": _of_model("mean", lambda one: one.model.theta_, ("certified",)),
    "standard_deviation": _of_model(
        "standard deviation",
        *(lambda one: np.sqrt(one.squares / one.freedom), ("certified",)),
    ),
    "residual_deviation": _of_model(
        "standard deviation within groups",
        *(lambda one: np.sqrt(one.squares.sum() / one.freedom.sum()), ("certified",)),
    ),
    "fit_seconds": Metric("time of fit", ("times",)),
    "fit_ratio": Metric("time of fit over sklearn's", ("times",)),
}

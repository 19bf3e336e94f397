"""The metrics that can be claimed: names, titles and how to compute them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from gnbbench.arrays import Array, CountArray, FloatArray
from gnbbench.claims.claim import Kind
from gnbbench.files import toml_beside
from gnbbench.records import METRICS as OF_EACH_RUN
from gnbbench.records import RUN_METRICS

ONE: tuple[Kind, ...] = ("split", "rows", "whole")
CERTIFIED: tuple[Kind, ...] = ("certified",)
SEVERAL: tuple[Kind, ...] = ("splits", "seeds", "folds", "kfold")


@dataclass(frozen=True)
class Fitted:
    """A fitted model and the samples to apply it to."""

    model: Any
    class_names: tuple[str, ...]
    X_test: FloatArray
    codes: CountArray  # Class codes of the test side
    samples: FloatArray  # The samples named in the claim

    @property
    def freedom(self) -> FloatArray:
        """Training samples per class minus one, as a column."""
        return np.asarray(self.model.class_count_, dtype=np.float64)[:, np.newaxis] - 1

    @property
    def squares(self) -> FloatArray:
        """Sums of squared deviations, from variances with the divisor n."""
        return np.asarray(self.model.var_ * (self.freedom + 1))


@dataclass(frozen=True)
class ClaimedMetric:
    """A kind of figure that can be claimed."""

    words: str
    kinds: tuple[Kind, ...]  # Kinds of protocol that yield it
    # Expression in the columns of `runs` and `pairs`; empty for figures of a model
    of_runs: str = ""
    # Values of all runs -> the figure; None if each run has its own
    over_runs: Callable[[FloatArray], Any] | None = None
    # Model -> its figures; rows are classes if `is_by_class`, else samples
    of_model: Callable[[Fitted], Any] | None = None
    is_by_class: bool = True
    needs_samples: bool = False

    @property
    def needs_reference(self) -> bool:
        """Whether it compares with scikit-learn."""
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
    """Return the density of each feature of the first sample in each class."""
    variances, distances = fitted.model.var_, fitted.samples[0] - fitted.model.theta_
    weights = np.exp(-(distances**2) / (2 * variances))
    return np.asarray(weights / np.sqrt(2 * np.pi * variances))


_ROWS = toml_beside(__file__, "metrics.toml")
_OF_RUNS = {
    **{name: {"words": OF_EACH_RUN[name].title} for name in RUN_METRICS},
    **_ROWS["of_runs"],
}
_OVER_RUNS = _ROWS["over_runs"]
_STATISTICS: Mapping[str, Callable[[FloatArray], Any]] = {
    "median": np.median,
    "max": np.max,
    "share of zeros": lambda values: (values == 0).mean(),
}


def _runs(
    name: str, over_runs: Callable[[FloatArray], Any] | None = None, words: str = ""
) -> ClaimedMetric:
    row, kinds = _OF_RUNS[name], SEVERAL if over_runs else (*ONE, *SEVERAL)
    return ClaimedMetric(
        words or row["words"], kinds, row.get("expression", name), over_runs
    )


def _of_model(
    words: str, of_model: Callable[[Fitted], Any], kinds: tuple[Kind, ...] = ONE
) -> ClaimedMetric:
    return ClaimedMetric(words, kinds, of_model=of_model)


def _of_samples(
    words: str, of_model: Callable[[Fitted], Any], *, is_by_class: bool = False
) -> ClaimedMetric:
    metric = ClaimedMetric(words, ONE, of_model=of_model, is_by_class=is_by_class)
    return replace(metric, needs_samples=True)


def _priors(fitted: Fitted) -> FloatArray:
    return np.asarray(fitted.model.class_prior_[:, np.newaxis])


def _joint_likelihoods(fitted: Fitted) -> FloatArray:
    return np.asarray(np.exp(fitted.model.predict_joint_log_proba(fitted.samples)))


def _labels(fitted: Fitted) -> Array:
    return np.asarray(fitted.model.predict(fitted.samples)[:, np.newaxis])


def _pooled_deviation(fitted: Fitted) -> FloatArray:
    return np.asarray(np.sqrt(fitted.squares.sum() / fitted.freedom.sum()))


METRICS: Mapping[str, ClaimedMetric] = {
    **{name: _runs(name) for name in _OF_RUNS},
    **{
        f"mean_{name}": _runs(name, np.mean, f"{row['words']}, mean over runs")
        for name, row in _OF_RUNS.items()
        if not name.startswith("mean_")
    },
    **{
        name: _runs(row["of"], _STATISTICS[row["is"]], row["words"])
        for name, row in _OVER_RUNS.items()
    },
    "confusion": _of_model("confusion matrix, a row for each true class", _confusion),
    "class_prior": _of_model("prior of a class", _priors),
    "class_mean": _of_model("mean in a class", lambda fitted: fitted.model.theta_),
    "class_variance": _of_model("variance in a class", lambda fitted: fitted.model.var_),
    "class_deviation": _of_model(
        "standard deviation in a class", lambda fitted: np.sqrt(fitted.model.var_)
    ),
    "density": _of_samples(
        "density of a sample's features in a class", _densities, is_by_class=True
    ),
    "joint_likelihood": _of_samples("prior times density of a sample", _joint_likelihoods),
    "probability": _of_samples(
        "probability of a class", lambda fitted: fitted.model.predict_proba(fitted.samples)
    ),
    "predicted_label": _of_samples("label of a sample", _labels),
    "mean": _of_model("mean", lambda fitted: fitted.model.theta_, CERTIFIED),
    "standard_deviation": _of_model(
        "standard deviation",
        lambda fitted: np.sqrt(fitted.squares / fitted.freedom),
        CERTIFIED,
    ),
    "residual_deviation": _of_model(
        "standard deviation within groups", _pooled_deviation, CERTIFIED
    ),
    "fit_seconds": ClaimedMetric("time of fit", ("times",)),
    "fit_ratio": ClaimedMetric("time of fit over sklearn's", ("times",)),
}

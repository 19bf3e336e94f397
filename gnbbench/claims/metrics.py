"""The metrics that can be claimed: names, titles and how to compute them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from gnbbench.arrays import CountArray, FloatArray
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


# Figures of a model by name; `metrics.toml` has the words, and what their rows are.
_OF_MODEL: Mapping[str, Callable[[Fitted], Any]] = {
    "confusion": _confusion,
    "class_prior": lambda fitted: fitted.model.class_prior_[:, np.newaxis],
    "class_mean": lambda fitted: fitted.model.theta_,
    "class_variance": lambda fitted: fitted.model.var_,
    "class_deviation": lambda fitted: np.sqrt(fitted.model.var_),
    "density": _densities,
    "joint_likelihood": lambda fitted: np.exp(
        fitted.model.predict_joint_log_proba(fitted.samples)
    ),
    "probability": lambda fitted: fitted.model.predict_proba(fitted.samples),
    "predicted_label": lambda fitted: fitted.model.predict(fitted.samples)[:, np.newaxis],
    "mean": lambda fitted: fitted.model.theta_,
    "standard_deviation": lambda fitted: np.sqrt(fitted.squares / fitted.freedom),
    "residual_deviation": lambda fitted: np.sqrt(
        fitted.squares.sum() / fitted.freedom.sum()
    ),
}
_STATISTICS: Mapping[str, Callable[[FloatArray], Any]] = {
    "median": np.median,
    "max": np.max,
    "share of zeros": lambda values: (values == 0).mean(),
}
_ROWS = toml_beside(__file__, "metrics.toml")
_OF_RUNS = {
    **{name: {"words": OF_EACH_RUN[name].title} for name in RUN_METRICS},
    **_ROWS["of_runs"],
}


def _of_runs(
    name: str, over_runs: Callable[[FloatArray], Any] | None = None, words: str = ""
) -> ClaimedMetric:
    row, kinds = _OF_RUNS[name], SEVERAL if over_runs else (*ONE, *SEVERAL)
    expression = row.get("expression", name)
    return ClaimedMetric(words or row["words"], kinds, expression, over_runs)


METRICS: Mapping[str, ClaimedMetric] = {
    **{name: _of_runs(name) for name in _OF_RUNS},
    **{
        f"mean_{name}": _of_runs(name, np.mean, f"{row['words']}, mean over runs")
        for name, row in _OF_RUNS.items()
        if not name.startswith("mean_")
    },
    **{
        name: _of_runs(row["of"], _STATISTICS[row["is"]], row["words"])
        for name, row in _ROWS["over_runs"].items()
    },
    **{
        name: ClaimedMetric(of_model=_OF_MODEL[name], kinds=kinds, **row)
        for section, kinds in (("of_model", ONE), ("certified", CERTIFIED))
        for name, row in _ROWS[section].items()
    },
    "fit_seconds": ClaimedMetric("time of fit", ("times",)),
    "fit_ratio": ClaimedMetric("time of fit over sklearn's", ("times",)),
}

"""The metrics of all runs as arrays, and what their values over runs come to."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gnbbench.records import RUN_METRICS
from gnbbench.statistics.intervals import Estimate, corrected_estimate


@dataclass(frozen=True)
class SplitSizes:
    """Samples on each side of every split."""

    n_train: int
    n_test: int

    @property
    def test_share(self) -> float:
        """Share of all samples that is on the test side."""
        return self.n_test / (self.n_train + self.n_test)


@dataclass(frozen=True)
class RunMean:
    """What one column of values over runs comes to."""

    # Mean, standard deviation over splits, corrected 95 % interval of the mean. The last
    # three are NaN with fewer than two values or an infinite one.
    mean: float
    # Mean, standard deviation over splits, corrected 95 % interval of the mean. The last
    # three are NaN with fewer than two values or an infinite one.
    spread: float
    # Mean, standard deviation over splits, corrected 95 % interval of the mean. The last
    # three are NaN with fewer than two values or an infinite one.
    low: float
    # Mean, standard deviation over splits, corrected 95 % interval of the mean. The last
    # three are NaN with fewer than two values or an infinite one.
    high: float
    runs: int  # Number of runs with a value
    estimate: Estimate | None  # What the interval came from; None where there is none


def run_values(
    runs: pd.DataFrame, implementations: Sequence[str]
) -> dict[str, NDArray[np.float64]]:
    """Return per implementation the metrics of all runs, rows in the order of runs."""
    every = np.unique(runs["run"].to_numpy())
    good = runs[runs["status"] == "ok"].set_index(["implementation", "run"])
    metrics = good[list(RUN_METRICS)].astype(np.float64).sort_index()
    known = set(metrics.index.get_level_values(0))
    nothing = np.full((every.size, len(RUN_METRICS)), np.nan)
    return {
        name: metrics.loc[name].reindex(every).to_numpy() if name in known else nothing
        for name in implementations
    }


def run_mean(
    values: NDArray[np.float64], sizes: SplitSizes, *, step: float = 0.0
) -> RunMean:
    """Return mean, spread and corrected interval of the values that are there."""
    known = values[~np.isnan(values)]
    nan = float("nan")
    if known.size == 0:
        return RunMean(nan, nan, nan, nan, 0, None)
    if known.size == 1 or not np.isfinite(known).all():
        return RunMean(_mean(known), nan, nan, nan, known.size, None)
    estimate = corrected_estimate(
        known, n_train=sizes.n_train, n_test=sizes.n_test, step=step
    )
    spread = float(np.std(known, ddof=1))
    return RunMean(estimate.mean, spread, *estimate.interval(), known.size, estimate)


def _mean(values: NDArray[np.float64]) -> float:
    """Return the mean, infinite or NaN where infinite values leave nothing else."""
    with np.errstate(invalid="ignore"):
        return float(values.mean())

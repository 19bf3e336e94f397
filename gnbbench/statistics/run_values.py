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
    """What one column of values over runs comes to.

    Parameters
    ----------
    mean, spread, low, high : float
        Mean, standard deviation over splits, corrected 95 % interval of the mean. The
        last three are NaN with fewer than two values or an infinite one.
    runs : int
        Number of runs with a value.
    estimate : Estimate or None
        What the interval came from; None where there is none.
    """

    mean: float
    spread: float
    low: float
    high: float
    runs: int
    estimate: Estimate | None


def run_values(
    runs: pd.DataFrame, implementations: Sequence[str]
) -> dict[str, NDArray[np.float64]]:
    """Return per implementation the metrics of all runs, rows in the order of runs.

    Parameters
    ----------
    runs : DataFrame
        As in `gnbbench.records.Records`.
    implementations : sequence of str

    Returns
    -------
    dict of str to ndarray of shape (n_runs, n_metrics)
        Columns as in `RUN_METRICS`; NaN where a run failed or a value is not offered.
    """
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
    """Return mean, spread and corrected interval of the values that are there.

    Parameters
    ----------
    values : ndarray of shape (n_runs,)
        NaN for a run without a value; such runs are left out and not counted.
    sizes : SplitSizes
    step : float, default=0.0
        See `gnbbench.statistics.intervals.corrected_estimate`.

    Returns
    -------
    RunMean

    Examples
    --------
    >>> values = np.array([0.90, np.nan, 0.94])
    >>> result = run_mean(values, SplitSizes(n_train=70, n_test=30))
    >>> result.runs, round(result.mean, 2), round(result.spread, 4)
    (2, 0.92, 0.0283)
    """
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

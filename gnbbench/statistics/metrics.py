"""Mean, spread and interval of every metric of every implementation."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gnbbench.records import RUN_METRICS
from gnbbench.statistics.run_values import SplitSizes, run_mean

COLUMNS = ("implementation", "metric", "mean", "spread", "low", "high", "runs")


def metrics(
    values: Mapping[str, NDArray[np.float64]],
    sizes: SplitSizes,
    calibration_errors: Mapping[str, float],
) -> pd.DataFrame:
    """Return the table `metrics` of a Summary.

    A metric is averaged over the runs that have it, and ``runs`` says how many these
    are: a run without a wrong label has no confidence where wrong. The expected
    calibration error is one number of the predictions of all runs together, so its
    spread and interval are NaN.
    """
    rows = []
    for name, table in values.items():
        for metric, column in zip(RUN_METRICS, table.T, strict=True):
            m = run_mean(column, sizes)
            rows.append((name, metric, m.mean, m.spread, m.low, m.high, m.runs))
        runs = int(np.count_nonzero(~np.isnan(table[:, RUN_METRICS.index("brier_score")])))
        error = calibration_errors[name]
        nan = float("nan")
        rows.append((name, "expected_calibration_error", error, nan, nan, nan, runs))
    return pd.DataFrame(rows, columns=list(COLUMNS))

"""Whether confidence is what it says: a share of right labels."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from gnbbench.records import N_RELIABILITY_BINS
from gnbbench.statistics.intervals import wilson_interval
from gnbbench.statistics.row_bounds import rows_tested
from gnbbench.statistics.run_values import SplitSizes

COLUMNS = (
    "implementation",
    "low",
    "high",
    "count",
    "mean_confidence",
    "accuracy",
    "accuracy_low",
    "accuracy_high",
)


def reliability(
    bins: pd.DataFrame, implementations: Sequence[str], sizes: SplitSizes, *, n_rows: int
) -> pd.DataFrame:
    """Return the table `reliability` of a Summary; empty bins are left out.

    Fifteen bins of equal width over (0, 1]. Predictions pooled over splits repeat
    rows, so the 95 % band is Wilson's with counts divided by how often a row was
    tested: it does not narrow with more splits of the same rows.

    Parameters
    ----------
    bins : DataFrame
        Records: ``implementation``, ``bin``, ``count``, ``right``,
        ``confidence_nano``.
    implementations : sequence of str
    sizes : SplitSizes
    n_rows : int
        Distinct rows of the data.

    Returns
    -------
    DataFrame

    Examples
    --------
    >>> bins = pd.DataFrame(
    ...     {
    ...         "implementation": ["numpy"],
    ...         "bin": [14],
    ...         "count": [10000],
    ...         "right": [9000],
    ...         "confidence_nano": [9500 * 10**9],
    ...     }
    ... )
    >>> row = reliability(bins, ["numpy"], SplitSizes(50, 50), n_rows=100).iloc[0]
    >>> print(f"{row.mean_confidence:.2f} {row.accuracy:.2f}")
    0.95 0.90
    >>> print(f"{row.accuracy_low:.3f} {row.accuracy_high:.3f}")
    0.826 0.945
    """
    keys = ["implementation", "bin"]
    summed = bins.groupby(keys)[["count", "right", "confidence_nano"]].sum().reset_index()
    rows = []
    for name in implementations:
        own = summed[(summed["implementation"] == name) & (summed["count"] > 0)]
        repeats = _tests_per_row(int(own["count"].sum()), sizes, n_rows)
        for _, *bin_counts in own.itertuples(index=False):
            rows.append((name, *_bin(*map(int, bin_counts), tests_per_row=repeats)))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def expected_calibration_error(table: pd.DataFrame, implementation: str) -> float:
    """Return the mean gap between confidence and accuracy; NaN without probabilities.

    The gap of every bin, weighted by its share of the predictions (Guo et al. 2017,
    eq. 3), over the fifteen bins of `reliability`. The predictions of all runs are
    pooled, so that there is one number and no spread over splits.

    Parameters
    ----------
    table : DataFrame
        From `reliability`.
    implementation : str

    Returns
    -------
    float
        From 0 to 1.

    Examples
    --------
    >>> table = pd.DataFrame(
    ...     {
    ...         "implementation": ["numpy", "numpy"],
    ...         "count": [30, 10],
    ...         "mean_confidence": [0.9, 0.6],
    ...         "accuracy": [0.8, 0.8],
    ...     }
    ... )
    >>> round(expected_calibration_error(table, "numpy"), 3)
    0.125
    """
    bins = table[table["implementation"] == implementation]
    if bins.empty:
        return float("nan")
    gaps = (bins["mean_confidence"] - bins["accuracy"]).abs()
    return float(np.average(gaps, weights=bins["count"]))


def _tests_per_row(predictions: int, sizes: SplitSizes, n_rows: int) -> float:
    """Return how often a row that was tested was tested, on average."""
    n_runs = round(predictions / sizes.n_test)
    rows = rows_tested(n_rows, test_share=sizes.test_share, n_runs=n_runs)
    return max(1.0, predictions / max(1, rows))


def _bin(
    place: int, count: int, right: int, nano: int, *, tests_per_row: float
) -> tuple[float, ...]:
    rows = max(1, round(count / tests_per_row))
    low, high = wilson_interval(round(rows * right / count), rows)
    edges = place / N_RELIABILITY_BINS, (place + 1) / N_RELIABILITY_BINS
    return *edges, count, nano / count / 1e9, right / count, low, high

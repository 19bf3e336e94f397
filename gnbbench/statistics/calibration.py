"""Whether confidence is what it says: a share of right labels."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from gnbbench.records import N_RELIABILITY_BINS
from gnbbench.statistics.agreement import rows_tested
from gnbbench.statistics.intervals import wilson_interval
from gnbbench.statistics.metrics import SplitSizes
from gnbbench.statistics.schema import table_of


def reliability(
    bins: pd.DataFrame, implementations: Sequence[str], sizes: SplitSizes, *, n_rows: int
) -> pd.DataFrame:
    """Return the table `reliability` of a Summary; empty bins are left out.

    Fifteen bins of equal width over (0, 1]. Predictions pooled over splits repeat
    rows, so the 95 % band is Wilson's with counts divided by how often a row was
    tested: it does not narrow with more splits of the same rows.
    """
    keys = ["implementation", "bin"]
    summed = bins.groupby(keys)[["count", "right", "confidence_nano"]].sum().reset_index()
    rows = []
    for name in implementations:
        own = summed[(summed["implementation"] == name) & (summed["count"] > 0)]
        repeats = _tests_per_row(int(own["count"].sum()), sizes, n_rows)
        for _, *bin_counts in own.itertuples(index=False):
            rows.append((name, *_bin(*map(int, bin_counts), tests_per_row=repeats)))
    return table_of("reliability", rows)


def expected_calibration_error(table: pd.DataFrame, implementation: str) -> float:
    """Return the mean gap between confidence and accuracy; NaN without probabilities.

    The gap of every bin, weighted by its share of the predictions (Guo et al. 2017,
    eq. 3), over the fifteen bins of `reliability`. The predictions of all runs are
    pooled, so that there is one number and no spread over splits.
    """
    bins = table[table["implementation"] == implementation]
    if bins.empty:
        return float("nan")
    gaps = (bins["mean_confidence"] - bins["accuracy"]).abs()
    return float(np.average(gaps, weights=bins["count"]))


def _tests_per_row(predictions: int, sizes: SplitSizes, n_rows: int) -> float:
    """Return how often a row that was tested was tested, on average."""
    if not predictions:
        return 1.0
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

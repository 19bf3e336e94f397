"""Accuracy at each train fraction, and its difference from the reference's."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gnbbench.statistics.intervals import holm
from gnbbench.statistics.metrics import LEVEL, differences, run_mean
from gnbbench.statistics.sweep_points import SweepPoint

SweepMetric = Literal["train_accuracy", "test_accuracy", "gap"]
METRICS: tuple[SweepMetric, ...] = ("train_accuracy", "test_accuracy", "gap")

ACCURACY_COLUMNS = (
    "fraction",
    "implementation",
    "metric",
    "mean",
    "spread",
    "low",
    "high",
    "p5",
    "p95",
    "runs",
)
DIFFERENCE_COLUMNS = (
    "fraction",
    "implementation",
    "mean",
    "low",
    "high",
    "p",
    "outcome",
)


def accuracy_by_fraction(
    points: Sequence[SweepPoint], implementations: Sequence[str]
) -> pd.DataFrame:
    """Return the table `accuracy` of a SweepSummary.

    Intervals are corrected for the samples that the runs of one fraction share; runs of
    different fractions never enter one interval.
    """
    rows: list[tuple[Any, ...]] = []
    for point in points:
        for name in implementations:
            for metric in METRICS:
                values = _values(point, name, metric)
                m = run_mean(values, point.sizes)
                ends = _percentiles(values)
                found = (m.mean, m.spread, m.low, m.high, *ends, m.runs)
                rows.append((point.fraction, name, metric, *found))
    return pd.DataFrame(rows, columns=list(ACCURACY_COLUMNS))


def differences_by_fraction(
    points: Sequence[SweepPoint],
    disagreements: Mapping[tuple[float, str], int],
    *,
    reference: str,
    competitors: Sequence[str],
    margin: float,
) -> pd.DataFrame:
    """Return the table `differences` of a SweepSummary, for the test accuracy.

    p values are corrected by Holm's step-down over all fractions and competitors together,
    which holds however the fractions depend on each other.
    """
    rows = [
        {
            "fraction": point.fraction,
            **_difference(point, name, differing, reference, margin),
        }
        for point in points
        for name in competitors
        for differing in [disagreements.get((point.fraction, name), 0)]
    ]
    table = pd.DataFrame(rows, columns=list(DIFFERENCE_COLUMNS))
    table["p"] = holm(table["p"].to_numpy(np.float64))
    tested = table["outcome"].isin(["different", "cannot tell"])
    certain = table["p"] < LEVEL
    table.loc[tested, "outcome"] = np.where(certain[tested], "different", "cannot tell")
    return table


def _difference(
    point: SweepPoint, name: str, differing: int, reference: str, margin: float
) -> dict[str, Any]:
    """Return the row of one competitor with its plain p value."""
    if not point.possible:
        return {"implementation": name, "p": float("nan"), "outcome": "failed"}
    # One competitor at a time: nothing is corrected for then.
    table = differences(
        {reference: point.run_values[reference], name: point.run_values[name]},
        {name: differing},
        point.sizes,
        reference=reference,
        margin=margin,
    )
    (row,) = table[table["metric"] == "test_accuracy"].to_dict("records")
    return {str(key): value for key, value in row.items()}


def _values(point: SweepPoint, name: str, metric: SweepMetric) -> NDArray[np.float64]:
    if metric == "gap":
        train = point.metric(name, "train_accuracy")
        gap: NDArray[np.float64] = train - point.metric(name, "test_accuracy")
        return gap
    return point.metric(name, metric)


def _percentiles(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the 5th and 95th percentile of the values that are there."""
    known = values[~np.isnan(values)]
    if not known.size:
        return float("nan"), float("nan")
    low, high = np.percentile(known, [5, 95])
    return float(low), float(high)

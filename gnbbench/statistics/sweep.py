"""What only a sweep has: curves over train fractions, and all of its runs alike."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gnbbench.records import RUN_METRICS
from gnbbench.statistics.metrics import Point, impossible_runs, run_mean
from gnbbench.statistics.schema import SWEEP, columns_of, table_of

TEN_POINTS = 0.1
PER_RUN = ("exact_share", "mismatches_mean", "mismatches_median", "mismatches_max")

Tables = Mapping[str, pd.DataFrame]


def with_curves(
    tables: Tables, points: Sequence[Point], implementations: Sequence[str]
) -> dict[str, pd.DataFrame]:
    """Return the tables of all points with what is told of a sweep besides."""
    return {
        **tables,
        "agreement": _agreement_per_run(tables["agreement"], points),
        "metrics": _metrics_with_gap(tables["metrics"], points, implementations),
        "overall": overall(points, implementations),
        "mismatch_counts": mismatch_counts(points, implementations[1:]),
        "slopes": slopes(points, implementations),
    }


def _agreement_per_run(table: pd.DataFrame, points: Sequence[Point]) -> pd.DataFrame:
    """Return the table `agreement` with disagreements per run."""
    keys = table[["point", "implementation"]].itertuples(index=False)
    found = [compared(points[number].pairs(name)) for number, name in keys]
    columns = {column: [row[column] for row in found] for column in PER_RUN}
    return table.assign(**columns)[columns_of(SWEEP, "agreement")]


def _metrics_with_gap(
    table: pd.DataFrame, points: Sequence[Point], implementations: Sequence[str]
) -> pd.DataFrame:
    """Return the table `metrics` with percentiles of runs, and the gap as a metric.

    The gap is train minus test accuracy, run by run: what is learned by heart.
    """
    gaps = []
    for number, point in enumerate(points):
        for name in implementations:
            m = run_mean(_values(point, name, "gap"), point.sizes)
            gaps.append((number, name, "gap", m.mean, m.spread, m.low, m.high, m.runs))
    both = pd.concat([table, pd.DataFrame(gaps, columns=table.columns)], ignore_index=True)
    found = both.sort_values("point", kind="stable", ignore_index=True)
    keys = found[["point", "implementation", "metric"]].itertuples(index=False)
    ends = [_percentiles(_values(points[number], *key)) for number, *key in keys]
    found = found.assign(p5=[low for low, _ in ends], p95=[high for _, high in ends])
    return found[columns_of(SWEEP, "metrics")]


def _values(point: Point, name: str, metric: str) -> NDArray[np.float64]:
    """Return one metric of every run, nothing where it is not one of single runs."""
    if metric == "gap":
        train = point.metric(name, "train_accuracy")
        gap: NDArray[np.float64] = train - point.metric(name, "test_accuracy")
        return gap
    return point.metric(name, metric) if metric in RUN_METRICS else np.empty(0)


def _percentiles(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the 5th and 95th percentile of the values that are there."""
    known = values[~np.isnan(values)]
    if not known.size:
        return float("nan"), float("nan")
    with np.errstate(invalid="ignore"):
        low, high = np.percentile(known, [5, 95])
    return float(low), float(high)


def compared(pairs: pd.DataFrame) -> dict[str, float]:
    """Return what runs come to in which this one and the reference both gave labels."""
    differing = pairs["disagreements"].to_numpy(np.float64)
    probabilities = pairs["max_probability_difference"].to_numpy(np.float64)
    known = probabilities[~np.isnan(probabilities)]
    runs, exact = differing.size, int(np.count_nonzero(differing == 0))
    nan = float("nan")
    return {
        "runs": runs,
        "exact_runs": exact,
        "exact_share": exact / runs if runs else nan,
        "mismatches_mean": float(differing.mean()) if runs else nan,
        "mismatches_median": float(np.median(differing)) if runs else nan,
        "mismatches_max": float(differing.max()) if runs else nan,
        "max_probability_difference": float(known.max()) if known.size else nan,
    }


def overall(points: Sequence[Point], implementations: Sequence[str]) -> pd.DataFrame:
    """Return the table `overall`: all runs of all fractions alike."""
    runs = pd.concat([point.records.runs for point in points], ignore_index=True)
    failed = runs.loc[(runs["status"] != "ok") & ~impossible_runs(runs), "implementation"]
    rows = []
    for place, name in enumerate(implementations):
        pairs = pd.concat([point.pairs(name) for point in points], ignore_index=True)
        accuracies = np.concatenate([p.metric(name, "test_accuracy") for p in points])
        known = accuracies[~np.isnan(accuracies)]
        rows.append(
            {
                "implementation": name,
                **(compared(pairs) if place else {}),
                "test_accuracy": float(known.mean()) if known.size else float("nan"),
                "failed_runs": int((failed == name).sum()),
            }
        )
    return table_of("overall", rows, SWEEP)


def mismatch_counts(points: Sequence[Point], competitors: Sequence[str]) -> pd.DataFrame:
    """Return the table `mismatch_counts`: runs by their number of disagreements."""
    rows = []
    for place, point in enumerate(points):
        for name in competitors:
            counts = point.pairs(name)["disagreements"].value_counts().sort_index()
            rows += [(place, name, *item) for item in counts.items()]
    columns = columns_of(SWEEP, "mismatch_counts")
    table = pd.DataFrame(rows, columns=columns)
    types = dict.fromkeys(("point", "disagreements", "runs"), "int64")
    return table.astype({**types, "implementation": "str"})


def slopes(points: Sequence[Point], implementations: Sequence[str]) -> pd.DataFrame:
    """Return the table `slopes`: the learning curve, from one fraction to the next.

    A slope is the mean over runs of the gain from one fraction to the next, both taken
    from the run of the same number and so of the same random state. The interval uses the
    correction for the smaller fraction, the larger one of the two, so that it is rather too
    wide than too narrow. Fractions without a split are passed over.
    """
    possible = [point for point in points if point.sizes.n_train]
    rows = []
    for name in implementations:
        for first, second in pairwise(possible):
            _, before, after = np.intersect1d(
                first.runs, second.runs, assume_unique=True, return_indices=True
            )
            gains = second.metric(name, "test_accuracy")[after]
            gains = gains - first.metric(name, "test_accuracy")[before]
            step = (second.fraction - first.fraction) / TEN_POINTS
            m = run_mean(gains / step, first.sizes)
            rows.append((name, first.fraction, second.fraction, m.mean, m.low, m.high))
    return table_of("slopes", rows, SWEEP)

"""The runs at each point: means of their metrics, and differences from the reference.

A point is one setting of a study: one, or one per train fraction of a sweep.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gnbbench.records import RUN_METRICS, Records
from gnbbench.statistics.intervals import Estimate, corrected_estimate, holm, row_bound
from gnbbench.statistics.schema import table_of

LEVEL = 0.05
NO_SPLIT = "no split:"
FEWEST_OF_A_CLASS = 2


@dataclass(frozen=True)
class SplitSizes:
    """Samples on each side of every split."""

    n_train: int
    n_test: int

    @property
    def test_share(self) -> float:
        """Share of all samples that is on the test side; 0 where there is no such split."""
        return self.n_test / max(1, self.n_train + self.n_test)


@dataclass(frozen=True, eq=False)
class Point:
    """What was measured at one point."""

    fraction: float  # Share of the samples to train on, as asked for; NaN where it was not
    records: Records
    sizes: SplitSizes  # The same in every run; both are 0 where no such split exists
    runs: NDArray[np.int64]  # (n_runs,): Their numbers, ascending
    run_values: Mapping[str, NDArray[np.float64]]  # (n_runs, n_metrics)

    def metric(self, implementation: str, name: str) -> NDArray[np.float64]:
        """Return one metric of every run; NaN where a run has none."""
        values: NDArray[np.float64] = self.run_values[implementation][
            :, RUN_METRICS.index(name)
        ]
        return values

    def pairs(self, implementation: str) -> pd.DataFrame:
        """Return the runs in which this one and the reference both gave labels."""
        pairs = self.records.pairs
        return pairs[pairs["implementation"] == implementation]


def point_of(records: Records, fraction: float, implementations: Sequence[str]) -> Point:
    """Return the point that these records were measured at."""
    runs = records.runs
    return Point(
        fraction,
        records,
        SplitSizes(int(runs["n_train"].max()), int(runs["n_test"].max())),
        np.unique(runs["run"].to_numpy(np.int64)),
        run_values(runs, implementations),
    )


def points_table(points: Sequence[Point]) -> pd.DataFrame:
    """Return the table `points`.

    A run that exists but has fewer than two training samples of some class is evaluated
    like all others and counted as thin.
    """
    rows = []
    for point in points:
        runs = point.records.runs
        impossible = impossible_runs(runs)
        few = (runs["smallest_class"] < FEWEST_OF_A_CLASS) & ~impossible
        thin, none = (runs.loc[which, "run"].nunique() for which in (few, impossible))
        n_train, n_test = point.sizes.n_train, point.sizes.n_test
        # More than half are tested, so that intervals are wide.
        conservative = 0 < n_train < n_test
        counts = (n_train, n_test, len(point.runs), thin, none)
        rows.append((point.fraction, *counts, conservative))
    table = table_of("points", rows)
    table.insert(0, "point", range(len(table)))
    return table


def impossible_runs(runs: pd.DataFrame) -> pd.Series:
    """Tell for each row of the table of runs whether it had no split to be run on."""
    messages = runs["message"].fillna("").astype(str)
    return (runs["status"] != "ok") & messages.str.startswith(NO_SPLIT)


@dataclass(frozen=True)
class RunMean:
    """What one column of values over runs comes to."""

    # Mean, standard deviation over splits, corrected 95 % interval of the mean. The last
    # three are NaN with fewer than two values or an infinite one.
    mean: float
    spread: float
    low: float
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
        with np.errstate(invalid="ignore"):  # infinite ones of both signs
            return RunMean(float(known.mean()), nan, nan, nan, known.size, None)
    estimate = corrected_estimate(
        known, n_train=sizes.n_train, n_test=sizes.n_test, step=step
    )
    spread = float(np.std(known, ddof=1))
    return RunMean(estimate.mean, spread, *estimate.interval(), known.size, estimate)


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
    return table_of("metrics", rows)


@dataclass(frozen=True)
class Disputes:
    """Labels other than the reference's, and the distinct rows that got them."""

    labels: int
    rows: int
    tested_rows: int  # Distinct, disputed or not


def disputes(agreement: pd.DataFrame) -> dict[str, Disputes]:
    """Return what is in dispute with each competitor, from the table `agreement`."""
    columns = ["implementation", "disagreements", "disputed_rows", "tested_rows"]
    rows = agreement[columns].itertuples(index=False)
    return {name: Disputes(*counts) for name, *counts in rows}


# A row in dispute moves these; the others move with every row.
OF_LABELS = ("train_accuracy", "test_accuracy", "precision", "recall", "f1")


def differences(
    values: Mapping[str, NDArray[np.float64]],
    disputed: Mapping[str, Disputes],
    sizes: SplitSizes,
    *,
    reference: str,
    margin: float,
) -> pd.DataFrame:
    """Return the table `differences` (competitor minus reference), before `corrected`.

    The mean is over the runs in which both have the metric; ``runs`` counts them. The
    margin applies to every metric in its own unit. Intervals are not corrected for the
    number of competitors; equivalence is (Bonferroni).

    "identical" comes before any test, then "equivalent". A difference can be both
    equivalent and different; it is then small and real, and called equivalent here.
    """
    counted = {"train_accuracy": sizes.n_train, "test_accuracy": sizes.n_test}
    level = LEVEL / max(1, len(values) - 1)
    table = []
    for name in [name for name in values if name != reference]:
        given = disputed[name]
        with np.errstate(invalid="ignore"):  # NaN where both are infinite
            paired = values[name] - values[reference]
        failed = np.isnan(paired[:, RUN_METRICS.index("test_accuracy")]).all()
        for metric, column in zip(RUN_METRICS, paired.T, strict=True):
            zero = not np.any(column[~np.isnan(column)])
            # Labels can differ without a change in accuracy: that is not "identical".
            same = zero and not (metric == "test_accuracy" and given.labels)
            step = 0.0 if same or not counted.get(metric) else 1 / counted[metric]
            m = run_mean(column, sizes, step=step)
            p = float("nan") if zero or m.estimate is None else m.estimate.p_value()
            within = equivalence_margin(metric, m.estimate, given, level=level)
            called = "equivalent" if within <= margin else "cannot tell"
            if failed or (same and m.runs):
                called = "failed" if failed else "identical"
            table.append((name, metric, m.runs, m.mean, m.low, m.high, p, within, called))
    return table_of("differences", table)


def equivalence_margin(
    metric: str, estimate: Estimate | None, disputes: Disputes, *, level: float
) -> float:
    """Return the smallest margin at which equivalence is shown; NaN where it is at none.

    A few rows in dispute say little of the rows that were not drawn, however narrow the
    interval over runs is. A metric of labels is therefore bounded twice: by the interval of
    its mean, and by the share of distinct rows whose labels differ, which no difference in
    accuracy exceeds.
    """
    if estimate is None:
        return float("nan")
    bound = estimate.equivalence_margin(level)
    if metric not in OF_LABELS or np.isnan(bound):
        return bound
    return max(bound, row_bound(disputes.tested_rows, disputes.rows, level))


def corrected(table: pd.DataFrame) -> pd.DataFrame:
    """Return differences with p values and outcomes after Holm, metric by metric.

    Over all competitors and all points together, which holds however they depend on each
    other.
    """
    p = table["p"].to_numpy(np.float64, copy=True)
    for places in table.groupby("metric", sort=False).indices.values():
        p[places] = holm(p[places])
    different = (table["outcome"] == "cannot tell") & (p < LEVEL)
    return table.assign(p=p, outcome=table["outcome"].mask(different, "different"))

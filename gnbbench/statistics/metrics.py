"""The runs at each point: means of their metrics, and differences from the reference.

A point is one setting of a study: one, or one per train fraction of a sweep, which has
curves over them, and figures over all of its runs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd

from gnbbench.arrays import CountArray, FloatArray
from gnbbench.records import METRICS, RUN_METRICS, WITH_LABELS, Records
from gnbbench.statistics.intervals import Estimate, corrected_estimate, holm, row_bound
from gnbbench.statistics.schema import SWEEP, columns_of, table_of

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
        """Share of all samples on the test side; 0 if there is no such split."""
        return self.n_test / max(1, self.n_train + self.n_test)


@dataclass(frozen=True, eq=False)
class Point:
    """The measurements at one point."""

    fraction: float  # Requested share of the samples to train on; NaN if none
    records: Records
    sizes: SplitSizes  # The same in every run; both are 0 without a possible split
    runs: CountArray  # (n_runs,): Their numbers, ascending
    run_values: Mapping[str, FloatArray]  # (n_runs, n_metrics)

    def metric(self, implementation: str, name: str) -> FloatArray:
        """Return one metric of every run; NaN if a run has none."""
        return np.asarray(self.run_values[implementation][:, RUN_METRICS.index(name)])

    def pairs(self, implementation: str) -> pd.DataFrame:
        """Return the runs in which this one and the reference both gave labels."""
        pairs = self.records.pairs
        return pairs[pairs["implementation"] == implementation]


def point_of(records: Records, fraction: float, implementations: Sequence[str]) -> Point:
    """Return the point that these records were measured at."""
    runs = records.runs
    sizes = runs.loc[runs["n_train"] > 0, ["n_train", "n_test"]]
    return Point(
        fraction,
        records,
        SplitSizes(*sizes.mean().fillna(0).round().astype(int).tolist()),
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
    """Return, for each row of the table of runs, whether there was no split for it."""
    messages = runs["message"].fillna("").astype(str)
    return (runs["status"] != "ok") & messages.str.startswith(NO_SPLIT)


@dataclass(frozen=True)
class RunMean:
    """The summary of one column of values over runs."""

    # Mean, standard deviation over splits, corrected 95 % interval of the mean. The last
    # three are NaN with fewer than two values or an infinite one.
    mean: float
    spread: float
    low: float
    high: float
    runs: int  # Number of runs with a value
    estimate: Estimate | None  # The basis of the interval; None if there is none


def run_values(runs: pd.DataFrame, implementations: Sequence[str]) -> dict[str, FloatArray]:
    """Return per implementation the metrics of all runs, rows in the order of runs."""
    run_numbers = np.unique(runs["run"].to_numpy())
    good = runs[runs["status"].isin(WITH_LABELS)].set_index(["implementation", "run"])
    metrics = good[list(RUN_METRICS)].astype(np.float64).sort_index()
    known = set(metrics.index.get_level_values(0))
    nothing = np.full((run_numbers.size, len(RUN_METRICS)), np.nan)
    return {
        name: metrics.loc[name].reindex(run_numbers).to_numpy()
        if name in known
        else nothing
        for name in implementations
    }


def run_mean(
    values: FloatArray,
    sizes: SplitSizes,
    *,
    step: float = 0.0,
    within: tuple[float, float] | None = None,
) -> RunMean:
    """Return mean, spread and corrected interval of the values that are not NaN.

    The interval of a metric stays ``within`` its range; there is none if all values are
    equal, as it would have no width.
    """
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
    ends = estimate.interval()
    if within is not None:
        ends = estimate.interval_within(*within)
    return RunMean(estimate.mean, spread, *ends, known.size, estimate)


def metrics(
    values: Mapping[str, FloatArray],
    sizes: SplitSizes,
    calibration_errors: Mapping[str, float],
) -> pd.DataFrame:
    """Return the table `metrics` of a Summary.

    A metric is averaged over the runs that have it, and ``runs`` is their number: a run
    without a wrong label has no confidence when wrong. The expected
    calibration error is one number of the predictions of all runs together, so its
    spread and interval are NaN.
    """
    rows = []
    for name, table in values.items():
        for metric, column in zip(RUN_METRICS, table.T, strict=True):
            within = METRICS[metric].low, METRICS[metric].high
            m = run_mean(column, sizes, within=within)
            rows.append((name, metric, m.mean, m.spread, m.low, m.high, m.runs))
        runs = int(np.count_nonzero(~np.isnan(table[:, RUN_METRICS.index("brier_score")])))
        error = calibration_errors[name]
        nan = float("nan")
        rows.append((name, "expected_calibration_error", error, nan, nan, nan, runs))
    return table_of("metrics", rows)


@dataclass(frozen=True)
class Disputes:
    """Labels that differ from the reference's, and the distinct rows that got them."""

    labels: int
    rows: int
    tested_rows: int  # Distinct, disputed or not
    gained: int = 0  # Rows in dispute that are more often right than the reference's
    lost: int = 0


def disputes(agreement: pd.DataFrame) -> dict[str, Disputes]:
    """Return the disputes with each competitor, from the table `agreement`."""
    columns = ["implementation", "disagreements", "disputed_rows", "tested_rows"]
    columns += ["gained_rows", "lost_rows"]
    rows = agreement[columns].itertuples(index=False)
    return {name: Disputes(*counts) for name, *counts in rows}


# Only rows in dispute change these; every row changes the others.
OF_LABELS = tuple(name for name in RUN_METRICS if METRICS[name].of_labels)
# With fewer distinct rows in dispute, these rows must be conclusive by themselves.
FEW_ROWS = 10


def differences(
    values: Mapping[str, FloatArray],
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

    "identical" comes before any test, then "equivalent". A difference that is small and
    real is both equivalent and different, and called equivalent here.
    """
    counted = {"train_accuracy": sizes.n_train, "test_accuracy": sizes.n_test}
    level = LEVEL / max(1, len(values) - 1)
    table = []
    for name in [name for name in values if name != reference]:
        dispute = disputed[name]
        with np.errstate(invalid="ignore"):  # NaN where both are infinite
            paired = values[name] - values[reference]
        failed = np.isnan(paired[:, RUN_METRICS.index("test_accuracy")]).all()
        for metric, column in zip(RUN_METRICS, paired.T, strict=True):
            zero = not np.any(column[~np.isnan(column)])
            # Labels can differ without a change in accuracy: that is not "identical".
            same = zero and not (metric == "test_accuracy" and dispute.labels)
            step = 0.0 if same or not counted.get(metric) else 1 / counted[metric]
            m = run_mean(column, sizes, step=step)
            p = float("nan") if zero else p_value(metric, m.estimate, dispute)
            low, high = within_range(m.low, m.high, metric)
            if p >= LEVEL > (m.estimate.p_value() if m.estimate else p):
                low = high = float("nan")  # It would claim more than so few rows show
            within = equivalence_margin(metric, m.estimate, dispute, level=level)
            outcome = "equivalent" if within <= margin else "cannot tell"
            if failed or (same and m.runs):
                outcome = "failed" if failed else "identical"
            place, both = RUN_METRICS.index(metric), ~np.isnan(column)
            means = [
                values[side][both, place].mean() if both.any() else float("nan")
                for side in (name, reference)
            ]
            row = (name, metric, m.runs, *means, m.mean, low, high, p, within, outcome)
            table.append(row)
    return table_of("differences", table)


def within_range(low: float, high: float, metric: str) -> tuple[float, float]:
    """Return the ends of a difference's interval, within what the metric allows."""
    width = METRICS[metric].high - METRICS[metric].low if metric in METRICS else 1.0
    return max(low, -width), min(high, width)


def p_value(metric: str, estimate: Estimate | None, disputes: Disputes) -> float:
    """Return the p value of "no difference", with few rows in dispute also by their signs.

    The interval over runs treats the rows as a sample of many. With fewer than ten in
    dispute, the exact sign test over them must reject as well (the larger of both p values,
    Berger 1982): runs repeat rows, and a few rows in thousands of runs are a few rows.
    """
    from scipy import stats

    if estimate is None:
        return float("nan")
    p = estimate.p_value()
    if metric not in OF_LABELS or metric == "train_accuracy" or disputes.rows >= FEW_ROWS:
        return p
    decided = disputes.gained + disputes.lost
    if not decided:
        return p if np.isnan(p) else 1.0
    return max(p, float(stats.binomtest(disputes.gained, decided).pvalue))


def equivalence_margin(
    metric: str, estimate: Estimate | None, disputes: Disputes, *, level: float
) -> float:
    """Return the smallest margin at which equivalence is shown; NaN if there is none.

    A few rows in dispute say little about other rows, however narrow the interval over runs
    is. A metric of labels is therefore bounded twice: by the interval of its mean, and by
    the share of distinct rows whose labels differ, which limits any difference in accuracy.
    """
    if estimate is None:
        return float("nan")
    bound = estimate.equivalence_margin(level)
    if metric not in OF_LABELS or np.isnan(bound):
        return bound
    return max(bound, row_bound(disputes.tested_rows, disputes.rows, level))


def corrected(table: pd.DataFrame) -> pd.DataFrame:
    """Correct p values and outcomes of differences by Holm, metric by metric.

    All competitors and points are corrected together, whatever their dependence.
    """
    p = table["p"].to_numpy(np.float64, copy=True)
    for places in table.groupby("metric", sort=False).indices.values():
        p[places] = holm(p[places])
    different = (table["outcome"] == "cannot tell") & (p < LEVEL)
    return table.assign(p=p, outcome=table["outcome"].mask(different, "different"))


TEN_POINTS = 0.1
PER_RUN = ("exact_share", "mismatches_mean", "mismatches_median", "mismatches_max")


def with_curves(
    tables: Mapping[str, pd.DataFrame],
    points: Sequence[Point],
    implementations: Sequence[str],
) -> dict[str, pd.DataFrame]:
    """Add the tables that only a sweep has."""
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
    rows = [compared(points[number].pairs(name)) for number, name in keys]
    columns = {column: [row[column] for row in rows] for column in PER_RUN}
    return table.assign(**columns)[columns_of(SWEEP, "agreement")]


def _metrics_with_gap(
    table: pd.DataFrame, points: Sequence[Point], implementations: Sequence[str]
) -> pd.DataFrame:
    """Return the table `metrics` with percentiles of runs, and the gap as a metric.

    The gap is train minus test accuracy, run by run: the degree of overfitting.
    """
    gaps = []
    for number, point in enumerate(points):
        for name in implementations:
            m = run_mean(_values(point, name, "gap"), point.sizes)
            low, high = within_range(m.low, m.high, "gap")
            low, high = (low, high) if low < high else (float("nan"), float("nan"))
            gaps.append((number, name, "gap", m.mean, m.spread, low, high, m.runs))
    both = pd.concat([table, pd.DataFrame(gaps, columns=table.columns)], ignore_index=True)
    ordered = both.sort_values("point", kind="stable", ignore_index=True)
    keys = ordered[["point", "implementation", "metric"]].itertuples(index=False)
    each = [_values(points[number], *key) for number, *key in keys]
    ends = np.array([_percentiles(values[~np.isnan(values)]) for values in each])
    return ordered.assign(p5=ends[:, 0], p95=ends[:, 1])[columns_of(SWEEP, "metrics")]


def _percentiles(values: FloatArray) -> FloatArray:
    """Return the 5th and the 95th percentile; NaN without values."""
    with np.errstate(invalid="ignore"):  # NaN between infinite values
        known = values if values.size else np.array([np.nan])
        return np.asarray(np.percentile(known, [5.0, 95.0]), np.float64)


def _values(point: Point, name: str, metric: str) -> FloatArray:
    """Return one metric of every run; empty if single runs do not have it."""
    if metric == "gap":
        sides = (point.metric(name, f"{side}_accuracy") for side in ("train", "test"))
        return np.subtract(*sides)
    return point.metric(name, metric) if metric in RUN_METRICS else np.empty(0)


def compared(pairs: pd.DataFrame) -> dict[str, float]:
    """Summarise the runs in which an implementation and the reference gave labels."""
    differing = pairs["disagreements"].astype(np.float64)
    largest = pairs["max_probability_difference"].astype(np.float64).max()
    exact = differing == 0
    return {
        "runs": len(pairs),
        "exact_runs": int(exact.sum()),
        "exact_share": float(exact.mean()),
        "mismatches_mean": float(differing.mean()),
        "mismatches_median": float(differing.median()),
        "mismatches_max": float(differing.max()),
        "max_probability_difference": float(largest),
    }


def overall(points: Sequence[Point], implementations: Sequence[str]) -> pd.DataFrame:
    """Return the table `overall`: all runs of all fractions together."""
    runs = pd.concat([point.records.runs for point in points], ignore_index=True)
    failed = runs.loc[
        ~runs["status"].isin(WITH_LABELS) & ~impossible_runs(runs), "implementation"
    ]
    rows = []
    for place, name in enumerate(implementations):
        pairs = pd.concat([point.pairs(name) for point in points], ignore_index=True)
        sides = [
            np.concatenate([point.metric(who, "test_accuracy") for point in points])
            for who in (name, implementations[0])
        ]
        both = ~np.isnan(sides).any(axis=0)
        own, reference = (pd.Series(values[both]).mean() for values in sides)
        row = {
            "implementation": name,
            "test_accuracy": own,
            "reference_accuracy": reference if place else float("nan"),
            "failed_runs": int((failed == name).sum()),
        }
        rows.append(row | (compared(pairs) if place else {}))
    return table_of("overall", rows, SWEEP)


def mismatch_counts(points: Sequence[Point], competitors: Sequence[str]) -> pd.DataFrame:
    """Return the table `mismatch_counts`: runs by their number of disagreements."""
    rows = []
    for place, point in enumerate(points):
        for name in competitors:
            counts = point.pairs(name)["disagreements"].value_counts().sort_index()
            rows += [(place, name, *item) for item in counts.items()]
    table = pd.DataFrame(rows, columns=columns_of(SWEEP, "mismatch_counts"))
    types = dict.fromkeys(("point", "disagreements", "runs"), "int64")
    return table.astype({**types, "implementation": "str"})


def slopes(points: Sequence[Point], implementations: Sequence[str]) -> pd.DataFrame:
    """Return the table `slopes`: the learning curve, from one fraction to the next.

    A slope is the mean over runs of the gain from one fraction to the next, both taken
    from the run of the same number and so of the same random state. The interval uses the
    correction for the smaller fraction, which is the larger, so that it is too wide rather
    than too narrow. Fractions without a split are skipped.
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

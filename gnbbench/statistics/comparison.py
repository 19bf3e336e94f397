"""Compare two studies: what the newer one does better or worse."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import exp, hypot, log
from typing import Any, Literal

import numpy as np
import pandas as pd

from gnbbench.records import METRICS, RUN_METRICS, WITH_LABELS
from gnbbench.statistics.metrics import SplitSizes, run_mean
from gnbbench.statistics.summary import Summary
from gnbbench.statistics.timing import WIDEST_INTERVAL

Judgement = Literal["within", "no worse", "better", "regression", "cannot tell"]
Change = Judgement | Literal["same", "changed", "no change shown"]

# +1 if more is better, -1 if less is. No other metric is judged.
DIRECTIONS: Mapping[str, int] = {
    **dict.fromkeys(("agreement", "evaluated_runs"), 1),
    **{name: metric.better for name, metric in METRICS.items()},
}
COUNTED = ("agreement", "evaluated_runs")  # Not estimated: they need no interval
# Runs have the same splits if the plans agree in these.
SPLITTING = ("sha256", "seed", "stratify", "test_size")
CHANGE_COLUMNS = (
    *("point", "implementation", "metric", "old", "new", "difference"),
    *("low", "high", "runs", "change"),
)
METRIC_COLUMNS = ("point", "implementation", "metric", "mean", "spread", "runs")
# Judged at each train fraction: the accuracies that a terminal shows, and the gap.
_ACCURACIES = (m.name for m in METRICS.values() if m.table == "accuracy" and m.short)
SWEEP_METRICS = (*_ACCURACIES, "gap")
TIME_COLUMNS = (
    *("implementation", "operation", "old_seconds", "new_seconds", "seconds_ratio"),
    *("old_ratio", "new_ratio", "change", "low", "high", "speed"),
)
# gnbbench itself is compared, so its version may differ.
_UNDER_TEST = "gnbbench"


@dataclass(frozen=True, eq=False)
class Side:
    """A study as one side of a comparison."""

    name: str  # Such as its directory
    summary: Summary

    @property
    def points(self) -> dict[int, str]:
        """Names of the points by their numbers: the train fraction, or "all"."""
        fractions = self.summary.fractions
        return dict(enumerate(map(str, fractions) if self.summary.is_sweep else ["all"]))

    @cached_property
    def sizes(self) -> dict[str, SplitSizes]:
        """Samples on each side of a split, by point; 0 at a fraction without a split."""
        points = self.summary.tables["points"][["point", "n_train", "n_test"]]
        rows = points.itertuples(index=False)
        return {self.points[number]: SplitSizes(*sizes) for number, *sizes in rows}

    @cached_property
    def runs(self) -> pd.DataFrame:
        """Single runs with the name of their point."""
        return self._named(self.summary.tables["runs"])

    @cached_property
    def metrics(self) -> pd.DataFrame:
        """Metrics, including the shares of equal labels and of evaluated runs.

        Evaluated runs are those with an accuracy, so that failures are compared too.
        """
        metrics = self.summary.tables["metrics"]
        if self.summary.is_sweep:
            metrics = metrics[metrics["metric"].isin(SWEEP_METRICS)]
        tested = metrics[metrics["metric"] == "test_accuracy"]
        n, nan = float(self.summary.n_runs), float("nan")
        share = tested["runs"] / n
        evaluated = tested.assign(metric="evaluated_runs", mean=share, spread=nan, runs=n)
        agreed = self.summary.tables["agreement"]
        agreed = agreed.assign(metric="agreement", mean=agreed["agreement"], spread=nan)
        agreed = agreed.assign(runs=agreed["compared_runs"])
        tables = [table[[*METRIC_COLUMNS]] for table in (metrics, agreed, evaluated)]
        numbers = dict.fromkeys(METRIC_COLUMNS[3:], "float64")
        return self._named(pd.concat(tables, ignore_index=True).astype(numbers))

    def _named(self, table: pd.DataFrame) -> pd.DataFrame:
        return table.assign(point=table["point"].map(self.points))


@dataclass(frozen=True)
class Comparison:
    """The comparison of two studies; every difference is new minus old."""

    old: str  # Names of the two
    new: str
    tolerance: float  # Loss that does not count, in the unit of each metric
    paired: bool  # Whether differences were taken run by run, on the same splits
    pairing: str  # The same as a sentence, with the reason
    plan: pd.DataFrame  # Differences of the plans: ``key``, ``old``, ``new``
    # Columns `CHANGE_COLUMNS`; ``low`` and ``high`` are the corrected 95 % interval of the
    # difference, ``runs`` those it is based on. ``change`` is from `_change_of`.
    changes: pd.DataFrame
    # Differences of machines and versions, one sentence each
    environment: tuple[str, ...]
    times: pd.DataFrame  # As `time_changes` returns it
    remarks: tuple[str, ...]  # On what only one of the two has

    @property
    def regressions(self) -> pd.DataFrame:
        """Rows of `changes` in which the new study is worse beyond the tolerance."""
        return self.changes[self.changes["change"] == "regression"]

    @property
    def undecided(self) -> pd.DataFrame:
        """Rows of `changes` in which a loss beyond the tolerance is not ruled out."""
        return self.changes[self.changes["change"] == "cannot tell"]


def compare_sides(old: Side, new: Side, *, tolerance: float | None = None) -> Comparison:
    """Return how a study differs from an earlier one.

    On the same splits only the implementations differ, and a mean that is worse by more
    than the tolerance is a regression; its interval shows how far that holds beyond these
    splits. On other splits the whole interval must lie beyond the tolerance. "Cannot tell"
    is a loss that the interval does not rule out. A missing value is a regression.
    """
    allowed = old.summary.margin if tolerance is None else tolerance
    paired, pairing = _pairing(old.summary, new.summary)
    rows = list(_changes(old, new, allowed, paired=paired))
    environment = environment_changes(old, new)
    return Comparison(
        old=old.name,
        new=new.name,
        tolerance=allowed,
        paired=paired,
        pairing=pairing,
        plan=_plan_changes(old.summary.plan, new.summary.plan),
        changes=pd.DataFrame(rows, columns=list(CHANGE_COLUMNS)),
        environment=environment,
        times=time_changes(old.summary, new.summary, comparable=not environment),
        remarks=tuple(_remarks(old, new)),
    )


def _pairing(old: Summary, new: Summary) -> tuple[bool, str]:
    """Return whether splits are equal, so that runs are paired, and a sentence on it."""
    other = [key for key in SPLITTING if old.plan.get(key) != new.plan.get(key)]
    if other:
        return False, f"Unpaired: the splits differ ({', '.join(other)})."
    return True, "Paired run by run: both studies have the same splits."


def _changes(
    old: Side, new: Side, tolerance: float, *, paired: bool
) -> Iterator[tuple[Any, ...]]:
    keys = ["point", "implementation", "metric"]
    both = old.metrics.merge(new.metrics, on=keys, suffixes=("_old", "_new"))
    for row in both.to_dict("records"):
        key = tuple(str(row[name]) for name in keys)
        sizes = old.sizes[key[0]], new.sizes[key[0]]
        is_paired = paired and row["metric"] in RUN_METRICS
        difference = _paired(old, new, *key) if is_paired else _unpaired(row, *sizes)
        certain = paired or row["metric"] in COUNTED
        allowed = 0.0 if row["metric"] == "evaluated_runs" else tolerance
        change = _change_of(row, difference, tolerance=allowed, certain=certain)
        mean, low, high, n_runs = difference
        ends = (low, high) if low < high else (float("nan"), float("nan"))
        yield (*key, row["mean_old"], row["mean_new"], mean, *ends, n_runs, change)


MeanDifference = tuple[float, float, float, int]  # Mean, low, high, runs


def _paired(
    old: Side, new: Side, point: str, implementation: str, metric: str
) -> MeanDifference:
    """Return mean difference, interval and number of the runs that both have."""
    columns = [
        side.runs[
            (side.runs["point"] == point)
            & (side.runs["implementation"] == implementation)
            & side.runs["status"].isin(WITH_LABELS)
        ].set_index("run")[metric]
        for side in (old, new)
    ]
    with np.errstate(invalid="ignore"):
        values = (columns[1] - columns[0]).dropna().to_numpy(dtype=np.float64)
    if values.size and not values.any():
        return 0.0, 0.0, 0.0, values.size
    sizes = new.sizes[point]
    counted = {"train_accuracy": sizes.n_train, "test_accuracy": sizes.n_test}
    step = 1 / counted[metric] if metric in counted and values.size else 0.0
    difference = run_mean(values, sizes, step=step)
    return difference.mean, difference.low, difference.high, difference.runs


def _unpaired(row: Mapping[Any, Any], *sizes: SplitSizes) -> MeanDifference:
    """Return the difference of two means, its interval with Welch's degrees (1947).

    Each mean's standard error is the corrected one of Nadeau and Bengio (2003).
    """
    from scipy import stats

    difference = row["mean_new"] - row["mean_old"]
    runs = int(min(row["runs_old"], row["runs_new"]))
    freedom = np.array([row["runs_old"] - 1, row["runs_new"] - 1])
    spreads = np.array([row["spread_old"], row["spread_new"]])
    if not (np.isfinite(spreads).all() and (freedom >= 1).all()):
        return difference, float("nan"), float("nan"), runs
    overlaps = np.array([size.n_test / max(1, size.n_train) for size in sizes])
    variances = spreads**2 * (1 / (freedom + 1) + overlaps)
    total = float(variances.sum())
    if total == 0:
        return difference, difference, difference, runs
    degrees = total**2 / float((variances**2 / freedom).sum())
    half = float(stats.t.ppf(0.975, degrees)) * total**0.5
    return difference, difference - half, difference + half, runs


def _change_of(
    row: Mapping[Any, Any], change: MeanDifference, *, tolerance: float, certain: bool
) -> Change:
    """Return the verdict on a difference.

    "same": none at all; "within": the tolerance, as is its interval; "no worse": a loss
    beyond the tolerance is ruled out; "cannot tell": it is not. Without a better direction,
    "changed" or "no change shown". A certain difference (on the same splits, or counted) is
    judged without its interval.
    """
    old, new = row["mean_old"], row["mean_new"]
    direction = DIRECTIONS.get(row["metric"], 0)
    difference, low, high, _ = change
    if direction and np.isnan(new) and not np.isnan(old):
        return "regression"
    is_zero = difference == 0 and (low == high == 0 or (certain and old == new))
    if is_zero or (np.isnan(old) and np.isnan(new)):
        return "same"
    if not direction or np.isnan(old):
        is_shown = certain if np.isnan(low) else not low <= 0 <= high
        return "changed" if is_shown else "no change shown"
    gain = difference * direction
    worst, best = (gain, gain) if certain else sorted((low * direction, high * direction))
    return _judged(gain, worst, best, tolerance)


def _judged(gain: float, worst: float, best: float, tolerance: float) -> Judgement:
    """Return the verdict on a gain with an interval from `worst` to `best`."""
    if best < -tolerance:
        return "regression"
    if not worst >= -tolerance:
        return "cannot tell"
    if worst > 0 and gain > tolerance:
        return "better"
    return "within" if best <= tolerance else "no worse"


def _plan_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> pd.DataFrame:
    rows = [
        (key, str(old.get(key, "–")), str(new.get(key, "–")))
        for key in dict.fromkeys([*old, *new])
        if key != "command" and old.get(key) != new.get(key)
    ]
    return pd.DataFrame(rows, columns=["key", "old", "new"])


def _remarks(old: Side, new: Side) -> Iterator[str]:
    for side, other in ((old, new), (new, old)):
        for name in side.summary.implementations:
            if name not in other.summary.implementations:
                yield f"'{name}' is only in {side.name}, so it is not compared."
        for point in side.sizes:
            if point not in other.sizes:
                yield f"Train fraction {point} is only in {side.name}."
    references = old.summary.reference, new.summary.reference
    if references[0] != references[1]:
        yield (
            f"The references differ ('{references[0]}', '{references[1]}'): "
            "agreement is not with the same one."
        )


def environment_changes(old: Side, new: Side) -> tuple[str, ...]:
    """Return why times of two studies are not comparable, one sentence each."""
    changes = []
    environments = old.summary.environment, new.summary.environment
    for part in ("machine", "versions"):
        then, now = (environment.get(part) or {} for environment in environments)
        for key in dict.fromkeys([*then, *now]):
            before, after = then.get(key, "none"), now.get(key, "none")
            if key != _UNDER_TEST and before != after:
                title = f"Machine, {key}" if part == "machine" else key
                changes.append(f"{title}: was {before}, now {after}.")
    if environments[0].get("threads") != environments[1].get("threads"):
        changes.append("Libraries have different numbers of threads.")
    # Earlier versions did not record it, and always used the default.
    before, after = (s.summary.details["timing_plan"].get("threads", 1) for s in (old, new))
    if before != after:
        changes.append(f"Timing, threads: was {before}, now {after}.")
    if old.sizes != new.sizes:
        changes.append("The splits have different sizes.")
    return tuple(changes)


def time_changes(old: Summary, new: Summary, *, comparable: bool) -> pd.DataFrame:
    """Return how times changed, for each implementation and operation in both.

    Times are comparable only on one machine with the same versions. The ratio to the
    reference, from the same rounds, is free of temporary slowdowns of a machine.
    Its change (new over old ratio) is judged: by the two intervals, added in quadrature on
    the logarithm, against the sum of both noise floors.
    """
    keys = ["implementation", "operation"]
    if old.timing.empty or new.timing.empty:
        return pd.DataFrame(columns=list(TIME_COLUMNS))
    comparable = comparable and old.reference == new.reference
    before, after = (
        {(row[keys[0]], row[keys[1]]): row for row in summary.ratios.to_dict("records")}
        for summary in (old, new)
    )
    rows = []
    both = old.timing.merge(new.timing, on=keys, suffixes=("_old", "_new"))
    for row in both.to_dict("records"):
        key = (row["implementation"], row["operation"])
        seconds = row["median_seconds_old"], row["median_seconds_new"]
        change: tuple[Any, ...] = (*[float("nan")] * 5, "not judged")
        if key in before and key in after:
            change = _ratio_change(before[key], after[key], comparable=comparable)
        rows.append((*key, *seconds, seconds[1] / seconds[0], *change))
    return pd.DataFrame(rows, columns=list(TIME_COLUMNS))


def _ratio_change(
    old: Mapping[Any, Any], new: Mapping[Any, Any], *, comparable: bool
) -> tuple[Any, ...]:
    """Return both ratios, their quotient with its interval, and the verdict on it."""
    quotient = log(new["ratio"] / old["ratio"])
    half = hypot(
        *(max(log(r["ratio"] / r["low"]), log(r["high"] / r["ratio"])) for r in (old, new))
    )
    floor = sum(
        max(abs(log(r["floor_low"])), abs(log(r["floor_high"]))) for r in (old, new)
    )
    speed = "slower" if quotient > 0 else "faster"
    if not abs(quotient) - half > floor:
        speed = "not separated"
    if 2 * half > log(WIDEST_INTERVAL):
        speed = "too noisy"
    if not comparable:
        speed = "not judged"
    interval = exp(quotient - half), exp(quotient + half)
    return old["ratio"], new["ratio"], exp(quotient), *interval, speed

"""The two sides of a comparison, each from its summary, and their times.

Times are comparable only on one machine with the same versions.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import exp, hypot, log
from typing import Any

import pandas as pd

from gnbbench.statistics.metrics import SplitSizes

METRIC_COLUMNS = ("point", "implementation", "metric", "mean", "low", "high", "runs")
# What is judged of each train fraction.
SWEEP_METRICS = ("train_accuracy", "test_accuracy", "gap")
ONE_POINT = "all"
TIME_COLUMNS = (
    *("implementation", "operation", "old_seconds", "new_seconds", "seconds_ratio"),
    *("old_ratio", "new_ratio", "change", "low", "high", "speed"),
)
# What is compared is gnbbench itself; its version may differ.
_UNDER_TEST = "gnbbench"


@dataclass(frozen=True)
class Side:
    """What a comparison needs to know of a study."""

    name: str  # What it is called, such as its directory
    study: str  # Kind of study
    plan: Mapping[str, Any]  # As recorded
    environment: Mapping[str, Any]  # As recorded
    reference: str
    implementations: tuple[str, ...]  # The reference first
    margin: float
    n_runs: int  # Runs at each point
    # Per point: "all" of a compare study, or the train fraction as text
    sizes: Mapping[str, SplitSizes]
    # Columns `METRIC_COLUMNS`. Beside the metrics of the summary ``agreement`` (share of
    # equal labels) and ``evaluated_runs`` (share of the runs), without an interval.
    metrics: pd.DataFrame
    timing: pd.DataFrame  # As in its summary
    ratios: pd.DataFrame
    # Single runs: ``point`` and the columns of the summary's table; None where only the
    # summary is known
    runs: pd.DataFrame | None
    timing_plan: Mapping[str, Any] = field(default_factory=dict)  # Empty: not known


def side(name: str, fields: Mapping[str, Any], runs: pd.DataFrame | None = None) -> Side:
    """Return a study as a side of a comparison, from what its ``summary.json`` holds."""
    points = _points(fields)
    n_runs = int(fields["n_runs"])
    metrics = _metrics(fields, points)
    if runs is not None:
        where = runs["fraction"].map(str) if "fraction" in runs else ONE_POINT
        runs = runs.assign(point=where)
    return Side(
        name=name,
        study=fields["study"],
        plan=fields["plan"],
        environment=fields["environment"],
        reference=fields["reference"],
        implementations=tuple(fields["implementations"]),
        margin=float(fields["margin"]),
        n_runs=n_runs,
        # A fraction without a split has no sizes; nothing is ever divided by these zeros.
        sizes={
            str(row["name"]): SplitSizes(int(row["n_train"] or 0), int(row["n_test"] or 0))
            for row in points.to_dict("records")
        },
        metrics=pd.concat([metrics, _evaluated(metrics, n_runs)], ignore_index=True),
        timing=_table(fields["timing"]),
        ratios=_table(fields["ratios"]),
        runs=runs,
        timing_plan=fields.get("timing_plan") or {},
    )


def _table(rows: Any) -> pd.DataFrame:
    """Return a table; text for an infinite number and null become numbers."""
    table = pd.DataFrame(list(rows))
    return table.replace({"Infinity": float("inf"), "-Infinity": float("-inf")})


def _points(fields: Mapping[str, Any]) -> pd.DataFrame:
    """Return name and sizes of each point."""
    if "points" in fields:
        points = _table(fields["points"])
        return points.assign(name=points["fraction"].map(str))
    sizes = {name: fields[name] for name in ("n_train", "n_test")}
    return pd.DataFrame([{"point": 0, "name": ONE_POINT, **sizes}])


def _metrics(fields: Mapping[str, Any], points: pd.DataFrame) -> pd.DataFrame:
    """Return the metrics with the share of equal labels among them."""
    metrics, agreed = _table(fields["metrics"]), _table(fields["agreement"])
    if "points" in fields:
        metrics = metrics[metrics["metric"].isin(SWEEP_METRICS)]
    agreed = agreed.assign(
        metric="agreement", mean=agreed["agreement"], runs=agreed["compared_runs"]
    )
    names = points.set_index("point")["name"]
    parts = []
    for table in (metrics, agreed):
        numbers = table["point"] if "point" in table else pd.Series(0, table.index)
        part = table.assign(point=numbers.map(names)).reindex(columns=list(METRIC_COLUMNS))
        parts.append(part.astype(dict.fromkeys(METRIC_COLUMNS[3:], "float64")))
    return pd.concat(parts, ignore_index=True)


def _evaluated(metrics: pd.DataFrame, n_runs: int) -> pd.DataFrame:
    """Return the share of runs that gave an accuracy, so that failures are compared too."""
    tested = metrics[metrics["metric"] == "test_accuracy"]
    nan = float("nan")
    share = tested["runs"] / n_runs
    return tested.assign(
        metric="evaluated_runs", mean=share, low=nan, high=nan, runs=float(n_runs)
    )


def environment_changes(old: Side, new: Side) -> tuple[str, ...]:
    """Return what makes times of two studies incomparable, one sentence each."""
    found = []
    for part in ("machine", "versions"):
        then, now = (side.environment.get(part) or {} for side in (old, new))
        for key in dict.fromkeys([*then, *now]):
            before, after = then.get(key, "none"), now.get(key, "none")
            if key != _UNDER_TEST and before != after:
                found.append(f"{_title(part, key)}: {before} then, {after} now.")
    if old.environment.get("threads") != new.environment.get("threads"):
        found.append("Libraries have other numbers of threads.")
    # Those of an earlier version are not known, and can only have been the usual ones.
    for key, usual in (("regime", "warm"), ("threads", 1)):
        before, after = (side.timing_plan.get(key, usual) for side in (old, new))
        if before != after:
            found.append(f"Timing, {key}: {before} then, {after} now.")
    if old.sizes != new.sizes:
        found.append("The splits have other sizes.")
    return tuple(found)


def time_changes(old: Side, new: Side, *, comparable: bool) -> pd.DataFrame:
    """Return how times changed, for each implementation and operation in both.

    The ratio to the reference, taken in the same rounds, is free of what slows a whole
    machine for a while. Its change (new over old ratio) is judged: by the two intervals,
    added in quadrature on the logarithm, against the sum of both noise floors.
    """
    rows = list(_rows(old, new, comparable=comparable and old.reference == new.reference))
    return pd.DataFrame(rows, columns=list(TIME_COLUMNS))


def _rows(old: Side, new: Side, *, comparable: bool) -> Iterator[tuple[Any, ...]]:
    keys = ["implementation", "operation"]
    if old.timing.empty or new.timing.empty:
        return
    times = old.timing.merge(new.timing, on=keys, suffixes=("_old", "_new"))
    ratios = (_by_key(old.ratios), _by_key(new.ratios))
    for row in times.to_dict("records"):
        key = (str(row["implementation"]), str(row["operation"]))
        before, after = row["median_seconds_old"], row["median_seconds_new"]
        nan = float("nan")
        change: tuple[Any, ...] = (nan, nan, nan, nan, nan, "not judged")
        if key in ratios[0] and key in ratios[1]:
            change = _change(ratios[0][key], ratios[1][key], comparable=comparable)
        yield (*key, before, after, after / before, *change)


def _by_key(ratios: pd.DataFrame) -> dict[tuple[str, str], Mapping[Any, Any]]:
    return {
        (str(row["implementation"]), str(row["operation"])): row
        for row in ratios.to_dict("records")
    }


def _change(
    old: Mapping[Any, Any], new: Mapping[Any, Any], *, comparable: bool
) -> tuple[Any, ...]:
    """Return both ratios, their quotient with its interval, and what it is called."""
    quotient = log(new["ratio"] / old["ratio"])
    half = hypot(_half_width(old), _half_width(new))
    low, high = exp(quotient - half), exp(quotient + half)
    floor = _floor(old) + _floor(new)
    speed = "not separated"
    if not comparable:
        speed = "not judged"
    elif quotient - half > floor:
        speed = "slower"
    elif quotient + half < -floor:
        speed = "faster"
    return old["ratio"], new["ratio"], exp(quotient), low, high, speed


def _half_width(row: Mapping[Any, Any]) -> float:
    return max(log(row["ratio"] / row["low"]), log(row["high"] / row["ratio"]))


def _floor(row: Mapping[Any, Any]) -> float:
    return max(abs(log(row["floor_low"])), abs(log(row["floor_high"])))


def _title(part: str, key: str) -> str:
    return f"{part.capitalize()}, {key}" if part == "machine" else key

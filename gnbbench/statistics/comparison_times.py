"""Times of two studies: comparable only on one machine with the same versions."""

from collections.abc import Iterator, Mapping
from math import exp, hypot, log
from typing import Any

import pandas as pd

from gnbbench.statistics.comparison_sides import Side

TIME_COLUMNS = (
    *("implementation", "operation", "old_seconds", "new_seconds", "seconds_ratio"),
    *("old_ratio", "new_ratio", "change", "low", "high", "speed"),
)
# What is compared is gnbbench itself; its version may differ.
_UNDER_TEST = "gnbbench"


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

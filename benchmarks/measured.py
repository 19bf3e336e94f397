"""Measured figures, their limits and their formatting."""

import gc
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
from rich.table import Table

RATIO = "× scikit-learn"
READS = "reads"
MEBIBYTES = "MiB"
LABELS = "labels"
SHORTEST_SECONDS = 5e-4  # Of the repeated calls of one pair


@dataclass(frozen=True)
class Measured:
    """One measured figure."""

    work: str  # What was worked on, such as "iris"
    what: str  # What was measured, such as "fit"
    values: tuple[float, ...]  # Of each repetition; their median counts
    unit: str = RATIO
    limit: float | None = None  # Largest acceptable value
    aim: float | None = None  # A better value to aim for
    remark: str = ""

    @property
    def value(self) -> float:
        """The median."""
        return median(self.values)

    @property
    def spread(self) -> tuple[float, float]:
        """The interval that covers nine of ten values."""
        low, high = np.quantile(self.values, (0.05, 0.95))
        return float(low), float(high)

    @property
    def within(self) -> bool:
        """Whether the value is within its limit, if there is one."""
        return self.limit is None or self.value <= self.limit

    @property
    def verdict(self) -> str:
        """The result in one word."""
        if self.limit is None:
            return ""
        return "ok" if self.within else "exceeded"


def timed(operation: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """Return how many seconds one call takes, and its result."""
    gc.collect()
    begin = time.perf_counter()
    result = operation(*arguments)
    return time.perf_counter() - begin, result


def in_turns(
    pairs: int, ours: Callable[..., Any], theirs: Callable[..., Any], *arguments: Any
) -> tuple[tuple[float, ...], list[float], Any, Any]:
    """Return the ratio of each pair, our seconds and both results, alternating."""
    ratios, seconds, results = [], [], {}
    for pair in range(pairs):
        taken = {}
        for which in (ours, theirs) if pair % 2 == 0 else (theirs, ours):
            taken[which], results[which] = timed(which, *arguments)
        ratios.append(taken[ours] / taken[theirs])
        seconds.append(taken[ours])
    return tuple(ratios), seconds, results[ours], results[theirs]


def ratios_of(
    ours: Callable[..., Any],
    theirs: Callable[..., Any],
    *arguments: Any,
    seconds: float = 0.3,
) -> tuple[float, ...]:
    """Return the ratio of times of many pairs, in alternating order.

    Each is called once before; short calls are repeated within a pair.
    """
    clock, ratios = time.perf_counter, list[float]()

    def taken(operation: Callable[..., Any], repeats: int) -> float:
        begin = clock()
        for _ in range(repeats):
            operation(*arguments)
        return clock() - begin

    taken(theirs, 1)
    ours(*arguments)
    repeats = max(1, round(SHORTEST_SECONDS / max(taken(ours, 3) / 3, 1e-7)))
    end = clock() + seconds
    order = (ours, theirs)
    while len(ratios) < 3 or clock() < end:
        spent = {which: taken(which, repeats) for which in order}
        ratios.append(spent[ours] / spent[theirs])
        order = order[::-1]
    return tuple(ratios)


def number(value: float) -> str:
    """Return a figure with three significant digits.

    Examples
    --------
    >>> number(0.01234), number(7.81), number(0.0), number(124.0)
    ('0.0123', '7.81', '0', '124')
    """
    if value == 0:
        return "0"
    digits = 2 - math.floor(math.log10(abs(value)))
    return f"{value:.{max(digits, 0)}f}"


def printed(figures: Sequence[Measured]) -> Table:
    """Return the figures as a table for a terminal."""
    table = Table("work", "figure", "median", "spread", "unit", "limit", "aim", "")
    for figure in figures:
        table.add_row(
            figure.work,
            figure.what,
            number(figure.value),
            " to ".join(map(number, figure.spread)),
            figure.unit,
            "" if figure.limit is None else number(figure.limit),
            "" if figure.aim is None else number(figure.aim),
            " ".join(part for part in (figure.verdict, figure.remark) if part),
        )
    return table

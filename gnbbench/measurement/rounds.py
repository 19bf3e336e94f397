"""One round of timed calls, and how many calls make one timing."""

import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gnbbench.measurement.noise import involuntary_switches

Clock = Callable[[], int]
Call = Callable[[], object]
Preparation = Callable[[], Call]

SHORTEST_NANOSECONDS = 20_000
CLOCK_OVERHEADS = 200
LARGEST_INNER_COUNT = 2**16


class CallFailedError(RuntimeError):
    """A competitor raised while it was timed."""

    def __init__(self, name: str, error: Exception) -> None:
        self.name = name
        self.reason = f"raised {type(error).__name__}: {error}"
        super().__init__(f"{name} {self.reason}")


@dataclass(frozen=True, slots=True)
class Round:
    """One timing of every competitor."""

    # (n_competitors,): Time of all calls of one timing, by competitor
    nanoseconds: NDArray[np.int64]
    # (n_competitors,): Place of each competitor in the round, from 0
    positions: NDArray[np.intp]
    switches: int | None  # Involuntary context switches from its begin to its end


def time_calls(name: str, prepare: Preparation, count: int, clock: Clock) -> int:
    """Return the nanoseconds that a number of calls take, their making left out."""
    try:
        calls = [prepare() for _ in range(count)]
        start = clock()
        for call in calls:
            call()
        return clock() - start
    except Exception as error:
        raise CallFailedError(name, error) from error


def time_round(
    preparations: Mapping[str, Preparation],
    order: NDArray[np.intp],
    count: int,
    clock: Clock,
    *,
    primed: bool,
) -> Round:
    """Return one timing of every competitor, in the order given."""
    competitors = list(preparations.items())
    nanoseconds = np.zeros(len(order), dtype=np.int64)
    before = involuntary_switches()
    for place in order:
        name, prepare = competitors[place]
        if primed:
            time_calls(name, prepare, 1, clock)
        nanoseconds[place] = time_calls(name, prepare, count, clock)
    after = involuntary_switches()
    switches = None if before is None or after is None else after - before
    return Round(nanoseconds, np.argsort(order), switches)


def clock_overhead(clock: Clock) -> float:
    """Return the median nanoseconds between two readings of the clock."""
    readings = [clock() for _ in range(101)]
    return float(np.median([late - early for early, late in pairwise(readings)]))


def inner_count(
    preparations: Mapping[str, Preparation], clock: Clock, overhead: float
) -> int:
    """Return the number of calls with which even the fastest can be timed well.

    It is the least power of two for which every competitor, twice in a row, lasts at
    least 20 µs and 200 times the overhead of the clock.
    """
    target = max(SHORTEST_NANOSECONDS, CLOCK_OVERHEADS * overhead)
    return max(_count(name, call, clock, target) for name, call in preparations.items())


def _count(name: str, prepare: Preparation, clock: Clock, target: float) -> int:
    """Return the least power of two that crosses the target twice in a row."""
    count = 1
    while count <= LARGEST_INNER_COUNT:
        if all(time_calls(name, prepare, count, clock) >= target for _ in range(2)):
            return count
        count *= 2
    raise ValueError(f"{LARGEST_INNER_COUNT} calls of {name} last under {target:.0f} ns.")


@contextmanager
def collector_off() -> Iterator[None]:
    """Collect garbage, then keep the collector off; afterwards it is as it was."""
    was_on = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextmanager
def old_objects_set_aside() -> Iterator[None]:
    """Hide objects that exist from the collector, which else needs 0.05 s a time."""
    if gc.get_freeze_count():  # frozen by the caller, who alone may thaw them
        yield
        return
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()

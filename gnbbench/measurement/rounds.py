"""Rounds of timed calls: how many calls make one timing, and in which order."""

import gc
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.arrays import CountArray
from gnbbench.measurement.environment import involuntary_switches
from gnbbench.records import NULL_COMPETITOR
from gnbbench.tracebacks import described, pass_on_interruption

Clock = Callable[[], int]
Call = Callable[[], object]
Preparation = Callable[[], Call]

SHORTEST_NANOSECONDS = 20_000
CLOCK_OVERHEADS = 200
LARGEST_INNER_COUNT = 2**16


class CallFailedError(RuntimeError):
    """A competitor raised while it was timed."""

    def __init__(self, name: str, error: BaseException) -> None:
        self.name = name
        self.reason = f"raised {described(error)}"
        super().__init__(f"{name} {self.reason}")


def time_calls(name: str, prepare: Preparation, count: int, clock: Clock) -> int:
    """Return the nanoseconds of a number of calls, without their preparation."""
    try:
        calls = [prepare() for _ in range(count)]
        start = clock()
        for call in calls:
            call()
        return clock() - start
    except BaseException as error:
        pass_on_interruption(error)
        raise CallFailedError(name, error) from error


def time_round(
    preparations: Mapping[str, Preparation],
    order: NDArray[np.intp],
    count: int,
    clock: Clock,
) -> tuple[CountArray, int | None]:
    """Return one timing of every competitor, in this order, and the context switches.

    An untimed call precedes each timed one, so that all have warm caches. Switches are the
    involuntary ones, None if they are unknown.
    """
    competitors = list(preparations.items())
    nanoseconds = np.zeros(len(order), dtype=np.int64)
    before = involuntary_switches()
    for place in order:
        name, prepare = competitors[place]
        time_calls(name, prepare, 1, clock)
        nanoseconds[place] = time_calls(name, prepare, count, clock)
    after = involuntary_switches()
    switches = None if before is None or after is None else after - before
    return nanoseconds, switches


def clock_overhead(clock: Clock) -> float:
    """Return the median nanoseconds between two readings of the clock."""
    readings = [clock() for _ in range(101)]
    return float(np.median([after - before for before, after in pairwise(readings)]))


def inner_count(
    preparations: Mapping[str, Preparation], clock: Clock, overhead: float
) -> int:
    """Return the number of calls per timing that times even the fastest well.

    It is the least power of two for which every competitor, twice in a row, takes at least
    20 µs and 200 times the overhead of the clock.
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
    """Collect garbage, then switch the collector off for the block."""
    was_on = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


_are_set_aside = ContextVar("_are_set_aside", default=False)


@contextmanager
def old_objects_set_aside() -> Iterator[None]:
    """Hide existing objects from the collector, which would need 0.05 s for each run."""
    # Counting frozen objects is as slow as collecting them, hence the variable.
    if _are_set_aside.get() or gc.get_freeze_count():
        yield  # Frozen by a caller, who will unfreeze them
        return
    set_aside = _are_set_aside.set(True)
    # Without a collection first: frozen garbage is collected later, and costs nothing now.
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        _are_set_aside.reset(set_aside)


def williams_design(n_competitors: int) -> NDArray[np.intp]:
    """Return rounds in which every competitor follows every other equally often.

    An even number of competitors needs one Latin square, an odd number that square and its
    mirror image (Williams, 1949). Each competitor also takes every position equally often.
    For two competitors the rounds are AB and BA.
    """
    first = [(i + 1) // 2 if i % 2 else -(i // 2) for i in range(n_competitors)]
    square = np.add.outer(np.arange(n_competitors), first) % n_competitors
    if n_competitors % 2 == 0 or n_competitors == 1:
        return square.astype(np.intp)
    return np.vstack([square, square[:, ::-1]]).astype(np.intp)


def random_blocks(n_competitors: int, seed: int) -> Iterator[NDArray[np.intp]]:
    """Yield blocks of rounds without end, each a Williams design in random order.

    In every block rows are shuffled and competitors are assigned to letters at random. For
    two competitors a block is ABBA or BAAB.
    """
    design = williams_design(n_competitors)
    rng = np.random.default_rng(seed)
    while True:
        letters = rng.permutation(n_competitors)
        yield letters[rng.permutation(design)]


# About this many rounds of the calls on blocks are kept, evenly spread.
MOST_ROUNDS = 64

Row = tuple[str, str, int, int, float]


class BatchRounds:
    """Times of each implementation on some batches of a stream.

    A round is one batch that every implementation processes. The reference is not called
    twice: its time per row in the previous round serves as the null competitor, so that the
    first round is lost. Orders are those of `random_blocks`. An operation's first batch is
    cold and makes no round.
    """

    def __init__(
        self,
        names: Sequence[str],
        *,
        seed: int,
        n_rows: int,
        most_rounds: int = MOST_ROUNDS,
    ) -> None:
        """With no rounds to keep, only orders are drawn."""
        self._names = tuple(names)
        self._orders = chain.from_iterable(random_blocks(len(names), seed))
        self._n_rows, self._most = n_rows, most_rounds
        self._number, self._stride = -1, 1
        # Operation -> implementation -> seconds and rows, on the current batch
        self._taken: dict[str, dict[str, tuple[float, int]]] = defaultdict(dict)
        # Operation -> seconds per row of the reference in the previous round
        self._before: dict[str, float] = {}
        self._counts: Counter[str] = Counter()
        self._rows: list[Row] = []
        self.cold: dict[str, dict[str, float]] = defaultdict(dict)

    @property
    def is_round(self) -> bool:
        """Whether the current batch makes a round."""
        return self._most > 0 and self._number > 0 and self._number % self._stride == 0

    def next_batch(self, n_rows: int) -> None:
        """Move on to the next batch."""
        self._close()
        self._number += 1
        if not self._number and self._most:
            self._stride = max(1, self._n_rows // max(n_rows, 1) // self._most)

    def turn(self) -> tuple[str, ...]:
        """Return the order of implementations for the current rows."""
        return tuple(self._names[place] for place in next(self._orders))

    def note(self, name: str, operation: str, n_rows: int, nanoseconds: int) -> None:
        """Record one call on the current batch."""
        seconds = nanoseconds / 1e9
        if name in self.cold[operation]:
            self._taken[operation][name] = seconds, n_rows
        else:
            self.cold[operation][name] = seconds

    def rows(self, left_out: Collection[str]) -> list[Row]:
        """Return the rows of `gnbbench.records.Records.timings`."""
        self._close()
        reference = self._names[0]
        absent = {*left_out, *({NULL_COMPETITOR} if reference in left_out else ())}
        return [row for row in self._rows if row[1] not in absent]

    def state(self) -> dict[str, Any]:
        """Close the current batch; return all that another process needs to continue."""
        self._close()
        return {name: getattr(self, name) for name in _SAVED}

    def go_on(self, state: Mapping[str, Any]) -> None:
        """Continue the rounds of another process; the first round is lost again."""
        for name in _SAVED:
            setattr(self, name, state[name])
        self.cold = defaultdict(dict, self.cold)

    def _close(self) -> None:
        """Keep the times of the current batch if it makes a round."""
        if self.is_round:
            for operation, taken in self._taken.items():
                self._keep(operation, taken)
        self._taken.clear()

    def _keep(self, operation: str, taken: dict[str, tuple[float, int]]) -> None:
        times = [(name, *timed) for name, timed in taken.items()]
        seconds, n_rows = taken.get(self._names[0], (0.0, 0))
        before = self._before.get(operation)
        if n_rows:
            self._before[operation] = seconds / n_rows
            if before is None:
                return
            times.append((NULL_COMPETITOR, before * n_rows, n_rows))
        self._rows += [
            (operation, name, self._counts[operation], place, taken_seconds)
            for place, (name, taken_seconds, _) in enumerate(times)
        ]
        self._counts[operation] += 1


# Attributes that are saved.
_SAVED = ("_number", "_stride", "_counts", "_rows", "cold")

"""One round of timed calls: how many calls make one timing, and in which order."""

import gc
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from gnbbench.measurement.environment import involuntary_switches
from gnbbench.processes.interruption import pass_on_interruption
from gnbbench.records import NULL_COMPETITOR
from gnbbench.tracebacks import described

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
    """Return the nanoseconds that a number of calls take, their making left out."""
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
    *,
    primed: bool,
) -> tuple[NDArray[np.int64], int | None]:
    """Return one timing of every competitor, taken in this order, and what disturbed them.

    That is the number of involuntary context switches meanwhile, where it is known.
    """
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
    return nanoseconds, switches


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
    # Not collected before: garbage that is frozen waits for its thawing, and costs nothing.
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def williams_design(n_competitors: int) -> NDArray[np.intp]:
    """Return rounds in which every competitor follows every other equally often.

    An even number of competitors needs one Latin square, an odd number that square
    and its mirror image (Williams, 1949). Competitors also stand equally often in
    every position. For two competitors the rounds are AB and BA.
    """
    if n_competitors < 1:
        raise ValueError(f"n_competitors={n_competitors} should be at least 1.")
    first = [(i + 1) // 2 if i % 2 else -(i // 2) for i in range(n_competitors)]
    square = np.add.outer(np.arange(n_competitors), first) % n_competitors
    if n_competitors % 2 == 0 or n_competitors == 1:
        return square.astype(np.intp)
    return np.vstack([square, square[:, ::-1]]).astype(np.intp)


def random_blocks(n_competitors: int, seed: int) -> Iterator[NDArray[np.intp]]:
    """Yield without end blocks of rounds, each a Williams design in random order.

    Rows are shuffled and competitors take the design's letters at random, anew in every
    block. For two competitors a block is ABBA or BAAB.
    """
    design = williams_design(n_competitors)
    rng = np.random.default_rng(seed)
    while True:
        letters = rng.permutation(n_competitors)
        yield letters[rng.permutation(design)]


# The reference against itself costs as much as the reference: in so many blocks at most
# or a few more, evenly spread.
MOST_ROUNDS = 64

Row = tuple[str, str, int, int, float]


class BatchRounds:
    """Seconds of each implementation, summed over all batches and kept for some.

    A round is one batch that every implementation takes, the reference twice. Orders are
    those of `gnbbench.measurement.rounds.random_blocks`, so that everybody stands equally
    often in every place. The first batch is cold and makes no round.
    """

    def __init__(
        self, names: Sequence[str], *, seed: int, n_rows: int, with_rounds: bool = True
    ) -> None:
        self._names = (*names, NULL_COMPETITOR)
        self._orders: Iterator[Sequence[int]] = chain.from_iterable(
            random_blocks(len(self._names), seed)
        )
        self._n_rows = n_rows
        self._number = -1
        self._n_rounds = 0
        self._with_rounds = with_rounds
        self._stride = 1
        self._taken: dict[str, dict[str, int]] = defaultdict(dict)
        self._turn: tuple[str, ...] = ()
        self._rows: list[Row] = []
        self.seconds: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        self.cold: dict[str, dict[str, float]] = defaultdict(dict)

    @property
    def is_round(self) -> bool:
        """Whether the batch at hand makes a round."""
        return self._with_rounds and self._number > 0 and self._number % self._stride == 0

    @property
    def is_first(self) -> bool:
        """Whether the batch at hand is the first."""
        return self._number == 0

    def turn(self, n_rows: int) -> tuple[str, ...]:
        """Return who takes the next batch, in order."""
        self._close()
        self._number += 1
        if self.is_first:
            self._stride = max(1, self._n_rows // max(n_rows, 1) // MOST_ROUNDS)
        order = [self._names[place] for place in next(self._orders)]
        self._turn = tuple(
            name for name in order if self.is_round or name != NULL_COMPETITOR
        )
        return self._turn

    def note(self, name: str, operation: str, nanoseconds: int) -> None:
        """Take note of one call on the batch at hand."""
        self._taken[operation][name] = nanoseconds
        if name != NULL_COMPETITOR:
            self.seconds[operation][name] += nanoseconds / 1e9
        if self.is_first:
            self.cold[operation][name] = nanoseconds / 1e9

    def rows(self, left_out: Collection[str]) -> list[Row]:
        """Return the rows of `gnbbench.records.Records.timings`."""
        self._close()
        reference = self._names[0]
        absent = {*left_out, *({NULL_COMPETITOR} if reference in left_out else ())}
        return [row for row in self._rows if row[1] not in absent]

    def _close(self) -> None:
        """Keep what was taken on the batch at hand, if it makes a round."""
        if self.is_round:
            self._rows += [
                (operation, name, self._n_rounds, place, taken[name] / 1e9)
                for operation, taken in self._taken.items()
                for place, name in enumerate(self._turn)
                if name in taken
            ]
            self._n_rounds += bool(self._taken)
        self._taken.clear()

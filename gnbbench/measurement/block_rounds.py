"""Times of implementations that all take each block of a stream, in changing order."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import chain

from gnbbench.measurement.orders import random_blocks
from gnbbench.records import NULL_COMPETITOR

# The reference against itself costs as much as the reference: in so many blocks at most
# or a few more, evenly spread.
MOST_ROUNDS = 64

Row = tuple[str, str, int, int, float]


class BlockRounds:
    """Seconds of each implementation, summed over all blocks and kept for some.

    A round is one block that every implementation takes, the reference twice. Orders are
    those of `gnbbench.measurement.orders.random_blocks`, so that everybody stands equally
    often in every place. The first block is cold and makes no round.
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
        """Whether the block at hand makes a round."""
        return self._with_rounds and self._number > 0 and self._number % self._stride == 0

    @property
    def is_first(self) -> bool:
        """Whether the block at hand is the first."""
        return self._number == 0

    def turn(self, n_rows: int) -> tuple[str, ...]:
        """Return who takes the next block, in order."""
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
        """Take note of one call on the block at hand."""
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
        """Keep what was taken on the block at hand, if it makes a round."""
        if self.is_round:
            self._rows += [
                (operation, name, self._n_rounds, place, taken[name] / 1e9)
                for operation, taken in self._taken.items()
                for place, name in enumerate(self._turn)
                if name in taken
            ]
            self._n_rounds += bool(self._taken)
        self._taken.clear()

"""Batches of runs: what is evaluated, written and lost as a whole."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from gnbbench.measurement.split_rules import SplitRule

# A batch is written as a whole, so it bounds what an interruption loses, and memory.
BATCH_RUNS = 1000
BATCH_VALUES = 20_000_000

# Handing out and writing a batch costs milliseconds: 5 % of this at most.
BATCH_SECONDS = 0.2
FIRST_RUNS = 8


@dataclass(frozen=True)
class Batch:
    """Some runs of one setting of a study."""

    point: int  # Number of the setting
    rule: SplitRule  # How its runs are cut
    runs: tuple[int, ...]  # Numbers of the runs
    alone: bool = False  # Whether the reference alone is evaluated in them


def batches(
    point: int,
    rule: SplitRule,
    runs: Sequence[int],
    *,
    n_values: int,
    alone: bool = False,
) -> list[Batch]:
    """Return the runs cut into batches that bound memory."""
    size = max(1, min(BATCH_RUNS, BATCH_VALUES // max(1, n_values)))
    cuts = range(0, len(runs), size)
    return [Batch(point, rule, tuple(runs[start : start + size]), alone) for start in cuts]


class Queue:
    """Batches still to be done, handed out in pieces that last about as long."""

    def __init__(self, work: Iterable[Batch]) -> None:
        self._work = deque(work)
        self._seconds_a_run: float | None = None
        self.n_runs = sum(len(batch.runs) for batch in self._work)

    @property
    def seconds_left(self) -> float:
        """How long one process would take for the rest; 0 before anything is learned."""
        return self.n_runs * (self._seconds_a_run or 0.0)

    def learn(self, *, n_runs: int, seconds: float) -> None:
        """Take note of how long some runs took."""
        self._seconds_a_run = seconds / n_runs

    def take(self) -> Batch:
        """Return the next runs, as many as last about `BATCH_SECONDS`."""
        batch = self._work.popleft()
        size = FIRST_RUNS
        if self._seconds_a_run is not None:
            size = max(1, round(BATCH_SECONDS / max(self._seconds_a_run, 1e-9)))
        if len(batch.runs) > size:
            self._work.appendleft(replace(batch, runs=batch.runs[size:]))
            batch = replace(batch, runs=batch.runs[:size])
        self.n_runs -= len(batch.runs)
        return batch

    def give_back(self, batch: Batch) -> None:
        """Take back what was handed out and not done."""
        self._work.appendleft(batch)
        self.n_runs += len(batch.runs)

    def rest(self) -> Iterator[Batch]:
        """Yield all that is left."""
        while self.n_runs:
            yield self.take()

"""Batches of runs, evaluated on as many processes as it pays, in any order."""

import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from threadpoolctl import threadpool_limits

from gnbbench.implementations import Implementation
from gnbbench.measurement.evaluation import Tables, evaluate
from gnbbench.measurement.split_rules import Sample, SplitRule
from gnbbench.processes.dask_cluster import dask_cluster
from gnbbench.processes.pool import Pool

# Other processes must save more than this: about what starting one takes.
WORKER_START_SECONDS = 2.0
# A batch is written as a whole, so it bounds what an interruption loses, and memory.
BATCH_RUNS = 1000
BATCH_VALUES = 20_000_000

# Handing out and writing a batch costs milliseconds: 5 % of this at most.
BATCH_SECONDS = 0.2
FIRST_RUNS = 8


@dataclass(frozen=True)
class RunBatch:
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
) -> list[RunBatch]:
    """Return the runs cut into batches that bound memory."""
    size = max(1, min(BATCH_RUNS, BATCH_VALUES // max(1, n_values)))
    cuts = range(0, len(runs), size)
    return [
        RunBatch(point, rule, tuple(runs[start : start + size]), alone) for start in cuts
    ]


class BatchQueue:
    """Batches still to be done, handed out in pieces that last about as long."""

    def __init__(self, work: Iterable[RunBatch]) -> None:
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

    def take(self) -> RunBatch:
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

    def give_back(self, batch: RunBatch) -> None:
        """Take back what was handed out and not done."""
        self._work.appendleft(batch)
        self.n_runs += len(batch.runs)

    def rest(self) -> Iterator[RunBatch]:
        """Yield all that is left."""
        while self.n_runs:
            yield self.take()


def evaluated(
    sample: Sample,
    entries: Sequence[Implementation],
    work: Sequence[RunBatch],
    *,
    jobs: int | None = None,
    dask: str | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> Iterator[tuple[RunBatch, Tables]]:
    """Yield the rows of each batch as it is done, or of pieces of it.

    This process works as well: it tells how long a run takes, and with that how many make
    a piece and whether other processes pay.
    """
    queue = BatchQueue(work)

    def here() -> tuple[RunBatch, Tables]:
        batch, begin = queue.take(), clock()
        result = _evaluated_batch(sample, entries, batch)
        queue.learn(n_runs=len(batch.runs), seconds=clock() - begin)
        return result

    if dask is not None and queue.n_runs:
        # Connected first: an address that does not answer costs nothing.
        with dask_cluster(dask) as cluster:
            yield here()
            rest = [*queue.rest()]
            for _, result in cluster.results(_evaluated_batch, (sample, entries), rest):
                yield result
            cluster.tell_repeated()
        return
    n_jobs = jobs or os.cpu_count() or 1
    while queue.n_runs:
        yield here()
        saved = queue.seconds_left * (1.0 - 1.0 / n_jobs)
        if saved > (WORKER_START_SECONDS if jobs is None else 0.0):
            break
    n_processes = n_jobs - 1 if queue.n_runs else 0
    with Pool(n_processes, _evaluated_batch, (sample, entries)) as pool:
        while queue.n_runs or pool.is_working:
            pool.feed(queue)
            if queue.n_runs:
                yield here()
            yield from pool.results(queue, patiently=not queue.n_runs)


def _evaluated_batch(
    sample: Sample, entries: Sequence[Implementation], batch: RunBatch
) -> tuple[RunBatch, Tables]:
    asked = entries[:1] if batch.alone else entries
    with threadpool_limits(1):
        return batch, evaluate(sample, batch.rule, batch.runs, asked)

"""Batches of runs, evaluated in any order on as many processes as pays off."""

import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from gnbbench.implementations import Implementation
from gnbbench.implementations.names import takes_manifest
from gnbbench.measurement.environment import limited_threads
from gnbbench.measurement.evaluation import Tables, evaluate
from gnbbench.processes.dask_cluster import dask_cluster
from gnbbench.processes.pool import Pool
from gnbbench.splits import Sample, SplitRule

# More processes must save more than this, about the time to start one.
WORKER_START_SECONDS = 2.0
# A batch is written as a whole, so it bounds memory and what an interruption loses.
BATCH_RUNS = 1000
BATCH_VALUES = 20_000_000

# Handing out and writing a batch costs milliseconds, at most 5 % of this.
BATCH_SECONDS = 0.2
FIRST_RUNS = 8
# Fewest runs in a piece that a program answers in one start.
RUNS_IN_ONE_START = 100


@dataclass(frozen=True)
class RunBatch:
    """Some runs at one point of a study."""

    point: int  # Number of the point
    rule: SplitRule  # How its runs are split
    runs: tuple[int, ...]  # Numbers of the runs
    reference_only: bool = False  # Whether only the reference is evaluated


def batches(
    point: int,
    rule: SplitRule,
    runs: Sequence[int],
    *,
    n_values: int,
    reference_only: bool = False,
) -> list[RunBatch]:
    """Return the runs in batches small enough for memory."""
    size = max(1, min(BATCH_RUNS, BATCH_VALUES // max(1, n_values)))
    cuts = range(0, len(runs), size)
    parts = [tuple(runs[start : start + size]) for start in cuts]
    return [RunBatch(point, rule, part, reference_only) for part in parts]


class BatchQueue:
    """Batches to do, handed out in pieces of about equal duration."""

    def __init__(self, work: Iterable[RunBatch], least_runs: int = 1) -> None:
        self._work, self._least_runs = deque(work), least_runs
        self._seconds_a_run: float | None = None
        self.n_runs = sum(len(batch.runs) for batch in self._work)

    @property
    def seconds_left(self) -> float:
        """How long one process would take for the rest; 0 if that is not known yet."""
        return self.n_runs * (self._seconds_a_run or 0.0)

    def learn(self, *, n_runs: int, seconds: float) -> None:
        """Note how long some runs took."""
        self._seconds_a_run = seconds / n_runs

    def take(self) -> RunBatch:
        """Return the next runs, enough for about `BATCH_SECONDS`."""
        batch = self._work.popleft()
        size = FIRST_RUNS
        if self._seconds_a_run is not None:
            size = round(BATCH_SECONDS / max(self._seconds_a_run, 1e-9))
        size = max(size, self._least_runs)
        if len(batch.runs) > size:
            self._work.appendleft(replace(batch, runs=batch.runs[size:]))
            batch = replace(batch, runs=batch.runs[:size])
        self.n_runs -= len(batch.runs)
        return batch

    def give_back(self, batch: RunBatch) -> None:
        """Take back a piece that was not done."""
        self._work.appendleft(batch)
        self.n_runs += len(batch.runs)

    def rest(self) -> Iterator[RunBatch]:
        """Yield the remaining pieces."""
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
    """Yield the rows of each batch, or of pieces of it, as they are done.

    This process works too. It measures how long a run takes, which decides the size of the
    pieces and whether further processes pay off.
    """
    in_one_start = any(takes_manifest(entry.specification) for entry in entries)
    queue = BatchQueue(work, RUNS_IN_ONE_START if in_one_start else 1)

    def evaluate_next() -> tuple[RunBatch, Tables]:
        batch, begin = queue.take(), clock()
        result = _evaluated_batch(sample, entries, batch)
        queue.learn(n_runs=len(batch.runs), seconds=clock() - begin)
        return result

    if dask is not None:
        yield from _evaluated_on(dask, queue, evaluate_next, (sample, entries))
        return
    n_jobs = jobs or os.cpu_count() or 1
    while queue.n_runs:
        yield evaluate_next()
        saved = queue.seconds_left * (1.0 - 1.0 / n_jobs)
        if saved > (WORKER_START_SECONDS if jobs is None else 0.0):
            break
    with Pool(min(n_jobs - 1, queue.n_runs), _evaluated_batch, (sample, entries)) as pool:
        while queue.n_runs or pool.is_working:
            pool.feed(queue)
            if queue.n_runs:
                yield evaluate_next()
            yield from pool.results(queue, patiently=not queue.n_runs)


def _evaluated_on(
    address: str,
    queue: BatchQueue,
    evaluate_next: Callable[[], tuple[RunBatch, Tables]],
    shared: tuple[Sample, Sequence[Implementation]],
) -> Iterator[tuple[RunBatch, Tables]]:
    """Yield the rows of each piece, the first evaluated here, the others on a cluster."""
    # Connect first, so that a wrong address is refused even if nothing is left to do.
    with dask_cluster(address) as cluster:
        if queue.n_runs:
            yield evaluate_next()
        for _, result in cluster.results(_evaluated_batch, shared, [*queue.rest()]):
            yield result
        cluster.warn_of_repeated_tasks()


def _evaluated_batch(
    sample: Sample, entries: Sequence[Implementation], batch: RunBatch
) -> tuple[RunBatch, Tables]:
    asked = entries[:1] if batch.reference_only else entries
    with limited_threads(1):
        return batch, evaluate(sample, batch.rule, batch.runs, asked)

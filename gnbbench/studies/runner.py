"""Batches of runs, evaluated on as many processes as it pays, in any order."""

import os
import time
from collections.abc import Callable, Iterator, Sequence

from threadpoolctl import threadpool_limits

from gnbbench.implementations import Implementation
from gnbbench.measurement.evaluation import Tables, evaluate
from gnbbench.measurement.split_rules import Sample
from gnbbench.processes.pool import Pool
from gnbbench.studies.batches import Batch, Queue
from gnbbench.studies.dask_cluster import dask_cluster

# Other processes must save more than this: about what starting one takes.
WORKER_START_SECONDS = 2.0


def evaluated(
    sample: Sample,
    entries: Sequence[Implementation],
    work: Sequence[Batch],
    *,
    jobs: int | None = None,
    dask: str | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> Iterator[tuple[Batch, Tables]]:
    """Yield the rows of each batch as it is done, or of pieces of it.

    This process works as well: it tells how long a run takes, and with that how many make
    a piece and whether other processes pay.
    """
    queue = Queue(work)

    def here() -> tuple[Batch, Tables]:
        batch, begin = queue.take(), clock()
        found = _evaluated_batch(sample, entries, batch)
        queue.learn(n_runs=len(batch.runs), seconds=clock() - begin)
        return found

    if dask is not None and queue.n_runs:
        # Connected first: an address that does not answer costs nothing.
        with dask_cluster(dask) as done:
            yield here()
            yield from done(_evaluated_batch, (sample, entries), queue.rest())
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
    sample: Sample, entries: Sequence[Implementation], batch: Batch
) -> tuple[Batch, Tables]:
    asked = entries[:1] if batch.alone else entries
    with threadpool_limits(1):
        return batch, evaluate(sample, batch.rule, batch.runs, asked)

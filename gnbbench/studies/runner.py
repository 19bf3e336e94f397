"""Batches of runs, evaluated on as many processes as it pays, in any order."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import joblib
from joblib.externals.loky import get_reusable_executor
from threadpoolctl import threadpool_limits

from gnbbench.implementations import Implementation
from gnbbench.measurement.evaluation import Sample, SplitRule, Tables, evaluate
from gnbbench.studies.dask_cluster import dask_cluster

# A batch is written as a whole, so it bounds what an interruption loses.
BATCH_RUNS = 25
BATCH_VALUES = 20_000_000

# Starting worker processes costs about this long; less work than that stays here.
WORKER_START_SECONDS = 4.0


@dataclass(frozen=True)
class Batch:
    """Some runs of one setting of a study.

    Parameters
    ----------
    point : int
        Number of the setting.
    rule : SplitRule
        How its runs are cut.
    runs : tuple of int
        Numbers of the runs.
    """

    point: int
    rule: SplitRule
    runs: tuple[int, ...]


def batches(
    point: int, rule: SplitRule, runs: Sequence[int], *, n_values: int
) -> list[Batch]:
    """Return the runs cut into batches that bound memory and loss.

    Parameters
    ----------
    point : int
        Number of the setting.
    rule : SplitRule
        How its runs are cut.
    runs : sequence of int
        What is still to be done.
    n_values : int
        Values that one run predicts (samples times classes times implementations).

    Returns
    -------
    list of Batch

    Examples
    --------
    >>> rule = SplitRule(seed=42, test_size=0.3)
    >>> [batch.runs for batch in batches(0, rule, range(3), n_values=10_000_000)]
    [(0, 1), (2,)]
    """
    size = max(1, min(BATCH_RUNS, BATCH_VALUES // max(1, n_values)))
    cuts = range(0, len(runs), size)
    return [Batch(point, rule, tuple(runs[start : start + size])) for start in cuts]


def evaluated(
    sample: Sample,
    entries: Sequence[Implementation],
    work: Sequence[Batch],
    *,
    jobs: int | None = None,
    dask: str | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> Iterator[tuple[Batch, Tables]]:
    """Yield the rows of each batch as it is done.

    Parameters
    ----------
    sample : Sample
    entries : sequence of Implementation
        The reference first.
    work : sequence of Batch
    jobs : int, default=None
        Worker processes; all cores when None, if the work outweighs starting them.
    dask : str, default=None
        Address of a Dask scheduler that takes all batches instead.
    clock : callable, default=time.perf_counter
        Seconds; judges by the first batches whether workers pay.

    Yields
    ------
    batch, tables
        The batch and its rows.
    """
    rest = list(work)
    call = joblib.delayed(_evaluated_batch)
    if dask is not None and rest:
        with dask_cluster(dask):
            parallel = joblib.Parallel(return_as="generator_unordered")
            yield from parallel(call(sample, entries, batch) for batch in rest)
        return
    if jobs is None:
        jobs = os.cpu_count() or 1
        while rest:
            begin = clock()
            yield _evaluated_batch(sample, entries, rest[0])
            seconds = clock() - begin
            rest = rest[1:]
            if seconds * len(rest) * (1.0 - 1.0 / jobs) > WORKER_START_SECONDS:
                break
    if jobs == 1:
        for batch in rest:
            yield _evaluated_batch(sample, entries, batch)
    elif rest:
        parallel = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered")
        yield from parallel(call(sample, entries, batch) for batch in rest)
        # joblib would keep idle workers; what is timed next must run alone.
        get_reusable_executor().shutdown(wait=True)


def _evaluated_batch(
    sample: Sample, entries: Sequence[Implementation], batch: Batch
) -> tuple[Batch, Tables]:
    with threadpool_limits(1):
        return batch, evaluate(sample, batch.rule, batch.runs, entries)

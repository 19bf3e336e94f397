"""Batches of runs, evaluated on as many processes as it pays, in any order."""

import os
import time
from collections.abc import Callable, Iterator, Sequence

import joblib
from threadpoolctl import threadpool_limits

from gnbbench.implementations import Implementation
from gnbbench.measurement.evaluation import Sample, SplitRule, Tables, evaluate

# A batch is written as a whole, so it bounds what an interruption loses.
BATCH_RUNS = 25
BATCH_VALUES = 20_000_000

# Starting worker processes costs about this long; less work than that stays here.
WORKER_START_SECONDS = 4.0


def batches(runs: Sequence[int], n_values: int) -> list[list[int]]:
    """Return the runs cut into batches that bound memory and loss.

    Parameters
    ----------
    runs : sequence of int
        What is still to be done.
    n_values : int
        Values that one run predicts (samples times classes times implementations).

    Returns
    -------
    list of list of int

    Examples
    --------
    >>> batches(range(3), n_values=10_000_000)
    [[0, 1], [2]]
    """
    size = max(1, min(BATCH_RUNS, BATCH_VALUES // max(1, n_values)))
    return [list(runs[start : start + size]) for start in range(0, len(runs), size)]


def evaluated(
    sample: Sample,
    rule: SplitRule,
    entries: Sequence[Implementation],
    work: Sequence[Sequence[int]],
    *,
    jobs: int | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> Iterator[tuple[Sequence[int], Tables]]:
    """Yield the rows of each batch as it is done.

    Parameters
    ----------
    sample : Sample
    rule : SplitRule
    entries : sequence of Implementation
        The reference first.
    work : sequence of batches
    jobs : int, default=None
        Worker processes; all cores when None, if the work outweighs starting them.
    clock : callable, default=time.perf_counter
        Seconds; judges by the first batch whether workers pay.

    Yields
    ------
    batch, tables
        The runs of the batch and their rows.
    """
    rest = list(work)
    if jobs is None:
        jobs = os.cpu_count() or 1
        while rest:
            begin = clock()
            yield _evaluated_batch(sample, rule, rest[0], entries)
            seconds = clock() - begin
            rest = rest[1:]
            if seconds * len(rest) * (1.0 - 1.0 / jobs) > WORKER_START_SECONDS:
                break
    if jobs == 1:
        for batch in rest:
            yield _evaluated_batch(sample, rule, batch, entries)
    elif rest:
        call = joblib.delayed(_evaluated_batch)
        parallel = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered")
        yield from parallel(call(sample, rule, batch, entries) for batch in rest)


def _evaluated_batch(
    sample: Sample, rule: SplitRule, batch: Sequence[int], entries: Sequence[Implementation]
) -> tuple[Sequence[int], Tables]:
    with threadpool_limits(1):
        return batch, evaluate(sample, rule, batch, entries)

"""A streamed study on the workers of a Dask cluster, part by part.

Models that can be merged learn from each part by itself, and Dask's own tree brings them
together; the others learn in one task, which reads all parts in order. Every part is then
labelled by itself, and tallies are brought together by the same tree. A task that is lost
with its worker is done again by another: what tasks give is never changed afterwards.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from gnbbench.data.fragments import Fragment
from gnbbench.data.stream import Stream
from gnbbench.errors import OptionError
from gnbbench.implementations import Implementation
from gnbbench.measurement.rounds import BatchRounds
from gnbbench.measurement.split_rules import SideRule
from gnbbench.measurement.streaming import StreamResult, read, run_pass
from gnbbench.processes.dask_cluster import dask_client

# So many results are brought together in one task of the tree.
SPLIT_EVERY = 8
# Method of a model that learns from Dask arrays where they lie.
FROM_ARRAYS = "fit_arrays"
# How a model learns -> what is said of it.
_WAYS = {
    "merge": "learned from each part by itself, and the models were merged",
    "stream": "learned in one task that read all parts in order",
    "arrays": "learned from Dask arrays, one chunk a part",
}


def passes_on_dask(
    stream: Stream,
    rule: SideRule,
    entries: Sequence[Implementation],
    address: str,
    *,
    runs: int = 1,
    begin: Callable[[str], None] = lambda _stage: None,
) -> StreamResult:
    """Return what both passes over a stream give, read by the workers of a cluster."""
    here = [_in_the_worker(entry) for entry in entries]
    with dask_client(address):
        begin("training")
        start = time.perf_counter()
        found = _learn(stream, rule, here, runs)
        found.end_pass("training", stream, time.perf_counter() - start)
        begin("scoring")
        start = time.perf_counter()
        (scored,) = _computed(_over_parts(stream, "scoring", found))
        found.merge(scored)
        found.end_pass("scoring", stream, time.perf_counter() - start)
    return found


def way_to_learn(model: Any) -> str:
    """Return how a model learns on a cluster: "merge", "arrays", "stream" or ""."""
    if callable(getattr(model, FROM_ARRAYS, None)):
        return "arrays"
    if not callable(getattr(model, "partial_fit", None)):
        return ""
    return "merge" if callable(getattr(model, "merge", None)) else "stream"


def _by_way(entries: Sequence[Implementation]) -> dict[str, list[Implementation]]:
    ways: dict[str, list[Implementation]] = {way: [] for way in _WAYS}
    for entry in entries:
        ways[way_to_learn(entry.make())].append(entry)
    return ways


def dask_remarks(entries: Sequence[Implementation]) -> list[str]:
    """Return what a reader must know of a study on a cluster, one sentence each."""
    ways = _by_way([_in_the_worker(entry) for entry in entries])
    found = [
        f"On Dask {', '.join(entry.name for entry in ways[way])} {text}."
        for way, text in _WAYS.items()
        if ways[way]
    ]
    apart = [entry.name for entry in entries if entry.direct is not None]
    if apart:
        found.append(f"On Dask {', '.join(apart)} had no time limit.")
    return found


def _in_the_worker(entry: Implementation) -> Implementation:
    """Return the implementation without a process of its own, which could not be sent."""
    return replace(entry, make=entry.direct or entry.make, direct=None)


def _learn(
    stream: Stream, rule: SideRule, entries: Sequence[Implementation], runs: int
) -> StreamResult:
    """Return all models, trained, in the order of the entries."""
    import dask

    empty = {
        way: StreamResult.of(stream, rule, chosen, runs=runs)
        for way, chosen in _by_way(entries).items()
    }
    in_order = dask.delayed(read_parts)(
        [stream] if empty["stream"].models else [], "training", empty["stream"]
    )
    merged, (alone,) = _computed(_over_parts(stream, "training", empty["merge"]), in_order)
    for run in empty["arrays"].runs:
        for model in run.models:
            begin = time.perf_counter()
            model.learn_from_arrays(*_train_arrays(stream, run.rule))
            seconds = time.perf_counter() - begin
            merged.add_work("calls", model.name, merged.runs[0].n_train, seconds)
    merged.work |= {key: done for key, done in alone.work.items() if key[1]}
    for run, *others in zip(merged.runs, alone.runs, empty["arrays"].runs, strict=True):
        trained = {one.name: one for each in (run, *others) for one in each.models}
        run.models = [trained[entry.name] for entry in entries]
        run.clear_tally()
    found: StreamResult = merged
    return found


def _over_parts(stream: Stream, stage: str, empty: StreamResult) -> Any:
    """Return the task of a pass over each part by itself, results brought together."""
    import dask
    import dask.bag as db

    parts = db.from_sequence(stream.fragments, partition_size=1)
    # Models are sent to each worker once, not with every task.
    found = parts.map_partitions(read_parts, stage, dask.delayed(empty))
    return found.reduction(joined, joined, split_every=SPLIT_EVERY).to_delayed()


def _computed(*tasks: Any) -> Any:
    import dask

    try:
        return dask.compute(*tasks)
    except OSError as error:
        what = f"the cluster was lost ({type(error).__name__}: {error})"
        raise OptionError("--dask", what, "Give the same command again.") from error


def read_parts(
    parts: Sequence[Fragment | Stream], stage: str, before: StreamResult
) -> list[StreamResult]:
    """Return what the rows of some parts give beside what was there before; on a worker."""
    import dask

    found = before.without_counts()
    names = [model.name for model in found.models]
    # Times of a round would have to be taken on one machine.
    rounds = BatchRounds(names, seed=0, n_rows=0, most_rounds=0)
    # What a library plans with Dask is done here, not handed back to the cluster.
    with threadpool_limits(1), dask.config.set(scheduler="synchronous"):
        run_pass(stage, read(parts, found), found, rounds)
    if stage == "scoring":
        for run in found.runs:
            run.models = [model.without_model() for model in run.models]
    return [found]


def joined(results: Iterable[StreamResult]) -> StreamResult:
    """Return what several results give together, none of them changed."""
    every = iter(results)
    total = deepcopy(next(every))
    for other in every:
        total.merge(other)
    return total


def _train_arrays(stream: Stream, rule: SideRule) -> list[Any]:
    """Return the train rows and their labels as Dask arrays, one chunk a part."""
    import dask
    import dask.array as da

    chunks = []
    for part in stream.fragments:
        n_train = int(rule.train_mask(part.first_row, part.n_rows).sum())
        if n_train:
            X, codes = dask.delayed(_train_rows, nout=2)(part, rule)
            shape = (n_train, len(stream.feature_names))
            chunks.append(
                (
                    da.from_delayed(X, shape, np.float64),
                    da.from_delayed(codes, (n_train,), np.intp),
                )
            )
    return [da.concatenate(list(column)) for column in zip(*chunks, strict=True)]


def _train_rows(
    part: Fragment, rule: SideRule
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return the train rows of a part; runs on a worker."""
    chosen = [
        (batch.X[train], batch.codes[train])
        for batch in part.batches()
        for train in [rule.train_mask(batch.first_row, len(batch.codes))]
    ]
    X, codes = (np.concatenate(column) for column in zip(*chosen, strict=True))
    return X.astype(np.float64, copy=False), codes

"""A streamed study on the workers of a Dask cluster, part by part.

Models that can be merged learn from each batch separately, and this process merges them in
the order of the batches; the others learn from one part after the other, where possible on
the worker that has just read it. Each batch is then labelled separately, and its tallies
are added in the same order. A task that is lost with its worker is repeated by another.
"""

import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.arrays import FloatArray
from gnbbench.data.fragments import Fragment, RowBatch
from gnbbench.data.stream import Stream
from gnbbench.errors import DatasetError
from gnbbench.implementations import Implementation
from gnbbench.measurement.environment import limited_threads
from gnbbench.measurement.rounds import BatchRounds
from gnbbench.measurement.streaming import (
    Advance,
    Begin,
    Checkpoint,
    StreamResult,
    each_pass,
    read,
    run_pass,
)
from gnbbench.processes.dask_cluster import Cluster, ClusterWarning, dask_cluster
from gnbbench.splits import SideRule

# Method of a model that learns from Dask arrays.
FROM_ARRAYS = "fit_arrays"
# Larger parts are read again by models that learn from one part after the other.
MOST_KEPT_BYTES = 2**27
# How a model learns -> the remark on it.
_WAYS = {
    "merge": "learned from each part separately, and the models were merged",
    "stream": "learned from one part after the other, on one worker at a time",
    "arrays": "learned from Dask arrays, one chunk a part",
}


def passes_on_dask(
    stream: Stream,
    rule: SideRule,
    entries: Sequence[Implementation],
    address: str,
    *,
    runs: int = 1,
    begin: Begin = lambda _stage, _total, _done: None,
    advance: Advance = lambda _rows: None,
    checkpoint: Checkpoint | None = None,
) -> StreamResult:
    """Return the results of both passes over a stream, read by the workers of a cluster.

    A checkpoint is resumed only if all models were trained and could be saved.
    """
    local_entries = [_in_the_worker(entry) for entry in entries]
    checkpoints = checkpoint or Checkpoint()
    saved = checkpoints.take()
    result = StreamResult.of(stream, rule, local_entries, runs=runs)
    if saved.get("stage") == "scoring":
        result.go_on(saved)
        if result.learned_anew:
            result = StreamResult.of(stream, rule, local_entries, runs=runs)

    def run_stage(stage: str) -> None:
        if stage == "training":
            _learn(stream, rule, result, cluster, advance)
        else:
            _over_parts(stream, result, cluster, advance=advance, checkpoint=checkpoints)

    with dask_cluster(address) as cluster:
        _require_same_data(stream, cluster)
        each_pass(stream, result, run_stage, begin, checkpoints)
        cluster.warn_of_repeated_tasks()
    return result


def _require_same_data(stream: Stream, cluster: Cluster) -> None:
    """Raise if a worker cannot read the same data."""
    for worker, is_seen in sorted(cluster.on_each_worker(can_be_read, stream).items()):
        if is_seen is False:
            next(iter(stream.fragments[0].batches()), None)  # Raises what is wrong here
            what = f"the worker {worker} does not see the same data under that path"
            remedy = "Copy them there and keep their times (cp -p, rsync -t)."
            raise DatasetError(stream.where, what, remedy)


def can_be_read(stream: Stream) -> bool:
    """Return whether the first batch can be read; runs on a worker."""
    try:
        next(iter(stream.fragments[0].batches()), None)
    except (DatasetError, OSError):
        return False
    return True


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
    """Return remarks on a study run on a cluster, one sentence each."""
    ways = _by_way([_in_the_worker(entry) for entry in entries])
    remarks = [
        f"On Dask {', '.join(entry.name for entry in ways[way])} {text}."
        for way, text in _WAYS.items()
        if ways[way]
    ]
    apart = [entry.name for entry in entries if entry.direct is not None]
    if apart:
        remarks.append(f"On Dask {', '.join(apart)} had no time limit.")
    return remarks


def _in_the_worker(entry: Implementation) -> Implementation:
    """Return the implementation without its separate process, which cannot be sent."""
    return replace(entry, make=entry.direct or entry.make, direct=None)


def _learn(
    stream: Stream, rule: SideRule, result: StreamResult, cluster: Cluster, advance: Advance
) -> None:
    """Train all models, each the way it learns."""
    by_way = _by_way([model.entry for model in result.models])
    merged, sequential, arrays = (
        StreamResult.of(stream, rule, entries, runs=len(result.runs))
        for entries in by_way.values()
    )
    if sequential.models:
        names = ", ".join(model.name for model in sequential.models)
        text = f"--dask: {names} cannot be merged, so only one worker trains at a time"
        warnings.warn(text, ClusterWarning, stacklevel=2)
    sequential = _over_parts(
        stream, merged, cluster, advance=advance, sequential=sequential
    )
    result.ranges, result.n_rows, result.work = merged.ranges, merged.n_rows, merged.work
    for run in arrays.runs:
        for model in run.models:
            begin = time.perf_counter()
            model.learn_from_arrays(*_train_arrays(stream, run.rule))
            seconds = time.perf_counter() - begin
            result.add_work("calls", model.name, merged.runs[0].n_train, seconds)
    for key, done in sequential.work.items():
        result.add_work(*key, *done)
    ways = (merged.runs, sequential.runs, arrays.runs)
    for run, *of_ways in zip(result.runs, *ways, strict=True):
        trained = {model.name: model for part in of_ways for model in part.models}
        run.models = [trained[model.name] for model in run.models]
        run.train_counts = of_ways[0].train_counts


def _over_parts(
    stream: Stream,
    total: StreamResult,
    cluster: Cluster,
    *,
    advance: Advance,
    checkpoint: Checkpoint | None = None,
    sequential: StreamResult | None = None,
) -> Any:
    """Add the results of all parts to a total; return the models that followed them.

    Results are added in the order of the batches, so that sums are rounded as in one
    process.
    """
    left = [p for p in stream.fragments if p.first_row + p.n_rows > total.n_rows]
    early: dict[int, list[StreamResult]] = {}
    place_of_next = 0
    shared = (total.stage, total.without_counts(), total.n_rows)
    if sequential is not None and sequential.models:
        coming = cluster.results_and_state(
            read_and_keep_part, shared, left, sequential, learn_kept_part
        )
    else:
        coming = cluster.results(read_part, shared, left)
    for place, results in coming:
        if place == len(left):
            sequential = results
            continue
        early[place] = results
        advance(sum(result.n_rows for result in results))
        while place_of_next in early:
            for result in early.pop(place_of_next):
                total.merge(result)
            place_of_next += 1
            if checkpoint is not None:
                checkpoint.save(total.state)
    return sequential


def read_part(
    stage: str, before: StreamResult, start: int, part: Fragment
) -> list[StreamResult]:
    """Return the result of each batch of a part from a row on; runs on a worker."""
    return read_and_keep_part(stage, before, start, part, most_bytes=0)[0]


def read_and_keep_part(
    stage: str,
    before: StreamResult,
    start: int,
    part: Fragment,
    most_bytes: int = MOST_KEPT_BYTES,
) -> tuple[list[StreamResult], list[RowBatch]]:
    """Do as `read_part`; also return the batches unless too large. Runs on a worker."""
    kept: list[RowBatch] = []
    keeps = 8 * part.n_rows * before.ranges.n_features <= most_bytes
    with _alone():
        reading = before.without_counts()  # Takes the time of reading
        results = [reading]
        for batch in read([part], reading, start=start):
            # Scoring keeps the models; training starts with new ones.
            empty = before.without_counts() if stage == "training" else reading.emptied()
            _pass_untimed(stage, [batch], empty)
            results.append(empty)
            if keeps:
                kept.append(batch)
    if stage == "scoring":
        for result in results:
            for run in result.runs:
                run.models = [model.without_model() for model in run.models]
    return results, kept


def learn_kept_part(
    sequential: StreamResult, kept: list[RowBatch], part: Fragment
) -> StreamResult:
    """Return the models after one more part, with their work; runs on a worker."""
    with _alone():
        sequential = deepcopy(sequential)  # Another worker may have to start from it again
        _pass_untimed("training", kept or read([part], sequential), sequential)
    return sequential


@contextmanager
def _alone() -> Iterator[None]:
    """Compute on one thread, also where a library uses Dask here."""
    import dask

    with limited_threads(1), dask.config.set(scheduler="synchronous"):
        yield


def _pass_untimed(stage: str, batches: Iterable[RowBatch], result: StreamResult) -> None:
    """Run a pass without timing rounds, which need a single machine."""
    names = [model.name for model in result.models]
    run_pass(stage, batches, result, BatchRounds(names, seed=0, n_rows=0, most_rounds=0))


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
            y = da.from_delayed(codes, (n_train,), np.intp)
            chunks.append((da.from_delayed(X, shape, np.float64), y))
    return [da.concatenate(list(column)) for column in zip(*chunks, strict=True)]


def _train_rows(part: Fragment, rule: SideRule) -> tuple[FloatArray, NDArray[np.intp]]:
    """Return the train rows of a part; runs on a worker."""
    chosen = [
        (batch.X[train], batch.codes[train])
        for batch in part.batches()
        for train in [rule.train_mask(batch.first_row, len(batch.codes))]
    ]
    X, codes = (np.concatenate(column) for column in zip(*chosen, strict=True))
    return X.astype(np.float64, copy=False), codes

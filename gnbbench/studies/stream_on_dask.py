"""A streamed study on the workers of a Dask cluster, part by part.

Models that can be merged learn from each part by itself, and Dask's own tree brings them
together; the others learn in one task, which reads all parts in order. Every part is then
labelled by itself, and tallies are brought together by the same tree. A task that is lost
with its worker is done again by another: what tasks give is never changed afterwards.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from gnbbench.data.fragments import Fragment
from gnbbench.data.stream import Stream
from gnbbench.errors import OptionError
from gnbbench.implementations import Implementation
from gnbbench.measurement.rounds import BatchRounds
from gnbbench.measurement.split_rules import SideRule
from gnbbench.measurement.streaming import (
    ReadingTime,
    StreamModel,
    StreamResult,
    check_complete,
    learn_batches,
    score_batches,
    scoring_tally,
    train_tally,
)
from gnbbench.measurement.tallies import TestTally, TrainTally
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
Tally = TypeVar("Tally", TrainTally, TestTally)


@dataclass
class PartResult(Generic[Tally]):
    """What one part, or several, gave in a pass, and the time it took."""

    models: list[StreamModel]  # After scoring only what became of them
    tally: Tally
    seconds: dict[str, float]  # Implementation -> seconds within its calls
    reading_seconds: float

    def merge(self, other: "PartResult[Tally]") -> None:
        """Take in what other parts gave."""
        for model, more in zip(self.models, other.models, strict=True):
            model.merge(more)
        self.tally.merge(other.tally)
        for name, seconds in other.seconds.items():
            self.seconds[name] = self.seconds.get(name, 0.0) + seconds
        self.reading_seconds += other.reading_seconds


def passes_on_dask(
    stream: Stream,
    rule: SideRule,
    entries: Sequence[Implementation],
    address: str,
    *,
    begin: Callable[[str], None] = lambda _stage: None,
) -> StreamResult:
    """Return what both passes over a stream give, read by the workers of a cluster."""
    with dask_client(address):
        begin("training")
        start = time.perf_counter()
        learned = _learn(stream, rule, [_in_the_worker(entry) for entry in entries])
        check_complete(stream, learned.tally.n_rows)
        empty = scoring_tally(learned.models, stream)
        found = StreamResult(learned.models, learned.tally, empty)
        whole = time.perf_counter() - start
        found.take_seconds("training", whole, learned.reading_seconds, learned.seconds)
        begin("scoring")
        start = time.perf_counter()
        scored: PartResult[TestTally]
        (scored,) = _computed(_over_parts(stream, rule, found.models, empty))
        check_complete(stream, scored.tally.n_rows)
        found.test = scored.tally
        for model, copy in zip(found.models, scored.models, strict=True):
            model.merge_notes(copy)
        whole = time.perf_counter() - start
        found.take_seconds("scoring", whole, scored.reading_seconds, scored.seconds)
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
    stream: Stream, rule: SideRule, entries: Sequence[Implementation]
) -> PartResult[TrainTally]:
    """Return all models, trained, in the order of the entries."""
    import dask

    models = {
        way: [StreamModel(entry, stream.classes) for entry in chosen]
        for way, chosen in _by_way(entries).items()
    }
    empty = train_tally(stream)
    merged = _over_parts(stream, rule, models["merge"], empty)
    whole = [stream] if models["stream"] else []
    in_order = dask.delayed(read_parts)(whole, rule, models["stream"], empty)
    found, (alone,) = _computed(merged, in_order)
    trained = {model.name: model for model in (*found.models, *alone.models)}
    seconds = {**found.seconds, **alone.seconds}
    for model in models["arrays"]:
        begin = time.perf_counter()
        model.learn_from_arrays(*_train_arrays(stream, rule))
        seconds[model.name] = time.perf_counter() - begin
        trained[model.name] = model
    ordered = [trained[entry.name] for entry in entries]
    return PartResult(ordered, found.tally, seconds, found.reading_seconds)


def _over_parts(
    stream: Stream,
    rule: SideRule,
    models: Sequence[StreamModel],
    tally: TrainTally | TestTally,
) -> Any:
    """Return the task of a pass over each part by itself, results brought together."""
    import dask
    import dask.bag as db

    parts = db.from_sequence(stream.fragments, partition_size=1)
    # Models are sent to each worker once, not with every task.
    found = parts.map_partitions(read_parts, rule, dask.delayed(models), tally)
    return found.reduction(joined, joined, split_every=SPLIT_EVERY).to_delayed()


def _computed(*tasks: Any) -> Any:
    import dask

    try:
        return dask.compute(*tasks)
    except OSError as error:
        what = f"the cluster was lost ({type(error).__name__}: {error})"
        raise OptionError("--dask", what, "Give the same command again.") from error


def read_parts(
    parts: Sequence[Fragment | Stream],
    rule: SideRule,
    models: Sequence[StreamModel],
    tally: Tally,
) -> list[PartResult[Tally]]:
    """Return what the rows of some parts give to copies of these; runs on a worker."""
    import dask

    copies, tally, reading = deepcopy([*models]), deepcopy(tally), ReadingTime()
    names = [model.name for model in copies]
    rounds = BatchRounds(names, seed=0, n_rows=0, with_rounds=False)
    batches = reading.batches(parts)
    # What a library plans with Dask is done here, not handed back to the cluster.
    with threadpool_limits(1), dask.config.set(scheduler="synchronous"):
        if isinstance(tally, TrainTally):
            learn_batches(batches, rule, copies, rounds, tally)
            own = dict(rounds.seconds["fit"])
        else:
            score_batches(batches, rule, copies, rounds, tally)
            own = dict(rounds.seconds["predict"])
            copies = [model.without_model() for model in copies]
    return [PartResult(copies, tally, own, reading.seconds)]


def joined(results: Iterable[PartResult[Tally]]) -> PartResult[Tally]:
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

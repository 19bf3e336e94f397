"""A streamed study on the workers of a Dask cluster, part by part.

Models that can be merged learn from each part by itself, and Dask's own tree brings them
together; the others learn in one task, which reads all parts in order. Every part is then
labelled by itself, and tallies are brought together by the same tree. A task that is lost
with its worker is done again by another: what tasks give is never changed afterwards.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from gnbbench.data.fragments import Batch, Fragment
from gnbbench.data.stream import Stream
from gnbbench.errors import DatasetError, OptionError
from gnbbench.implementations import Implementation
from gnbbench.measurement.rounds import BatchRounds
from gnbbench.measurement.split_rules import SideRule
from gnbbench.measurement.stream_models import NOTHING, Note, StreamModel
from gnbbench.measurement.streaming import (
    ReadingTime,
    Sides,
    StreamResult,
    check_complete,
    fitted_names,
    learn_batches,
    score_batches,
)
from gnbbench.measurement.tallies import PassSeconds, TestTally, TrainTally
from gnbbench.studies.dask_cluster import dask_client

# So many results are brought together in one task of the tree.
SPLIT_EVERY = 8
# Method of a model that learns from Dask arrays where they lie.
FROM_ARRAYS = "fit_arrays"


@dataclass
class TrainResult:
    """What one part, or several, taught: models, what was seen, and the time it took."""

    models: list[StreamModel]
    train: TrainTally
    own_seconds: dict[str, float] = field(default_factory=dict)
    reading_seconds: float = 0.0


@dataclass
class ScoreResult:
    """What models said of one part, or several, and the time it took."""

    test: TestTally
    notes: dict[str, Note] = field(default_factory=dict)
    own_seconds: dict[str, float] = field(default_factory=dict)
    reading_seconds: float = 0.0


def passes_on_dask(
    stream: Stream,
    rule: SideRule,
    entries: Sequence[Implementation],
    address: str,
    *,
    begin: Callable[[str], None] = lambda _stage: None,
) -> StreamResult:
    """Return what both passes over a stream give, read by the workers of a cluster."""
    # A process within a worker could not be sent on to the others.
    here = [_in_the_worker(entry) for entry in entries]
    sides = Sides(rule, stream.classes)
    with dask_client(address):
        begin("training")
        start = time.perf_counter()
        learnt = _learn(stream, sides, here)
        check_complete(stream, learnt.train.n_rows)
        names = [entry.name for entry in entries]
        n_classes = len(stream.classes)
        found = StreamResult(
            learnt.models,
            learnt.train,
            TestTally(fitted_names(learnt.models), names[0], n_classes),
        )
        n_train = int(found.train.train_counts.sum())
        found.seconds.append(_seconds("training", n_train, start, learnt))
        begin("scoring")
        start = time.perf_counter()
        scored = _score(stream, sides, found)
        check_complete(stream, scored.test.n_rows)
        found.test = scored.test
        for model in found.models:
            model.take_note(scored.notes.get(model.name, NOTHING))
        n_test = stream.n_rows - n_train
        found.seconds.append(_seconds("scoring", n_test, start, scored))
    return found


def way_to_learn(model: Any) -> str:
    """Return how a model learns on a cluster: "merge", "arrays", "stream" or ""."""
    if callable(getattr(model, FROM_ARRAYS, None)):
        return "arrays"
    if not callable(getattr(model, "partial_fit", None)):
        return ""
    return "merge" if callable(getattr(model, "merge", None)) else "stream"


def dask_remarks(entries: Sequence[Implementation]) -> list[str]:
    """Return what a reader must know of a study on a cluster, one sentence each."""
    ways: dict[str, list[str]] = {}
    for entry in entries:
        ways.setdefault(way_to_learn(_in_the_worker(entry).make()), []).append(entry.name)
    words = {
        "merge": "learned from each part by itself, and the models were merged",
        "stream": "learned in one task that read all parts in order",
        "arrays": "learned from Dask arrays, one chunk a part",
    }
    found = [
        f"On Dask {', '.join(ways[way])} {said}."
        for way, said in words.items()
        if way in ways
    ]
    apart = [entry.name for entry in entries if entry.direct is not None]
    if apart:
        found.append(f"On Dask {', '.join(apart)} had no time limit.")
    return found


def _in_the_worker(entry: Implementation) -> Implementation:
    """Return the implementation without a process of its own."""
    return replace(entry, make=entry.direct or entry.make, direct=None)


def _learn(stream: Stream, sides: Sides, entries: Sequence[Implementation]) -> TrainResult:
    """Return all models, trained, in the order of the entries."""
    import dask
    import dask.bag as db

    by_way: dict[str, list[Implementation]] = {"merge": [], "stream": [], "arrays": []}
    for entry in entries:
        by_way[way_to_learn(entry.make())].append(entry)
    shape = (len(stream.classes), len(stream.feature_names))
    parts = db.from_sequence(stream.fragments, partition_size=1)
    learn = partial(_learn_parts, sides=sides, entries=by_way["merge"], shape=shape)
    merged = parts.reduction(learn, _all_learnt, split_every=SPLIT_EVERY).to_delayed()
    in_order = dask.delayed(_learn_stream)(stream, sides, by_way["stream"], shape)
    try:
        found, alone = dask.compute(merged, in_order)
    except OSError as error:
        raise _lost(error) from error
    models = {model.name: model for model in (*found.models, *alone.models)}
    own = {**found.own_seconds, **alone.own_seconds}
    for entry in by_way["arrays"]:
        begin = time.perf_counter()
        models[entry.name] = _learnt_from_arrays(entry, stream, sides)
        own[entry.name] = time.perf_counter() - begin
    ordered = [models[entry.name] for entry in entries]
    return TrainResult(ordered, found.train, own, found.reading_seconds)


def _learn_parts(
    parts: Sequence[Fragment],
    *,
    sides: Sides,
    entries: Sequence[Implementation],
    shape: tuple[int, int],
) -> TrainResult:
    """Return what the rows of some parts teach; runs on a worker."""
    reading = ReadingTime()
    batches = chain.from_iterable(map(reading.batches, parts))
    return _learnt(batches, reading, sides, entries, shape)


def _learn_stream(
    stream: Stream,
    sides: Sides,
    entries: Sequence[Implementation],
    shape: tuple[int, int],
) -> TrainResult:
    """Return what all rows teach, read in order; runs on one worker."""
    if not entries:
        return TrainResult([], TrainTally(*shape))
    return _learnt(stream.batches(), ReadingTime(), sides, entries, shape)


def _learnt(
    batches: Iterator[Batch],
    reading: ReadingTime,
    sides: Sides,
    entries: Sequence[Implementation],
    shape: tuple[int, int],
) -> TrainResult:
    models = [_model(entry, sides) for entry in entries]
    rounds, train = _untimed(entries), TrainTally(*shape)
    with threadpool_limits(1):
        learn_batches(batches, sides, models, rounds, train, advance=_nobody)
    return TrainResult(models, train, dict(rounds.seconds["fit"]), reading.seconds)


def _all_learnt(results: Sequence[TrainResult]) -> TrainResult:
    """Return what several results teach together, none of them changed."""
    first, *others = results
    joined = deepcopy(first)
    for other in others:
        for model, more in zip(joined.models, other.models, strict=True):
            model.merge(more)
        joined.train.merge(other.train)
        _add_seconds(joined, other)
    return joined


def _learnt_from_arrays(entry: Implementation, stream: Stream, sides: Sides) -> StreamModel:
    """Return a model that learned from Dask arrays, one chunk a part."""
    import dask
    import dask.array as da

    model, chunks = _model(entry, sides), []
    n_features = len(stream.feature_names)
    for part in stream.fragments:
        train = sides.rule.train_mask(part.first_row, part.n_rows)
        n_train = int(train.sum())
        if n_train:
            rows = dask.delayed(_train_rows, nout=2)(part, sides.rule)
            chunks.append(
                (
                    da.from_delayed(rows[0], (n_train, n_features), np.float64),
                    da.from_delayed(rows[1], (n_train,), np.intp),
                )
            )
    X, codes = (da.concatenate(list(column)) for column in zip(*chunks, strict=True))
    model.learn_from_arrays(X, codes)
    return model


def _train_rows(
    part: Fragment, rule: SideRule
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return the train rows of a part; runs on a worker."""
    found = [(block.X, block.codes, block.first_row) for block in part.batches()]
    masks = [rule.train_mask(first, len(codes)) for _, codes, first in found]
    pairs = list(zip(found, masks, strict=True))
    X = np.concatenate([samples[mask] for (samples, _, _), mask in pairs])
    codes = np.concatenate([codes[mask] for (_, codes, _), mask in pairs])
    return X.astype(np.float64, copy=False), codes


def _score(stream: Stream, sides: Sides, found: StreamResult) -> ScoreResult:
    """Return what all models say of the test rows of all parts."""
    import dask
    import dask.bag as db

    parts = db.from_sequence(stream.fragments, partition_size=1)
    # Sent to each worker once, not with every task.
    models = dask.delayed(found.models)
    scored = parts.map_partitions(_score_parts, sides, models, found.test)
    joined = scored.reduction(_all_scored, _all_scored, split_every=SPLIT_EVERY)
    try:
        (result,) = dask.compute(joined.to_delayed())
    except OSError as error:
        raise _lost(error) from error
    given: ScoreResult = result
    return given


def _score_parts(
    parts: Sequence[Fragment], sides: Sides, models: Sequence[StreamModel], empty: TestTally
) -> list[ScoreResult]:
    """Return what models say of the test rows of some parts; runs on a worker."""
    import dask

    reading, own, test = ReadingTime(), deepcopy(list(models)), deepcopy(empty)
    rounds = _untimed([model.entry for model in own])
    # What a library plans with Dask is done here, not handed back to the cluster.
    with threadpool_limits(1), dask.config.set(scheduler="synchronous"):
        batches = chain.from_iterable(map(reading.batches, parts))
        score_batches(batches, sides, own, rounds, test, advance=_nobody)
    notes = {model.name: model.note for model in own}
    return [ScoreResult(test, notes, dict(rounds.seconds["predict"]), reading.seconds)]


def _all_scored(results: Sequence[ScoreResult]) -> ScoreResult:
    """Return what several results say together, none of them changed."""
    first, *others = results
    joined = deepcopy(first)
    for other in others:
        joined.test.merge(other.test)
        for name, note in other.notes.items():
            joined.notes[name] = joined.notes[name].with_more(note)
        _add_seconds(joined, other)
    return joined


def _add_seconds(
    joined: TrainResult | ScoreResult, other: TrainResult | ScoreResult
) -> None:
    joined.reading_seconds += other.reading_seconds
    for name, seconds in other.own_seconds.items():
        joined.own_seconds[name] = joined.own_seconds.get(name, 0.0) + seconds


def _seconds(
    stage: str, n_rows: int, start: float, took: TrainResult | ScoreResult
) -> PassSeconds:
    whole = time.perf_counter() - start
    return PassSeconds(stage, n_rows, whole, took.reading_seconds, took.own_seconds)


def _model(entry: Implementation, sides: Sides) -> StreamModel:
    return StreamModel(entry, sides.classes, time.perf_counter_ns)


def _untimed(entries: Sequence[Implementation]) -> BatchRounds:
    names = [entry.name for entry in entries]
    return BatchRounds(names, seed=0, n_rows=0, with_rounds=False)


def _lost(error: OSError) -> OptionError | DatasetError:
    """Return the error of a cluster that is gone."""
    what = f"the cluster was lost ({type(error).__name__}: {error})"
    return OptionError("--dask", what, "Give the same command again.")


def _nobody(_rows: int) -> None:
    """Take note of nothing."""

"""Two passes over a stream: all implementations learn, then all label what is left.

Memory holds a batch or two and what models learned, whatever the number of rows. What the
passes give becomes the records of one run of a compare study.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from gnbbench.data.fragments import Batch, Fragment
from gnbbench.data.stream import Stream
from gnbbench.errors import DatasetError
from gnbbench.implementations import Implementation
from gnbbench.measurement.evaluation import Tables, add_rows
from gnbbench.measurement.learned import parameter_differences, variance_cause
from gnbbench.measurement.rounds import BatchRounds, Clock
from gnbbench.measurement.split_rules import SideRule
from gnbbench.measurement.stream_models import StreamModel
from gnbbench.measurement.tallies import PassSeconds, TestTally, TrainTally
from gnbbench.records import NULL_COMPETITOR, RUN_METRICS, TABLES

Advance = Callable[[int], None]


@dataclass(frozen=True)
class Sides:
    """How each batch falls to the two passes."""

    rule: SideRule
    classes: NDArray[Any]  # (n_classes,): All labels, sorted


@dataclass
class StreamResult:
    """All that two passes over a stream gave."""

    models: list[StreamModel]  # The reference first
    train: TrainTally
    test: TestTally
    seconds: list[PassSeconds] = field(default_factory=list)
    # Rows of `gnbbench.records.Records.timings`
    timings: list[tuple[Any, ...]] = field(default_factory=list)
    # Operation -> implementation -> seconds on the first batch
    cold_seconds: dict[str, dict[str, float]] = field(default_factory=dict)

    def take_times(
        self, stage: str, rounds: BatchRounds, reading: "ReadingTime", seconds: float
    ) -> None:
        """Add the times of a pass that is over."""
        operation = "fit" if stage == "training" else "predict"
        n_train = int(self.train.train_counts.sum())
        n_rows = n_train if stage == "training" else self.train.n_rows - n_train
        own = dict(rounds.seconds[operation])
        self.seconds.append(PassSeconds(stage, n_rows, seconds, reading.seconds, own))
        self.timings += rounds.rows([model.name for model in self.models if model.untimed])
        self.cold_seconds |= {name: dict(times) for name, times in rounds.cold.items()}


def passes(
    stream: Stream,
    rule: SideRule,
    entries: Sequence[Implementation],
    *,
    begin: Callable[[str], None] = lambda _stage: None,
    advance: Advance = lambda _rows: None,
    clock: Clock = time.perf_counter_ns,
) -> StreamResult:
    """Return what both passes over a stream give."""
    sides = Sides(rule, stream.classes)
    names = [entry.name for entry in entries]
    n_classes, n_features = len(stream.classes), len(stream.feature_names)
    models = [StreamModel(entry, stream.classes, clock) for entry in entries]
    train = TrainTally(n_classes, n_features)
    # Libraries with threads of their own would take the reader's core.
    with threadpool_limits(1):
        begin("training")
        reading, rounds, start = ReadingTime(clock), _rounds(names, rule, stream), clock()
        again = StreamModel(entries[0], stream.classes, clock)
        batches = _batches(stream, reading)
        learn_batches(batches, sides, models, rounds, train, advance=advance, again=again)
        check_complete(stream, train.n_rows)
        test = TestTally(fitted_names(models), names[0], n_classes)
        found = StreamResult(models, train, test)
        found.take_times("training", rounds, reading, (clock() - start) / 1e9)
        begin("scoring")
        reading, rounds, start = ReadingTime(clock), _rounds(names, rule, stream), clock()
        batches = _batches(stream, reading)
        score_batches(batches, sides, models, rounds, test, advance=advance)
        check_complete(stream, test.n_rows)
        found.take_times("scoring", rounds, reading, (clock() - start) / 1e9)
    return found


def learn_batches(
    batches: Iterable[Batch],
    sides: Sides,
    models: Sequence[StreamModel],
    rounds: BatchRounds,
    tally: TrainTally,
    *,
    advance: Advance,
    again: StreamModel | None = None,
) -> None:
    """Let all models learn from the train rows of some batches."""
    by_name = {model.name: model for model in models}
    if again is not None:
        by_name[NULL_COMPETITOR] = again
    for batch in batches:
        X = np.asarray(batch.X, dtype=np.float64)
        tally.n_rows += len(X)
        if len(X):
            tally.ranges.add(X)
        train = sides.rule.train_mask(batch.first_row, len(X))
        codes = batch.codes[train]
        if len(codes):
            tally.train_counts += np.bincount(codes, minlength=len(sides.classes))
            rows = X[train]
            for name in rounds.turn(len(codes)):
                model = by_name.get(name)
                if model is not None and model.failure is None:
                    model.learn(rows, codes, partial(rounds.note, name))
        advance(len(X))


def score_batches(
    batches: Iterable[Batch],
    sides: Sides,
    models: Sequence[StreamModel],
    rounds: BatchRounds,
    tally: TestTally,
    *,
    advance: Advance,
) -> None:
    """Let all models label the test rows of some batches, and count what they give."""
    by_name = {model.name: model for model in models}
    for batch in batches:
        test = ~sides.rule.train_mask(batch.first_row, len(batch.codes))
        tally.n_rows += len(test)
        truth = batch.codes[test]
        if len(truth):
            X = np.asarray(batch.X[test], dtype=np.float64)
            given = {}
            for name in rounds.turn(len(truth)):
                model = by_name[models[0].name if name == NULL_COMPETITOR else name]
                if model.failure is None and model.model is not None:
                    in_full = rounds.is_round or rounds.is_first
                    labels = model.predict(X, partial(rounds.note, name), in_full=in_full)
                    if labels is not None and name != NULL_COMPETITOR:
                        given[name] = labels
            rows = batch.first_row + np.flatnonzero(test)
            tally.add(rows, truth, given)
        advance(len(test))


def fitted_names(models: Sequence[StreamModel]) -> list[str]:
    """Return the names of those that learned."""
    return [model.name for model in models if model.failure is None]


def _rounds(names: Sequence[str], rule: SideRule, stream: Stream) -> BatchRounds:
    return BatchRounds(names, seed=rule.seed, n_rows=stream.n_rows)


class ReadingTime:
    """How long fragments took to give their batches."""

    def __init__(self, clock: Clock = time.perf_counter_ns) -> None:
        self.clock = clock
        self._nanoseconds = 0

    @property
    def seconds(self) -> float:
        """Time of all batches so far."""
        return self._nanoseconds / 1e9

    def batches(self, fragment: Fragment) -> Iterator[Batch]:
        """Yield the batches of a fragment."""
        given = iter(fragment.batches())
        while True:
            begin = self.clock()
            batch = next(given, None)
            self._nanoseconds += self.clock() - begin
            if batch is None:
                return
            yield batch


@dataclass(frozen=True)
class _TimedFragment:
    """A fragment that tells how long its batches take."""

    fragment: Fragment
    reading: ReadingTime

    @property
    def first_row(self) -> int:
        return self.fragment.first_row

    @property
    def n_rows(self) -> int:
        return self.fragment.n_rows

    def batches(self) -> Iterator[Batch]:
        return self.reading.batches(self.fragment)


def _batches(stream: Stream, reading: ReadingTime) -> Iterator[Batch]:
    """Yield the batches in order, checked to be one after the other."""
    timed = tuple(_TimedFragment(fragment, reading) for fragment in stream.fragments)
    n_rows = 0
    for batch in replace(stream, fragments=timed).batches():
        if batch.first_row != n_rows:
            raise _changed(stream, f"row {batch.first_row} follows row {n_rows}")
        n_rows += len(batch.codes)
        yield batch


def check_complete(stream: Stream, n_rows: int) -> None:
    """Raise if a pass gave another number of rows than there were."""
    if n_rows != stream.n_rows:
        raise _changed(stream, f"it gave {n_rows:,} rows instead of {stream.n_rows:,}")


def _changed(stream: Stream, what: str) -> DatasetError:
    """Return the error of a stream that is not what it was when it was opened."""
    return DatasetError(
        stream.where,
        f"{what}, so that it has changed since it was first looked at",
        "Give the same command again when nothing writes to it.",
    )


def run_tables(found: StreamResult) -> Tables:
    """Return the rows of every table, as `gnbbench.records.TABLES` has them."""
    tables: Tables = {name: [] for name in TABLES}
    counts = found.train.train_counts
    n_train = int(counts.sum())
    sizes = (n_train, found.train.n_rows - n_train, int(counts.min()))
    well = {model.name for model in found.models if model.failure is None}
    reference = found.models[0].name
    for model in found.models:
        metrics: list[float | None] = [None] * len(RUN_METRICS)
        if model.name in well:
            tally = found.test.labels[model.name]
            metrics = tally.metrics()
            add_rows(tables, tally.rows(0, model.name))
        key = (0, model.name, model.status, model.message)
        tables["runs"].append((*key, *sizes, *metrics))
    for name, pair in found.test.pairs.items():
        if {name, reference} <= well:
            add_rows(tables, pair.pair_rows(name, reference))
    # Several competitors may dispute a row; the reference voted on it once.
    tables["votes"] = list(dict.fromkeys(tables["votes"]))
    tables["timings"] = list(found.timings)
    return tables


def stream_note(found: StreamResult, n_features: int) -> dict[str, Any]:
    """Return what a streamed study has besides its tables, ready for JSON."""
    reference, *others = found.models
    own = reference.parameters(n_features)
    parameters, causes = [], []
    for model in others:
        theirs = model.parameters(n_features)
        for name, value in parameter_differences(theirs, own).items():
            parameters.append(
                {
                    "implementation": model.name,
                    "parameter": name,
                    "largest_relative_difference": value,
                }
            )
        cause = variance_cause(theirs, own)
        if cause is not None:
            causes.append({"implementation": model.name, **cause})
    return {
        "passes": [row for one in found.seconds for row in _rows(one, found.train.n_rows)],
        "parameters": parameters,
        "variance_causes": causes,
        "remarks": [],
    }


def _rows(one: PassSeconds, n_rows: int) -> list[dict[str, Any]]:
    """Return what was done in a pass, by whom, on how many rows, and how long it took."""
    done = [
        ("reading", "", n_rows, one.reading_seconds),
        *(("calls", name, one.n_rows, taken) for name, taken in one.own_seconds.items()),
        ("whole pass", "", n_rows, one.seconds),
    ]
    return [
        {
            "stage": one.stage,
            "what": what,
            "implementation": name,
            "rows": rows,
            "seconds": taken,
        }
        for what, name, rows, taken in done
    ]

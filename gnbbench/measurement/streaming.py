"""Two passes over a stream: all implementations learn, then all label what is left.

Memory holds a block or two and what models learned, whatever the number of rows.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from gnbbench.data.fragments import Batch, Fragment
from gnbbench.data.stream import Stream
from gnbbench.errors import DatasetError
from gnbbench.implementations import Implementation
from gnbbench.measurement.evaluation import Row, Tables
from gnbbench.measurement.learned import parameter_differences, variance_cause
from gnbbench.measurement.rounds import BlockRounds, Clock
from gnbbench.measurement.split_rules import SideRule
from gnbbench.measurement.stream_models import StreamModel, Tell
from gnbbench.measurement.tallies import PassSeconds, Scores, Seen
from gnbbench.records import NULL_COMPETITOR, RUN_METRICS, TABLES

FloatArray = NDArray[np.float64]
Advance = Callable[[int], None]


@dataclass(frozen=True)
class Sides:
    """How each block falls to the two passes."""

    rule: SideRule
    classes: NDArray[Any]  # (n_classes,): All labels, sorted


def learn_blocks(
    blocks: Iterable[Batch],
    sides: Sides,
    models: Sequence[StreamModel],
    rounds: BlockRounds,
    seen: Seen,
    *,
    advance: Advance,
    again: StreamModel | None = None,
) -> None:
    """Let all models learn from the train rows of some blocks."""
    by_name = {model.name: model for model in models}
    if again is not None:
        by_name[NULL_COMPETITOR] = again
    for block in blocks:
        X = np.asarray(block.X, dtype=np.float64)
        seen.n_rows += len(X)
        if len(X):
            seen.ranges.add(X)
        train = sides.rule.train_mask(block.first_row, len(X))
        codes = block.codes[train]
        if len(codes):
            seen.train_counts += np.bincount(codes, minlength=len(sides.classes))
            rows = X[train]
            for name in rounds.turn(len(codes)):
                model = by_name.get(name)
                if model is not None and model.failure is None:
                    model.learn(rows, codes, _told(rounds, name))
        advance(len(X))


def score_blocks(
    blocks: Iterable[Batch],
    sides: Sides,
    models: Sequence[StreamModel],
    rounds: BlockRounds,
    scores: Scores,
    *,
    advance: Advance,
) -> None:
    """Let all models label the test rows of some blocks, and count what they say."""
    by_name = {model.name: model for model in models}
    for block in blocks:
        test = ~sides.rule.train_mask(block.first_row, len(block.codes))
        scores.n_rows += len(test)
        truth = block.codes[test]
        if len(truth):
            X = np.asarray(block.X[test], dtype=np.float64)
            said = {}
            for name in rounds.turn(len(truth)):
                model = by_name[models[0].name if name == NULL_COMPETITOR else name]
                if model.failure is None and model.model is not None:
                    in_full = rounds.is_round or rounds.is_first
                    given = model.say(X, _told(rounds, name), in_full=in_full)
                    if given is not None and name != NULL_COMPETITOR:
                        said[name] = given
            rows = block.first_row + np.flatnonzero(test)
            scores.add(rows, truth, said)
        advance(len(test))


def _told(rounds: BlockRounds, name: str) -> Tell:
    """Return who takes note of the times of one implementation."""

    def tell(operation: str, nanoseconds: int) -> None:
        rounds.note(name, operation, nanoseconds)

    return tell


@dataclass
class Passes:
    """All that two passes over a stream gave."""

    models: list[StreamModel]  # The reference first
    seen: Seen
    scores: Scores
    seconds: list[PassSeconds] = field(default_factory=list)
    # Rows of `gnbbench.records.Records.timings`
    timings: list[tuple[Any, ...]] = field(default_factory=list)
    # Operation -> implementation -> seconds on the first block
    cold_seconds: dict[str, dict[str, float]] = field(default_factory=dict)


def passes(
    stream: Stream,
    rule: SideRule,
    entries: Sequence[Implementation],
    *,
    begin: Callable[[str], None] = lambda _stage: None,
    advance: Advance = lambda _rows: None,
    clock: Clock = time.perf_counter_ns,
) -> Passes:
    """Return what both passes over a stream give."""
    sides = Sides(rule, stream.classes)
    names = [entry.name for entry in entries]
    n_classes, n_features = len(stream.classes), len(stream.feature_names)
    models = [StreamModel(entry, stream.classes, clock) for entry in entries]
    seen = Seen(n_classes, n_features)
    # Libraries with threads of their own would take the reader's core.
    with threadpool_limits(1):
        begin("training")
        read, rounds, start = _Reading(stream, clock), _rounds(names, rule, stream), clock()
        learn_blocks(
            read.batches(),
            sides,
            models,
            rounds,
            seen,
            advance=advance,
            again=StreamModel(entries[0], stream.classes, clock),
        )
        _check_complete(stream, seen.n_rows)
        found = Passes(models, seen, Scores(able(models), names[0], n_classes))
        _take_times(found, "training", rounds, read, start)
        begin("scoring")
        read, rounds, start = _Reading(stream, clock), _rounds(names, rule, stream), clock()
        score_blocks(read.batches(), sides, models, rounds, found.scores, advance=advance)
        _check_complete(stream, found.scores.n_rows)
        _take_times(found, "scoring", rounds, read, start)
    return found


def able(models: Sequence[StreamModel]) -> list[str]:
    """Return the names of those that learned."""
    return [model.name for model in models if model.failure is None]


def _rounds(names: Sequence[str], rule: SideRule, stream: Stream) -> BlockRounds:
    return BlockRounds(names, seed=rule.seed, n_rows=stream.n_rows)


class _Reading:
    """The blocks of a stream, with the time that parts took to give them."""

    def __init__(self, stream: Stream, clock: Clock) -> None:
        self._stream = stream
        self.clock = clock
        self.nanoseconds = 0

    def batches(self) -> Iterator[Batch]:
        """Yield the blocks in order, checked to be one after the other."""
        timed = tuple(_TimedFragment(part, self) for part in self._stream.fragments)
        n_rows = 0
        for block in replace(self._stream, fragments=timed).batches():
            if block.first_row != n_rows:
                raise changed(self._stream, f"row {block.first_row} follows row {n_rows}")
            n_rows += len(block.codes)
            yield block


@dataclass(frozen=True)
class _TimedFragment:
    """A part that tells how long its blocks take."""

    part: Fragment
    reading: _Reading

    @property
    def first_row(self) -> int:
        return self.part.first_row

    @property
    def n_rows(self) -> int:
        return self.part.n_rows

    def batches(self) -> Iterator[Batch]:
        given = iter(self.part.batches())
        while True:
            begin = self.reading.clock()
            block = next(given, None)
            self.reading.nanoseconds += self.reading.clock() - begin
            if block is None:
                return
            yield block


def _check_complete(stream: Stream, n_rows: int) -> None:
    if n_rows != stream.n_rows:
        raise changed(stream, f"it gave {n_rows:,} rows instead of {stream.n_rows:,}")


def changed(stream: Stream, what: str) -> DatasetError:
    """Return the error of a stream that is not what it was when it was opened."""
    return DatasetError(
        stream.where,
        f"{what}, so that it has changed since it was first looked at",
        "Give the same command again when nothing writes to it.",
    )


def _take_times(
    found: Passes, stage: str, rounds: BlockRounds, read: _Reading, start: int
) -> None:
    """Add the times of a pass that is over."""
    operation = "fit" if stage == "training" else "predict"
    n_train = int(found.seen.train_counts.sum())
    found.seconds.append(
        PassSeconds(
            stage,
            n_train if stage == "training" else found.seen.n_rows - n_train,
            (read.clock() - start) / 1e9,
            read.nanoseconds / 1e9,
            dict(rounds.seconds[operation]),
        )
    )
    apart = [model.name for model in found.models if model.untimed]
    found.timings += rounds.rows(apart)
    found.cold_seconds |= {name: dict(times) for name, times in rounds.cold.items()}


def run_tables(found: Passes) -> Tables:
    """Return the rows of every table, as `gnbbench.records.TABLES` has them."""
    tables: Tables = {name: [] for name in TABLES}
    counts = found.seen.train_counts
    n_train = int(counts.sum())
    sizes = (n_train, found.seen.n_rows - n_train, int(counts.min()))
    well = {model.name for model in found.models if model.failure is None}
    reference = found.models[0].name
    for model in found.models:
        metrics: list[float | None] = [None] * len(RUN_METRICS)
        if model.name in well:
            tally = found.scores.tallies[model.name]
            metrics = tally.metrics()
            _add(tables, tally.rows(model.name))
        key = (0, model.name, model.status, model.message)
        tables["runs"].append((*key, *sizes, *metrics))
    for name, pair in found.scores.pairs.items():
        if {name, reference} <= well:
            _add(tables, pair.rows(name, reference))
    # Several competitors may dispute a row; the reference voted on it once.
    tables["votes"] = list(dict.fromkeys(tables["votes"]))
    tables["timings"] = list(found.timings)
    return tables


def stream_note(found: Passes, n_features: int) -> dict[str, Any]:
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
        "passes": [row for one in found.seconds for row in _rows(one, found.seen.n_rows)],
        "parameters": parameters,
        "variance_causes": causes,
        "remarks": [],
    }


def _add(tables: Tables, rows: dict[str, list[Row]]) -> None:
    for name, found in rows.items():
        tables[name] += found


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

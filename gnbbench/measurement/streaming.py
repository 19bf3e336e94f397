"""Two passes over a stream: all implementations train, then all label the test rows.

Memory holds a batch or two and the models, for any number of rows. Each run is a different
split, and one read of the rows serves them all. The results become the records of these
runs, as in any comparison. Every few seconds the state is saved as bytes, numbers and
arrays exactly, and reading it runs no code.
"""

import math
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from gnbbench.arrays import BoolArray
from gnbbench.data.fragments import Fragment, RowBatch
from gnbbench.data.stream import Stream, read_ahead
from gnbbench.errors import DatasetError
from gnbbench.implementations import Implementation
from gnbbench.measurement.environment import limited_threads
from gnbbench.measurement.evaluation import Tables, add_rows
from gnbbench.measurement.rounds import MOST_ROUNDS, BatchRounds, Clock
from gnbbench.measurement.stream_models import (
    SCORES,
    SmoothingTrace,
    StreamModel,
    TakeTime,
    parameter_differences,
    variance_cause,
)
from gnbbench.measurement.tallies import (
    FeatureRanges,
    LabelTally,
    Mean,
    PairTally,
    TestTally,
)
from gnbbench.processes.messages import packed, unpacked
from gnbbench.records import OPERATIONS, RUN_METRICS, TABLES
from gnbbench.splits import SideRule

SAVE_SECONDS = 5.0
# Saving takes at most the inverse of this share of a pass.
SAVE_SHARE = 100
KEPT_WHOLE = {
    kind.__name__: kind
    for kind in (FeatureRanges, LabelTally, Mean, PairTally, SmoothingTrace, TestTally)
}


class Checkpoint:
    """The last saved state of the passes, with a function that saves the next one."""

    def __init__(
        self,
        saved: bytes = b"",
        write: Callable[[bytes], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Without `write` nothing is ever saved."""
        self._write, self._clock = write, clock
        self._state = _rebuilt(unpacked(bytearray(saved))) if saved else {}
        self._due = clock() + SAVE_SECONDS
        self.n_rows = self._state.get("n_rows", 0)  # Rows of the current pass, as saved

    def take(self) -> dict[str, Any]:
        """Return the state that an earlier process saved, and forget it."""
        state, self._state = self._state, {}
        return state

    def save(self, state: Callable[[], dict[str, Any]], *, at_once: bool = False) -> None:
        """Save a state if one is due."""
        begin = self._clock()
        if self._write is None or (begin < self._due and not at_once):
            return
        now = state()
        self._write(b"".join(packed(_plain(now))))
        self.n_rows = now["n_rows"]
        end = self._clock()
        self._due = end + max(SAVE_SECONDS, SAVE_SHARE * (end - begin))


def _plain(value: Any) -> Any:
    """Convert a value for a message: objects and mappings become named lists."""
    kind = type(value).__name__
    if isinstance(value, dict):
        items = [[_plain(key), _plain(item)] for key, item in value.items()]
        return {"Counter" if isinstance(value, Counter) else "dict": items}
    if kind in KEPT_WHOLE:
        names = getattr(value, "__slots__", None) or vars(value)
        return {kind: _plain({name: getattr(value, name) for name in names})}
    if isinstance(value, tuple):
        return {"tuple": [_plain(item) for item in value]}
    return [_plain(item) for item in value] if isinstance(value, list) else value


def _rebuilt(tree: Any) -> Any:
    """Rebuild a value from the result of `_plain`."""
    if isinstance(tree, list):
        return [_rebuilt(item) for item in tree]
    if not isinstance(tree, dict):
        return tree[()] if isinstance(tree, np.ndarray) and not tree.ndim else tree
    ((kind, content),) = tree.items()
    if kind in KEPT_WHOLE:
        instance = object.__new__(KEPT_WHOLE[kind])
        for name, value in _rebuilt(content).items():
            setattr(instance, name, value)
        return instance
    items = _rebuilt(content)
    if kind == "tuple":
        return tuple(items)
    return Counter(dict(items)) if kind == "Counter" else dict(items)


Advance = Callable[[int], None]
# Receives the name of a stage, its number of rows, and how many of them are done.
Begin = Callable[[str, int, int], None]

# About this many blocks of the scoring pass, evenly spread, are also labelled by predict
# and predict_proba, not only by scores.
FULL_LOOKS = 12
STAGES = {"training": MOST_ROUNDS, "scoring": FULL_LOOKS}  # Pass -> most rounds of it
OVER = "over"  # The stage after the last pass
# Kinds of work in a pass, in the order of its table.
WORK = ("reading", "calls", "checks", "counting", "whole pass")


class StreamRun:
    """One split of a stream: the side of each row, the models and their results."""

    def __init__(
        self, rule: SideRule, models: Sequence[StreamModel], n_classes: int
    ) -> None:
        self.rule = rule
        self.models = [*models]  # The reference first
        self.train_counts = np.zeros(n_classes, dtype=np.int64)
        self.test = TestTally([model.name for model in self.models], n_classes)

    @property
    def n_train(self) -> int:
        """Number of training rows."""
        return int(self.train_counts.sum())

    def merge(self, other: Self) -> None:
        """Merge the results of the same split on other rows."""
        for model, more in zip(self.models, other.models, strict=True):
            model.merge(more)
        self.train_counts += other.train_counts
        self.test.merge(other.test)

    def state(self) -> dict[str, Any]:
        """Return all that another process needs to continue."""
        models = [model.state() for model in self.models]
        return {"train_counts": self.train_counts, "test": self.test, "models": models}

    def go_on(self, state: Mapping[str, Any]) -> None:
        """Restore the state that another process saved."""
        self.train_counts, self.test = state["train_counts"], state["test"]
        for model, of_model in zip(self.models, state["models"], strict=True):
            model.go_on(of_model)


@dataclass
class StreamResult:
    """Results of the passes over a stream, or over some of its parts, so far."""

    runs: list[StreamRun]
    ranges: FeatureRanges
    clock: Clock = time.perf_counter_ns
    stage: str = next(iter(STAGES))  # The current pass
    n_rows: int = 0  # Rows read in the current pass
    seconds: float = 0.0  # Of the current pass in earlier processes
    begin: int = 0  # When the current pass began in this process, by the clock
    # Kind of work and implementation -> rows and seconds, in the current pass
    work: dict[tuple[str, str], tuple[int, float]] = field(default_factory=dict)
    seconds_of_calls: float = 0.0  # Of all implementations, in all passes
    # As ``passes`` of `gnbbench.records.Records.stream`
    passes: list[dict[str, Any]] = field(default_factory=list)
    # Rows of `gnbbench.records.Records.timings`
    timings: list[tuple[Any, ...]] = field(default_factory=list)
    # Operation -> implementation -> seconds on the first batch
    cold_seconds: dict[str, dict[str, float]] = field(default_factory=dict)
    n_interruptions: int = 0  # After which the study continued
    # Implementations that had to be trained again after one
    learned_anew: list[str] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        stream: Stream,
        rule: SideRule,
        entries: Sequence[Implementation],
        *,
        runs: int = 1,
        clock: Clock = time.perf_counter_ns,
    ) -> Self:
        """Return the result before anything was read."""
        splits = [
            StreamRun(
                rule.of_run(run),
                [StreamModel(entry, stream.classes, clock) for entry in entries],
                len(stream.classes),
            )
            for run in range(runs)
        ]
        return cls(splits, FeatureRanges(len(stream.feature_names)), clock)

    @property
    def models(self) -> list[StreamModel]:
        """The models of the first run, the reference first."""
        return self.runs[0].models

    def emptied(self) -> Self:
        """Return an empty result with the same models, for other rows."""
        runs = [StreamRun(r.rule, r.models, len(r.train_counts)) for r in self.runs]
        return type(self)(runs, FeatureRanges(self.ranges.n_features))

    def without_counts(self) -> Self:
        """Return an empty result with copies of the models, for a pass over some parts."""
        return deepcopy(self.emptied())

    def add_work(self, what: str, name: str, n_rows: int, seconds: float) -> None:
        """Add rows and seconds to a kind of work of an implementation."""
        known_rows, known = self.work.get((what, name), (0, 0.0))
        self.work[what, name] = known_rows + n_rows, known + seconds

    def merge(self, other: Self) -> None:
        """Merge the results of other parts in the same pass."""
        for run, more in zip(self.runs, other.runs, strict=True):
            run.merge(more)
        self.ranges.merge(other.ranges)
        self.n_rows += other.n_rows
        for key, done in other.work.items():
            self.add_work(*key, *done)

    def state(self) -> dict[str, Any]:
        """Return all that another process needs to continue."""
        fields = {name: getattr(self, name) for name in _SAVED}
        runs = [run.state() for run in self.runs]
        return {**fields, "seconds": self.seconds_so_far, "runs": runs}

    def go_on(self, state: Mapping[str, Any]) -> None:
        """Restore the state that another process saved."""
        for name in _SAVED:
            setattr(self, name, state[name])
        for run, of_run in zip(self.runs, state["runs"], strict=True):
            run.go_on(of_run)
        if ("reading", "") in self.work:  # It included the batch read ahead
            self.work["reading", ""] = (self.n_rows, self.work["reading", ""][1])
        self.n_interruptions += 1
        behind = [model.name for model in self.models if model.is_behind]
        self.learned_anew = list(dict.fromkeys((*self.learned_anew, *behind)))

    @property
    def seconds_so_far(self) -> float:
        """Duration of the current pass, in all processes."""
        return self.seconds + (self.clock() - self.begin) / 1e9

    def end_pass(self, stream: Stream) -> None:
        """Record the work of the pass, and start the next one."""
        if self.n_rows != stream.n_rows:
            what = f"it gave {self.n_rows:,} rows instead of {stream.n_rows:,}"
            raise _changed(stream, what)
        self.add_work("whole pass", "", self.n_rows, self.seconds_so_far)
        names = ["", *(model.name for model in self.models)]
        for what, name in sorted(
            self.work, key=lambda done: (WORK.index(done[0]), names.index(done[1]))
        ):
            n_rows, taken = self.work[what, name]
            row = {"what": what, "implementation": name, "rows": n_rows, "seconds": taken}
            self.passes.append({"stage": self.stage, **row})
        following = [*STAGES, OVER].index(self.stage) + 1
        self.stage, self.work = [*STAGES, OVER][following], {}
        self.n_rows, self.seconds = 0, 0.0


# Attributes that are saved besides the runs.
_SAVED = (
    *("ranges", "stage", "n_rows", "seconds", "work", "seconds_of_calls", "passes"),
    *("timings", "cold_seconds", "n_interruptions", "learned_anew"),
)


def passes(
    stream: Stream,
    rule: SideRule,
    entries: Sequence[Implementation],
    *,
    runs: int = 1,
    begin: Begin = lambda _stage, _total, _done: None,
    advance: Advance = lambda _rows: None,
    clock: Clock = time.perf_counter_ns,
    checkpoint: Checkpoint | None = None,
) -> StreamResult:
    """Return the results of both passes over a stream, continuing from a checkpoint."""
    result = StreamResult.of(stream, rule, entries, runs=runs, clock=clock)
    checkpoints = checkpoint or Checkpoint()
    saved = checkpoints.take()
    if saved:
        result.go_on(saved)
    names = [entry.name for entry in entries]

    def run_stage(stage: str) -> None:
        rounds = BatchRounds(
            names, seed=rule.seed, n_rows=stream.n_rows, most_rounds=STAGES[stage]
        )
        if saved.get("stage") == stage and "rounds" in saved:
            rounds.go_on(saved["rounds"])

        def done(n_rows: int) -> None:
            advance(n_rows)
            checkpoints.save(lambda: {**result.state(), "rounds": rounds.state()})

        ahead = read_ahead(read(stream.fragments, result, start=result.n_rows))
        batches = _in_order(stream, result.n_rows, ahead)
        run_pass(stage, batches, result, rounds, advance=done)
        result.timings += rounds.rows([m.name for m in result.models if m.untimed])
        result.cold_seconds |= {name: dict(taken) for name, taken in rounds.cold.items()}

    # Threads of libraries would take the reader's core.
    with limited_threads(1):
        _catch_up(stream, result, begin, advance)
        each_pass(stream, result, run_stage, begin, checkpoints)
    return result


def each_pass(
    stream: Stream,
    result: StreamResult,
    run_stage: Callable[[str], None],
    begin: Begin,
    checkpoint: Checkpoint,
) -> None:
    """Run the remaining passes, with a checkpoint after each."""
    while result.stage != OVER:
        begin(f"{result.stage} pass", stream.n_rows, result.n_rows)
        result.begin = result.clock()
        run_stage(result.stage)
        result.end_pass(stream)
        if result.stage != OVER:
            checkpoint.save(result.state, at_once=True)


def _catch_up(stream: Stream, result: StreamResult, begin: Begin, advance: Advance) -> None:
    """Train again the models that could not be saved."""
    behind = [(run, m) for run in result.runs for m in run.models if m.is_behind]
    if not behind:
        return
    stop = result.n_rows if result.stage == "training" else stream.n_rows
    names = ", ".join(dict.fromkeys(model.name for _, model in behind))
    begin(f"training of {names} again", stop, 0)
    whole = StreamResult([], result.ranges)  # Counts the time of reading; not kept
    for batch in read_ahead(read(stream.fragments, whole, stop=stop)):
        for run, model in behind:
            train = run.rule.train_mask(batch.first_row, len(batch.codes))
            codes, X = batch.codes[train], np.asarray(batch.X[train], dtype=np.float64)
            if len(codes) and model.failure is None:
                model.learn(X, codes, lambda _operation, _nanoseconds: None)
        advance(len(batch.codes))


def read(
    fragments: Iterable[Fragment],
    result: StreamResult,
    *,
    start: int = 0,
    stop: float = math.inf,
) -> Generator[RowBatch, None, None]:
    """Yield the batches of fragments in order, and time the reading.

    `start` and `stop` are rows that begin a batch.
    """
    for fragment in fragments:
        if fragment.first_row + fragment.n_rows <= start or fragment.first_row >= stop:
            continue
        batches = (batch for batch in fragment.batches() if start <= batch.first_row < stop)
        while True:
            begin = result.clock()
            batch = next(batches, None)
            n_rows = 0 if batch is None else len(batch.codes)
            result.add_work("reading", "", n_rows, (result.clock() - begin) / 1e9)
            if batch is None:
                break
            yield batch


def _in_order(
    stream: Stream, n_rows: int, batches: Iterable[RowBatch]
) -> Iterator[RowBatch]:
    """Yield the batches; raise unless they follow one another from a row on."""
    for batch in batches:
        if batch.first_row != n_rows:
            raise _changed(stream, f"row {batch.first_row} follows row {n_rows}")
        n_rows += len(batch.codes)
        yield batch


def _changed(stream: Stream, what: str) -> DatasetError:
    """Return the error for a stream that changed since it was opened."""
    remedy = "Run the same command again when nothing writes to it."
    return DatasetError(stream.where, f"{what}: it changed during the study", remedy)


def run_pass(
    stage: str,
    batches: Iterable[RowBatch],
    result: StreamResult,
    rounds: BatchRounds,
    *,
    advance: Advance = lambda _rows: None,
) -> None:
    """Train the models of all runs on some batches, or let them label these."""
    for batch in batches:
        n_rows = len(batch.codes)
        begin, before = result.clock(), result.seconds_of_calls
        rounds.next_batch(n_rows)
        if stage == "training":
            result.ranges.add(batch.X)
        for run in result.runs:
            chosen = run.rule.train_mask(batch.first_row, n_rows)
            if stage == "training":
                _learn(batch, chosen, run, result, rounds)
            else:
                _score(batch, ~chosen, run, result, rounds)
        result.n_rows += n_rows
        calls = result.seconds_of_calls - before
        result.add_work("counting", "", n_rows, (result.clock() - begin) / 1e9 - calls)
        advance(n_rows)


def _learn(
    batch: RowBatch,
    train: BoolArray,
    run: StreamRun,
    result: StreamResult,
    rounds: BatchRounds,
) -> None:
    """Train the models of a run on the training rows of a batch."""
    codes = batch.codes[train]
    if not len(codes):
        return
    X = np.asarray(batch.X[train], dtype=np.float64)
    run.train_counts += np.bincount(codes, minlength=len(run.train_counts))
    for model in _in_turn(run, rounds):
        if model.failure is None:
            model.learn(X, codes, _note(model, len(codes), run, result, rounds))


def _score(
    batch: RowBatch,
    test: BoolArray,
    run: StreamRun,
    result: StreamResult,
    rounds: BatchRounds,
) -> None:
    """Let the models of a run label the test rows of a batch, and count the results."""
    truth = batch.codes[test]
    if not len(truth):
        return
    X = np.asarray(batch.X[test], dtype=np.float64)
    in_full = rounds.is_round and run is result.runs[0]
    predicted = {}
    for model in _in_turn(run, rounds):
        if model.failure is None and model.model is not None:
            take_time = _note(model, len(truth), run, result, rounds)
            labels = model.predict(X, take_time, in_full=in_full)
            if labels is not None:
                predicted[model.name] = labels
    run.test.add(batch.first_row + np.flatnonzero(test), truth, predicted)


def _in_turn(run: StreamRun, rounds: BatchRounds) -> list[StreamModel]:
    by_name = {model.name: model for model in run.models}
    return [by_name[name] for name in rounds.turn()] if by_name else []


def _note(
    model: StreamModel,
    n_rows: int,
    run: StreamRun,
    result: StreamResult,
    rounds: BatchRounds,
) -> TakeTime:
    """Return a function that records the time of a model's calls on a batch."""

    def take_time(operation: str, nanoseconds: int) -> None:
        is_check = model.is_scored and operation in {"predict", "predict_proba"}
        # Each row is counted once, whichever methods are called.
        is_first = operation == ("predict" if is_check or not model.is_scored else SCORES)
        n_own = n_rows if operation == "fit" or is_first else 0
        what = "checks" if is_check else "calls"
        result.seconds_of_calls += nanoseconds / 1e9
        result.add_work(what, model.name, n_own, nanoseconds / 1e9)
        if run is result.runs[0] and operation in OPERATIONS:
            rounds.note(model.name, operation, n_rows, nanoseconds)

    return take_time


def run_tables(result: StreamResult) -> Tables:
    """Return the rows of every table in `gnbbench.records.TABLES`."""
    tables: Tables = {name: [] for name in TABLES}
    for number, run in enumerate(result.runs):
        succeeded = {model.name for model in run.models if model.failure is None}
        reference = run.models[0].name
        sizes = (run.n_train, run.test.n_rows, int(run.train_counts.min()))
        for model in run.models:
            metrics: list[float | None] = [None] * len(RUN_METRICS)
            if model.name in succeeded:
                tally = run.test.labels[model.name]
                metrics = tally.metrics()
                add_rows(tables, tally.rows(number, model.name))
            key = (number, model.name, model.status, model.message)
            tables["runs"].append((*key, *sizes, *metrics))
        for name, pair in run.test.pairs.items():
            if {name, reference} <= succeeded:
                add_rows(tables, pair.pair_rows(number, name, reference))
    # Several competitors may dispute a row, on which the reference voted once.
    tables["votes"] = list(dict.fromkeys(tables["votes"]))
    tables["timings"] = list(result.timings)
    return tables


def stream_note(result: StreamResult, n_features: int) -> dict[str, Any]:
    """Return the note of a streamed study, ready for JSON, with parameters of run 0."""
    reference, *others = (model.parameters(n_features) for model in result.models)
    parameters, causes = [], []
    for model, learned in zip(result.models[1:], others, strict=True):
        who = {"implementation": model.name}
        parameters += [
            {**who, "parameter": name, "largest_relative_difference": value}
            for name, value in parameter_differences(learned, reference).items()
        ]
        cause = variance_cause(learned, reference)
        if cause is not None:
            causes.append({**who, **cause})
    return {"passes": result.passes, "parameters": parameters, "variance_causes": causes}

"""Two passes over a stream: all implementations learn, then all label what is left.

Memory holds a batch or two and what models learned, whatever the number of rows. What the
passes give becomes the records of one run of a compare study.
"""

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from gnbbench.data.fragments import Batch, Fragment
from gnbbench.data.stream import Stream, read_ahead
from gnbbench.errors import DatasetError
from gnbbench.implementations import Implementation
from gnbbench.implementations.adapting import fitted_model
from gnbbench.measurement.evaluation import Tables, add_rows
from gnbbench.measurement.learned import (
    Learned,
    SmoothingTrace,
    learned,
    parameter_differences,
    variance_cause,
)
from gnbbench.measurement.predictions import (
    Predictions,
    RunError,
    codes_of,
    columns_of,
    run_errors,
    table_of,
    warned,
    warnings_kept,
)
from gnbbench.measurement.rounds import BatchRounds, Clock
from gnbbench.measurement.split_rules import SideRule
from gnbbench.measurement.tallies import TestTally, TrainTally
from gnbbench.records import NULL_COMPETITOR, RUN_METRICS, TABLES

FloatArray = NDArray[np.float64]
Advance = Callable[[int], None]
# Takes the operation and the nanoseconds that one call of it lasted.
TakeTime = Callable[[str, int], None]

_NONE = np.empty(0, dtype=np.intp)


class StreamModel:
    """The model of one implementation, what became of it, and what it warned of.

    Once it failed it is not called again: there is nothing to go on with.
    """

    def __init__(
        self,
        entry: Implementation,
        classes: NDArray[Any],
        clock: Clock = time.perf_counter_ns,
    ) -> None:
        self.entry = entry
        self.model: Any = None
        self.failure: RunError | None = None
        self._warned: tuple[str, ...] = ()
        self._classes = classes
        self._clock = clock
        self._trace = SmoothingTrace(len(classes))
        self._columns: NDArray[np.intp] | None = None
        # Probabilities from scores, until they are seen to have other bits.
        self._posterior = entry.posterior

    @property
    def name(self) -> str:
        """What the implementation is called."""
        return self.entry.name

    @property
    def message(self) -> str:
        """What the records say of it: the failure, or the warnings."""
        if self.failure is not None:
            return str(self.failure)
        return warned(self._warned)

    @property
    def status(self) -> str:
        """How it went: "ok", "error", "timeout" or "crash"."""
        return "ok" if self.failure is None else self.failure.status

    @property
    def untimed(self) -> str:
        """Why its times cannot be held against others'; empty where they can."""
        if self.failure is not None:
            return f"it failed ({self.failure})"
        if self.entry.direct is not None:
            return "it lives in a process of its own, and its times hold the way there"
        return ""

    def learn(self, X: FloatArray, codes: NDArray[np.intp], take_time: TakeTime) -> None:
        """Learn from some more rows."""
        with self._guarded():
            first = {} if self.model is not None else {"classes": self._classes}
            model = self.entry.make() if self.model is None else self.model
            y = self._classes[codes]
            begin = self._clock()
            answer = model.partial_fit(X, y, **first)
            take_time("fit", self._clock() - begin)
            self.model = fitted_model(model, answer)
            epsilon = getattr(self.model, "epsilon_", None)
            if epsilon is not None:
                new = np.bincount(codes, minlength=len(self._classes))
                self._trace.follow(new, float(epsilon))

    def learn_from_arrays(self, X: Any, codes: Any) -> None:
        """Learn from Dask arrays where they lie."""
        with self._guarded():
            self.model = self.entry.make().fit_arrays(X, codes, self._classes)

    def predict(
        self, X: FloatArray, take_time: TakeTime, *, in_full: bool
    ) -> Predictions | None:
        """Return labels and, where they are offered, probabilities of some rows.

        Probabilities follow from scores where an implementation says how and one look in
        full gave the same bits.
        """
        with self._guarded():
            n_classes = len(self._classes)
            if self._columns is None:
                self._columns = columns_of(self.model, self._classes, self._classes)
            begin = self._clock()
            labels = self.model.predict(X)
            take_time("predict", self._clock() - begin)
            codes = codes_of(labels, len(X), self._classes)
            ask = (X, self._columns, n_classes)
            joint = table_of(self.model, "predict_joint_log_proba", *ask)
            shares = None if in_full else self._from_scores(joint)
            if shares is None and hasattr(self.model, "predict_proba"):
                begin = self._clock()
                shares = table_of(self.model, "predict_proba", *ask)
                take_time("predict_proba", self._clock() - begin)
                derived = self._from_scores(joint)
                if derived is not None and (derived != shares).any():
                    self._posterior = None
            return Predictions(_NONE, codes, shares, joint)
        return None

    def merge(self, other: Self) -> None:
        """Take in what another model of the same kind learned from other rows."""
        self.merge_notes(other)
        self._trace = SmoothingTrace(len(self._classes))
        with self._guarded():
            if self.model is None:
                self.model = other.model
            elif other.model is not None:
                self.model = self.model.merge(other.model)

    def without_model(self) -> Self:
        """Return what became of it alone, for a copy that labelled elsewhere."""
        bare = type(self)(self.entry, self._classes)
        bare.merge_notes(self)
        return bare

    def merge_notes(self, other: Self) -> None:
        """Add what became of it elsewhere, the first failure and each warning once."""
        self.failure = self.failure or other.failure
        self._warned = tuple(dict.fromkeys((*self._warned, *other._warned)))

    def parameters(self, n_features: int) -> Learned:
        """Return what it learned, as far as it offers that."""
        found = Learned({})
        if self.failure is None and self.model is not None:
            with self._guarded():
                amounts = self._trace.amounts
                found = learned(self.model, len(self._classes), n_features, amounts)
        return found

    def _from_scores(self, joint: FloatArray | None) -> FloatArray | None:
        """Return probabilities out of scores; None where that cannot be done."""
        if self._posterior is None or joint is None or not np.isfinite(joint).all():
            return None
        return self._posterior(np.ascontiguousarray(joint))

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Keep what it warns of, and turn what it raises into its failure."""
        with warnings_kept() as texts:
            try:
                with run_errors():
                    yield
            except RunError as error:
                self.failure = self.failure or error
        self._warned = tuple(dict.fromkeys((*self._warned, *texts)))


@dataclass
class StreamResult:
    """All that two passes over a stream gave."""

    models: list[StreamModel]  # The reference first
    train: TrainTally
    test: TestTally
    # As ``passes`` of `gnbbench.records.Records.stream`
    passes: list[dict[str, Any]] = field(default_factory=list)
    # Rows of `gnbbench.records.Records.timings`
    timings: list[tuple[Any, ...]] = field(default_factory=list)
    # Operation -> implementation -> seconds on the first batch
    cold_seconds: dict[str, dict[str, float]] = field(default_factory=dict)

    def take_seconds(
        self, stage: str, whole: float, reading: float, calls: Mapping[str, float]
    ) -> None:
        """Add how long a pass took, how long reading in it, and the calls of each."""
        n_rows, n_train = self.train.n_rows, int(self.train.train_counts.sum())
        n_own = n_train if stage == "training" else n_rows - n_train
        work = [
            ("reading", "", n_rows, reading),
            *(("calls", name, n_own, seconds) for name, seconds in calls.items()),
            ("whole pass", "", n_rows, whole),
        ]
        names = ("what", "implementation", "rows", "seconds")
        self.passes += [{"stage": stage, **dict(zip(names, r, strict=True))} for r in work]


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
    names = [entry.name for entry in entries]
    models = [StreamModel(entry, stream.classes, clock) for entry in entries]
    again = StreamModel(entries[0], stream.classes, clock)
    found = StreamResult(models, train_tally(stream), scoring_tally(models, stream))

    def run_pass(
        stage: str, operation: str, work: Callable[..., None], tally: TrainTally | TestTally
    ) -> None:
        begin(stage)
        start, reading = clock(), ReadingTime(clock)
        rounds = BatchRounds(names, seed=rule.seed, n_rows=stream.n_rows)
        batches = _in_order(stream, read_ahead(reading.batches(stream.fragments)))
        work(batches, rule, models, rounds, tally, advance=advance)
        check_complete(stream, tally.n_rows)
        calls = rounds.seconds[operation]
        found.take_seconds(stage, (clock() - start) / 1e9, reading.seconds, calls)
        found.timings += rounds.rows([model.name for model in models if model.untimed])
        found.cold_seconds |= {name: dict(times) for name, times in rounds.cold.items()}

    # Libraries with threads of their own would take the reader's core.
    with threadpool_limits(1):
        run_pass("training", "fit", partial(learn_batches, again=again), found.train)
        found.test = scoring_tally(models, stream)
        run_pass("scoring", "predict", score_batches, found.test)
    return found


def train_tally(stream: Stream) -> TrainTally:
    """Return the tally of a training pass, still empty."""
    return TrainTally(len(stream.classes), len(stream.feature_names))


def scoring_tally(models: Sequence[StreamModel], stream: Stream) -> TestTally:
    """Return the tally of a scoring pass of all that learned, still empty."""
    names = [model.name for model in models if model.failure is None]
    return TestTally(names, models[0].name, len(stream.classes))


def learn_batches(
    batches: Iterable[Batch],
    rule: SideRule,
    models: Sequence[StreamModel],
    rounds: BatchRounds,
    tally: TrainTally,
    *,
    advance: Advance = lambda _rows: None,
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
        train = rule.train_mask(batch.first_row, len(X))
        codes = batch.codes[train]
        if len(codes):
            tally.train_counts += np.bincount(codes, minlength=len(tally.train_counts))
            rows = X[train]
            for name in rounds.turn(len(codes)):
                model = by_name.get(name)
                if model is not None and model.failure is None:
                    model.learn(rows, codes, partial(rounds.note, name))
        advance(len(X))


def score_batches(
    batches: Iterable[Batch],
    rule: SideRule,
    models: Sequence[StreamModel],
    rounds: BatchRounds,
    tally: TestTally,
    *,
    advance: Advance = lambda _rows: None,
) -> None:
    """Let all models label the test rows of some batches, and count what they give."""
    by_name = {NULL_COMPETITOR: models[0], **{model.name: model for model in models}}
    for batch in batches:
        test = ~rule.train_mask(batch.first_row, len(batch.codes))
        tally.n_rows += len(test)
        truth = batch.codes[test]
        if len(truth):
            X = np.asarray(batch.X[test], dtype=np.float64)
            given = {}
            for name in rounds.turn(len(truth)):
                model = by_name[name]
                if model.failure is None and model.model is not None:
                    in_full = rounds.is_round or rounds.is_first
                    labels = model.predict(X, partial(rounds.note, name), in_full=in_full)
                    if labels is not None and name != NULL_COMPETITOR:
                        given[name] = labels
            rows = batch.first_row + np.flatnonzero(test)
            tally.add(rows, truth, given)
        advance(len(test))


class ReadingTime:
    """How long fragments took to give their batches."""

    def __init__(self, clock: Clock = time.perf_counter_ns) -> None:
        self.seconds = 0.0
        self._clock = clock

    def batches(
        self, fragments: Iterable[Fragment | Stream]
    ) -> Generator[Batch, None, None]:
        """Yield the batches of fragments, one after the other."""
        for fragment in fragments:
            given = iter(fragment.batches())
            while True:
                begin = self._clock()
                batch = next(given, None)
                self.seconds += (self._clock() - begin) / 1e9
                if batch is None:
                    break
                yield batch


def _in_order(stream: Stream, batches: Iterable[Batch]) -> Iterator[Batch]:
    """Yield the batches, checked to be one after the other."""
    n_rows = 0
    for batch in batches:
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
        f"{what}, so that it has changed during the study",
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
    reference, *others = (model.parameters(n_features) for model in found.models)
    parameters, causes = [], []
    for model, own in zip(found.models[1:], others, strict=True):
        who = {"implementation": model.name}
        parameters += [
            {**who, "parameter": name, "largest_relative_difference": value}
            for name, value in parameter_differences(own, reference).items()
        ]
        cause = variance_cause(own, reference)
        if cause is not None:
            causes.append({**who, **cause})
    return {"passes": found.passes, "parameters": parameters, "variance_causes": causes}

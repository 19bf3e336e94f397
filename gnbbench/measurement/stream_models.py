"""One implementation in a streamed study: learns and labels batch by batch."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gnbbench.implementations import Implementation
from gnbbench.measurement.learned import Learned, SmoothingTrace, learned
from gnbbench.measurement.predictions import (
    Predictions,
    RunError,
    codes_of,
    columns_of,
    run_errors,
    table_of,
)
from gnbbench.measurement.rounds import Clock

FloatArray = NDArray[np.float64]
# Takes the operation and the nanoseconds that one call of it lasted.
TakeTime = Callable[[str, int], None]

_NONE = np.empty(0, dtype=np.intp)


@dataclass(frozen=True)
class Note:
    """What became of a model besides its answers."""

    failure: RunError | None = None
    warned: tuple[str, ...] = ()  # Messages of warnings, each once

    def with_more(self, other: Self) -> Self:
        """Return this note and a later one as one."""
        warned = tuple(dict.fromkeys((*self.warned, *other.warned)))
        return replace(self, failure=self.failure or other.failure, warned=warned)


NOTHING = Note()


class StreamModel:
    """The model of one implementation, what became of it, and what it warned of.

    Once it failed it is not called again: there is nothing to go on with.
    """

    def __init__(self, entry: Implementation, classes: NDArray[Any], clock: Clock) -> None:
        self.entry = entry
        self.model: Any = None
        self.note = NOTHING
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
    def failure(self) -> RunError | None:
        """Why it gives no answers any more; None where all is well."""
        return self.note.failure

    @property
    def message(self) -> str:
        """What the records say of it: the failure, or the warnings."""
        if self.failure is not None:
            return str(self.failure)
        warned = self.note.warned
        return f"warned: {'; '.join(warned)}" if warned else ""

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
            fitted = model.partial_fit(X, y, **first)
            take_time("fit", self._clock() - begin)
            self.model = model if fitted is None else fitted
            epsilon = getattr(self.model, "epsilon_", None)
            if epsilon is not None:
                new = np.bincount(codes, minlength=len(self._classes))
                self._trace.follow(new, float(epsilon))

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
        self.take_note(other.note)
        self._trace = SmoothingTrace(len(self._classes))
        with self._guarded():
            if self.model is None:
                self.model = other.model
            elif other.model is not None:
                self.model = self.model.merge(other.model)

    def learn_from_arrays(self, X: Any, codes: Any) -> None:
        """Learn from Dask arrays where they lie."""
        with self._guarded():
            self.model = self.entry.make().fit_arrays(X, codes, self._classes)

    def take_note(self, more: Note) -> None:
        """Add what became of it elsewhere."""
        self.note = self.note.with_more(more)

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
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            failure = None
            try:
                with run_errors():
                    yield
            except RunError as error:
                failure = error
        if caught or failure is not None:
            self.take_note(Note(failure, tuple(str(one.message) for one in caught)))

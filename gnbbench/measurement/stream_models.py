"""The model of an implementation on a stream, compared with the reference's parameters."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gnbbench.arrays import Array, FloatArray
from gnbbench.implementations import Implementation
from gnbbench.implementations.adapting import fitted_model
from gnbbench.measurement import predictions
from gnbbench.measurement.rounds import Clock

PARAMETERS = ("theta_", "var_", "epsilon_", "class_prior_")
# Relative differences of variances up to this are rounding and need no cause.
ROUNDING = 1e-12
# A cause must leave less than this share of the difference unexplained.
LEFT = 0.01


class SmoothingTrace:
    """The excess of the variances if batches are smoothed as by scikit-learn.

    Before it updates the variances, scikit-learn's ``partial_fit`` subtracts the amount of
    the new batch instead of the one that it had added. With e_t the amount of batch t and
    n_t(c) the rows of class c so far, the variances of class c exceed the true ones by

        E_t(c) = n_{t-1}(c) / n_t(c) * (E_{t-1}(c) + e_{t-1} - e_t),    E_1(c) = 0,

    plus e_t itself, the same for all features of a class. Following it can prove that a
    difference of variances is this and nothing else.
    """

    def __init__(self, n_classes: int) -> None:
        self._count = np.zeros(n_classes)
        self._carried = np.zeros(n_classes)
        self._epsilon: float | None = None

    def follow(self, new: NDArray[np.intp], epsilon: float) -> None:
        """Follow one batch."""
        total = self._count + new
        share = np.where(new > 0, self._count / np.maximum(total, 1), 1.0)
        if self._epsilon is not None:
            self._carried = share * (self._carried + self._epsilon - epsilon)
        self._count, self._epsilon = total, epsilon

    @property
    def amounts(self) -> FloatArray | None:
        """The excess in the variances of each class; None before the first batch."""
        return None if self._epsilon is None else self._carried + self._epsilon


@dataclass(frozen=True)
class Learned:
    """The parameters that one trained model offers."""

    values: Mapping[str, FloatArray]  # Those of `PARAMETERS`, in the order of all classes
    carried: FloatArray | None = None  # (n_classes,): From its `SmoothingTrace`

    def amounts(self) -> dict[str, FloatArray]:
        """Return the amounts that may have been added to its variances, by rule."""
        column = np.zeros((1, 1))
        amounts = {}
        if "epsilon_" in self.values:
            amounts["own"] = column + self.values["epsilon_"]
        else:
            amounts["none"] = column
        if self.carried is not None:
            amounts["batch"] = self.carried[:, np.newaxis]
        return amounts


def learned(
    model: Any, n_classes: int, n_features: int, carried: FloatArray | None = None
) -> Learned:
    """Return the parameters that a trained model offers in the expected shapes."""
    shapes: dict[str, tuple[int, ...]] = {
        "theta_": (n_classes, n_features),
        "var_": (n_classes, n_features),
        "epsilon_": (),
        "class_prior_": (n_classes,),
    }
    values = {}
    for name, shape in shapes.items():
        value = getattr(model, name, None)
        if value is None and name == "var_":
            value = getattr(model, "sigma_", None)
        if value is None:
            continue
        array = np.asarray(value)
        if array.dtype.kind in "fiu" and array.shape == shape:
            values[name] = array.astype(np.float64)
    return Learned(values, carried)


def parameter_differences(
    competitor: Learned, reference: Learned
) -> dict[str, float | None]:
    """Return the largest relative difference of each parameter.

    Differences are relative to the reference's value; those of means, which may be zero,
    to the larger of its magnitude and the standard deviation of the feature in the class.
    """
    return {n: _largest(n, competitor.values, reference.values) for n in PARAMETERS}


def variance_cause(competitor: Learned, reference: Learned) -> dict[str, Any] | None:
    """Return the kind of smoothing that explains a difference of variances, if any."""
    if "var_" not in competitor.values or "var_" not in reference.values:
        return None
    variances = np.maximum(reference.values["var_"], np.finfo(np.float64).tiny)
    apart = competitor.values["var_"] - reference.values["var_"]
    largest = float(np.abs(apart / variances).max())
    if not ROUNDING < largest < np.inf:
        return None
    candidates = []
    for (rule, amount), (reference_rule, reference_amount) in product(
        competitor.amounts().items(), reference.amounts().items()
    ):
        left = float(np.abs((apart - (amount - reference_amount)) / variances).max())
        candidates.append((left, rule, reference_rule))
    # Among equals the first: the models' own amounts, if they explain as much.
    left, rule, reference_rule = min(candidates, key=lambda candidate: candidate[0])
    if left > LEFT * largest:
        return None
    return {"own": rule, "reference": reference_rule, "largest": largest, "left": left}


def _largest(
    name: str, competitor: Mapping[str, FloatArray], reference: Mapping[str, FloatArray]
) -> float | None:
    if name not in competitor or name not in reference:
        return None
    scale = np.abs(reference[name])
    if name == "theta_" and "var_" in reference:
        scale = np.maximum(scale, np.sqrt(np.maximum(reference["var_"], 0.0)))
    with np.errstate(invalid="ignore"):
        apart = np.abs(competitor[name] - reference[name])
        relative = apart / np.maximum(scale, np.finfo(np.float64).tiny)
    value = float(relative.max())
    return value if np.isfinite(value) else None


# Receives an operation and the nanoseconds of one call.
TakeTime = Callable[[str, int], None]
# The method whose result determines labels and probabilities.
SCORES = "predict_joint_log_proba"
# Modules of models whose state consists of numbers and arrays in attributes.
OPEN_MODELS = ("gnbbench.core.gaussian_nb", "sklearn.naive_bayes")

_NONE = np.empty(0, dtype=np.intp)


class StreamModel:
    """The model of one implementation, its warnings and its failure.

    After a failure it is not called again.
    """

    def __init__(
        self, entry: Implementation, classes: Array, clock: Clock = time.perf_counter_ns
    ) -> None:
        self.entry = entry
        self.model: Any = None
        self.failure: predictions.RunError | None = None
        self.is_behind = False  # Whether it must be trained again on rows read before
        self._warned: tuple[str, ...] = ()
        self._classes = classes
        self._clock = clock
        self._trace = SmoothingTrace(len(classes))
        self._columns: NDArray[np.intp] | None = None
        # Probabilities from scores, unless a prediction in full gives others.
        self._posterior = entry.posterior

    @property
    def name(self) -> str:
        """Name of the implementation."""
        return self.entry.name

    @property
    def message(self) -> str:
        """The message for the records: the failure, or the warnings."""
        if self.failure is not None:
            return str(self.failure)
        return predictions.warned(self._warned)

    @property
    def status(self) -> str:
        """Status for the records: "ok", "error", "timeout" or "crash"."""
        return "ok" if self.failure is None else self.failure.status

    @property
    def untimed(self) -> str:
        """Why its times cannot be compared with others'; empty if they can."""
        if self.failure is not None:
            return f"it failed ({self.failure})"
        if self.entry.direct is not None:
            return "it runs in a separate process, and its times include the transfer"
        return ""

    @property
    def is_scored(self) -> bool:
        """Whether labels and probabilities are computed from scores."""
        return self._posterior is not None

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
        """Learn from Dask arrays."""
        with self._guarded():
            self.model = self.entry.make().fit_arrays(X, codes, self._classes)

    def predict(
        self, X: FloatArray, take_time: TakeTime, *, in_full: bool
    ) -> predictions.Predictions | None:
        """Return labels and, if they are offered, probabilities of some rows.

        Both are computed from scores if the implementation says how, as long as every full
        prediction, such as that of the first rows, agrees.
        """
        with self._guarded():
            columns = self._columns
            if columns is None:
                columns = predictions.columns_of(self.model, self._classes, self._classes)
                self._columns, in_full = columns, True

            def asked(method: str) -> Any:
                begin = self._clock()
                answer = getattr(self.model, method)(X)
                take_time(method, self._clock() - begin)
                return answer

            def table(method: str) -> FloatArray | None:
                if getattr(self.model, method, None) is None:
                    return None
                return predictions.table_from(
                    asked(method), method, X, columns, len(self._classes)
                )

            joint = table(SCORES)
            shares = self._from_scores(joint)
            if joint is not None and shares is not None and not in_full:
                return predictions.Predictions(_NONE, joint.argmax(axis=1), shares, joint)
            codes = predictions.codes_of(asked("predict"), len(X), self._classes)
            offered = table("predict_proba")
            if joint is not None and shares is not None:
                same = np.array_equal(joint.argmax(axis=1), codes)
                if offered is None or not (same and np.array_equal(shares, offered)):
                    self._posterior = None
            return predictions.Predictions(_NONE, codes, offered, joint)
        return None

    def merge(self, other: Self) -> None:
        """Merge what another model learned from other rows."""
        self.merge_notes(other)
        if other.model is None:
            return
        self._trace = SmoothingTrace(len(self._classes))
        with self._guarded():
            merge = None if self.model is None else self.model.merge
            self.model = other.model if merge is None else merge(other.model)

    def state(self) -> dict[str, Any]:
        """Return all that another process needs to continue, with the model if possible."""
        is_open = type(self.model).__module__ in OPEN_MODELS
        initial = vars(self.entry.make()) if is_open else {}
        of_model = vars(self.model) if is_open else {}
        learned = {n: v for n, v in of_model.items() if n not in initial}
        return {
            "learned": learned if is_open else None,
            "trace": self._trace if is_open else None,
            "is_behind": self.model is not None and not is_open,
            "failure": self.failure and (str(self.failure), self.failure.status),
            "warned": self._warned,
            "columns": self._columns,
            "is_scored": self.is_scored,
        }

    def go_on(self, state: Mapping[str, Any]) -> None:
        """Restore the state that another process saved."""
        self._warned, self._columns = state["warned"], state["columns"]
        self.failure = state["failure"] and predictions.RunError(*state["failure"])
        self.is_behind = state["is_behind"] and self.failure is None
        if state["learned"] is not None:
            self.model, self._trace = self.entry.make(), state["trace"]
            vars(self.model).update(state["learned"])
        if not state["is_scored"]:
            self._posterior = None

    def without_model(self) -> Self:
        """Return a copy with failure and warnings but no model."""
        bare = type(self)(self.entry, self._classes)
        bare.merge_notes(self)
        return bare

    def merge_notes(self, other: Self) -> None:
        """Add the failure and the distinct warnings of a copy."""
        self.failure = self.failure or other.failure
        self._warned = tuple(dict.fromkeys((*self._warned, *other._warned)))

    def parameters(self, n_features: int) -> Learned:
        """Return the parameters that it offers."""
        parameters = Learned({})
        if self.failure is None and self.model is not None:
            with self._guarded():
                amounts = self._trace.amounts
                parameters = learned(self.model, len(self._classes), n_features, amounts)
        return parameters

    def _from_scores(self, joint: FloatArray | None) -> FloatArray | None:
        """Return probabilities from scores; None if that is impossible."""
        if self._posterior is None or joint is None or not np.isfinite(joint).all():
            return None
        return self._posterior(np.ascontiguousarray(joint))

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Keep its warnings, and turn what it raises into its failure."""
        with predictions.warnings_kept() as texts:
            try:
                with predictions.run_errors():
                    yield
            except predictions.RunError as error:
                self.failure = self.failure or error
        self._warned = tuple(dict.fromkeys((*self._warned, *texts)))

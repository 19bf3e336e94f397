"""Each check finds the fault that it is there for, and finds none in our own core."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB as SklearnGaussianNB

from gnbbench.conformance import CHECKS, run_check
from gnbbench.core import GaussianNB
from gnbbench.implementations.textbook import TextbookGaussianNB

CHECKS_BY_ID = {check.id: check for check in CHECKS}

# numerics of scikit-learn 1.9 that are known to be wrong, by what goes wrong.
SKLEARN_FAILS = {
    "sums in float32": {"float32-sums"},
    "counts in the type of X": {"float32-counts", "float16-counts"},
    "takes the new batch's epsilon off": {
        "partial-fit-equal-batches",
        "partial-fit-uneven-batches",
        "partial-fit-single-rows",
        "partial-fit-class-by-class",
        "partial-fit-cancer",
    },
    "batches of one row have no smoothing": {"partial-fit-constant-feature"},
    "weights below 1e-8 count as none": {"weights-tiny", "weights-tiny-class"},
    "epsilon ignores weights": {"weights-duplicates", "weights-zero-outlier"},
    "a class without rows is predicted": {"empty-class-with-prior"},
    "NaN without an error": {
        "all-constant",
        "scale-1e-170",
        "scale-1e170",
        "negative-weight",
    },
}


class Reversed(GaussianNB):
    """Gives the labels in the reverse of their order."""

    def predict(self, X: Any) -> Any:
        return self.classes_[::-1][super().predict_proba(X).argmax(axis=1)]


class Pooled(GaussianNB):
    """Has one variance for all classes."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        super().fit(X, y, sample_weight)
        self.var_[:] = self.var_.mean(axis=0)
        return self


class OnlyFloat64(GaussianNB):
    """Refuses all types but one."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        if np.asarray(X).dtype != np.float64:
            raise TypeError("float64, please")
        return super().fit(X, y, sample_weight)


class SquaresInItsType(GaussianNB):
    """Squares bytes as bytes."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        super().fit(X, y, sample_weight)
        for place, label in enumerate(self.classes_):
            rows = np.asarray(X)[y == label]
            self.var_[place] = (rows * rows).mean(axis=0) - rows.mean(axis=0) ** 2
        self.var_[:] = np.abs(self.var_) + self.epsilon_
        return self


class TwoClassesAtLeast(GaussianNB):
    """Refuses a single class."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        if len(set(np.asarray(y).tolist())) < 2:
            raise ValueError("two classes, please")
        return super().fit(X, y, sample_weight)


class PredictsTheUnseen(GaussianNB):
    """Gives a class without rows the standard normal distribution and a prior."""

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> Any:
        super().partial_fit(X, y, classes, sample_weight)
        self.var_[self.class_count_ == 0.0] = 1.0
        self.class_prior_ = np.full(len(self.classes_), 1.0 / len(self.classes_))
        self.class_count_ = self.class_count_ + 1.0
        return self


class LabelsInAByte(GaussianNB):
    """Keeps labels in one byte."""

    def predict(self, X: Any) -> Any:
        return super().predict(X).astype(np.uint8)


class Squeezes(GaussianNB):
    """Drops every dimension of length one."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        return super().fit(np.squeeze(X), y, sample_weight)


class LastOfEqual(GaussianNB):
    """Takes the last of equal classes, and calls it certain."""

    def predict(self, X: Any) -> Any:
        scores = super().predict_joint_log_proba(X)[:, ::-1]
        return self.classes_[::-1][scores.argmax(axis=1)]

    def predict_proba(self, X: Any) -> Any:
        return np.eye(len(self.classes_))[super().predict_proba(X).argmax(axis=1)]


class CutsStrings(GaussianNB):
    """Keeps two characters of a label."""

    def predict(self, X: Any) -> Any:
        return super().predict(X).astype("U2")


class NumbersOnly(GaussianNB):
    """Counts classes as numbers from zero."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        np.bincount(y)
        return super().fit(X, y, sample_weight)


class Unsorted(GaussianNB):
    """Keeps its classes in reverse order, consistently."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        super().fit(X, y, sample_weight)
        for name in ("classes_", "class_count_", "class_prior_", "theta_", "var_"):
            setattr(self, name, getattr(self, name)[::-1])
        return self


class IgnoresStrides(GaussianNB):
    """Reads memory in its own order."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        rows = X
        if isinstance(X, np.ndarray) and not X.flags.c_contiguous:
            whole = X if X.base is None or X.flags.f_contiguous else X.base
            rows = np.nan_to_num(np.ravel(whole, order="K")[: X.size].reshape(X.shape))
        return super().fit(rows, y, sample_weight)


class InPlace(GaussianNB):
    """Shifts the caller's array by one and leaves it so."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        X += 1.0
        return super().fit(X, y, sample_weight)

    def predict(self, X: Any) -> Any:
        return super().predict(np.asarray(X) + 1.0)


class ArraysOnly(GaussianNB):
    """Wants an array with a shape."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        return super().fit(X[:, :], y, sample_weight)


class LosesWeights(GaussianNB):
    """Divides by one less as soon as there are weights."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        super().fit(X, y)
        if sample_weight is not None:
            self.var_ *= 1.05
        return self


class FirstRows(GaussianNB):
    """Learns from the first fifty rows."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        return super().fit(X[:50], y[:50], sample_weight)


class FirstColumn(GaussianNB):
    """Sees the first feature alone."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        return super().fit(X[:, :1], y, sample_weight)

    def predict(self, X: Any) -> Any:
        return super().predict(X[:, :1])


class LikesLargeLabels(GaussianNB):
    """Adds the label to the score."""

    def predict(self, X: Any) -> Any:
        scores = super().predict_joint_log_proba(X) + 5.0 * self.classes_
        return self.classes_[scores.argmax(axis=1)]


class Unnormalised(GaussianNB):
    """Gives joint probabilities, their logarithms, and half the joint log-likelihood."""

    def predict_proba(self, X: Any) -> Any:
        return np.exp(super().predict_joint_log_proba(X))

    def predict_log_proba(self, X: Any) -> Any:
        return np.log(super().predict_proba(X) + 1e-300)

    def predict_joint_log_proba(self, X: Any) -> Any:
        return 0.5 * super().predict_joint_log_proba(X)


class Random(GaussianNB):
    """Starts from noise."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        super().fit(X, y, sample_weight)
        self.theta_ += 1e-12 * np.random.default_rng().normal(size=self.theta_.shape)
        return self


class Remembers(GaussianNB):
    """Never lowers its smoothing."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        before = getattr(self, "epsilon_", 0.0)
        super().fit(X, y, sample_weight)
        self.var_ += max(before - self.epsilon_, 0.0)
        return self


class CentresWhatItIsAsked(GaussianNB):
    """Shifts the rows it is asked for to the mean of the training data."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        self.centre = np.mean(X, axis=0)
        return super().fit(X, y, sample_weight)

    def predict(self, X: Any) -> Any:
        return super().predict(X - np.mean(X, axis=0) + self.centre)


class Shared(GaussianNB):
    """Keeps what it learned on the class."""

    latest: ClassVar[Any] = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        Shared.latest = GaussianNB().fit(X, y, sample_weight)
        return self

    def predict(self, X: Any) -> Any:
        return Shared.latest.predict(X)


class Scribbles(GaussianNB):
    """Passes the rows it is asked for through an attribute of its own."""

    def predict(self, X: Any) -> Any:
        self.rows = X
        time.sleep(0.001)
        return super().predict(self.rows)


class ChangesItsParameter(GaussianNB):
    """Writes what it uses over what it was given."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        self.var_smoothing = float(self.var_smoothing * 2.0)
        return super().fit(X, y, sample_weight)


class Forgets(GaussianNB):
    """Leaves its means behind when it is sent away."""

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        state["theta_"] = np.zeros_like(self.theta_)
        return state


class Forgiving(GaussianNB):
    """Finds an answer to everything."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        X, y = np.nan_to_num(X), np.asarray(y)
        if X.ndim == 1:
            X = np.repeat(X[:, np.newaxis], 4, axis=1)
        y = y[:, 0] if y.ndim == 2 else y
        if len(y) == 0:
            X, y = np.eye(4), np.arange(4)
        n = min(len(X), len(y))
        self.var_smoothing = abs(self.var_smoothing)
        if self.priors is not None:
            priors = np.resize(np.abs(self.priors), len(np.unique(y)))
            self.priors = priors / priors.sum()
        return super().fit(
            X[:n], y[:n], None if sample_weight is None else sample_weight[:n]
        )

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> Any:
        known = np.isin(y, self.classes_ if classes is None else classes)
        return super().partial_fit(X[known], y[known], classes, sample_weight)

    def predict(self, X: Any) -> Any:
        if not hasattr(self, "classes_"):
            return np.zeros(len(X))
        return super().predict(np.resize(np.nan_to_num(X), (len(X), self.n_features_in_)))


smoothed = partial(TextbookGaussianNB, relative_smoothing=1e-9)
one_pass = partial(smoothed, variance="one-pass")
one_pass_float32 = partial(one_pass, dtype="float32")
one_less = partial(smoothed, divisor="n-1")
uniform = partial(smoothed, priors="uniform")
floor = partial(smoothed, log_floor=1e-9)
densities = partial(TextbookGaussianNB, space="density")
float32 = partial(smoothed, dtype="float32")
oversmoothed = partial(GaussianNB, var_smoothing=0.1)
absolute = partial(TextbookGaussianNB, absolute_smoothing=1e-10)

PLANTED: dict[str, Callable[[], Any]] = {
    "published-toy-example": Reversed,
    "published-iris-75": uniform,
    "published-iris-150": oversmoothed,
    "published-iris-accuracy": oversmoothed,
    "published-cancer-accuracy": floor,
    "published-iris-confidence": Pooled,
    "published-cancer-confidence": TextbookGaussianNB,
    "certified-lottery": one_less,
    "certified-mavro": one_less,
    "certified-michelso": one_less,
    "certified-numacc1": one_pass,
    "certified-numacc2": one_less,
    "certified-numacc3": one_pass,
    "certified-numacc4": one_pass,
    "certified-smls01": one_less,
    "certified-smls04": one_pass,
    "certified-smls07": one_pass,
    "exact-means": float32,
    "exact-variances": one_less,
    "exact-smoothing": TextbookGaussianNB,
    "exact-priors": uniform,
    "exact-joint-log-likelihood": floor,
    "exact-posterior": floor,
    "exact-posterior-unequal-priors": uniform,
    "offset-1e3": one_pass_float32,
    "offset-1e6": one_pass_float32,
    "offset-1e9": one_pass,
    "offset-1e12": one_pass,
    "offset-1e9-variances": one_pass,
    "scale-1e-170": TextbookGaussianNB,
    "scale-1e-150": float32,
    "scale-1e-6": absolute,
    "scale-1e6": floor,
    "scale-1e150": float32,
    "scale-1e170": TextbookGaussianNB,
    "float32-input": OnlyFloat64,
    "float16-input": OnlyFloat64,
    "uint8-input": SquaresInItsType,
    "float32-sums": float32,
    "float32-counts": SklearnGaussianNB,
    "float16-counts": SklearnGaussianNB,
    "constant-feature": TextbookGaussianNB,
    "constant-in-one-class": TextbookGaussianNB,
    "all-constant": SklearnGaussianNB,
    "one-row-in-a-class": TextbookGaussianNB,
    "one-row-in-each-class": TextbookGaussianNB,
    "one-class": TwoClassesAtLeast,
    "empty-class": PredictsTheUnseen,
    "empty-class-with-prior": SklearnGaussianNB,
    "two-classes": LikesLargeLabels,
    "thousand-classes": LabelsInAByte,
    "one-feature": Squeezes,
    "ten-thousand-features": densities,
    "tie-first-class": LastOfEqual,
    "tie-probabilities": LastOfEqual,
    "string-labels": CutsStrings,
    "bool-labels": Reversed,
    "negative-labels": NumbersOnly,
    "object-labels": NumbersOnly,
    "sorted-classes": Unsorted,
    "fortran-order": IgnoresStrides,
    "read-only": InPlace,
    "non-contiguous": IgnoresStrides,
    "memory-mapped": InPlace,
    "lists": ArraysOnly,
    "partial-fit-equal-batches": SklearnGaussianNB,
    "partial-fit-uneven-batches": SklearnGaussianNB,
    "partial-fit-single-rows": SklearnGaussianNB,
    "partial-fit-class-by-class": SklearnGaussianNB,
    "partial-fit-constant-feature": SklearnGaussianNB,
    "partial-fit-cancer": SklearnGaussianNB,
    "weights-ones": LosesWeights,
    "weights-duplicates": LosesWeights,
    "weights-zero-outlier": LosesWeights,
    "weights-tiny": SklearnGaussianNB,
    "weights-tiny-class": SklearnGaussianNB,
    "permuted-rows": FirstRows,
    "permuted-columns": FirstColumn,
    "permuted-labels": LikesLargeLabels,
    "doubled-rows": one_less,
    "probabilities-sum": Unnormalised,
    "probabilities-far-labels": densities,
    "log-probabilities-far": Unnormalised,
    "joint-to-posterior": Unnormalised,
    "probabilities-to-labels": Reversed,
    "deterministic": Random,
    "input-unchanged": InPlace,
    "fit-twice": Remembers,
    "predict-alone": CentresWhatItIsAsked,
    "two-models": Shared,
    "threads": Scribbles,
    "copy-by-parameters": ChangesItsParameter,
    "pickled": Forgets,
    "nan-in-fit": Forgiving,
    "infinity-in-fit": TextbookGaussianNB,
    "nan-in-predict": Forgiving,
    "infinity-in-predict": TextbookGaussianNB,
    "one-dimensional-x": Forgiving,
    "two-dimensional-y": Forgiving,
    "unequal-lengths": Forgiving,
    "no-samples": Forgiving,
    "missing-feature": Forgiving,
    "single-feature": Forgiving,
    "predict-before-fit": Forgiving,
    "negative-smoothing": Forgiving,
    "priors-sum": TextbookGaussianNB,
    "priors-number": Forgiving,
    "negative-prior": TextbookGaussianNB,
    "negative-weight": SklearnGaussianNB,
    "unknown-label": Forgiving,
}
"""Check -> an implementation with the fault that it is there to find."""


@pytest.mark.parametrize("check_id", CHECKS_BY_ID)
def test_our_core_passes(check_id: str) -> None:
    result = run_check(CHECKS_BY_ID[check_id], GaussianNB)

    assert (result.outcome, result.message) == ("pass", result.message)


@pytest.mark.parametrize("check_id", CHECKS_BY_ID)
def test_a_check_finds_the_fault_planted_for_it(check_id: str) -> None:
    result = run_check(CHECKS_BY_ID[check_id], PLANTED[check_id])

    assert (result.outcome, result.message) == ("fail", result.message)


def test_every_check_has_a_planted_fault() -> None:
    assert list(PLANTED) == [check.id for check in CHECKS]


@pytest.mark.slow
def test_sklearn_fails_what_it_is_known_to_get_wrong_and_nothing_else() -> None:
    results = [run_check(check, SklearnGaussianNB) for check in CHECKS]

    failed = {result.check.id for result in results if result.outcome != "pass"}
    assert failed == set().union(*SKLEARN_FAILS.values())


def test_the_battery_is_a_table_of_distinct_checks() -> None:
    assert len(CHECKS_BY_ID) == len(CHECKS) >= 40
    for check in CHECKS:
        assert check.id == check.id.lower().replace(" ", "-")
        assert check.statement.endswith(".")
        assert check.source
        assert check.family
        assert (check.tolerance is None) == (check.unit == "yes or no")

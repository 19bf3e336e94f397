"""Each check finds the fault that it is there for, and finds none in our own core."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB as SklearnGaussianNB

from gnbbench.conformance.battery import CHECKS, run_check
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


def learning(
    samples: Any = lambda X, y: (X, y),
    weights: Any = lambda sample_weight: sample_weight,
    before: Any = lambda _: None,
    after: Any = lambda *_: None,
) -> type[GaussianNB]:
    """Return a class that changes what it is given, and itself before and after a fit."""

    class Fitted(GaussianNB):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            before(self)
            X, y = samples(X, y)
            super().fit(X, y, weights(sample_weight))
            after(self, X, y, sample_weight)
            return self

    return Fitted


def altered(change: Callable[..., None]) -> type[GaussianNB]:
    """Return a class that changes what it has learned from X, y and weights."""
    return learning(after=change)


def answering(answer: Callable[[Any, Any, Any], Any]) -> type[GaussianNB]:
    """Return a class whose labels are made of itself, the samples and sound labels."""

    class Predicting(GaussianNB):
        def predict(self, X: Any) -> Any:
            return answer(self, X, super().predict(X))

    return Predicting


def learning_only(serves: Callable[[Any, Any], Any]) -> type[GaussianNB]:
    """Return a class that refuses other samples."""

    def change(X: Any, y: Any) -> tuple[Any, Any]:
        if not serves(np.asarray(X), np.asarray(y)):
            raise ValueError("others, please")
        return X, y

    return learning(change)


def counted_as_numbers(X: Any, y: Any) -> tuple[Any, Any]:
    np.bincount(y)
    return X, y


def lower_case(y: Any) -> Any:
    return np.char.lower(y) if y.dtype.kind == "U" else y


def sorted_by_index(X: Any, y: Any) -> tuple[Any, Any]:
    return X.sort_index() if hasattr(X, "sort_index") else X, y


def read_in_memory_order(X: Any, y: Any) -> tuple[Any, Any]:
    if isinstance(X, np.ndarray) and not X.flags.c_contiguous:
        whole = X if X.base is None or X.flags.f_contiguous else X.base
        X = np.nan_to_num(np.ravel(whole, order="K")[: X.size].reshape(X.shape))
    return X, y


def squared_in_its_type(model: Any, X: Any, y: Any, _: Any) -> None:
    for place, label in enumerate(model.classes_):
        rows = np.asarray(X)[y == label]
        model.var_[place] = (rows * rows).mean(axis=0) - rows.mean(axis=0) ** 2
    model.var_[:] = np.abs(model.var_) + model.epsilon_


def cut_to_its_type(model: Any, X: Any, *_: Any) -> None:
    model.theta_[:] = model.theta_.astype(np.asarray(X).dtype)


def counts_in_16_bits(model: Any, *_: Any) -> None:
    model.class_prior_ = np.maximum(model.class_count_ % 2**16, 1.0) / 2**16


def fills_missing(X: Any, y: Any) -> tuple[Any, Any]:
    return np.where(X == -999.0, X.mean(axis=0), X), y


def at_least_a_thousandth(model: Any, *_: Any) -> None:
    model.class_prior_ = np.maximum(model.class_prior_, 1e-3)


def reverses_five(model: Any, X: Any, labels: Any) -> Any:
    if np.shape(X)[1] != 5:
        return labels
    return model.classes_[model.predict_joint_log_proba(X[:, ::-1]).argmax(axis=1)]


def once_each(X: Any, y: Any) -> tuple[Any, Any]:
    both = np.unique(np.column_stack([np.asarray(X), y]), axis=0)
    return both[:, :-1], both[:, -1].astype(np.asarray(y).dtype)


def draws_among_equals(model: Any, X: Any, labels: Any) -> Any:
    scores = model.predict_joint_log_proba(X)
    is_tie = np.sum(scores == scores.max(axis=1, keepdims=True), axis=1) > 1
    drawn = np.random.default_rng().choice(model.classes_, len(labels))
    return np.where(is_tie, drawn, labels)


def slips_at_five_thousand(model: Any, _X: Any, labels: Any) -> Any:
    return np.where(np.arange(len(labels)) == 5000, model.classes_[0], labels)


def unsorted(model: Any, *_: Any) -> None:
    for name in ("classes_", "class_count_", "class_prior_", "theta_", "var_"):
        setattr(model, name, getattr(model, name)[::-1])


def noisy(model: Any, *_: Any) -> None:
    model.theta_ += 1e-12 * np.random.default_rng().normal(size=model.theta_.shape)


def without_leading_zeros(X: Any, y: Any) -> Any:
    return X, np.char.lstrip(y, "0") if np.asarray(y).dtype.kind == "U" else y


class ScoresMistakes(GaussianNB):
    """Gives the share of wrong labels."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        return 1.0 - super().score(X, y, sample_weight)


class DropsTheSmall(GaussianNB):
    """Sets small probabilities to zero."""

    def predict_proba(self, X: Any) -> Any:
        table = super().predict_proba(X)
        table[table < 1e-9] = 0.0
        return table / table.sum(axis=1, keepdims=True)


class ScoresWithoutWeights(GaussianNB):
    """Takes weights for a score and leaves them."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        del sample_weight
        return super().score(X, y)


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


class LastOfEqual(GaussianNB):
    """Takes the last of equal classes, and calls it certain."""

    def predict(self, X: Any) -> Any:
        scores = super().predict_joint_log_proba(X)[:, ::-1]
        return self.classes_[::-1][scores.argmax(axis=1)]

    def predict_proba(self, X: Any) -> Any:
        return np.eye(len(self.classes_))[super().predict_proba(X).argmax(axis=1)]


class InPlace(GaussianNB):
    """Shifts the caller's array by one and leaves it so."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        X += 1.0
        return super().fit(X, y, sample_weight)

    def predict(self, X: Any) -> Any:
        return super().predict(np.asarray(X) + 1.0)


def wider_with_weights(model: Any, _X: Any, _y: Any, sample_weight: Any) -> None:
    model.var_ *= 1.0 if sample_weight is None else 1.05


def never_smooths_less(model: Any, *_: Any) -> None:
    model.var_ += max(getattr(model, "most", 0.0) - model.epsilon_, 0.0)
    model.most = model.epsilon_


def changes_its_parameter(model: Any, *_: Any) -> None:
    model.var_smoothing = float(model.var_smoothing * 2.0)


class FirstColumn(GaussianNB):
    """Uses only the first feature."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        return super().fit(X[:, :1], y, sample_weight)

    def predict(self, X: Any) -> Any:
        return super().predict(X[:, :1])


class Unnormalised(GaussianNB):
    """Gives joint probabilities, their logarithms, and half the joint log-likelihood."""

    def predict_proba(self, X: Any) -> Any:
        return np.exp(super().predict_joint_log_proba(X))

    def predict_log_proba(self, X: Any) -> Any:
        return np.log(super().predict_proba(X) + 1e-300)

    def predict_joint_log_proba(self, X: Any) -> Any:
        return 0.5 * super().predict_joint_log_proba(X)


class CentresWhatItIsAsked(GaussianNB):
    """Shifts the rows to predict to the mean of the training data."""

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


class FirstOfAll(GaussianNB):
    """Answers with what the first of all models learned."""

    first: ClassVar[list[Any]] = []

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        self.first.append(GaussianNB().fit(X, y, sample_weight))
        return self

    def predict(self, X: Any) -> Any:
        return self.first[0].predict(X)


class LearnsWhenAsked(GaussianNB):
    """Keeps the caller's arrays until it has to answer."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        self.given = X, y, sample_weight
        return self

    def predict(self, X: Any) -> Any:
        if not hasattr(self, "theta_"):
            super().fit(*self.given)
        return super().predict(X)


class AveragesBatches(GaussianNB):
    """Gives all batches the same weight in the mean."""

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> Any:
        before = getattr(self, "theta_", None)
        super().partial_fit(X, y, classes, sample_weight)
        if before is not None:
            rows = [np.asarray(X)[np.asarray(y) == c] for c in self.classes_]
            means = [
                r.mean(axis=0) if len(r) else m for r, m in zip(rows, before, strict=True)
            ]
            self.theta_ = (before + np.array(means)) / 2.0
        return self


def smooths_as_ever(model: Any) -> None:
    model.var_smoothing = 1e-9


def sorts_priors(model: Any) -> None:
    model.priors = None if model.priors is None else sorted(model.priors)


class Scribbles(GaussianNB):
    """Passes the rows to predict through an attribute."""

    def predict(self, X: Any) -> Any:
        self.rows = X
        time.sleep(0.001)
        return super().predict(self.rows)


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
        weights = None if sample_weight is None else sample_weight[:n]
        return super().fit(X[:n], y[:n], weights)

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> Any:
        known = np.isin(y, self.classes_ if classes is None else classes)
        return super().partial_fit(X[known], y[known], classes, sample_weight)

    def predict(self, X: Any) -> Any:
        if not hasattr(self, "classes_"):
            return np.zeros(len(X))
        return super().predict(np.resize(np.nan_to_num(X), (len(X), self.n_features_in_)))


def near_rows(X: Any, y: Any) -> tuple[Any, Any]:
    X, labels = np.asarray(X), np.unique(y)
    moments = [(X[y == c].mean(axis=0), 10.0 * X[y == c].std(axis=0)) for c in labels]
    mean, reach = (
        np.array(m)[np.searchsorted(labels, y)] for m in zip(*moments, strict=True)
    )
    kept = (np.abs(X - mean) <= reach).all(axis=1)
    return X[kept], np.asarray(y)[kept]


def counts_equal_features_once(model: Any, X: Any, *_: Any) -> None:
    first = np.unique(np.asarray(X), axis=1, return_index=True)[1]
    model.var_[:, np.setdiff1d(np.arange(np.shape(X)[1]), first)] = 1e12


class BatchesAlone(GaussianNB):
    """Ignores weights and priors in batches, and what was learned before them."""

    def __init__(self, *, priors: Any = None, var_smoothing: float = 1e-9) -> None:
        super().__init__(priors=priors, var_smoothing=var_smoothing)

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> Any:
        if classes is None and not hasattr(self, "batches"):
            vars(self).clear()
            self.__init__()  # type: ignore[misc]
            classes = np.unique(y)
        del sample_weight
        priors, self.priors, self.batches = self.priors, None, True
        super().partial_fit(X, y, classes)
        self.priors = priors
        return self


reversed_labels = answering(
    lambda model, X, _: model.classes_[::-1][model.predict_proba(X).argmax(axis=1)]
)
likes_large_labels = answering(
    lambda model, X, _: model.classes_[
        (model.predict_joint_log_proba(X) + 5.0 * model.classes_).argmax(axis=1)
    ]
)
smoothed = partial(TextbookGaussianNB, relative_smoothing=1e-9)
one_pass = partial(smoothed, variance="one-pass")
one_less = partial(smoothed, divisor="n-1")
uniform = partial(smoothed, priors="uniform")
floor = partial(smoothed, log_floor=1e-9)
densities = partial(TextbookGaussianNB, space="density")
float32 = partial(smoothed, dtype="float32")
oversmoothed = partial(GaussianNB, var_smoothing=0.1)

# An implementation with a fault -> the checks that are there to find it.
FAULTS: tuple[tuple[Callable[[], Any], str], ...] = (
    (reversed_labels, "published-toy-example bool-labels probabilities-to-labels"),
    (uniform, "published-iris-75 exact-priors exact-posterior-unequal-priors"),
    (oversmoothed, "published-iris-150 published-iris-accuracy"),
    (
        floor,
        "published-cancer-accuracy exact-joint-log-likelihood exact-posterior scale-1e6",
    ),
    (
        altered(lambda m, *_: setattr(m, "var_", 0 * m.var_ + m.var_.mean(axis=0))),
        "published-iris-confidence",
    ),
    (
        TextbookGaussianNB,
        "published-cancer-confidence exact-smoothing scale-1e-170 scale-1e170 "
        "constant-feature constant-in-one-class one-row-in-a-class one-row-in-each-class "
        "infinity-in-fit infinity-in-predict priors-sum negative-prior",
    ),
    (
        one_less,
        "certified-lottery certified-mavro certified-michelso certified-numacc2 "
        "certified-smls01 exact-variances doubled-rows near-boundaries",
    ),
    (
        one_pass,
        "certified-numacc1 certified-numacc3 certified-numacc4 certified-smls04 "
        "certified-smls07 offset-1e9 offset-1e12 offset-1e9-variances",
    ),
    (float32, "exact-means scale-1e-150 scale-1e150 float32-sums"),
    (partial(one_pass, dtype="float32"), "offset-1e3 offset-1e6"),
    (partial(TextbookGaussianNB, absolute_smoothing=1e-10), "scale-1e-6"),
    (
        learning_only(lambda X, _: X.dtype == np.float64),
        "float32-input float16-input bool-input",
    ),
    (altered(squared_in_its_type), "uint8-input int32-input"),
    (partial(TextbookGaussianNB, absolute_smoothing=1e-6), "scale-1e-4-of-half"),
    (
        SklearnGaussianNB,
        "float32-counts float16-counts all-constant empty-class-with-prior "
        "partial-fit-equal-batches partial-fit-uneven-batches partial-fit-single-rows "
        "partial-fit-class-by-class partial-fit-constant-feature partial-fit-cancer "
        "weights-tiny weights-tiny-class negative-weight",
    ),
    (learning_only(lambda _, y: len({*y.tolist()}) > 1), "one-class"),
    (PredictsTheUnseen, "empty-class"),
    (likes_large_labels, "two-classes permuted-labels"),
    (answering(lambda _model, _X, labels: labels.astype(np.uint8)), "thousand-classes"),
    (learning(lambda X, y: (np.squeeze(X), y)), "one-feature"),
    (densities, "ten-thousand-features probabilities-far-labels"),
    (LastOfEqual, "tie-first-class tie-probabilities"),
    (answering(lambda _model, _X, labels: labels.astype("U2")), "string-labels"),
    (answering(lambda _model, _X, labels: labels.astype(np.int32)), "int64-labels"),
    (learning(lambda X, y: (X, lower_case(y))), "similar-labels"),
    (learning(without_leading_zeros), "numeric-labels"),
    (learning(lambda X, y: (X, np.where(y == "", "nan", y))), "missing-labels"),
    (learning(fills_missing), "codes-of-missing"),
    (altered(counts_in_16_bits), "large-class"),
    (ScoresMistakes, "score"),
    (DropsTheSmall, "small-probabilities"),
    (learning(counted_as_numbers), "negative-labels object-labels"),
    (
        learning(lambda X, y: (X, np.abs(y) if y.dtype.kind == "i" else y)),
        "opposite-labels",
    ),
    (altered(unsorted), "sorted-classes"),
    (learning(read_in_memory_order), "fortran-order non-contiguous"),
    (InPlace, "read-only memory-mapped input-unchanged"),
    (learning(lambda X, y: (X[:, :], y)), "lists"),
    (altered(wider_with_weights), "weights-ones weights-duplicates weights-zero-outlier"),
    (learning(lambda X, y: (X[:50], y[:50])), "permuted-rows"),
    (learning(lambda X, y: (X[:5000], y[:5000])), "many-rows"),
    (altered(at_least_a_thousandth), "rare-class"),
    (altered(cut_to_its_type), "int64-input"),
    (answering(lambda _model, _X, labels: labels.astype(np.int8)), "uint8-labels"),
    (answering(lambda _model, _X, labels: labels.astype(str)), "float-labels"),
    (FirstColumn, "permuted-columns"),
    (Unnormalised, "probabilities-sum log-probabilities-far joint-to-posterior"),
    (altered(noisy), "deterministic"),
    (altered(never_smooths_less), "fit-twice"),
    (CentresWhatItIsAsked, "predict-alone"),
    (LearnsWhenAsked, "arrays-changed-later"),
    (Shared, "two-models"),
    (learning(sorted_by_index), "data-frames"),
    (learning(once_each), "repeated-rows"),
    (altered(counts_equal_features_once), "repeated-features"),
    (learning(near_rows), "far-row"),
    (BatchesAlone, "partial-fit-after-fit"),
    (answering(draws_among_equals), "tie-same-label"),
    (answering(slips_at_five_thousand), "many-rows-to-label"),
    (AveragesBatches, "partial-fit-labels partial-fit-stream"),
    (learning(weights=lambda _: None), "weights-labels"),
    (learning(before=sorts_priors), "given-priors given-zero-prior"),
    (learning(before=smooths_as_ever), "given-smoothing given-no-smoothing"),
    (Scribbles, "threads"),
    (altered(changes_its_parameter), "copy-by-parameters"),
    (Forgets, "pickled"),
    (
        Forgiving,
        "nan-in-fit nan-in-predict one-dimensional-x two-dimensional-y unequal-lengths "
        "no-samples missing-feature single-feature predict-before-fit negative-smoothing "
        "priors-number unknown-label",
    ),
)
PLANTED = {check_id: make for make, ids in FAULTS for check_id in ids.split()}


@pytest.mark.parametrize("solver", ["auto", "blocked"])
@pytest.mark.parametrize("check_id", CHECKS_BY_ID)
def test_our_core_passes(check_id: str, solver: str) -> None:
    result = run_check(CHECKS_BY_ID[check_id], partial(GaussianNB, solver=solver))

    assert (result.outcome, result.message) == ("pass", result.message)


@pytest.mark.parametrize("check_id", CHECKS_BY_ID)
def test_a_check_finds_the_fault_planted_for_it(check_id: str) -> None:
    result = run_check(CHECKS_BY_ID[check_id], PLANTED[check_id])

    assert (result.outcome, result.message) == ("fail", result.message)


def few_rows_spread(model: Any, *_: Any, most: int) -> None:
    model.var_[model.class_count_ == most] = 1.0 if most == 1 else 400.0


def one_less_of_two(model: Any, *_: Any) -> None:
    model.var_[model.class_count_ == 2] *= 2.0


def cuts_to_the_first(model: Any, _X: Any, labels: Any) -> Any:
    longest = f"U{max(map(len, labels.tolist()))}"
    return labels.astype(model.__dict__.setdefault("longest", longest))


def fills_one_array(model: Any, _X: Any, labels: Any) -> Any:
    kept = model.__dict__.setdefault("kept", {}).setdefault(labels.shape, labels)
    kept[:] = labels
    return kept


def uniform_if_many(model: Any, *_: Any) -> None:
    if len(model.classes_) > 40:
        model.class_prior_ = np.full(len(model.classes_), 1.0 / len(model.classes_))


def uniform_from_eleven(model: Any, *_: Any) -> None:
    if 10 < len(model.classes_) < 30:
        model.class_prior_ = np.full(len(model.classes_), 1.0 / len(model.classes_))


def one_less_of_one_feature(model: Any, X: Any, *_: Any) -> None:
    if np.shape(X)[1] == 1:
        n = model.class_count_[:, np.newaxis]
        model.var_ = model.var_ * n / np.maximum(n - 1.0, 1.0)


def turned_if_square(X: Any, y: Any) -> tuple[Any, Any]:
    return (np.transpose(X) if np.shape(X)[0] == np.shape(X)[1] else X), y


def row_by_class(model: Any, X: Any, labels: Any) -> Any:
    if np.shape(X) != model.theta_.shape:
        return labels
    scores = -(((X - model.theta_) ** 2) / model.var_).sum(axis=1)
    return np.full(len(X), model.classes_[scores.argmax()])


def takes_the_first_of_similar(model: Any, X: Any, _: Any) -> Any:
    scores = model.predict_joint_log_proba(X).round(4)
    return model.classes_[scores.argmax(axis=1)]


def whole_blocks(X: Any, y: Any) -> tuple[Any, Any]:
    end = len(X) - len(X) % 5000 if len(X) > 5000 else len(X)
    return X[:end], y[:end]


def widest_features(model: Any, X: Any, *_: Any) -> None:
    model.var_[:, np.argsort(np.var(X, axis=0))[:-500]] = 1e12


def shares_of_the_first(model: Any, _X: Any, y: Any, _: Any) -> None:
    counts = [np.count_nonzero(y[:10_000] == c) for c in model.classes_]
    model.class_prior_ = np.array(counts) / np.sum(counts)


def nearest_of_many(model: Any, X: Any, labels: Any) -> Any:
    if len(model.classes_) < 100:
        return labels
    gaps = ((np.asarray(X)[:, np.newaxis] - model.theta_) ** 2).sum(axis=2)
    joint = model.predict_joint_log_proba(X)
    joint[gaps > np.sort(gaps, axis=1)[:, 9:10]] = -np.inf
    return model.classes_[joint.argmax(axis=1)]


def first_block_for_all(_model: Any, X: Any, labels: Any) -> Any:
    return np.resize(labels[:4096], len(X)) if len(X) > 4096 else labels


def one_row_without_prior(model: Any, X: Any, labels: Any) -> Any:
    scores = model.predict_joint_log_proba(X) - np.log(model.class_prior_)
    return model.classes_[scores.argmax(axis=1)] if len(X) == 1 else labels


def places_from_zero(model: Any, _X: Any, labels: Any) -> Any:
    is_code = model.classes_.dtype.kind in "iu" and model.classes_[0] == 0
    return np.searchsorted(model.classes_, labels) if is_code else labels


class InTheTypeLearned(GaussianNB):
    """Casts the rows to label to the type of those it learned from."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        self.dtype = np.asarray(X).dtype
        return super().fit(X, y, sample_weight)

    def predict(self, X: Any) -> Any:
        return super().predict(np.asarray(X).astype(self.dtype))


class KnowsWhatItLearnedFrom(GaussianNB):
    """Takes as many rows as it learned from for those."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        self.given = np.array(X)
        return super().fit(X, y, sample_weight)

    def predict(self, X: Any) -> Any:
        return super().predict(self.given if np.shape(X) == self.given.shape else X)


class LearnsOnce(GaussianNB):
    """Learns nothing from labels, or an array, that it learned from before."""

    same: ClassVar[Callable[..., bool]] = np.array_equal

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        before, self.given = vars(self).get("given", y), y
        is_known = hasattr(self, "classes_") and type(self).same(y, before)
        return self if is_known else super().fit(X, y, sample_weight)


class LearnsAnArrayOnce(LearnsOnce):
    same: ClassVar[Callable[..., bool]] = lambda y, given: y is given


class OneModelForLabels(GaussianNB):
    """Shares what the first model of the same labels learned."""

    known: ClassVar[dict[bytes, Any]] = {}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        model = GaussianNB().fit(X, y, sample_weight)
        key = np.asarray(y).tobytes() + bytes(np.shape(X))
        vars(self).update(vars(self.known.setdefault(key, model)))
        return self


class SkipsEqualBatches(GaussianNB):
    """Learns nothing from a batch that equals the one before."""

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> Any:
        before, self.last = getattr(self, "last", np.empty(0)), X.copy()
        is_known = np.array_equal(before, X)
        return self if is_known else super().partial_fit(X, y, classes, sample_weight)


class ReadsZeroAsNothing(GaussianNB):
    """Takes no smoothing for the usual one."""

    def __init__(self, *, priors: Any = None, var_smoothing: Any = None) -> None:
        super().__init__(priors=priors, var_smoothing=var_smoothing or 1e-9)


class CountsBatches(GaussianNB):
    """Adds the rows of batches to those that a fit counts."""

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> Any:
        self.late = np.append(getattr(self, "late", []), y)
        return super().partial_fit(X, y, classes, sample_weight)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        super().fit(X, y, sample_weight)
        counts = [np.sum(getattr(self, "late", []) == c) for c in self.classes_]
        self.class_prior_ = (self.class_count_ + counts) / np.sum(
            self.class_count_ + counts
        )
        return self


class FirstBlockOfProbabilities(GaussianNB):
    """Repeats the probabilities of the first block of rows."""

    def predict_proba(self, X: Any) -> Any:
        return np.resize(super().predict_proba(X[:4096]), (len(X), len(self.classes_)))


class ColumnsAsText(GaussianNB):
    """Lists columns in the order of labels as text."""

    def predict_proba(self, X: Any) -> Any:
        order = np.argsort([str(c) for c in self.classes_])
        return super().predict_proba(X)[:, order]


class TwoTextsTurned(GaussianNB):
    """Lists the columns of two classes of text in the other order."""

    def predict_proba(self, X: Any) -> Any:
        is_two = len(self.classes_) == 2 and self.classes_.dtype.kind == "U"
        return super().predict_proba(X)[:, :: -1 if is_two else 1]


class ShiftsAndBack(GaussianNB):
    """Subtracts means from the caller's rows and adds them again."""

    def predict(self, X: Any) -> Any:
        for mean in self.theta_ if isinstance(X, np.ndarray) else ():
            X -= mean
            X += mean
        return super().predict(X)


def keeps_its_first_priors(model: Any, *_: Any) -> None:
    kept = getattr(model, "kept", model.class_prior_)
    model.kept = kept if len(kept) == len(model.class_prior_) else model.class_prior_
    model.class_prior_ = model.kept


def minus_zero_is_missing(model: Any, X: Any, labels: Any) -> Any:
    filled = np.where(np.signbit(X) & (np.asarray(X) == 0.0), model.theta_.mean(0), X)
    scores = model.predict_joint_log_proba(filled)
    return labels if np.array_equal(filled, X) else model.classes_[scores.argmax(axis=1)]


class OneTable(GaussianNB):
    """Writes all probabilities into the same array."""

    def predict_proba(self, X: Any) -> Any:
        table = super().predict_proba(X)
        if getattr(self, "table", np.empty(0)).shape != table.shape:
            self.table = table
        self.table[:] = table
        return self.table


class SameAddress(GaussianNB):
    """Answers what it answered for an array of the same address."""

    def predict(self, X: Any) -> Any:
        if getattr(self, "of", None) is not X:
            self.of, self.kept = X, super().predict(X)
        return self.kept


class Remembers(GaussianNB):
    """Gives a row the label that any model gave it before."""

    given: ClassVar[dict[bytes, Any]] = {}

    def predict(self, X: Any) -> Any:
        labels = zip(np.asarray(X), super().predict(X), strict=True)
        return np.array([self.given.setdefault(row.tobytes(), c) for row, c in labels])


class Divides(TextbookGaussianNB):
    """Divides as the samples do by themselves."""

    def fit(self, X: Any, y: Any) -> Any:
        self.divisor = "n-1" if hasattr(X, "iloc") else "n"
        return super().fit(X, y)


class PriorsForLabels(GaussianNB):
    """Leaves out of its probabilities the priors that it is given."""

    def predict_proba(self, X: Any) -> Any:
        table = super().predict_proba(X)
        table = table if self.priors is None else table / self.priors
        return table / table.sum(axis=1, keepdims=True)


class ClassesAsGiven(GaussianNB):
    """Takes classes for sorted."""

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> Any:
        self.order = getattr(self, "order", classes)
        return super().partial_fit(X, y, classes, sample_weight)

    def predict(self, X: Any) -> Any:
        order = np.asarray(getattr(self, "order", self.classes_))
        return order[np.searchsorted(self.classes_, super().predict(X))]


def keeps_what_it_answered_with(model: Any, X: Any, labels: Any) -> Any:
    if not hasattr(model, "kept"):
        model.kept = dict(vars(model))
    if np.shape(X)[1] != model.kept["n_features_in_"]:
        return labels
    old = GaussianNB()
    vars(old).update(model.kept)
    return old.predict(X)


def follows_many(model: Any, X: Any, labels: Any) -> Any:
    for place, label in enumerate(model.classes_):
        rows = np.asarray(X)[labels == label]
        if len(X) > 5000 and len(rows):
            model.theta_[place] += 0.05 * (rows.mean(axis=0) - model.theta_[place])
    return labels


def compares_in_single_precision(model: Any, X: Any, _: Any) -> Any:
    scores = model.predict_joint_log_proba(X).astype(np.float32)
    return model.classes_[scores.argmax(axis=1)]


class KnowsByTheirEnds(GaussianNB):
    """Answers what it answered for an array that begins, or begins and ends, alike."""

    def predict(self, X: Any) -> Any:
        known = self.__dict__.setdefault("known", {})
        key = np.asarray(X)[: 32 if len(X) > 64 else None].tobytes()
        return known.setdefault((len(X), key), super().predict(X))


class ForgetsNoClass(GaussianNB):
    """Adds the rows of the classes that a second fit lacks."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        before, self.before = getattr(self, "before", (X, y)), (X, y)
        if before[0].shape == X.shape and sample_weight is None:
            old = ~np.isin(before[1], y)
            X, y = np.vstack([X, before[0][old]]), np.append(y, before[1][old])
        return super().fit(X, y, sample_weight)


class UnseenIsNarrow(PredictsTheUnseen):
    """Gives a class without rows the mean 0, the variance 1 and hardly a prior."""

    def predict(self, X: Any) -> Any:
        labels = super(PredictsTheUnseen, self).predict(X)
        unseen = np.setdiff1d(self.classes_, self.classes_[self.class_count_ > 0])
        is_near = (np.asarray(X) ** 2).sum(axis=1) < 1.0
        return (
            np.where(is_near & self.is_far(X), unseen[:1], labels)
            if len(unseen)
            else labels
        )

    def is_far(self, X: Any) -> Any:
        joint = self.predict_joint_log_proba(X)
        return joint.max(axis=1) < -50.0


class LosesLogarithms(GaussianNB):
    """Takes the logarithms of probabilities."""

    def predict_log_proba(self, X: Any) -> Any:
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


def turns_priors_of_text(model: Any, _X: Any, y: Any, _: Any) -> None:
    if np.asarray(y).dtype.kind == "U":
        model.class_prior_ = model.class_prior_[::-1]


@pytest.mark.parametrize(
    ("make", "check_id"),
    [
        (OneTable, "arrays-changed-later"),
        (Remembers, "two-models"),
        (FirstOfAll, "two-models"),
        (Divides, "data-frames"),
        (type("Unimportable", (Forgets,), {}), "pickled"),
        (SameAddress, "arrays-changed-later"),
        (answering(keeps_what_it_answered_with), "fit-twice"),
        (altered(turns_priors_of_text), "string-labels"),
        (PriorsForLabels, "given-priors"),
        (learning(weights=lambda w: w if w is None else w // 1), "weights-labels"),
        (
            learning(weights=lambda w: w if w is None else np.maximum(w, 1e-3)),
            "weights-labels",
        ),
        (answering(follows_many), "many-rows-to-label"),
        (answering(compares_in_single_precision), "near-boundaries"),
        (KnowsByTheirEnds, "arrays-changed-later"),
        (ForgetsNoClass, "fit-twice"),
        (UnseenIsNarrow, "empty-class"),
        (LosesLogarithms, "log-probabilities-far"),
        (ScoresWithoutWeights, "score"),
        (ClassesAsGiven, "partial-fit-labels"),
        (altered(partial(few_rows_spread, most=1)), "one-row-in-a-class"),
        (altered(partial(few_rows_spread, most=2)), "one-row-in-a-class"),
        (altered(uniform_if_many), "thousand-classes"),
        (altered(keeps_its_first_priors), "fit-twice"),
        (answering(minus_zero_is_missing), "constant-in-one-class"),
        (altered(uniform_from_eleven), "near-boundaries"),
        (answering(reverses_five), "near-boundaries"),
        (altered(one_less_of_one_feature), "near-boundaries"),
        (learning(turned_if_square), "near-boundaries"),
        (answering(row_by_class), "near-boundaries"),
        (answering(takes_the_first_of_similar), "near-boundaries"),
        (learning(whole_blocks), "rare-class"),
        (altered(widest_features), "ten-thousand-features"),
        (altered(shares_of_the_first), "many-rows"),
        (answering(nearest_of_many), "thousand-classes"),
        (answering(first_block_for_all), "many-rows-to-label"),
        (answering(one_row_without_prior), "predict-alone"),
        (answering(places_from_zero), "uint8-labels"),
        (answering(lambda _model, _X, labels: labels.astype("U12")), "string-labels"),
        (learning(lambda X, y: (X, y.astype(np.float32))), "int64-labels"),
        (InTheTypeLearned, "int64-input"),
        (KnowsWhatItLearnedFrom, "near-boundaries"),
        (LearnsOnce, "fit-twice"),
        (LearnsAnArrayOnce, "fit-twice"),
        (OneModelForLabels, "two-models"),
        (BatchesAlone, "weights-labels"),
        (BatchesAlone, "given-priors"),
        (CountsBatches, "partial-fit-after-fit"),
        (ColumnsAsText, "probabilities-to-labels"),
        (TwoTextsTurned, "probabilities-to-labels"),
        (FirstBlockOfProbabilities, "many-rows-to-label"),
        (ShiftsAndBack, "input-unchanged"),
        (altered(one_less_of_two), "near-boundaries"),
        (answering(cuts_to_the_first), "string-labels"),
        (answering(fills_one_array), "arrays-changed-later"),
        (ReadsZeroAsNothing, "given-no-smoothing"),
        (SkipsEqualBatches, "partial-fit-stream"),
    ],
)
def test_a_check_finds_faults_of_few_inputs(make: Callable[[], Any], check_id: str) -> None:
    result = run_check(CHECKS_BY_ID[check_id], make)

    assert (result.outcome, result.message) == ("fail", result.message)


def test_every_check_has_a_planted_fault() -> None:
    assert PLANTED.keys() == CHECKS_BY_ID.keys()
    assert sum(len(ids.split()) for _, ids in FAULTS) == len(CHECKS)


class ShiftsTheRows(GaussianNB):
    """Shifts the rows to label in place."""

    def predict(self, X: Any) -> Any:
        X += 1.0
        return super().predict(X - 1.0)


@pytest.mark.parametrize("make", [InPlace, ShiftsTheRows])
def test_code_that_changes_its_input_forgets_nothing(make: Callable[[], Any]) -> None:
    outcomes = {
        check: run_check(CHECKS_BY_ID[check], make).outcome
        for check in ("input-unchanged", "fit-twice", "two-models", "predict-alone")
    }

    assert outcomes.pop("input-unchanged") == "fail"
    assert set(outcomes.values()) == {"pass"}


def nearest_label(_: Any, X: Any, labels: Any) -> Any:
    """Give the label whose number is nearest to the first feature's."""
    return np.clip(np.rint(X[:, 0]), 0, 2).astype(np.asarray(labels).dtype)


@pytest.mark.parametrize(
    "make",
    [
        learning(lambda X, y: (np.log1p(np.abs(X)), y)),
        learning(lambda X, y: (np.log1p(np.abs(X)) ** 2, y)),
        answering(nearest_label),
    ],
)
def test_models_that_opposite_samples_do_not_turn_share_nothing(make: Any) -> None:
    assert run_check(CHECKS_BY_ID["two-models"], make).outcome == "pass"


def test_a_second_fit_that_raises_is_a_difference_and_one_that_always_does_is_not() -> None:
    """Code that cannot learn from these data at all says nothing of what it forgets."""

    class Once(GaussianNB):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            if hasattr(self, "classes_"):
                raise ValueError("fitted already")
            return super().fit(X, y, sample_weight)

    once, never = (
        run_check(CHECKS_BY_ID["fit-twice"], make)
        for make in (Once, learning_only(lambda _, y: len({*y.tolist()}) == 3))
    )

    assert (once.outcome, once.measured) == ("fail", np.inf)
    assert "a second fit raises ValueError: fitted already" in once.message
    assert (never.outcome, never.measured) == ("fail", None)


class ByClass(GaussianNB):
    """Keeps what it learns in dicts by class."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        super().fit(X, y, sample_weight)
        for name in ("theta_", "var_", "class_prior_"):
            values = dict(zip(self.classes_, getattr(self, name), strict=True))
            setattr(self, name, values)
        return self

    def predict(self, X: Any) -> Any:
        plain = GaussianNB()
        plain.__dict__ |= {n: v for n, v in vars(self).items() if not isinstance(v, dict)}
        for name in ("theta_", "var_", "class_prior_"):
            setattr(plain, name, np.array([*getattr(self, name).values()]))
        return plain.predict(X)

    predict_proba = property()


@pytest.mark.parametrize("check", ["fit-twice", "exact-means", "exact-priors"])
def test_parameters_may_be_kept_by_class(check: str) -> None:
    assert run_check(CHECKS_BY_ID[check], ByClass).outcome == "pass"


def answers_from_zero(model: Any, _X: Any, labels: Any) -> Any:
    assert model.classes_[0] == 0
    return labels


class Dicts(GaussianNB):
    """Gives probabilities by name."""

    def predict_proba(self, X: Any) -> Any:
        return [{"a": row} for row in X]


class Undefined(GaussianNB):
    """Gives no probability."""

    def predict_proba(self, X: Any) -> Any:
        return np.full_like(super().predict_proba(X), np.nan)


@pytest.mark.parametrize(
    ("make", "check_id", "expected"),
    [
        (answering(answers_from_zero), "fit-twice", ("fail", None)),
        (Dicts, "fit-twice", ("fail", None)),
        (Undefined, "fit-twice", ("pass", 0.0)),
        (reversed_labels, "two-models", ("pass", 0.0)),
        # Takes the i-th row of a class for a feature.
        (
            learning(lambda X, y: ([X[y == c][:4].mean(axis=1) for c in y], y)),
            "two-models",
            ("pass", 0.0),
        ),
        # Numbers that are no labels.
        (answering(lambda m, X, _: m.predict_proba(X)[:, -1]), "two-models", ("pass", 0.0)),
    ],
)
def test_what_is_wrong_from_the_start_is_not_forgotten(
    make: Callable[[], Any], check_id: str, expected: tuple[str, float | None]
) -> None:
    """A check of memory has nothing to say of it."""
    result = run_check(CHECKS_BY_ID[check_id], make)

    assert (result.outcome, result.measured) == expected
    assert "second fit" not in result.message


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

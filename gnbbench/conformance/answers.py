"""Probabilities that are some, near and far; and exceptions where no answer is right."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gnbbench.conformance.contract import (
    FloatArray,
    Make,
    configured,
    differing_labels,
    fitted,
    labels_of,
    largest_error,
    learned_in_batches,
    require_argument,
    require_batches,
    right_and_finite,
    table_of,
)
from gnbbench.conformance.problems import Problem, blobs
from gnbbench.conformance.result import (
    WRONG_LABELS,
    YES_OR_NO,
    Examine,
    Family,
    Finding,
    Measure,
)

# Log-likelihoods of the problem add up terms of 1e2: exp of them is off by 1e2 u each, and
# a sum of three, normalised, by less than ten times that.
OF_SCORES = 1e-12
PROBABILITIES = Family(
    "probabilities",
    "shares of a sum; rounding of the log-likelihoods, some 1e2, is 1e2 * 2**-52",
    Measure("absolute error", OF_SCORES),
)


@PROBABILITIES.check("probabilities-sum", "Probabilities are not negative and sum to one.")
def _sums(make: Make) -> Finding:
    table = blobs().table(make)
    if (table < 0.0).any():
        return Finding(holds=False, message=f"a probability is {table.min():.3g}")
    return largest_error(np.abs(table.sum(axis=1) - 1.0), by_row=True)


def _far_rows(distance: float) -> FloatArray:
    """Return rows so far off along each axis and each diagonal; every class has some."""
    axes = np.vstack([np.eye(4), -np.eye(4)])
    diagonals = np.array(np.meshgrid(*[[-1.0, 1.0]] * 4)).reshape(4, -1).T
    return distance * np.vstack([axes, diagonals])


@PROBABILITIES.check(
    "probabilities-far-labels",
    "A million standard deviations away, labels are right and probabilities finite.",
    measure=WRONG_LABELS,
)
def _far_labels(make: Make) -> Finding:
    """Scores of 1e12 leave 1e-4 of rounding; margins out there are 1e11."""
    problem = blobs()
    rows = _far_rows(1e6)
    labels = problem.exact().joint_log_likelihood(rows).argmax(axis=1)
    return right_and_finite(problem.fitted(make), rows, labels, problem.y)


@PROBABILITIES.check(
    "log-probabilities-far",
    "A hundred standard deviations away, predict_log_proba does not underflow.",
    measure=Measure("relative error", OF_SCORES),
)
def _far_logarithms(make: Make) -> Finding:
    """At 100 standard deviations probabilities underflow, their logarithms do not."""
    problem = blobs()
    rows = _far_rows(100.0)
    logs = table_of(problem.fitted(make), "predict_log_proba", rows, problem.y)
    joint = problem.exact().joint_log_likelihood(rows)
    largest = joint.max(axis=1, keepdims=True)
    total = largest + np.log(np.exp(joint - largest).sum(axis=1, keepdims=True))
    return largest_error(np.abs(logs - (joint - total)) / np.abs(joint), by_row=True)


@PROBABILITIES.check(
    "joint-to-posterior", "predict_joint_log_proba, normalised, is predict_proba."
)
def _joint(make: Make) -> Finding:
    problem = blobs()
    joint = problem.table(make, "predict_joint_log_proba")
    weights = np.exp(joint - joint.max(axis=1, keepdims=True))
    shares = weights / weights.sum(axis=1, keepdims=True)
    return largest_error(np.abs(shares - problem.table(make)), by_row=True)


@PROBABILITIES.check(
    "probabilities-to-labels",
    "predict gives the class of the largest probability.",
    measure=WRONG_LABELS,
)
def _labels(make: Make) -> Finding:
    # The test rows have no ties, so that the largest probability is one class's.
    problem = blobs()
    names = np.array(["b", "c", "a"])
    model = fitted(make, problem.X, names[problem.y])
    best = table_of(model, "predict_proba", problem.X_test, names).argmax(axis=1)
    likeliest = np.sort(names)[best]
    return differing_labels(likeliest, labels_of(model, problem.X_test), "{} labels differ")


BAD_INPUT = Family(
    "bad input",
    "scikit-learn, developer's guide: estimators validate X, y and parameters",
    YES_OR_NO,
)
_NAN, _INFINITY = float("nan"), float("inf")


def _refused(make: Make, attempt: Callable[[], Any]) -> Finding:
    """Return whether the attempt raised, where the same model takes good input."""
    control = blobs().wrong_labels(make)
    if control.measured:
        return Finding(holds=False, message=f"good input: {control.message}")
    try:
        answer = attempt()
    except Exception as error:  # noqa: BLE001  any exception will do
        return Finding(message=f"refused with {type(error).__name__}")
    came = "it was taken"
    if answer is not None:
        came = f"labels {np.asarray(answer).ravel()[:3].tolist()} …"
    return Finding(holds=False, message=f"no exception; {came}")


def _fit_to(spoiled: Callable[[Problem], tuple[Any, Any]]) -> Examine:
    """Return what examines a model that is fitted to spoiled samples."""

    def examine(make: Make) -> Finding:
        problem = blobs()
        X, y = spoiled(problem)
        return _refused(make, lambda: labels_of(fitted(make, X, y), problem.X_test))

    return examine


def _asked_for(spoiled: Callable[[Problem], Any]) -> Examine:
    """Return what examines a model that is asked for labels of spoiled samples."""

    def examine(make: Make) -> Finding:
        problem = blobs()
        model = problem.fitted(make)
        return _refused(make, lambda: model.predict(spoiled(problem)))

    return examine


def _made_with(**parameters: Any) -> Examine:
    """Return what examines a model with these constructor parameters."""

    def examine(make: Make) -> Finding:
        for name in parameters:
            # Its present value is fine: this asks only whether there is such a parameter.
            configured(make, **{name: getattr(make(), name, None)})
        problem = blobs()

        def attempt() -> Any:
            model = configured(make, **parameters)
            model.fit(problem.X, problem.y)
            return labels_of(model, problem.X_test)

        return _refused(make, attempt)

    return examine


def _with_value(X: FloatArray, value: float) -> FloatArray:
    X = X.copy()
    X[7, 1] = value
    return X


def _unfitted(make: Make) -> Finding:
    return _refused(make, lambda: make().predict(blobs().X_test))


def _negative_weight(make: Make) -> Finding:
    problem = blobs()
    weights = np.ones(60)
    weights[5] = -2.0
    require_argument(make(), "fit", "sample_weight")

    def attempt() -> Any:
        return labels_of(problem.fitted(make, sample_weight=weights), problem.X_test)

    return _refused(make, attempt)


def _unknown_label(make: Make) -> Finding:
    problem = blobs()
    require_batches(make)

    def attempt() -> Any:
        batches = [(problem.X, problem.y), (problem.X, problem.y + 1)]
        return labels_of(learned_in_batches(make, batches, [0, 1, 2]), problem.X_test)

    return _refused(make, attempt)


_EXAMINED: dict[str, tuple[str, Examine]] = {
    "nan-in-fit": (
        "NaN in training data",
        _fit_to(lambda good: (_with_value(good.X, _NAN), good.y)),
    ),
    "infinity-in-fit": (
        "Infinity in training data",
        _fit_to(lambda good: (_with_value(good.X, _INFINITY), good.y)),
    ),
    "nan-in-predict": (
        "NaN in data to predict",
        _asked_for(lambda good: _with_value(good.X_test, _NAN)),
    ),
    "infinity-in-predict": (
        "Infinity in data to predict",
        _asked_for(lambda good: _with_value(good.X_test, _INFINITY)),
    ),
    "one-dimensional-x": (
        "X of one dimension",
        _fit_to(lambda good: (good.X[:, 0], good.y)),
    ),
    "two-dimensional-y": (
        "y of two columns",
        _fit_to(lambda good: (good.X, np.column_stack([good.y, good.y]))),
    ),
    "unequal-lengths": (
        "A label less than samples",
        _fit_to(lambda good: (good.X, good.y[:-1])),
    ),
    "no-samples": (
        "Training data without a row",
        _fit_to(lambda good: (good.X[:0], good.y[:0])),
    ),
    "missing-feature": (
        "A feature less than in training",
        _asked_for(lambda good: good.X_test[:, :-1]),
    ),
    # One column would be spread over all features by broadcasting.
    "single-feature": ("One feature for four", _asked_for(lambda good: good.X_test[:, :1])),
    "predict-before-fit": ("Prediction before training", _unfitted),
    "negative-smoothing": ("A negative var_smoothing", _made_with(var_smoothing=-1e-9)),
    "priors-sum": ("Priors that do not sum to one", _made_with(priors=[0.5, 0.5, 0.5])),
    "priors-number": ("A prior less than classes", _made_with(priors=[0.5, 0.5])),
    "negative-prior": ("A negative prior", _made_with(priors=[-0.5, 0.5, 1.0])),
    "negative-weight": ("A negative weight", _negative_weight),
    "unknown-label": ("A label that was not among classes", _unknown_label),
}
for _id, (_what, _examine) in _EXAMINED.items():
    BAD_INPUT.check(_id, f"{_what} gets an exception.")(_examine)

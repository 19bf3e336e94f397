"""Input that has no right answer gets an exception, never an answer."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gnbbench.conformance.contract import (
    Make,
    configured,
    fitted,
    labels_of,
    learned_in_batches,
    require,
    require_argument,
)
from gnbbench.conformance.evidence import wrong_labels
from gnbbench.conformance.problems import Problem, blobs
from gnbbench.conformance.result import Check, Finding

GLOSSARY = "scikit-learn, developer's guide: estimators validate X, y and parameters"


def _refused(make: Make, attempt: Callable[[], Any]) -> Finding:
    """Return whether the attempt raised, where the same model takes good input."""
    problem = blobs()
    control = wrong_labels(
        fitted(make, problem.X, problem.y), problem.X_test, problem.labels
    )
    if control.measured:
        return Finding(holds=False, message=f"good input: {control.message}")
    try:
        answer = attempt()
    except Exception as error:  # noqa: BLE001  any exception will do
        return Finding(message=f"refused with {type(error).__name__}")
    return Finding(holds=False, message=f"no exception; {_told(answer)}")


def _told(answer: Any) -> str:
    """Return the first labels of an answer, or that there was none."""
    if answer is None:
        return "it was taken"
    return f"labels {np.asarray(answer).ravel()[:3].tolist()} …"


def _fit(make: Make, *, spoil: Callable[[Problem], tuple[Any, Any]]) -> Finding:
    problem = blobs()

    def attempt() -> Any:
        return labels_of(fitted(make, *spoil(problem)), problem.X_test)

    return _refused(make, attempt)


def _predict(make: Make, *, spoil: Callable[[Problem], Any]) -> Finding:
    problem = blobs()
    model = fitted(make, problem.X, problem.y)
    return _refused(make, lambda: model.predict(spoil(problem)))


def _with_value(value: float, problem: Problem) -> Any:
    X = problem.X.copy()
    X[7, 1] = value
    return X, problem.y


def _asked_value(value: float, problem: Problem) -> Any:
    X = problem.X_test.copy()
    X[3, 1] = value
    return X


def _one_dimension(problem: Problem) -> Any:
    return problem.X[:, 0], problem.y


def _short_y(problem: Problem) -> Any:
    return problem.X, problem.y[:-1]


def _empty(problem: Problem) -> Any:
    return problem.X[:0], problem.y[:0]


def _table_of_labels(problem: Problem) -> Any:
    return problem.X, np.column_stack([problem.y, problem.y])


def _less_features(problem: Problem) -> Any:
    return problem.X_test[:, :-1]


def _one_feature(problem: Problem) -> Any:
    """One column would be spread over all features by broadcasting."""
    return problem.X_test[:, :1]


def _unfitted(make: Make) -> Finding:
    problem = blobs()
    return _refused(make, lambda: make().predict(problem.X_test))


def _parameter(make: Make, **parameters: Any) -> Finding:
    problem = blobs()
    for name in parameters:
        _require_parameter(make, name)

    def attempt() -> Any:
        model = configured(make, **parameters)
        model.fit(problem.X, problem.y)
        return labels_of(model, problem.X_test)

    return _refused(make, attempt)


def _require_parameter(make: Make, name: str) -> None:
    """Raise NotOffered unless there is such a parameter; its present value is fine."""
    model = make()
    configured(make, **{name: getattr(model, name, None)})


def _negative_weight(make: Make) -> Finding:
    problem = blobs()
    weights = np.ones(60)
    weights[5] = -2.0
    require_argument(make(), "fit", "sample_weight")

    def attempt() -> Any:
        model = fitted(make, problem.X, problem.y, sample_weight=weights)
        return labels_of(model, problem.X_test)

    return _refused(make, attempt)


def _unknown_label(make: Make) -> Finding:
    problem = blobs()
    offering = make()
    require(offering, "partial_fit")
    require_argument(offering, "partial_fit", "classes")

    def attempt() -> Any:
        batches = [(problem.X, problem.y), (problem.X, problem.y + 1)]
        return labels_of(learned_in_batches(make, batches, [0, 1, 2]), problem.X_test)

    return _refused(make, attempt)


def _check(name: str, what: str, examine: Callable[[Make], Finding]) -> Check:
    statement = f"{what} gets an exception."
    return Check(name, "bad input", statement, None, "yes or no", GLOSSARY, examine)


_NAN, _INFINITY = float("nan"), float("inf")

CHECKS = (
    _check(
        "nan-in-fit",
        "NaN in training data",
        partial(_fit, spoil=partial(_with_value, _NAN)),
    ),
    _check(
        "infinity-in-fit",
        "Infinity in training data",
        partial(_fit, spoil=partial(_with_value, _INFINITY)),
    ),
    _check(
        "nan-in-predict",
        "NaN in data to predict",
        partial(_predict, spoil=partial(_asked_value, _NAN)),
    ),
    _check(
        "infinity-in-predict",
        "Infinity in data to predict",
        partial(_predict, spoil=partial(_asked_value, _INFINITY)),
    ),
    _check("one-dimensional-x", "X of one dimension", partial(_fit, spoil=_one_dimension)),
    _check("two-dimensional-y", "y of two columns", partial(_fit, spoil=_table_of_labels)),
    _check("unequal-lengths", "A label less than samples", partial(_fit, spoil=_short_y)),
    _check("no-samples", "Training data without a row", partial(_fit, spoil=_empty)),
    _check(
        "missing-feature",
        "A feature less than in training",
        partial(_predict, spoil=_less_features),
    ),
    _check("single-feature", "One feature for four", partial(_predict, spoil=_one_feature)),
    _check("predict-before-fit", "Prediction before training", _unfitted),
    _check(
        "negative-smoothing",
        "A negative var_smoothing",
        partial(_parameter, var_smoothing=-1e-9),
    ),
    _check(
        "priors-sum",
        "Priors that do not sum to one",
        partial(_parameter, priors=[0.5, 0.5, 0.5]),
    ),
    _check(
        "priors-number",
        "A prior less than classes",
        partial(_parameter, priors=[0.5, 0.5]),
    ),
    _check(
        "negative-prior",
        "A negative prior",
        partial(_parameter, priors=[-0.5, 0.5, 1.0]),
    ),
    _check("negative-weight", "A negative weight", _negative_weight),
    _check("unknown-label", "A label that was not among classes", _unknown_label),
)

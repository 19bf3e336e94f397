"""Probabilities are probabilities, near and far, and go with labels and logarithms."""

from collections.abc import Callable

import numpy as np

from gnbbench.conformance.contract import (
    FloatArray,
    Make,
    fitted,
    joint_log_likelihood_of,
    labels_of,
    log_probabilities_of,
    probabilities_of,
)
from gnbbench.conformance.evidence import right_and_finite
from gnbbench.conformance.exact import exact_model
from gnbbench.conformance.problems import blobs
from gnbbench.conformance.result import Check, Finding

SHARES = "shares of a sum; rounding of the log-likelihoods, some 1e2, is 1e2 * 2**-52"
# Log-likelihoods of the problem add up terms of 1e2: exp of them is off by 1e2 u each, and
# a sum of three, normalised, by less than ten times that.
OF_SCORES = 1e-12


def _sums(make: Make) -> Finding:
    problem = blobs()
    model = fitted(make, problem.X, problem.y)
    table = probabilities_of(model, problem.X_test, problem.y)
    if (table < 0.0).any():
        return Finding(holds=False, message=f"a probability is {table.min():.3g}")
    return _worst(np.abs(table.sum(axis=1) - 1.0))


def _far_rows(distance: float) -> FloatArray:
    """Return rows so far off along each axis and each diagonal; every class has some."""
    axes = np.vstack([np.eye(4), -np.eye(4)])
    diagonals = np.array(np.meshgrid(*[[-1.0, 1.0]] * 4)).reshape(4, -1).T
    return distance * np.vstack([axes, diagonals])


def _far_labels(make: Make) -> Finding:
    """Scores of 1e12 leave 1e-4 of rounding; margins out there are 1e11."""
    problem = blobs()
    rows = _far_rows(1e6)
    truth = exact_model(problem.X, problem.y).joint_log_likelihood(rows).argmax(axis=1)
    return right_and_finite(fitted(make, problem.X, problem.y), rows, truth, problem.y)


def _far_logarithms(make: Make) -> Finding:
    """At 100 standard deviations probabilities underflow, their logarithms do not."""
    problem = blobs()
    rows = _far_rows(100.0)
    model = fitted(make, problem.X, problem.y)
    logs = log_probabilities_of(model, rows, problem.y)
    joint = exact_model(problem.X, problem.y).joint_log_likelihood(rows)
    largest = joint.max(axis=1, keepdims=True)
    total = largest + np.log(np.exp(joint - largest).sum(axis=1, keepdims=True))
    return _worst(np.abs(logs - (joint - total)) / np.abs(joint))


def _joint(make: Make) -> Finding:
    problem = blobs()
    model = fitted(make, problem.X, problem.y)
    joint = joint_log_likelihood_of(model, problem.X_test, problem.y)
    weights = np.exp(joint - joint.max(axis=1, keepdims=True))
    table = probabilities_of(model, problem.X_test, problem.y)
    return _worst(np.abs(weights / weights.sum(axis=1, keepdims=True) - table))


def _labels(make: Make) -> Finding:
    # The test rows have no ties, so that the largest probability is one class's.
    problem = blobs()
    names = np.array(["b", "c", "a"])
    model = fitted(make, problem.X, names[problem.y])
    best = probabilities_of(model, problem.X_test, names).argmax(axis=1)
    changed = np.sort(names)[best] != labels_of(model, problem.X_test)
    return Finding(float(changed.sum()), message=f"{changed.sum()} labels differ")


def _worst(errors: FloatArray) -> Finding:
    worst = float(errors.max())
    return Finding(
        worst, message=f"largest in row {int(errors.argmax()) // _width(errors)}"
    )


def _width(errors: FloatArray) -> int:
    return 1 if errors.ndim == 1 else errors.shape[1]


def _check(
    name: str,
    statement: str,
    tolerance: float,
    unit: str,
    examine: Callable[[Make], Finding],
) -> Check:
    return Check(name, "probabilities", statement, tolerance, unit, SHARES, examine)


CHECKS = (
    _check(
        "probabilities-sum",
        "Probabilities are not negative and sum to one.",
        OF_SCORES,
        "absolute error",
        _sums,
    ),
    _check(
        "probabilities-far-labels",
        "A million standard deviations away, labels are right and probabilities finite.",
        0.0,
        "labels",
        _far_labels,
    ),
    _check(
        "log-probabilities-far",
        "A hundred standard deviations away, predict_log_proba does not underflow.",
        OF_SCORES,
        "relative error",
        _far_logarithms,
    ),
    _check(
        "joint-to-posterior",
        "predict_joint_log_proba, normalised, is predict_proba.",
        OF_SCORES,
        "absolute error",
        _joint,
    ),
    _check(
        "probabilities-to-labels",
        "predict gives the class of the largest probability.",
        0.0,
        "labels",
        _labels,
    ),
)

"""Learned parameters and scores against exact rational arithmetic on the same doubles."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from gnbbench.conformance.contract import (
    FloatArray,
    Make,
    class_order,
    fitted,
    joint_log_likelihood_of,
    parameters_of,
    probabilities_of,
    require,
)
from gnbbench.conformance.evidence import variance_errors
from gnbbench.conformance.exact import exact_model
from gnbbench.conformance.problems import blobs
from gnbbench.conformance.result import Check, Finding

DEFINITION = "scikit-learn, user guide, eq. of Gaussian naive Bayes; bound: Higham 2002"

# Sums of n = 60 terms in any order are off by n u = 6.7e-15 of the terms' magnitudes, and
# a variance and a score are three such sums deep.
SUMMED = 2e-14
# Scores of the problem add up terms of 1e2 in all: an absolute error of 1e2 * SUMMED.
SCORED = 2e-12


def _means(make: Make) -> Finding:
    problem = blobs()
    exact = exact_model(problem.X, problem.y)
    learned = parameters_of(fitted(make, problem.X, problem.y), problem.y)
    return _worst(np.abs(learned.theta - exact.theta) / np.sqrt(exact.var))


def _variances(make: Make) -> Finding:
    problem = blobs()
    exact = exact_model(problem.X, problem.y, smoothing=Fraction(0))
    learned = parameters_of(fitted(make, problem.X, problem.y), problem.y)
    return _worst(variance_errors(learned.var, exact.var))


def _smoothing(make: Make) -> Finding:
    # A feature that is constant in a class has nothing but the smoothing for variance.
    X = np.array([[1.0, 0.0], [1.0, 8.0], [2.0, 4.0], [4.0, 12.0]])
    y = np.array([0, 0, 1, 1])
    var = parameters_of(fitted(make, X, y), y).var[0, 0]
    epsilon = float(exact_model(X, y).epsilon)
    return Finding(
        float(abs(var - epsilon) / epsilon), message=f"{var:.6g} instead of {epsilon:.6g}"
    )


def _priors(make: Make) -> Finding:
    y = np.repeat([0, 1, 2], [10, 20, 30])
    model = fitted(make, blobs().X, y)
    require(model, "class_prior_")
    priors = np.asarray(model.class_prior_, dtype=np.float64)[class_order(model, y)]
    return _worst(np.abs(priors - np.array([10, 20, 30]) / 60))


def _given_priors(make: Make) -> Finding:
    return _posterior_with_counts(make, np.repeat([0, 1, 2], [10, 20, 30]))


def _joint(make: Make) -> Finding:
    problem = blobs()
    model = fitted(make, problem.X, problem.y)
    got = joint_log_likelihood_of(model, problem.X_test, problem.y)
    truth = exact_model(problem.X, problem.y).joint_log_likelihood(problem.X_test)
    return _worst(np.abs(got - truth))


def _posterior(make: Make) -> Finding:
    return _posterior_with_counts(make, blobs().y)


def _posterior_with_counts(make: Make, y: np.ndarray) -> Finding:
    problem = blobs()
    got = probabilities_of(fitted(make, problem.X, y), problem.X_test, y)
    truth = exact_model(problem.X, y).posterior(problem.X_test)
    return _worst(np.abs(got - truth))


def _worst(errors: FloatArray) -> Finding:
    place = np.unravel_index(int(np.argmax(errors)), errors.shape)
    where = ", ".join(str(int(index)) for index in place)
    return Finding(float(errors[place]), message=f"largest at [{where}]")


def _check(
    name: str,
    statement: str,
    tolerance: float,
    unit: str,
    examine: Callable[[Make], Finding],
) -> Check:
    return Check(name, "parameters", statement, tolerance, unit, DEFINITION, examine)


CHECKS = (
    _check(
        "exact-means",
        "theta_ holds the exact class means, but for the rounding of a sum.",
        SUMMED,
        "standard deviations",
        _means,
    ),
    _check(
        "exact-variances",
        "var_ holds the exact class variances with the divisor n.",
        SUMMED,
        "relative error",
        _variances,
    ),
    _check(
        "exact-smoothing",
        "1e-9 of the largest variance of all features is added to every variance.",
        SUMMED,
        "relative error",
        _smoothing,
    ),
    _check(
        "exact-priors",
        "class_prior_ holds the shares of the classes in the training data.",
        SUMMED,
        "absolute error",
        _priors,
    ),
    _check(
        "exact-joint-log-likelihood",
        "predict_joint_log_proba gives the exact joint log-likelihood.",
        SCORED,
        "nats",
        _joint,
    ),
    _check(
        "exact-posterior",
        "predict_proba gives the exact posterior probabilities.",
        SCORED,
        "absolute error",
        _posterior,
    ),
    _check(
        "exact-posterior-unequal-priors",
        "predict_proba weighs classes of 10, 20 and 30 rows by their shares.",
        SCORED,
        "absolute error",
        _given_priors,
    ),
)

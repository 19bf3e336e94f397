"""Answers that are known: printed by others, certified by NIST, or in exact arithmetic."""

import math
from dataclasses import replace
from functools import partial

import numpy as np

from gnbbench.conformance import certified_data as nist
from gnbbench.conformance.contract import (
    ANY_SMOOTHING,
    Array,
    FloatArray,
    Make,
    class_order,
    fitted,
    labels_of,
    largest_error,
    parameters_of,
    require,
    variance_errors,
    wrong_labels,
)
from gnbbench.conformance.exact import (
    NO_SMOOTHING,
    UNIT_ROUNDOFF,
    exact_model,
    stable_variance_bound,
)
from gnbbench.conformance.problems import Problem, blobs
from gnbbench.conformance.result import Family, Finding, Measure
from gnbbench.data.loading import load
from gnbbench.splits import split

PUBLISHED = Family(
    "published values",
    "A comparative analysis and implementation of Gaussian naive Bayes: stratified "
    "70/30 split, random_state=42",
)
GUIDE = "scikit-learn, user guide 1.9, Naive Bayes"
# A mean of confidences printed to four digits is off by half a unit of the last at most.
HALF_A_DIGIT = Measure("probability", 0.5e-4)


@PUBLISHED.check(
    "published-toy-example",
    "The example of scikit-learn's documentation gets the label 1.",
    source="scikit-learn, GaussianNB, Examples",
)
def _toy(make: Make) -> Finding:
    X = np.array([[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    model = fitted(make, X, np.array([1, 1, 1, 2, 2, 2]))
    return wrong_labels(model, np.array([[-0.8, -1.0]]), np.array([1]))


@PUBLISHED.check(
    "published-iris-75",
    "4 of 75 irises are mislabelled after training on the other half.",
    source=GUIDE,
)
def _iris_half(make: Make) -> Finding:
    # What ``train_test_split(X, y, test_size=0.5, random_state=0)`` gives.
    data = load("iris")
    half = split(data.y, 0, seed=0, test_size=0.5, stratify=False)
    return _mislabelled(make, _problem("iris", half.train, half.test), 4)


@PUBLISHED.check(
    "published-iris-150",
    "6 of 150 irises are mislabelled after training on all of them.",
    source="scikit-learn, user guide 0.19, Naive Bayes",
)
def _iris_whole(make: Make) -> Finding:
    return _mislabelled(make, _problem("iris", np.arange(150), np.arange(150)), 6)


def _mislabelled(make: Make, problem: Problem, published: int) -> Finding:
    predicted = labels_of(problem.fitted(make), problem.X_test)
    measured = int((predicted != problem.labels).sum())
    return Finding(
        float(abs(measured - published)),
        message=f"{measured} of {len(predicted)} mislabelled, published {published}",
    )


def _problem(name: str, train: Array, test: Array) -> Problem:
    data = load(name)
    return Problem(data.X[train], data.y[train], data.X[test], data.y[test])


def _comparison(name: str) -> Problem:
    first = split(load(name).y, 0)
    return _problem(name, first.train, first.test)


def _both_sides(make: Make, name: str, published: tuple[int, int]) -> Finding:
    problem = _comparison(name)
    model = problem.fitted(make)
    train = int((labels_of(model, problem.X) != problem.y).sum())
    test = int((labels_of(model, problem.X_test) != problem.labels).sum())
    return Finding(
        float(abs(train - published[0]) + abs(test - published[1])),
        message=f"{train} and {test} mislabelled in training and test data, "
        f"published {published[0]} and {published[1]}",
    )


def _confidence(make: Make, name: str, published: float) -> Finding:
    mean = float(_comparison(name).table(make).max(axis=1).mean())
    return Finding(abs(mean - published), message=f"{mean:.5f}, published {published}")


PUBLISHED.check(
    "published-iris-accuracy",
    "Accuracy on iris is 0.9810 in training and 0.9111 in test data.",
)(partial(_both_sides, name="iris", published=(2, 4)))
PUBLISHED.check(
    "published-cancer-accuracy",
    "Accuracy on breast_cancer is 0.9447 in training and 0.9474 in test data.",
)(partial(_both_sides, name="breast_cancer", published=(22, 9)))
for _name, _mean in (("iris", 0.9698), ("breast_cancer", 0.9871)):
    PUBLISHED.check(
        f"published-{_name.removeprefix('breast_')}-confidence",
        f"Mean confidence on {_name} is {_mean}.",
        measure=HALF_A_DIGIT,
    )(partial(_confidence, name=_name, published=_mean))


CERTIFIED = Family("certified data", "NIST StRD")


def tolerance(n_samples: int, mean: float, variance: float) -> float:
    """Return what a stable computation of a variance may be off by.

    Certified values hold for decimal numbers. Rounding these to doubles moves the variance
    by 2 u k at most, k = |mean| / sd (Cauchy-Schwarz on its differential); a stable
    algorithm adds `stable_variance_bound`, and NIST gives 15 digits.
    """
    condition = abs(mean) / math.sqrt(variance)
    in_data = 2.0 * UNIT_ROUNDOFF * condition
    return in_data + stable_variance_bound(n_samples, condition) + 1e-14


def _univariate(make: Make, sample: nist.CertifiedSample) -> Finding:
    """Examine a sample that stands there twice, as two classes."""
    X = np.tile(sample.values, 2)[:, np.newaxis]
    y = np.repeat([0, 1], len(sample.values))
    return _digits(make, X, y, np.full((2, 1), sample.mean), sample.variance)


def _grouped(make: Make, groups: nist.CertifiedGroups) -> Finding:
    means = groups.means[:, np.newaxis]
    return _digits(make, groups.X.copy(), groups.y.copy(), means, groups.variance)


def _digits(
    make: Make, X: FloatArray, y: Array, means: FloatArray, variance: float
) -> Finding:
    """Return the relative error of means and variances."""
    theta, var = parameters_of(fitted(make, X, y), y)
    off_mean = float(np.max(np.abs(theta - means) / np.abs(means)))
    # Some smoothing is no error here: its amount is another check's.
    smoothed = variance + ANY_SMOOTHING * float(np.var(X - X[0]))
    off = var - np.clip(var, variance, smoothed)
    off_variance = float(np.max(np.abs(off)) / variance)
    digits = [
        15.0 if error == 0.0 else min(15.0, -math.log10(error))
        for error in (off_mean, off_variance)
    ]
    return Finding(
        max(off_mean, off_variance),
        message=f"digits right: mean {digits[0]:.1f}, variance {digits[1]:.1f}",
    )


for _sample, _what in (
    (nist.LOTTERY, "218 lottery numbers"),
    (nist.MAVRO, "50 readings of a filter's transmittance"),
    (nist.MICHELSO, "100 measurements of the speed of light"),
    (nist.NUM_ACC_1, "three whole numbers near 1e7"),
    (nist.NUM_ACC_2, "1001 numbers near 1.2"),
    (nist.NUM_ACC_3, "1001 numbers near 1e6"),
    (nist.NUM_ACC_4, "1001 numbers near 1e7"),
):
    _allowed = tolerance(len(_sample.values), _sample.mean, _sample.variance)
    CERTIFIED.check(
        f"certified-{_sample.name.lower()}",
        f"Mean and variance of {_what} have the digits that NIST certifies.",
        measure=Measure("relative error", _allowed),
        source=f"NIST StRD, univariate summary statistics, {_sample.name}",
    )(partial(_univariate, sample=_sample))
for _groups, _offset in (
    (nist.SM_LS_01, "1"),
    (nist.SM_LS_04, "1e6"),
    (nist.SM_LS_07, "1e12"),
):
    _allowed = tolerance(21, float(_groups.means.max()), _groups.variance)
    CERTIFIED.check(
        f"certified-{_groups.name.lower()}",
        f"Variances of nine classes at an offset of {_offset} are 0.01, divisor 20 for 21.",
        measure=Measure("relative error", _allowed),
        source=f"NIST StRD, analysis of variance, {_groups.name} (Simon and Lesage 1989)",
    )(partial(_grouped, groups=_groups))


PARAMETERS = Family(
    "parameters",
    "scikit-learn, user guide, eq. of Gaussian naive Bayes; bound: Higham 2002",
)
# Sums of n = 60 terms in any order are off by n u = 6.7e-15 of the terms' magnitudes, and
# a variance and a score are three such sums deep.
SUMMED = 2e-14
# Scores of the problem add up terms of 1e2 in all: an absolute error of 1e2 * SUMMED.
SCORED = 2e-12
UNEQUAL_CLASSES = np.repeat([0, 1, 2], [10, 20, 30])


@PARAMETERS.check(
    "exact-means",
    "theta_ holds the exact class means, but for the rounding of a sum.",
    measure=Measure("standard deviations", SUMMED),
)
def _means(make: Make) -> Finding:
    problem = blobs()
    exact = problem.exact()
    theta, _ = problem.parameters(make)
    return largest_error(np.abs(theta - exact.theta) / np.sqrt(exact.var))


@PARAMETERS.check(
    "exact-variances",
    "var_ holds the exact class variances with the divisor n.",
    measure=Measure("relative error", SUMMED),
)
def _variances(make: Make) -> Finding:
    problem = blobs()
    _, var = problem.parameters(make)
    return largest_error(variance_errors(var, problem.exact(NO_SMOOTHING).var))


@PARAMETERS.check(
    "exact-smoothing",
    "1e-9 of the largest variance of all features is added to every variance.",
    measure=Measure("relative error", SUMMED),
)
def _smoothing(make: Make) -> Finding:
    # A feature that is constant in a class has nothing but the smoothing for variance.
    X = np.array([[1.0, 0.0], [1.0, 8.0], [2.0, 4.0], [4.0, 12.0]])
    y = np.array([0, 0, 1, 1])
    var = parameters_of(fitted(make, X, y), y)[1][0, 0]
    epsilon = float(exact_model(X, y).epsilon)
    return Finding(
        float(abs(var - epsilon) / epsilon), message=f"{var:.6g} instead of {epsilon:.6g}"
    )


@PARAMETERS.check(
    "exact-priors",
    "class_prior_ holds the shares of the classes in the training data.",
    measure=Measure("absolute error", SUMMED),
)
def _priors(make: Make) -> Finding:
    model = fitted(make, blobs().X, UNEQUAL_CLASSES.copy())
    require(model, "class_prior_")
    order = class_order(model, UNEQUAL_CLASSES)
    priors = np.asarray(model.class_prior_, dtype=np.float64)[order]
    return largest_error(np.abs(priors - np.array([10, 20, 30]) / 60))


@PARAMETERS.check(
    "exact-joint-log-likelihood",
    "predict_joint_log_proba gives the exact joint log-likelihood.",
    measure=Measure("nats", SCORED),
)
def _joint(make: Make) -> Finding:
    problem = blobs()
    exact = problem.exact().joint_log_likelihood(problem.X_test)
    given = problem.table(make, "predict_joint_log_proba")
    return largest_error(np.abs(given - exact))


@PARAMETERS.check(
    "exact-posterior",
    "predict_proba gives the exact posterior probabilities.",
    measure=Measure("absolute error", SCORED),
)
def _posterior(make: Make) -> Finding:
    return _posterior_of(make, blobs())


@PARAMETERS.check(
    "exact-posterior-unequal-priors",
    "predict_proba weighs classes of 10, 20 and 30 rows by their shares.",
    measure=Measure("absolute error", SCORED),
)
def _posterior_of_unequal(make: Make) -> Finding:
    return _posterior_of(make, replace(blobs(), y=UNEQUAL_CLASSES.copy()))


def _posterior_of(make: Make, problem: Problem) -> Finding:
    exact = problem.exact().posterior(problem.X_test)
    return largest_error(np.abs(problem.table(make) - exact))

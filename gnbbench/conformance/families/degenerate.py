"""Data with no spread, with one row, or without any row of a class."""

from functools import partial

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
from gnbbench.conformance.evidence import right_and_finite, right_or_refused
from gnbbench.conformance.problems import Problem, blobs
from gnbbench.conformance.result import Check, Finding

SMOOTHED = "scikit-learn: 1e-9 of the largest variance keeps every variance above zero"
LIMIT = "limit of ever smaller variances; priors decide between equal likelihoods"
EMPTY = "a class without a row has no likelihood"


def _constant_feature(make: Make) -> Finding:
    problem = blobs()
    X, X_test = (
        np.column_stack([rows, np.full(len(rows), 7.0)])
        for rows in (problem.X, problem.X_test)
    )
    return _right(make, Problem(X, problem.y, X_test, problem.labels))


def _constant_in_class(make: Make) -> Finding:
    # The second feature is 0 throughout class 0: another value rules the class out.
    X = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 0.0], [0.0, -2.0], [2.0, 2.0], [1.0, 1.0]])
    y = np.array([0, 0, 0, 1, 1, 1])
    X_test = np.array([[1.0, 0.0], [0.5, 0.0], [1.0, 0.5], [1.0, -1.0]])
    return _right(make, Problem(X, y, X_test, np.array([0, 0, 1, 1])))


def _all_constant(make: Make) -> Finding:
    """Nothing but the priors tells classes apart; an exception is as good."""
    blob = blobs()
    labels_of(fitted(make, blob.X, blob.y), blob.X_test)
    X, X_test = np.full((3, 2), 5.0), np.full((2, 2), 5.0)
    problem = Problem(X, np.array([0, 1, 1]), X_test, np.array([1, 1]))
    return right_or_refused(lambda: _right(make, problem))


def _one_row(make: Make) -> Finding:
    # The single row of class 1 is far from class 0, whose rows are far from it.
    X = np.array([[-1.0, 0.0], [0.0, 1.0], [1.0, -1.0], [50.0, 50.0]])
    y = np.array([0, 0, 0, 1])
    X_test = np.array([[0.5, 0.5], [50.0, 50.0], [-2.0, 1.0]])
    return _right(make, Problem(X, y, X_test, np.array([0, 1, 0])))


def _one_row_each(make: Make) -> Finding:
    """With equal variances and priors the nearest row has the label."""
    X = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])
    X_test = np.array([[1.0, 0.5], [3.0, 0.5], [0.5, 3.0], [9.0, 1.0]])
    problem = Problem(X, np.array([0, 1, 2]), X_test, np.array([0, 1, 2, 1]))
    return _right(make, problem)


def _one_class(make: Make) -> Finding:
    X, X_test = np.array([[1.0], [2.0], [4.0]]), np.array([[1.5], [-100.0], [1e6]])
    return _right(make, Problem(X, np.full(3, 3), X_test, np.full(3, 3)))


def _empty_class(make: Make) -> Finding:
    """Of the three classes announced, the last never comes."""
    problem = blobs()
    seen, asked = problem.y < 2, problem.labels < 2
    # The mean of a class without rows is 0 in many programs: ask there too.
    X_test = np.vstack([problem.X_test[asked], np.zeros((1, 4))])
    labels = np.append(problem.labels[asked], 0)
    offering = make()
    require(offering, "partial_fit")
    require_argument(offering, "partial_fit", "classes")
    model = learned_in_batches(make, [(problem.X[seen], problem.y[seen])], [0, 1, 2])
    return right_and_finite(model, X_test, labels, [0, 1, 2])


def _empty_class_with_prior(make: Make) -> Finding:
    return _empty_class(partial(configured, make, priors=[0.25, 0.25, 0.5]))


def _right(make: Make, problem: Problem) -> Finding:
    model = fitted(make, problem.X, problem.y)
    return right_and_finite(model, problem.X_test, problem.labels, problem.y)


CHECKS = (
    Check(
        "constant-feature",
        "degenerate data",
        "A feature that is constant changes no label and makes no probability NaN.",
        0.0,
        "labels",
        SMOOTHED,
        _constant_feature,
    ),
    Check(
        "constant-in-one-class",
        "degenerate data",
        "A feature that is constant in one class decides for it or rules it out.",
        0.0,
        "labels",
        SMOOTHED,
        _constant_in_class,
    ),
    Check(
        "all-constant",
        "degenerate data",
        "If all features are constant, the likelier class is predicted, or an exception.",
        0.0,
        "labels",
        LIMIT,
        _all_constant,
    ),
    Check(
        "one-row-in-a-class",
        "degenerate data",
        "A class of one row is predicted next to that row alone.",
        0.0,
        "labels",
        SMOOTHED,
        _one_row,
    ),
    Check(
        "one-row-in-each-class",
        "degenerate data",
        "Of classes of one row each, the nearest is predicted.",
        0.0,
        "labels",
        SMOOTHED,
        _one_row_each,
    ),
    Check(
        "one-class",
        "degenerate data",
        "A single class is predicted everywhere, with finite probabilities.",
        0.0,
        "labels",
        "scikit-learn's GaussianNB takes a single class",
        _one_class,
    ),
    Check(
        "empty-class",
        "degenerate data",
        "A class announced to partial_fit that never comes is never predicted.",
        0.0,
        "labels",
        EMPTY,
        _empty_class,
    ),
    Check(
        "empty-class-with-prior",
        "degenerate data",
        "A class that never comes is not predicted even if it has a prior.",
        0.0,
        "labels",
        EMPTY,
        _empty_class_with_prior,
    ),
)

"""A weight says how often a row is there."""

from collections.abc import Callable

import numpy as np

from gnbbench.conformance.contract import Make, fitted
from gnbbench.conformance.evidence import ROUNDING, alike
from gnbbench.conformance.problems import blobs, unequal
from gnbbench.conformance.result import Check, Finding

COUNTS = "scikit-learn, glossary: a row of weight k is k rows, one of weight 0 is none"


def _ones(make: Make) -> Finding:
    problem = blobs()
    weighted = fitted(make, problem.X, problem.y, sample_weight=np.ones(len(problem.y)))
    plain = fitted(make, problem.X, problem.y)
    return alike(weighted, plain, problem.X_test, problem.y)


def _duplicates(make: Make) -> Finding:
    problem = unequal()
    times = np.tile([1, 2, 3], 20)
    rows = np.repeat(np.arange(60), times)
    weighted = fitted(make, problem.X, problem.y, sample_weight=times.astype(np.float64))
    repeated = fitted(make, problem.X[rows], problem.y[rows])
    return alike(weighted, repeated, problem.X_test, problem.y)


def _zero_outlier(make: Make) -> Finding:
    """Smoothing that saw the outlier would be 1e12 times too large."""
    problem = blobs()
    X = np.vstack([problem.X, np.full((1, 4), 1e6)])
    weights = np.append(np.ones(60), 0.0)
    weighted = fitted(make, X, np.append(problem.y, 0), sample_weight=weights)
    plain = fitted(make, problem.X, problem.y)
    return alike(weighted, plain, problem.X_test, problem.y)


def _tiny(make: Make) -> Finding:
    problem = blobs()
    weighted = fitted(make, problem.X, problem.y, sample_weight=np.full(60, 1e-12))
    plain = fitted(make, problem.X, problem.y)
    return alike(weighted, plain, problem.X_test, problem.y)


def _tiny_class(make: Make) -> Finding:
    """Rows of one class weigh 2**-40: its moments stay, its prior is as much smaller."""
    problem = blobs()
    light = np.where(problem.y == 0, 2.0**-40, 1.0)
    asked = problem.X[problem.y == 0].mean(axis=0, keepdims=True) - 12.0
    weighted = fitted(make, problem.X, problem.y, sample_weight=light)
    lighter = fitted(make, problem.X, problem.y, sample_weight=light * 2.0**40)
    return alike(weighted, lighter, asked, problem.y)


def _check(name: str, statement: str, examine: Callable[[Make], Finding]) -> Check:
    return Check(name, "weights", statement, ROUNDING, "difference", COUNTS, examine)


CHECKS = (
    _check("weights-ones", "Weights of one leave the model without weights.", _ones),
    _check("weights-duplicates", "A row of weight k is a row k times.", _duplicates),
    _check("weights-zero-outlier", "An outlier of weight 0 does not exist.", _zero_outlier),
    _check("weights-tiny", "Weights of 1e-12 leave the model without weights.", _tiny),
    _check(
        "weights-tiny-class",
        "A class of tiny weights beside heavy ones is not empty.",
        _tiny_class,
    ),
)

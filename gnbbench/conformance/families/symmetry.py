"""Changes of the data that must leave the model what it is."""

from collections.abc import Callable

import numpy as np

from gnbbench.conformance.contract import Make, fitted, labels_of
from gnbbench.conformance.evidence import ROUNDING, alike
from gnbbench.conformance.problems import blobs, unequal
from gnbbench.conformance.result import Check, Finding

DEFINITION = "sums over rows and features have no order, and labels no value"


def _rows(make: Make) -> Finding:
    problem = unequal()
    order = np.random.default_rng(50).permutation(60)
    shuffled = fitted(make, problem.X[order], problem.y[order])
    return alike(shuffled, fitted(make, problem.X, problem.y), problem.X_test, problem.y)


def _columns(make: Make) -> Finding:
    problem = blobs()
    order = [2, 0, 3, 1]
    turned = fitted(make, problem.X[:, order], problem.y)
    changed = labels_of(turned, problem.X_test[:, order]) != problem.labels
    return Finding(float(changed.sum()), message=f"{changed.sum()} labels wrong")


def _labels(make: Make) -> Finding:
    problem = blobs()
    names = np.array([2, 0, 1])
    renamed = fitted(make, problem.X, names[problem.y])
    changed = labels_of(renamed, problem.X_test) != names[problem.labels]
    return Finding(float(changed.sum()), message=f"{changed.sum()} labels wrong")


def _doubled(make: Make) -> Finding:
    problem = unequal()
    twice = np.tile(np.arange(60), 2)
    doubled = fitted(make, problem.X[twice], problem.y[twice])
    return alike(doubled, fitted(make, problem.X, problem.y), problem.X_test, problem.y)


def _check(
    name: str,
    statement: str,
    tolerance: float,
    unit: str,
    examine: Callable[[Make], Finding],
) -> Check:
    return Check(name, "symmetry", statement, tolerance, unit, DEFINITION, examine)


CHECKS = (
    _check(
        "permuted-rows",
        "The order of the rows changes nothing.",
        ROUNDING,
        "difference",
        _rows,
    ),
    _check(
        "permuted-columns",
        "The order of the features changes no label.",
        0.0,
        "labels",
        _columns,
    ),
    _check(
        "permuted-labels",
        "Other names of the classes change nothing but the names.",
        0.0,
        "labels",
        _labels,
    ),
    _check(
        "doubled-rows",
        "Every row twice leaves the model, as the divisor n has it.",
        ROUNDING,
        "difference",
        _doubled,
    ),
)

"""Batches given to partial_fit leave the model of one fit, however they were cut."""

from collections.abc import Callable
from functools import partial

import numpy as np

from gnbbench.conformance.contract import (
    Array,
    Make,
    fitted,
    labels_of,
    learned_in_batches,
)
from gnbbench.conformance.evidence import ROUNDING, alike
from gnbbench.conformance.problems import unequal
from gnbbench.conformance.result import Check, Finding
from gnbbench.data.bundled import breast_cancer

ONE_FIT = (
    "Chan, Golub and LeVeque (1983): moments of parts give those of the whole, and "
    "smoothing is defined on the whole"
)
Cut = Callable[[Array], list[Array]]


def _in_batches(make: Make, *, cut: Cut) -> Finding:
    # The rows come in order of the widest feature: batches differ in variance.
    problem = unequal()
    batches = [(problem.X[rows], problem.y[rows]) for rows in cut(problem.y)]
    model = learned_in_batches(make, batches, [0, 1])
    whole = fitted(make, problem.X, problem.y)
    return alike(model, whole, problem.X_test, problem.y)


def _equal(y: Array) -> list[Array]:
    return list(np.array_split(np.arange(len(y)), 4))


def _uneven(y: Array) -> list[Array]:
    return list(np.split(np.arange(len(y)), [1, 3, 20, 21]))


def _single(y: Array) -> list[Array]:
    return list(np.arange(len(y))[:, np.newaxis])


def _class_by_class(y: Array) -> list[Array]:
    return [np.flatnonzero(y == label) for label in (1, 0)]


def _single_with_constant(make: Make) -> Finding:
    # A constant feature has no variance but the smoothing, in a single row none has.
    problem = unequal()
    X, X_test = (np.pad(rows, ((0, 0), (0, 1))) for rows in (problem.X, problem.X_test))
    batches = [(X[[row]], problem.y[[row]]) for row in range(len(X))]
    model = learned_in_batches(make, batches, [0, 1])
    return alike(model, fitted(make, X, problem.y), X_test, problem.y)


def _cancer_labels(make: Make) -> Finding:
    data = breast_cancer()
    order = np.argsort(data.X[:, 3], kind="stable")
    parts = np.array_split(order, 8)
    model = learned_in_batches(
        make, [(data.X[rows], data.y[rows]) for rows in parts], data.classes
    )
    changed = labels_of(model, data.X) != labels_of(fitted(make, data.X, data.y), data.X)
    return Finding(
        float(changed.sum()), message=f"{changed.sum()} of {len(data.y)} labels differ"
    )


def _check(name: str, batches: str, cut: Cut) -> Check:
    statement = f"partial_fit of {batches} leaves the model of one fit."
    examine = partial(_in_batches, cut=cut)
    return Check(name, "partial_fit", statement, ROUNDING, "difference", ONE_FIT, examine)


CHECKS = (
    _check("partial-fit-equal-batches", "four equal batches", _equal),
    _check("partial-fit-uneven-batches", "batches of 1 to 39 rows", _uneven),
    _check("partial-fit-single-rows", "one row after the other", _single),
    _check("partial-fit-class-by-class", "one class after the other", _class_by_class),
    Check(
        "partial-fit-constant-feature",
        "partial_fit",
        "Single rows with a constant feature leave the model of one fit, not NaN.",
        ROUNDING,
        "difference",
        ONE_FIT,
        _single_with_constant,
    ),
    Check(
        "partial-fit-cancer",
        "partial_fit",
        "Eight batches of breast_cancer, in order of an area, give the labels of one fit.",
        0.0,
        "labels",
        ONE_FIT,
        _cancer_labels,
    ),
)

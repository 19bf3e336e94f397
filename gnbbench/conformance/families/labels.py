"""Labels of any kind that can be sorted come back as they were given."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.conformance.contract import Make, class_order, fitted, require
from gnbbench.conformance.evidence import wrong_labels
from gnbbench.conformance.problems import blobs
from gnbbench.conformance.result import Check, Finding

GLOSSARY = "scikit-learn, glossary: classes_ are the sorted labels, predict gives those"


def _named(make: Make, *, names: NDArray[Any]) -> Finding:
    """Without the third class, the best of the other two is the same by the same margin."""
    problem = blobs()
    trained, asked = problem.y < len(names), problem.labels < len(names)
    model = fitted(make, problem.X[trained], names[problem.y[trained]])
    return wrong_labels(model, problem.X_test[asked], names[problem.labels[asked]])


def _sorted_classes(make: Make) -> Finding:
    problem = blobs()
    names = np.array(["z", "m", "a"])
    model = fitted(make, problem.X, names[problem.y])
    require(model, "classes_")
    in_order = class_order(model, names).tolist() == [0, 1, 2]
    return Finding(holds=in_order, message=f"classes_ is {list(model.classes_)}")


def _check(name: str, statement: str, names: NDArray[Any]) -> Check:
    examine = partial(_named, names=names)
    return Check(name, "labels", statement, 0.0, "labels", GLOSSARY, examine)


CHECKS = (
    _check(
        "string-labels",
        "Labels may be strings of different length.",
        np.array(["virginica", "no", "setosa"]),
    ),
    _check("bool-labels", "Labels may be False and True.", np.array([True, False])),
    _check(
        "negative-labels",
        "Labels may be negative and have gaps.",
        np.array([-1, 1_000_000, -7]),
    ),
    _check(
        "object-labels",
        "Labels may be Python strings in an array of objects.",
        np.array(["b", "c", "a"], dtype=object),
    ),
    Check(
        "sorted-classes",
        "labels",
        "classes_ holds the distinct labels in sorted order.",
        None,
        "yes or no",
        GLOSSARY,
        _sorted_classes,
    ),
)

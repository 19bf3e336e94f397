"""Classes with exactly the same posterior."""

import numpy as np

from gnbbench.conformance.contract import Make, fitted, probabilities_of
from gnbbench.conformance.evidence import wrong_labels
from gnbbench.conformance.result import Check, Finding

FIRST = "scikit-learn: numpy.argmax takes the first of equal classes, in sorted order"
X_SYMMETRIC = np.array([[-3.0], [-1.0], [1.0], [3.0]])


def _first_class(make: Make) -> Finding:
    """Every number is small and whole or a sum of equal terms: the tie is exact."""
    model = fitted(make, X_SYMMETRIC.copy(), np.array([7, 7, 4, 4]))
    return wrong_labels(model, np.zeros((2, 1)), np.array([4, 4]))


def _half(make: Make) -> Finding:
    y = np.array([7, 7, 4, 4])
    table = probabilities_of(fitted(make, X_SYMMETRIC.copy(), y), np.zeros((1, 1)), y)
    return Finding(float(np.abs(table - 0.5).max()), message=f"{table[0].tolist()}")


CHECKS = (
    Check(
        "tie-first-class",
        "ties",
        "Half way between two mirrored classes, the first in sorted order is predicted.",
        0.0,
        "labels",
        FIRST,
        _first_class,
    ),
    Check(
        "tie-probabilities",
        "ties",
        "Two classes that tie have a probability of one half each.",
        4.0 * 2.0**-53,
        "absolute error",
        "equal scores have equal shares; exp and log are off by one unit at most",
        _half,
    ),
)

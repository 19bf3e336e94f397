"""Checks of the parameters a user gives to the estimator."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.core.interoperability import InvalidParameterError

FloatArray = NDArray[np.float64]

SOLVERS = ("auto", "blocked", "exact")
# From here on "auto" works in blocks, before arrays beside X cost more than sums do; below,
# the result keeps scikit-learn's bits.
FEWEST_VALUES, FEWEST_ROWS = 131_072, 1024
# Labels are the same in blocks, and are made sooner from so many values times classes on.
FEWEST_TERMS = 131_072


def check_var_smoothing(value: Any, estimator: str) -> None:
    """Raise unless `value` is a finite number from 0."""
    number = isinstance(value, int | float | np.integer | np.floating)
    if not number or isinstance(value, bool) or not 0.0 <= value < math.inf:
        raise InvalidParameterError(
            f"The 'var_smoothing' parameter of {estimator} must be a float in the range "
            f"[0.0, inf). Got {value!r} instead."
        )


def takes_blocks(
    solver: Any, shape: tuple[int, ...], estimator: str, *, n_labels: int = 0
) -> bool:
    """Return whether samples of this shape are worked on in blocks."""
    if not isinstance(solver, str) or solver not in SOLVERS:
        raise InvalidParameterError(
            f"The 'solver' parameter of {estimator} must be one of {SOLVERS}. "
            f"Got {solver!r} instead."
        )
    if solver == "auto":
        size = shape[0] * shape[1]
        large = shape[0] >= FEWEST_ROWS and size >= FEWEST_VALUES
        return large or size * n_labels >= FEWEST_TERMS
    return solver == "blocked"


def checked_n_threads(value: Any, estimator: str) -> int:
    """Return `value` if it is a whole number from 1."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
        raise InvalidParameterError(
            f"The 'n_threads' parameter of {estimator} must be an int in the range "
            f"[1, inf). Got {value!r} instead."
        )
    return int(value)


def resolved_priors(priors: Any, n_classes: int, estimator: str) -> FloatArray | None:
    """Return the priors that were asked for, None where they come from the data."""
    if priors is None:
        return None
    if isinstance(priors, str) and priors == "uniform":
        return np.full(n_classes, 1.0 / n_classes)
    if isinstance(priors, str | bytes | int | float | dict) or not np.iterable(priors):
        raise InvalidParameterError(
            f"The 'priors' parameter of {estimator} must be an array-like, 'uniform' or "
            f"None. Got {priors!r} instead."
        )
    given = np.asarray(priors, dtype=np.float64)
    if given.shape != (n_classes,):
        raise ValueError("Number of priors must match number of classes.")
    if not np.isclose(given.sum(), 1.0):
        raise ValueError("The sum of the priors should be 1.")
    if (given < 0.0).any():
        raise ValueError("Priors must be non-negative.")
    return given

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
    """Raise unless `value` is a finite number from 0.

    Parameters
    ----------
    value : object
        What was given as ``var_smoothing``.
    estimator : str
        Class name, for messages.

    Raises
    ------
    InvalidParameterError
        A ValueError and a TypeError at once, as in scikit-learn.
    """
    number = isinstance(value, int | float | np.integer | np.floating)
    if not number or isinstance(value, bool) or not 0.0 <= value < math.inf:
        raise InvalidParameterError(
            f"The 'var_smoothing' parameter of {estimator} must be a float in the range "
            f"[0.0, inf). Got {value!r} instead."
        )


def takes_blocks(
    solver: Any, shape: tuple[int, ...], estimator: str, *, n_labels: int = 0
) -> bool:
    """Return whether samples of this shape are worked on in blocks.

    Parameters
    ----------
    solver : object
        What was given as ``solver``.
    shape : tuple of int
        Samples and features.
    estimator : str
        Class name, for messages.
    n_labels : int, default=0
        Number of classes where nothing but labels is asked for.

    Returns
    -------
    bool

    Raises
    ------
    InvalidParameterError
        If there is no such solver.

    Examples
    --------
    >>> takes_blocks("auto", (150, 4), "GaussianNB")
    False
    """
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
    """Return `value` if it is a whole number from 1.

    Parameters
    ----------
    value : object
        What was given as ``n_threads``.
    estimator : str
        Class name, for messages.

    Returns
    -------
    int

    Raises
    ------
    InvalidParameterError
        If it is anything else.
    """
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
        raise InvalidParameterError(
            f"The 'n_threads' parameter of {estimator} must be an int in the range "
            f"[1, inf). Got {value!r} instead."
        )
    return int(value)


def resolved_priors(priors: Any, n_classes: int, estimator: str) -> FloatArray | None:
    """Return the priors that were asked for, None where they come from the data.

    Parameters
    ----------
    priors : None, "uniform" or array-like of shape (n_classes,)
        Non-negative, with the sum 1.
    n_classes : int
        How many there must be.
    estimator : str
        Class name, for messages.

    Returns
    -------
    ndarray of shape (n_classes,) or None

    Raises
    ------
    InvalidParameterError
        If `priors` is of another kind.
    ValueError
        If there are too few or too many, one is negative, or they do not sum to 1.

    Examples
    --------
    >>> resolved_priors("uniform", 4, "GaussianNB")
    array([0.25, 0.25, 0.25, 0.25])
    """
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

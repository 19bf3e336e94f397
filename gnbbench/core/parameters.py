"""Checks of the parameters a user gives to the estimator."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.core.interoperability import InvalidParameterError

FloatArray = NDArray[np.float64]


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

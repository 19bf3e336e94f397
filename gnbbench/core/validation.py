"""Validation of samples, column names, weights and parameters, in scikit-learn's words."""

import math
import os
import sys
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.core.row_blocks import BLOCK_VALUES, FloatArray, Samples, tiles

SOLVERS = ("auto", "blocked", "exact")
# From here "auto" works in blocks, before temporary arrays cost more than sums; below,
# results equal scikit-learn's bit for bit.
FEWEST_VALUES, FEWEST_ROWS = 131_072, 1024
# Labels, which blocks do not change, are faster so from this many values times classes
# minus two, with a row counted as twelve per class; probabilities, equal up to rounding,
# from this many values times classes.
FEWEST_LABEL_TERMS, FEWEST_TERMS = 80_000, 2_097_152
NAMES_SHOWN = 5


class NotFittedError(ValueError, AttributeError):
    """An estimator was asked for predictions before it was fitted."""


class InvalidParameterError(ValueError, TypeError):
    """A parameter of an estimator is of the wrong type or out of range."""


def not_fitted_error(estimator_name: str) -> Exception:
    """Return the error for an unfitted estimator, of scikit-learn's class if loaded."""
    error: type[Exception] = scikit_learn_class("NotFittedError", NotFittedError)
    return error(
        f"This {estimator_name} instance is not fitted yet. Call 'fit' with appropriate "
        "arguments before using this estimator."
    )


def scikit_learn_class(name: str, otherwise: type[Any]) -> type[Any]:
    """Return a class of ``sklearn.exceptions`` if that is loaded."""
    return getattr(sys.modules.get("sklearn.exceptions"), name, otherwise)


def as_samples(X: Any, estimator: str) -> Samples:
    """Convert `X` to a two-dimensional array of numbers, without checking for NaN."""
    array = X if type(X) is np.ndarray else _to_array(X)
    if array.ndim != 2:
        _raise_for_dimensions(array, estimator)
    if 0 in array.shape:
        _raise_for_empty(array.shape, estimator)
    if array.dtype.kind in "fiub":
        return array
    if array.dtype.kind == "c" or (
        array.dtype.kind == "O" and any(isinstance(value, complex) for value in array.flat)
    ):
        raise ValueError(f"Complex data not supported\n{array}\n")
    if array.dtype.kind in "USVMm":
        kind = {"M": "dates", "m": "durations"}.get(array.dtype.kind, "bytes/strings")
        raise ValueError(
            f"dtype='numeric' is not compatible with arrays of {kind}. "
            "Convert your data to numeric values explicitly instead."
        )
    return array.astype(np.float64)


def _to_array(X: Any) -> NDArray[Any]:
    """Convert an array-like to an array, with pandas' missing values as NaN."""
    refuse_sparse(X, "X")
    if hasattr(X, "dtypes") and hasattr(X, "iloc"):
        if any(str(of) == "category" or of.kind in "Mm" for of in np.ravel(X.dtypes)):
            X = X.astype(object)  # Categories may be integers, which have no NaN
        array: NDArray[Any] = X.to_numpy(na_value=np.nan)
        return array
    return np.asarray(X)


def refuse_sparse(values: Any, name: str) -> None:
    """Raise if `values` is a sparse matrix or array."""
    if hasattr(values, "toarray") and hasattr(values, "nnz"):
        raise TypeError(
            f"Sparse data was passed for {name}, but dense data is required. "
            "Use '.toarray()' to convert to a dense numpy array."
        )


def _raise_for_dimensions(array: NDArray[Any], estimator: str) -> None:
    if array.ndim > 2:
        raise ValueError(
            f"Found array with dim {array.ndim}, while dim <= 2 is required by {estimator}."
        )
    kind = "scalar" if array.ndim == 0 else "1D"
    raise ValueError(
        f"Expected 2D array, got {kind} array instead:\narray={array}.\n"
        "Reshape your data either using array.reshape(-1, 1) if your data has a single "
        "feature or array.reshape(1, -1) if it contains a single sample."
    )


def _raise_for_empty(shape: tuple[int, ...], estimator: str) -> None:
    what = "sample" if shape[0] == 0 else "feature"
    raise ValueError(
        f"Found array with 0 {what}(s) (shape={shape}) while a minimum of 1 is required "
        f"by {estimator}."
    )


def raise_for_non_finite(values: NDArray[Any], name: str, estimator: str) -> None:
    """Raise if any value is NaN or infinite."""
    if _any_of(np.isnan, values):
        raise ValueError(
            f"Input {name} contains NaN.\n{estimator} does not accept missing values "
            "encoded as NaN."
        )
    if _any_of(np.isinf, values):
        raise ValueError(
            f"Input {name} contains infinity or a value too large for {values.dtype!r}."
        )


def _any_of(predicate: Any, values: NDArray[Any]) -> bool:
    """Return whether the predicate holds for any value, in blocks to save memory."""
    if values.size <= BLOCK_VALUES:
        return bool(predicate(values).any())
    length = max(1, BLOCK_VALUES * len(values) // values.size)
    blocks = tiles(0, len(values), length)
    return any(predicate(values[start:stop]).any() for start, stop in blocks)


def as_weights(sample_weight: Any, n_samples: int, estimator: str) -> FloatArray:
    """Convert `sample_weight` to float64, one weight per sample."""
    refuse_sparse(sample_weight, "sample_weight")
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.full(n_samples, float(weights))
    if weights.ndim != 1:
        raise ValueError(
            f"Sample weights must be 1D array or scalar, got {weights.ndim}D array. "
            f"Expected either a scalar value or a 1D array of length {n_samples}."
        )
    if weights.shape != (n_samples,):
        raise ValueError(
            f"sample_weight.shape == {weights.shape}, expected {(n_samples,)}!"
        )
    raise_for_non_finite(weights, "sample_weight", estimator)
    if (weights < 0.0).any():
        raise ValueError("Negative values in data passed to `sample_weight`.")
    if not weights.any():
        raise ValueError("Sample weights must contain at least one non-zero number.")
    return weights


def check_lengths(n_samples: int, n_labels: int) -> None:
    """Raise unless there are as many labels as samples."""
    if n_samples != n_labels:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"{[n_samples, n_labels]}"
        )


def check_n_features(n_given: int, n_expected: int, estimator: str) -> None:
    """Raise unless the number of features is the same as in ``fit``."""
    if n_given != n_expected:
        raise ValueError(
            f"X has {n_given} features, but {estimator} is expecting {n_expected} features "
            "as input."
        )


def check_var_smoothing(value: Any, estimator: str) -> None:
    """Raise unless `value` is a finite number of at least 0."""
    number = isinstance(value, int | float | np.integer | np.floating)
    if not number or isinstance(value, bool) or not 0.0 <= value < math.inf:
        raise InvalidParameterError(
            f"The 'var_smoothing' parameter of {estimator} must be a float in the range "
            f"[0.0, inf). Got {value!r} instead."
        )


def takes_blocks(
    solver: Any,
    shape: tuple[int, ...],
    estimator: str,
    *,
    n_labels: int = 0,
    n_probabilities: int = 0,
) -> bool:
    """Return whether samples of this shape are processed in blocks.

    For predictions, the number of classes also matters.
    """
    if not isinstance(solver, str) or solver not in SOLVERS:
        raise InvalidParameterError(
            f"The 'solver' parameter of {estimator} must be one of {SOLVERS}. "
            f"Got {solver!r} instead."
        )
    if solver != "auto":
        return solver == "blocked"
    n_samples, n_features = shape
    size = n_samples * n_features
    return (
        (n_samples >= FEWEST_ROWS and size >= FEWEST_VALUES)
        or size * (n_labels - 2) + 12 * n_samples * n_labels >= FEWEST_LABEL_TERMS
        or size * n_probabilities >= FEWEST_TERMS
    )


def checked_n_jobs(value: Any, estimator: str) -> int:
    """Return the number of threads; negative numbers count down from all processors."""
    if value is None:
        return 1
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value == 0:
        raise InvalidParameterError(
            f"The 'n_jobs' parameter of {estimator} must be None, an int from 1 or a "
            f"negative int. Got {value!r} instead."
        )
    return int(value) if value > 0 else max(1, (os.cpu_count() or 1) + 1 + int(value))


def resolved_priors(priors: Any, n_classes: int, estimator: str) -> FloatArray | None:
    """Return the priors set by the parameter, None if they come from the data."""
    if priors is None:
        return None
    if isinstance(priors, str) and priors == "uniform":
        return np.full(n_classes, 1.0 / n_classes)
    if isinstance(priors, str | bytes | int | float | dict) or not np.iterable(priors):
        raise InvalidParameterError(
            f"The 'priors' parameter of {estimator} must be an array-like, 'uniform' or "
            f"None. Got {priors!r} instead."
        )
    shares = np.asarray(priors, dtype=np.float64)
    if shares.shape != (n_classes,):
        raise ValueError("Number of priors must match number of classes.")
    if not np.isclose(shares.sum(), 1.0):
        raise ValueError("The sum of the priors should be 1.")
    if (shares < 0.0).any():
        raise ValueError("Priors must be non-negative.")
    return shares


def feature_names_of(X: Any) -> NDArray[np.object_] | None:
    """Return the column names of `X`, None if it has none or they are not strings."""
    if type(X) is np.ndarray or not hasattr(X, "columns"):
        return None
    # A pyarrow table keeps its names separately.
    names = np.asarray(list(getattr(X, "column_names", X.columns)), dtype=object)
    kinds = sorted({type(name).__qualname__ for name in names})
    if kinds == ["str"]:
        return names
    if "str" in kinds:
        raise TypeError(
            "Feature names are only supported if all input features have string names, but "
            f"your input has {kinds} as feature name / column name types. Convert all of "
            "them to strings, for example by X.columns = X.columns.astype(str), or none."
        )
    return None


def check_feature_names(
    names: NDArray[np.object_] | None, fitted: NDArray[np.object_] | None, estimator: str
) -> None:
    """Warn if only one side has names; raise if they differ."""
    if names is None and fitted is None:
        return
    if fitted is None:
        message = f"X has feature names, but {estimator} was fitted without feature names"
        warnings.warn(message, UserWarning, stacklevel=5)
    elif names is None:
        message = (
            "X does not have valid feature names, but "
            f"{estimator} was fitted with feature names"
        )
        warnings.warn(message, UserWarning, stacklevel=5)
    elif names.tolist() != fitted.tolist():
        raise ValueError(_mismatch(set(names), set(fitted)))


def _mismatch(names: set[str], fitted: set[str]) -> str:
    message = "The feature names should match those that were passed during fit.\n"
    if names == fitted:
        return message + "Feature names must be in the same order as they were in fit.\n"
    new, missing = _listed(names - fitted), _listed(fitted - names)
    message += f"Feature names unseen at fit time:\n{new}" if new else ""
    lacking = f"Feature names seen at fit time, yet now missing:\n{missing}"
    return message + (lacking if missing else "")


def _listed(names: Iterable[str]) -> str:
    lines = [f"- {name}\n" for name in sorted(names)]
    more = ["- ...\n"] if len(lines) > NAMES_SHOWN else []
    return "".join([*lines[:NAMES_SHOWN], *more])

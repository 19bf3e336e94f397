"""Input checks, in scikit-learn's words where it has some."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.core.row_blocks import BLOCK_VALUES, tiles

FloatArray = NDArray[np.float64]


def as_samples(X: Any, estimator: str) -> NDArray[np.floating[Any]]:
    """`X` as a two-dimensional array of floats; NaN and infinity are left to find."""
    array = X if type(X) is np.ndarray else _to_array(X)
    if array.ndim != 2:
        _raise_for_dimensions(array, estimator)
    if 0 in array.shape:
        _raise_for_empty(array.shape, estimator)
    if array.dtype.kind == "f":
        return array
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{array}\n")
    if array.dtype.kind in "USVMm":
        raise ValueError(
            f"dtype='numeric' is not compatible with arrays of {_kind_name(array.dtype)}. "
            "Convert your data to numeric values explicitly instead."
        )
    if array.dtype.kind == "O" and any(isinstance(value, complex) for value in array.flat):
        raise ValueError(f"Complex data not supported\n{array}\n")
    return array.astype(np.float64)


def _to_array(X: Any) -> NDArray[Any]:
    """Return anything array-like as an array, missing values of pandas as NaN."""
    if hasattr(X, "toarray") and hasattr(X, "nnz"):
        raise TypeError(
            "Sparse data was passed for X, but dense data is required. "
            "Use '.toarray()' to convert to a dense numpy array."
        )
    if hasattr(X, "dtypes") and hasattr(X, "iloc"):
        array: NDArray[Any] = X.to_numpy(na_value=np.nan)
        return array
    return np.asarray(X)


def _kind_name(dtype: np.dtype[Any]) -> str:
    return {"M": "dates", "m": "durations"}.get(dtype.kind, "bytes/strings")


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


def raise_for_non_finite(
    values: NDArray[Any], name: str, estimator: str, *, advice: str = ""
) -> None:
    """Raise if any value is NaN or infinite."""
    if _any_of(np.isnan, values):
        raise ValueError(
            f"Input {name} contains NaN.\n{estimator} does not accept missing values "
            f"encoded as NaN.{advice}"
        )
    if _any_of(np.isinf, values):
        raise ValueError(
            f"Input {name} contains infinity or a value too large for {values.dtype!r}."
        )


def _any_of(predicate: Any, values: NDArray[Any]) -> bool:
    """Return whether any value is so, with no table of booleans as large as the values."""
    if values.size <= BLOCK_VALUES:
        return bool(predicate(values).any())
    length = max(1, BLOCK_VALUES * len(values) // values.size)
    blocks = tiles(0, len(values), length)
    return any(predicate(values[start:stop]).any() for start, stop in blocks)


def as_weights(sample_weight: Any, n_samples: int, estimator: str) -> FloatArray:
    """Return `sample_weight` as float64, one weight a sample."""
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
    """Raise unless the number of features is the one seen in ``fit``."""
    if n_given != n_expected:
        raise ValueError(
            f"X has {n_given} features, but {estimator} is expecting {n_expected} features "
            "as input."
        )

"""Arrays from Python become a Dataset."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from gnbbench.data.dataset import Dataset
from gnbbench.data.features import numbers_of, refuse_infinite
from gnbbench.data.labels import labels_from_array
from gnbbench.data.rows import complete_rows
from gnbbench.data.sources import ArraySource, quoted
from gnbbench.errors import DatasetError


def from_arrays(
    X: ArrayLike | pd.DataFrame, y: ArrayLike | pd.Series, name: str = "data"
) -> Dataset:
    """Return the dataset made of copies of these arrays."""
    source = ArraySource(name)
    frame = _frame_of(X, name)
    labels = _one_dimensional(y, name)
    if len(frame) != len(labels):
        what = f"X has {len(frame)} rows and y has {len(labels)} labels"
        raise DatasetError(name, what, "Give one label per row.")
    names = tuple(map(str, frame.columns))
    values = numbers_of(frame, source)
    complete_rows(np.isnan(values), names, "error", source)
    refuse_infinite(values, names, source)
    target_name = str(getattr(y, "name", None) or "target")
    labels = labels_from_array(labels, target_name, source)
    return Dataset(
        name=name,
        X=values,
        y=labels,
        feature_names=names,
        class_names=tuple(map(str, np.unique(labels))),
        target_name=target_name,
        origin="Arrays handed over from Python",
    )


def _frame_of(X: ArrayLike | pd.DataFrame, name: str) -> pd.DataFrame:
    """Return X as a table with distinct column names, at least one row and one column."""
    if hasattr(X, "toarray"):
        raise DatasetError(name, "X is a sparse matrix", "Give X.toarray().")
    if isinstance(X, pd.DataFrame):
        frame = X.set_axis([str(column) for column in X.columns], axis="columns")
    else:
        values = _array(X, "X", name)
        if values.ndim != 2:
            what = f"X has {values.ndim} dimension{'s' * (values.ndim != 1)}, not 2"
            raise DatasetError(name, what, "Give one row per sample: X.reshape(-1, 1)?")
        frame = pd.DataFrame(values, columns=[f"x{i}" for i in range(values.shape[1])])
    if 0 in frame.shape:
        what = f"X has {frame.shape[0]} rows and {frame.shape[1]} columns"
        raise DatasetError(name, what, "Give at least one of each.")
    doubled = frame.columns[frame.columns.duplicated()]
    if len(doubled):
        what = f"two columns are called {quoted(doubled[0])}"
        raise DatasetError(name, what, "Rename one of them.")
    return frame


def _one_dimensional(y: ArrayLike | pd.Series, name: str) -> NDArray[Any]:
    values = _array(y, "y", name)
    if values.ndim != 1:
        what = f"y has shape {values.shape}, not one dimension"
        raise DatasetError(name, what, "Give one label per row: np.ravel(y)?")
    return values


def _array(values: Any, called: str, name: str) -> NDArray[Any]:
    """Return an array in which a masked value is a missing one."""
    if isinstance(values, np.ma.MaskedArray):
        return np.asarray(np.ma.filled(values.astype(object), np.nan))
    if isinstance(values, list) and any(isinstance(value, str) for value in values):
        return np.array(values, dtype=object)
    try:
        return np.asarray(values)
    except ValueError as error:
        what = f"{called} is no array: its rows have different lengths"
        raise DatasetError(name, what, "Give rows of equal length.") from error

"""A dataset: a numeric matrix, its labels and where they come from."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from gnbbench.arrays import Array, CountArray, FloatArray
from gnbbench.data.samples import (
    complete_rows,
    labels_from_array,
    numbers_of,
    refuse_infinite,
)
from gnbbench.data.sources import ErrorContext, quoted
from gnbbench.errors import DatasetError
from gnbbench.words import plural

# Values described at a time.
COLUMN_VALUES = 2**20
# A longer list of repeated rows is not kept.
MOST_REPEATS = 20_000


@dataclass(frozen=True, eq=False)
class Dataset:
    """A labelled sample, ready to be split.

    It can be pickled. Two datasets are equal if their `sha256` is.
    """

    name: str  # Name shown in reports and used in the results directory
    X: FloatArray  # (n_samples, n_features): Finite float64 values, C-contiguous
    y: Array  # (n_samples,): Labels of any sortable dtype
    feature_names: tuple[str, ...]  # One name per column of `X`
    class_names: tuple[str, ...]  # One display name per entry of `classes`, in that order
    target_name: str = "target"  # Name of the labels
    origin: str = ""  # Where the data come from, in one sentence
    licence: str = ""  # Terms of use as far as known
    notes: tuple[str, ...] = ()  # Changes made on loading, one sentence each
    # ``load(**parameters)`` loads the same data
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def classes(self) -> Array:
        """Sorted distinct labels, shape (n_classes,)."""
        return np.unique(self.y)

    @cached_property
    def codes(self) -> CountArray:
        """Position of each label in `classes`, shape (n_samples,)."""
        return np.searchsorted(self.classes, self.y)

    @cached_property
    def sha256(self) -> str:
        """Hexadecimal digest of the values, the labels and their shapes."""
        digest = hashlib.sha256(repr(self.X.shape).encode())
        digest.update(np.ascontiguousarray(self.X).tobytes())
        digest.update("\x1f".join(map(str, self.y.tolist())).encode())
        return digest.hexdigest()


def from_arrays(
    X: ArrayLike | pd.DataFrame, y: ArrayLike | pd.Series | None, name: str = "data"
) -> Dataset:
    """Return a dataset of copies of these arrays."""
    context = ErrorContext(name)
    if y is None:
        give = "X, y"
        if isinstance(X, pd.DataFrame) and len(X.columns):
            give = f"X.drop(columns={X.columns[-1]!r}), X[{X.columns[-1]!r}]"
        remedy = f"Give the labels after the samples, such as ({give})."
        raise DatasetError("y", "the labels are missing", remedy)
    frame = _frame_of(X, name)
    labels = _one_dimensional(y, name)
    if len(frame) != len(labels):
        what = f"X has {len(frame)} rows and y has {len(labels)} labels"
        raise DatasetError(name, what, "Give one label per row.")
    names = tuple(map(str, frame.columns))
    values = numbers_of(frame, context)
    complete_rows(np.isnan(values), names, "error", context)
    refuse_infinite(values, names, context)
    target_name = str(getattr(y, "name", None) or "target")
    labels = labels_from_array(labels, target_name, context)
    return Dataset(
        name=name,
        X=values,
        y=labels,
        feature_names=names,
        class_names=tuple(map(str, np.unique(labels))),
        target_name=target_name,
        origin="Arrays passed from Python",
    )


def is_bunch(data: Any) -> bool:
    """Return whether data are a Bunch, as from scikit-learn's ``load_`` and ``fetch_``."""
    return isinstance(data, Mapping) and {"data", "target"} <= set(data)


def from_bunch(bunch: Mapping[str, Any]) -> Dataset:
    """Return the dataset in a Bunch, with its names if they match its arrays."""
    X, named = bunch["data"], bunch.get("feature_names")
    if named is not None and np.shape(X)[1:] == (len(named),) and not hasattr(X, "toarray"):
        X = pd.DataFrame(X).set_axis([str(entry) for entry in named], axis="columns")
    dataset = from_arrays(X, bunch["target"])
    classes = tuple(map(str, np.ravel(bunch.get("target_names", ()))))
    if dataset.classes.tolist() != list(range(len(classes))):
        return dataset
    return replace(dataset, class_names=classes)


def _frame_of(X: ArrayLike | pd.DataFrame, name: str) -> pd.DataFrame:
    """Return X as a table with distinct column names, at least one row and one column."""
    if hasattr(X, "toarray"):
        raise DatasetError(name, "X is a sparse matrix", "Pass X.toarray().")
    if isinstance(X, pd.DataFrame):
        frame = X.set_axis([str(column) for column in X.columns], axis="columns")
    else:
        values = _array(X, "X", name)
        if values.ndim != 2:
            what = f"X has {plural(values.ndim, 'dimension')}, not 2"
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


def _one_dimensional(y: ArrayLike | pd.Series, name: str) -> Array:
    values = _array(y, "y", name)
    if values.ndim != 1:
        what = f"y has shape {values.shape}, not one dimension"
        raise DatasetError(name, what, "Give one label per row: np.ravel(y)?")
    return values


def _array(values: Any, called: str, name: str) -> Array:
    """Return an array in which masked values are missing."""
    if isinstance(values, np.ma.MaskedArray):
        return np.asarray(np.ma.filled(values.astype(object), np.nan))
    if isinstance(values, list) and any(isinstance(value, str) for value in values):
        return np.array(values, dtype=object)
    try:
        return np.asarray(values)
    except ValueError as error:
        what = f"{called} is not an array: its rows have different lengths"
        raise DatasetError(name, what, "Give rows of equal length.") from error


def describe(dataset: Dataset) -> dict[str, Any]:
    """Return the dataset's sizes, classes, ranges and duplicates, JSON-serializable.

    The keys are the fields of `gnbbench.statistics.summary.DatasetDescription`. A duplicate
    equals an earlier row in every feature and the label; a distinct row differs from all
    earlier ones in some feature. Standard deviations use the divisor n_samples, as the
    model does. "repeats" maps a row to the first row with the same features.
    """
    distinct, places = _first_equal(dataset.X)
    repeated = np.flatnonzero(places != np.arange(len(places)))
    repeats = {str(row): int(places[row]) for row in repeated[: MOST_REPEATS + 1]}
    return {
        "name": dataset.name,
        "target_name": dataset.target_name,
        "origin": dataset.origin,
        "licence": dataset.licence,
        "sha256": dataset.sha256,
        "n_samples": dataset.X.shape[0],
        "n_features": dataset.X.shape[1],
        "n_duplicates": len(dataset.X) - len(_first_equal(dataset.X, dataset.codes)[0]),
        "n_distinct": len(distinct),
        "repeats": repeats if len(repeated) <= MOST_REPEATS else {},
        "class_names": list(dataset.class_names),
        "class_counts": np.bincount(dataset.codes).tolist(),
        "notes": list(dataset.notes),
        "features": _features(dataset),
    }


def _first_equal(*columns: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the positions of distinct rows and, for each row, of the first equal one."""
    rows = np.column_stack(columns) + 0.0  # Turns -0 into 0
    as_bytes = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
    _, first, group = np.unique(as_bytes, return_index=True, return_inverse=True)
    return first, first[group]


def _features(dataset: Dataset) -> list[Any]:
    """Return a record per feature; scaling by a power of two prevents overflow."""
    tables = []
    at_once = max(1, COLUMN_VALUES // len(dataset.X))
    for start in range(0, dataset.X.shape[1], at_once):
        columns = np.ascontiguousarray(dataset.X[:, start : start + at_once].T)
        ordered = np.sort(columns)
        low, high = ordered[:, 0], ordered[:, -1]
        exponent = np.frexp(np.maximum(np.abs(low), np.abs(high)))[1]
        scale = np.where(exponent, np.exp2(exponent - 1.0), 1.0)
        scaled = columns / scale[:, np.newaxis]
        statistics = {
            "feature": dataset.feature_names[start : start + at_once],
            "minimum": low,
            "maximum": high,
            "mean": scaled.mean(axis=1) * scale,
            "standard_deviation": scaled.std(axis=1) * scale,
            "distinct": 1 + np.count_nonzero(ordered[:, 1:] != ordered[:, :-1], axis=1),
        }
        tables.append(pd.DataFrame(statistics))
    return pd.concat(tables).to_dict("records")

"""Labels of any sortable dtype: validation, grouping and encoding as class codes."""

import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gnbbench.core.row_blocks import FloatArray, tiles
from gnbbench.core.validation import raise_for_non_finite, refuse_sparse, scikit_learn_class

MIX = "Mix of label input types (string and number)"
# Types that an array can hold unboxed.
UNBOXED = (str, bool, int, np.bool_, np.integer)


def as_labels(y: Any, estimator: str) -> NDArray[Any]:
    """Return `y` as a one-dimensional array of labels that can be sorted."""
    if y is None:
        raise ValueError(
            f"This {estimator} estimator requires y to be passed, but the target y is None."
        )
    labels = y if type(y) is np.ndarray else _to_labels(y)
    if labels.ndim != 1:
        labels = _flattened(labels)
    if not labels.dtype.isnative:
        labels = labels.astype(labels.dtype.newbyteorder("="))
    if labels.dtype.kind == "f":
        raise_for_non_finite(labels, "y", estimator)
        if (labels != np.trunc(labels)).any():
            raise ValueError(
                "Unknown label type: continuous. Maybe you are trying to fit a classifier, "
                "which expects discrete classes on a regression target with continuous "
                "values."
            )
    if labels.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{labels}\n")
    return _unboxed(labels) if labels.dtype.kind == "O" else labels


def _flattened(labels: NDArray[Any]) -> NDArray[Any]:
    """Flatten a column of labels, with scikit-learn's warning."""
    if labels.ndim == 2 and labels.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change the "
            "shape of y to (n_samples, ), for example using ravel().",
            scikit_learn_class("DataConversionWarning", UserWarning),
            stacklevel=5,
        )
        return labels.ravel()
    raise ValueError(
        f"y should be a 1d array, got an array of shape {labels.shape} instead."
    )


def _to_labels(y: Any) -> NDArray[Any]:
    """Convert an array-like to an array; raise if pandas has missing labels."""
    refuse_sparse(y, "y")
    if hasattr(y, "isna") and np.asarray(y.isna()).any():
        raise ValueError("Input y contains NaN.")
    return np.asarray(y)


def _unboxed(labels: NDArray[Any]) -> NDArray[Any]:
    """Convert labels stored as objects to strings or numbers, if possible."""
    if any(value is None for value in labels) or (labels != labels).any():  # noqa: PLR0124  NaN
        raise ValueError("Input y contains NaN.")
    for value in labels:
        if isinstance(value, float) and not value.is_integer():
            raise ValueError(f"Unknown label type: continuous ({value!r} in y).")
    kinds = {isinstance(value, str) for value in labels}
    if len(kinds) > 1:
        raise ValueError(MIX)
    if all(isinstance(value, UNBOXED) for value in labels):
        unboxed = np.array(labels.tolist())
        if unboxed.dtype.kind in "Uiub":
            return unboxed
    return labels


def classes_of(declared: Any, fitted: NDArray[Any] | None, estimator: str) -> NDArray[Any]:
    """Return the classes of ``partial_fit``, which must not change between calls."""
    if declared is None:
        if fitted is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        return fitted
    classes = np.unique(as_labels(declared, estimator))
    if fitted is not None and not np.array_equal(fitted, classes):
        raise ValueError(
            f"`classes={declared!r}` is not the same as on last call to partial_fit, "
            f"was: {fitted!r}"
        )
    return classes


class LabelGroups(NamedTuple):
    """Rows grouped by label."""

    labels: NDArray[Any]  # (n_groups,): The distinct labels, sorted
    # (n_samples,): Stable permutation that sorts the rows by label
    order: NDArray[np.intp]
    starts: NDArray[np.intp]  # (n_groups,): Start of each group in the permutation


def label_groups(y: NDArray[Any]) -> LabelGroups:
    """Return the rows of each distinct label."""
    keys = _short_keys(y)
    try:
        order = keys.argsort(kind="stable")
    except TypeError as error:
        raise ValueError(
            f"Unknown label type: labels cannot be sorted ({error})"
        ) from error
    ordered = keys.take(order)
    first = np.empty(len(y), dtype=bool)
    first[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    starts = first.nonzero()[0]
    return LabelGroups(y.take(order.take(starts)), order, starts)


def _short_keys(y: NDArray[Any]) -> NDArray[Any]:
    """Return integers in a narrow range as two bytes each, which NumPy radix-sorts."""
    if len(y) < FEWEST_BY_RADIX or y.dtype.kind not in "iu" or y.dtype.itemsize <= 2:
        return y
    lowest, highest = y.min(), y.max()
    if int(highest) - int(lowest) >= TABLE_SIZE:
        return y
    return _distances(y, lowest).astype(np.uint16)


def check_kinds(labels: NDArray[Any], classes: NDArray[Any]) -> None:
    """Raise if one side has strings and the other numbers."""
    texts = {values.dtype.kind in "UT" for values in (labels, classes)}
    if len(texts) > 1 and "O" not in labels.dtype.kind + classes.dtype.kind:
        raise ValueError(f"{MIX}; got {labels[:3]} and {classes[:3]}.")


def positions_among(labels: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.intp]:
    """Return the position of each label among the classes."""
    check_kinds(labels, classes)
    positions = np.searchsorted(classes, labels)
    unknown = classes.take(positions, mode="clip") != labels
    if unknown.any():
        raise ValueError(
            f"The target label(s) {labels[unknown]} in y do not exist in the initial "
            f"classes {classes}"
        )
    return positions


# Integers within a range of this size are looked up in a table.
TABLE_SIZE = 65_536
ROWS_AT_ONCE = 65_536
# For at least this many labels, finding their range pays off in sorting.
FEWEST_BY_RADIX = 1024


def label_codes(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.unsignedinteger]]:
    """Return the sorted distinct labels, and each row's position among them.

    Codes take one or two bytes per row; little other memory is used.
    """
    if y.dtype.kind in "iub":
        lowest, highest = y.min(), y.max()
        if int(highest) - int(lowest) < TABLE_SIZE:
            return _tabled(y, lowest, int(highest) - int(lowest) + 1)
    classes = y[:0]
    try:
        for begin, end in tiles(0, len(y), ROWS_AT_ONCE):
            classes = np.unique(np.concatenate([classes, np.unique(y[begin:end])]))
    except TypeError as error:
        raise ValueError(
            f"Unknown label type: labels cannot be sorted ({error})"
        ) from error
    codes: NDArray[Any] = np.empty(len(y), np.min_scalar_type(len(classes) - 1))
    for begin, end in tiles(0, len(y), ROWS_AT_ONCE):
        codes[begin:end] = np.searchsorted(classes, y[begin:end])
    return classes, codes


def _tabled(
    y: NDArray[Any], lowest: Any, size: int
) -> tuple[NDArray[Any], NDArray[np.unsignedinteger]]:
    """Return the codes of integers between `lowest` and `lowest` + `size`."""
    present = np.zeros(size, dtype=bool)
    for begin, end in tiles(0, len(y), ROWS_AT_ONCE):
        present[_distances(y[begin:end], lowest)] = True
    places = present.nonzero()[0]
    table = np.zeros(size, dtype=np.min_scalar_type(len(places) - 1))
    table[places] = np.arange(len(places))
    codes: NDArray[Any] = np.empty(len(y), dtype=table.dtype)
    for begin, end in tiles(0, len(y), ROWS_AT_ONCE):
        table.take(_distances(y[begin:end], lowest), out=codes[begin:end], mode="clip")
    classes = [int(lowest) + place for place in places.tolist()]
    return np.array(classes, dtype=y.dtype), codes


def class_weights(
    codes: NDArray[np.unsignedinteger], weights: FloatArray | None, n_classes: int
) -> FloatArray:
    """Return the number of rows of each class, or the sum of their weights."""
    total = np.zeros(n_classes)
    for begin, end in tiles(0, len(codes), ROWS_AT_ONCE):
        of_rows = None if weights is None else weights[begin:end]
        total += np.bincount(codes[begin:end], of_rows, n_classes)
    return total


def _distances(labels: NDArray[Any], lowest: Any) -> NDArray[np.integer]:
    """Return differences of integers from the lowest, without overflow."""
    if labels.dtype.itemsize < 8:
        labels, lowest = labels.astype(np.int64), np.int64(lowest)
    distances: NDArray[np.integer] = labels - lowest
    return distances.astype(np.intp, copy=False)

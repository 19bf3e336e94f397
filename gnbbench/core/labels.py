"""Labels of any sortable dtype: checked, grouped and placed among the classes."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.core.interoperability import conversion_warning
from gnbbench.core.validation import raise_for_non_finite


def as_labels(y: Any, estimator: str) -> NDArray[Any]:
    """Return `y` as a one-dimensional array of labels that can be sorted."""
    if y is None:
        raise ValueError(
            f"This {estimator} estimator requires y to be passed, but the target y is None."
        )
    labels = y if type(y) is np.ndarray else np.asarray(y)
    if labels.ndim != 1:
        labels = _flattened(labels)
    if labels.dtype.kind in "iub":
        return labels
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
    if labels.dtype.kind == "O":
        labels = _narrowed(labels)
    return labels


def _flattened(labels: NDArray[Any]) -> NDArray[Any]:
    """Return a column as labels, with scikit-learn's warning."""
    if labels.ndim == 2 and labels.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change the "
            "shape of y to (n_samples, ), for example using ravel().",
            conversion_warning(),
            stacklevel=5,
        )
        return labels.ravel()
    raise ValueError(
        f"y should be a 1d array, got an array of shape {labels.shape} instead."
    )


def _narrowed(labels: NDArray[Any]) -> NDArray[Any]:
    """Return labels stored as objects after a check that they can be sorted."""
    if any(value is None for value in labels) or (labels != labels).any():  # noqa: PLR0124  NaN
        raise ValueError("Input y contains NaN.")
    for value in labels:
        if isinstance(value, float) and not value.is_integer():
            raise ValueError(f"Unknown label type: continuous ({value!r} in y).")
    kinds = {isinstance(value, str) for value in labels}
    if len(kinds) > 1:
        raise ValueError("Mix of label input types (string and number)")
    return labels


def classes_of(given: Any, fitted: NDArray[Any] | None, estimator: str) -> NDArray[Any]:
    """Return the classes of ``partial_fit``, which must not change between calls."""
    if given is None:
        if fitted is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        return fitted
    classes = np.unique(as_labels(given, estimator))
    if fitted is not None and not np.array_equal(fitted, classes):
        raise ValueError(
            f"`classes={given!r}` is not the same as on last call to partial_fit, "
            f"was: {fitted!r}"
        )
    return classes


@dataclass(frozen=True, slots=True)
class LabelGroups:
    """Rows brought together by label."""

    labels: NDArray[Any]  # (n_groups,): The distinct labels, sorted
    # (n_samples,): Permutation of the rows; within a group they keep their order
    order: NDArray[np.intp]
    starts: NDArray[np.intp]  # (n_groups,): Where each group starts in the permutation


def label_groups(y: NDArray[Any]) -> LabelGroups:
    """Return the rows of each distinct label."""
    try:
        order = y.argsort(kind="stable")
    except TypeError as error:
        raise ValueError(
            f"Unknown label type: labels cannot be sorted ({error})"
        ) from error
    ordered = y.take(order)
    first = np.empty(len(y), dtype=bool)
    first[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    starts = first.nonzero()[0]
    return LabelGroups(ordered.take(starts), order, starts)


def positions_among(labels: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.intp]:
    """Return where each label stands among the classes."""
    positions = np.searchsorted(classes, labels)
    unknown = classes.take(positions, mode="clip") != labels
    if unknown.any():
        raise ValueError(
            f"The target label(s) {labels[unknown]} in y do not exist in the initial "
            f"classes {classes}"
        )
    return positions

"""Labels of many rows as positions among their classes, a stretch at a time."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.core.row_blocks import tiles

# Integers that lie within a range of this size are looked up in a table.
TABLE_SIZE = 65_536
ROWS_AT_ONCE = 65_536


@dataclass(frozen=True, slots=True)
class LabelCodes:
    """The classes of many labels, and the position of each label among them.

    Codes are made for the rows asked for, so that they take no memory for all of them.
    """

    classes: NDArray[Any]  # (n_classes,): The distinct labels, sorted
    labels: NDArray[Any]  # (n_samples,): One label a row
    lowest: Any  # Where the table starts
    # Code of each integer from `lowest` on; None where labels are searched for
    table: NDArray[np.unsignedinteger] | None

    def of(self, rows: slice) -> NDArray[np.unsignedinteger]:
        """Return the codes of these rows."""
        labels = self.labels[rows]
        if self.table is not None:
            return self.table.take(_distances(labels, self.lowest))
        dtype = np.min_scalar_type(len(self.classes) - 1)
        codes: NDArray[np.unsignedinteger] = np.searchsorted(self.classes, labels).astype(
            dtype
        )
        return codes

    def first_rows(self, weights: NDArray[np.float64] | None = None) -> NDArray[np.intp]:
        """Return the first row of each class whose weight is not zero, -1 for none."""
        first = np.full(len(self.classes), -1, dtype=np.intp)
        for begin, end in tiles(0, len(self.labels), ROWS_AT_ONCE):
            codes = self.of(slice(begin, end))
            wanted = first.take(codes) < 0
            if weights is not None:
                wanted &= weights[begin:end] > 0.0
            rows = wanted.nonzero()[0][::-1]
            first[codes[rows]] = begin + rows
            if first.min() >= 0:
                break
        return first


def label_codes(y: NDArray[Any]) -> LabelCodes:
    """Return the classes among these labels, and the code of each row."""
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
    return LabelCodes(classes, y, None, None)


def _tabled(y: NDArray[Any], lowest: Any, size: int) -> LabelCodes:
    """Return the codes of integers between `lowest` and `lowest` + `size`."""
    present = np.zeros(size, dtype=bool)
    for begin, end in tiles(0, len(y), ROWS_AT_ONCE):
        present[_distances(y[begin:end], lowest)] = True
    places = present.nonzero()[0]
    table = np.zeros(size, dtype=np.min_scalar_type(len(places) - 1))
    table[places] = np.arange(len(places))
    classes = [int(lowest) + place for place in places.tolist()]
    return LabelCodes(np.array(classes, dtype=y.dtype), y, lowest, table)


def _distances(labels: NDArray[Any], lowest: Any) -> NDArray[np.integer]:
    """Return how far integers lie above the lowest, without overflow."""
    if labels.dtype.itemsize < 8:
        labels, lowest = labels.astype(np.int64), np.int64(lowest)
    distances: NDArray[np.integer] = labels - lowest
    return distances.astype(np.intp, copy=False)

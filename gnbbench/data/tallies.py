"""The labels of a stream, counted in one pass and settled as classes."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.data.chunks import Chunk, Stretch
from gnbbench.data.labels import labels_from_array
from gnbbench.data.sources import ArraySource, Source, quoted
from gnbbench.errors import DatasetError

MOST_LABELS = 100_000
UNKNOWN = -1

# Labels of one kind from distinct values, as `gnbbench.data.labels` makes them.
Settle = Callable[[Sequence[Any], str, Source], NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Labels:
    """What the labels of a stream turned out to be."""

    classes: NDArray[Any]  # (n_classes,): Sorted distinct labels
    counts: NDArray[np.intp]  # (n_classes,): Rows with each
    codes: dict[Any, int]  # Label as the source spells it -> position among `classes`
    sha256: str  # Hexadecimal digest of all labels in order


class LabelTally:
    """Counts the distinct labels of chunks that come in order."""

    def __init__(self, where: str, target: str) -> None:
        self._where = where
        self._target = target
        self._numbers: dict[Any, int] = {}
        self._counts = np.zeros(0, dtype=np.intp)
        self._first_seen: list[tuple[Stretch, int]] = []
        self._digest = hashlib.sha256()

    def add(self, chunk: Chunk, stretch: Stretch, rows: NDArray[np.intp]) -> None:
        """Count the labels of some rows of a chunk."""
        indices = chunk.indices[rows]
        counts = np.bincount(indices, minlength=len(chunk.values))
        self._number_new(chunk, stretch, rows, np.flatnonzero(counts))
        numbers = numbers_of_labels(chunk.values, self._numbers)
        known = numbers >= 0
        self._counts[numbers[known]] += counts[known]
        self._digest.update(numbers[indices].astype("<u4").tobytes())

    def _number_new(
        self,
        chunk: Chunk,
        stretch: Stretch,
        rows: NDArray[np.intp],
        present: NDArray[np.intp],
    ) -> None:
        """Give labels not seen before a number each, in the order of their first rows."""
        new = [at for at in present.tolist() if chunk.values[at] not in self._numbers]
        if not new:
            return
        if len(self._numbers) + len(new) > MOST_LABELS:
            what = f"target {quoted(self._target)} has more than {MOST_LABELS} labels"
            remedy = "Cut it into classes, or give another column as target."
            raise DatasetError(self._where, what, remedy)
        distinct, first = np.unique(chunk.indices[rows], return_index=True)
        first_rows = dict(zip(distinct.tolist(), rows[first].tolist(), strict=True))
        for at in sorted(new, key=first_rows.__getitem__):
            self._numbers[chunk.values[at]] = len(self._numbers)
            self._first_seen.append((stretch, chunk.start + first_rows[at]))
        more = np.zeros(len(self._numbers) - len(self._counts), dtype=np.intp)
        self._counts = np.concatenate([self._counts, more])

    def labels(self, settle: Settle) -> Labels:
        """Return what the labels counted so far are."""
        values = list(self._numbers)
        settled = settle(values, self._target, _FirstSeen(self._where, self._first_seen))
        classes, codes = np.unique(settled, return_inverse=True)
        counts = np.zeros(len(classes), dtype=np.intp)
        np.add.at(counts, codes, self._counts)
        self._digest.update(repr(values).encode())
        by_value = dict(zip(values, codes.tolist(), strict=True))
        return Labels(classes, counts, by_value, self._digest.hexdigest())


def labels_from_values(values: Sequence[Any], name: str, source: Source) -> NDArray[Any]:
    """Return labels of one kind from distinct integers, floats, booleans or texts."""
    array = np.array(values)
    if array.dtype.kind == "f" and all(isinstance(value, int) for value in values):
        array = np.array(values, dtype=np.uint64 if min(values) >= 0 else object)
    return labels_from_array(array, name, source)


def numbers_of_labels(values: Sequence[Any], known: dict[Any, int]) -> NDArray[np.intp]:
    """Return the number of each value, UNKNOWN for one that has none."""
    numbers = (known.get(value, UNKNOWN) for value in values)
    return np.fromiter(numbers, dtype=np.intp, count=len(values))


class _FirstSeen(ArraySource):
    """Distinct labels, each of which stands where it was first seen."""

    def __init__(self, where: str, rows: Sequence[tuple[Stretch, int]]) -> None:
        super().__init__(where)
        self._rows = rows

    def place(self, row: int) -> str:
        """Return where the label was first seen."""
        stretch, row_of_stretch = self._rows[row]
        return stretch.place(row_of_stretch)

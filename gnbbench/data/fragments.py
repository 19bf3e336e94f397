"""Fragments of a stream: independent runs of rows, read in checked, numbered batches.

A reader yields rows as the file holds them. One pass over the labels determines the classes
and numbers the rows; after that, a fragment yields batches of finite numbers.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gnbbench.arrays import Array, BoolArray, FloatArray
from gnbbench.data.columns import Columns
from gnbbench.data.samples import (
    MOST_LEVELS,
    Division,
    labels_from_array,
    refuse_long_levels,
    refuse_none_left,
)
from gnbbench.data.separated import refuse_endless, unreadable
from gnbbench.data.sources import ErrorContext, drop_flags, one_line, quoted
from gnbbench.errors import DatasetError

# Batch size as float64: small enough to hold several, large enough to be worth a call.
BATCH_BYTES = 2**24
MOST_LABELS = 100_000
UNKNOWN = -1

# A function of `gnbbench.data.samples` that turns distinct values into labels of one type.
Settle = Callable[[Sequence[Any], str, ErrorContext], Array]

# Column name -> its numbers; or its distinct values and each row's position among them.
Numbers = Callable[[str], Array]
Texts = Callable[[str], tuple[Sequence[Any], NDArray[np.intp]]]
# Features, distinct labels and each row's position among these, -1 if missing.
ColumnsRead = tuple[Array, Sequence[Any], NDArray[np.intp]]


@dataclass(frozen=True, slots=True, eq=False)
class RowBatch:
    """Consecutive rows, checked and in memory."""

    first_row: int  # Number of its first row in the whole stream, from 0
    # (n_rows, n_features): Finite values, float32 or float64, C-contiguous
    X: FloatArray | NDArray[np.float32]
    # (n_rows,): Position of each label among the classes of the stream
    codes: NDArray[np.intp]


class Fragment(Protocol):
    """Consecutive rows of a stream that any process can read.

    It can be pickled, since it holds paths and numbers instead of data.
    """

    @property
    def first_row(self) -> int:
        """Number of its first row in the whole stream."""

    @property
    def n_rows(self) -> int:
        """Number of its rows."""

    def batches(self) -> Iterator[RowBatch]:
        """Yield its rows in order, in batches of no more than the stream's block_rows."""


@dataclass(frozen=True, slots=True, eq=False)
class RawBatch:
    """Consecutive rows as the file holds them, unchecked."""

    start: int  # Number of its first row among the reader's, from 0
    # Distinct labels as the file spells them; some may not occur
    values: list[Any]
    # (n_rows,): Position of each row's label among `values`, -1 if missing
    indices: NDArray[np.intp]
    # (n_rows, n_features): Numbers, NaN if missing, C-contiguous; no columns
    # if only labels were requested
    X: Array


@dataclass(frozen=True)
class Opened:
    """An opened source, before its labels are read."""

    columns: Columns
    readers: "Iterable[Reader]"
    digest: Any  # Of everything but the labels; complete after the last reader
    files: "Sequence[FileFingerprint]"


class Reader(Protocol):
    """Reads consecutive rows of a file; it can be pickled."""

    def raw_batches(self, block_rows: int, *, labels_only: bool) -> Iterator[RawBatch]:
        """Yield its rows in order, no more than `block_rows` at once."""

    def place(self, row: int) -> str:
        """Return where users find the row, such as "line 7"."""


@dataclass(frozen=True)
class FileFingerprint:
    """Path, size and modification time of a file, to detect changes.

    A copy on another machine matches if it kept the time (``cp -p``, ``rsync -t``).
    """

    path: Path  # Absolute, since fragments may be read from another directory
    shown: str  # The path as the user gave it, for messages
    n_bytes: int  # Its size
    modified_ns: int  # When it was last written, in nanoseconds since 1970

    @classmethod
    def of(cls, path: Path) -> "FileFingerprint":
        """Return the current fingerprint of a file."""
        refuse_endless(path)
        try:
            status = path.stat()
        except (OSError, ValueError) as error:
            raise unreadable(path, error) from error
        return cls(path.absolute(), one_line(path), status.st_size, status.st_mtime_ns)

    def refuse_changed(self) -> None:
        """Raise if the file has been deleted or changed."""
        try:
            now = FileFingerprint.of(self.path)
        except DatasetError as error:
            raise changed(self.shown, "it disappeared") from error
        if (now.n_bytes, now.modified_ns) != (self.n_bytes, self.modified_ns):
            raise changed(self.shown, "it changed")


def changed(where: str, what: str) -> DatasetError:
    """Return the error for data that changed during the study."""
    remedy = "Do not change it during the study; start again."
    return DatasetError(where, f"{what} during the study", remedy)


@dataclass(frozen=True, eq=False)
class FileFragment:
    """A Fragment: rows of a reader with row numbers and class codes."""

    first_row: int  # Its position among the rows kept
    n_rows: int
    reader: Reader
    columns: Columns = field(repr=False)  # The columns to read
    codes: dict[Any, int] = field(repr=False)  # Label as the file spells it -> class
    block_rows: int  # The most rows a batch has

    def batches(self) -> Iterator[RowBatch]:
        """Yield its rows in order."""
        row, end = self.first_row, self.first_row + self.n_rows
        for raw in self.reader.raw_batches(self.block_rows, labels_only=False):
            batch = self._batch(row, raw)
            row += len(batch.codes)
            if row > end:
                break
            if len(batch.codes):
                yield batch
        if row != end:
            what = f"its rows from {self.reader.place(0)} changed in number"
            raise changed(self.columns.where, what)

    def _batch(self, row: int, raw: RawBatch) -> RowBatch:
        gaps = _gaps_of(raw, self.reader, self.columns)
        if gaps is not None:
            kept = np.logical_not(gaps.any(axis=1))
            raw = replace(raw, X=raw.X[kept], indices=raw.indices[kept])
        if comparison := self.columns.comparison:
            division = Division(comparison, self.columns.where)
            raw = _divided(raw, division, ErrorContext(self.columns.where))
        X, codes = raw.X, _numbers_of_labels(raw.values, self.codes)[raw.indices]
        if (codes < 0).any():
            what = f"labels after {self.reader.place(raw.start)} changed"
            raise changed(self.columns.where, what)
        return RowBatch(row, X, codes)


def _divided(raw: RawBatch, division: Division, context: ErrorContext) -> RawBatch:
    """Return a batch with labels that a comparison defines."""
    present, inverse = np.unique(raw.indices, return_inverse=True)
    labels = division.labels([str(raw.values[at]) for at in present], context)
    return replace(raw, values=[0, 1], indices=labels[inverse].astype(np.intp))


def _gaps_of(raw: RawBatch, reader: Reader, columns: Columns) -> BoolArray | None:
    """Return a mask of missing values, with the target last; None if nothing is missing.

    Features that were not read do not count as missing.
    """
    unlabelled = raw.indices < 0
    if not unlabelled.any() and np.isfinite(raw.X).all():
        return None
    gaps: BoolArray = np.zeros((len(unlabelled), len(columns.names) + 1), dtype=np.bool_)
    gaps[:, -1] = unlabelled
    gaps[:, : raw.X.shape[1]] = np.isnan(raw.X)
    if columns.missing == "error" and gaps.any():
        remedy = "Leave those rows out: --missing drop"
        what = _first("missing values", gaps, raw.start, reader, columns)
        raise DatasetError(columns.where, what, remedy)
    infinite = np.isinf(raw.X) & ~gaps.any(axis=1, keepdims=True)
    if infinite.any():
        remedy = "Write a finite number there, or nothing."
        what = _first("values infinite or too large", infinite, raw.start, reader, columns)
        raise DatasetError(columns.where, what, remedy)
    return gaps


def _first(
    what: str, faults: BoolArray, start: int, reader: Reader, columns: Columns
) -> str:
    """Describe a fault and where it first occurs."""
    row, column = map(int, np.argwhere(faults)[0])
    levels = columns.levels
    columns_per_value = [n for n in columns.features for _ in range(width_of(n, levels))]
    name = (*columns_per_value, columns.target)[column]
    return f"{what}, first in {reader.place(start + row)}, column {quoted(name)}"


def encoded_by_levels(
    readers: Sequence[Any], columns: Columns, block_rows: int
) -> tuple[Columns, list[Reader]]:
    """Return columns and readers that encode text, after a pass over the categories."""
    levels = {n: _levels_of(readers, columns, n, block_rows) for n in columns.texts}
    columns = columns.with_levels(levels)
    return columns, [replace(reader, columns=columns) for reader in readers]


def _levels_of(
    readers: Sequence[Any], columns: Columns, name: str, block_rows: int
) -> tuple[str, ...]:
    """Return the sorted categories of a text column; raise if there are too many."""
    levels: set[str] = set()
    labelled = replace(columns, target=name)
    for reader in (replace(reader, columns=labelled) for reader in readers):
        for raw in reader.raw_batches(block_rows, labels_only=True):
            present = np.unique(raw.indices)
            levels.update(str(raw.values[at]) for at in present if at >= 0)
            remedy = f"Leave out: {drop_flags([name])}"
            refuse_long_levels(name, levels, columns.where, remedy)
            if len(levels) > MOST_LEVELS:
                what = f"column {quoted(name)} has more than {MOST_LEVELS} categories"
                raise DatasetError(columns.where, what, remedy)
    return tuple(sorted(levels))


def width_of(feature: str, levels: Mapping[str, Sequence[str]]) -> int:
    """Return how many columns a feature becomes: one, or one for each category."""
    return len(levels[feature]) if feature in levels else 1


def read_columns(
    n_rows: int,
    features: Sequence[str],
    target: str,
    *,
    numbers: Numbers,
    texts: Texts,
    levels: Mapping[str, Sequence[str]],
    keys: Mapping[str, Any],
    where: str,
    dtype: str = "float64",
) -> ColumnsRead:
    """Return features, with text one-hot encoded, and labels.

    Columns from directory names have one value, which `keys` holds.
    """

    def text(name: str) -> tuple[Sequence[Any], NDArray[np.intp]]:
        if name not in keys:
            return texts(name)
        index = -1 if keys[name] is None or str(keys[name]) == "nan" else 0
        return [keys[name]], np.full(n_rows, index, dtype=np.intp)

    def values(name: str) -> Any:
        if name in levels:
            return _indicators(*text(name), levels[name], where)
        if name not in keys:
            return numbers(name)[:, np.newaxis]
        return np.nan if keys[name] is None else float(keys[name])

    X = np.empty((n_rows, sum(width_of(name, levels) for name in features)), dtype=dtype)
    position = 0
    for name in features:
        following = position + width_of(name, levels)
        X[:, position:following] = values(name)
        position = following
    return X, *text(target)


def _indicators(
    values: Sequence[Any], indices: NDArray[np.intp], levels: Sequence[str], where: str
) -> FloatArray:
    """One-hot encode text, with NaN if it is missing."""
    places = {level: place for place, level in enumerate(levels)}
    known = np.array([*(places.get(str(value), UNKNOWN) for value in values), UNKNOWN])
    codes = known[indices]
    if (codes[indices >= 0] == UNKNOWN).any():
        raise changed(where, "its categories changed")
    of_level = codes[:, np.newaxis] == np.arange(len(levels))
    table: FloatArray = of_level.astype(np.float64)
    table[indices < 0] = np.nan
    return table


@dataclass(frozen=True, eq=False)
class Labels:
    """The labels of a stream."""

    classes: Array  # (n_classes,): Sorted distinct labels
    counts: NDArray[np.intp]  # (n_classes,): Rows of each class
    codes: dict[Any, int]  # Label as the file spells it -> position among `classes`
    sha256: str  # Hexadecimal digest of all labels in order
    n_left_out: int = 0  # Rows left out for a missing value


def first_look(
    readers: Iterable[Reader], columns: Columns, settle: Settle, block_rows: int
) -> tuple[Labels, tuple[FileFragment, ...]]:
    """Return the labels and the fragments in order, after one pass.

    If rows may be left out, the pass reads the features too.
    """
    tally = LabelCounter(columns)
    n_missing = np.zeros(len(columns.names) + 1, dtype=np.int64)
    kept: list[tuple[Reader, int]] = []
    n_read = 0
    for reader in readers:
        n_kept = 0
        for raw in reader.raw_batches(block_rows, labels_only=columns.missing == "error"):
            gaps = _gaps_of(raw, reader, columns)
            rows = np.arange(len(raw.indices))
            if gaps is not None:
                rows = np.flatnonzero(~gaps.any(axis=1))
                n_missing += gaps.sum(axis=0)
            n_kept += len(rows)
            n_read += len(raw.indices)
            tally.add(raw, reader, rows)
        kept.append((reader, n_kept))
    if not n_read:
        raise DatasetError(columns.where, "it has no row", "Add rows.")
    if not any(n_kept for _, n_kept in kept):
        names = (*columns.names, columns.target)
        context = ErrorContext(columns.where, has_options=True)
        refuse_none_left(n_missing, n_read, names, context)
    n_left_out = n_read - sum(n_kept for _, n_kept in kept)
    labels = replace(tally.labels(settle), n_left_out=n_left_out)
    fragments: list[FileFragment] = []
    first_row = 0
    for reader, n_kept in kept:
        if n_kept:
            source = first_row, n_kept, reader, columns, labels.codes
            fragments.append(FileFragment(*source, block_rows))
        first_row += n_kept
    return labels, tuple(fragments)


class LabelCounter:
    """Counts the distinct labels of consecutive batches."""

    def __init__(self, columns: Columns) -> None:
        self._where, self._target = columns.where, columns.target
        self._division: Division | None = None
        if columns.comparison is not None:
            self._division = Division(columns.comparison, columns.where)
        self._numbers: dict[Any, int] = {}
        self._counts: list[int] = []
        self._first_seen: list[tuple[Reader, int]] = []
        self._digest = hashlib.sha256()

    def add(self, raw: RawBatch, reader: Reader, rows: NDArray[np.intp]) -> None:
        """Count the labels of some rows of a batch."""
        indices = raw.indices[rows]
        if self._division is not None:
            _, first = np.unique(indices, return_index=True)
            places = raw.start + rows[first]
            context = ErrorContext(self._where, lambda n: reader.place(int(places[n])))
            raw = _divided(replace(raw, indices=indices), self._division, context)
            indices = raw.indices
        counts = np.bincount(indices, minlength=len(raw.values)).tolist()
        present = [(v, n) for v, n in zip(raw.values, counts, strict=True) if n]
        if any(value not in self._numbers for value, _ in present):
            self._number_new(raw.values, indices, raw.start + rows, reader)
        for value, n_rows in present:
            self._counts[self._numbers[value]] += n_rows
        numbers = _numbers_of_labels(raw.values, self._numbers)
        self._digest.update(numbers[indices].astype("<u4").tobytes())

    def _number_new(
        self,
        values: Sequence[Any],
        indices: NDArray[np.intp],
        rows: NDArray[np.intp],
        reader: Reader,
    ) -> None:
        """Number new labels in the order of their first rows."""
        present, first = np.unique(indices, return_index=True)
        for row, at in sorted(zip(rows[first].tolist(), present.tolist(), strict=True)):
            if values[at] in self._numbers:
                continue
            if len(self._numbers) == MOST_LABELS:
                what = f"target {quoted(self._target)} has more than {MOST_LABELS} labels"
                remedy = "Cut it into classes, or give another column as target."
                raise DatasetError(self._where, what, remedy)
            self._numbers[values[at]] = len(self._numbers)
            self._counts.append(0)
            self._first_seen.append((reader, row))

    def labels(self, settle: Settle) -> Labels:
        """Return the labels counted so far."""
        values = list(self._numbers)
        if self._division is not None:
            self._division.refuse_undivided()
            settle = labels_from_values
        distinct = settle(values, self._target, ErrorContext(self._where, self._place))
        classes, codes = np.unique(distinct, return_inverse=True)
        counts = np.zeros(len(classes), dtype=np.intp)
        np.add.at(counts, codes, self._counts)
        self._digest.update(repr(values).encode())
        by_value = dict(zip(values, codes.tolist(), strict=True))
        return Labels(classes, counts, by_value, self._digest.hexdigest())

    def _place(self, number: int) -> str:
        """Return where a label was first seen."""
        reader, row = self._first_seen[number]
        return reader.place(row)


def labels_from_values(values: Sequence[Any], name: str, context: ErrorContext) -> Array:
    """Convert distinct integers, floats, booleans or strings to labels of one type."""
    array = np.array(values)
    if array.dtype.kind == "f" and all(isinstance(value, int) for value in values):
        array = np.array(values, dtype=np.uint64 if min(values) >= 0 else object)
    return labels_from_array(array, name, context)


def batch_length(n_features: int) -> int:
    """Return the number of rows in a batch with that many features."""
    return max(1, BATCH_BYTES // (8 * n_features))


def _numbers_of_labels(values: Sequence[Any], known: dict[Any, int]) -> NDArray[np.intp]:
    """Return the number of each value, UNKNOWN for a new value."""
    numbers = (known.get(value, UNKNOWN) for value in values)
    return np.fromiter(numbers, dtype=np.intp, count=len(values))

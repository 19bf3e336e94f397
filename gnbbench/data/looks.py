"""The first look at a source: its labels are settled, and its rows numbered."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.data.chunks import Chunk, Stretch, gaps_of
from gnbbench.data.fragments import Batch, Fragment
from gnbbench.data.marks import changed
from gnbbench.data.sources import drop_flags, listed
from gnbbench.data.stream_columns import Columns
from gnbbench.data.tallies import LabelTally, Settle, numbers_of_labels
from gnbbench.errors import DatasetError

# Values of a block, as float64: some in memory at once are little, and each worth a call.
BLOCK_BYTES = 2**24


@dataclass(frozen=True, eq=False)
class Look:
    """What the first look at a source gave."""

    columns: Columns  # What is read of it
    # (n_classes,): Sorted distinct labels, and the rows that have them
    classes: NDArray[Any]
    # (n_classes,): Sorted distinct labels, and the rows that have them
    class_counts: NDArray[np.intp]
    fragments: tuple[Fragment, ...] = field(repr=False)  # In the order of their rows
    block_rows: int  # The most rows a block has
    labels_sha256: str  # Hexadecimal digest of all labels in order


@dataclass(frozen=True, eq=False)
class StretchFragment:
    """A stretch whose rows are numbered and whose labels are known: a Fragment."""

    first_row: int  # Its place among the rows that are kept
    n_rows: int  # Its place among the rows that are kept
    stretch: Stretch  # Reads them
    columns: Columns = field(repr=False)  # What is read
    codes: dict[Any, int] = field(repr=False)  # Label as the source spells it -> class
    block_rows: int  # The most rows a block has

    def batches(self) -> Iterator[Batch]:
        """Yield its rows in order."""
        row, end = self.first_row, self.first_row + self.n_rows
        for chunk in self.stretch.chunks(self.block_rows, labels_only=False):
            block = self._block(row, chunk)
            row += len(block.codes)
            if row > end:
                break
            if len(block.codes):
                yield block
        if row != end:
            what = f"its rows from {self.stretch.place(0)} changed in number"
            raise changed(self.columns.where, what)

    def _block(self, row: int, chunk: Chunk) -> Batch:
        gaps = gaps_of(chunk, self.stretch, self.columns)
        X, indices = chunk.X, chunk.indices
        if gaps is not None:
            X, indices = X[gaps.kept], indices[gaps.kept]
        codes = numbers_of_labels(chunk.values, self.codes)[indices]
        if (codes < 0).any():
            what = f"labels after {self.stretch.place(chunk.start)} changed"
            raise changed(self.columns.where, what)
        return Batch(row, X, codes)


def first_look(
    stretches: Iterable[Stretch], columns: Columns, settle: Settle, block_rows: int
) -> Look:
    """Return what one pass over the labels tells.

    Where rows may be left out, features are read as well.
    """
    tally = LabelTally(columns.where, columns.target)
    n_missing = np.zeros(len(columns.features) + 1, dtype=np.int64)
    counted: list[tuple[Stretch, int]] = []
    n_read = 0
    for stretch in stretches:
        n_kept = 0
        for chunk in stretch.chunks(block_rows, labels_only=columns.missing == "error"):
            gaps = gaps_of(chunk, stretch, columns)
            kept = np.ones(len(chunk.indices), bool) if gaps is None else gaps.kept
            rows = np.flatnonzero(kept)
            tally.add(chunk, stretch, rows)
            n_missing += 0 if gaps is None else gaps.n_missing
            n_kept += len(rows)
            n_read += len(kept)
        counted.append((stretch, n_kept))
    if not sum(n_kept for _, n_kept in counted):
        _refuse_no_row(columns, n_missing, n_read)
    labels = tally.labels(settle)
    parts: list[Fragment] = []
    first_row = 0
    for stretch, n_kept in counted:
        if n_kept:
            parts.append(
                StretchFragment(
                    first_row, n_kept, stretch, columns, labels.codes, block_rows
                )
            )
        first_row += n_kept
    return Look(
        columns, labels.classes, labels.counts, tuple(parts), block_rows, labels.sha256
    )


def _refuse_no_row(columns: Columns, n_missing: NDArray[np.int64], n_read: int) -> None:
    if not n_read:
        raise DatasetError(columns.where, "it has no row", "Give some rows.")
    names = (*columns.features, columns.target)
    empty = [name for name, n in zip(names, n_missing, strict=True) if n == n_read]
    worst = empty or [names[int(n_missing.argmax())]]
    most = "no value" if empty else "the most missing"
    what = f"no row is complete; {listed(worst)} has {most}"
    raise DatasetError(columns.where, what, f"Leave out: {drop_flags(worst)}")


def block_length(n_features: int) -> int:
    """Return how many rows of so many features make a block."""
    return max(1, BLOCK_BYTES // (8 * n_features))

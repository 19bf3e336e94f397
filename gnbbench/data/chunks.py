"""Rows as a source holds them, before they are checked, and which of them are complete."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gnbbench.data.sources import quoted
from gnbbench.data.stream_columns import Columns
from gnbbench.errors import DatasetError


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """Consecutive rows of a stretch."""

    start: int  # Number of its first row in the stretch, from 0
    # Distinct labels as the source spells them, and maybe some that no row has
    values: list[Any]
    # (n_rows,): Position of each row's label among `values`, -1 where it is missing
    indices: NDArray[np.intp]
    # (n_rows, n_features): Numbers, NaN where a value is missing, C-contiguous; without
    # columns where only labels were asked for
    X: NDArray[Any]


class Stretch(Protocol):
    """Rows that a source reads in one go; it can be pickled."""

    def chunks(self, block_rows: int, *, labels_only: bool) -> Iterator[Chunk]:
        """Yield its rows in order, in chunks of no more than `block_rows`."""

    def place(self, row: int) -> str:
        """Return how a user finds that row of it, such as "line 7"."""


@dataclass(frozen=True, slots=True, eq=False)
class Gaps:
    """Which values of a chunk are missing."""

    kept: NDArray[np.bool_]  # (n_rows,): Which rows are complete
    # (n_features + 1,): Missing values by column, the target's last; zeros for features not
    # read
    n_missing: NDArray[np.int64]


def gaps_of(chunk: Chunk, stretch: Stretch, columns: Columns) -> Gaps | None:
    """Return what is missing in a chunk; None where nothing is."""
    unlabelled = chunk.indices < 0
    if not unlabelled.any() and np.isfinite(chunk.X).all():
        return None
    gaps = np.zeros((len(unlabelled), len(columns.features) + 1), dtype=np.bool_)
    gaps[:, -1] = unlabelled
    gaps[:, : chunk.X.shape[1]] = np.isnan(chunk.X)
    kept = np.logical_not(gaps.any(axis=1))
    if columns.missing == "error" and not kept.all():
        remedy = "Leave those rows out: --missing drop"
        what = _first("missing values", gaps, chunk.start, stretch, columns)
        raise DatasetError(columns.where, what, remedy)
    infinite = np.isinf(chunk.X) & kept[:, None]
    if infinite.any():
        remedy = "Replace by a finite number, or by nothing."
        called = "values infinite or too large"
        what = _first(called, infinite, chunk.start, stretch, columns)
        raise DatasetError(columns.where, what, remedy)
    return Gaps(kept, gaps.sum(axis=0))


def _first(
    what: str, found: NDArray[np.bool_], start: int, stretch: Stretch, columns: Columns
) -> str:
    """Return what was found, and where it stands first."""
    row, column = map(int, np.argwhere(found)[0])
    name = (*columns.features, columns.target)[column]
    return f"{what}, first in {stretch.place(start + row)}, column {quoted(name)}"

"""Blocks of rows, and the parts of a stream that yield them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Consecutive rows, checked and in memory."""

    first_row: int  # Number of its first row in the whole stream, from 0
    # (n_rows, n_features): Finite values, float32 or float64, C-contiguous
    X: NDArray[np.float64] | NDArray[np.float32]
    # (n_rows,): Position of each label among the classes of the stream
    codes: NDArray[np.intp]


class Fragment(Protocol):
    """Consecutive rows of a stream that a process can read by itself.

    It can be pickled: it holds paths and numbers, never the data.
    """

    @property
    def first_row(self) -> int:
        """Number of its first row in the whole stream."""

    @property
    def n_rows(self) -> int:
        """How many rows it has."""

    def batches(self) -> Iterator[Batch]:
        """Yield its rows in order, in blocks of no more than the stream's block_rows."""

"""Streams in memory, for tests of what is done with a stream; faults."""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.data.fragments import RowBatch
from gnbbench.data.stream import Stream


@dataclass(frozen=True)
class ArrayFragment:
    """Some rows of arrays, as a fragment of a stream."""

    X: NDArray[Any]
    codes: NDArray[np.intp]
    first_row: int
    n_rows: int
    block_rows: int

    def batches(self) -> Iterator[RowBatch]:
        """Yield the rows in blocks."""
        stop = self.first_row + self.n_rows
        for first in range(self.first_row, stop, self.block_rows):
            rows = slice(first, min(first + self.block_rows, stop))
            yield RowBatch(first, self.X[rows], self.codes[rows])


def stream_of_arrays(
    X: NDArray[Any],
    y: NDArray[Any],
    *,
    block_rows: int = 64,
    cuts: tuple[int, ...] = (),
    name: str = "made",
) -> Stream:
    """Return a stream over arrays, cut into parts before the rows named."""
    classes, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    bounds = [0, *cuts, len(X)]
    parts = tuple(
        ArrayFragment(X, codes.astype(np.intp), start, stop - start, block_rows)
        for start, stop in pairwise(bounds)
    )
    return Stream(
        name=name,
        where=f"{name}.parquet",
        feature_names=tuple(f"x{column}" for column in range(X.shape[1])),
        class_names=tuple(map(str, classes)),
        classes=classes,
        class_counts=counts.astype(np.intp),
        n_rows=len(X),
        fragments=parts,
        sha256="ab" * 32,
        target_name="y",
        parameters={"source": f"{name}.parquet", "target": "y"},
        block_rows=block_rows,
    )


@dataclass(frozen=True)
class DrawnFragment:
    """Rows that are drawn when they are read and are nowhere else."""

    first_row: int
    n_rows: int
    n_features: int
    block_rows: int

    def batches(self) -> Iterator[RowBatch]:
        """Yield the rows, drawn anew for each block."""
        stop = self.first_row + self.n_rows
        for first in range(self.first_row, stop, self.block_rows):
            rng = np.random.default_rng(first)
            n_rows = min(self.block_rows, stop - first)
            codes = rng.integers(0, 3, n_rows)
            X = rng.normal(size=(n_rows, self.n_features))
            X += codes[:, np.newaxis]
            yield RowBatch(first, X, codes)


def drawn_stream(n_rows: int, n_features: int, block_rows: int) -> Stream:
    """Return a stream of three normal classes that holds no row."""
    part = DrawnFragment(0, n_rows, n_features, block_rows)
    empty = stream_of_arrays(np.zeros((3, n_features)), np.arange(3))
    return replace(empty, fragments=(part,), n_rows=n_rows, block_rows=block_rows)


@dataclass(frozen=True)
class SlowFragment(ArrayFragment):
    """A slow part that records each reading, and which process is at one."""

    folder: str = ""

    def batches(self) -> Iterator[Any]:
        """Yield the blocks, late."""
        reader = Path(self.folder, f"by {os.getpid()}")
        reader.touch()
        Path(self.folder, f"{self.first_row}-{time.monotonic_ns()}").touch()
        time.sleep(0.1)
        reader.unlink()
        yield from super().batches()


@dataclass(frozen=True)
class HiddenFragment(ArrayFragment):
    """Planted fault: a part that only one process can see."""

    owner: int = 0

    def batches(self) -> Iterator[Any]:
        """Yield the blocks, or raise as a file that is not there."""
        if os.getpid() != self.owner:
            raise FileNotFoundError
        yield from super().batches()


@dataclass(frozen=True)
class ForgetfulFragment(ArrayFragment):
    """Planted fault: a part that loses its last block."""

    def batches(self) -> Iterator[RowBatch]:
        """Yield all blocks but the last."""
        every = list(super().batches())
        yield from every[:-1]


def forgetful(stream: Stream) -> Stream:
    """Return the stream with its last part losing its last block."""
    last = stream.fragments[-1]
    assert isinstance(last, ArrayFragment)
    fragments = (*stream.fragments[:-1], ForgetfulFragment(**vars(last)))
    return replace(stream, fragments=fragments)


def rows_of(stream: Stream) -> tuple[NDArray[Any], list[int]]:
    """Return all features and the codes of all labels, read without a thread."""
    batches = [batch for fragment in stream.fragments for batch in fragment.batches()]
    codes = np.concatenate([batch.codes for batch in batches])
    return np.concatenate([batch.X for batch in batches]), codes.tolist()

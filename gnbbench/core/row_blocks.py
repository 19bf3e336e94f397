"""Rows in blocks, each small enough for a core's cache.

A *block* is the operand of one product. A *strip* is several consecutive blocks: the unit
of work of a thread. Neither depends on the number of threads, and results come in the order
of the rows, so that they are bit-for-bit equal for any number.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
Samples = NDArray[np.floating[Any]]
Result = TypeVar("Result")

# A table of the rows of a block holds this many values (400 kB), within a core's cache.
BLOCK_VALUES = 51_200
MOST_ROWS = 4096
BLOCKS_A_STRIP = 16


def tiles(start: int, stop: int, length: int) -> Iterator[tuple[int, int]]:
    """Yield the edges of pieces of `length` (at least 1) from start to stop."""
    length = max(1, length)
    for begin in range(start, stop, length):
        yield begin, min(begin + length, stop)


def block_length(width: int) -> int:
    """Return the number of rows of `width` values in a block."""
    return max(1, min(BLOCK_VALUES // width, MOST_ROWS))


def as_block(X: Samples, start: int, stop: int) -> FloatArray:
    """Return consecutive rows as float64: a view if they already are, else a small copy."""
    return X[start:stop].astype(np.float64, copy=False)


def each_strip(
    task: Callable[[int, int], Result], n_rows: int, length: int, n_threads: int
) -> Iterator[Result]:
    """Yield the result of a task on each strip of rows, in order."""
    strips = list(tiles(0, n_rows, length * BLOCKS_A_STRIP))
    if n_threads == 1 or len(strips) == 1:
        for start, stop in strips:
            yield task(start, stop)
        return
    with ThreadPoolExecutor(min(n_threads, len(strips))) as pool:
        yield from pool.map(lambda strip: task(*strip), strips)

"""Whole-number counts over the samples of a batch: their sums depend on no order."""

import numpy as np
from numpy.typing import NDArray

from gnbbench.records import N_RELIABILITY_BINS

FloatArray = NDArray[np.float64]
CodeArray = NDArray[np.intp]
CountRow = tuple[int | None, ...]


def pair_counts(first: CodeArray, second: CodeArray) -> list[CountRow]:
    """Return how often each pair of values occurs, without the pairs that do not."""
    width = int(second.max(initial=-1)) + 2
    cells = (first.ravel() + 1) * width + (second.ravel() + 1)
    counts = np.bincount(cells)
    found = np.flatnonzero(counts)
    columns = (found // width - 1, found % width - 1, counts[found])
    return list(zip(*(column.tolist() for column in columns), strict=True))


def reliability_counts(
    probabilities: FloatArray, right: NDArray[np.bool_]
) -> list[CountRow]:
    """Return, per bin of confidence, the samples, the right ones and their confidence."""
    confidence = probabilities.max(axis=-1).ravel()
    bins = np.ceil(confidence * N_RELIABILITY_BINS).astype(np.intp) - 1
    bins = bins.clip(0, N_RELIABILITY_BINS - 1)
    nano = np.rint(confidence * 1e9).astype(np.int64)
    rows: list[CountRow] = []
    for index in np.unique(bins).tolist():
        inside = bins == index
        count, n_right = int(inside.sum()), int(right.ravel()[inside].sum())
        rows.append((index, count, n_right, int(nano[inside].sum())))
    return rows


def decade_counts(differences: FloatArray) -> list[CountRow]:
    """Return how many absolute differences fall into each power of ten."""
    positive = differences[differences > 0.0]
    n_zero = int(differences.size - positive.size)
    rows: list[CountRow] = [(None, n_zero)] if n_zero else []
    decades = np.minimum(np.floor(np.log10(positive)).astype(np.intp), -1)
    values, counts = np.unique(decades, return_counts=True)
    return rows + list(zip(values.tolist(), counts.tolist(), strict=True))

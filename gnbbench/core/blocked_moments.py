"""Moments of many rows in one pass over blocks that fit in cache.

Within a block, z = x - c is the distance of a row from the centre of its class. Sums of z
and of z^2 over the rows of each class are products with the 0/1 table of membership, or,
for many classes, sums over the rows sorted by class. They give the mean c + s_1 / w and the
sum of squares s_2 - s_1^2 / w of each class in a strip of blocks, and strips are merged by
the update of Chan, Golub and LeVeque (1983, eq. 2.1).

A sum of n terms in any order is off by at most gamma_{n-1} of the sum of magnitudes
(Higham 2002, section 4.2), so that the sum of squares of a class is off by less than
3 gamma_{n+8} w (V + (c - m)^2), m and V being its mean and variance. With centres near the
means that is the error of two passes. A first look at a few rows finds such centres: the
first row of the class plus the mean distance from it, which is exact for a constant
feature. Should a centre lie so far off that digits were lost, as rows in another order or
skewed weights may bring about, the pass is taken again about the means just found.

References
----------
Chan, T. F., Golub, G. H. and LeVeque, R. J. (1983). Algorithms for computing the sample
variance: analysis and recommendations. The American Statistician 37, 242-247.
Higham, N. J. (2002). Accuracy and Stability of Numerical Algorithms, 2nd ed. SIAM.
"""

from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from gnbbench.core.labels import LabelCodes
from gnbbench.core.moments import SMALLEST, Moments, merged, two_sum
from gnbbench.core.row_blocks import (
    FloatArray,
    Samples,
    as_block,
    block_length,
    each_strip,
    tiles,
)

# Products cost time for every class, sorting does not; sorted blocks should be longer.
MOST_CLASSES_BY_PRODUCT = 32
# The first look takes one row of so many, and at most so many in all.
LOOK_AT_ONE_OF, LOOK_AT_MOST = 32, 8192
# Where the square of a centre's distance from the mean exceeds so many variances, more
# than ten bits were lost.
LOST = 2.0**10


@dataclass(frozen=True, slots=True)
class Rows:
    """Some rows, with the code and the weight of each."""

    X: Samples  # (n_rows, n_features): Of any float type and memory order
    codes: NDArray[np.unsignedinteger]  # (n_rows,)
    weights: FloatArray | None  # (n_rows,)


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums over the rows of each class: weights, distances from the centre, squares."""

    weight: FloatArray  # (n_classes,)
    distance: FloatArray  # (n_classes, n_features)
    square: FloatArray  # (n_classes, n_features)


def blocked_moments(
    X: Samples,
    codes: LabelCodes,
    sample_weight: FloatArray | None = None,
    *,
    n_threads: int = 1,
) -> Moments:
    """Return the moments of each class, in one pass over `X`."""
    given = X, codes, sample_weight
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        centres = _centres(*given)
        moments = _one_pass(*given, centres, n_threads)
        distance = moments.mean - centres
        if (distance * distance > LOST * moments.variance).any():
            moments = _one_pass(*given, moments.mean, n_threads)
        for table in (moments.mean, moments.rest, moments.variance):
            table[moments.weight == 0.0] = 0.0
        return moments


def _some(X: Samples, codes: LabelCodes, weights: FloatArray | None, rows: slice) -> Rows:
    """Return some of the rows, with their codes made."""
    return Rows(X[rows], codes.of(rows), None if weights is None else weights[rows])


def _centres(X: Samples, codes: LabelCodes, weights: FloatArray | None) -> FloatArray:
    """Return a point near the mean of each class."""
    centres = X[codes.first_rows(weights)].astype(np.float64)
    number = max(1, min(len(X) // LOOK_AT_ONE_OF, LOOK_AT_MOST))
    looked_at = slice(None, None, len(X) // number)
    sums = _sums(_some(X, codes, weights, looked_at), centres)
    centres += sums.distance / np.maximum(sums.weight, SMALLEST)[:, np.newaxis]
    return centres


def _one_pass(
    X: Samples,
    codes: LabelCodes,
    weights: FloatArray | None,
    centres: FloatArray,
    n_threads: int,
) -> Moments:
    """Return the moments of each class, from sums about these centres."""

    def of_strip(start: int, stop: int) -> Moments:
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            rows = _some(X, codes, weights, slice(start, stop))
            return _strip_moments(_sums(rows, centres), centres)

    return reduce(merged, each_strip(of_strip, len(X), _length(centres), n_threads))


def _length(centres: FloatArray) -> int:
    """Return the rows of a block."""
    n_classes, n_features = centres.shape
    if n_classes <= MOST_CLASSES_BY_PRODUCT:
        return block_length(max(n_classes, n_features))
    return block_length(max(1, n_features // 4))


def _sums(rows: Rows, centres: FloatArray) -> Sums:
    """Return the sums over these rows, block by block."""
    n_classes = len(centres)
    sums = Sums(np.zeros(n_classes), np.zeros_like(centres), np.zeros_like(centres))
    length = min(_length(centres), len(rows.X))
    work = np.empty((length, centres.shape[1]))
    add = _add_products if n_classes <= MOST_CLASSES_BY_PRODUCT else _add_slices
    for start, stop in tiles(0, len(rows.X), length):
        weights = None if rows.weights is None else rows.weights[start:stop]
        block = Rows(as_block(rows.X, start, stop), rows.codes[start:stop], weights)
        weight = np.bincount(block.codes, block.weights, n_classes)
        np.add(sums.weight, weight, out=sums.weight)
        add(sums, block, centres, work)
    return sums


def _add_products(sums: Sums, block: Rows, centres: FloatArray, work: FloatArray) -> None:
    """Add the sums over one block, as products with the table of membership."""
    codes, weights = block.codes, block.weights
    distance = centres.take(codes, axis=0, out=work[: len(codes)], mode="clip")
    np.subtract(block.X, distance, out=distance)
    classes = np.arange(len(centres), dtype=codes.dtype)[:, np.newaxis]
    member = np.empty((len(centres), len(codes)))
    np.equal(codes, classes, out=member, casting="unsafe")
    if weights is not None:
        member *= weights
    np.add(sums.distance, member @ distance, out=sums.distance)
    distance *= distance
    np.add(sums.square, member @ distance, out=sums.square)


def _add_slices(sums: Sums, block: Rows, centres: FloatArray, work: FloatArray) -> None:
    """Add the sums over one block, as those of its rows sorted by class."""
    codes, weights = block.codes, block.weights
    order = codes.argsort(kind="stable")
    ordered = codes.take(order)
    starts = np.append(0, (ordered[1:] != ordered[:-1]).nonzero()[0] + 1)
    present = ordered.take(starts)
    distance = block.X.take(order, axis=0, out=work[: len(codes)], mode="clip")
    distance -= centres.take(ordered, axis=0)
    square = distance * distance
    if weights is not None:
        column = weights.take(order)[:, np.newaxis]
        distance *= column
        square *= column
    sums.distance[present] += np.add.reduceat(distance, starts, axis=0)
    sums.square[present] += np.add.reduceat(square, starts, axis=0)


def _strip_moments(sums: Sums, centres: FloatArray) -> Moments:
    """Return the moments that these sums about the centres make."""
    divisor = np.maximum(sums.weight, SMALLEST)[:, np.newaxis]
    shift = sums.distance / divisor
    mean, rest = two_sum(centres, shift)
    # Rounding may leave less than nothing where all rows of a strip are the same.
    squares = np.maximum(sums.square - sums.distance * shift, 0.0)
    return Moments(sums.weight, mean, rest, squares / divisor)

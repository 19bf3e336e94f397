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
feature. If a centre is so far off that digits were lost, as with sorted rows or skewed
weights, the pass is repeated about the means just computed.

References
----------
Chan, T. F., Golub, G. H. and LeVeque, R. J. (1983). Algorithms for computing the sample
variance: analysis and recommendations. The American Statistician 37, 242-247.
Higham, N. J. (2002). Accuracy and Stability of Numerical Algorithms, 2nd ed. SIAM.
"""

from functools import reduce

import numpy as np
from numpy.typing import NDArray

from gnbbench.core.moments import SMALLEST, ClassMoments, merged, two_sum
from gnbbench.core.row_blocks import (
    FloatArray,
    Samples,
    as_block,
    block_length,
    each_strip,
    tiles,
)

Codes = NDArray[np.unsignedinteger]

# The time of products grows with the number of classes, that of sorting does not.
MOST_CLASSES_BY_PRODUCT = 32
# The first look takes one row in this many, and at most this many in total.
LOOK_AT_ONE_OF, LOOK_AT_MOST = 32, 8192
# If the squared distance of a centre from the mean exceeds this many variances, over ten
# bits are lost.
LOST = 2.0**10


def blocked_moments(
    X: Samples, codes: Codes, weights: FloatArray | None = None, *, n_threads: int = 1
) -> ClassMoments:
    """Return the moments of each class, in one pass over `X`."""
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        centres = _centres(X, codes, weights)
        moments = _one_pass(X, codes, weights, centres, n_threads)
        distance = moments.mean - centres
        if (distance * distance > LOST * moments.variance).any():
            moments = _one_pass(X, codes, weights, moments.mean, n_threads)
        for table in (moments.mean, moments.rest, moments.variance):
            table[moments.weight == 0.0] = 0.0
        return moments


def _centres(X: Samples, codes: Codes, weights: FloatArray | None) -> FloatArray:
    """Return a point near the mean of each class."""
    first = np.zeros(int(codes.max()) + 1, dtype=np.intp)
    for start, stop in reversed(list(tiles(0, len(X), LOOK_AT_MOST))):
        rows = np.arange(stop - 1, start - 1, -1)
        if weights is not None:
            rows = rows[weights[rows] > 0.0]
        first[codes[rows]] = rows
    centres = X[first].astype(np.float64)
    step = len(X) // max(1, min(len(X) // LOOK_AT_ONE_OF, LOOK_AT_MOST))
    seen = None if weights is None else weights[::step]
    sums = _sums(X[::step], codes[::step], seen, centres)
    return sums.mean + sums.rest


def _one_pass(
    X: Samples,
    codes: Codes,
    weights: FloatArray | None,
    centres: FloatArray,
    n_threads: int,
) -> ClassMoments:
    """Return the moments of each class, from sums about these centres."""

    def of_strip(start: int, stop: int) -> ClassMoments:
        of_rows = None if weights is None else weights[start:stop]
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            return _sums(X[start:stop], codes[start:stop], of_rows, centres)

    length = _length(centres)
    return reduce(merged, each_strip(of_strip, len(X), length, n_threads))


def _length(centres: FloatArray) -> int:
    """Return the number of rows in a block."""
    n_classes, n_features = centres.shape
    if n_classes <= MOST_CLASSES_BY_PRODUCT:
        return block_length(max(n_classes, n_features))
    return block_length(max(1, n_features // 4))


def _sums(
    X: Samples, codes: Codes, weights: FloatArray | None, centres: FloatArray
) -> ClassMoments:
    """Return the moments of these rows, from sums over them block by block."""
    weight, sums = np.zeros(len(centres)), np.zeros((2, *centres.shape))
    length = min(_length(centres), len(X))
    work = np.empty((length, centres.shape[1]))
    add = _add_products if len(centres) <= MOST_CLASSES_BY_PRODUCT else _add_slices
    for start, stop in tiles(0, len(X), length):
        of_rows, block = codes[start:stop], as_block(X, start, stop)
        of_block = None if weights is None else weights[start:stop]
        distance = centres.take(of_rows, axis=0, out=work[: len(block)], mode="clip")
        np.subtract(block, distance, out=distance)
        weight += np.bincount(of_rows, of_block, len(centres))
        add(sums, of_rows, distance, of_block)
    divisor = np.maximum(weight, SMALLEST)[:, np.newaxis]
    shift = sums[0] / divisor
    mean, rest = two_sum(centres, shift)
    # Rounding may leave a negative sum if all rows of a strip are equal.
    squares = np.maximum(sums[1] - sums[0] * shift, 0.0)
    return ClassMoments(weight, mean, rest, squares / divisor)


def _add_products(
    sums: FloatArray, codes: Codes, distance: FloatArray, weights: FloatArray | None
) -> None:
    """Add the sums over one block, as products with the membership table."""
    classes = np.arange(sums.shape[1], dtype=codes.dtype)[:, np.newaxis]
    member = np.empty((len(classes), len(codes)))
    np.equal(codes, classes, out=member, casting="unsafe")
    if weights is not None:
        member *= weights
    sums[0] += member @ distance
    distance *= distance
    sums[1] += member @ distance


def _add_slices(
    sums: FloatArray, codes: Codes, distance: FloatArray, weights: FloatArray | None
) -> None:
    """Add the sums over one block, after sorting its rows by class."""
    order = codes.argsort(kind="stable")
    ordered, distance = codes.take(order), distance.take(order, axis=0)
    starts = np.append(0, (ordered[1:] != ordered[:-1]).nonzero()[0] + 1)
    square = distance * distance
    if weights is not None:
        column = weights.take(order)[:, np.newaxis]
        distance *= column
        square *= column
    sums[0, ordered[starts]] += np.add.reduceat(distance, starts, axis=0)
    sums[1, ordered[starts]] += np.add.reduceat(square, starts, axis=0)

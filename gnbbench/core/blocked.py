"""Moments, labels and scores of many rows, in blocks that fit in cache.

Moments take one pass. Within a block, z = x - c is the distance of a row from the centre of
its class. Sums of z and of z^2 over the rows of each class are products with the 0/1 table
of membership, or, for many classes, sums over the rows sorted by class. They give the mean
c + s_1 / w and the sum of squares s_2 - s_1^2 / w of each class in a strip of blocks, and
strips are merged by the update of Chan, Golub and LeVeque (1983, eq. 2.1).

A sum of n terms in any order is off by at most gamma_{n-1} of the sum of magnitudes
(Higham 2002, section 4.2), so that the sum of squares of a class is off by less than
3 gamma_{n+8} w (V + (c - m)^2), m and V being its mean and variance. With centres near the
means that is the error of two passes. A first look at a few rows finds such centres: the
first row of the class plus the mean distance from it, which is exact for a constant
feature. If a centre is so far off that digits were lost, as with sorted rows or skewed
weights, the pass is repeated about the means just computed.

Labels and scores come from matrix products, with proofs of the labels. With z = x - c about
one centre c and t = theta - c, the score of a class is
``b - 1/2 sum (z - t)^2 / v = (b - 1/2 sum t^2 / v) + z (t / v) - 1/2 z^2 (1 / v)``: two
products for all classes of a block of rows. Both this and the direct evaluation of
`gnbbench.core.likelihood` start from the same means and variances, so that they differ only
by rounding. For a class with p features let y = x - theta, Q = sum y^2 / v,
T = sum t^2 / v, L = sum |log(2 pi v)|, u the unit roundoff and gamma_k = k u / (1 - k u).
A sum of n terms in any order, with or without fused multiply-add, is off by at most
gamma_{n-1} of the sum of magnitudes, and j roundings of each term before make that
gamma_{n-1+j} (Higham 2002, lemmas 3.1 and 3.3, eq. 3.5):

- A term z t / v takes one rounding each of z, t, the quotient and the product; a term
  1/2 z^2 / v two of z, and one of the square, the quotient and the product. Adding up p of
  them, the other sum and the constant takes p + 1 more: gamma_{p+6} (sum |z t| / v +
  1/2 sum z^2 / v), which is at most gamma_{p+6} (3/2 Q + 5/2 T), since z = y + t and
  2 |y t| <= y^2 + t^2.
- 1/2 sum t^2 / v in the constant is off by gamma_{p+5} T / 2.
- In the direct evaluation 1/2 sum y^2 / v is off by gamma_{p+5} Q / 2.
- The logarithms and the prior are off by gamma_{p+16} (1 + L / 2 + |log P|) in each, log
  being accurate to four units in the last place.

Together they differ by at most gamma_{p+6} (2 Q + 3 T) + gamma_{p+16} (2 + L + 2 |log P|),
the products by underflow being too small to count where variances are in range. Q is
twice the distance of the score from its largest value. A label is *proved* if its score
less its bound exceeds every other score plus its bound: then it is the only largest one of
the direct evaluation. All other rows are evaluated directly. Nothing is proved of a row
with a score beyond 1e250, or none, since one of its terms may have overflowed.

Taking Q from a rounded score is covered by the factor 1.02 in
`gnbbench.core.certificate`, as long as the slope of the bound is at most 2^-10.

Scores themselves come from the products if the bound keeps all scores of a row within
`AGREEMENT` times max(1, |score|) of the direct evaluation, else from the latter.

References
----------
Chan, T. F., Golub, G. H. and LeVeque, R. J. (1983). Algorithms for computing the sample
variance: analysis and recommendations. The American Statistician 37, 242-247.
Higham, N. J. (2002). Accuracy and Stability of Numerical Algorithms, 2nd ed. SIAM.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.core import certificate
from gnbbench.core.certificate import ScoreBound
from gnbbench.core.likelihood import ClassParameters, direct_scores, warn_of_zero_variances
from gnbbench.core.moments import SMALLEST, ClassMoments, merged, two_sum
from gnbbench.core.row_blocks import (
    BoolArray,
    FloatArray,
    Samples,
    as_block,
    block_length,
    each_strip,
    tiles,
)
from gnbbench.core.validation import raise_for_non_finite

Codes = NDArray[np.unsignedinteger]
# Distances, and their products with the linear and the quadratic part.
Work = tuple[FloatArray, FloatArray, FloatArray]

# The time of products grows with the number of classes, that of sorting does not.
MOST_CLASSES_BY_PRODUCT = 32
# The first look takes one row in this many, and at most this many in total.
LOOK_AT_ONE_OF, LOOK_AT_MOST = 32, 8192
# If the squared distance of a centre from the mean exceeds this many variances, over ten
# bits are lost.
LOST = 2.0**10
# Largest difference from the direct evaluation, relative to max(1, |score|).
AGREEMENT = 1e-10
# Minimum number of rows in a block of scores.
FEWEST_ROWS = 256


@dataclass(frozen=True)
class Products:
    """The factors to multiply blocks of rows by, and the bound on the error."""

    centres: FloatArray  # (n_rows, n_features): The centre, once per row
    linear: FloatArray  # (n_features, n_classes): theta' / var
    quadratic: FloatArray  # (n_features, n_classes): -1/2 / var
    constant: FloatArray  # (n_classes, 1)
    bound: ScoreBound  # For one run

    @property
    def nearest(self) -> FloatArray:
        """Magnitude from which scores agree with the direct evaluation, (n_classes, 1).

        Zero if all do. As Q <= 2 (|ceiling| + |score|), a score s agrees if
        ``offset + 2 slope (|ceiling| + |s|) <= AGREEMENT max(1, |s|)``.
        """
        offset, slope = self.bound.offset, 2.0 * self.bound.slope
        with np.errstate(all="ignore"):
            nearest = (offset + slope * np.abs(self.bound.ceiling)) / (AGREEMENT - slope)
        nearest[~(slope < AGREEMENT)] = np.inf
        nearest[(nearest <= 1.0) | self.impossible[:, np.newaxis]] = 0.0
        return nearest

    @cached_property
    def impossible(self) -> BoolArray:
        """Which classes cannot be predicted, shape (n_classes,)."""
        return np.isneginf(self.bound.ceiling[:, 0])

    def scores(self, X: FloatArray, work: Work) -> FloatArray:
        """Return the scores of a block of rows, valid until `work` is reused.

        The caller must silence NumPy's floating-point errors.
        """
        rows = len(X)
        distance, linear, quadratic = (table[:rows] for table in work)
        np.subtract(X, self.centres[:rows], out=distance)
        np.matmul(distance, self.linear, out=linear)
        np.multiply(distance, distance, out=distance)
        np.matmul(distance, self.quadratic, out=quadratic)
        linear += quadratic
        scores = quadratic.reshape(-1, rows)
        np.add(linear.T, self.constant, out=scores)
        if not scores.min() > -certificate.LARGEST_RATIO:
            scores[:, ~(scores.min(axis=0) > -certificate.LARGEST_RATIO)] = np.nan
        if self.impossible.any():
            scores[self.impossible] = -np.inf
        return scores

    def work(self) -> Work:
        """Return working memory for `scores`, for one thread."""
        length = len(self.centres)
        widths = len(self.linear), len(self.constant), len(self.constant)
        first, second, third = (np.empty((length, width)) for width in widths)
        return first, second, third


def products_of(parameters: ClassParameters, length: int) -> Products:
    """Return the factors for the scores of this model."""
    with np.errstate(all="ignore"):
        centre = np.exp(parameters.log_prior) @ parameters.theta
        shift = (parameters.theta - centre)[:, np.newaxis]
        var = parameters.var[:, np.newaxis]
        bound = _bound(parameters.log_prior[:, np.newaxis], shift, var)
        weights = certificate.score_weights(shift, var, bound)[:, 0]
    linear, quadratic, constant = np.split(weights.T.copy(), [len(centre), -1])
    centres = np.repeat(centre[np.newaxis], length, axis=0)
    return Products(centres, linear, quadratic, constant.T, bound)


def _bound(
    log_prior: FloatArray,
    shift: FloatArray,
    var: FloatArray,
) -> ScoreBound:
    """Return the bound on the difference between the two evaluations, for one run."""
    n_features = shift.shape[-1]
    log_prior, possible, logs = certificate.constants(log_prior, var)
    pull = (np.square(shift) / var).sum(axis=-1)
    sizes = 2.0 + np.abs(logs).sum(axis=-1) + 2.0 * np.abs(log_prior)
    of_sums = certificate.gamma(n_features + 6.0)
    offset = 3.0 * of_sums * pull + certificate.gamma(n_features + 16.0) * sizes
    usable = certificate.in_range(var) & (pull <= certificate.LARGEST_RATIO)
    usable &= of_sums <= certificate.LARGEST_SHARE / 2.0
    ceiling = log_prior - 0.5 * logs.sum(axis=-1)
    return certificate.score_bound(offset, 2.0 * of_sums, ceiling, possible, usable)


def blocked_labels(
    X: Samples,
    parameters: ClassParameters,
    classes: NDArray[Any],
    estimator: str,
    *,
    n_threads: int = 1,
) -> NDArray[Any]:
    """Return the label of each row, equal to that of the direct evaluation."""
    warn_of_zero_variances(parameters.var, stacklevel=3)
    length = min(block_length(max(parameters.var.shape)), len(X))
    products = products_of(parameters, length)
    labels = np.empty(len(X), dtype=classes.dtype)
    provable = bool(products.bound.finite.all())

    @np.errstate(all="ignore")
    def of_strip(start: int, stop: int) -> NDArray[np.intp]:
        if not provable:
            return np.arange(start, stop)
        unproved, work = [], products.work()
        for begin, end in tiles(start, stop, length):
            scores = products.scores(as_block(X, begin, end), work)
            codes, proved = products.bound.proved_labels(scores[:, np.newaxis])
            labels[begin:end] = classes.take(codes[0])
            unproved.append(begin + np.logical_not(proved[0]).nonzero()[0])
        return np.concatenate(unproved)

    for rows in each_strip(of_strip, len(X), length, n_threads):
        for begin, end in tiles(0, len(rows), length):
            scores = _direct(X, rows[begin:end], parameters, estimator)
            labels[rows[begin:end]] = classes.take(scores.argmax(axis=0))
    return labels


def blocked_scores(
    X: Samples,
    parameters: ClassParameters,
    estimator: str,
    *,
    finish: Callable[[FloatArray], FloatArray],
    comparable: bool = True,
    n_threads: int = 1,
) -> FloatArray:
    """Return `finish` applied to the joint log-likelihood of each row."""
    warn_of_zero_variances(parameters.var, stacklevel=4)
    # Small tables reuse memory.
    few = max(FEWEST_ROWS, len(X) // 4)
    length = min(block_length(max(parameters.var.shape)), few, len(X))
    products = products_of(parameters, length)
    result = np.empty((len(parameters.var), len(X)))
    nearest = products.nearest
    provable, some_differ = bool(np.isfinite(nearest).all()), bool(nearest.any())

    def of_strip(start: int, stop: int) -> None:
        work = products.work()
        for begin, end in tiles(start, stop, length):
            if provable:
                with np.errstate(all="ignore"):
                    scores = products.scores(as_block(X, begin, end), work)
                unsure = ~(np.abs(scores) >= nearest) if some_differ else np.isnan(scores)
                open_rows = np.flatnonzero(unsure.any(axis=0))
            else:
                scores = np.empty((len(result), end - begin))
                open_rows = np.arange(end - begin)
            if len(open_rows):
                rows = begin + open_rows
                scores[:, open_rows] = _direct(
                    X, rows, parameters, estimator, comparable=comparable
                )
            result[:, begin:end] = finish(scores)

    for _ in each_strip(of_strip, len(X), length, n_threads):
        pass
    return result


def _direct(
    X: Samples,
    rows: NDArray[np.intp],
    parameters: ClassParameters,
    estimator: str,
    *,
    comparable: bool = True,
) -> FloatArray:
    """Return the scores of some rows, bit for bit as among all rows."""
    by_column = abs(X.strides[0]) < abs(X.strides[1])
    # A single row would be summed in a different order.
    taken = np.asarray(
        X[rows if len(rows) > 1 else rows.repeat(2)], order="F" if by_column else "C"
    )
    if not np.isfinite(taken).all():
        raise_for_non_finite(X, "X", estimator)
    return direct_scores(taken, parameters, estimator, comparable=comparable)[
        :, : len(rows)
    ]


def blocked_moments(
    X: Samples,
    codes: Codes,
    weights: FloatArray | None = None,
    *,
    n_threads: int = 1,
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
    X: Samples,
    codes: Codes,
    weights: FloatArray | None,
    centres: FloatArray,
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
    sums: FloatArray,
    codes: Codes,
    distance: FloatArray,
    weights: FloatArray | None,
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
    sums: FloatArray,
    codes: Codes,
    distance: FloatArray,
    weights: FloatArray | None,
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

"""Weight, mean and variance of each class: bit for bit as NumPy's for a batch, or merged.

NumPy sums the rows of a class one after another. Here rows are gathered into a table of
shape (rank within the class, class, feature), short classes are padded with -0.0, which
changes no sum, and one reduction over the first axis sums all classes. Large data are
processed block by block; the sum of all earlier blocks is added to the first row of a
table, so that additions are made in the same order.

A single feature is one block, since NumPy sums it pairwise, not row by row.
"""

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnbbench.core.labels import class_weights, label_codes, label_groups
from gnbbench.core.row_blocks import FloatArray, Samples, block_length, tiles
from gnbbench.core.validation import raise_for_non_finite

# Replaces the weight of an empty class in a divisor.
SMALLEST = float(np.finfo(np.float64).smallest_subnormal)
UNIT_ROUNDOFF = 2.0**-53
# Up to this many values (2 MiB) are one block. Larger data have blocks of this many values
# and this many rows per class: long enough for fast reductions, and small enough for a
# cache.
BLOCK_VALUES, BLOCK_ROWS_A_CLASS = 262_144, 8
# Classes share a table if padding multiplies the rows by at most this factor.
MOST_PADDING = 2
# The squared rounding error of a mean is removed from mean and variance where it exceeds
# this fraction of a variance. The error is computed, in one more pass, if it is likely to
# exceed a much smaller fraction of a deviation, since it matters when batches are merged.
# The likely error is 4 sqrt(n) u for a sum of n terms (Higham and Mary 2019).
NEGLIGIBLE, LOOKED_FOR = 5e-13, 2e-12
# Up to this many values, with a row counted as 16 more, all columns are summed to find the
# largest variance; beyond, only the candidates, one by one if they are few.
FEW_VALUES, FEW_COLUMNS = 12_000, 0.125


class ClassMoments(NamedTuple):
    """First two moments of each class, zero for an empty class.

    The mean is an unevaluated sum of two doubles, so that merging many batches loses no
    digits however far the data are from zero.
    """

    weight: FloatArray  # (n_classes,): Sum of the weights, or number of rows
    mean: FloatArray  # (n_classes, n_features), as all that follow: Rounded to double
    rest: FloatArray  # Rounding error of the mean
    variance: FloatArray  # Maximum-likelihood estimate

    def overall_variance(self) -> FloatArray:
        """Return the variance of all rows together, shape (n_features,)."""
        share = (self.weight / np.add.reduce(self.weight))[:, np.newaxis]
        with np.errstate(over="ignore", invalid="ignore"):
            distance = (self.mean - self.mean[self.weight.argmax()]) + self.rest
            distance -= np.add.reduce(share * distance, axis=0)
            distance *= distance
            distance += self.variance
            overall: FloatArray = np.add.reduce(share * distance, axis=0)
        return overall


def check_range(
    X: Samples,
    weights: FloatArray | None,
    moments: ClassMoments,
    largest: float,
    estimator: str,
) -> None:
    """Raise if values are not finite, or their variance exceeds the range of float64.

    `largest` is the largest variance of all rows with positive weight.
    """
    if 0.0 < largest < math.inf:
        return
    raise_for_non_finite(X, "X", estimator)
    if not math.isfinite(largest):
        beyond = np.flatnonzero(~np.isfinite(moments.overall_variance())).tolist()
        raise ValueError(
            f"The variance of feature(s) {beyond} of X is too large for float64. "
            "Rescale X, for example with StandardScaler."
        )
    first = X[0 if weights is None else weights.argmax()]
    for start, stop in tiles(0, len(X), block_length(X.shape[1])):
        varies = (X[start:stop] != first).any(axis=1)
        if weights is not None:
            varies &= weights[start:stop] > 0.0
        if varies.any():
            raise ValueError(
                "The variance of every feature of X is too small for float64, though they "
                "are not constant. Rescale X, for example with StandardScaler."
            )


def merged(first: ClassMoments, second: ClassMoments) -> ClassMoments:
    """Return the moments of all rows of both.

    The pairwise update of Chan, Golub and LeVeque (1983, eq. 2.1), with the mean carried
    in two doubles (Knuth's two-sum, 1969) instead of one.
    """
    weight = first.weight + second.weight
    of_first, share = (
        (part.weight / np.maximum(weight, SMALLEST))[:, np.newaxis]
        for part in (first, second)
    )
    delta = (second.mean - first.mean) + (second.rest - first.rest)
    mean, rest = two_sum(first.mean, delta * share)
    mean, rest = two_sum(mean, rest + first.rest)
    variance = of_first * first.variance + share * second.variance
    variance += delta * delta * (of_first * share)
    for empty, other in ((first, second), (second, first)):
        untouched = empty.weight == 0.0
        mean[untouched] = other.mean[untouched]
        rest[untouched] = other.rest[untouched]
        variance[untouched] = other.variance[untouched]
    return ClassMoments(weight, mean, rest, variance)


def updated_mean_and_variance(
    n_past: float,
    mu: ArrayLike,
    var: ArrayLike,
    X: ArrayLike,
    sample_weight: ArrayLike | None = None,
) -> tuple[ArrayLike, ArrayLike]:
    """Return mean and variance of one class, of `n_past` rows and those of `X`."""
    rows = np.asarray(X, dtype=np.float64)
    weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if not (len(rows) if weights is None else weights.sum()):
        return mu, var
    mean, variance = (
        np.array(values, dtype=np.float64)[np.newaxis] for values in (mu, var)
    )
    past = ClassMoments(np.array([n_past]), mean, np.zeros_like(mean), variance)
    one_class = np.zeros(len(rows), dtype=np.intp)
    both = merged(past, exact_moments(rows, one_class, weights, var_smoothing=0.0)[1])
    return both.mean[0], both.variance[0]


def placed(
    moments: ClassMoments, positions: NDArray[np.intp], n_classes: int
) -> ClassMoments:
    """Return the moments with empty classes added."""
    if len(positions) == n_classes:
        return moments
    weight = np.zeros(n_classes)
    weight[positions] = moments.weight
    tables = np.zeros((3, n_classes, moments.mean.shape[1]))
    tables[:, positions] = moments.mean, moments.rest, moments.variance
    return ClassMoments(weight, *tables)


def two_sum(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the rounded sum and its exact rounding error (Knuth 1969)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


class RowTable(NamedTuple):
    """Indices that gather the rows of some classes of a block into one table."""

    classes: slice
    rows: NDArray[np.intp]  # (rows of the largest class, number of classes)
    short: list[tuple[int, int]]  # Column and number of rows of each smaller class


class RowBlock(NamedTuple):
    """Consecutive samples and how to gather their rows."""

    X: FloatArray
    weights: FloatArray | None  # (n_rows, 1)
    tables: list[RowTable]


class GroupedRows:
    """The rows of each class, in one block or many."""

    def __init__(
        self, X: Samples, labels: NDArray[Any], sample_weight: FloatArray | None
    ) -> None:
        self.X = X
        self.weights = None if sample_weight is None else sample_weight[:, np.newaxis]
        self.only: RowBlock | None = None
        self.room = np.empty(0)
        if X.size <= BLOCK_VALUES or X.shape[1] == 1:
            self.classes, order, starts = label_groups(labels)
            bounds = [*starts.tolist(), len(X)]
            sizes = [stop - start for start, stop in pairwise(bounds)]
            self.most = max(sizes)
            tables = _tables(order, bounds, sizes, X.shape[1])
            self.only = RowBlock(X.astype(np.float64, copy=False), self.weights, tables)
            if sample_weight is None:
                self.weight = np.array(sizes, dtype=np.float64)
            else:
                self.weight = np.add.reduceat(sample_weight.take(order), starts)
        else:
            self.classes, self.codes = label_codes(labels)
            self.weight = class_weights(self.codes, None, len(self.classes))
            self.most = int(self.weight.max())
            if sample_weight is not None:
                self.weight = class_weights(self.codes, sample_weight, len(self.classes))
        self.divisor = self.weight[:, np.newaxis]
        if sample_weight is not None:
            self.divisor = np.maximum(self.divisor, SMALLEST)

    def blocks(self) -> Iterator[RowBlock]:
        """Yield the blocks in the order of the rows."""
        n_classes, (n_samples, n_features) = len(self.classes), self.X.shape
        length = max(BLOCK_VALUES // n_features, BLOCK_ROWS_A_CLASS * n_classes)
        # Copied in order, rows are in a cache when they are gathered by class.
        room = np.empty((min(length, n_samples), n_features))
        for start, stop in tiles(0, n_samples, length):
            codes = self.codes[start:stop]
            sizes = np.bincount(codes, minlength=n_classes)
            bounds = [0, *sizes.cumsum().tolist()]
            order = codes.argsort(kind="stable")
            tables = _tables(order, bounds, sizes.tolist(), n_features)
            weights = None if self.weights is None else self.weights[start:stop]
            block = room[: stop - start]
            block[:] = self.X[start:stop]
            yield RowBlock(block, weights, tables)

    def moments(self) -> tuple[FloatArray, FloatArray]:
        """Return the mean and variance of each class."""
        if self.only is None:
            mean = self.means()
            return mean, self.means(mean, squared=True)
        X, weights, tables = self.only
        means, variances = [], []
        for classes, rows, short in tables:
            divisor, of_rows = self.divisor[classes], None
            if weights is not None:
                of_rows = _gathered(weights, rows)
            values = _gathered(X, rows)
            mean = _sums(values, of_rows, short)
            mean /= divisor
            values -= mean
            values *= values
            variance = _sums(values, of_rows, short)
            variance /= divisor
            means.append(mean)
            variances.append(variance)
        if len(tables) == 1:
            return means[0], variances[0]
        return np.concatenate(means), np.concatenate(variances)

    def means(
        self,
        about: FloatArray | None = None,
        *,
        squared: bool = False,
        columns: Any = slice(None),
    ) -> FloatArray:
        """Return class means of the rows, or of their (squared) deviations."""
        total = np.full((len(self.weight), self.X[:1, columns].shape[1]), -0.0)
        for X, weights, tables in (self.only,) if self.only else self.blocks():
            for classes, rows, short in tables:
                values = self._in_room(X[:, columns], rows)
                if about is not None:
                    values -= about[classes]
                if squared:
                    values *= values
                of_rows = None if weights is None else weights[rows]
                total[classes] = _sums(values, of_rows, short, total[classes])
        total /= self.divisor
        return total

    def _in_room(self, X: FloatArray, rows: NDArray[np.intp]) -> FloatArray:
        """Return these rows in reused memory; allocating would cost more than sums."""
        shape = *rows.shape, X.shape[1]
        if self.room.size < math.prod(shape):
            self.room = np.empty(math.prod(shape) * 9 // 8)
        values = self.room[: math.prod(shape)].reshape(shape)
        return X.take(rows, axis=0, out=values, mode="clip")


def _sums(
    values: FloatArray,
    weights: FloatArray | None,
    short: list[tuple[int, int]],
    before: FloatArray | None = None,
) -> FloatArray:
    """Return the (weighted) sums over the first axis, added to those of earlier rows."""
    if weights is not None:
        values = values * weights
    for column, size in short:
        values[size:, column] = -0.0
    if before is not None:
        values[0] += before
    sums: FloatArray = np.add.reduce(values, axis=0)
    return sums


def _gathered(X: FloatArray, rows: NDArray[np.intp]) -> FloatArray:
    """Return these rows; `take` would first copy an array that is not contiguous."""
    return X.take(rows, axis=0) if X.flags.c_contiguous else X[rows]


def exact_moments(
    X: Samples,
    labels: NDArray[Any],
    sample_weight: FloatArray | None = None,
    *,
    var_smoothing: float,
) -> tuple[NDArray[Any], ClassMoments, float]:
    """Return the labels, their moments, and the largest variance over all rows."""
    rows = GroupedRows(X, labels, sample_weight)
    with np.errstate(over="ignore", invalid="ignore"):
        mean, variance = rows.moments()
        moments = ClassMoments(rows.weight, mean, np.zeros(mean.shape), variance)
        if sample_weight is None:
            largest = largest_variance(X, moments)
        else:
            largest = float(moments.overall_variance().max())
        smoothed = variance + var_smoothing * largest
        error = mean * (4.0 * math.sqrt(rows.most) * UNIT_ROUNDOFF / LOOKED_FOR)
        doubt = error * error > smoothed
        if np.count_nonzero(doubt):
            columns = np.flatnonzero(doubt.any(axis=0))
            moments.rest[:, columns] = rows.means(mean[:, columns], columns=columns)
            moments = _corrected(moments, smoothed, len(X))
            overall = float(moments.overall_variance().max())
            if abs(overall - largest) > NEGLIGIBLE * overall:
                largest = overall
    return rows.classes, moments, largest


def _tables(
    order: NDArray[np.intp], bounds: list[int], sizes: list[int], n_features: int
) -> list[RowTable]:
    """Return one table of all classes, or one per class if that would be much larger."""
    longest = max(sizes)
    if longest * len(sizes) > MOST_PADDING * len(order) or n_features == 1:
        return [
            RowTable(slice(code, code + 1), order[start:stop, np.newaxis], [])
            for code, (start, stop) in enumerate(pairwise(bounds))
            if start < stop
        ]
    rows = np.zeros((longest, len(sizes)), dtype=np.intp)
    for code, size in enumerate(sizes):
        rows[:size, code] = order[bounds[code] : bounds[code + 1]]
    short = [(code, size) for code, size in enumerate(sizes) if size < longest]
    return [RowTable(slice(None), rows, short)]


def _corrected(moments: ClassMoments, smoothed: FloatArray, terms: int) -> ClassMoments:
    """Remove the rounding error of the mean where it matters.

    This is the corrected two-pass algorithm of Chan, Golub and LeVeque (1983, eq. 1.7). A
    variance due to rounding alone means a constant, whose mean is exact.
    """
    weight, mean, rest, variance = moments
    excess = rest * rest
    counts = excess > NEGLIGIBLE * smoothed
    if not np.count_nonzero(counts):
        return moments
    constant = counts & (variance - excess <= 4 * terms * UNIT_ROUNDOFF * variance)
    variance = np.where(constant, 0.0, variance - np.where(counts, excess, 0.0))
    exact, left = two_sum(mean, rest)
    left = np.where(constant, 0.0, left)
    return ClassMoments(
        weight, np.where(counts, exact, mean), np.where(counts, left, rest), variance
    )


def largest_variance(X: Samples, moments: ClassMoments) -> float:
    """Return ``numpy.var(X, axis=0).max()`` of all rows, bit for bit.

    A variance is first estimated as the mean square minus the squared mean. This, the
    moments of the classes and NumPy's sums all have errors below a few n u times the mean
    square, u being the unit roundoff, so that only features within 16 n u of the largest
    may be NumPy's largest, and only these are summed.
    """
    by_row, by_column = X.strides
    ordinary = X.size + 16 * len(X) > FEW_VALUES and min(X.shape) > 1
    if not ordinary or min(by_row, by_column) <= 0 or by_row == by_column:
        variances = _variances(X.astype(np.float64, copy=False))
        return float(variances[variances.argmax()])
    share = moments.weight / len(X)
    mean_square = share @ (moments.variance + moments.mean * moments.mean)
    variance = mean_square - np.square(share @ moments.mean)
    doubt = (16.0 * len(X) * UNIT_ROUNDOFF) * mean_square
    columns = (variance + doubt >= (variance - doubt).max()).nonzero()[0]
    if len(columns) == 0:  # Not finite
        return float(moments.overall_variance().max())
    if by_row < by_column:
        of_columns = (X[:, column].astype(np.float64, copy=False) for column in columns)
        return max(float(_variances(column)) for column in of_columns)
    if len(columns) > FEW_COLUMNS * X.shape[1] + 1:
        return float(_row_by_row(X).max())
    return max(float(_row_by_row(X[:, column])) for column in columns)


def _variances(values: FloatArray) -> FloatArray:
    """Return ``numpy.var(values, axis=0)`` without its overhead on small arrays."""
    mean = np.add.reduce(values, axis=0)
    mean /= len(values)
    deviation = values - mean
    deviation *= deviation
    variance: FloatArray = np.add.reduce(deviation, axis=0)
    variance /= len(values)
    return variance


def _row_by_row(values: Samples) -> FloatArray:
    """Return the variance of one or several columns, summed row by row."""
    mean = _ordered_sum(values) / len(values)
    return _ordered_sum(values, mean) / len(values)


def _ordered_sum(values: Samples, mean: FloatArray | None = None) -> FloatArray:
    """Return the sum of all rows, or of their squared deviations, row by row."""
    total: Any = None
    length = max(1, BLOCK_VALUES // values[0].size)
    for start, stop in tiles(0, len(values), length):
        block = values[start:stop].astype(np.float64, order="C")
        if mean is not None:
            block -= mean
            block *= block
        if total is not None:
            block[0] += total
        # NumPy's sum would add a single column pairwise.
        total = np.add.reduce(block) if block.ndim > 1 else np.add.accumulate(block)[-1]
    result: FloatArray = total
    return result

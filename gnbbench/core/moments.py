"""Weights, means and sums of squares of groups of rows: of a block, and merged."""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.core.row_blocks import FloatArray, Samples, block_length, tiles
from gnbbench.core.validation import raise_for_non_finite

# The same rows twice: brought together by group, and in the order of the samples.
Pair = tuple[FloatArray, FloatArray]

# Below this share of a variance the rounding error of a mean stays as scikit-learn leaves
# it, and so it does where the usual smoothing drowns it: results keep scikit-learn's bits.
NEGLIGIBLE = 5e-13
DROWNED = NEGLIGIBLE * 1e-9

# Up to so many values (128 KiB), a mean for every row costs less than a call for every
# group; a larger array would come from the system anew each time.
REPEATED_VALUES = 16_384

# Stands for the weight of an empty group in a divisor.
SMALLEST = float(np.finfo(np.float64).smallest_subnormal)


@dataclass(frozen=True, slots=True)
class Moments:
    """First two moments of several groups of rows; the last group is all rows together.

    The mean is kept as an unevaluated sum of two doubles, so that merging many blocks
    loses no digits however far the data lie from zero.
    """

    # (n_groups,): Sum of the weights of each group; the number of rows without weights
    weight: FloatArray
    # (n_groups, n_features): Mean, rounded to double; zero for an empty group
    mean: FloatArray
    mean_rest: FloatArray  # (n_groups, n_features): What rounding left of the mean
    # (n_groups, n_features): Weighted sum of squared deviations from the mean
    squares: FloatArray

    def variance(self) -> FloatArray:
        """Return the maximum-likelihood variance, zero for an empty group."""
        return self.squares / np.maximum(self.weight, SMALLEST)[:, np.newaxis]


def block_moments(
    X: FloatArray,
    order: NDArray[np.intp],
    starts: NDArray[np.intp],
    sample_weight: FloatArray | None = None,
) -> Moments:
    """Return the moments of each group of rows of `X`, and of all rows last.

    Sums run in the order in which ``numpy.mean`` and ``numpy.var`` take them over a
    contiguous copy of each group, so that means and variances have the same bits.
    """
    bounds = [*starts.tolist(), len(X)]
    grouped = X.take(order, axis=0)
    weights = None
    if sample_weight is None:
        sizes = [stop - start for start, stop in pairwise(bounds)]
        weight = np.array([*sizes, len(X)], dtype=np.float64)
    else:
        column = sample_weight[:, np.newaxis]
        weights = (column.take(order, axis=0), column)
        weight = _sums(weights, bounds).ravel()
    divisor = np.maximum(weight, SMALLEST)[:, np.newaxis]
    mean = _sums(_weighted((grouped, X), weights), bounds)
    mean /= divisor
    deviation = X - mean[-1]
    _centre(grouped, mean, bounds)
    of_groups, of_all = _weighted((grouped, deviation), weights)
    rest = np.empty_like(mean)
    np.add.reduceat(of_groups, starts, axis=0, out=rest[:-1])
    np.add.reduce(of_all, axis=0, out=rest[-1])
    rest /= divisor
    grouped *= of_groups
    deviation *= of_all
    return _corrected(Moments(weight, mean, rest, _sums((grouped, deviation), bounds)))


def check_range(X: Samples, moments: Moments, estimator: str) -> None:
    """Raise where values are not finite, or their variance leaves the range of float64."""
    largest = float(moments.squares[-1].max())
    if 0.0 < largest < math.inf:
        return
    raise_for_non_finite(X, "X", estimator)
    if not math.isfinite(largest):
        beyond = np.flatnonzero(~np.isfinite(moments.squares[-1])).tolist()
        raise ValueError(
            f"The variance of feature(s) {beyond} of X is too large for float64. "
            "Rescale X, for example with StandardScaler."
        )
    blocks = tiles(0, len(X), block_length(X.shape[1]))
    if any((X[0] != X[start:stop]).any() for start, stop in blocks):
        raise ValueError(
            "The variance of every feature of X is too small for float64, though they are "
            "not constant. Rescale X, for example with StandardScaler."
        )


def merged(first: Moments, second: Moments) -> Moments:
    """Return the moments of the rows of both, as if they had been taken together.

    The pairwise update of Chan, Golub and LeVeque (1983, eq. 2.1), with the mean carried
    in two doubles (Knuth's two-sum, 1969) instead of one.
    """
    weight = first.weight + second.weight
    share = (second.weight / np.where(weight > 0.0, weight, 1.0))[:, np.newaxis]
    delta = (second.mean - first.mean) + (second.mean_rest - first.mean_rest)
    mean, rest = two_sum(first.mean, delta * share)
    mean, rest = two_sum(mean, rest + first.mean_rest)
    between = delta * delta * (first.weight[:, np.newaxis] * share)
    squares = first.squares + second.squares + between
    for empty, other in ((first, second), (second, first)):
        untouched = empty.weight == 0.0
        mean[untouched] = other.mean[untouched]
        rest[untouched] = other.mean_rest[untouched]
        squares[untouched] = other.squares[untouched]
    return Moments(weight, mean, rest, squares)


def placed(moments: Moments, positions: NDArray[np.intp], n_groups: int) -> Moments:
    """Return the same moments among more groups, the new ones empty."""
    if len(positions) == n_groups:
        return moments
    target = np.append(positions, n_groups)
    n_features = moments.mean.shape[1]
    weight = np.zeros(n_groups + 1)
    weight[target] = moments.weight
    tables = []
    for values in (moments.mean, moments.mean_rest, moments.squares):
        table = np.zeros((n_groups + 1, n_features))
        table[target] = values
        tables.append(table)
    return Moments(weight, *tables)


def two_sum(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the rounded sum and exactly what rounding left of it (Knuth 1969)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def narrowed(values: FloatArray, dtype: np.dtype[Any]) -> Samples:
    """Return the values in another float type; float16 becomes infinite above 65504."""
    if values.dtype == dtype:
        return values
    with np.errstate(over="ignore"):
        return values.astype(dtype)


def _corrected(moments: Moments) -> Moments:
    """Return the moments with the rounding error of the mean taken out, where it counts.

    The corrected two-pass algorithm of Chan, Golub and LeVeque (1983, eq. 1.7).
    """
    squares = moments.squares
    excess = moments.mean_rest * moments.mean_rest * moments.weight[:, np.newaxis]
    counts = excess > NEGLIGIBLE * squares
    if not counts.any():
        return moments
    counts &= excess > DROWNED * squares[-1].max()
    mean, rest = two_sum(moments.mean, moments.mean_rest)
    return Moments(
        moments.weight,
        np.where(counts, mean, moments.mean),
        np.where(counts, rest, moments.mean_rest),
        np.where(counts, np.maximum(squares - excess, 0.0), squares),
    )


def _weighted(values: Pair, weights: Pair | None) -> Pair:
    """Return rows times their weights; the rows themselves without weights."""
    if weights is None:
        return values
    return values[0] * weights[0], values[1] * weights[1]


def _centre(grouped: FloatArray, mean: FloatArray, bounds: list[int]) -> None:
    """Take from each row the mean of its group; few values in one call, many in place."""
    if grouped.size <= REPEATED_VALUES:
        sizes = [stop - start for start, stop in pairwise(bounds)]
        grouped -= mean[:-1].repeat(sizes, axis=0)
        return
    for (start, stop), centre in zip(pairwise(bounds), mean, strict=False):
        block = grouped[start:stop]
        np.subtract(block, centre, out=block)


def _sums(values: Pair, bounds: list[int]) -> FloatArray:
    """Return the column sums of each group of the first, and of all of the second last."""
    grouped, everything = values
    sums = np.empty((len(bounds), grouped.shape[1]))
    for group, (start, stop) in enumerate(pairwise(bounds)):
        np.add.reduce(grouped[start:stop], axis=0, out=sums[group])
    np.add.reduce(everything, axis=0, out=sums[-1])
    return sums

"""Bounds on the rounding error of joint log-likelihoods, and the labels that they prove.

Two evaluations of the same model are compared with exact arithmetic: *products*, which
take moments and scores of many training sets by matrix products over class-centred
samples, and *direct*, the one of ``GaussianNB``. For one class with n training rows, let
mu, V and v = V + epsilon be the exact mean, variance and smoothed variance of a feature,
t = mu - centre, q = V + t^2 (the mean square about the centre), a = max |x|, y = x - mu,
Q = sum y^2 / v over the features, T = sum t^2 / v, and u the unit roundoff. A sum of n
terms in any order, with or without fused multiply-add, has a relative error of at most
gamma_{n-1} of the sum of magnitudes, gamma_k = k u / (1 - k u); rounding errors add up as
gamma_j + gamma_k + gamma_j gamma_k <= gamma_{j+k} (Higham 2002, lemmas 3.1 and 3.3,
eq. 3.5). Multiplying by 0 or 1 and adding 0 are exact, so that in a product with a mask
n counts the training rows alone.

Moments. With g = gamma_{n+8} and Cauchy-Schwarz, mean |z| <= sqrt(q):

- products, mean: g sqrt(q).
- products, variance q - t^2: its parts are off by g q, 2 g sqrt(q) |t| and u q, 3 g q in
  all; by two passes: the deviations are off by g sqrt(q) in quadratic mean, which moves
  their mean square by at most g V + 2 g sqrt(q V) + g^2 q (Minkowski).
- direct, mean: g a, whether or not the estimator corrects it.
- direct, variance: g V + 2 (g a)^2. The squared error of the mean, at most (g a)^2, is in
  it, or it is taken out with an estimate that is itself no larger than 2 g a.
- epsilon is `var_smoothing` times the largest overall variance W. Products combine class
  moments, W = mean (V + b^2) with b = mu - overall mean, whose errors e = 2 max g sqrt(q)
  + gamma_{K+6} (2 max |h| + max sqrt(q)), h the distance of a class's centre from the
  overall one, move W by e (2 sqrt(W) + e). Direct: as a class.

Scores. Say both evaluations' means are off by at most d, variances by k v together. That
moves the score by sum k / 2 + max k Q / 2 + D sqrt(Q) + D^2 / 2 to first order, with
D^2 = sum d^2 / v; and sqrt(Q) <= (Q / r + r) / 2 for every r > 0, here the root of the
number of features p. Evaluating it adds, by products, gamma_{2p+5} (sum |z t| / v +
1/2 sum z^2 / v) <= gamma_{2p+5} (3/2 Q + 5/2 T), as z = y + t, and gamma_{3p+16}
(1 + L / 2 + |log prior| + T / 2), with L = sum |log(2 pi v)|, log being accurate to four
units in the last place; directly gamma_{p+12} (1 + L / 2 + |log prior| + Q / 2).
All of it is linear in Q, and Q is twice the distance of the score from its largest value,
so that one offset and one slope a class bound the error of every row.

Second-order terms are covered by the factor 1.02 as long as every k and slope is at most
2^-10; otherwise, or where values leave the range in which underflow and overflow can be
neglected, nothing is proved.

References
----------
Higham, N. J. (2002). Accuracy and Stability of Numerical Algorithms, 2nd ed., chapter 3.
SIAM.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gnbbench.core.row_blocks import BoolArray, FloatArray

UNIT_ROUNDOFF = 2.0**-53
SECOND_ORDER = 1.02
LARGEST_SHARE = 2.0**-10
SMALLEST_VARIANCE, LARGEST_VARIANCE = 1e-200, 1e200
LARGEST_RATIO = 1e250


@dataclass(frozen=True)
class ScoreBound:
    """Bound on the difference of two evaluations of a score, linear in the score."""

    # Each (n_classes, n_runs). The bound is ``offset + slope * Q``, with infinite offsets
    # where nothing is proved; the ceiling is the score at the mean, Q = 2 (ceiling -
    # score).
    offset: FloatArray
    slope: FloatArray
    ceiling: FloatArray

    @property
    def finite(self) -> BoolArray:
        """Whether labels of a run can be proved at all, shape (n_runs,)."""
        usable: BoolArray = np.isfinite(self.offset.max(axis=0))
        return usable

    def of(self, scores: FloatArray) -> FloatArray:
        """Return the bound of each score, of the same shape.

        Scores have shape (n_classes, n_runs, n_rows) and are minus infinity for a class
        that cannot be predicted, whose bound is 0.
        """
        impossible = np.isneginf(scores)
        with np.errstate(invalid="ignore"):
            distance = np.maximum(self.ceiling[..., np.newaxis] - scores, 0.0)
            bound = 2.0 * self.slope[..., np.newaxis] * distance
            bound += self.offset[..., np.newaxis]
        return np.where(impossible, 0.0, bound)

    def proved_labels(
        self, scores: FloatArray
    ) -> tuple[NDArray[np.unsignedinteger], BoolArray]:
        """Return the class with the largest score of each row, and where that is proved.

        A label is proved if its score minus its bound exceeds every other score plus its
        bound. The largest bound of all classes is tried first, by counting the scores near
        the largest one, which is fast.
        """
        factor, gap = self._widest
        with np.errstate(invalid="ignore"):
            near = scores >= scores.max(axis=0) * factor - gap
        codes = np.arange(len(scores), dtype=np.min_scalar_type(len(scores)))
        number = np.add.reduce(near, axis=0, dtype=codes.dtype)
        labels = np.add.reduce(
            near * codes[:, np.newaxis, np.newaxis], axis=0, dtype=codes.dtype
        )
        proved: BoolArray = number == 1
        runs, rows = (~proved).nonzero()
        if len(runs):
            close = scores[:, runs, rows]
            labels[runs, rows] = largest = close.argmax(axis=0)
            proved[runs, rows] = self._proved_apart(close, largest, runs)
        return labels, proved

    @cached_property
    def _widest(self) -> tuple[FloatArray, FloatArray]:
        """Factor and gap: scores above ``factor * largest - gap`` are near the largest."""
        slope = 2.0 * self.slope.max(axis=0)[:, np.newaxis]
        with np.errstate(invalid="ignore"):
            offset = (self.offset + slope.T * self.ceiling).max(axis=0)[:, np.newaxis]
        return (1.0 + slope) / (1.0 - slope), 2.0 * offset / (1.0 - slope)

    def _proved_apart(
        self, scores: FloatArray, labels: NDArray[np.integer], runs: NDArray[np.intp]
    ) -> BoolArray:
        """Return which labels are proved by the bounds of single classes."""
        bound = ScoreBound(self.offset[:, runs], self.slope[:, runs], self.ceiling[:, runs])
        radius = bound.of(scores[..., np.newaxis])[..., 0]
        upper, place = scores + radius, np.arange(len(labels))
        lower = scores[labels, place] - radius[labels, place]
        upper[labels, place] = -np.inf
        certain: BoolArray = lower > upper.max(axis=0)
        return certain


@dataclass(frozen=True, slots=True)
class Centres:
    """The origin for each class's distances, and the ranges of values."""

    points: FloatArray  # (n_classes, n_features), as the next two
    offsets: FloatArray  # Distance of each centre from the overall one
    largest: FloatArray  # Largest magnitude of a value
    largest_distance: float  # Of any value from any class's centre


@dataclass(frozen=True, slots=True)
class RunMoments:
    """Moments of each class in each run, about the centre of the class."""

    count: FloatArray  # (n_classes, n_runs): Number of training rows
    shift: FloatArray  # (n_classes, n_runs, n_features), as all that follow: Mean
    square: FloatArray  # Bound on the mean square
    variance: FloatArray
    error: FloatArray  # Bound on the variance's error


@dataclass(frozen=True, slots=True)
class RunParameters:
    """The parameters of some runs, the weights of their scores, and the error bound."""

    prior: FloatArray  # (n_classes, n_runs): Zero for a class without training rows
    epsilon: FloatArray  # (n_runs,): Added to every variance
    var: FloatArray  # (n_classes, n_runs, n_features): Smoothed variance
    # (n_classes, n_runs, 2 * n_features + 1): Weights of [Z, Z^2, 1]
    weights: FloatArray
    bound: ScoreBound

    def scores(self, features: Iterable[FloatArray], n_rows: int) -> FloatArray:
        """Return the scores of the same rows in every run, (n_classes, n_runs, n_rows).

        `features` is [Z, Z^2, 1] about the centre of each class. A class that cannot be
        predicted scores minus infinity.
        """
        scores = np.empty((*self.prior.shape, n_rows))
        with np.errstate(over="ignore", invalid="ignore"):
            for weights, of_class, out in zip(self.weights, features, scores, strict=True):
                np.matmul(weights, of_class.T, out=out)
        scores[np.isneginf(self.bound.ceiling)] = -np.inf
        return scores


def gamma(n: FloatArray | float) -> FloatArray:
    """Return ``n u / (1 - n u)``, the largest relative error of n roundings."""
    nu = np.multiply(n, UNIT_ROUNDOFF)
    share: FloatArray = nu / (1.0 - nu)
    return share


def of_rows(n: FloatArray) -> FloatArray:
    """Return ``gamma_{n+8}`` for a last axis of features: moments of n rows."""
    return gamma(n + 8.0)[..., np.newaxis]


def two_pass_error(
    count: FloatArray, square: FloatArray, variance: FloatArray
) -> FloatArray:
    """Return the error bound of variances computed as mean squared deviations."""
    share = gamma(count + 8.0)
    root = share * np.sqrt(square)
    error: FloatArray = share * variance + root * (2.0 * np.sqrt(variance) + root)
    return error


def run_parameters(
    moments: RunMoments, centres: Centres, prior: FloatArray, var_smoothing: float
) -> RunParameters:
    """Return the parameters of some runs with the bound on the error of their scores."""
    with np.errstate(all="ignore"):
        overall, overall_error = _overall_variance(moments, centres)
        epsilon = var_smoothing * overall.max(axis=1)
        epsilon_error = var_smoothing * overall_error.max(axis=1)
        var = moments.variance + epsilon[:, np.newaxis]
        largest = centres.largest[:, np.newaxis]
        var_error = _direct_error(moments.count, moments.variance, largest)
        var_error += moments.error
        var_error += epsilon_error[:, np.newaxis]
        var_error += gamma(8.0) * var
        theta_error = (np.sqrt(moments.square) + largest) * of_rows(moments.count)
        errors = theta_error, var_error
        bound = _run_bound(np.log(prior), moments.shift, var, errors, centres)
        weights = score_weights(moments.shift, var, bound)
    return RunParameters(prior, epsilon, var, weights, bound)


def _overall_variance(
    moments: RunMoments, centres: Centres
) -> tuple[FloatArray, FloatArray]:
    """Return the variance of all rows of each run, and its error in both evaluations."""
    total, few = moments.count.sum(axis=0), gamma(len(moments.count) + 8.0)
    weight = (moments.count / total)[..., np.newaxis]
    mean = centres.offsets[:, np.newaxis] + moments.shift
    mean -= (weight * mean).sum(axis=0)
    variance = (weight * (moments.variance + mean * mean)).sum(axis=0)
    root = np.sqrt(moments.square.max(axis=0))
    reach = 2.0 * np.abs(centres.offsets).max(axis=0) + root
    mean_error = 2.0 * of_rows(total) * root + few * reach
    error = mean_error * (2.0 * np.sqrt(variance) + mean_error) + few * variance
    error += (weight * moments.error).sum(axis=0)
    error += _direct_error(total, variance, centres.largest.max(axis=0))
    return variance, error


def _direct_error(
    count: FloatArray, variance: FloatArray, largest: FloatArray
) -> FloatArray:
    """Return the error bound of a variance computed by ``GaussianNB``."""
    share = of_rows(count)
    error: FloatArray = share * variance + 2.0 * np.square(share * largest)
    return error


def _run_bound(
    log_prior: FloatArray,
    shift: FloatArray,
    var: FloatArray,
    errors: tuple[FloatArray, FloatArray],
    centres: Centres,
) -> ScoreBound:
    """Return the bound on scores from the bounds on means and variances."""
    theta_error, var_error = errors
    n_features = var.shape[-1]
    log_prior, possible, logs = constants(log_prior, var)
    shares = var_error / var
    spread = np.sqrt((np.square(theta_error) / var).sum(axis=-1))
    pull = (np.square(shift) / var).sum(axis=-1)
    sizes = np.abs(logs).sum(axis=-1) + 2.0 * np.abs(log_prior)
    root, largest_share = np.sqrt(n_features), shares.max(axis=-1)
    rounding = gamma(3.0 * n_features + 24.0)
    offset = 0.5 * (shares.sum(axis=-1) + spread * root + spread * spread)
    offset += rounding * (2.0 + sizes + 3.0 * pull)
    slope = 0.5 * (largest_share + spread / root) + 2.0 * rounding
    usable = (largest_share <= LARGEST_SHARE) & (slope <= LARGEST_SHARE) & in_range(var)
    usable &= np.square(centres.largest_distance) / var.min(axis=-1) <= LARGEST_RATIO
    ceiling = log_prior - 0.5 * logs.sum(axis=-1)
    return score_bound(offset, slope, ceiling, possible, usable)


def constants(
    log_prior: FloatArray, var: FloatArray
) -> tuple[FloatArray, BoolArray, FloatArray]:
    """Return finite log-priors, which classes are possible, and logs of 2 pi var."""
    possible = ~np.isneginf(log_prior)
    logs: FloatArray = np.log(2.0 * np.pi * var)
    return np.where(possible, log_prior, 0.0), possible, logs


def in_range(var: FloatArray) -> BoolArray:
    """Return where underflow and overflow are negligible."""
    inside: BoolArray = (var.min(axis=-1) >= SMALLEST_VARIANCE) & (
        var.max(axis=-1) <= LARGEST_VARIANCE
    )
    return inside


def score_bound(
    offset: FloatArray,
    slope: FloatArray,
    ceiling: FloatArray,
    possible: BoolArray,
    usable: BoolArray,
) -> ScoreBound:
    """Return the bound with second-order terms, infinite where it is not usable."""
    return ScoreBound(
        np.where(possible, np.where(usable, SECOND_ORDER * offset, np.inf), 0.0),
        np.where(possible & usable, SECOND_ORDER * slope, 0.0),
        np.where(possible, ceiling, -np.inf),
    )


def score_weights(shift: FloatArray, var: FloatArray, bound: ScoreBound) -> FloatArray:
    """Return the weights of [Z, Z^2, 1]; zero where nothing can be proved.

    `shift` is the distance of each mean from the centre, `var` the smoothed variance, both
    of shape (n_classes, n_runs, n_features).
    """
    n_features = shift.shape[-1]
    weights = np.empty((*shift.shape[:2], 2 * n_features + 1))
    np.divide(shift, var, out=weights[..., :n_features])
    np.divide(-0.5, var, out=weights[..., n_features:-1])
    pull = np.einsum("krj,krj->kr", shift, weights[..., :n_features])
    weights[..., -1] = bound.ceiling - 0.5 * pull
    weights[np.isneginf(bound.ceiling)] = 0.0
    weights[:, ~bound.finite] = 0.0
    return weights

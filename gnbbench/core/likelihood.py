"""Joint log-likelihood, labels and probabilities from the parameters of each class.

Class by class, as scikit-learn sums it: ``log P(c)``, plus ``-1/2 sum log(2 pi var)``
minus ``1/2 sum (x - theta)^2 / var``. All arrays of scores have shape
(n_classes, n_samples).
"""

import warnings
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gnbbench.core.row_blocks import BoolArray, FloatArray, Samples, as_block
from gnbbench.core.validation import raise_for_non_finite

# Rows are evaluated in blocks of this many values, which fit in a core's cache.
BLOCK_VALUES = 32_768


@dataclass(frozen=True, slots=True)
class ClassParameters:
    """Prior, mean and variance of each class, in float64."""

    log_prior: FloatArray  # (n_classes,): Minus infinity for a class never predicted
    theta: FloatArray  # (n_classes, n_features)
    var: FloatArray  # (n_classes, n_features)


def joint_log_likelihood(X: Samples, parameters: ClassParameters) -> FloatArray:
    """Return ``log P(c) + log p(x | c)`` in scikit-learn's order of operations.

    Values outside the range of float64 become infinite or NaN without a warning; the caller
    checks the result.
    """
    theta, var = parameters.theta, parameters.var
    n_samples, n_features = X.shape
    scores = np.empty((len(theta), n_samples))
    # Blocks have equal sizes, since a last block of one row is summed in a different order.
    n_blocks = max(1, n_samples * n_features // BLOCK_VALUES)
    edges = [n_samples * block // n_blocks for block in range(n_blocks + 1)]
    with np.errstate(all="ignore"):
        for start, stop in pairwise(edges):
            rows = as_block(X, start, stop)
            _sum_scaled_squares(rows, theta, var, out=scores[:, start:stop])
        scores *= 0.5
        constant = -0.5 * np.add.reduce(np.log(2.0 * np.pi * var), axis=1)
        np.subtract(constant[:, np.newaxis], scores, out=scores)
        scores += parameters.log_prior[:, np.newaxis]
    return scores


def _sum_scaled_squares(
    X: FloatArray, theta: FloatArray, var: FloatArray, *, out: FloatArray
) -> None:
    """Fill `out` with each row's squared distance to each class, in variances."""
    work = np.empty_like(X)
    for centre, spread, distance in zip(theta, var, out, strict=True):
        np.subtract(X, centre, out=work)
        np.multiply(work, work, out=work)
        np.divide(work, spread, out=work)
        np.add.reduce(work, axis=1, out=distance)


def direct_scores(
    X: Samples,
    parameters: ClassParameters,
    estimator: str,
    *,
    comparable: bool = True,
    stacklevel: int | None = None,
) -> FloatArray:
    """Return the joint log-likelihood without NaN in scikit-learn's order of operations."""
    scores = joint_log_likelihood(X, parameters)
    if np.isfinite(np.minimum.reduce(scores, axis=None)):
        return scores
    raise_for_non_finite(X, "X", estimator)
    if stacklevel is not None:
        warn_of_zero_variances(parameters.var, stacklevel=stacklevel)
    values = X.astype(np.float64, copy=False)
    return careful_scores(values, parameters, comparable=comparable)


def warn_of_zero_variances(var: FloatArray, *, stacklevel: int) -> None:
    """Warn if any variance is zero."""
    zero = int(np.count_nonzero(var == 0.0))
    if zero:
        warnings.warn(
            f"{zero} of {var.size} values of var_ are zero and are treated as "
            "the limit of vanishing variances. Set var_smoothing above 0, or drop "
            "constant features.",
            RuntimeWarning,
            stacklevel=stacklevel + 1,
        )


def careful_scores(
    X: FloatArray, parameters: ClassParameters, *, comparable: bool
) -> FloatArray:
    """Return scores without NaN where the plain formula exceeds the range of float64."""
    zero = parameters.var == 0.0
    filled = ClassParameters(
        parameters.log_prior, parameters.theta, np.where(zero, 1.0, parameters.var)
    )
    scores = (
        limit_scores(X, filled, zero) if zero.any() else joint_log_likelihood(X, filled)
    )
    distant = np.isneginf(scores).all(axis=0)
    if comparable and distant.any():
        scores[:, distant] = distant_scores(X[distant], filled)
    return scores


def limit_scores(X: FloatArray, parameters: ClassParameters, zero: BoolArray) -> FloatArray:
    """Return scores in the limit where some variances go to zero together.

    In ``-V / 2e - N / 2 log(e) + R``, as e goes to 0, V (the squared distance in the
    features whose variance vanishes) decides first, then N (their number), then R (the
    joint log-likelihood of all other features).
    """
    scores = np.empty((len(zero), len(X)))
    distance = np.empty_like(scores)
    with np.errstate(over="ignore"):
        for place, vanishing in enumerate(zero):
            row, rest = [place], ~vanishing
            of_class = ClassParameters(
                parameters.log_prior[row],
                parameters.theta[row][:, rest],
                parameters.var[row][:, rest],
            )
            scores[place] = joint_log_likelihood(X[:, rest], of_class)[0]
            gap = X[:, vanishing] - parameters.theta[place, vanishing]
            distance[place] = np.square(gap).sum(axis=1)
    distance[np.isneginf(parameters.log_prior)] = np.inf
    running = distance == distance.min(axis=0)
    number = np.where(running, zero.sum(axis=1)[:, np.newaxis], -1)
    running &= number == number.max(axis=0)
    scores[~running] = -np.inf
    return scores


def distant_scores(X: FloatArray, parameters: ClassParameters) -> FloatArray:
    """Return scores of rows so far from every class that all likelihoods underflow.

    Each row is scaled by its own unit, so that no distance overflows. Beside distances of
    more than 1e154 standard deviations, the constants of the classes only break ties.
    """
    theta, deviation = parameters.theta, np.sqrt(parameters.var)
    largest = np.maximum(np.abs(X).max(axis=1), np.abs(theta).max())
    exponent = -np.frexp(largest)[1][:, np.newaxis]
    scaled = np.ldexp(X, exponent)
    shares = [
        np.abs((scaled - np.ldexp(centre, exponent)) / spread)
        for centre, spread in zip(theta, deviation, strict=True)
    ]
    unit = np.max([share.max(axis=1) for share in shares], axis=0)
    distances = np.array(
        [np.square(share / unit[:, np.newaxis]).sum(axis=1) for share in shares]
    )
    distances[np.isneginf(parameters.log_prior)] = np.inf
    excess = distances - distances.min(axis=0)
    with np.errstate(over="ignore", invalid="ignore"):
        scores: FloatArray = np.ldexp(-0.5 * excess * unit * unit, -2 * exponent.ravel())
    constant = parameters.log_prior - np.log(deviation).sum(axis=1)
    scores[excess == 0.0] = np.broadcast_to(constant[:, np.newaxis], scores.shape)[
        excess == 0.0
    ]
    return scores


def log_posterior(scores: FloatArray) -> FloatArray:
    """Turn the scores into log posterior probabilities, in place."""
    scores -= scores.max(axis=0)
    with np.errstate(under="ignore"):
        total = np.add.reduce(np.exp(scores), axis=0)
    scores -= np.log(total)
    return scores


def posterior(scores: FloatArray) -> FloatArray:
    """Turn the scores into posterior probabilities, in place."""
    scores -= scores.max(axis=0)
    with np.errstate(under="ignore"):
        np.exp(scores, out=scores)
        scores /= np.add.reduce(scores, axis=0)
    return scores


def exact_log_posterior(scores: FloatArray) -> FloatArray:
    """Return log posterior probabilities by scikit-learn's operations in their order.

    As in SciPy, the log-sum-exp adds the largest score of each sample by ``log1p``.
    """
    largest = scores.max(axis=0)
    is_largest = scores == largest
    n_largest = is_largest.sum(axis=0, dtype=np.float64)
    with np.errstate(under="ignore"):
        others = np.exp(np.where(is_largest, -np.inf, scores) - largest)
        rest = np.add.reduce(others, axis=0) / n_largest
    difference: FloatArray = scores - (np.log1p(rest) + np.log(n_largest) + largest)
    return difference


def exact_posterior(scores: FloatArray) -> FloatArray:
    """Return posterior probabilities by scikit-learn's operations in their order."""
    with np.errstate(under="ignore"):
        shares: FloatArray = np.exp(exact_log_posterior(scores))
    return shares


def unchanged(scores: FloatArray) -> FloatArray:
    """Return the scores unchanged."""
    return scores

"""Gaussian naive Bayes in exact rational arithmetic: the truth that others are held to.

A double is a fraction, and so are means, variances and quadratic forms of doubles. Only
logarithms are rounded, each to the nearest double.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

UNIT_ROUNDOFF = 2.0**-53

SMOOTHING = Fraction(1e-9)
"""scikit-learn's default ``var_smoothing``, as the double that it is."""

NO_SMOOTHING = Fraction(0)


@dataclass(frozen=True)
class ExactModel:
    """Prior, mean and variance of each class, as fractions."""

    priors: tuple[Fraction, ...]
    means: tuple[tuple[Fraction, ...], ...]  # One row a class, in sorted order
    variances: tuple[tuple[Fraction, ...], ...]  # With the smoothing
    epsilon: Fraction  # What was added to each variance

    @property
    def theta(self) -> FloatArray:
        """Means, each rounded to the nearest double, shape (n_classes, n_features)."""
        return np.array(self.means, dtype=np.float64)

    @property
    def var(self) -> FloatArray:
        """Variances, each rounded to the nearest double, shape (n_classes, n_features)."""
        return np.array(self.variances, dtype=np.float64)

    def joint_log_likelihood(self, X: FloatArray) -> FloatArray:
        """``log P(c) + log p(x | c)``, every term rounded once and summed exactly."""
        scores = [
            self._scores(row) for row in ([Fraction(x) for x in row] for row in X.tolist())
        ]
        return np.array(scores)

    def posterior(self, X: FloatArray) -> FloatArray:
        """Return the posterior probabilities, shape (n_samples, n_classes)."""
        joint = self.joint_log_likelihood(X)
        weights = np.exp(joint - joint.max(axis=1, keepdims=True))
        result: FloatArray = weights / weights.sum(axis=1, keepdims=True)
        return result

    def _scores(self, row: list[Fraction]) -> list[float]:
        scores = []
        for prior, means, variances in zip(
            self.priors, self.means, self.variances, strict=True
        ):
            terms = [math.log(prior)]
            for x, mean, variance in zip(row, means, variances, strict=True):
                terms.append(-0.5 * math.log(2.0 * math.pi * float(variance)))
                terms.append(float((x - mean) ** 2 / (-2 * variance)))
            scores.append(math.fsum(terms))
        return scores


def exact_model(
    X: FloatArray,
    y: NDArray[np.generic],
    *,
    smoothing: Fraction = SMOOTHING,
    lost_degrees: int = 0,
) -> ExactModel:
    """Return the model that scikit-learn's definition gives for these doubles."""
    epsilon = smoothing * max(moments(column)[1] for column in X.T)
    priors, means, variances = [], [], []
    for label in np.unique(y):
        rows = X[y == label]
        of_columns = [moments(column, lost_degrees=lost_degrees) for column in rows.T]
        priors.append(Fraction(len(rows), len(X)))
        means.append(tuple(mean for mean, _ in of_columns))
        variances.append(tuple(variance + epsilon for _, variance in of_columns))
    return ExactModel(tuple(priors), tuple(means), tuple(variances), epsilon)


def moments(values: FloatArray, *, lost_degrees: int = 0) -> tuple[Fraction, Fraction]:
    """Return the mean and the variance of doubles, without rounding."""
    numbers = [Fraction(value) for value in values.tolist()]
    mean = sum(numbers, Fraction(0)) / len(numbers)
    squares = sum(((number - mean) ** 2 for number in numbers), Fraction(0))
    return mean, squares / (len(numbers) - lost_degrees)


def stable_variance_bound(n_samples: int, condition: float) -> float:
    """Return the relative error that a stable algorithm's variance stays below.

    ``n u k`` for updating formulas such as Welford's (Chan, Golub and LeVeque 1983,
    table 1), which is more than a two-pass sum needs and far less than the ``n u k**2`` of
    E[x²] − E[x]².
    """
    return n_samples * UNIT_ROUNDOFF * (1.0 + condition)

"""How probabilities follow from joint log-likelihoods, bit for bit as an estimator's do."""

import numpy as np
from numpy.typing import NDArray

from gnbbench.core.likelihood import log_posterior

FloatArray = NDArray[np.float64]


def core_posterior(scores: FloatArray) -> FloatArray:
    """Return what our core's ``predict_proba`` makes of these scores."""
    with np.errstate(under="ignore"):
        shares: FloatArray = np.exp(log_posterior(np.ascontiguousarray(scores.T))).T
    return shares


def sklearn_posterior(scores: FloatArray) -> FloatArray:
    """Return what scikit-learn's ``predict_proba`` makes of these scores.

    Its log-sum-exp leaves the largest score of each row out of the sum and adds it by
    ``log1p``, as SciPy's does.
    """
    largest = scores.max(axis=1, keepdims=True)
    is_largest = scores == largest
    n_largest = is_largest.sum(axis=1, keepdims=True, dtype=np.float64)
    with np.errstate(under="ignore"):
        others = np.exp(np.where(is_largest, -np.inf, scores) - largest)
        rest = others.sum(axis=1, keepdims=True) / n_largest
        log_sum = np.log1p(rest) + np.log(n_largest) + largest
        shares: FloatArray = np.exp(scores - log_sum)
    return shares

"""The sign test of paired log-ratios, and the interval of their median."""

from functools import lru_cache
from math import ceil, floor, log, sqrt

import numpy as np

from gnbbench.arrays import FloatArray

LARGEST_AUTOCORRELATION = 0.2
ROUNDING = 1e-9  # Tolerance for a rank
SMALLEST_SEEN = 1.2  # The smallest factor that a study should detect
# Half-width at which it is detected in 95 % of simulations: beyond the noise floor, which
# in turn exceeds its own interval.
NARROW = log(SMALLEST_SEEN) / 2.5


def median_interval(
    d: FloatArray, level: float, autocorrelation: float
) -> tuple[float, float]:
    """Return the confidence interval of the median of d; NaN if there are too few rounds.

    Its ends are two order statistics of d, chosen by the binomial distribution; it is
    valid for any distribution of d (Conover, 1999, section 3.2). If rounds are
    autocorrelated, the ends are `widening` times as many ranks apart, within the range.
    """
    n = len(d)
    rank = interval_rank(n, level)
    if rank == 0:
        return float("nan"), float("nan")
    distance = (n / 2 - rank + 1) * widening(autocorrelation)
    rank = max(floor(n / 2 - distance + ROUNDING) + 1, 1)
    ordered = np.sort(d)
    return float(ordered[rank - 1]), float(ordered[n - rank])


@lru_cache(maxsize=256)
def interval_rank(n_rounds: int, level: float) -> int:
    """Return the rank, from either end, of the values that bound an interval of the median.

    It is the largest k such that a binomial count with probability 1/2 is below k with
    probability at most (1 - level) / 2.
    """
    counts = np.arange(1, n_rounds + 1)
    logs = np.concatenate([[0.0], np.cumsum(np.log((n_rounds + 1 - counts) / counts))])
    below = np.cumsum(np.exp(logs - n_rounds * np.log(2.0)))
    return int(np.searchsorted(below, (1.0 - level) / 2, side="right"))


def widening(autocorrelation: float) -> float:
    """Return the factor by which autocorrelation widens an interval.

    With a lag-one autocorrelation r, n rounds are worth n (1 - r) / (1 + r) independent
    ones (Bayley and Hammersley, 1946, Supplement to the JRSS 8). Up to 0.2, which may be
    due to chance, the interval is not widened.
    """
    if not autocorrelation > LARGEST_AUTOCORRELATION:
        return 1.0
    return sqrt((1.0 + autocorrelation) / (1.0 - autocorrelation))


def sign_test_p(d: FloatArray, autocorrelation: float | None = None) -> float:
    """Return the two-sided p value of "the median log-ratio is zero".

    Ties count against either direction. The p value is below 1 - level exactly when the
    interval of `paired_ratio` at that level excludes 1.
    """
    from scipy.stats import binom

    if autocorrelation is None:
        autocorrelation = lag_one_autocorrelation(d)
    n = len(d)
    count = min(int(np.count_nonzero(d <= 0.0)), int(np.count_nonzero(d >= 0.0)))
    if 0 < count < n / 2:
        distance = (n / 2 - count) / widening(autocorrelation)
        count = ceil(n / 2 - distance - ROUNDING)
    return float(min(1.0, 2.0 * binom.cdf(count, n, 0.5)))


def lag_one_autocorrelation(d: FloatArray) -> float:
    """Return the correlation of each value with the one before it."""
    deviations = d - d.mean()
    total = float(deviations @ deviations)
    if total == 0.0:
        return float("nan")
    return float(deviations[1:] @ deviations[:-1]) / total

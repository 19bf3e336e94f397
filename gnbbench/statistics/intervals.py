"""Intervals and tests of means over overlapping splits, of shares and of paired times."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from gnbbench.arrays import FloatArray
from gnbbench.sign_test import lag_one_autocorrelation, median_interval, sign_test_p

LEVEL = 0.95
OUTLIER_SCORE = 3.5
UPPER_QUARTILE = 0.6744897501960817  # Of the standard normal distribution
ROUNDING = 1e-12
LARGEST_SHIFT = 20.0  # In log-odds; beyond it an interval is not informative


@dataclass(frozen=True)
class Estimate:
    """A mean whose interval, p value and equivalence test all follow from three numbers.

    (mean - true mean) / standard error is assumed to follow Student's t distribution. With
    a standard error of 0 nothing can be tested: the ends of the interval, which would have
    no width, the p value and the bound are NaN, never 0.
    """

    mean: float
    standard_error: float  # In the unit of `mean`, at least 0
    degrees_of_freedom: int

    def interval(self) -> tuple[float, float]:
        """Return the two ends of the two-sided 95 % interval."""
        half = self._half_width() or float("nan")
        return self.mean - half, self.mean + half

    def interval_within(self, low: float, high: float) -> tuple[float, float]:
        """Return the 95 % interval of a mean that lies between two bounds.

        It is computed on the log-odds of the mean's position between them (on its logarithm
        without an upper bound) and transformed back (the delta method; Agresti 2013,
        Categorical Data Analysis, 3.1.6). There is none without a width (an error of 0) and
        none for a mean on a bound or far closer to it than its error.
        """
        above, below = self.mean - low, high - self.mean
        if above <= 0.0 or below <= 0.0 or self.standard_error == 0.0:
            return float("nan"), float("nan")
        width = high - low
        part = above if np.isinf(high) else above * below / width
        shift = self._half_width() / part
        factor = float(np.exp(shift)) if shift < LARGEST_SHIFT else float("nan")
        if np.isinf(high):
            return low + above / factor, low + above * factor
        return (
            low + width * above / (above + below * factor),
            low + width * above / (above + below / factor),
        )

    def _half_width(self) -> float:
        from scipy import stats

        quantile = float(stats.t.ppf((1 + LEVEL) / 2, self.degrees_of_freedom))
        return quantile * self.standard_error

    def p_value(self) -> float:
        """Return the two-sided p value of "the true mean is 0"."""
        from scipy import stats

        if self.standard_error == 0:
            return float("nan")
        distance = abs(self.mean) / self.standard_error
        return 2 * float(stats.t.sf(distance, self.degrees_of_freedom))

    def equivalence_margin(self, level: float = 0.05) -> float:
        """Return the smallest margin within which two one-sided tests place the true mean.

        Each test is at this level (Schuirmann 1987). A mean due to rounding only is its own
        margin.
        """
        from scipy import stats

        if self.standard_error == 0:
            return abs(self.mean) if abs(self.mean) <= ROUNDING else float("nan")
        quantile = float(stats.t.isf(level, self.degrees_of_freedom))
        return abs(self.mean) + quantile * self.standard_error


def corrected_estimate(
    values: ArrayLike, *, n_train: int, n_test: int, step: float = 0.0
) -> Estimate:
    """Return the mean over J runs with a standard error that allows for shared samples.

    s * sqrt(1/J + n_test/n_train) (Nadeau and Bengio 2003, eq. 9), where s is the standard
    deviation with divisor J - 1. The second term does not shrink with more runs: they say
    more about these splits, not about other data. A spread due to rounding only (below
    1e-12 of the largest value, or of 1) counts as 0.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.size < 2:
        raise ValueError(f"a standard error needs at least 2 values, got {array.size}")
    correction = float(np.sqrt(1 / array.size + n_test / n_train))
    error = correction * float(np.std(array, ddof=1))
    if error <= ROUNDING * correction * max(1.0, float(np.abs(array).max())):
        error = 0.0
    smallest = step / float(np.sqrt(array.size)) * correction
    return Estimate(float(array.mean()), max(error, smallest), array.size - 1)


def holm(p_values: ArrayLike) -> FloatArray:
    """Return p values corrected for their number by Holm's step-down (1979).

    NaN stands for a test that was not run: it stays NaN and is not counted.
    """
    # statsmodels' multipletests collects garbage in every call: 20 ms for two p values.
    corrected = np.asarray(p_values, dtype=np.float64).copy()  # pandas 2.2.3 would not copy
    order = np.argsort(corrected)[: np.count_nonzero(~np.isnan(corrected))]
    weighted = corrected[order] * np.arange(order.size, 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(weighted), 1.0)
    return corrected


def wilson_interval(successes: int, trials: int) -> tuple[float, float]:
    """Return the 95 % interval of a share of independent trials (Wilson 1927).

    Predictions pooled over overlapping splits are not independent trials; rows are.
    """
    from scipy import stats

    interval = stats.binomtest(successes, trials).proportion_ci(method="wilson")
    return float(interval.low), float(interval.high)


def kappa(counts: ArrayLike) -> float:
    """Return Cohen's kappa; NaN if chance alone would always agree, or without counts.

    (observed - expected) / (1 - expected) agreement (Cohen 1960, eq. 1).
    """
    table = np.asarray(counts, dtype=np.float64)
    by_chance = float(table.sum(axis=0) @ table.sum(axis=1))
    # Compared before dividing: whole numbers are exact, their ratios are not.
    if by_chance == table.sum() ** 2:
        return float("nan")
    total = table.sum()
    expected = (table.sum(axis=0) / total * (table.sum(axis=1) / total)).sum()
    return float((np.diag(table).sum() / total - expected) / (1 - expected))


def mcnemar_mid_p(only_first: int, only_second: int) -> float:
    """Return the mid-p value of McNemar's test; NaN without a discordant pair.

    The exact two-sided p value minus the probability of the observed table, halved if both
    counts are equal (Fagerland, Lydersen and Laake 2013). For the samples of one split:
    predictions pooled over splits repeat samples and make it far too small.
    """
    from scipy import stats

    discordant = only_first + only_second
    if discordant == 0:
        return float("nan")
    smaller = min(only_first, only_second)
    chance = float(stats.binom.pmf(smaller, discordant, 0.5))
    if only_first == only_second:
        return 1 - chance / 2
    return 2 * float(stats.binom.cdf(smaller, discordant, 0.5)) - chance


def rows_tested(n_rows: int, *, test_share: float, n_runs: int) -> int:
    """Return the expected number of rows that were on the test side at least once.

    ``n_rows * (1 - (1 - test_share)**n_runs)``, rounded: one split tests only its test
    side, a few dozen splits test every row.
    """
    return round(n_rows * (1 - (1 - test_share) ** n_runs))


def row_bound(n_rows: int, n_hits: int = 0, level: float = 0.05) -> float:
    """Return the exact upper bound on the share of rows of a kind, given their number.

    One-sided (Clopper and Pearson 1934); for none it is ``1 - level**(1 / n_rows)``, the
    exact form of the rule of three. More splits of the same rows do not lower it.
    """
    from scipy import stats

    if n_hits >= n_rows:
        return 1.0
    return float(stats.beta.isf(level, n_hits + 1, n_rows - n_hits))


def fewest_rows(margin: float, level: float = 0.05) -> float:
    """Return how many rows without a hit it takes for `row_bound` to reach a margin."""
    if not 0 < margin < 1:
        return float("inf") if margin <= 0 else 0.0
    return float(np.ceil(np.log(level) / np.log1p(-margin)))


@dataclass(frozen=True, slots=True)
class PairedRatio:
    """The ratio of two times, and how its rounds behaved."""

    ratio: float  # exp(median d) of the log-ratios d
    low: float  # Ends of its interval; NaN with too few rounds for one
    high: float
    outliers: int  # Log-ratios far from their median; they stay in
    ties: int  # Rounds in which both times were equal
    # Correlation of successive log-ratios; NaN if they do not vary
    autocorrelation: float
    processes: int = 1  # How many processes the rounds were timed in
    # Smallest and largest ratio of a single process; NaN with only one
    process_low: float = float("nan")
    process_high: float = float("nan")


def log_ratios(seconds: FloatArray, reference_seconds: FloatArray) -> FloatArray:
    """Return d = ln t - ln t_reference of each round."""
    both = np.concatenate([seconds, reference_seconds])
    if not (np.isfinite(both) & (both > 0.0)).all():
        raise ValueError("Times should be positive numbers, in the same rounds for all.")
    return np.log(seconds) - np.log(reference_seconds)


def paired_ratio(
    d: FloatArray, level: float = LEVEL, autocorrelation: float | None = None
) -> PairedRatio:
    """Return the median ratio with its interval of the sign test; every round counts.

    The interval is widened by the autocorrelation, by default that of d.
    """
    if autocorrelation is None:
        autocorrelation = lag_one_autocorrelation(d)
    low, high = np.exp(median_interval(d, level, autocorrelation)).tolist()
    return PairedRatio(
        ratio=float(np.exp(np.median(d))),
        low=low,
        high=high,
        outliers=count_outliers(d),
        ties=int(np.count_nonzero(d == 0.0)),
        autocorrelation=autocorrelation,
    )


def holm_levels(p_values: Sequence[float]) -> list[float]:
    """Return a confidence level for each interval, such that Holm's decisions show in it.

    Holm (1979, Scandinavian Journal of Statistics 6) compares the smallest of m p values
    with a/m, the next with a/(m - 1), up to the first that is not small enough. Each
    interval gets the confidence at which its own hypothesis was judged, or judging stopped,
    so that it excludes "no difference" exactly where Holm rejects it (Serlin, 1993). With
    probability `LEVEL` none does so falsely; all bounds at once cover less.
    """
    levels = [LEVEL] * len(p_values)
    left = len(p_values)
    for place in np.argsort(p_values, kind="stable"):
        levels[place] = 1.0 - (1.0 - LEVEL) / left
        if p_values[place] < (1.0 - LEVEL) / left:
            left -= 1
    return levels


def count_outliers(d: FloatArray) -> int:
    """Return how many values are far from the median, relative to the usual deviation.

    A value is an outlier when 0.6745 |d - median| / MAD exceeds 3.5, where MAD is the
    median absolute deviation (Iglewicz and Hoaglin, 1993).
    """
    distances = np.abs(d - np.median(d))
    scale = np.median(distances) / UPPER_QUARTILE
    return int(np.count_nonzero(distances > OUTLIER_SCORE * scale))


def medians_decide(n_processes: int, n_comparisons: int) -> bool:
    """Return whether there are enough processes for an interval of their medians."""
    smallest_p = 2.0 ** (1 - n_processes)
    return smallest_p < (1.0 - LEVEL) / max(n_comparisons, 1)


def ratio_over_processes(
    parts: Sequence[FloatArray], level: float = LEVEL, *, n_comparisons: int = 1
) -> PairedRatio:
    """Return the median over processes of their median ratios, with an interval.

    A process draws its memory layout once, for all of its rounds, so rounds of one process
    resemble each other and pooled rounds claim too much. Processes are independent, and
    with enough of them (`medians_decide`) the interval is that of the sign test over their
    medians. For fewer there is no such interval at 95 %. They get the sign-test interval
    over the pooled rounds, widened to contain the median of every process: never narrower
    than the rounds allow, and on one side of 1 only if every process is. If processes
    differ by far more than their rounds, this is the range of n medians, which contains
    the true one with probability 1 - 2**(1 - n): 50, 75, 88 and 94 % for two to five
    processes. A single process has the interval of `paired_ratio`.
    """
    if len(parts) == 1:
        return paired_ratio(parts[0], level)
    medians = np.array([np.median(part) for part in parts])
    within = _autocorrelation_within(parts)
    if medians_decide(len(parts), n_comparisons):
        pooled = paired_ratio(medians, level, autocorrelation=0.0)
        low, high = pooled.low, pooled.high
    else:
        pooled = paired_ratio(np.concatenate(parts), level, within)
        low = min(pooled.low, float(np.exp(medians.min())))
        high = max(pooled.high, float(np.exp(medians.max())))
        if np.isnan(pooled.low):
            low = high = float("nan")
    return replace(
        pooled,
        ratio=float(np.exp(np.median(medians))),
        low=low,
        high=high,
        outliers=sum(count_outliers(part) for part in parts),
        ties=sum(int(np.count_nonzero(part == 0.0)) for part in parts),
        autocorrelation=within,
        processes=len(parts),
        process_low=float(np.exp(medians.min())),
        process_high=float(np.exp(medians.max())),
    )


def p_over_processes(parts: Sequence[FloatArray], *, n_comparisons: int = 1) -> float:
    """Return the two-sided p value of "the ratio is 1".

    It is below 1 - level exactly if the interval of `ratio_over_processes` at that level
    excludes 1, which needs the medians of all processes on one side.
    """
    if len(parts) == 1:
        return sign_test_p(parts[0])
    medians = np.array([np.median(part) for part in parts])
    if medians_decide(len(parts), n_comparisons):
        return sign_test_p(medians, autocorrelation=0.0)
    if not (np.all(medians > 0.0) or np.all(medians < 0.0)):
        return 1.0
    return sign_test_p(np.concatenate(parts), _autocorrelation_within(parts))


def _autocorrelation_within(parts: Sequence[FloatArray]) -> float:
    """Return the correlation of successive log-ratios, each process about its own mean."""
    return lag_one_autocorrelation(np.concatenate([part - part.mean() for part in parts]))

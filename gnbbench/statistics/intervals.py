"""Intervals and tests for means over overlapping splits, for labels and shares of rows."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

ROUNDING = 1e-12


@dataclass(frozen=True)
class Estimate:
    """A mean whose interval, p value and equivalence test all follow from three numbers.

    (mean - true mean) / standard error is taken to be Student t distributed. With a
    standard error of 0 nothing can be tested: the interval is the mean alone, the p value
    and the bound are NaN, never 0.
    """

    mean: float
    standard_error: float  # In the unit of `mean`, at least 0
    degrees_of_freedom: int

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return the two ends of the two-sided interval of the mean."""
        from scipy import stats

        quantile = float(stats.t.ppf((1 + confidence) / 2, self.degrees_of_freedom))
        half = quantile * self.standard_error
        return self.mean - half, self.mean + half

    def p_value(self) -> float:
        """Return the two-sided p value of "the true mean is 0"."""
        from scipy import stats

        if self.standard_error == 0:
            return float("nan")
        distance = abs(self.mean) / self.standard_error
        return 2 * float(stats.t.sf(distance, self.degrees_of_freedom))

    def equivalence_margin(self, level: float = 0.05) -> float:
        """Return the smallest margin that two one-sided tests put the true mean within.

        Each at this level (Schuirmann 1987). A mean that is nothing but rounding is its own
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

    s * sqrt(1/J + n_test/n_train) (Nadeau and Bengio 2003, eq. 9), s being the standard
    deviation with divisor J - 1. The second term does not shrink with more runs: they tell
    more of these splits, not of other data. A spread that is nothing but rounding (below
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


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """Return p values corrected for their number by Holm's step-down (1979).

    NaN stands for a test that was not run: it stays NaN and is not counted.
    """
    # statsmodels' multipletests collects garbage in every call: 20 ms for two p values.
    corrected = np.array(p_values, dtype=np.float64)
    order = np.argsort(corrected)[: np.count_nonzero(~np.isnan(corrected))]
    weighted = corrected[order] * np.arange(order.size, 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(weighted), 1.0)
    return corrected


def wilson_interval(successes: int, trials: int) -> tuple[float, float]:
    """Return the 95 % interval of a share of independent trials (Wilson 1927).

    Predictions pooled over overlapping splits are no independent trials; rows are.
    """
    from scipy import stats

    interval = stats.binomtest(successes, trials).proportion_ci(method="wilson")
    return float(interval.low), float(interval.high)


def kappa(counts: ArrayLike) -> float:
    """Return Cohen's kappa; NaN where chance alone would agree always, or no counts.

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
    """Return the mid-p value of McNemar's test; NaN where no pair is discordant.

    The exact two-sided p value less the chance of the table seen, halved where both
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

    ``n_rows * (1 - (1 - test_share)**n_runs)``, rounded: one split tests its test side
    only, a few dozen splits test every row.
    """
    return round(n_rows * (1 - (1 - test_share) ** n_runs))


def row_bound(n_rows: int, n_found: int = 0, level: float = 0.05) -> float:
    """Return the exact upper bound on a share of rows of which so many were found.

    One-sided (Clopper and Pearson 1934); of none found it is ``1 - level**(1 / n_rows)``,
    the exact form of the rule of three. More splits of the same rows do not lower it.
    """
    from scipy import stats

    if n_found >= n_rows:
        return 1.0
    return float(stats.beta.isf(level, n_found + 1, n_rows - n_found))


def fewest_rows(margin: float, level: float = 0.05) -> float:
    """Return how many rows it takes, none of them found, for `row_bound` to be a margin."""
    if not 0 < margin < 1:
        return float("inf") if margin <= 0 else 0.0
    return float(np.ceil(np.log(level) / np.log1p(-margin)))

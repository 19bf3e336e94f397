"""McNemar's test on one split."""

from scipy import stats


def mcnemar_mid_p(only_first: int, only_second: int) -> float:
    """Return the mid-p value of McNemar's test; NaN where no pair is discordant.

    The exact two-sided p value less the chance of the table seen, halved where both
    counts are equal (Fagerland, Lydersen and Laake 2013). For the samples of one split:
    predictions pooled over splits repeat samples and make it far too small.
    """
    discordant = only_first + only_second
    if discordant == 0:
        return float("nan")
    smaller = min(only_first, only_second)
    chance = float(stats.binom.pmf(smaller, discordant, 0.5))
    if only_first == only_second:
        return 1 - chance / 2
    return 2 * float(stats.binom.cdf(smaller, discordant, 0.5)) - chance

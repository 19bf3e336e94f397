"""How much longer one takes than another, from times paired within rounds."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gnbbench.sign_test import lag_one_autocorrelation, median_interval, sign_test_p

FloatArray = NDArray[np.float64]
LEVEL = 0.95
OUTLIER_SCORE = 3.5
UPPER_QUARTILE = 0.6744897501960817  # Of the standard normal distribution


@dataclass(frozen=True, slots=True)
class PairedRatio:
    """The ratio of two times, and how its rounds behaved."""

    ratio: float  # exp(median d) of the log-ratios d
    low: float  # Ends of its interval; NaN where there are too few rounds for one
    high: float
    outliers: int  # Log-ratios far from their median; they stay in
    ties: int  # Rounds in which both times were equal
    # Correlation of successive log-ratios; NaN where they do not vary
    autocorrelation: float
    processes: int = 1  # How many processes the rounds were timed in
    # Smallest and largest ratio of a single process; NaN where there was one
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

    The autocorrelation that widens the interval is that of d unless it is given.
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


def holm_levels(p_values: Sequence[float], level: float = LEVEL) -> list[float]:
    """Return a confidence level for each interval, such that Holm's decisions show in it.

    Holm (1979, Scandinavian Journal of Statistics 6) holds the smallest of m p values
    against a/m, the next against a/(m - 1), up to the first that is not small enough. Each
    interval gets the confidence at which its own hypothesis was judged, or judging stopped,
    so that it leaves out "no difference" exactly where Holm rejects it (Serlin, 1993). With
    probability `level` none does so falsely; all bounds at once cover less.
    """
    levels = [level] * len(p_values)
    left = len(p_values)
    for place in np.argsort(p_values, kind="stable"):
        levels[place] = 1.0 - (1.0 - level) / left
        if p_values[place] < (1.0 - level) / left:
            left -= 1
    return levels


def count_outliers(d: FloatArray) -> int:
    """Return how many values lie far from the median, in units of the usual deviation.

    A value is an outlier when 0.6745 |d - median| / MAD exceeds 3.5, where MAD is the
    median absolute deviation (Iglewicz and Hoaglin, 1993).
    """
    distances = np.abs(d - np.median(d))
    scale = np.median(distances) / UPPER_QUARTILE
    return int(np.count_nonzero(distances > OUTLIER_SCORE * scale))


def medians_decide(n_processes: int, n_comparisons: int) -> bool:
    """Tell whether there are enough processes for an interval from their medians alone."""
    smallest_p = 2.0 ** (1 - n_processes)
    return smallest_p < (1.0 - LEVEL) / max(n_comparisons, 1)


def ratio_over_processes(
    parts: Sequence[FloatArray], level: float = LEVEL, *, n_comparisons: int = 1
) -> PairedRatio:
    """Return the median over processes of their median ratios, with an interval.

    A process draws the layout of its memory once, for all of its rounds, so that rounds
    of one process resemble each other and pooled rounds say too much. What is drawn anew
    is the process, and with enough of them (`medians_decide`) the interval is that of the
    sign test over their medians, which holds whatever the processes have in common. For
    fewer there is no such interval at 95 %. They get the sign-test interval over the
    pooled rounds, stretched until it holds the median of every process: never narrower
    than the rounds allow, and on one side of 1 only if every process is. Where processes
    differ by far more than their rounds, what is left is the range of n medians, which
    holds the true one with probability 1 - 2**(1 - n): 50, 75, 88 and 94 % for two to
    five processes. A single process has the interval of `paired_ratio`.
    """
    if len(parts) == 1:
        return paired_ratio(parts[0], level)
    medians = np.array([np.median(part) for part in parts])
    within = _autocorrelation_within(parts)
    if medians_decide(len(parts), n_comparisons):
        found = paired_ratio(medians, level, autocorrelation=0.0)
        low, high = found.low, found.high
    else:
        found = paired_ratio(np.concatenate(parts), level, within)
        low = min(found.low, float(np.exp(medians.min())))
        high = max(found.high, float(np.exp(medians.max())))
        if np.isnan(found.low):
            low = high = float("nan")
    return replace(
        found,
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

    It is below 1 - level exactly where the interval of `ratio_over_processes` at that
    level leaves out 1; to be so, the median of every process has to be on one side.
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

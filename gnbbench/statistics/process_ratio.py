"""The ratio of two times that were taken over again in several processes."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gnbbench.statistics.paired_ratio import (
    LEVEL,
    FloatArray,
    PairedRatio,
    count_outliers,
    lag_one_autocorrelation,
    paired_ratio,
    sign_test_p,
)


def medians_decide(n_processes: int, n_comparisons: int) -> bool:
    """whether there are enough processes for an interval from their medians alone."""
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
    if medians_decide(len(parts), n_comparisons):
        found = paired_ratio(medians, level)
        low, high = found.low, found.high
    else:
        found = paired_ratio(np.concatenate(parts), level)
        low = min(found.low, float(np.exp(medians.min())))
        high = max(found.high, float(np.exp(medians.max())))
        if np.isnan(found.low):
            low = high = float("nan")
    centred = np.concatenate([part - part.mean() for part in parts])
    return replace(
        found,
        ratio=float(np.exp(np.median(medians))),
        low=low,
        high=high,
        outliers=sum(count_outliers(part) for part in parts),
        ties=sum(int(np.count_nonzero(part == 0.0)) for part in parts),
        autocorrelation=lag_one_autocorrelation(centred),
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
        return sign_test_p(medians)
    if not (np.all(medians > 0.0) or np.all(medians < 0.0)):
        return 1.0
    return sign_test_p(np.concatenate(parts))

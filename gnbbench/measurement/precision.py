"""When the rounds timed so far are enough for the precision that was asked for."""

from functools import lru_cache
from math import ceil

import numpy as np
from numpy.typing import NDArray

FAMILY_LEVEL = 0.95
FIRST_LOOK = 20
GROWTH = 1.25


class PrecisionWatch:
    """Looks now and then at how wide the intervals of the paired ratios are.

    The first look comes after 20 rounds, each further one after a quarter more rounds.
    The precision is reached when at two looks running no interval, at Holm's strictest
    level for so many competitors, is wider to either side than asked for.

    Whoever stops as soon as an interval looks good enough has intervals that cover less
    often than they say. Here the position of an interval never counts, only its width,
    which tells nothing of the side on which the ratio lies; few looks leave few occasions
    to meet a width that is small by chance, and the second look has to bear out the first.
    What is left of the effect is a loss of at most about one point: in simulations of
    normal, heavy-tailed, skewed and mixed noise, intervals that hold 95.3 to 97 % of the
    time after a fixed number of rounds held 94 to 98 % of the time.
    """

    def __init__(self, precision: float, n_competitors: int) -> None:
        self._precision = precision
        self._level = 1.0 - (1.0 - FAMILY_LEVEL) / max(n_competitors, 1)
        self._next_look = FIRST_LOOK
        self._was_narrow = False

    def is_due(self, n_rounds: int) -> bool:
        """Return whether it is time to look again."""
        return n_rounds >= self._next_look

    def look(self, times: NDArray[np.float64], reference: int) -> bool:
        """Return whether the precision is reached."""
        self._next_look = ceil(GROWTH * len(times))
        logs = np.log(times)
        d = np.delete(logs - logs[:, [reference]], reference, axis=1)
        is_narrow = half_width(d, self._level) <= self._precision
        reached = is_narrow and self._was_narrow
        self._was_narrow = is_narrow
        return reached


def half_width(d: NDArray[np.float64], level: float) -> float:
    """Return half the width of the widest sign-test interval of several medians."""
    n_rounds = len(d)
    rank = interval_rank(n_rounds, level)
    if rank == 0:
        return float("inf")
    ordered = np.sort(d, axis=0)
    widths = ordered[n_rounds - rank] - ordered[rank - 1]
    return float(widths.max(initial=0.0)) / 2


@lru_cache(maxsize=256)
def interval_rank(n_rounds: int, level: float) -> int:
    """Return the rank, from either end, of the values that bound an interval of the median.

    The largest k for which a binomial count with probability 1/2 lies below k with
    probability at most (1 - level) / 2 (Conover, 1999, section 3.2).

    References
    ----------
    Conover, W. J. (1999). Practical nonparametric statistics, 3rd edition.
    """
    counts = np.arange(1, n_rounds + 1)
    logs = np.concatenate([[0.0], np.cumsum(np.log((n_rounds + 1 - counts) / counts))])
    below = np.cumsum(np.exp(logs - n_rounds * np.log(2.0)))
    return int(np.searchsorted(below, (1.0 - level) / 2, side="right"))

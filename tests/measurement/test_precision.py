"""Stopping at a precision: the widths are right, and the intervals stay honest."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from gnbbench.measurement.timing import PrecisionWatch, half_width, interval_rank
from gnbbench.statistics.ratios import paired_ratio

Draw = Callable[[np.random.Generator, int], NDArray[np.float64]]

NOISES: dict[str, Draw] = {
    "normal": lambda rng, n: 0.05 * rng.normal(size=n),
    "heavy tails": lambda rng, n: 0.03 * rng.standard_t(2, size=n),
    "skewed": lambda rng, n: 0.05 * (rng.exponential(size=n) - np.log(2.0)),
}
N_SIMULATIONS = 600
MOST = 600


@pytest.mark.parametrize("level", [0.95, 0.975, 0.99])
@pytest.mark.parametrize("n", [6, 8, 20, 51, 200, 1000, 5000])
def test_widths_are_those_of_the_intervals_that_are_reported(n: int, level: float) -> None:
    d = np.random.default_rng(n).normal(size=n)

    found = paired_ratio(d, level)

    expected = (np.log(found.high) - np.log(found.low)) / 2
    if np.isnan(expected):
        assert half_width(d[:, None], level) == float("inf")
    else:
        assert half_width(d[:, None], level) == pytest.approx(expected)


@pytest.mark.parametrize("n", [6, 7, 20, 99, 1000])
def test_a_rank_is_the_largest_that_keeps_the_level(n: int) -> None:
    rank = interval_rank(n, 0.95)

    assert binom.cdf(rank - 1, n, 0.5) <= 0.025 < binom.cdf(rank, n, 0.5)


def test_the_widest_interval_counts() -> None:
    narrow, wide = np.linspace(-1, 1, 50), np.linspace(-3, 3, 50)

    both = half_width(np.column_stack([narrow, wide]), 0.95)

    assert both == half_width(wide[:, None], 0.95)


def test_one_narrow_look_is_not_enough() -> None:
    watch = PrecisionWatch(0.01, 1)
    equal = np.ones((20, 2))

    first, second = watch.look(equal, 0), watch.look(equal, 0)

    assert (first, second) == (False, True)


def test_looks_are_a_quarter_apart() -> None:
    watch = PrecisionWatch(0.01, 1)

    due = [n for n in range(1, 100) if watch.is_due(n) and not watch.look(noise(n), 0)]

    assert due == [20, 25, 32, 40, 50, 63, 79, 99]


def noise(n: int) -> NDArray[np.float64]:
    return np.exp(np.random.default_rng(n).normal(size=(n, 2)))


def coverage(draw: Draw, precision: float, stop: Callable[..., int]) -> float:
    """Return how often the interval at the stop holds the true median, 0."""
    hits = 0
    for seed in range(N_SIMULATIONS):
        d = draw(np.random.default_rng(seed), MOST)
        n = stop(d, precision)
        low, high = ends(d[:n])
        hits += low <= 0.0 <= high
    return hits / N_SIMULATIONS


def ends(d: NDArray[np.float64]) -> tuple[float, float]:
    ordered, rank = np.sort(d), interval_rank(len(d), 0.95)
    return float(ordered[rank - 1]), float(ordered[len(d) - rank])


def watched(d: NDArray[np.float64], precision: float) -> int:
    """Return after how many rounds, in whole blocks of two, the watch stops."""
    watch = PrecisionWatch(precision, 1)
    for n in range(2, len(d), 2):
        times = np.exp(np.column_stack([np.zeros(n), d[:n]])) if watch.is_due(n) else None
        if times is not None and watch.look(times, 0):
            return n
    return len(d)


def tempted(d: NDArray[np.float64], precision: float) -> int:
    """Return after how many rounds one stops who wants to see a difference."""
    for n in range(20, len(d), 2):
        low, high = ends(d[:n])
        if (high - low) / 2 <= precision or not low <= 0.0 <= high:
            return n
    return len(d)


@pytest.mark.parametrize("name", NOISES)
def test_intervals_hold_nearly_as_often_as_they_say(name: str) -> None:
    assert coverage(NOISES[name], 0.012, watched) >= 0.925


def test_whoever_stops_at_the_first_difference_covers_far_less() -> None:
    """Negative control: a rule that looks at positions."""
    assert coverage(NOISES["normal"], 0.012, tempted) <= 0.87

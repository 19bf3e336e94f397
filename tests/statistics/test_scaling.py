"""Exponents are recovered from times whose exponent is known, and only from those."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from gnbbench.statistics.scale import Exponent, scaling_exponent

SIZES = (1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)


@pytest.mark.parametrize("power", [0.0, 0.5, 0.98, 1.0, 2.0])
def test_a_power_law_gives_its_exponent(power: float) -> None:
    found = scaling_exponent(SIZES, [3e-6 * size**power for size in SIZES])

    assert found.value == pytest.approx(power, abs=1e-9)
    assert found.high - found.low < 1e-6
    assert (found.first, found.last, found.points) == (10_000, 100_000, 4)


def test_the_cost_of_a_call_does_not_flatten_the_line() -> None:
    times = [1e-4 + 1e-7 * size for size in SIZES]

    found = scaling_exponent(SIZES, times)

    whole = float(np.polyfit(np.log(SIZES), np.log(times), 1)[0])
    assert found.value > 0.96
    assert whole < 0.9


def wrong_base(sizes: Sequence[int], times: Sequence[float]) -> Exponent:
    """Return a slope over sizes themselves, as a slip would."""
    slope = float(np.polyfit(sizes[-4:], np.log(times[-4:]), 1)[0])
    return Exponent(slope, slope, slope, sizes[-4], sizes[-1], 4)


def all_points(sizes: Sequence[int], times: Sequence[float]) -> Exponent:
    """Return a slope that takes the small sizes in."""
    slope = float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
    return Exponent(slope, slope, slope, sizes[0], sizes[-1], len(sizes))


def coverage(formula: Callable[..., Exponent], n_trials: int = 400) -> float:
    """Return how often the interval holds the exponent that was put in."""
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(n_trials):
        power = rng.uniform(0.5, 1.5)
        overhead = 2e-4 * (SIZES[-1] ** power / 1000)
        noise = np.exp(rng.normal(0.0, 0.05, len(SIZES)))
        steady = np.array([size**power for size in SIZES])
        steady[:3] += overhead
        found = formula(SIZES, (1e-6 * steady * noise).tolist())
        held += found.low - 1e-12 <= power <= found.high + 1e-12
    return held / n_trials


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    assert 0.92 <= coverage(scaling_exponent) <= 0.98


@pytest.mark.parametrize("formula", [wrong_base, all_points])
def test_a_wrong_formula_is_caught(formula: Callable[..., Exponent]) -> None:
    assert coverage(formula, n_trials=100) < 0.1


def test_three_sizes_at_least_are_used_where_there_are_so_many() -> None:
    found = scaling_exponent([10, 1000, 100_000], [1.0, 100.0, 10_000.0])

    assert (found.points, found.first) == (3, 10)
    assert found.value == pytest.approx(1.0)


def test_two_sizes_have_no_interval_and_one_no_exponent() -> None:
    two = scaling_exponent([10, 20], [1.0, 2.0])
    one = scaling_exponent([10], [1.0])

    assert two.value == pytest.approx(1.0)
    assert math.isnan(two.low)
    assert math.isnan(one.value)
    assert one.points == 0


@pytest.mark.parametrize(
    ("sizes", "times"),
    [([1, 2], [0.0, 1.0]), ([1, 2], [float("nan"), 1.0]), ([2, 1], [1.0, 1.0])],
)
def test_what_is_no_curve_is_refused(sizes: list[int], times: list[float]) -> None:
    with pytest.raises(ValueError, match="should"):
        scaling_exponent(sizes, times)

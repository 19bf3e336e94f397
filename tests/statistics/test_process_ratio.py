"""Ratios over several processes: what they are, and how often their intervals hold."""

import numpy as np
import pytest
from numpy.typing import NDArray

from gnbbench.statistics.ratios import (
    medians_decide,
    p_over_processes,
    paired_ratio,
    ratio_over_processes,
    sign_test_p,
)

pytestmark = pytest.mark.slow

Parts = list[NDArray[np.float64]]


def drawn(seed: int, n_processes: int, *, between: float = 0.02, n: int = 40) -> Parts:
    """Return log-ratios about 0 whose processes differ by more than their rounds."""
    rng = np.random.default_rng(seed)
    levels = between * rng.normal(size=n_processes)
    return [level + 0.005 * rng.normal(size=n) for level in levels]


def coverage(n_processes: int, *, pooled: bool = False) -> float:
    """Return how often the interval holds the ratio that processes scatter about."""
    hits = 0
    for seed in range(400):
        parts = drawn(seed, n_processes)
        found = (
            paired_ratio(np.concatenate(parts)) if pooled else ratio_over_processes(parts)
        )
        hits += found.low <= 1.0 <= found.high
    return hits / 400


def test_one_process_has_the_ratio_that_it_always_had() -> None:
    (d,) = drawn(0, 1)

    assert repr(ratio_over_processes([d], 0.9)) == repr(paired_ratio(d, 0.9))
    assert p_over_processes([d]) == sign_test_p(d)


def test_the_ratio_is_the_median_of_the_medians() -> None:
    found = ratio_over_processes([np.full(6, 0.1), np.full(60, 0.2), np.full(6, 0.4)])

    assert found.ratio == pytest.approx(np.exp(0.2))
    assert found.processes == 3
    assert found.process_low == pytest.approx(np.exp(0.1))
    assert found.process_high == pytest.approx(np.exp(0.4))


def test_few_processes_stretch_the_interval_of_all_rounds() -> None:
    parts = drawn(1, 3)

    found, pooled = ratio_over_processes(parts), paired_ratio(np.concatenate(parts))

    medians = [np.exp(np.median(part)) for part in parts]
    assert found.low == pytest.approx(min(pooled.low, *medians))
    assert found.high == pytest.approx(max(pooled.high, *medians))


def test_many_processes_have_the_interval_of_their_medians() -> None:
    parts = drawn(2, 8)

    found = ratio_over_processes(parts)

    medians = paired_ratio(np.array([np.median(part) for part in parts]))
    assert (found.low, found.high) == (medians.low, medians.high)
    assert found.low > np.exp(min(np.median(part) for part in parts)) - 1e-12


@pytest.mark.parametrize(
    ("n_comparisons", "enough"), [(1, 6), (2, 7), (3, 7), (4, 8), (6, 8), (7, 9)]
)
def test_medians_decide_from_as_many_processes_as_holm_needs(
    n_comparisons: int, enough: int
) -> None:
    assert medians_decide(enough, n_comparisons)
    assert not medians_decide(enough - 1, n_comparisons)


@pytest.mark.parametrize("n_processes", [1, 2, 3, 5, 6, 9])
@pytest.mark.parametrize("between", [0.0, 0.002, 0.02])
def test_p_is_small_exactly_where_the_interval_leaves_out_1(
    n_processes: int, between: float
) -> None:
    words = set()
    for seed in range(60):
        shift = (seed % 3) * 0.002
        parts = [d + shift for d in drawn(seed, n_processes, between=between, n=30)]
        found = ratio_over_processes(parts)
        leaves_out = found.low > 1.0 or found.high < 1.0
        assert (p_over_processes(parts) < 0.05) == leaves_out
        words.add(leaves_out)
    assert words == {True, False}


@pytest.mark.parametrize(
    ("n_processes", "least"), [(2, 0.45), (3, 0.70), (5, 0.90), (6, 0.94), (9, 0.94)]
)
def test_intervals_hold_as_often_as_is_said(n_processes: int, least: float) -> None:
    assert coverage(n_processes) >= least


def test_pooled_rounds_alone_say_far_too_much() -> None:
    """Negative control: rounds of one process are no independent evidence."""
    assert coverage(6, pooled=True) < 0.6


def test_resemblance_is_looked_for_within_processes() -> None:
    apart = [1.0 + 0.01 * part for part in drawn(3, 2, between=0.0)]
    apart[1] = apart[1] + 5.0

    assert abs(ratio_over_processes(apart).autocorrelation) < 0.3


def test_too_few_rounds_have_no_interval() -> None:
    found = ratio_over_processes([np.array([0.1]), np.array([0.2])])

    assert np.isnan([found.low, found.high]).all()

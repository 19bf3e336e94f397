"""Tests of the paired ratio: exact intervals, Holm's levels, and what is counted."""

from math import comb, exp
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.multitest import multipletests

from gnbbench.statistics.ratios import (
    count_outliers,
    holm_levels,
    lag_one_autocorrelation,
    log_ratios,
    paired_ratio,
    sign_test_p,
)

log_ratio_arrays = st.lists(
    st.sampled_from([-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3, 0.4]), min_size=1, max_size=40
).map(np.array)

p_value_lists = st.lists(st.floats(0.0001, 1.0), min_size=1, max_size=6)


def ranks(n: int, level: float) -> tuple[int, int] | None:
    """Return the order statistics (from 1) of the interval, by summing binomial terms."""
    allowed = (1.0 - level) / 2.0
    tail, k = 0.0, 0
    while tail + comb(n, k) / 2**n <= allowed:
        tail += comb(n, k) / 2**n
        k += 1
    return (k, n + 1 - k) if k else None


def test_log_ratios_are_positive_where_the_competitor_takes_longer() -> None:
    d = log_ratios(np.array([2.0, 1.0]), np.array([1.0, 2.0]))

    np.testing.assert_allclose(d, [np.log(2), -np.log(2)])


@pytest.mark.parametrize("wrong", [0.0, -1.0, np.nan, np.inf])
def test_times_that_are_none_are_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match="positive"):
        log_ratios(np.array([1.0, wrong]), np.array([1.0, 1.0]))


@pytest.mark.parametrize("level", [0.95, 0.975, 0.99])
@pytest.mark.parametrize("n", [6, 7, 8, 9, 17, 25, 60, 204])
def test_bounds_are_the_binomial_order_statistics(n: int, level: float) -> None:
    d = np.random.default_rng(n).permutation(np.arange(1, n + 1)) / n

    found = paired_ratio(d, level)
    expected = ranks(n, level)

    if expected is None:
        assert np.isnan(found.low)
        assert np.isnan(found.high)
    else:
        assert found.low == pytest.approx(exp(expected[0] / n))
        assert found.high == pytest.approx(exp(expected[1] / n))


@pytest.mark.parametrize("n", [1, 2, 5])
def test_fewer_than_six_rounds_have_no_interval(n: int) -> None:
    found = paired_ratio(np.linspace(0.1, 0.2, n))

    assert np.isnan([found.low, found.high]).all()
    assert found.ratio == pytest.approx(exp(0.15) if n > 1 else exp(0.1))


def test_the_ratio_is_the_median_and_one_spike_does_not_move_it() -> None:
    d = np.array([0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 9.0])

    found = paired_ratio(d)

    assert found.ratio == pytest.approx(exp(0.1))
    assert exp(d.mean()) > 3.0


@pytest.mark.slow
def test_the_interval_covers_the_median_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    d = np.exp(rng.normal(size=(600, 30))) - 1.0

    found = [paired_ratio(row) for row in d]
    covered = np.mean([r.low <= 1.0 <= r.high for r in found])
    too_narrow = np.mean(
        [r.low <= 1.0 <= r.high for r in (paired_ratio(x, 0.7) for x in d)]
    )

    assert 0.94 <= covered <= 0.985
    assert too_narrow < 0.9


@pytest.mark.parametrize(("n", "positive"), [(6, 6), (10, 8), (20, 10), (40, 29)])
def test_p_is_the_exact_sign_test(n: int, positive: int) -> None:
    d = np.array([1.0] * positive + [-1.0] * (n - positive))

    assert sign_test_p(d) == pytest.approx(binomtest(positive, n).pvalue)


@settings(deadline=None)
@given(log_ratio_arrays, st.sampled_from([0.9, 0.95, 0.975, 0.99]))
def test_the_interval_leaves_out_one_exactly_where_the_test_rejects(
    d: np.ndarray, level: float
) -> None:
    found = paired_ratio(d, level)

    assert (found.low > 1.0 or found.high < 1.0) == (sign_test_p(d) < 1.0 - level)


@settings(deadline=None)
@given(p_value_lists)
def test_levels_decide_as_holm_does(p_values: list[float]) -> None:
    rejected = np.array(p_values) < 1.0 - np.array(holm_levels(p_values))

    # It collects garbage on every call, which takes long beside many other tests.
    with mock.patch("gc.collect"):
        expected = multipletests(p_values, alpha=0.05, method="holm")[0]
    assert rejected.tolist() == expected.tolist()


def test_bonferroni_and_uncorrected_levels_decide_otherwise() -> None:
    p_values = [0.01, 0.02, 0.2]

    holm = [
        p < 1.0 - level for p, level in zip(p_values, holm_levels(p_values), strict=True)
    ]

    assert holm == [True, True, False]
    assert [p < 0.05 / 3 for p in p_values] == [True, False, False]
    uncorrected = [0.03, 0.04, 0.2]
    levels = holm_levels(uncorrected)
    assert not any(p < 1.0 - level for p, level in zip(uncorrected, levels, strict=True))
    assert any(p < 0.05 for p in uncorrected)


def test_one_comparison_needs_no_correction_and_none_gives_none() -> None:
    assert holm_levels([0.5]) == pytest.approx([0.95])
    assert holm_levels([]) == []


def test_outliers_lie_beyond_three_and_a_half_robust_deviations() -> None:
    d = np.array([-1.0, -1.0, 0.0, 1.0, 1.0, 5.1, 5.2, -5.1, -5.2])
    scale = np.median(np.abs(d - np.median(d))) / 0.67449

    assert count_outliers(d) == int((np.abs(d) > 3.5 * scale).sum())
    assert count_outliers(np.array([-1.0, -1.0, 0.0, 1.0, 1.0, 5.2, -5.1])) == 1


def test_with_equal_values_every_other_one_is_an_outlier() -> None:
    assert count_outliers(np.array([0.1, 0.1, 0.1, 0.1, 0.2])) == 1
    assert count_outliers(np.full(5, 0.1)) == 0


def test_outliers_and_ties_are_counted_and_kept() -> None:
    found = paired_ratio(np.array([0.0, 0.0, 0.01, -0.01, 0.02, -0.02, 7.0]))

    assert (found.outliers, found.ties) == (1, 2)
    assert found.high == pytest.approx(exp(7.0))


def test_autocorrelation_of_a_known_series() -> None:
    d = np.array([1.0, 2.0, 3.0, 4.0, 5.0])

    assert lag_one_autocorrelation(d) == pytest.approx(4.0 / 10.0)


def test_autocorrelation_tells_a_drifting_series_from_a_shuffled_one() -> None:
    rng = np.random.default_rng(1)
    drifting = np.cumsum(rng.normal(size=300))

    assert lag_one_autocorrelation(drifting) > 0.9
    assert abs(lag_one_autocorrelation(rng.permutation(drifting))) < 0.2


def test_autocorrelation_of_a_constant_is_unknown() -> None:
    assert np.isnan(lag_one_autocorrelation(np.full(4, 0.5)))

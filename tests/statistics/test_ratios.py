"""Ratios of times paired within rounds, in one process and in several."""

from math import comb, exp
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import binomtest
from statsmodels.stats.multitest import multipletests

from gnbbench import sign_test
from gnbbench.statistics.intervals import (
    count_outliers,
    holm_levels,
    log_ratios,
    medians_decide,
    p_over_processes,
    paired_ratio,
    ratio_over_processes,
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


@pytest.mark.parametrize("wrong", [0.0, -1.0, np.nan, np.inf])
def test_times_that_are_none_are_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match="positive"):
        log_ratios(np.array([1.0, wrong]), np.array([1.0, 1.0]))


@pytest.mark.parametrize("level", [0.95, 0.975, 0.99])
@pytest.mark.parametrize("n", [1, 2, 5, 6, 7, 8, 9, 17, 25, 60, 204])
def test_bounds_are_binomial_order_statistics_from_six_rounds(n: int, level: float) -> None:
    d = np.random.default_rng(n).permutation(np.arange(1, n + 1)) / n

    ratio = paired_ratio(d, level, autocorrelation=0.0)
    expected = ranks(n, level)

    assert n >= 6 or expected is None
    ends = [exp(rank / n) for rank in expected] if expected else [np.nan] * 2
    assert [ratio.low, ratio.high] == pytest.approx(ends, nan_ok=True)


@pytest.mark.parametrize(("n", "positive"), [(6, 6), (10, 8), (20, 10), (40, 29)])
def test_p_is_the_exact_sign_test(n: int, positive: int) -> None:
    d = np.array([1.0] * positive + [-1.0] * (n - positive))

    assert sign_test.sign_test_p(d, 0.0) == pytest.approx(binomtest(positive, n).pvalue)


@settings(deadline=None)
@given(log_ratio_arrays, st.sampled_from([0.9, 0.95, 0.975, 0.99]))
def test_intervals_leave_out_1_where_the_test_rejects(d: np.ndarray, level: float) -> None:
    ratio = paired_ratio(d, level)

    assert (ratio.low > 1.0 or ratio.high < 1.0) == (sign_test.sign_test_p(d) < 1.0 - level)


@pytest.mark.parametrize(("r", "as_many"), [(0.2, 100), (0.6, 25), (15 / 17, 6.25)])
def test_rounds_that_resemble_each_other_count_for_fewer(r: float, as_many: float) -> None:
    d = np.arange(100.0)

    low, high = sign_test.median_interval(d, 0.95, r)

    plain = sign_test.median_interval(d, 0.95, 0.0)
    wider = np.sqrt(100 / as_many)
    assert sign_test.widening(r) == pytest.approx(wider)
    assert high - low == pytest.approx(min((plain[1] - plain[0]) * wider, 99), abs=4)
    assert (high - low > plain[1] - plain[0]) == (r > 0.2)


@pytest.mark.parametrize("r", [0.4, 0.6])
def test_intervals_of_rounds_that_are_alike_hold_as_often_as_they_say(r: float) -> None:
    """Negative control: without allowance for it they do not."""
    rng = np.random.default_rng(0)
    series = rng.normal(size=(300, 120))
    for place in range(1, series.shape[1]):
        series[:, place] += r * series[:, place - 1]

    def holds(autocorrelation: float | None) -> float:
        found = [paired_ratio(d, autocorrelation=autocorrelation) for d in series]
        return float(np.mean([one.low <= 1.0 <= one.high for one in found]))

    assert holds(None) >= 0.94
    assert holds(0.0) <= 0.9


@settings(deadline=None)
@given(p_value_lists)
@example([0.01, 0.02, 0.2])  # Bonferroni rejects the first alone
@example([0.03, 0.04, 0.2])  # No correction rejects two
def test_levels_decide_as_holm_does(p_values: list[float]) -> None:
    rejected = np.array(p_values) < 1.0 - np.array(holm_levels(p_values))

    # It collects garbage on every call, which takes long beside many other tests.
    with mock.patch("gc.collect"):
        expected = multipletests(p_values, alpha=0.05, method="holm")[0]
    assert rejected.tolist() == expected.tolist()


def test_outliers_lie_beyond_three_and_a_half_robust_deviations() -> None:
    d = np.array([-1.0, -1.0, 0.0, 1.0, 1.0, 5.1, 5.2, -5.1, -5.2])
    scale = np.median(np.abs(d - np.median(d))) / 0.67449

    assert count_outliers(d) == int((np.abs(d) > 3.5 * scale).sum())
    assert count_outliers(np.array([-1.0, -1.0, 0.0, 1.0, 1.0, 5.2, -5.1])) == 1
    assert count_outliers(np.array([0.1, 0.1, 0.1, 0.1, 0.2])) == 1
    assert count_outliers(np.full(5, 0.1)) == 0


def test_outliers_and_ties_are_counted_and_kept_and_do_not_move_the_median() -> None:
    ratio = paired_ratio(np.array([0.0, 0.0, 0.01, -0.01, 0.02, -0.02, 7.0]))

    assert (ratio.outliers, ratio.ties) == (1, 2)
    assert ratio.high == pytest.approx(exp(7.0))
    assert paired_ratio(np.array([0.1] * 6 + [9.0])).ratio == pytest.approx(exp(0.1))


def test_autocorrelation_tells_a_drifting_series_from_a_shuffled_one() -> None:
    drifting = np.cumsum(np.random.default_rng(1).normal(size=300))
    shuffled = np.random.default_rng(2).permutation(drifting)

    assert sign_test.lag_one_autocorrelation(drifting) > 0.9
    assert abs(sign_test.lag_one_autocorrelation(shuffled)) < 0.2
    assert sign_test.lag_one_autocorrelation(np.arange(5.0)) == pytest.approx(4.0 / 10.0)
    assert np.isnan(sign_test.lag_one_autocorrelation(np.full(4, 0.5)))


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
            paired_ratio(np.concatenate(parts), autocorrelation=0.0)
            if pooled
            else ratio_over_processes(parts)
        )
        hits += found.low <= 1.0 <= found.high
    return hits / 400


def test_one_process_has_the_ratio_that_it_always_had() -> None:
    (d,) = drawn(0, 1)

    assert repr(ratio_over_processes([d], 0.9)) == repr(paired_ratio(d, 0.9))
    assert p_over_processes([d]) == sign_test.sign_test_p(d)


def test_the_ratio_is_the_median_of_the_medians() -> None:
    ratio = ratio_over_processes([np.full(6, 0.1), np.full(60, 0.2), np.full(6, 0.4)])

    assert ratio.ratio == pytest.approx(np.exp(0.2))
    assert ratio.processes == 3
    assert ratio.process_low == pytest.approx(np.exp(0.1))
    assert ratio.process_high == pytest.approx(np.exp(0.4))


def test_few_processes_stretch_the_interval_of_all_rounds() -> None:
    parts = drawn(1, 3)

    found, pooled = ratio_over_processes(parts), paired_ratio(np.concatenate(parts))

    medians = [np.exp(np.median(part)) for part in parts]
    assert found.low == pytest.approx(min(pooled.low, *medians))
    assert found.high == pytest.approx(max(pooled.high, *medians))


def test_many_processes_have_the_interval_of_their_medians() -> None:
    parts = drawn(2, 8)

    ratio = ratio_over_processes(parts)

    medians = paired_ratio(np.array([np.median(part) for part in parts]))
    assert (ratio.low, ratio.high) == (medians.low, medians.high)
    assert ratio.low > np.exp(min(np.median(part) for part in parts)) - 1e-12


@pytest.mark.parametrize(
    ("n_comparisons", "enough"), [(1, 6), (2, 7), (3, 7), (4, 8), (6, 8), (7, 9)]
)
def test_medians_decide_as_soon_as_holm_allows(n_comparisons: int, enough: int) -> None:
    assert medians_decide(enough, n_comparisons)
    assert not medians_decide(enough - 1, n_comparisons)


@pytest.mark.parametrize("n_processes", [1, 2, 3, 5, 6, 9])
@pytest.mark.parametrize("between", [0.0, 0.002, 0.02])
def test_p_is_small_where_intervals_leave_out_1(n_processes: int, between: float) -> None:
    words = set()
    for seed in range(60):
        shift = (seed % 3) * 0.002
        parts = [d + shift for d in drawn(seed, n_processes, between=between, n=30)]
        ratio = ratio_over_processes(parts)
        leaves_out = ratio.low > 1.0 or ratio.high < 1.0
        assert (p_over_processes(parts) < 0.05) == leaves_out
        words.add(leaves_out)
    assert words == {True, False}


@pytest.mark.parametrize(
    ("n_processes", "least"), [(2, 0.45), (3, 0.70), (5, 0.90), (6, 0.94), (9, 0.94)]
)
def test_intervals_have_their_nominal_coverage(n_processes: int, least: float) -> None:
    """Negative control: rounds of one process are not independent evidence."""
    assert coverage(n_processes) >= least
    assert n_processes != 6 or coverage(6, pooled=True) < 0.6


def test_resemblance_is_looked_for_within_processes() -> None:
    apart = [1.0 + 0.01 * part for part in drawn(3, 2, between=0.0)]
    apart[1] = apart[1] + 5.0

    assert abs(ratio_over_processes(apart).autocorrelation) < 0.3

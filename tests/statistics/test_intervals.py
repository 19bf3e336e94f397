from unittest import mock

import numpy as np
import pandas as pd
import pytest
from baycomp.single import CorrelatedTTest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint
from statsmodels.stats.weightstats import ttost_paired

from gnbbench.statistics import intervals
from gnbbench.statistics.intervals import Estimate, corrected_estimate, holm


@pytest.mark.parametrize(("n_test", "folds"), [(10, 10), (20, 5), (50, 2)])
def test_agrees_with_the_t_test_of_baycomp(n_test: int, folds: int) -> None:
    """Negative control: an error that ignores shared samples is detected."""
    rng = np.random.default_rng(folds)
    x = rng.normal(0.90, 0.03, size=10 * folds)
    y = x + rng.normal(0.01, 0.02, size=x.size)

    estimate = corrected_estimate(y - x, n_train=100 - n_test, n_test=n_test)

    mean, variance, df = CorrelatedTTest.compute_statistics(x, y, runs=10)
    assert estimate.mean == pytest.approx(mean, rel=1e-12)
    assert estimate.standard_error == pytest.approx(np.sqrt(variance), rel=1e-12)
    assert stats.sem(y - x) != pytest.approx(np.sqrt(variance), rel=0.1)
    assert estimate.degrees_of_freedom == df
    left, right = CorrelatedTTest(x, y, runs=10).probs()
    assert estimate.p_value() == pytest.approx(2 * min(left, right), rel=1e-9)
    low, _, high = CorrelatedTTest(x, y, rope=0.02, runs=10).probs()
    assert estimate.equivalence_margin(max(low, high)) == pytest.approx(0.02, rel=1e-9)


@pytest.mark.parametrize("values", [[], [0.5]])
def test_fewer_than_two_values_have_no_standard_error(values: list[float]) -> None:
    with pytest.raises(ValueError, match=f"at least 2 values, got {len(values)}"):
        corrected_estimate(values, n_train=70, n_test=30)


def test_without_a_correction_it_is_the_ordinary_t_test_and_tost() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 12))

    estimate = Estimate(float(np.mean(y - x)), float(stats.sem(y - x)), 11)

    assert estimate.p_value() == pytest.approx(stats.ttest_rel(y, x).pvalue, rel=1e-12)
    expected = stats.t.interval(0.95, 11, loc=np.mean(y - x), scale=stats.sem(y - x))
    assert estimate.interval() == pytest.approx(expected, rel=1e-12)
    p_value = ttost_paired(y, x, -0.8, 0.8)[0]
    assert estimate.equivalence_margin(p_value) == pytest.approx(0.8, rel=1e-9)


@pytest.mark.parametrize("values", [[0.2] * 3, [0.1 + 0.2, 0.3, 0.3, 0.1 + 0.2]])
def test_equal_values_give_no_p_value_rather_than_zero(values: list[float]) -> None:
    """Equal accuracies reached by different sums differ in the last bit."""
    estimate = corrected_estimate(values, n_train=70, n_test=30)

    assert estimate.standard_error == 0
    assert np.isnan(estimate.p_value())
    assert np.isnan(estimate.equivalence_margin())
    assert np.isnan(estimate.interval()).all()


def test_a_known_step_keeps_equal_values_from_being_certain() -> None:
    few = corrected_estimate([0.02] * 2, n_train=50, n_test=50, step=0.02)
    many = corrected_estimate([0.02] * 1000, n_train=50, n_test=50, step=0.02)

    # s = 0.02 / sqrt(2), times sqrt(1/2 + 1).
    assert few.standard_error == pytest.approx(0.02 * np.sqrt(0.75), rel=1e-12)
    assert few.p_value() > 0.05
    assert many.p_value() < 0.001


@given(st.lists(st.integers(0, 30), min_size=2, max_size=40))
def test_a_known_step_changes_nothing_where_values_differ(counts: list[int]) -> None:
    values = np.array(counts) / 30
    plain = corrected_estimate(values, n_train=70, n_test=30)

    stepped = corrected_estimate(values, n_train=70, n_test=30, step=1 / 30)

    if len(set(counts)) > 1:
        assert stepped.standard_error == pytest.approx(plain.standard_error, rel=1e-9)
    else:
        assert stepped.standard_error > plain.standard_error


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_agrees_with_statsmodels(p_values: list[float]) -> None:
    # It collects garbage on every call, which takes long beside many other tests.
    with mock.patch("gc.collect"):
        expected = multipletests(p_values, method="holm")[1]

    assert holm(p_values) == pytest.approx(expected)


def test_holm_does_not_count_tests_that_were_not_run_and_leaves_p_values() -> None:
    """With pandas 2.2.3 and NumPy 2.1 a copy of a column by `np.array` is none."""
    p_values = pd.Series([0.03, np.nan, 0.01])

    assert holm(p_values) == pytest.approx([0.03, np.nan, 0.02], nan_ok=True)
    assert p_values.tolist()[::2] == [0.03, 0.01]
    assert holm([]).size == 0


@pytest.mark.parametrize(("k", "n"), [(0, 1), (0, 45), (7, 45), (45, 45), (300, 400)])
def test_wilson_interval_agrees_with_statsmodels(k: int, n: int) -> None:
    expected = proportion_confint(k, n, method="wilson")
    normal = proportion_confint(k, n, method="normal")

    assert intervals.wilson_interval(k, n) == pytest.approx(expected, abs=1e-12)
    assert intervals.wilson_interval(k, n) != pytest.approx(normal, abs=1e-4)


N_ROWS, N_TEST, N_RUNS, N_DATA_SETS = 150, 45, 100, 300


def test_equally_accurate_classifiers_are_seldom_called_different() -> None:
    """At level 0.05 and 300 data sets, 0.01 to 0.09 is three standard errors around.

    Negative control: the ordinary paired t test calls them different nearly always.
    """
    rng = np.random.default_rng(20)
    right = rng.random((2, N_DATA_SETS, N_ROWS)) < 0.9
    per_row = right[0].astype(float) - right[1]
    sides = np.tile(np.arange(N_ROWS) < N_TEST, (N_RUNS, 1)).astype(float)
    differences = per_row @ rng.permuted(sides, axis=1).T / N_TEST

    p_values = [
        corrected_estimate(d, n_train=N_ROWS - N_TEST, n_test=N_TEST).p_value()
        for d in differences
    ]

    assert 0.01 <= np.mean(np.array(p_values) < 0.05) <= 0.09
    assert np.mean(stats.ttest_1samp(differences, 0.0, axis=1).pvalue < 0.05) > 0.6

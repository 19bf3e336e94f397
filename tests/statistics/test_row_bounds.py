import numpy as np
import pytest
from scipy import stats

from gnbbench.statistics.agreement import row_bound, rows_tested


@pytest.mark.parametrize("n_rows", [1, 45, 149, 569])
def test_bound_is_the_exact_one_sided_binomial_limit(n_rows: int) -> None:
    exact = stats.binomtest(0, n_rows, alternative="less").proportion_ci(0.95).high

    assert row_bound(n_rows) == pytest.approx(exact, rel=1e-9)


def test_bound_of_iris_is_two_percent() -> None:
    assert round(100 * row_bound(149), 1) == 2.0


def test_no_row_bounds_nothing() -> None:
    assert row_bound(0) == 1.0


def test_one_split_tests_its_test_side_and_many_splits_test_all() -> None:
    assert rows_tested(150, test_share=0.3, n_runs=1) == 45
    assert rows_tested(150, test_share=0.3, n_runs=100) == 150


def test_expected_number_of_tested_rows_is_that_of_random_splits() -> None:
    rng = np.random.default_rng(0)
    found = [
        np.unique([rng.permutation(150)[:45] for _ in range(4)]).size for _ in range(300)
    ]

    assert rows_tested(150, test_share=0.3, n_runs=4) == pytest.approx(
        np.mean(found), abs=1
    )

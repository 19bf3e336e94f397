"""Few rows in dispute seldom show a difference falsely, however many runs there are."""

import numpy as np
import pytest

from gnbbench.statistics.intervals import corrected_estimate
from gnbbench.statistics.metrics import FEW_ROWS, Disputes, p_value

N_RUNS, N_STUDIES = 40, 2000


def rejected(n_rows: int) -> tuple[float, float]:
    """Return how often equal accuracy is rejected, and how often by the interval only."""
    rng = np.random.default_rng(n_rows)
    n_test = n_rows // 2
    rejections = np.zeros(2)
    for _ in range(N_STUDIES):
        effects = rng.choice([-1, 0, 0, 1], size=n_rows)
        order = rng.random((N_RUNS, n_rows)).argsort(axis=1)[:, :n_test]
        estimate = corrected_estimate(
            effects[order].mean(axis=1), n_train=n_rows - n_test, n_test=n_test
        )
        gained, lost = int((effects > 0).sum()), int((effects < 0).sum())
        disputes = Disputes(N_RUNS, gained + lost, n_rows, gained, lost)
        p = p_value("test_accuracy", estimate, disputes)
        rejections += p < 0.05, estimate.p_value() < 0.05
    rule, interval = rejections / N_STUDIES
    return float(rule), float(interval)


@pytest.mark.slow
@pytest.mark.parametrize("n_rows", [4, 6, 8, 10])
def test_few_rows_seldom_show_a_difference_that_is_none(n_rows: int) -> None:
    by_rule, by_interval = rejected(n_rows)

    assert by_rule <= 0.05
    assert by_interval > 0.05, "the negative control: what the rule is for"


def test_many_rows_are_judged_by_the_interval_alone() -> None:
    estimate = corrected_estimate([0.10, 0.12] * 20, n_train=70, n_test=30)
    few, many = Disputes(9, 9, 100, 5, 4), Disputes(99, FEW_ROWS, 100, 5, 5)

    assert p_value("test_accuracy", estimate, many) == estimate.p_value() < 0.05
    assert p_value("test_accuracy", estimate, few) == 1.0
    assert p_value("log_loss", estimate, few) == estimate.p_value()
    assert p_value("test_accuracy", estimate, Disputes(9, 9, 100, 9, 0)) < 0.05
    assert p_value("test_accuracy", estimate, Disputes(9, 9, 100)) == 1.0

"""How often equivalence is shown: falsely just beyond the margin, rightly well within."""

from functools import cache

import numpy as np
import pytest

from gnbbench.statistics.intervals import corrected_estimate, fewest_rows, row_bound
from gnbbench.statistics.metrics import Disputes, equivalence_margin

MARGIN = 0.01
JUST_BEYOND = 0.0101
N_RUNS = 50
N_STUDIES = 400


@cache
def _test_sides(n_rows: int) -> np.ndarray:
    """Return which rows each run tests, 30 % of them (n_runs, n_rows)."""
    order = np.random.default_rng(n_rows).random((N_RUNS, n_rows)).argsort(axis=1)
    return order < round(0.3 * n_rows)


def shown_shares(
    n_rows: int, worse: float, better: float = 0.0, *, flips: float = 1.0
) -> tuple[float, float]:
    """Return how often equivalence is shown, and how often by the interval only."""
    rng = np.random.default_rng(n_rows)
    rates = [worse, better, 1 - worse - better]
    tested = _test_sides(n_rows)
    found = np.zeros(2)
    for _ in range(N_STUDIES):
        signs = rng.choice([-1.0, 1.0, 0.0], p=rates, size=n_rows)
        (rows,) = np.nonzero(signs)
        given = tested[:, rows] & (rng.random((N_RUNS, rows.size)) < flips)
        disputed = int(given.any(axis=0).sum())
        if not disputed:
            continue  # Identical, and called so
        n_test = int(tested[0].sum())
        estimate = corrected_estimate(
            given @ signs[rows] / n_test,
            n_train=n_rows - n_test,
            n_test=n_test,
            step=1 / n_test,
        )
        disputes = Disputes(int(given.sum()), disputed, n_rows)
        both = equivalence_margin("test_accuracy", estimate, disputes, level=0.05)
        found += both <= MARGIN, estimate.equivalence_margin() <= MARGIN
    return float(found[0] / N_STUDIES), float(found[1] / N_STUDIES)


@pytest.mark.slow
@pytest.mark.parametrize("n_rows", [150, 178, 300, 569])
@pytest.mark.parametrize(("better", "flips"), [(0.0, 1.0), (0.005, 1.0), (0.0, 0.5)])
def test_equivalence_is_seldom_shown_beyond_the_margin(
    n_rows: int, better: float, flips: float
) -> None:
    """Negative control: the interval over runs alone would show it too often."""
    worse = (JUST_BEYOND + better) / flips

    shown, by_interval = shown_shares(n_rows, worse, better, flips=flips)

    assert shown <= 0.05
    assert by_interval > 0.07 or n_rows < 300 or better or flips < 1.0


def test_equivalence_is_shown_where_there_are_rows_enough() -> None:
    assert shown_shares(569, 0.001)[0] > 0.25
    assert shown_shares(2000, 0.002)[0] > 0.95


@pytest.mark.parametrize(("margin", "needed"), [(0.01, 299), (0.02, 149), (0.5, 5)])
def test_fewest_rows_have_a_bound_within_the_margin(margin: float, needed: int) -> None:
    assert fewest_rows(margin) == needed
    assert row_bound(needed) <= margin < row_bound(needed - 1)
    assert fewest_rows(0.0) == np.inf


def test_several_competitors_need_more_rows() -> None:
    disputes = Disputes(1, 1, 569)
    estimate = corrected_estimate([0.0, 0.001] * 25, n_train=400, n_test=169)

    one, four = (
        equivalence_margin("test_accuracy", estimate, disputes, level=0.05 / n)
        for n in (1, 4)
    )

    assert one == row_bound(569, 1) < MARGIN < four == row_bound(569, 1, 0.0125)


def test_rows_bound_metrics_of_labels_alone() -> None:
    disputes = Disputes(1, 1, 100)
    estimate = corrected_estimate([0.0, 0.001] * 25, n_train=70, n_test=30)

    within = equivalence_margin("log_loss", estimate, disputes, level=0.05)

    assert within == estimate.equivalence_margin(0.05) < MARGIN
    assert equivalence_margin("f1", estimate, disputes, level=0.05) > MARGIN

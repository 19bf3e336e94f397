from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gnbbench.records import RUN_METRICS, Records
from gnbbench.statistics.metrics import SplitSizes, run_mean, run_values

SIZES = SplitSizes(n_train=70, n_test=30)


def test_test_share_is_of_all_samples() -> None:
    assert SIZES.test_share == 0.3


def test_failed_runs_are_rows_of_nan(
    random_study: Callable[..., Any],
    records_of: Callable[..., Records],
) -> None:
    records = records_of(random_study(n_runs=5), failed={"numpy": [1, 3]})

    values = run_values(records.runs, ["sklearn", "numpy"])

    assert values["numpy"].shape == (5, len(RUN_METRICS))
    assert np.isnan(values["numpy"]).all(axis=1).tolist() == [
        False,
        True,
        False,
        True,
        False,
    ]
    assert not np.isnan(values["sklearn"]).all(axis=1).any()


def test_an_implementation_that_never_answered_is_nan_throughout(
    random_study: Callable[..., Any],
    records_of: Callable[..., Records],
) -> None:
    records = records_of(random_study(n_runs=3), failed={"numpy": range(3)})

    assert np.isnan(run_values(records.runs, ["numpy"])["numpy"]).all()


def test_none_in_a_column_is_nan(
    random_study: Callable[..., Any], records_of: Callable[..., Records]
) -> None:
    """A store gives None where all values of a column are NULL."""
    records = records_of(random_study(n_runs=3))
    runs = records.runs.astype({"log_loss": object})
    runs["log_loss"] = None

    values = run_values(runs, ["numpy"])["numpy"]

    assert np.isnan(values[:, RUN_METRICS.index("log_loss")]).all()


def test_missing_values_are_left_out_and_counted() -> None:
    found = run_mean(np.array([0.8, np.nan, 0.9, np.nan]), SIZES)

    assert found.mean == pytest.approx(0.85)
    assert found.runs == 2
    assert found.spread == pytest.approx(0.1 / np.sqrt(2))


def test_spread_is_not_the_width_of_the_interval() -> None:
    found = run_mean(np.array([0.8, 0.9, 0.85, 0.95]), SIZES)

    # s sqrt(1/4 + 3/7) and the 97.5 % point of t with 3 degrees, 3.182446.
    half = found.spread * np.sqrt(1 / 4 + 3 / 7) * 3.182446
    assert found.high - found.mean == pytest.approx(half, rel=1e-6)
    assert found.mean - found.low == pytest.approx(half, rel=1e-6)


@pytest.mark.parametrize("values", [[0.9], [0.9, np.nan]])
def test_one_value_has_no_interval(values: list[float]) -> None:
    found = run_mean(np.array(values), SIZES)

    assert (found.mean, found.runs, found.estimate) == (0.9, 1, None)
    assert np.isnan([found.spread, found.low, found.high]).all()


def test_no_value_has_no_mean() -> None:
    found = run_mean(np.array([np.nan, np.nan]), SIZES)

    assert found.runs == 0
    assert np.isnan(found.mean)


def test_an_infinite_value_makes_the_mean_infinite_and_leaves_no_interval() -> None:
    found = run_mean(np.array([0.5, np.inf, 0.6]), SIZES)

    assert found.mean == np.inf
    assert found.estimate is None
    assert np.isnan(run_mean(np.array([np.inf, -np.inf]), SIZES).mean)

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gnbbench.records import RUN_METRICS, Records
from gnbbench.statistics.metrics import SplitSizes, metrics, run_values

SIZES = SplitSizes(105, 45)


@pytest.fixture(scope="module")
def values(
    random_study: Callable[..., Any], records_of: Callable[..., Records]
) -> dict[str, np.ndarray]:
    records = records_of(random_study(n_runs=6), failed={"numpy": [0, 4]})
    return run_values(records.runs, ["sklearn", "numpy"])


def test_every_metric_of_every_implementation_has_a_row(
    values: dict[str, np.ndarray],
) -> None:
    table = metrics(values, SIZES, {"sklearn": 0.1, "numpy": 0.2})

    names = [*RUN_METRICS, "expected_calibration_error"]
    assert table["implementation"].tolist() == ["sklearn"] * 11 + ["numpy"] * 11
    assert table["metric"].tolist() == names * 2


def test_means_are_over_the_runs_that_succeeded(values: dict[str, np.ndarray]) -> None:
    table = metrics(values, SIZES, {"sklearn": 0.1, "numpy": 0.2})

    accuracy = table[table["metric"] == "test_accuracy"].set_index("implementation")
    column = values["numpy"][[1, 2, 3, 5], RUN_METRICS.index("test_accuracy")]
    assert accuracy.loc["numpy", "mean"] == pytest.approx(column.mean())
    assert accuracy.loc["numpy", "spread"] == pytest.approx(column.std(ddof=1))
    assert accuracy["runs"].to_dict() == {"sklearn": 6, "numpy": 4}


def test_calibration_error_has_no_spread_and_no_interval(
    values: dict[str, np.ndarray],
) -> None:
    table = metrics(values, SIZES, {"sklearn": 0.1, "numpy": 0.2})

    row = table[table["metric"] == "expected_calibration_error"].iloc[1]
    assert (row["mean"], row["runs"]) == (0.2, 4)
    assert row[["spread", "low", "high"]].isna().all()

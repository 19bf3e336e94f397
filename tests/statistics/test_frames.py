from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from gnbbench.records import Records
from gnbbench.statistics import summarize
from gnbbench.statistics.frames import COLUMNS, long_frame


@pytest.fixture(scope="module")
def frame(
    random_study: Callable[..., Any], records_of: Callable[..., Records]
) -> pd.DataFrame:
    summary = summarize(records_of(random_study(changed={"numpy": 0.1})))
    times = {"implementation": ["numpy"], "operation": ["fit"]}
    timing = pd.DataFrame(
        times | {"mean_seconds": 2e-5, "standard_deviation_seconds": 1e-6, "rounds": 50}
    )
    ratios = pd.DataFrame(times | {"ratio": 0.1, "low": 0.09, "high": 0.11})
    return long_frame(
        summary.metrics, summary.agreement, summary.differences, timing, ratios
    )


def test_each_number_has_one_row(frame: pd.DataFrame) -> None:
    assert tuple(frame.columns) == COLUMNS
    assert not frame.duplicated(["implementation", "metric"]).any()
    assert frame.index.equals(pd.RangeIndex(len(frame)))


def test_metrics_differences_agreement_and_times_are_there(frame: pd.DataFrame) -> None:
    rows: Any = frame.set_index(["implementation", "metric"])

    accuracy = rows.loc[("numpy", "test_accuracy"), "mean"]
    reference = rows.loc[("sklearn", "test_accuracy"), "mean"]
    difference = rows.loc[("numpy", "test_accuracy_difference"), "mean"]
    assert difference == pytest.approx(accuracy - reference)
    assert difference != 0
    assert rows.loc[("numpy", "agreement"), "runs"] == 20
    assert rows.loc[("numpy", "fit_seconds"), ["mean", "spread", "runs"]].tolist() == [
        2e-5,
        1e-6,
        50,
    ]
    assert rows.loc[("numpy", "fit_ratio"), ["mean", "low", "high"]].tolist() == [
        0.1,
        0.09,
        0.11,
    ]

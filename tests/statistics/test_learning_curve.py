"""Slopes of the learning curve."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from gnbbench.records import Records
from gnbbench.statistics.learning_curve import slopes
from gnbbench.statistics.sweep_points import sweep_points

MakeSweep = Callable[..., dict[float, Records]]
NAMES = ("sklearn", "numpy")


def _with_accuracies(records: Records, values: list[float]) -> Records:
    runs = records.runs.copy()
    for name in NAMES:
        runs.loc[runs["implementation"] == name, "test_accuracy"] = values
    return replace(records, runs=runs)


def test_a_slope_is_per_ten_points_and_paired_by_run(sweep_records: MakeSweep) -> None:
    made = sweep_records("identical", fractions=(0.2, 0.5), n_runs=3)
    made[0.2] = _with_accuracies(made[0.2], [0.80, 0.90, 0.70])
    made[0.5] = _with_accuracies(made[0.5], [0.86, 0.96, 0.79])

    row = slopes(sweep_points(made, NAMES), NAMES).iloc[0]

    gains = np.array([0.02, 0.02, 0.03])
    assert row["slope"] == pytest.approx(gains.mean())
    n_train, n_test = 35, 143
    half = stats.t.ppf(0.975, 2) * gains.std(ddof=1) * np.sqrt(1 / 3 + n_test / n_train)
    assert row["high"] - row["slope"] == pytest.approx(half)
    assert row["slope"] - row["low"] == pytest.approx(half)


def test_fractions_without_a_split_are_passed_over(sweep_records: MakeSweep) -> None:
    made = sweep_records("identical", impossible=(0.1, 0.5), n_runs=3)

    table = slopes(sweep_points(made, NAMES), NAMES)

    own = table[table["implementation"] == "numpy"]
    assert own["from_fraction"].tolist() == [0.2, 0.3, 0.4, 0.6, 0.7, 0.8]
    assert own["to_fraction"].tolist() == [0.3, 0.4, 0.6, 0.7, 0.8, 0.9]
    assert own["slope"].notna().all()


def test_one_fraction_has_no_slope(sweep_records: MakeSweep) -> None:
    made = sweep_records("one_fraction")

    assert slopes(sweep_points(made, ("sklearn", "density-product")), NAMES[:1]).empty


def test_runs_that_only_one_fraction_has_are_left_out(sweep_records: MakeSweep) -> None:
    made = sweep_records("identical", fractions=(0.2, 0.3), n_runs=3)
    made[0.2] = _with_accuracies(made[0.2], [0.1, 0.80, 0.90])
    made[0.3] = _with_accuracies(made[0.3], [0.9, 0.85, 0.95])
    runs = made[0.3].runs
    made[0.3] = replace(made[0.3], runs=runs[runs["run"] > 0])

    row = slopes(sweep_points(made, NAMES), NAMES).iloc[0]

    assert row["slope"] == pytest.approx(0.05)

"""Points of a sweep and their table."""

from collections.abc import Callable
from dataclasses import replace

import pandas as pd
import pytest

from gnbbench.records import Records
from gnbbench.statistics.metrics import SplitSizes
from gnbbench.statistics.sweep_points import (
    fractions_table,
    impossible_runs,
    sweep_points,
)

MakeSweep = Callable[..., dict[float, Records]]


def test_points_ascend_and_know_their_sizes(sweep_records: MakeSweep) -> None:
    made = sweep_records("identical", fractions=(0.9, 0.1), n_runs=2)

    points = sweep_points(made, ("sklearn", "numpy"))

    assert [point.fraction for point in points] == [0.1, 0.9]
    assert points[0].sizes == SplitSizes(17, 161)
    assert points[1].metric("numpy", "f1").shape == (2,)


def test_more_than_half_tested_is_conservative_and_half_is_not(
    sweep_records: MakeSweep,
) -> None:
    made = sweep_records("identical", fractions=(0.49, 0.5, 0.51), n_runs=2)

    table = fractions_table(sweep_points(made, ("sklearn", "numpy")))

    assert table["conservative"].tolist() == [True, False, False]


def test_thin_runs_are_counted_once_for_all_implementations(
    sweep_records: MakeSweep,
) -> None:
    table = fractions_table(
        sweep_points(sweep_records("density"), ("sklearn", "density-product"))
    )

    assert table["thin_runs"].tolist() == [7] + [0] * 8
    assert table["runs"].tolist() == [200] * 9


def test_an_absent_class_is_thin_as_well(sweep_records: MakeSweep) -> None:
    made = sweep_records("identical", fractions=(0.5,), n_runs=3)
    runs = made[0.5].runs.assign(smallest_class=0)

    (point,) = sweep_points({0.5: replace(made[0.5], runs=runs)}, ("sklearn", "numpy"))

    assert fractions_table([point])["thin_runs"].tolist() == [3]


def test_runs_without_a_split_are_impossible_and_not_thin(
    sweep_records: MakeSweep,
) -> None:
    points = sweep_points(sweep_records("several"), ("sklearn", "numpy"))

    first = fractions_table(points).iloc[0]

    assert not points[0].possible
    assert (first["impossible_runs"], first["thin_runs"], first["runs"]) == (40, 0, 40)
    assert not first["conservative"]


@pytest.mark.parametrize(
    ("status", "message", "expected"),
    [
        ("error", "no split: too few", True),
        ("error", "ValueError: no split: x", False),
        ("ok", "no split: a warning", False),
        ("error", None, False),
    ],
)
def test_only_an_error_that_begins_so_is_a_missing_split(
    status: str, message: str | None, expected: bool
) -> None:
    runs = pd.DataFrame({"status": [status], "message": [message]})

    assert impossible_runs(runs).tolist() == [expected]

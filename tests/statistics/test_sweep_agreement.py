"""Agreement over fractions, worked out by hand."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from gnbbench.records import Records
from gnbbench.statistics.sweep_agreement import (
    agreement_by_fraction,
    mismatch_counts,
    overall,
)
from gnbbench.statistics.sweep_points import SweepPoint, sweep_points

MakeSweep = Callable[..., dict[float, Records]]
NAMES = ("sklearn", "numpy")


@pytest.fixture
def points(sweep_records: MakeSweep) -> Sequence[SweepPoint]:
    """Give two fractions with 0, 0, 1, 7 and 0, 2, 2, 4 disagreements in their runs."""
    made = sweep_records("identical", fractions=(0.2, 0.5), n_runs=4)
    for fraction, numbers in ((0.2, [0, 0, 1, 7]), (0.5, [0, 2, 2, 4])):
        pairs = made[fraction].pairs.assign(
            disagreements=numbers, max_probability_difference=[0.1, np.nan, 0.5, 0.2]
        )
        made[fraction] = replace(made[fraction], pairs=pairs)
    return sweep_points(made, NAMES)


def test_each_fraction_on_its_own(points: Sequence[SweepPoint]) -> None:
    table = agreement_by_fraction(points, ["numpy"])

    assert table["exact_runs"].tolist() == [2, 1]
    assert table["exact_share"].tolist() == [0.5, 0.25]
    assert table["mismatches_mean"].tolist() == [2.0, 2.0]
    assert table["mismatches_median"].tolist() == [0.5, 2.0]
    assert table["mismatches_max"].tolist() == [7.0, 4.0]
    assert table["max_probability_difference"].tolist() == [0.5, 0.5]


def test_histogram_counts_runs_and_leaves_out_what_no_run_had(
    points: Sequence[SweepPoint],
) -> None:
    table = mismatch_counts(points, ["numpy"])

    assert table.drop(columns="implementation").to_numpy().tolist() == [
        [0.2, 0, 2],
        [0.2, 1, 1],
        [0.2, 7, 1],
        [0.5, 0, 1],
        [0.5, 2, 2],
        [0.5, 4, 1],
    ]


def test_all_runs_together_are_not_the_mean_of_medians(
    points: Sequence[SweepPoint],
) -> None:
    table = overall(points, NAMES).set_index("implementation")

    own = table.loc["numpy"]
    assert (own["runs"], own["exact_runs"], own["exact_share"]) == (8, 3, 0.375)
    assert (own["mismatches_mean"], own["mismatches_max"]) == (2.0, 7.0)
    assert own["mismatches_median"] == 1.5


def test_the_reference_is_not_compared_with_itself(points: Sequence[SweepPoint]) -> None:
    reference = overall(points, NAMES).set_index("implementation").loc["sklearn"]

    assert reference.drop(["test_accuracy", "failed_runs"]).isna().all()
    assert np.isfinite(reference["test_accuracy"])


def test_failed_runs_leave_out_those_without_a_split(sweep_records: MakeSweep) -> None:
    made = sweep_records("several")
    points = sweep_points(made, ("sklearn", "numpy", "broken"))

    failed = overall(points, ("sklearn", "numpy", "broken"))["failed_runs"]

    assert failed.tolist() == [0, 0, 9 * 40]


def test_without_a_compared_run_only_counts_are_numbers(sweep_records: MakeSweep) -> None:
    points = sweep_points(sweep_records("all_failed"), ("sklearn", "broken"))

    table = agreement_by_fraction(points, ["broken"])

    assert table["compared_runs"].tolist() == [0] * 9
    assert table[["exact_share", "mismatches_mean", "mismatches_max"]].isna().all(axis=None)
    assert mismatch_counts(points, ["broken"]).empty

"""A plan is checked when it is made and known by what it depends on."""

from dataclasses import replace
from typing import Any

import pytest

from gnbbench.errors import OptionError
from gnbbench.studies.options import CompareOptions, SweepOptions
from gnbbench.studies.plan import ComparePlan, SweepPlan

COMMON: dict[str, Any] = {
    "dataset": "iris",
    "sha256": "0" * 64,
    "dataset_options": {"source": "iris"},
    "reference": "sklearn",
    "against": ("numpy",),
}
PLAN = ComparePlan(**COMMON)


def test_equal_plans_have_one_identifier() -> None:
    assert PLAN.identifier == replace(PLAN).identifier
    assert len(PLAN.identifier) == 8


@pytest.mark.parametrize(
    "change",
    [
        {"runs": 101},
        {"seed": 43},
        {"test_size": 0.2},
        {"stratify": False},
        {"margin": 0.02},
        {"against": ("numpy", "other")},
        {"reference": "numpy"},
        {"sha256": "1" * 64},
        {"features": ("a", "b")},
    ],
)
def test_any_other_plan_has_another(change: dict[str, Any]) -> None:
    assert replace(PLAN, **change).identifier != PLAN.identifier


@pytest.mark.parametrize(
    ("change", "option"),
    [
        ({"runs": 0}, "--runs"),
        ({"test_size": 0.0}, "--test-size"),
        ({"test_size": 1.0}, "--test-size"),
        ({"test_size": float("nan")}, "--test-size"),
        ({"seed": -1}, "--seed"),
        ({"seed": 2**32 - 1, "runs": 2}, "--seed"),
        ({"margin": 1.0}, "--margin"),
    ],
)
def test_values_out_of_range_are_refused(change: dict[str, Any], option: str) -> None:
    with pytest.raises(OptionError, match=option):
        CompareOptions(data="iris", **change)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("iris", "compare-iris-"),
        ("../../etc/passwd", "compare-etc-passwd-"),
        ("<script>alert(1)</script>", "compare-script-alert-1-script-"),
        ("数据", "compare-data-"),
        ("x" * 300, "compare-" + "x" * 40 + "-"),
    ],
)
def test_directory_names_are_safe_whatever_the_data_are_called(
    name: str, expected: str
) -> None:
    plan = replace(PLAN, dataset=name)

    assert plan.directory_name == expected + plan.identifier


def test_kinds_of_study_never_share_a_directory() -> None:
    assert SweepPlan(**COMMON).directory_name.startswith("sweep-split-iris-")
    assert SweepPlan(**COMMON).identifier != PLAN.identifier


@pytest.mark.parametrize("fractions", [(), (0.0,), (0.5, 1.0), (0.5, 0.4), (0.2, 0.2)])
def test_fractions_that_mean_nothing_are_refused(fractions: tuple[float, ...]) -> None:
    with pytest.raises(OptionError, match="--train-fractions"):
        SweepOptions(data="iris", train_fractions=fractions)

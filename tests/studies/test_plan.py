"""Whatever results depend on is in the plan, and another plan has another directory."""

from dataclasses import replace
from typing import Any

import pytest
from faults.studies import prepared

from gnbbench.data.loading import load
from gnbbench.studies.compare import compared_runs
from gnbbench.studies.kinds import kind_named
from gnbbench.studies.plan import Prepared, plan_of

IRIS = load("iris")
ASKED: dict[str, dict[str, Any]] = {
    "compare": {"data": IRIS, "against": ["numpy"]},
    "sweep-split": {"data": IRIS},
    "explain": {"data": IRIS, "against": "study-b"},
    "assumptions": {"data": IRIS},
    "scale": {"samples": "100:1000", "features": "4", "classes": "2"},
}


def planned(kind: str, **options: Any) -> Prepared[Any]:
    """Return the study of a kind, settled."""
    known = kind_named(kind)
    found: Prepared[Any]
    found = known.load().prepare(known.options(**{**ASKED[kind], **options}))
    return found


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        *(("compare", {name: value}) for name, value in {
            "runs": 101,
            "seed": 43,
            "test_size": 0.2,
            "stratify": False,
            "margin": 0.02,
            "against": ["numpy", "study-b"],
            "reference": "study-b",
            "data": replace(IRIS, X=IRIS.X + 1.0),
            "features": IRIS.feature_names[:2],
        }.items()),
        ("sweep-split", {"train_fractions": (0.5,)}),
        ("explain", {"runs": 7}),
        ("explain", {"seed": 1}),
        ("explain", {"test_size": 0.4}),
        ("explain", {"stratify": False}),
        ("explain", {"against": "sklearn?var_smoothing=0.1"}),
        ("assumptions", {"runs": 3}),
        ("assumptions", {"correlation": "spearman"}),
        ("assumptions", {"data": replace(IRIS, X=IRIS.X + 1.0)}),
        ("scale", {"seed": 1}),
        ("scale", {"features": "5"}),
    ],
)  # fmt: skip
def test_another_plan_has_another_directory(kind: str, change: dict[str, Any]) -> None:
    names = [planned(kind, **options).directory_name for options in ({}, {}, change)]

    of_data = "" if kind == "scale" else "iris-"
    assert all(name.startswith(f"{kind}-{of_data}") for name in names)
    assert names[0] == names[1] != names[2]


def test_causes_do_not_depend_on_foreign_options() -> None:
    assert not {"margin", "spot_checks"} & set(planned("explain").plan)


def test_timing_options_are_not_part_of_the_plan() -> None:
    other = planned("compare", precision=0.1, processes=2, threads=2)

    assert planned("compare").plan == other.plan


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
def test_folder_names_are_safe_whatever_data_are_called(name: str, expected: str) -> None:
    made = prepared(replace(IRIS, name=name))

    assert made.directory_name.rpartition("-")[0] == expected[:-1]
    assert len(made.directory_name.rpartition("-")[2]) == 8


def test_runs_that_are_compared_are_drawn_with_the_seed() -> None:
    few = plan_of("compare", runs=5, seed=42, spot_checks=None)
    many = plan_of("compare", runs=5000, seed=42, spot_checks=1000)

    assert compared_runs(few) is None
    assert len(compared_runs(many) or ()) == 1000
    assert max(compared_runs(many) or ()) < 5000

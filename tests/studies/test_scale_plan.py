"""A plan says what it is of, and refuses what cannot be."""

from typing import Any

import pytest

from gnbbench.errors import OptionError
from gnbbench.studies.scale_grid import KINDS, axis
from gnbbench.studies.scale_plan import ScalePlan, plan_of


def made(
    samples: Any = "100:1000", features: Any = "4", classes: Any = "2", **options: Any
) -> ScalePlan:
    given = (samples, features, classes)
    axes = {kind.name: axis(kind, one) for kind, one in zip(KINDS, given, strict=True)}
    return ScalePlan(reference="sklearn", against=("numpy",), axes=axes, **options)


def test_points_vary_one_size_and_hold_the_others() -> None:
    plan = made("100:400", "2:4", "3")

    assert [one.sizes for one in plan.points] == [
        (100, 4, 3),
        (200, 4, 3),
        (400, 4, 3),
        (400, 2, 3),
        (400, 4, 3),
    ]
    assert [one.axis for one in plan.points] == ["samples"] * 3 + ["features"] * 2
    assert [one.number for one in plan.points] == [0, 1, 2, 3, 4]


def test_a_plan_comes_back_from_what_is_written_down() -> None:
    plan = made(processes=2, specifications={"numpy": "x.py:Y"})

    assert plan_of({**plan.as_dict(), "command": "x"}) == plan


def test_the_directory_is_another_one_for_another_plan() -> None:
    names = {made(**one).directory_name for one in ({}, {"seed": 1}, {"features": "5"})}

    assert len(names) == 3
    assert made().directory_name == made().directory_name


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"samples": "100"}, "no axis has more than one size"),
        ({"samples": "4:100", "classes": "5"}, "--samples: 4 samples are too few"),
        ({"samples": "20", "classes": "2:64"}, "--samples: 20 samples are too few for 64"),
        ({"samples": "10", "classes": "2:64"}, "Give 128 at least, or fewer --classes."),
        ({"samples": "5", "features": "2:4", "classes": "3"}, "--samples: 5 samples"),
        (
            {"samples": "1e3:1e5", "classes": "2:8192"},
            "--classes: 10,000 samples are too few for 8,192 classes. Give 5,000 at most",
        ),
        ({"budget_seconds": 0.0}, "--budget"),
        ({"budget_seconds": float("nan")}, "--budget"),
        ({"processes": 0}, "--processes"),
        ({"threads": 0}, "--threads"),
        ({"seed": -1}, "--seed"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError) as caught:
        made(**options)

    assert words in str(caught.value)


def test_what_does_not_fit_into_memory_is_refused_with_its_size() -> None:
    plan = made("1e6:1e8", "20")

    with pytest.raises(OptionError) as caught:
        plan.require_memory(16 * 10**9)

    assert str(caught.value).startswith("--samples: 20,000,000 × 20 values with 2 classes")
    assert "need about 20.2 GB, and 16.0 GB are free" in str(caught.value)


def test_what_fits_or_cannot_be_known_is_let_through() -> None:
    made("1e6:1e8", "20").require_memory(200 * 10**9)
    made("1e6:1e8", "20").require_memory(None)

"""Options of the timing: refused where they cannot be, told apart where times differ."""

from dataclasses import asdict
from typing import Any

import pytest

from gnbbench.errors import OptionError
from gnbbench.studies.shared_options import TimingOptions
from gnbbench.studies.steps import times_differ, timing_plan


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"budget_seconds": 0.0}, "--budget: 0 s is no time to measure in"),
        ({"budget_seconds": float("nan")}, "--budget"),
        ({"precision": 0.0}, "--precision: 0 % is out of range"),
        ({"precision": 1.0}, "--precision: 100 % is out of range"),
        ({"processes": 0}, "--processes: 0 is less than 1"),
        ({"threads": 0}, "--threads: 0 is less than 1"),
        ({"regime": "hot"}, "--regime: 'hot' is unknown. Give warm or interleaved."),
    ],
)
def test_what_cannot_be_is_one_line(options: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=r"^[^\n]+$") as caught:
        TimingOptions(**options)

    assert words in str(caught.value)


def test_the_budget_follows_from_the_precision_where_it_is_left_open() -> None:
    assert timing_plan(TimingOptions(), 1).budget_seconds == 1.0
    assert timing_plan(TimingOptions(precision=0.01), 1).budget_seconds == 30.0
    assert (
        timing_plan(TimingOptions(precision=0.01, budget_seconds=4.0), 1).budget_seconds
        == 4.0
    )


def test_the_plan_has_what_was_asked_for() -> None:
    plan = timing_plan(TimingOptions(precision=0.02, regime="interleaved", threads=2), 7)

    assert (plan.precision, plan.regime, plan.threads, plan.seed) == (
        *(0.02, "interleaved", 2),
        7,
    )


def noted(processes: int = 1, **options: Any) -> dict[str, Any]:
    """Return notes of times that were taken with these options."""
    notes: dict[str, Any] = {"plan": asdict(timing_plan(TimingOptions(**options), 0))}
    return notes if processes == 1 else {**notes, "processes": [{}] * processes}


def test_times_that_were_taken_otherwise_are_told_apart() -> None:
    asked = TimingOptions(processes=2, precision=0.01)

    assert times_differ(asked, noted())
    assert times_differ(asked, noted(processes=2))
    assert not times_differ(asked, noted(processes=2, precision=0.01))


def test_nothing_asked_for_goes_with_any_times() -> None:
    assert not times_differ(TimingOptions(), noted(processes=3, regime="interleaved"))


def test_another_budget_alone_is_no_difference() -> None:
    assert not times_differ(TimingOptions(budget_seconds=9.0), noted())


def test_times_of_an_earlier_version_say_less() -> None:
    earlier = {"plan": {"budget_seconds": 1.0, "regime": "warm", "threads": 1}}

    assert not times_differ(TimingOptions(budget_seconds=0.5), earlier)
    assert times_differ(TimingOptions(regime="interleaved"), earlier)
    assert times_differ(TimingOptions(precision=0.01), earlier)

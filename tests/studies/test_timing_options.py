"""Options of the timing: refused where they cannot be, told apart where times differ."""

from dataclasses import asdict
from typing import Any

import pytest

from gnbbench.errors import OptionError
from gnbbench.studies.timing_options import TimingOptions


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
    assert TimingOptions().plan(1).budget_seconds == 1.0
    assert TimingOptions(precision=0.01).plan(1).budget_seconds == 30.0
    assert TimingOptions(precision=0.01, budget_seconds=4.0).plan(1).budget_seconds == 4.0


def test_the_plan_has_what_was_asked_for() -> None:
    plan = TimingOptions(precision=0.02, regime="interleaved", threads=2).plan(7)

    assert (plan.precision, plan.regime, plan.threads, plan.seed) == (
        *(0.02, "interleaved", 2),
        7,
    )


def noted(processes: int = 1, **options: Any) -> dict[str, Any]:
    """Return notes of times that were taken with these options."""
    notes: dict[str, Any] = {"plan": asdict(TimingOptions(**options).plan(0))}
    return notes if processes == 1 else {**notes, "processes": [{}] * processes}


def test_times_that_were_taken_otherwise_are_told_apart() -> None:
    asked = TimingOptions(processes=2, precision=0.01)

    assert asked.differs_from(noted())
    assert asked.differs_from(noted(processes=2))
    assert not asked.differs_from(noted(processes=2, precision=0.01))


def test_nothing_asked_for_goes_with_any_times() -> None:
    assert not TimingOptions().differs_from(noted(processes=3, regime="interleaved"))


def test_another_budget_alone_is_no_difference() -> None:
    assert not TimingOptions(budget_seconds=9.0).differs_from(noted())


def test_times_of_an_earlier_version_say_less() -> None:
    earlier = {"plan": {"budget_seconds": 1.0, "regime": "warm", "threads": 1}}

    assert not TimingOptions(budget_seconds=0.5).differs_from(earlier)
    assert TimingOptions(regime="interleaved").differs_from(earlier)
    assert TimingOptions(precision=0.01).differs_from(earlier)

"""Times of several processes, joined: nothing is mixed up, nothing is told twice."""

import json
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from gnbbench.measurement.operations import (
    ImplementationTimings,
    RepeatedTimings,
    time_implementations,
    told_once,
)
from gnbbench.measurement.timing import TimingPlan
from gnbbench.records import NULL_COMPETITOR

MILLISECOND = 1_000_000


class Clock:
    """A clock that moves only when a call takes time."""

    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> int:
        return self.now


class Model:
    """Takes its time, and may raise."""

    def __init__(self, clock: Clock, milliseconds: int, *, fails: bool = False) -> None:
        self._clock, self._milliseconds, self._fails = clock, milliseconds, fails

    def fit(self, X: Any, y: Any) -> "Model":
        assert len(X) == len(y)
        self._clock.now += self._milliseconds * MILLISECOND
        return self

    def predict(self, X: Any) -> Any:
        if self._fails:
            raise ValueError("not today")
        return self.fit(X, X)


def part(slowness: int, rounds: int, *, fails: bool = False) -> ImplementationTimings:
    """Return times of one process, in which "b" takes so many milliseconds."""
    clock = Clock()
    return time_implementations(
        {
            "a": partial(Model, clock, 10),
            "b": partial(Model, clock, slowness, fails=fails),
        },
        np.zeros((2, 1)),
        np.array([0, 1]),
        np.zeros((2, 1)),
        reference="a",
        plan=TimingPlan(rounds=rounds),
        clock=clock,
    )


@pytest.mark.slow
def test_rounds_are_numbered_on_from_process_to_process() -> None:
    joined = RepeatedTimings((part(20, 6), part(30, 12)), TimingPlan())

    seconds = {
        r: s for op, name, r, _, s in joined.rows() if (op, name) == ("predict", "b")
    }

    assert list(seconds) == list(range(18))
    assert list(seconds.values()) == [0.02] * 6 + [0.03] * 12


@pytest.mark.slow
def test_notes_hold_what_each_process_has_for_itself() -> None:
    plan = TimingPlan(budget_seconds=7.0)
    joined = RepeatedTimings((part(20, 6), part(40, 12)), plan)

    notes = json.loads(json.dumps(joined.notes()))

    assert [one["rounds"]["fit"] for one in notes["processes"]] == [6, 12]
    assert notes["rounds"]["fit"] == 18
    assert notes["cold_seconds"]["fit"] == {"a": 0.01, "b": 0.03}
    assert notes["plan"]["budget_seconds"] == 7.0
    assert notes["regime"].endswith("Repeated in 2 fresh processes.")


@pytest.mark.slow
def test_one_process_has_the_notes_that_it_always_had() -> None:
    single = part(20, 6)

    notes = RepeatedTimings((single,), single.plan).notes()

    assert notes == single.notes()
    assert RepeatedTimings((single,), single.plan).rows() == single.rows()


@pytest.mark.slow
def test_who_fails_in_one_process_is_left_out_of_that_operation() -> None:
    joined = RepeatedTimings((part(20, 6), part(20, 6, fails=True)), TimingPlan())

    names = {(op, name) for op, name, *_ in joined.rows()}

    assert ("predict", "b") not in names
    assert {("fit", "b"), ("predict", "a"), ("predict", NULL_COMPETITOR)} <= names
    reason = joined.notes()["skipped"]["b"]
    assert reason.count("predict raised ValueError: not today") == 1


@pytest.mark.slow
def test_an_operation_that_one_process_lacks_is_left_out() -> None:
    whole = part(20, 6)
    less = replace(whole, operations={"fit": whole.operations["fit"]})

    joined = RepeatedTimings((whole, less), TimingPlan())

    assert {op for op, *_ in joined.rows()} == {"fit"}
    assert set(joined.notes()["rounds"]) == {"fit"}


def test_warnings_that_differ_in_numbers_are_told_once() -> None:
    found = told_once([["fit: load 3.1 on 2 cores.", "x"], ["fit: load 12.0 on 2 cores."]])

    assert found == [
        "fit: load 3.1 on 2 cores. (In 2 of 2 processes.)",
        "x (In 1 of 2 processes.)",
    ]

"""Tests of rounds: a clock that tells what it is told, and no machine's speed."""

import gc
from functools import partial

import numpy as np
import pytest

from gnbbench.measurement.rounds import (
    Call,
    CallFailedError,
    Preparation,
    clock_overhead,
    collector_off,
    inner_count,
    old_objects_set_aside,
    time_calls,
    time_round,
)


class FakeClock:
    """A clock that only moves when a call takes time, or when it is read."""

    def __init__(self, reading: int = 0) -> None:
        self.now = 0
        self.reading = reading

    def __call__(self) -> int:
        self.now += self.reading
        return self.now

    def take(self, nanoseconds: int) -> None:
        self.now += nanoseconds

    def prepared(self, nanoseconds: int) -> Preparation:
        """Return the preparation of a call that takes so long."""
        return lambda: partial(self.take, nanoseconds)


def test_the_time_of_calls_is_their_sum() -> None:
    clock = FakeClock()

    assert time_calls("a", clock.prepared(30), 4, clock) == 120


def test_the_making_of_calls_is_left_out_and_each_call_is_made_anew() -> None:
    clock = FakeClock()
    made: list[Call] = []

    def prepare() -> Call:
        clock.take(10**9)
        made.append(partial(clock.take, 7))
        return made[-1]

    assert time_calls("a", prepare, 3, clock) == 21
    assert len(set(map(id, made))) == 3


@pytest.mark.parametrize("where", ["call", "preparation"])
def test_a_failure_names_the_competitor_and_the_reason(where: str) -> None:
    def fail() -> None:
        raise KeyError("theta")

    def prepare() -> Call:
        if where == "preparation":
            fail()
        return fail

    with pytest.raises(CallFailedError, match="b raised KeyError: 'theta'") as caught:
        time_calls("b", prepare, 1, FakeClock())

    assert caught.value.name == "b"
    assert isinstance(caught.value.__cause__, KeyError)


def test_an_interrupt_is_no_failure_of_the_competitor() -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        time_calls("a", lambda: interrupt, 1, FakeClock())


def test_the_overhead_is_what_reading_the_clock_takes() -> None:
    assert clock_overhead(FakeClock(reading=41)) == 41.0


@pytest.mark.parametrize(
    ("durations", "overhead", "count"),
    [
        ([20_000], 0.0, 1),
        ([19_999], 0.0, 2),
        ([6_000, 900_000], 0.0, 4),
        ([900_000, 6_000], 0.0, 4),
        ([20_000], 150.0, 2),
        ([30], 0.0, 1024),
    ],
)
def test_the_count_makes_the_fastest_last_long_enough(
    durations: list[int], overhead: float, count: int
) -> None:
    clock = FakeClock()
    calls = {str(i): clock.prepared(duration) for i, duration in enumerate(durations)}

    assert inner_count(calls, clock, overhead) == count


def test_one_crossing_by_chance_is_not_enough() -> None:
    clock = FakeClock()
    durations = iter([50_000] + [6_000] * 100)

    count = inner_count({"a": lambda: partial(clock.take, next(durations))}, clock, 0.0)

    assert count == 4


def test_a_slow_call_is_called_twice_to_find_the_count() -> None:
    clock = FakeClock()

    inner_count({"slow": clock.prepared(10**9)}, clock, 0.0)

    assert clock.now == 2 * 10**9


def test_a_clock_that_stands_still_is_told() -> None:
    with pytest.raises(ValueError, match="65536 calls of a last under 20000 ns"):
        inner_count({"a": lambda: lambda: None}, FakeClock(), 0.0)


@pytest.mark.parametrize(("primed", "expected"), [(True, "bbbaaaccc"), (False, "bbaacc")])
def test_calls_come_in_the_order_given_and_primed_ones_once_more(
    *, primed: bool, expected: str
) -> None:
    calls: list[str] = []
    clock = FakeClock()

    def call(name: str) -> None:
        calls.append(name)
        clock.take(ord(name))

    preparations = {name: partial(partial, call, name) for name in "abc"}
    found = time_round(preparations, np.array([1, 0, 2]), 2, clock, primed=primed)

    assert "".join(calls) == expected
    assert found.nanoseconds.tolist() == [2 * ord(name) for name in "abc"]
    assert found.positions.tolist() == [1, 0, 2]


def test_positions_are_those_of_competitors_not_their_inverse() -> None:
    clock = FakeClock()
    preparations = {name: clock.prepared(1) for name in "abc"}

    found = time_round(preparations, np.array([2, 0, 1]), 1, clock, primed=False)

    assert found.positions.tolist() == [1, 2, 0]


@pytest.mark.parametrize("was_on", [True, False])
def test_the_collector_is_off_within_and_as_before_afterwards(*, was_on: bool) -> None:
    within = []

    def fail_with_collector_off() -> None:
        with collector_off():
            within.append(gc.isenabled())
            raise ZeroDivisionError

    before = gc.isenabled()
    (gc.enable if was_on else gc.disable)()
    try:
        with pytest.raises(ZeroDivisionError):
            fail_with_collector_off()
        after = gc.isenabled()
    finally:
        (gc.enable if before else gc.disable)()

    assert within == [False]
    assert after == was_on


def test_old_objects_are_set_aside_and_given_back() -> None:
    gc.unfreeze()
    with old_objects_set_aside():
        aside = gc.get_freeze_count()

    assert aside > 0
    assert gc.get_freeze_count() == 0


def test_what_the_caller_froze_stays_frozen() -> None:
    gc.freeze()
    try:
        with old_objects_set_aside():
            pass
        still = gc.get_freeze_count()
    finally:
        gc.unfreeze()

    assert still > 0

"""Times of every operation, from one process or several."""

import json
from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from faults.clocks import MILLISECOND, FakeClock

from gnbbench.measurement import operations
from gnbbench.measurement.operations import ImplementationTimings, repeated
from gnbbench.measurement.timing import TimingPlan
from gnbbench.records import NULL_COMPETITOR, OPERATIONS, TABLES
from gnbbench.statistics.timing import summarize_timings

pytestmark = pytest.mark.slow

X_TRAIN = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0]])
Y_TRAIN = np.array([0, 0, 1, 1])
X_TEST = X_TRAIN[::2]


class Fake:
    """An implementation whose operations take a given time, and which may fail."""

    def __init__(self, clock: FakeClock, milliseconds: int, fails: str = "") -> None:
        clock.now += 50 * MILLISECOND
        self.clock, self.milliseconds, self.fails = clock, milliseconds, fails
        self.seen: list[Any] = []

    def work(self, operation: str, *arrays: Any) -> None:
        self.seen += arrays
        if operation == self.fails:
            raise ValueError(f"cannot {operation}")
        self.clock.now += self.milliseconds * MILLISECOND

    def fit(self, X: Any, y: Any) -> None:
        self.work("fit", X, y)

    def predict(self, X: Any) -> None:
        self.work("predict", X)


class FakeWithProbabilities(Fake):
    """The same, with probabilities, which take twice as long."""

    def predict_proba(self, X: Any) -> None:
        self.work("predict_proba", X)
        self.work("predict_proba", X)


def timed(
    kinds: Mapping[str, tuple[type[Fake], int, str]], plan: TimingPlan | None = None
) -> ImplementationTimings:
    """Return timings of fakes, with the first as the reference."""
    clock = FakeClock()
    makers = {n: partial(kind, clock, ms, fails) for n, (kind, ms, fails) in kinds.items()}
    return timed_makers(makers, clock, plan)


def timed_makers(
    makers: Mapping[str, Any], clock: FakeClock, plan: TimingPlan | None = None
) -> ImplementationTimings:
    """Return timings of these models, with the first as the reference."""
    plan, reference = plan or TimingPlan(rounds=6), next(iter(makers))
    arrays = X_TRAIN, Y_TRAIN, X_TEST
    return operations.time_implementations(
        makers, *arrays, reference=reference, plan=plan, clock=clock
    )


def medians(timings: ImplementationTimings) -> dict[tuple[str, str], float]:
    """Return (operation, implementation) -> seconds."""
    table = pd.DataFrame(timings.rows, columns=list(TABLES["timings"]))
    return {
        (str(rows["operation"].iloc[0]), str(rows["implementation"].iloc[0])): round(
            rows["seconds"].median(), 9
        )
        for _, rows in table.groupby(["operation", "implementation"])
    }


def test_each_operation_is_timed_apart_without_the_making_of_estimators() -> None:
    timings = timed({"sklearn": (FakeWithProbabilities, 3, ""), "mine": (Fake, 1, "")})

    assert medians(timings) == {
        ("fit", "sklearn"): 0.003,
        ("fit", NULL_COMPETITOR): 0.003,
        ("fit", "mine"): 0.001,
        ("predict", "sklearn"): 0.003,
        ("predict", NULL_COMPETITOR): 0.003,
        ("predict", "mine"): 0.001,
        ("predict_proba", "sklearn"): 0.006,
        ("predict_proba", NULL_COMPETITOR): 0.006,
    }
    assert timings.skipped == {"mine": "predict_proba is not offered"}


def test_all_get_the_very_same_arrays_and_every_fit_a_fresh_object() -> None:
    clock = FakeClock()
    made: list[Fake] = []

    def make() -> Fake:
        made.append(Fake(clock, 1))
        return made[-1]

    timed_makers({"a": make, "b": make}, clock)

    given = {id(array) for fake in made for array in fake.seen}
    assert given == {id(X_TRAIN), id(Y_TRAIN), id(X_TEST)}
    fits = [sum(array is Y_TRAIN for array in fake.seen) for fake in made]
    assert set(fits) == {1}


def test_one_that_can_be_fitted_no_more_is_left_out_with_its_reason() -> None:
    makers: dict[str, Any] = {"a": partial(FakeWithProbabilities, FakeClock(), 1)}
    makers["b"] = partial(FakeWithProbabilities, FakeClock(), 1, "fit")
    skipped: dict[str, list[str]] = {"a": [], "b": []}

    fitted = operations._models(makers, X_TRAIN, Y_TRAIN, skipped)

    assert list(fitted) == ["a"]
    assert skipped["b"][0].startswith("fit raised ValueError: cannot fit (test_operations")


@pytest.mark.parametrize("fails", OPERATIONS)
def test_one_that_raises_is_left_out_of_that_operation_with_its_reason(fails: str) -> None:
    kinds = {"sklearn": (FakeWithProbabilities, 3, "")}
    timings = timed(kinds | {"bad": (FakeWithProbabilities, 1, fails)})

    assert list(timings.skipped) == ["bad"]
    reason = f"{fails} raised ValueError: cannot {fails} (test_operations.py, line "
    assert timings.skipped["bad"].startswith(reason)
    timed_in = {
        name: list(dict.fromkeys(r[0] for r in timings.rows if r[1] == name))
        for name in ("sklearn", "bad")
    }
    left = [one for one in OPERATIONS if fails not in {"fit", one}]
    assert timed_in == {"sklearn": list(OPERATIONS), "bad": left}


def test_a_reference_that_raises_leaves_the_others_without_ratios() -> None:
    timings = timed({"sklearn": (Fake, 3, "fit"), "mine": (Fake, 1, "")})

    table = pd.DataFrame(timings.rows, columns=list(TABLES["timings"]))
    summary = summarize_timings(table, timings.notes, ["sklearn", "mine"])

    assert set(table["implementation"]) == {"mine"}
    reason = "fit raised ValueError: cannot fit (test_operations.py, line "
    assert timings.skipped["sklearn"].startswith(reason)
    assert summary.tables["ratios"].empty
    assert summary.tables["timing"]["implementation"].tolist() == ["mine", "mine"]


def test_one_that_raises_only_now_and_then_is_left_out_too() -> None:
    clock, calls = FakeClock(), 0

    class Fickle(Fake):
        def predict(self, X: Any) -> None:
            nonlocal calls
            calls += 1
            super().predict(X)
            if calls == 9:
                raise RuntimeError("ninth call")

    makers = {"sklearn": partial(Fake, clock, 3), "fickle": partial(Fickle, clock, 1)}
    timed = timed_makers(makers, clock)

    assert timed.skipped["fickle"].startswith("predict raised RuntimeError: ninth call")
    predicted = Counter(row[1] for row in timed.rows if row[0] == "predict")
    assert predicted == {"sklearn": 6, NULL_COMPETITOR: 6}


def test_rows_equal_those_of_the_records_in_the_order_timed() -> None:
    timings = timed({"sklearn": (Fake, 3, ""), "mine": (Fake, 1, "")})

    table = pd.DataFrame(timings.rows, columns=list(TABLES["timings"]))

    assert len(table) == 2 * 6 * 3
    assert table["position"].tolist() == [0, 1, 2] * 12
    assert table["round"].tolist() == np.repeat(np.arange(6), 3).tolist() * 2


def test_notes_hold_what_records_promise_and_survive_json() -> None:
    notes = timed({"sklearn": (Fake, 3, ""), "mine": (Fake, 1, "")}).notes

    assert json.loads(json.dumps(notes)) == notes
    assert notes["inner_counts"] == {"fit": 1, "predict": 1}
    assert notes["cold_seconds"]["fit"] == {"sklearn": 0.003, "mine": 0.001}
    assert notes["regime"].startswith("Warm")
    assert notes["rounds"] == {"fit": 6, "predict": 6}
    assert notes["noise"]["fit"]["rounds"] == 6
    assert isinstance(notes["warnings"], list)


def part(slowness: int, rounds: int, *, fails: bool = False) -> ImplementationTimings:
    """Return times of one process, with the milliseconds of "b"."""
    kinds = {"a": (Fake, 10, ""), "b": (Fake, slowness, "predict" if fails else "")}
    return timed(kinds, TimingPlan(rounds=rounds))


def test_rounds_are_numbered_on_from_process_to_process() -> None:
    joined = repeated((part(20, 6), part(30, 12)), TimingPlan())

    seconds = {r: s for op, name, r, _, s in joined.rows if (op, name) == ("predict", "b")}

    assert list(seconds) == list(range(18))
    assert list(seconds.values()) == [0.02] * 6 + [0.03] * 12


def test_notes_hold_what_each_process_has_for_itself() -> None:
    plan = TimingPlan(budget_seconds=7.0)
    joined = repeated((part(20, 6), part(40, 12)), plan)

    notes = json.loads(json.dumps(joined.notes))

    assert [one["rounds"]["fit"] for one in notes["processes"]] == [6, 12]
    assert notes["rounds"]["fit"] == 18
    assert notes["cold_seconds"]["fit"] == {"a": 0.01, "b": 0.03}
    assert notes["plan"]["budget_seconds"] == 7.0
    assert notes["regime"].endswith("Repeated in 2 fresh processes.")


def test_an_implementation_failing_in_one_process_is_left_out_of_that_operation() -> None:
    joined = repeated((part(20, 6), part(20, 6, fails=True)), TimingPlan())

    names = {(op, name) for op, name, *_ in joined.rows}

    assert ("predict", "b") not in names
    assert {("fit", "b"), ("predict", "a"), ("predict", NULL_COMPETITOR)} <= names
    reason = joined.notes["skipped"]["b"]
    assert reason.count("predict raised ValueError: cannot predict") == 1


def test_warnings_that_differ_in_numbers_are_reported_once() -> None:
    warnings = operations.distinct_warnings(
        [["fit: load 3.1 on 2 cores.", "x"], ["fit: load 12.0 on 2 cores."]]
    )

    texts = "fit: load 3.1 on 2 cores. (In 2 of 2 processes.); x (In 1 of 2 processes.)"
    assert warnings == texts.split("; ")

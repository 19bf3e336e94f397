"""Who goes on along an axis, under a clock that moves only while calls are made."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import pytest

from gnbbench.implementations import Implementation
from gnbbench.studies.progress import Silence
from gnbbench.studies.scale_grid import KINDS, axis
from gnbbench.studies.scale_looks import LEFT_OUT, NOTE, look_along_axes
from gnbbench.studies.scale_plan import ScalePlan
from gnbbench.studies.store import Store


class Clock:
    """Nanoseconds that pass when somebody works."""

    now: ClassVar[int] = 0

    def __call__(self) -> int:
        return Clock.now


def made(
    name: str, seconds: float, *, label: int = 0, fails_at: int | None = None
) -> Implementation:
    """Return one whose calls each take so long for every thousand samples."""

    class Model:
        def fit(self, X: Any, y: Any) -> "Model":
            if fails_at is not None and len(X) >= fails_at:
                raise MemoryError(f"no room for {len(y)}")
            Clock.now += int(1e9 * seconds * len(X) / 1000)
            return self

        def predict(self, X: Any) -> Any:
            Clock.now += int(1e9 * seconds * len(X) / 1000)
            return np.full(len(X), label)

    return Implementation(name, Model)


def looked(
    *entries: Implementation, budget: float = 1e6, samples: str = "1000:8000"
) -> Store:
    given = (samples, "3", "2")
    axes = {kind.name: axis(kind, one) for kind, one in zip(KINDS, given, strict=True)}
    plan = ScalePlan(
        reference=entries[0].name,
        against=tuple(one.name for one in entries[1:]),
        axes=axes,
        budget_seconds=budget,
        processes=2,
    )
    store = Store()
    look_along_axes(store, entries, plan, Silence(), Clock())
    return store


def timed(store: Store) -> list[list[str]]:
    notes = store.notes(NOTE)
    return [notes[number]["timed"] for number in sorted(notes, key=int)]


def outcomes(store: Store, name: str) -> list[str]:
    runs = store.every_point("runs")
    found: list[str] = runs.loc[runs["implementation"] == name, "status"].tolist()
    return found


def test_with_budget_enough_all_go_to_the_end() -> None:
    store = looked(made("ref", 0.1), made("other", 0.2))

    assert timed(store) == [["ref", "other"]] * 4


def test_one_that_would_pass_its_share_stops_and_the_other_goes_on() -> None:
    store = looked(made("ref", 0.001), made("slow", 10.0), budget=4000.0)

    assert timed(store) == [["ref", "slow"], ["ref"], ["ref"], ["ref"]]
    assert outcomes(store, "slow") == ["ok", "budget"]
    runs = store.every_point("runs")
    assert runs.loc[runs["status"] == "budget", "message"].tolist() == [LEFT_OUT]


def test_a_point_that_costs_too_much_is_not_even_looked_at() -> None:
    Clock.now = 0
    few = looked(made("ref", 0.001), made("slow", 10.0), budget=4000.0)
    spent = Clock.now / 1e9

    # One look at 1000 rows is 20 s; at 2000 rows it would be 40 s more.
    assert 20.0 <= spent < 25.0
    assert timed(few)[0] == ["ref", "slow"]


def test_what_is_spent_never_passes_the_budget() -> None:
    for budget in (50.0, 200.0, 1000.0, 5000.0):
        store = looked(made("ref", 0.1), made("other", 0.3), budget=budget)

        notes = store.notes(NOTE).values()
        once = sum(note["once_seconds"] for note in notes)
        assert 2 * sum(note["expected_seconds"] for note in notes) - once <= budget


def test_one_too_dear_for_all_processes_is_timed_once_at_the_first_point() -> None:
    store = looked(made("ref", 0.001), made("slow", 1.0), budget=200.0)

    first = store.notes(NOTE)["0"]
    assert first["once"] == ["slow"]
    assert 0.0 < first["once_seconds"] <= 100.0
    assert timed(store) == [["ref", "slow"], ["ref"], ["ref"], ["ref"]]
    assert outcomes(store, "slow") == ["ok", "budget"]


def test_one_that_would_take_more_than_half_the_budget_is_not_timed_at_all() -> None:
    store = looked(made("ref", 0.001), made("slow", 1.0), budget=100.0)

    assert store.notes(NOTE)["0"]["once"] == []
    assert timed(store) == [["ref"]] * 4
    assert outcomes(store, "slow") == ["budget"]


def test_nobody_is_timed_once_who_can_be_timed_throughout() -> None:
    store = looked(made("ref", 0.001), made("slow", 1.0), budget=1e6)

    assert [note["once"] for note in store.notes(NOTE).values()] == [[]] * 4


def test_more_budget_reaches_further() -> None:
    reached = [
        sum(map(len, timed(looked(made("ref", 0.1), made("b", 0.3), budget=budget))))
        for budget in (10.0, 100.0, 300.0, 1e5)
    ]

    assert reached == sorted(reached)
    assert reached[0] < reached[-1] == 8


def test_one_that_fails_is_a_record_and_stops_there() -> None:
    store = looked(made("ref", 0.01), made("small", 0.01, fails_at=3000))

    assert timed(store) == [["ref", "small"]] * 2 + [["ref"]] * 2
    assert outcomes(store, "small") == ["ok", "ok", "error"]
    runs = store.every_point("runs")
    assert "MemoryError: no room for 4000" in set(runs["message"])


def test_without_the_reference_the_others_go_on_unpaired() -> None:
    store = looked(made("ref", 0.01, fails_at=3000), made("other", 0.01))

    assert timed(store) == [["ref", "other"]] * 2 + [["other"]] * 2
    assert len(store.every_point("pairs")) == 2


def test_a_reference_too_slow_to_time_is_still_asked_for_labels() -> None:
    store = looked(made("ref", 1.0), made("other", 0.001), budget=300.0)

    assert timed(store)[-1] == ["other"]
    assert "budget" in outcomes(store, "ref")
    assert len(store.every_point("pairs")) == 4


def test_labels_that_differ_are_counted() -> None:
    store = looked(made("ref", 0.01), made("other", 0.01, label=1))

    pairs = store.every_point("pairs")
    assert pairs["disagreements"].tolist() == pairs["n_test"].tolist()
    assert len(pairs) == 4


def test_labels_of_the_wrong_shape_are_an_error() -> None:
    class Short:
        def fit(self, *_: Any) -> "Short":
            return self

        def predict(self, X: Any) -> Any:
            return np.zeros(len(X) - 1)

    store = looked(made("ref", 0.01), Implementation("short", Short))

    assert outcomes(store, "short") == ["error"]


def test_points_looked_at_before_are_not_looked_at_again() -> None:
    calls = []

    def counted(make: Callable[[], Any]) -> Callable[[], Any]:
        def one() -> Any:
            calls.append(1)
            return make()

        return one

    entry = made("ref", 0.1)
    entries = (Implementation("ref", counted(entry.make)), made("b", 0.1))
    given = ("1000:4000", "3", "2")
    axes = {kind.name: axis(kind, one) for kind, one in zip(KINDS, given, strict=True)}
    plan = ScalePlan(reference="ref", against=("b",), axes=axes, budget_seconds=1e6)
    store = Store()
    look_along_axes(store, entries, plan, Silence(), Clock())
    before, first = timed(store), len(calls)

    look_along_axes(store, entries, plan, Silence(), Clock())

    assert len(calls) == first > 0
    assert timed(store) == before


@pytest.mark.parametrize("budget", [1e-3, 1e-9])
def test_a_budget_for_nothing_says_so(budget: float) -> None:
    store = looked(made("ref", 0.1), made("b", 0.1), budget=budget)

    assert timed(store) == [[]]
    assert set(store.every_point("runs")["status"]) == {"budget"}

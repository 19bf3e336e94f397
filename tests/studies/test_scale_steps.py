"""Which implementations continue along an axis, with a clock that only calls advance."""

from dataclasses import replace
from itertools import pairwise
from typing import Any, ClassVar, cast

import numpy as np
import pytest

from gnbbench.core import GaussianNB
from gnbbench.errors import OptionError
from gnbbench.implementations import Implementation
from gnbbench.processes.client import CallCrash, CallError, CallTimeout
from gnbbench.progress import Silence
from gnbbench.studies import scale_steps
from gnbbench.studies.store import Store


class Clock:
    """Nanoseconds that pass when somebody works."""

    now: ClassVar[int] = 0

    def __call__(self) -> int:
        return Clock.now


def made(
    name: str,
    seconds: float = 0.01,
    *,
    label: int = 0,
    gives: int = 0,
    fails_at: float = float("inf"),
) -> Implementation:
    """Return one whose calls each take so long for every thousand samples."""

    class Model:
        def fit(self, X: Any, y: Any) -> "Model":
            if len(X) >= fails_at:
                raise MemoryError(f"no room for {len(y)}")
            Clock.now += int(1e9 * seconds * len(X) / 1000)
            return self

        def predict(self, X: Any) -> Any:
            Clock.now += int(1e9 * seconds * len(X) / 1000)
            return np.full(len(X) + gives, label)

    return Implementation(name, Model)


def planned(*entries: Implementation, budget: float, features: str = "30") -> Any:
    sizes = zip(scale_steps.KINDS, ("1000:8000", features, "2"), strict=True)
    return {
        "reference": entries[0].name,
        "axes": {kind.name: scale_steps.axis(kind, given) for kind, given in sizes},
        "budget_seconds": budget,
        "processes": 2,
        "seed": 42,
        "threads": 1,
    }


def compared(
    *entries: Implementation,
    budget: float = 1e6,
    features: str = "30",
    store: Store | None = None,
) -> Store:
    store = store or Store()
    plan = planned(*entries, budget=budget, features=features)
    scale_steps.GridMeasurement(store, entries, plan, Silence(), Clock()).compare_labels()
    return store


def timed(store: Store) -> list[list[str]]:
    notes = store.notes(scale_steps.LABELS)
    return [notes[number]["timed"] for number in sorted(notes, key=int)]


def outcomes(store: Store, name: str) -> list[str]:
    runs = store.every_point("runs")
    found: list[str] = runs.loc[runs["implementation"] == name, "status"].tolist()
    return found


BOTH = ["ref", "other"]


@pytest.mark.parametrize(
    ("reference", "other", "budget", "reached", "fared"),
    [
        ({}, {"seconds": 0.02}, 1e6, [BOTH] * 4, "ok ok ok ok"),
        # It would pass its share at the second point, which is not tried.
        ({}, {"seconds": 10.0}, 1_800.0, [BOTH, *[["ref"]] * 3], "ok budget"),
        ({}, {"fails_at": 3000}, 1e6, [*[BOTH] * 2, *[["ref"]] * 2], "ok ok error"),
        ({}, {"gives": -1}, 1e6, [["ref"]] * 4, "error"),
        # Without the reference the other continues unpaired.
        ({"fails_at": 3000}, {}, 1e6, [*[BOTH] * 2, *[["other"]] * 2], "ok ok ok ok"),
        ({}, {}, 1e-3, [[]], "budget"),
        ({}, {}, 1e-9, [[]], "budget"),
    ],
)
def test_which_implementations_continue_along_an_axis(
    reference: dict[str, Any],
    other: dict[str, Any],
    budget: float,
    reached: list[list[str]],
    fared: str,
) -> None:
    entries = made("ref", **reference), made("other", **other)

    store = compared(*entries, budget=budget)

    assert timed(store) == reached
    runs = store.every_point("runs")
    assert outcomes(store, "other") == fared.split()
    assert set(runs.loc[runs["status"] == "budget", "message"]) <= {scale_steps.OVER_BUDGET}
    if "fails_at" in {**reference, **other}:
        messages = set(runs["message"])
        assert any(text.startswith("MemoryError: no room for 4000 (") for text in messages)
    if "fails_at" in reference:
        assert len(store.every_point("pairs")) == 2


def test_a_point_that_costs_too_much_is_not_even_tried() -> None:
    Clock.now = 0
    compared(made("ref", 0.001), made("slow", 10.0), budget=1_800.0)

    # One look at 1000 rows is 20 s; at 2000 rows it would be 40 s more.
    assert 20.0 <= Clock.now / 1e9 < 25.0


@pytest.mark.parametrize("budget", [50.0, 200.0, 1000.0, 5000.0])
def test_expected_times_never_exceed_the_share_of_an_axis(budget: float) -> None:
    store = compared(made("ref", 0.1), made("other", 0.3), budget=budget, features="15:60")

    expected = [n["expected_seconds"] for n in store.notes(scale_steps.LABELS).values()]
    first_axis, second_axis = expected[:4], expected[4:]
    for axis_seconds in (first_axis, second_axis):
        part = scale_steps.TIMING_SHARE * budget * len(axis_seconds) / 7
        assert 2 * sum(axis_seconds) <= part


def test_an_implementation_may_need_its_part_of_a_point_and_no_more() -> None:
    entries = made("ref", 0.1), made("other", 0.1)
    plan = planned(*entries, budget=1.0)
    first = scale_steps.points_of(plan["axes"])[0]
    share = scale_steps.PointShare(plan, first, left=120.0)

    # Three competitors have 40 s each; in 4 rounds each makes 4 + 4 * 2 calls.
    assert share.over_budget({"ref": 40 / 12, "other": 40 / 12}) == []
    assert share.over_budget({"ref": 40 / 12, "other": 40.1 / 12}) == ["other"]
    assert share.over_budget({"ref": 40.1 / 12, "other": 40 / 12}) == ["ref"]
    # What the quicker one does not need is the slower one's.
    assert share.over_budget({"ref": 55 / 12, "other": 9.9 / 12}) == []
    assert share.over_budget({"ref": 55 / 12, "other": 10.1 / 12}) == ["ref"]
    # One of several points has two thirds at most, the last one all.
    early = scale_steps.PointShare(plan, first, left=120.0, n_left=2)
    assert early.seconds == pytest.approx(80.0)
    assert share.seconds == 120.0


@pytest.mark.parametrize(("seconds", "rounds"), [(1e-3, 20), (1.0, 4)])
def test_quick_visits_have_20_rounds_slow_ones_a_block(seconds: float, rounds: int) -> None:
    entries = made("ref", 0.1), made("other", 0.1)
    plan = planned(*entries, budget=1.0)

    found, expected = scale_steps.PointShare(
        plan, scale_steps.points_of(plan["axes"])[0], 10.0
    ).visit({"ref": seconds, "other": seconds})

    assert found == rounds
    assert expected >= 3 * seconds * (4 + 2 * rounds)


@pytest.mark.parametrize("kept", [2, 4])
def test_an_interruption_among_points_changes_nothing_that_follows(kept: int) -> None:
    entries = made("ref", 0.05), made("other", 0.2)
    whole, resumed = compared(*entries, budget=300.0), Store()
    notes = whole.notes(scale_steps.LABELS)
    resumed.add({}, {f"{scale_steps.LABELS}{n}": notes[str(n)] for n in range(kept)})
    before = Clock.now

    compared(*entries, budget=300.0, store=resumed)

    assert timed(resumed) == timed(whole)
    assert ["ref"] in timed(whole)
    assert (Clock.now > before) == (kept < len(notes))


class Process:
    """A worker process whose calls end in one failure after the other."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)

    def call(self, *_: Any, **__: Any) -> Any:
        raise self.failures.pop(0)


@pytest.mark.parametrize(
    ("failures", "statuses"),
    [
        ((CallTimeout("fit", 3.0), CallError("MemoryError", "no room")), "timeout error"),
        ((CallCrash("fit", "ended"), CallCrash("fit", "ended")), "crash crash"),
        ((CallError("MemoryError", "no room"),), "error error"),
    ],
)
def test_third_party_code_is_blamed_first_and_all_errors_are_shown(
    failures: tuple[Exception, ...], statuses: str
) -> None:
    entries = made("ref", 0.1), replace(made("other", 0.1), direct=GaussianNB)
    plan = planned(*entries, budget=1.0)
    visit = {"timed": ["ref", "other"], "rounds": 4, "expected_seconds": 1.0}
    process = Process(*failures)

    measurement = scale_steps.GridMeasurement(Store(), entries, plan, Silence())
    first = scale_steps.points_of(plan["axes"])[0]
    note, rows = measurement._visit(cast("Any", process), first, visit, 0)

    losses = {name: status for name, status, _ in note["losses"]}
    assert losses == dict(zip(("other", "ref"), statuses.split(), strict=True))
    assert (rows, process.failures) == ([], [])


SAMPLES, FEATURES, CLASSES = scale_steps.KINDS


@pytest.mark.parametrize("given", ["7", 7, [7], "7e0"])
def test_one_number_holds_the_axis(given: Any) -> None:
    assert scale_steps.axis(FEATURES, given) == {"sizes": [], "held": 7}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("1e6:1e3", "'1e6:1e3' is not in ascending order"),
        ("abc", "'abc' cannot be read"),
        ("", "cannot be read"),
        ("1:2:3", "cannot be read"),
        ("1.5", "cannot be read"),
        ("nan", "cannot be read"),
        ("inf:10", "cannot be read"),
        ("0", "0 is less than 2"),
        ("-5:10", "-5 is less than 2"),
        ("1e3,1e3", "is not in ascending order"),
        ("7:7", "is not in ascending order"),
        ([], "cannot be read"),
        (True, "cannot be read"),
        (None, "cannot be read"),
    ],
)
def test_invalid_sizes_are_refused(given: Any, words: str) -> None:
    with pytest.raises(OptionError) as caught:
        scale_steps.axis(SAMPLES, given)

    assert str(caught.value).startswith("--samples: ")
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("first", "last"), [(1, 2), (3, 7), (30, 700), (999, 1001), (2, 64), (1, 10**9)]
)
def test_sizes_run_from_end_to_end_and_never_crowd(first: int, last: int) -> None:
    sizes = scale_steps.spread(first, last)

    ratios = [b / a for a, b in pairwise(sizes)]
    assert (sizes[0], sizes[-1]) == (first, last)
    assert all(1.0 < ratio <= 3.6 for ratio in ratios)
    assert len(sizes) == 2 or min(ratios) >= 1.4


def points(
    samples: Any = "100:1000", features: Any = "4", classes: Any = "2"
) -> tuple[scale_steps.ScalePoint, ...]:
    given = zip(scale_steps.KINDS, (samples, features, classes), strict=True)
    return scale_steps.points_of({k.name: scale_steps.axis(k, one) for k, one in given})


def test_points_vary_one_size_and_hold_the_others() -> None:
    grid = points("100:400", "2:4", "3")

    sizes = [(100, 4, 3), (200, 4, 3), (400, 4, 3), (400, 2, 3), (400, 4, 3)]
    assert [one.sizes for one in grid] == sizes
    assert [one.axis for one in grid] == ["samples"] * 3 + ["features"] * 2
    assert [one.number for one in grid] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"samples": "100"}, "every size is fixed"),
        ({"samples": "4:100", "classes": "5"}, "--samples: 4 samples are too few"),
        ({"samples": "20", "classes": "2:64"}, "--samples: 20 samples are too few for 64"),
        ({"samples": "10", "classes": "2:64"}, "Give 128 at least, or fewer --classes."),
        ({"samples": "5", "features": "2:4", "classes": "3"}, "--samples: 5 samples"),
        (
            {"samples": "1e3:1e5", "classes": "2:8192"},
            "--classes: 10,000 samples are too few for 8,192 classes. Give 5,000 at most",
        ),
        (
            {"samples": "1e6:1e8", "features": "20"},
            "--samples: 20,000,000 × 20 values with 2 classes need about "
            "20.2\N{NO-BREAK SPACE}GB, and 16.0\N{NO-BREAK SPACE}GB are free",
        ),
    ],
)
def test_a_plan_that_cannot_be_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError) as caught:
        scale_steps.require_possible(points(**options), 16 * 10**9)

    assert words in str(caught.value)


@pytest.mark.parametrize("available", [200 * 10**9, None])
def test_valid_or_unknown_sizes_are_accepted(available: int | None) -> None:
    scale_steps.require_possible(points("1e6:1e8", "20"), available)

"""Time and memory of third-party code are measured in a process that may crash."""

import contextlib
import mmap
import os
import sys
import time
from collections.abc import Callable, Collection
from dataclasses import asdict
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from sklearn.datasets import load_iris

from gnbbench.core import GaussianNB
from gnbbench.implementations import Implementation, implementation, isolated
from gnbbench.measurement.operations import ImplementationTimings
from gnbbench.measurement.timing import TimingPlan
from gnbbench.processes import client
from gnbbench.records import NULL_COMPETITOR
from gnbbench.studies import costs
from gnbbench.studies.costs import memory_notes, time_entries, time_in_processes

X, y = load_iris(return_X_y=True)
ARRAYS = (X, y, X)
QUICK = TimingPlan(budget_seconds=0.03)
# Both load at once, as scikit-learn does not.
REFERENCE, SOUND = implementation("numpy"), implementation("density-product")
HERE = os.getpid()
MEGABYTE = 2**20


def raised(error: str, statement: str) -> str:
    """Return the description of an error raised by a statement of this module."""
    lines = Path(__file__).read_text().splitlines()
    line = next(n for n, text in enumerate(lines, 1) if text.strip() == statement)
    return f"{error} ({Path(__file__).name}, line {line}: {statement})"


LEFT = raised("SystemExit: 1", "sys.exit(1)")


def foreign(kind: str) -> Implementation:
    """Return one that lives elsewhere; its class is sent there by value."""

    def forge() -> None:
        # All there are: after many tests their numbers are large.
        names = {int(entry.name) for entry in Path("/dev/fd").iterdir()}
        for descriptor in names - {0, 1, 2}:
            with contextlib.suppress(OSError):
                os.write(descriptor, b"x" * 100)

    deeds: dict[str, Callable[[], object]] = {
        "dies": lambda: os._exit(3),
        "hangs": lambda: time.sleep(60.0),
        "prints": lambda: os.write(1, b"noise\n"),
        "forges": forge,
    }

    class Other(GaussianNB):
        def predict(self, X: Any) -> Any:
            if kind == "leaves":
                sys.exit(1)
            if kind in deeds and os.getpid() != HERE:
                deeds[kind]()
            if kind == "maps" and len(X) > 100:
                # Memory that no allocator of Python knows of.
                with mmap.mmap(-1, 50 * MEGABYTE) as taken:
                    taken.write(b"\1" * (50 * MEGABYTE - 1))
            return super().predict(X)

    entry = Implementation(kind, Other, foreign=True)
    return isolated(entry, timeout_seconds=5.0)


def names_of(timings: ImplementationTimings) -> dict[str, set[str]]:
    """Return operation -> implementations timed in it."""
    names: dict[str, set[str]] = {}
    for operation, name, *_ in timings.rows:
        names.setdefault(operation, set()).add(name)
    return names


def timed(*others: Implementation, **options: Any) -> Any:
    return time_entries([REFERENCE, *others], ARRAYS, plan=QUICK, **options)


@pytest.mark.slow
def test_all_are_timed_abreast_and_print_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    timings = timed(foreign("prints"))

    assert timings.skipped == {}
    names = names_of(timings)
    assert all({"numpy", "prints"} <= names[operation] for operation in names)
    ours, theirs = (
        np.array([row[4] for row in timings.rows if tuple(row[:2]) == ("fit", name)])
        for name in ("numpy", "prints")
    )
    assert 0.2 < np.median(theirs / ours) < 5.0
    assert capfd.readouterr().out == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "seconds", "reason"),
    [
        ("dies", 60.0, "timing ended the process"),
        ("leaves", 60.0, f"predict raised {LEFT}"),
        ("hangs", 2.0, "timing took longer than 2 s"),
        ("forges", 60.0, "timing failed: ValueError: the answer cannot be read: it is l"),
    ],
    ids=["dies", "leaves", "hangs", "forges"],
)
def test_one_that_ends_or_hangs_leaves_the_rest_their_times(
    kind: str, seconds: float, reason: str
) -> None:
    timings = timed(SOUND, foreign(kind), longest_seconds=seconds)

    assert list(timings.skipped) == [kind]
    assert timings.skipped[kind].startswith(reason)
    names = names_of(timings)
    assert all({"numpy", "density-product"} <= names[operation] for operation in names)
    assert kind not in names["predict"]
    # An implementation that raises only in predict has been timed in fit.
    assert (kind in names["fit"]) == (kind == "leaves")


def test_without_the_reference_there_are_not_times() -> None:
    entries = [foreign("dies"), implementation("numpy")]
    timings = time_entries(entries, ARRAYS, plan=QUICK, crashed_before={"dies"})

    assert timings.rows == []
    assert timings.skipped == {
        "numpy": "the reference cannot be timed",
        "dies": "it hung or crashed in a run",
    }


@pytest.mark.slow
def test_every_process_is_another_one_with_a_seed_and_a_share_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan, plans = TimingPlan(budget_seconds=0.06, seed=5), []

    def noted(*given: Any, plan: TimingPlan, **options: Any) -> Any:
        plans.append(plan)
        return time_entries(*given, plan=plan, **options)

    fresh = mock.Mock(wraps=client.in_fresh_process)
    monkeypatch.setattr(costs, "time_entries", noted)
    monkeypatch.setattr(client, "in_fresh_process", fresh)

    timings = time_in_processes([REFERENCE, SOUND], ARRAYS, plan=plan, processes=2)

    assert fresh.call_count == 2
    assert [given.seed for given in plans] == [5, 6]
    assert [given.budget_seconds for given in plans] == [0.03, 0.03]
    assert timings.notes["plan"] == asdict(plan)
    assert len(timings.notes["processes"]) == 2
    assert set(names_of(timings)) == {"fit", "predict", "predict_proba"}


@pytest.mark.slow
def test_what_ends_a_process_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    known = []

    def noted(*given: Any, crashed_before: Collection[str], **options: Any) -> Any:
        known.append(crashed_before)
        return time_entries(*given, crashed_before=crashed_before, **options)

    monkeypatch.setattr(costs, "time_entries", noted)
    entries = [REFERENCE, foreign("dies")]
    timings = time_in_processes(entries, ARRAYS, plan=QUICK, processes=2)

    assert timings.notes["skipped"] == {"dies": "timing ended the process"}
    assert known == [set(), {"dies"}]
    assert {row[1] for row in timings.rows} == {"numpy", NULL_COMPETITOR}


@pytest.mark.slow
def test_ours_here_has_no_resident_size(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr("gnbbench.processes.client._started", refuse)
    entries = [implementation("sklearn"), implementation("numpy")]
    notes = memory_notes(entries, ARRAYS)

    assert time_in_processes(entries, ARRAYS, plan=QUICK).notes["skipped"] == {}
    assert notes["skipped"] == {}
    assert len(notes["rows"]) == 6
    assert all(row["traced_bytes"] > 1000 for row in notes["rows"])
    assert {row["resident_bytes"] for row in notes["rows"]} == {None}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="resident sizes are read from /proc")
def test_memory_allocated_by_libraries_shows_in_a_fresh_process() -> None:
    notes = memory_notes([foreign("maps")], ARRAYS)

    rows = {row["operation"]: row for row in notes["rows"]}
    assert rows["predict"]["resident_bytes"] > 45 * MEGABYTE
    assert rows["fit"]["resident_bytes"] < 20 * MEGABYTE


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "reason"), [("dies", "it ended the process"), ("leaves", f"it raised {LEFT}")]
)
def test_a_crashing_implementation_ends_nothing_else(kind: str, reason: str) -> None:
    notes = memory_notes([foreign(kind), implementation("numpy")], ARRAYS)

    assert notes["skipped"] == {kind: reason}
    assert [row["implementation"] for row in notes["rows"]] == ["numpy"] * 3


def test_implementations_that_failed_before_or_raise_are_reported() -> None:
    def make() -> object:
        raise ValueError("no model today")

    entries = [foreign("dies"), Implementation("moody", make)]
    notes = memory_notes(entries, ARRAYS, crashed_before={"dies"})

    reasons = {"dies": "it hung or crashed in a run"}
    text = raised("ValueError: no model today", 'raise ValueError("no model today")')
    reasons["moody"] = f"it raised {text}"
    assert notes == {"rows": [], "skipped": reasons}


def test_large_data_are_worth_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def seen(*given: Any, **_: Any) -> list[Any]:
        asked.append(given[1])
        return []

    monkeypatch.setattr(client, "in_fresh_process", seen)
    entry = implementation("numpy")

    memory_notes([entry], ARRAYS)
    memory_notes([entry], (np.zeros((2**23, 1)), np.zeros(2**23), X))

    assert asked == ["numpy"]

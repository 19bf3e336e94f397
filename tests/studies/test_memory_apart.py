"""Memory is measured where it can be: here, or in a process of its own."""

import mmap
import os
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB as ScikitLearnGaussianNB

from gnbbench.implementations import Implementation, implementation, isolated
from gnbbench.studies import memory_apart
from gnbbench.studies.memory_apart import memory_notes

X, y = load_iris(return_X_y=True)
ARRAYS = (X, y, X)
HERE = os.getpid()
MEGABYTE = 2**20


def foreign(kind: str) -> Implementation:
    """Return one that lives elsewhere; its class is sent there by value."""

    class Other(ScikitLearnGaussianNB):  # type: ignore[misc]  # scikit-learn has no types
        def predict(self, X: Any) -> Any:
            if kind == "dies" and os.getpid() != HERE:
                os._exit(3)
            if kind == "leaves":
                sys.exit(1)
            if kind == "maps" and len(X) > 100:
                # Memory that no allocator of Python knows of.
                with mmap.mmap(-1, 50 * MEGABYTE) as taken:
                    taken.write(b"\1" * (50 * MEGABYTE - 1))
            return super().predict(X)

    entry = Implementation(kind, Other, foreign=True)
    return isolated(entry, timeout_seconds=5.0)


def test_ours_is_measured_here_without_a_resident_size() -> None:
    notes = memory_notes([implementation("sklearn"), implementation("numpy")], ARRAYS)

    assert notes["skipped"] == {}
    assert len(notes["rows"]) == 6
    assert all(row["traced_bytes"] > 1000 for row in notes["rows"])
    assert {row["resident_bytes"] for row in notes["rows"]} == {None}


@pytest.mark.slow
def test_what_libraries_allocate_by_themselves_shows_in_a_process_of_its_own() -> None:
    notes = memory_notes([foreign("maps")], ARRAYS)

    rows = {row["operation"]: row for row in notes["rows"]}
    if rows["predict"]["resident_bytes"] is None:
        pytest.skip("this system does not tell resident sizes")
    assert rows["predict"]["resident_bytes"] > 45 * MEGABYTE
    assert rows["fit"]["resident_bytes"] < 20 * MEGABYTE


@pytest.mark.slow
def test_one_that_takes_its_process_down_is_told() -> None:
    notes = memory_notes([implementation("numpy"), foreign("dies")], ARRAYS)

    assert notes["skipped"] == {"dies": "it ended the process"}
    assert {row["implementation"] for row in notes["rows"]} == {"numpy"}


def test_one_that_failed_before_is_not_tried() -> None:
    notes = memory_notes([foreign("dies")], ARRAYS, unsafe={"dies"})

    assert notes == {"rows": [], "skipped": {"dies": "it hung or crashed in a run"}}


def test_one_that_raises_is_told() -> None:
    def make() -> object:
        raise ValueError("no model today")

    notes = memory_notes([Implementation("moody", make)], ARRAYS)

    assert notes["skipped"] == {"moody": "it raised ValueError: no model today"}


def test_large_data_are_worth_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def seen(*given: Any, seconds: float) -> list[Any]:
        asked.append((given[1], seconds))
        return []

    monkeypatch.setattr(memory_apart, "in_fresh_process", seen)
    entry = replace(implementation("numpy"))

    memory_notes([entry], ARRAYS)
    memory_notes([entry], (np.zeros((2**23, 1)), np.zeros(2**23), X))

    assert [name for name, _ in asked] == ["numpy"]


@pytest.mark.slow
def test_one_that_asks_to_leave_ends_nothing_but_itself() -> None:
    notes = memory_notes([foreign("leaves"), implementation("numpy")], ARRAYS)

    assert notes["skipped"] == {"leaves": "it raised SystemExit: 1"}
    assert len(notes["rows"]) == 3

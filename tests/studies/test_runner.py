"""Batches bound memory; processes change no record."""

import multiprocessing
import os
from collections.abc import Iterable
from typing import Any

import joblib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from gnbbench.implementations import implementations
from gnbbench.measurement.evaluation import Sample, SplitRule, Tables, evaluate
from gnbbench.studies.runner import BATCH_RUNS, BATCH_VALUES, Batch, batches, evaluated

X, y = load_iris(return_X_y=True)
SAMPLE = Sample(X, y, np.arange(3), y)
RULE = SplitRule(seed=0, test_size=0.3, stratify=True)
ENTRIES = implementations("sklearn", ["numpy"])


@given(st.lists(st.integers(0, 10**6), unique=True, max_size=400), st.integers(0, 10**9))
def test_batches_hold_every_run_once_and_stay_small(runs: list[int], n_values: int) -> None:
    cut = batches(2, RULE, runs, n_values=n_values)

    assert [run for batch in cut for run in batch.runs] == runs
    for batch in cut:
        assert (batch.point, batch.rule) == (2, RULE)
        assert 1 <= len(batch.runs) <= BATCH_RUNS
        assert len(batch.runs) == 1 or len(batch.runs) * n_values <= BATCH_VALUES


def joined(parts: Iterable[tuple[object, Tables]]) -> list[tuple[Any, ...]]:
    return sorted(row for _, tables in parts for row in tables["runs"])


def work_of(*runs: tuple[int, ...]) -> list[Batch]:
    return [Batch(0, RULE, some) for some in runs]


class FakeClock:
    """Advances by one step a look."""

    def __init__(self, step: float) -> None:
        self.step, self.now = step, 0.0

    def __call__(self) -> float:
        self.now += self.step
        return self.now


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_processes_change_no_record(jobs: int) -> None:
    work = work_of((0, 1), (2,), (3, 4, 5))

    found = joined(evaluated(SAMPLE, ENTRIES, work, jobs=jobs))

    assert found == sorted(evaluate(SAMPLE, RULE, range(6), ENTRIES)["runs"])
    assert not any(
        "loky" in child.name.lower() for child in multiprocessing.active_children()
    )


def test_little_work_starts_no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise AssertionError("processes were started")

    monkeypatch.setattr(joblib, "Parallel", refuse)

    found = joined(evaluated(SAMPLE, ENTRIES, work_of((0,), (1,)), clock=FakeClock(0.01)))

    assert len(found) == 4


def test_much_work_is_handed_to_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def parallel(n_jobs: int, **_: object) -> object:
        asked.append(n_jobs)
        return lambda calls: (call[0](*call[1], **call[2]) for call in calls)

    monkeypatch.setattr(joblib, "Parallel", parallel)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)

    found = joined(
        evaluated(SAMPLE, ENTRIES, work_of((0,), (1,), (2,)), clock=FakeClock(60.0))
    )

    assert asked == [2]
    assert len(found) == 6

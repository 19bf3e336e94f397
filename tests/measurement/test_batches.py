"""Batches bound memory and loss; each is evaluated once, on whatever process."""

import errno
import os
import signal
import threading
import time
from collections.abc import Iterable
from multiprocessing.process import _ParentProcess  # type: ignore[attr-defined]
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB as ScikitLearnGaussianNB

from gnbbench.implementations import Implementation, implementation, implementations
from gnbbench.measurement import batches as batches_module
from gnbbench.measurement.batches import BatchQueue, RunBatch, batches, evaluated
from gnbbench.measurement.evaluation import Tables, evaluate
from gnbbench.processes import pool
from gnbbench.splits import Sample, SplitRule

X, y = load_iris(return_X_y=True)
SAMPLE = Sample(X, y, np.arange(3), y)
RULE = SplitRule(seed=0, test_size=0.3, stratify=True)
ENTRIES = implementations("sklearn", ["numpy"])
HERE = os.getpid()
WORKER_START = batches_module.WORKER_START_SECONDS


def joined(parts: Iterable[tuple[object, Tables]]) -> list[tuple[Any, ...]]:
    return sorted(row for _, tables in parts for row in tables["runs"])


def work_of(*runs: Iterable[int]) -> list[RunBatch]:
    return [RunBatch(0, RULE, tuple(some)) for some in runs]


def children() -> set[int]:
    """Return the workers that this process started and that are still there."""
    tasks = Path(f"/proc/{HERE}/task").glob("*/children")
    found = {int(pid) for task in tasks for pid in task.read_text().split()}
    commands = {pid: Path(f"/proc/{pid}/cmdline") for pid in found}
    return {pid for pid, path in commands.items() if b"popen_loky" in path.read_bytes()}


class FakeClock:
    """Advances by one step a look."""

    def __init__(self, step: float) -> None:
        self.step, self.now = step, 0.0

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def deadly() -> Implementation:
    """Return one that kills any process but this one; sent to others by value."""

    class Deadly(ScikitLearnGaussianNB):  # type: ignore[misc]  # scikit-learn has no types
        def __init__(self, spared: int = HERE) -> None:
            super().__init__()
            self.spared = spared

        def fit(self, X: Any, y: Any) -> Any:
            if os.getpid() != self.spared:
                os.kill(os.getpid(), signal.SIGKILL)
            time.sleep(0.005)
            return super().fit(X, y)

    return Implementation("deadly", Deadly)


@pytest.mark.slow
def test_a_process_that_dies_loses_no_run() -> None:
    entries, of_others = (implementation("sklearn"), deadly()), children()

    batch = joined(evaluated(SAMPLE, entries, work_of(range(150)), jobs=2))

    assert batch == sorted(evaluate(SAMPLE, RULE, range(150), entries)["runs"])
    assert children() <= of_others


def test_runs_stay_here_without_shared_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(**_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(pool, "ProcessPoolExecutor", refused)

    batch = joined(evaluated(SAMPLE, ENTRIES, work_of(range(30)), jobs=2))

    assert batch == sorted(evaluate(SAMPLE, RULE, range(30), ENTRIES)["runs"])


def test_a_worker_ends_with_its_parent() -> None:
    worker = os.fork()
    if worker == 0:
        pool._end_with(os.getpid())  # not the parent, as after the parent has died

    assert os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]) == -signal.SIGKILL


def test_much_work_alone_starts_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    class Started(Exception):  # noqa: N818  no error, but the end of the test
        pass

    def start(max_workers: int, **_: object) -> None:
        raise Started(str(max_workers))

    monkeypatch.setattr(pool, "ProcessPoolExecutor", start)
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    monkeypatch.setattr(batches_module, "WORKER_START_SECONDS", WORKER_START)

    batch = joined(evaluated(SAMPLE, ENTRIES, work_of((0,), (1,)), clock=FakeClock(0.01)))
    with pytest.raises(Started, match="3"):
        joined(evaluated(SAMPLE, ENTRIES, work_of(range(50)), clock=FakeClock(60.0)))
    with pytest.raises(Started, match="1"):  # No more than runs are left
        joined(evaluated(SAMPLE, ENTRIES, work_of((0,), (1,)), jobs=1000))

    assert len(batch) == 4


BATCH_RULE = SplitRule(seed=0, test_size=0.3, stratify=True)
RUN_LISTS = st.lists(st.integers(0, 10**6), unique=True, max_size=3000)


@given(RUN_LISTS, st.integers(0, 10**9))
def test_batches_hold_every_run_once_and_stay_small(runs: list[int], n_values: int) -> None:
    cut = batches(2, BATCH_RULE, runs, n_values=n_values)

    assert [run for batch in cut for run in batch.runs] == runs
    for batch in cut:
        assert (batch.point, batch.rule) == (2, BATCH_RULE)
        assert 1 <= len(batch.runs) <= batches_module.BATCH_RUNS
        assert (
            len(batch.runs) == 1
            or len(batch.runs) * n_values <= batches_module.BATCH_VALUES
        )


@given(RUN_LISTS, st.lists(st.floats(1e-6, 10.0), min_size=1, max_size=20))
def test_a_queue_hands_out_every_run_once_whatever_it_learns(
    runs: list[int], seconds: list[float]
) -> None:
    queue = BatchQueue(batches(0, BATCH_RULE, runs, n_values=1))
    taken: list[int] = []

    for some in seconds:
        if queue.n_runs:
            batch = queue.take()
            taken += batch.runs
            queue.learn(n_runs=len(batch.runs), seconds=some)
    taken += [run for batch in queue.rest() for run in batch.runs]

    assert taken == runs
    assert queue.n_runs == 0


def test_the_first_piece_is_small_and_the_next_last_as_long_as_they_should() -> None:
    queue = BatchQueue([RunBatch(0, BATCH_RULE, tuple(range(1000)))])

    first = queue.take()
    queue.learn(n_runs=len(first.runs), seconds=0.04 * len(first.runs))

    assert len(first.runs) == batches_module.FIRST_RUNS
    assert queue.seconds_left == pytest.approx(0.04 * (1000 - batches_module.FIRST_RUNS))
    assert len(queue.take().runs) == 5


def test_returned_pieces_come_next() -> None:
    queue = BatchQueue([RunBatch(0, BATCH_RULE, (1,)), RunBatch(1, BATCH_RULE, (1,))])
    first = queue.take()

    queue.give_back(first)

    assert queue.n_runs == 2
    assert queue.take() == first


def test_a_worker_ends_with_its_parent_where_the_number_of_a_parent_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reading, writing = os.pipe()  # A handle on a process is ready at its end, as a pipe is
    ends: list[int] = []
    parent = _ParentProcess("parent", os.getppid(), reading)
    monkeypatch.setattr("multiprocessing.parent_process", lambda: parent)
    monkeypatch.setattr("os.kill", lambda process, _: ends.append(process))
    threading.Timer(0.2, os.close, [writing]).start()

    pool._end_with(os.getppid())
    os.close(reading)

    assert ends == [HERE]

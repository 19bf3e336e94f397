"""Batches bound memory and loss; a queue hands out every run once, in even pieces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnbbench.measurement.split_rules import SplitRule
from gnbbench.studies.batches import (
    BATCH_RUNS,
    BATCH_VALUES,
    FIRST_RUNS,
    Batch,
    Queue,
    batches,
)

RULE = SplitRule(seed=0, test_size=0.3, stratify=True)
RUNS = st.lists(st.integers(0, 10**6), unique=True, max_size=3000)


@given(RUNS, st.integers(0, 10**9))
def test_batches_hold_every_run_once_and_stay_small(runs: list[int], n_values: int) -> None:
    cut = batches(2, RULE, runs, n_values=n_values)

    assert [run for batch in cut for run in batch.runs] == runs
    for batch in cut:
        assert (batch.point, batch.rule) == (2, RULE)
        assert 1 <= len(batch.runs) <= BATCH_RUNS
        assert len(batch.runs) == 1 or len(batch.runs) * n_values <= BATCH_VALUES


@given(RUNS, st.lists(st.floats(1e-6, 10.0), min_size=1, max_size=20))
def test_a_queue_hands_out_every_run_once_whatever_it_learns(
    runs: list[int], seconds: list[float]
) -> None:
    queue = Queue(batches(0, RULE, runs, n_values=1))
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
    queue = Queue([Batch(0, RULE, tuple(range(1000)))])

    first = queue.take()
    queue.learn(n_runs=len(first.runs), seconds=0.04 * len(first.runs))

    assert len(first.runs) == FIRST_RUNS
    assert queue.seconds_left == pytest.approx(0.04 * (1000 - FIRST_RUNS))
    assert len(queue.take().runs) == 5


def test_a_slow_run_makes_a_piece_of_its_own() -> None:
    queue = Queue([Batch(0, RULE, (1, 2, 3))])

    queue.learn(n_runs=1, seconds=60.0)

    assert queue.take().runs == (1,)


def test_what_is_given_back_comes_next() -> None:
    queue = Queue([Batch(0, RULE, (1,)), Batch(1, RULE, (1,))])
    first = queue.take()

    queue.give_back(first)

    assert queue.n_runs == 2
    assert queue.take() == first

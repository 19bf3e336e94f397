"""Rounds of calls, their orders, and how many calls make a timing."""

import gc
from functools import partial
from itertools import islice

import numpy as np
import pytest
from faults.clocks import FakeClock
from numpy.typing import NDArray

from gnbbench.measurement import rounds


def test_the_making_of_calls_is_left_out_and_each_call_is_made_anew() -> None:
    clock = FakeClock()
    made: list[rounds.Call] = []

    def prepare() -> rounds.Call:
        clock.take(10**9)
        made.append(partial(clock.take, 7))
        return made[-1]

    assert rounds.time_calls("a", prepare, 3, clock) == 21
    assert len(set(map(id, made))) == 3
    assert rounds.clock_overhead(FakeClock(reading=41)) == 41.0


@pytest.mark.parametrize("where", ["call", "preparation"])
def test_a_failure_names_the_competitor_and_the_reason(where: str) -> None:
    def fail() -> None:
        raise KeyError("theta")

    def prepare() -> rounds.Call:
        if where == "preparation":
            fail()
        return fail

    with pytest.raises(rounds.CallFailedError, match="b raised KeyError: 'th") as caught:
        rounds.time_calls("b", prepare, 1, FakeClock())

    assert caught.value.name == "b"
    assert isinstance(caught.value.__cause__, KeyError)


def test_an_interrupt_is_not_a_failure_of_the_competitor() -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rounds.time_calls("a", lambda: interrupt, 1, FakeClock())


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

    assert rounds.inner_count(calls, clock, overhead) == count


def test_one_crossing_by_chance_is_not_enough() -> None:
    clock = FakeClock()
    durations = iter([50_000] + [6_000] * 100)

    calls = {"a": lambda: partial(clock.take, next(durations))}

    assert rounds.inner_count(calls, clock, 0.0) == 4


def test_a_clock_that_stands_still_is_reported() -> None:
    with pytest.raises(ValueError, match="65536 calls of a last under 20000 ns"):
        rounds.inner_count({"a": lambda: lambda: None}, FakeClock(), 0.0)


def test_calls_come_in_the_order_given_and_each_once_more_untimed() -> None:
    calls: list[str] = []
    clock = FakeClock()

    def call(name: str) -> None:
        calls.append(name)
        clock.take(ord(name))

    preparations = {name: partial(partial, call, name) for name in "abc"}
    nanoseconds, _ = rounds.time_round(preparations, np.array([1, 0, 2]), 2, clock)

    assert "".join(calls) == "bbbaaaccc"
    assert nanoseconds.tolist() == [2 * ord(name) for name in "abc"]


@pytest.mark.slow
@pytest.mark.parametrize("was_on", [True, False])
def test_the_collector_is_off_within_and_as_before_afterwards(*, was_on: bool) -> None:
    within = []

    def fail_with_collector_off() -> None:
        with rounds.collector_off():
            within.append(gc.isenabled())
            raise ZeroDivisionError

    before = gc.isenabled()
    gc.freeze()  # Or all that other tests left is looked through
    (gc.enable if was_on else gc.disable)()
    try:
        with pytest.raises(ZeroDivisionError):
            fail_with_collector_off()
        after = gc.isenabled()
    finally:
        gc.unfreeze()
        (gc.enable if before else gc.disable)()

    assert within == [False]
    assert after == was_on


def test_old_objects_are_frozen_and_unfrozen_except_those_of_the_caller() -> None:
    gc.unfreeze()
    with rounds.old_objects_set_aside():
        aside = gc.get_freeze_count()
    back = gc.get_freeze_count()
    gc.freeze()
    try:
        with rounds.old_objects_set_aside():
            pass
        still = gc.get_freeze_count()
    finally:
        gc.unfreeze()

    assert min(aside, still) > 0
    assert back == 0


def position_counts(order: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return how often each competitor (row) is in each position (column)."""
    n = order.shape[1]
    return np.array([(order == competitor).sum(axis=0) for competitor in range(n)])


def neighbour_counts(order: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return how often each competitor (row) is directly followed by another (column)."""
    n = order.shape[1]
    counts = np.zeros((n, n), dtype=np.intp)
    np.add.at(counts, (order[:, :-1].ravel(), order[:, 1:].ravel()), 1)
    return counts


def is_balanced_for_neighbours(order: NDArray[np.intp]) -> bool:
    counts = neighbour_counts(order)
    others = counts[~np.eye(len(counts), dtype=bool)]
    return set(others) != {0} and len(set(others)) == 1 and not counts.diagonal().any()


@pytest.mark.parametrize(
    ("n", "n_rounds"), [(1, 1), (2, 2), (3, 6), (4, 4), (5, 10), (6, 6), (7, 14), (9, 18)]
)
def test_each_stands_and_follows_equally_often_in_as_few_rounds_as_balance_allows(
    n: int, n_rounds: int
) -> None:
    design = rounds.williams_design(n)
    counts = position_counts(design)

    assert design.shape == (n_rounds, n)
    assert (counts == counts[0, 0]).all()
    assert n == 1 or is_balanced_for_neighbours(design)


@pytest.mark.parametrize("n", [3, 5, 7])
def test_a_cyclic_latin_square_or_one_square_of_two_is_not_balanced(n: int) -> None:
    cyclic = np.add.outer(np.arange(n), np.arange(n)) % n

    assert (position_counts(cyclic) == 1).all()
    assert not is_balanced_for_neighbours(cyclic)
    assert not is_balanced_for_neighbours(rounds.williams_design(n)[:n])


@pytest.mark.parametrize("n", range(2, 8))
def test_every_random_block_is_balanced(n: int) -> None:
    for block in islice(rounds.random_blocks(n, seed=3), 5):
        counts = position_counts(block)

        assert (counts == counts[0, 0]).all()
        assert is_balanced_for_neighbours(block)


def test_two_competitors_come_as_abba_or_baab_and_both_occur() -> None:
    blocks = [
        "".join(map("AB".__getitem__, block.ravel()))
        for block in islice(rounds.random_blocks(2, seed=0), 40)
    ]

    assert set(blocks) == {"ABBA", "BAAB"}


def test_equal_seeds_give_equal_orders_and_others_do_not() -> None:
    first, again, other = (
        np.vstack(list(islice(rounds.random_blocks(3, seed), 8))) for seed in (5, 5, 6)
    )

    np.testing.assert_array_equal(first, again)
    assert (first != other).any()

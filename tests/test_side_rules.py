"""Sides of a streamed split: by row number alone, and as good as random."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnbbench.splits import SideRule, row_hashes

RULE = SideRule(seed=42, test_size=0.3)


def _mixed(value: int) -> int:
    """Return splitmix64's finaliser of one number, in Python's own whole numbers."""
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB % 2**64
    return value ^ (value >> 31)


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**62))
def test_hashes_are_those_of_exact_arithmetic(seed: int, row: int) -> None:
    start = _mixed(seed)

    hashes = row_hashes(np.array([row], dtype=np.uint64), seed)

    expected = _mixed((start + (row + 1) * 0x9E3779B97F4A7C15) % 2**64)
    assert int(hashes[0]) == expected


@given(st.lists(st.integers(1, 999), max_size=9, unique=True), st.integers(0, 2**32))
def test_the_cut_into_blocks_changes_nothing(cuts: list[int], seed: int) -> None:
    rule = SideRule(seed, 0.3)
    bounds = [0, *sorted(cuts), 1000]

    parts = [rule.train_mask(a, b - a) for a, b in pairwise(bounds)]

    np.testing.assert_array_equal(np.concatenate(parts), rule.train_mask(0, 1000))


def test_a_hash_of_the_place_in_the_block_is_told_apart() -> None:
    """Negative control: what a block-dependent rule would give is something else."""
    parts = [RULE.train_mask(0, 250) for _ in range(4)]

    assert (np.concatenate(parts) != RULE.train_mask(0, 1000)).any()


@pytest.mark.parametrize("test_size", [0.01, 0.3, 0.9])
def test_shares_are_those_asked_for(test_size: float) -> None:
    n_rows = 1_000_000

    n_test = n_rows - int(SideRule(7, test_size).train_mask(0, n_rows).sum())

    spread = np.sqrt(n_rows * test_size * (1 - test_size))
    assert abs(n_test - n_rows * test_size) < 5 * spread


def test_seeds_and_neighbouring_rows_are_independent() -> None:
    first, second = (SideRule(seed, 0.5).train_mask(0, 100_000) for seed in (1, 2))

    for left, right in ((first, second), (first[1:], first[:-1]), (first[1:], second[:-1])):
        assert abs((left == right).mean() - 0.5) < 0.01


@pytest.mark.parametrize(("test_size", "sides"), [(1e-300, {True}), (1 - 1e-16, {False})])
def test_extreme_shares_do_not_overflow(test_size: float, sides: set[bool]) -> None:
    assert set(SideRule(0, test_size).train_mask(0, 10_000).tolist()) == sides

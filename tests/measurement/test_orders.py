"""Tests of orders: balance over positions and over neighbours."""

from itertools import islice

import numpy as np
import pytest
from numpy.typing import NDArray

from gnbbench.measurement.rounds import random_blocks, williams_design


def position_counts(order: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return how often each competitor (row) stands in each position (column)."""
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
    return bool(
        (others == others[0]).all() and others[0] > 0 and not counts.diagonal().any()
    )


@pytest.mark.parametrize("n", range(1, 10))
def test_each_competitor_stands_equally_often_in_each_position(n: int) -> None:
    counts = position_counts(williams_design(n))

    assert (counts == counts[0, 0]).all()
    assert counts[0, 0] > 0


@pytest.mark.parametrize("n", range(2, 10))
def test_each_follows_each_other_equally_often(n: int) -> None:
    assert is_balanced_for_neighbours(williams_design(n))


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_a_cyclic_latin_square_is_told_from_a_balanced_one(n: int) -> None:
    cyclic = np.add.outer(np.arange(n), np.arange(n)) % n

    assert (position_counts(cyclic) == 1).all()
    assert not is_balanced_for_neighbours(cyclic)


@pytest.mark.parametrize("n", [3, 5, 7])
def test_one_square_alone_does_not_balance_an_odd_number(n: int) -> None:
    assert not is_balanced_for_neighbours(williams_design(n)[:n])


@pytest.mark.parametrize(("n", "n_rounds"), [(1, 1), (2, 2), (3, 6), (4, 4), (5, 10)])
def test_a_design_has_as_few_rounds_as_balance_allows(n: int, n_rounds: int) -> None:
    assert williams_design(n).shape == (n_rounds, n)


@pytest.mark.parametrize("n", range(2, 8))
def test_every_random_block_is_balanced(n: int) -> None:
    for block in islice(random_blocks(n, seed=3), 5):
        counts = position_counts(block)

        assert (counts == counts[0, 0]).all()
        assert is_balanced_for_neighbours(block)


def test_two_competitors_come_as_abba_or_baab_and_both_occur() -> None:
    blocks = [
        "".join(map("AB".__getitem__, block.ravel()))
        for block in islice(random_blocks(2, seed=0), 40)
    ]

    assert set(blocks) == {"ABBA", "BAAB"}


def test_equal_seeds_give_equal_orders_and_others_do_not() -> None:
    first, again, other = (
        np.vstack(list(islice(random_blocks(3, seed), 8))) for seed in (5, 5, 6)
    )

    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_no_competitor_is_refused() -> None:
    with pytest.raises(ValueError, match="n_competitors=0"):
        williams_design(0)

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import train_test_split

from gnbbench.errors import DatasetError, OptionError
from gnbbench.splits import SideRule, Split, row_hashes, split, splits

IRIS = load_iris().target
CANCER = load_breast_cancer().target
NAMES = np.array(["b", "c", "a"])[IRIS]


def published(y: Any, random_state: int, *, stratify: bool = True, **sizes: Any) -> Any:
    """Return the two sides as one line of scikit-learn gives them."""
    sizes |= {"random_state": random_state, "stratify": y if stratify else None}
    return train_test_split(np.arange(len(y)), **sizes)


def is_equal(found: Split, expected: Any) -> bool:
    train, test = expected
    return np.array_equal(found.train, train) and np.array_equal(found.test, test)


@pytest.mark.parametrize("y", [IRIS, CANCER, NAMES, NAMES.astype(object), CANCER == 1])
@pytest.mark.parametrize("stratify", [True, False])
@pytest.mark.parametrize(
    "sizes", [{"test_size": 0.2}, {"train_size": 0.1}, {"test_size": 40}, {"train_size": 9}]
)
@pytest.mark.parametrize(("run", "seed"), [(999, 42), (3, 0)])
def test_a_run_is_one_line_of_scikit_learn(
    y: Any, stratify: bool, sizes: Any, run: int, seed: int
) -> None:
    parts = split(y, run, seed=seed, stratify=stratify, **sizes)

    assert parts.run == run
    assert is_equal(parts, published(y, seed + run, stratify=stratify, **sizes))


def test_defaults_are_the_published_split() -> None:
    assert is_equal(split(IRIS, 0), published(IRIS, 42, test_size=0.3))


@pytest.mark.parametrize(
    ("seed", "stratify", "test_size"), [(43, True, 0.3), (42, False, 0.3), (42, True, 0.31)]
)
def test_another_line_gives_another_split(
    seed: int, stratify: bool, test_size: Any
) -> None:
    other = published(IRIS, seed, stratify=stratify, test_size=test_size)

    assert not is_equal(split(IRIS, 0), other)


def test_codes_in_the_order_of_the_labels_alone_give_the_same_split() -> None:
    codes = np.searchsorted(np.unique(NAMES), NAMES)

    assert is_equal(split(codes, 3), published(NAMES, 45, test_size=0.3))
    assert not is_equal(split(1 - CANCER, 0), published(CANCER, 42, test_size=0.3))


def test_a_class_of_one_sample_is_named() -> None:
    y = np.array(["a", "a", "b", "a"])

    with pytest.raises(DatasetError, match=r"toy: class 'b' has one sample.*--no-stratify"):
        split(y, 0, name="toy")
    with pytest.raises(DatasetError, match="class 'b' has one"):
        splits(np.array([0, 0, 1]), [0], classes=np.array(["a", "b"]))
    for labels in (y, np.arange(40) % 20):
        match = "^mine: .* Leave small classes out"
        with pytest.raises(DatasetError, match=match):
            split(labels, 0, test_size=0.25, name="mine", has_option=False)
    assert len(split(y, 0, stratify=False, test_size=0.5).test) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test_size": 1.5}, "--test-size: 1.5 is not between 0 and 1"),
        ({"test_size": 1.0}, "--test-size: 1.0 is not between"),
        ({"test_size": 0}, "--test-size: 0 is not between"),
        ({"test_size": -0.1}, "--test-size: -0.1 is not between"),
        ({"test_size": float("nan")}, "--test-size: nan is not between"),
        ({"test_size": 150}, "--test-size: 150 is too large for 150 samples"),
        ({"test_size": 2}, "2 of 150 samples: one side cannot hold 3"),
        ({"test_size": 0.999}, "0.999 of 150 samples: one side is empty"),
        ({"train_size": 0.001}, "--train-fractions: 0.001 of 150 samples: one side is"),
        ({"train_size": 0.9, "test_size": 0.9}, "--train-fractions: 0.9 is too large for"),
        ({"seed": -1}, "--seed: seed -1"),
        ({"seed": 2**32}, "--seed: seed 4294967296"),
        ({"run": -1}, "run -1"),
    ],
)
def test_sizes_and_seeds_that_cannot_be_used_fail(options: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        split(IRIS, **{"run": 0, **options})


@pytest.mark.parametrize("stratify", [True, False])
@pytest.mark.parametrize("sizes", [{"test_size": 0.3}, {"train_size": 0.1}])
def test_runs_drawn_together_are_those_drawn_alone(stratify: bool, sizes: Any) -> None:
    runs = [7, 0, 12, 1]

    together = splits(IRIS, runs, seed=3, stratify=stratify, **sizes)

    for run, one in zip(runs, together, strict=True):
        assert one.run == run
        assert is_equal(one, published(IRIS, 3 + run, stratify=stratify, **sizes))


def _mixed(value: int) -> int:
    """Return splitmix64's finaliser of one number, in Python's own whole numbers."""
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB % 2**64
    return value ^ (value >> 31)


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**62))
def test_hashes_equal_those_of_exact_arithmetic(seed: int, row: int) -> None:
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
    # Negative control: what a block-dependent rule would give is something else.
    assert (np.tile(rule.train_mask(0, 250), 4) != rule.train_mask(0, 1000)).any()


@pytest.mark.parametrize("test_size", [0.01, 0.3, 0.9])
def test_shares_are_those_requested(test_size: float) -> None:
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

"""What a user types becomes sizes, or one line that says what is wrong."""

from itertools import pairwise
from typing import Any

import pytest

from gnbbench.errors import OptionError
from gnbbench.studies.scale_grid import KINDS, Axis, axis, spread

SAMPLES, FEATURES, CLASSES = KINDS


@pytest.mark.parametrize(
    ("given", "sizes", "held"),
    [
        ("1e3:1e6", (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000), 10),
        ("1e3:5e3", (1, 2, 5), 5),
        ("20000:80000", (20, 40, 80), 20),
        ("1000, 3000", (1, 3), 3),
        ([1000, 3000, 30_000], (1, 3, 30), 10),
    ],
)
def test_a_range_or_a_list_becomes_sizes(
    given: Any, sizes: tuple[int, ...], held: int
) -> None:
    thousands = tuple(1000 * size for size in sizes)

    assert axis(SAMPLES, given) == Axis(thousands, 1000 * held)


@pytest.mark.parametrize("given", ["7", 7, "7:7", [7], "7e0"])
def test_one_number_holds_the_axis(given: Any) -> None:
    if given == "7:7":
        with pytest.raises(OptionError, match="does not ascend"):
            axis(FEATURES, given)
        return

    assert axis(FEATURES, given) == Axis((), 7)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("1e6:1e3", "'1e6:1e3' does not ascend"),
        ("abc", "'abc' cannot be read"),
        ("", "cannot be read"),
        ("1:2:3", "cannot be read"),
        ("1.5", "cannot be read"),
        ("nan", "cannot be read"),
        ("inf:10", "cannot be read"),
        ("0", "0 is less than 2"),
        ("-5:10", "-5 is less than 2"),
        ("1e3,1e3", "does not ascend"),
        ([], "cannot be read"),
        (True, "cannot be read"),
        (None, "cannot be read"),
    ],
)
def test_what_is_no_size_is_refused(given: Any, words: str) -> None:
    with pytest.raises(OptionError) as caught:
        axis(SAMPLES, given)

    assert str(caught.value).startswith("--samples: ")
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("first", "last"), [(1, 2), (3, 7), (30, 700), (999, 1001), (2, 64), (1, 10**9)]
)
def test_sizes_run_from_end_to_end_and_never_crowd(first: int, last: int) -> None:
    sizes = spread(first, last)

    ratios = [b / a for a, b in pairwise(sizes)]
    assert (sizes[0], sizes[-1]) == (first, last)
    assert all(1.0 < ratio <= 3.6 for ratio in ratios)
    assert len(sizes) == 2 or min(ratios) >= 1.4


def test_classes_start_at_two() -> None:
    with pytest.raises(OptionError, match="1 is less than 2"):
        axis(CLASSES, "1:8")

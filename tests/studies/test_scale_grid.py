"""What a user types becomes sizes and a plan, or one line that says what is wrong."""

from itertools import pairwise
from typing import Any

import pytest

from gnbbench.errors import OptionError
from gnbbench.studies.scale_steps import (
    KINDS,
    ScalePoint,
    axis,
    points_of,
    require_possible,
    spread,
)

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
    thousands = [1000 * size for size in sizes]

    assert axis(SAMPLES, given) == {"sizes": thousands, "held": 1000 * held}


@pytest.mark.parametrize("given", ["7", 7, [7], "7e0"])
def test_one_number_holds_the_axis(given: Any) -> None:
    assert axis(FEATURES, given) == {"sizes": [], "held": 7}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("1e6:1e3", "'1e6:1e3' is not in ascending order"),
        ("abc", "'abc' cannot be read"),
        ("", "cannot be read"),
        ("1:2:3", "cannot be read"),
        ("1.5", "cannot be read"),
        ("nan", "cannot be read"),
        ("inf:10", "cannot be read"),
        ("0", "0 is less than 2"),
        ("-5:10", "-5 is less than 2"),
        ("1e3,1e3", "is not in ascending order"),
        ("7:7", "is not in ascending order"),
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


def points(
    samples: Any = "100:1000", features: Any = "4", classes: Any = "2"
) -> tuple[ScalePoint, ...]:
    given = zip(KINDS, (samples, features, classes), strict=True)
    return points_of({kind.name: axis(kind, one) for kind, one in given})


def test_points_vary_one_size_and_hold_the_others() -> None:
    found = points("100:400", "2:4", "3")

    assert [one.sizes for one in found] == [
        (100, 4, 3),
        (200, 4, 3),
        (400, 4, 3),
        (400, 2, 3),
        (400, 4, 3),
    ]
    assert [one.axis for one in found] == ["samples"] * 3 + ["features"] * 2
    assert [one.number for one in found] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"samples": "100"}, "every size is fixed"),
        ({"samples": "4:100", "classes": "5"}, "--samples: 4 samples are too few"),
        ({"samples": "20", "classes": "2:64"}, "--samples: 20 samples are too few for 64"),
        ({"samples": "10", "classes": "2:64"}, "Give 128 at least, or fewer --classes."),
        ({"samples": "5", "features": "2:4", "classes": "3"}, "--samples: 5 samples"),
        (
            {"samples": "1e3:1e5", "classes": "2:8192"},
            "--classes: 10,000 samples are too few for 8,192 classes. Give 5,000 at most",
        ),
        (
            {"samples": "1e6:1e8", "features": "20"},
            "--samples: 20,000,000 × 20 values with 2 classes need about 20.2 GB, and "
            "16.0 GB are free",
        ),
    ],
)
def test_a_plan_that_cannot_be_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError) as caught:
        require_possible(points(**options), 16 * 10**9)

    assert words in str(caught.value)


@pytest.mark.parametrize("available", [200 * 10**9, None])
def test_what_fits_or_cannot_be_known_is_let_through(available: int | None) -> None:
    require_possible(points("1e6:1e8", "20"), available)

"""A published value: its digits are part of the claim."""

import math
from typing import Any

import pytest

from gnbbench.claims.claim import published


@pytest.mark.parametrize(
    ("text", "digits", "reached", "missed"),
    [
        ("0.9810", None, 0.98096, 0.98106),
        ("0.9800", None, 0.98001, 0.9807),
        ("0.95", None, 0.954, 0.956),
        ("0", None, 0.0, 1.0),
        ("8", None, 8.0, 7.0),
        ("4 of 75", None, 4.0, 5.0),
        ("77 %", None, 0.7746, 0.7752),
        ("96.7 %", None, 0.96666, 0.9664),
        ("> 0.77", None, 0.7701, 0.77),
        ("-0.5", None, -0.5, 0.5),
        ("0.00", None, -0.001, -0.01),
        ("0.1", 9, 0.10000000003, 0.1000000006),
        ("3.5033e-02", None, 0.035033333, 0.0350386),
    ],
)
def test_a_value_is_reached_at_its_digits_alone(
    text: str, digits: int | None, reached: float, missed: float
) -> None:
    value = published(text, digits)

    assert value.is_reached_by(reached)
    assert not value.is_reached_by(missed)
    assert not value.is_reached_by(math.nan)


def test_a_time_has_its_spread() -> None:
    time = published("0.000105 ± 0.000316 s")

    assert (time.value, time.spread, time.decimals) == (0.000105, 0.000316, 6)


@pytest.mark.parametrize(
    ("text", "numbers", "decimals"),
    [
        ("[[50 0] [3 47]]", [[50, 0], [3, 47]], [[0, 0], [0, 0]]),
        ("50 0; 3 47", [[50, 0], [3, 47]], [[0, 0], [0, 0]]),
        ("[0.96666667, 1.        , 0.9]", [[0.96666667, 1.0, 0.9]], [[8, 8, 1]]),
        ("[-1.5; 2]", [[-1.5], [2]], [[1], [0]]),
    ],
)
def test_a_table_is_read_as_it_is_printed(text: str, numbers: Any, decimals: Any) -> None:
    rows = published(text).rows

    assert [[one.value for one in row] for row in rows] == numbers
    assert [[one.decimals for one in row] for row in rows] == decimals


@pytest.mark.parametrize("text", [
    *("", "about 0.9", "0,95", "95%", "4 of", ">= 0.7", "1e-"),
    *("[]", "[a b]", "[[1 2] [3]]", "1;", "[0,5 x]"),
])  # fmt: skip
def test_other_text_is_refused(text: str) -> None:
    kind = "table" if set(text) & set("[;") else "value"
    with pytest.raises(ValueError, match=f"not a published {kind}"):
        published(text)

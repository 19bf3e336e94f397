"""A published value: its digits are part of the claim."""

import math

import pytest

from gnbbench.claims.claim import published


@pytest.mark.parametrize(
    ("text", "reached", "missed"),
    [
        ("0.9810", 0.98096, 0.98106),
        ("0.9800", 0.98001, 0.9807),
        ("0.95", 0.954, 0.956),
        ("0", 0.0, 1.0),
        ("8", 8.0, 7.0),
        ("4 of 75", 4.0, 5.0),
        ("77 %", 0.7746, 0.7752),
        ("96.7 %", 0.96666, 0.9664),
        ("> 0.77", 0.7701, 0.77),
        ("-0.5", -0.5, 0.5),
    ],
)
def test_a_value_is_reached_at_its_digits_alone(
    text: str, reached: float, missed: float
) -> None:
    value = published(text)

    assert value.is_reached_by(reached)
    assert not value.is_reached_by(missed)
    assert not value.is_reached_by(math.nan)


def test_a_zero_has_no_sign() -> None:
    assert published("0.00").is_reached_by(-0.001)


def test_significant_digits_replace_those_after_the_point() -> None:
    exact = published("0.1", digits=9)

    assert exact.is_reached_by(0.10000000003)
    assert not exact.is_reached_by(0.1000000006)


def test_a_time_has_its_spread() -> None:
    time = published("0.000105 ± 0.000316 s")

    assert (time.value, time.spread, time.decimals) == (0.000105, 0.000316, 6)


@pytest.mark.parametrize("text", ["", "about 0.9", "0,95", "95%", "4 of", ">= 0.7", "1e-3"])
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no published value"):
        published(text)

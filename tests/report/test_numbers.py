"""Numbers for people."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnbbench.report.numbers import (
    compact,
    count,
    decimal,
    interval,
    plural,
    seconds,
    share,
    significant,
    span,
)

NAN = float("nan")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (count(45000), "45,000"),
        (count(-3), "−3"),
        (decimal(-0.00001, 2), "0.00"),
        (seconds(0.00048213), "482\N{NO-BREAK SPACE}µs"),
        (seconds(0.0099996), "10.0\N{NO-BREAK SPACE}ms"),
        (seconds(0.0), "0\N{NO-BREAK SPACE}ns"),
        (share(1.0), "100\N{NO-BREAK SPACE}%"),
        (share(0.999999), "99.9999\N{NO-BREAK SPACE}%"),
        (significant(999.96), "1,000"),
        (significant(2.220446e-16), "2.22\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}10⁻¹⁶"),
        (interval(0.953, 0.938, 0.968), "0.953 (0.94 to 0.97)"),
        (interval(0.98, NAN, NAN), "0.9800"),
        (interval(-0.0085, -0.0140, -0.0031, signed=True), "−0.0085 (−0.014 to −0.003)"),
        (compact(999_999), "1000k"),
        (plural(1, "run"), "1 run"),
    ],
)
def test_reads_as_expected(text: str, expected: str) -> None:
    assert text == expected


@pytest.mark.parametrize("form", [count, decimal, share, significant, seconds])
def test_nan_is_a_dash(form: object) -> None:
    assert callable(form)

    assert form(NAN) == "–"


def test_a_missing_end_makes_the_span_a_dash() -> None:
    assert span(NAN, 1.0) == "–"


@given(st.floats(0, 1))
def test_share_says_all_or_none_only_where_it_is_so(value: float) -> None:
    text = share(value)

    assert (text == "100\N{NO-BREAK SPACE}%") == (value == 1.0)
    assert (text == "0\N{NO-BREAK SPACE}%") == (value == 0.0)


@given(st.floats(1e-12, 1e12))
def test_three_significant_digits_are_within_half_a_per_cent(value: float) -> None:
    text = significant(value).replace("\N{NO-BREAK SPACE}", "").replace(",", "")
    raised = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
    mantissa, _, power = text.partition("×10")

    read = float(mantissa) * 10.0 ** int(power.translate(raised) or "0")

    assert math.isclose(read, value, rel_tol=0.0051)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (-3e-17, "within ±10⁻¹⁶"),
        (3e-17, "within ±10⁻¹⁶"),
        (2e-5, "+0.00002"),
        (-2e-5, "−0.00002"),
        (0.0123, "+0.0123"),
        (0.0, "0.0000"),
    ],
)
def test_a_difference_without_an_interval_is_zero_only_where_it_is(
    value: float, text: str
) -> None:
    assert interval(value, NAN, NAN, signed=True) == text

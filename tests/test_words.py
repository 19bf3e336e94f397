"""Numbers, names and lists for people."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gnbbench import words
from gnbbench.statistics.intervals import row_bound

NAN = float("nan")
BOUNDS = {1.0: "100", 0.95: "95.0", 0.0684: "6.9", 0.000166: "0.017", 0.0: "0.0"}
BOUNDS |= {5e-6: "0.00051", 0.9999999: "100.0"}
POINTS = {0.005: "0.5", -0.04444: "4.44", 0.5: "50", 0.0000123: "0.001", 0.0: "0"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (words.count(45000), "45,000"),
        (words.count(-3), "−3"),
        (words.decimal(-0.00001, 2), "0.00"),
        *((words.decimal(x, 3), text) for x, text in ((1.0, "1.000"), (0.0, "0.000"))),
        *(
            (words.decimal(x, 3), text)
            for x, text in ((0.99996, "0.99996"), (2e-5, "0.00002"))
        ),
        (words.decimal(1.0 - 1e-12, 3), "1.000"),
        (words.two_decimals(0.99986), "0.9999"),
        (words.two_decimals(-0.99998), "−0.99998"),
        (words.two_decimals(0.5), "0.50"),
        (words.class_words("7"), "class 7"),
        (words.class_words("class_0"), "class_0"),
        (words.interval(0.99996, 0.99882, 0.999998), "0.99996 (0.999 to 0.999998)"),
        (words.seconds(0.00048213), "482\N{NO-BREAK SPACE}µs"),
        (words.seconds(0.0099996), "10.0\N{NO-BREAK SPACE}ms"),
        (words.seconds(0.0), "0\N{NO-BREAK SPACE}ns"),
        (words.share(1.0), "100\N{NO-BREAK SPACE}%"),
        (words.share(0.999999), "99.9999\N{NO-BREAK SPACE}%"),
        (words.significant(999.96), "1,000"),
        (words.significant(2.220446e-16), "2.22\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}10⁻¹⁶"),
        (words.interval(0.953, 0.938, 0.968), "0.953 (0.94 to 0.97)"),
        (words.interval(0.98, NAN, NAN), "0.9800"),
        (words.interval(1.0, 1.0, 1.0), "1.0000"),
        (words.interval(0.0, 0.0, 0.0, signed=True), "0.0000"),
        (words.interval(36.04365, 36.04365, 36.04365, signed=True), "+36.0436"),
        (words.interval(4e-6, -0.005, 0.005, signed=True), "0.0000 (−0.005 to 0.005)"),
        (words.interval(-0.008, -0.014, -0.003, signed=True), "−0.0080 (−0.014 to −0.003)"),
        (words.amount(1e-6), "1e-6"),
        (words.sums_of(1.0, 1.5), "sum to 1.0 to 1.5 instead of 1"),
        (words.sums_of(1.0, 1.0000341), "sum to 1.000000 to 1.000034 instead of 1"),
        (words.amount(1000.0), "1000"),
        (words.amount(12_345.0), "12300"),
        (words.compact(999_999), "1000k"),
        (words.plural(1, "run"), "1 run"),
        (words.span(NAN, 1.0), "–"),
        (words.interval(-3e-17, NAN, NAN, signed=True), "within ±10⁻¹⁶"),
        (words.interval(3e-17, NAN, NAN, signed=True), "within ±10⁻¹⁶"),
        (words.interval(2e-5, NAN, NAN, signed=True), "+0.00002"),
        (words.interval(-2e-5, NAN, NAN, signed=True), "−0.00002"),
        (words.interval(0.0123, NAN, NAN, signed=True), "+0.0123"),
        (words.interval(0.0, NAN, NAN, signed=True), "0.0000"),
        (words.p_value(0.0), "p < 0.001"),
        (words.p_value(0.00099), "p < 0.001"),
        (words.p_value(0.05), "p = 0.050"),
        (words.points_between(-0.0082, -0.0212, 0.0048), "−0.8 points (−2.1 to +0.5)"),
        (words.points_between(2e-4, -4e-4, 9e-4), "+0.02 points (−0.04 to +0.09)"),
        (words.points_between(0.009, 0.0002, 0.0178), "+0.90 points (+0.02 to +1.78)"),
        (words.points_between(0.01, 0.002, 0.02, signed=False), "1.0 points (0.2 to 2.0)"),
        (words.points_between(-0.02, NAN, NAN), "−2.0 points"),
        (words.factor(0.095, 0.085, 0.106), "10.5× faster (9.4 to 11.8)"),
        (words.factor(1.3, 1.2, 1.4), "1.3× slower (1.2 to 1.4)"),
        (words.factor(1.006, 1.004, 1.008), "1.006× slower (1.004 to 1.008)"),
        (words.factor(0.0004, 0.0003, 0.0005), "2,500× faster (2,000 to 3,333)"),
        (words.factor(0.5), "2.0× faster"),
        (words.counted(1, 1, "run"), "1 of 1 run"),
        (words.counted(12, 45_000, "prediction"), "12 of 45,000 predictions"),
        (words.shorten("a" * 50 + "z" * 50, 21), "a" * 10 + "…" + "z" * 10),
        (words.printable("a\n\tb\x1b[31m"), "a b�[31m"),
        *((words.bound_text(share), f"{text} %") for share, text in BOUNDS.items()),
        *((words.points(share), f"{text} points") for share, text in POINTS.items()),
        *((words.points(share), "1 point") for share in (0.01, -0.01)),
    ],
)
def test_reads_as_expected(text: str, expected: str) -> None:
    assert text == expected


@given(st.floats(1e-6, 1e6))
def test_a_factor_is_never_below_one(ratio: float) -> None:
    number, _, word = words.factor(ratio).partition("× ")

    assert float(number.replace(",", "")) >= 1
    assert word == ("faster" if ratio < 1 else "slower")


FORMS = (words.count, words.decimal, words.share, words.significant, words.seconds)


@pytest.mark.parametrize("form", FORMS)
def test_nan_is_a_dash(form: Callable[[float], str]) -> None:
    assert form(NAN) == "–"


@given(st.floats(0, 1))
def test_share_shows_0_or_100_only_if_exact(value: float) -> None:
    text = words.share(value)

    assert (text == "100\N{NO-BREAK SPACE}%") == (value == 1.0)
    assert (text == "0\N{NO-BREAK SPACE}%") == (value == 0.0)


@given(st.floats(1e-12, 1e12))
def test_three_significant_digits_are_within_half_a_per_cent(value: float) -> None:
    text = words.significant(value).replace("\N{NO-BREAK SPACE}", "").replace(",", "")
    raised = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
    mantissa, _, power = text.partition("×10")

    read = float(mantissa) * 10.0 ** int(power.translate(raised) or "0")

    assert math.isclose(read, value, rel_tol=0.0051)


@pytest.mark.parametrize("n_rows", [1, 2, 42, 149, 999, 18_000, 599_078, 10**9])
def test_a_bound_is_never_rounded_down(n_rows: int) -> None:
    exact = row_bound(n_rows)

    text = Fraction(words.bound_text(exact).removesuffix(" %")) / 100

    assert exact <= text <= 1
    assert text < 1.1 * exact or text - Fraction(exact) < Fraction(1, 1000)


NAMES = st.lists(st.text(min_size=1, max_size=60), unique=True, max_size=6)


@given(NAMES, st.integers(4, 30))
@example(["\x00", "\x01"], 9)  # Drawn alike
def test_short_names_and_those_in_figures_are_all_different(names: Any, width: int) -> None:
    short, drawn = words.short_names(names, width), words.figure_names(names)

    assert list(short) == names
    assert len(set(short.values())) == len(set(drawn.values())) == len(names)
    assert all(words.drawable(name) == name for name in drawn.values())

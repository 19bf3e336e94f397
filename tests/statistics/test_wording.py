from fractions import Fraction

import pytest

from gnbbench.statistics import wording
from gnbbench.statistics.row_bounds import row_bound


@pytest.mark.parametrize(
    ("share", "unsigned", "signed"),
    [
        (0.01, "1 point", "+1.00"),
        (-0.01, "1 point", "−1.00"),
        (0.005, "0.5 points", "+0.50"),
        (-0.04444, "4.44 points", "−4.44"),
        (0.5, "50 points", "+50.00"),
        (0.0000123, "0.001 points", "+0.001"),
        (0.0, "0 points", "0.00"),
    ],
)
def test_shares_are_said_in_points(share: float, unsigned: str, signed: str) -> None:
    assert wording.points(share) == unsigned
    assert wording.signed_points(share) == signed


@pytest.mark.parametrize(
    ("p", "text"), [(0.0, "p < 0.001"), (0.00099, "p < 0.001"), (0.05, "p = 0.050")]
)
def test_no_p_value_is_said_to_be_zero(p: float, text: str) -> None:
    assert wording.p_value(p) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "no probability differs"),
        (0.25, "largest probability difference 0.25"),
        (float("nan"), "no probabilities to compare"),
    ],
)
def test_largest_difference_is_said_in_words(value: float, text: str) -> None:
    assert wording.largest_difference(value) == text


def test_counts_have_separators_and_number() -> None:
    assert wording.counted(1, 1, "run") == "1 of 1 run"
    assert wording.counted(12, 45_000, "prediction") == "12 of 45,000 predictions"


@pytest.mark.parametrize("n_rows", [1, 2, 42, 149, 999, 18_000, 599_078, 10**9])
def test_a_bound_is_never_rounded_down(n_rows: int) -> None:
    exact = row_bound(n_rows)

    said = Fraction(wording.bound_text(exact).removesuffix(" %")) / 100

    assert exact <= said <= 1
    assert said < 1.1 * exact or said - Fraction(exact) < Fraction(1, 1000)


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (1.0, "100 %"),
        (0.95, "95.0 %"),
        (0.0684, "6.9 %"),
        (0.000166, "0.017 %"),
        (5e-6, "0.00051 %"),
        (0.9999999, "100.0 %"),
        (0.0, "0.0 %"),
    ],
)
def test_a_bound_shows_two_digits(share: float, text: str) -> None:
    assert wording.bound_text(share) == text

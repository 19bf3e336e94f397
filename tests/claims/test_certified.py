"""NIST's means and standard deviations, and how many digits binary numbers allow."""

import math
from fractions import Fraction

import pytest

from gnbbench.claims.claim import Claim, Reading, published
from gnbbench.claims.measurements import SAMPLES, certified
from gnbbench.claims.table import read_claims, usual_directory
from gnbbench.errors import UnknownNameError

CLAIMS = [claim for claim in read_claims(usual_directory()) if claim.source.key == "NIST"]


def exact(claim: Claim) -> float:
    """Return the figure of the binary numbers by exact arithmetic, rounded once."""
    values = [
        Fraction(x) for x in SAMPLES[claim.protocol.readings[0].dataset].values.tolist()
    ]
    mean = sum(values, Fraction(0)) / len(values)
    if claim.metric == "mean":
        return float(mean)
    return math.sqrt(sum((x - mean) ** 2 for x in values) / (len(values) - 1))


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_exact_arithmetic_gives_the_digits_that_are_held(claim: Claim) -> None:
    assert claim.published.is_reached_by(exact(claim))


@pytest.mark.parametrize(
    "name",
    [
        "nist-mavro-deviation",
        "nist-michelso-deviation",
        "nist-numacc3-deviation",
        "nist-numacc4-deviation",
    ],
)
def test_binary_numbers_allow_no_more_digits_than_a_few_beyond(name: str) -> None:
    (claim,) = (claim for claim in CLAIMS if claim.id == name)
    digits = claim.published.digits

    assert digits is not None
    assert not published(claim.published.text, digits + 3).is_reached_by(exact(claim))


def test_a_deviation_has_the_divisor_n_minus_1() -> None:
    reading = Reading("certified", "NumAcc1")

    found = certified(reading, "standard_deviation", "sklearn?var_smoothing=0.0")

    assert found.value == 1.0


def test_another_sample_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="NumAcc1"):
        certified(Reading("certified", "NumAc1"), "mean", "numpy")

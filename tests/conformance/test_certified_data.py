"""The numbers built in are those that NIST certified."""

import math
from fractions import Fraction

import numpy as np
import pytest

from gnbbench.conformance.problems import CERTIFIED, CertifiedData

SIZES = {"Lottery": 218, "Mavro": 50, "Michelso": 100, "NumAcc1": 3}


def decimal_moments(values: np.ndarray, divisor: int) -> tuple[Fraction, Fraction]:
    """Return mean and variance of the decimal numbers, which doubles only come near."""
    numbers = [Fraction(repr(value)) for value in values.tolist()]
    mean = sum(numbers, Fraction(0)) / len(numbers)
    return mean, sum(((one - mean) ** 2 for one in numbers), Fraction(0)) / divisor


@pytest.mark.parametrize("data", CERTIFIED.values())
def test_certified_values_equal_those_of_the_numbers(data: CertifiedData) -> None:
    size = 21 if len(data.groups) > 1 else SIZES.get(data.name, 1001)

    for values, certified in zip(data.groups, data.means, strict=True):
        mean, variance = decimal_moments(values, size - 1)

        assert len(values) == size
        assert float(mean) == pytest.approx(certified, rel=1e-14)
        assert math.sqrt(variance) == pytest.approx(data.deviation, rel=1e-14)
        of_all = float(variance) * (size - 1) / size
        assert data.variance == pytest.approx(of_all, rel=1e-14)
    assert len(data.groups) in {1, 9}


def test_a_wrong_digit_would_be_seen() -> None:
    values = CERTIFIED["Lottery"].groups[0].copy()
    values[100] += 1.0

    mean, _ = decimal_moments(values, 217)

    assert float(mean) != pytest.approx(CERTIFIED["Lottery"].means[0], rel=1e-14)

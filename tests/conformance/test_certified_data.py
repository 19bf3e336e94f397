"""The numbers built in are those that NIST certified."""

import math
from fractions import Fraction

import numpy as np
import pytest

from gnbbench.conformance import certified_data as nist

SAMPLES = [
    *[(nist.LOTTERY, 218), (nist.MAVRO, 50), (nist.MICHELSO, 100), (nist.NUM_ACC_1, 3)],
    *[(nist.NUM_ACC_2, 1001), (nist.NUM_ACC_3, 1001), (nist.NUM_ACC_4, 1001)],
]


def decimal_moments(values: np.ndarray, divisor: int) -> tuple[Fraction, Fraction]:
    """Return mean and variance of the decimal numbers, which doubles only come near."""
    numbers = [Fraction(repr(value)) for value in values.tolist()]
    mean = sum(numbers, Fraction(0)) / len(numbers)
    return mean, sum(((one - mean) ** 2 for one in numbers), Fraction(0)) / divisor


@pytest.mark.parametrize(("sample", "size"), SAMPLES)
def test_certified_values_are_those_of_the_numbers(
    sample: nist.CertifiedSample, size: int
) -> None:
    mean, variance = decimal_moments(sample.values, size - 1)

    assert len(sample.values) == size
    assert float(mean) == pytest.approx(sample.mean, rel=1e-14)
    assert math.sqrt(variance) == pytest.approx(sample.deviation, rel=1e-14)
    assert sample.variance == pytest.approx(float(variance) * (size - 1) / size, rel=1e-14)


def test_a_wrong_digit_would_be_seen() -> None:
    values = nist.LOTTERY.values.copy()
    values[100] += 1.0

    mean, _ = decimal_moments(values, 217)

    assert float(mean) != pytest.approx(nist.LOTTERY.mean, rel=1e-14)


@pytest.mark.parametrize("groups", [nist.SM_LS_01, nist.SM_LS_04, nist.SM_LS_07])
def test_each_group_has_the_certified_variance(groups: nist.CertifiedGroups) -> None:
    for label, certified in zip(range(1, 10), groups.means, strict=True):
        values = groups.X[groups.y == label, 0]
        mean, variance = decimal_moments(values, 20)

        assert (len(values), float(mean), variance) == (21, certified, Fraction(1, 100))

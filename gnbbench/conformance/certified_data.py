"""Data with certified means and standard deviations: NIST's StRD, numbers built in.

The National Institute of Standards and Technology computed them in multiple precision
(https://www.itl.nist.gov/div898/strd). Standard deviations have the divisor n - 1.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from gnbbench.arrays import FloatArray
from gnbbench.files import toml_beside


@dataclass(frozen=True, eq=False)
class CertifiedData:
    """Values in one group or in several, and what NIST certifies of each group."""

    name: str  # NIST's name of the dataset
    # (n_groups, n_samples): The decimal numbers of the file, rounded to double
    groups: FloatArray
    means: FloatArray  # (n_groups,): Certified to 15 digits
    deviation: float  # Within each group, certified to 15 digits, with the divisor n - 1

    @property
    def variance(self) -> float:
        """Certified variance with the divisor n."""
        n = self.groups.shape[1]
        return float(self.deviation**2 * (n - 1) / n)


def _alternating(lead: str, first: int, pairs: int) -> list[float]:
    """Return lead.first, then one tenth less and one tenth more by turns."""
    digits = [first, *[first - 1, first + 1] * pairs]
    return [float(f"{lead}.{digit}") for digit in digits]


def _sample(
    name: str, values: Iterable[float], mean: float, deviation: float
) -> CertifiedData:
    return CertifiedData(name, np.array([[*values]]), np.array([mean]), deviation)


def _numerical_accuracy(number: int, lead: str) -> CertifiedData:
    return _sample(f"NumAcc{number}", _alternating(lead, 2, 500), float(f"{lead}.2"), 0.1)


def _simon_lesage(number: int, lead: str) -> CertifiedData:
    """Return one of the sets of Simon and Lesage (1989), 21 values in 9 groups."""
    middles = (4, 3, 5, 3, 5, 3, 5, 3, 5)
    return CertifiedData(
        f"SmLs{number:02d}",
        np.array([_alternating(lead, middle, 10) for middle in middles]),
        np.array([float(f"{lead}.{middle}") for middle in middles]),
        0.1,
    )


def _read() -> Iterator[CertifiedData]:
    """Yield the samples listed in ``certified.toml``."""
    for name, entry in toml_beside(__file__, "certified.toml").items():
        values = [
            float(entry.get("before", "") + digits) for digits in entry["values"].split()
        ]
        yield _sample(name, values, entry["mean"], entry["deviation"])


SAMPLES = {
    sample.name: sample
    for sample in (
        *_read(),
        _numerical_accuracy(2, "1"),
        _numerical_accuracy(3, "1000000"),
        _numerical_accuracy(4, "10000000"),
    )
}
"""Of one group each, by their names."""

OFFSETS = {
    "1": _simon_lesage(1, "1"),
    "1e6": _simon_lesage(4, "1000000"),
    "1e12": _simon_lesage(7, "1000000000000"),
}
"""Of nine groups each, by how far they are from zero."""

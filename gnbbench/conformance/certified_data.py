"""Data with certified means and standard deviations: NIST's StRD, numbers built in.

The National Institute of Standards and Technology computed them in multiple precision
(https://www.itl.nist.gov/div898/strd). Standard deviations have the divisor n - 1.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


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
    values = _alternating(lead, 2, 500)
    return _sample(f"NumAcc{number}", values, float(f"{lead}.2"), 0.1)


def _simon_lesage(number: int, lead: str) -> CertifiedData:
    """Return one of the sets of Simon and Lesage (1989), 21 values in 9 groups."""
    middles = (4, 3, 5, 3, 5, 3, 5, 3, 5)
    return CertifiedData(
        f"SmLs{number:02d}",
        np.array([_alternating(lead, middle, 10) for middle in middles]),
        np.array([float(f"{lead}.{middle}") for middle in middles]),
        0.1,
    )


_LOTTERY = """
    162 671 933 414 788 730 817 33 536 875 670 236 473 167 877 980 316 950 456 92
    517 557 956 954 104 178 794 278 147 773 437 435 502 610 582 780 689 562 964 791
    28 97 848 281 858 538 660 972 671 613 867 448 738 966 139 636 847 659 754 243
    122 455 195 968 793 59 730 361 574 522 97 762 431 158 429 414 22 629 788 999 187
    215 810 782 47 34 108 986 25 644 829 630 315 567 919 331 207 412 242 607 668 944
    749 168 864 442 533 805 372 63 458 777 416 340 436 140 919 350 510 572 905 900
    85 389 473 758 444 169 625 692 140 897 672 288 312 860 724 226 884 508 976 741
    476 417 831 15 318 432 241 114 799 955 833 358 935 146 630 830 440 642 356 373
    271 715 367 393 190 669 8 861 108 795 269 590 326 866 64 523 862 840 219 382 998
    4 628 305 747 247 34 747 729 645 856 974 24 568 24 694 608 480 410 729 947 293
    53 930 223 203 677 227 62 455 387 318 562 242 428 968
"""
_MAVRO = """
    180 170 180 190 180 170 150 140 150 150 170 180 180 190 190 210 200 160 140 130
    130 150 150 160 150 140 130 140 150 140 150 160 150 160 190 200 200 210 220 230
    240 250 270 260 260 260 270 260 250 240
"""
_MICHELSO = """
    299.85 299.74 299.90 300.07 299.93 299.85 299.95 299.98 299.98 299.88 300.00
    299.98 299.93 299.65 299.76 299.81 300.00 300.00 299.96 299.96 299.96 299.94
    299.96 299.94 299.88 299.80 299.85 299.88 299.90 299.84 299.83 299.79 299.81
    299.88 299.88 299.83 299.80 299.79 299.76 299.80 299.88 299.88 299.88 299.86
    299.72 299.72 299.62 299.86 299.97 299.95 299.88 299.91 299.85 299.87 299.84
    299.84 299.85 299.84 299.84 299.84 299.89 299.81 299.81 299.82 299.80 299.77
    299.76 299.74 299.75 299.76 299.91 299.92 299.89 299.86 299.88 299.72 299.84
    299.85 299.85 299.78 299.89 299.84 299.78 299.81 299.76 299.81 299.79 299.81
    299.82 299.85 299.87 299.87 299.81 299.74 299.81 299.94 299.95 299.80 299.81
    299.87
"""

_MAVRO_VALUES = [float(f"2.00{digits}") for digits in _MAVRO.split()]  # 2.00180 is 180
SAMPLES = {
    sample.name: sample
    for sample in (
        _sample(
            "Lottery", map(float, _LOTTERY.split()), 518.958715596330, 291.699727470969
        ),
        _sample("Mavro", _MAVRO_VALUES, 2.00185600000000, 0.000429123454003053),
        _sample(
            "Michelso", map(float, _MICHELSO.split()), 299.852400000000, 0.0790105478190518
        ),
        _sample("NumAcc1", (10000001.0, 10000003.0, 10000002.0), 10000002.0, 1.0),
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

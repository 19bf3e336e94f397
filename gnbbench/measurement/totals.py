"""Sums of very many numbers that lose no digits, whatever the order of the parts."""

import math
from dataclasses import dataclass
from typing import Self


@dataclass(slots=True)
class Total:
    """A sum carried in two doubles (Knuth's two-sum, 1969).

    Parts may be added one by one, or summed apart and merged: the results differ by about
    the square of machine epsilon, so that all of them round to the same double but for
    rare ties.
    """

    rounded: float = 0.0  # The sum as one double
    rest: float = 0.0  # What rounding left of it

    def add(self, value: float) -> None:
        """Add one number."""
        total = self.rounded + value
        part = total - self.rounded
        self.rest += (self.rounded - (total - part)) + (value - part)
        self.rounded = total

    def merge(self, other: Self) -> None:
        """Add what another one summed."""
        self.add(other.rounded)
        self.rest += other.rest

    @property
    def value(self) -> float:
        """The sum as one double; infinite where a part of it is."""
        if not math.isfinite(self.rounded):
            return self.rounded
        return self.rounded + self.rest

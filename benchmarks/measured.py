"""What a benchmark gives: measured figures beside their limits, and how they are shown."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from rich.table import Table

RATIO = "× scikit-learn"
READS = "reads"
MEBIBYTES = "MiB"
LABELS = "labels"


@dataclass(frozen=True)
class Measured:
    """One measured figure.

    Parameters
    ----------
    work : str
        What was worked on, such as "iris".
    what : str
        What was measured, such as "fit".
    values : tuple of float
        Of each repetition; their median counts.
    unit : str
        Of the values.
    limit : float or None
        Largest value that is good; None where there is none.
    aim : float or None
        What would be better still.
    interval : tuple of float or None
        Of the median, with a probability of 95 %; None where the range of the values
        stands in for it.
    remark : str
    """

    work: str
    what: str
    values: tuple[float, ...]
    unit: str = RATIO
    limit: float | None = None
    aim: float | None = None
    interval: tuple[float, float] | None = None
    remark: str = ""

    @property
    def value(self) -> float:
        """The median."""
        return median(self.values)

    @property
    def spread(self) -> tuple[float, float]:
        """The interval, or the range of the values."""
        return self.interval or (min(self.values), max(self.values))

    @property
    def within(self) -> bool:
        """Whether the limit is kept, if there is one."""
        return self.limit is None or self.value <= self.limit

    @property
    def verdict(self) -> str:
        """In a word."""
        if self.limit is None:
            return ""
        return "ok" if self.within else "exceeded"


def number(value: float) -> str:
    """Return a figure with three digits that count.

    Examples
    --------
    >>> number(0.01234), number(7.81), number(0.0), number(124.0)
    ('0.0123', '7.81', '0', '124')
    """
    if value == 0:
        return "0"
    digits = 2 - math.floor(math.log10(abs(value)))
    return f"{value:.{max(digits, 0)}f}"


def printed(found: Sequence[Measured]) -> Table:
    """Return the figures as a table for a terminal."""
    table = Table("work", "figure", "median", "spread", "unit", "limit", "aim", "")
    for one in found:
        table.add_row(
            one.work,
            one.what,
            number(one.value),
            " to ".join(map(number, one.spread)),
            one.unit,
            "" if one.limit is None else number(one.limit),
            "" if one.aim is None else number(one.aim),
            " ".join(part for part in (one.verdict, one.remark) if part),
        )
    return table

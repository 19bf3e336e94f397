"""A published value as its source prints it, and what counts as reaching it."""

import re
from dataclasses import dataclass

_FORM = re.compile(
    r"(?:(?P<above>>) )?(?P<number>-?\d+(?:\.(?P<decimals>\d+))?)"
    r"(?: ± (?P<spread>\d+(?:\.\d+)?))?(?P<percent> %)?(?: of (?P<total>\d+))?(?P<time> s)?"
)


@dataclass(frozen=True)
class Published:
    """A number as it is printed: its digits are part of the claim."""

    text: str  # As printed
    value: float  # In the unit of the text
    decimals: int  # Digits after the point
    scale: float = 1.0  # What a measured share is multiplied by: 100 for per cent
    is_bound: bool = False  # Whether the claim is that the number is exceeded
    total: int | None = None  # Of a count, what it is out of
    spread: float | None = None  # Printed after ±
    # Significant digits that are held, where those after the point are not
    digits: int | None = None

    def is_reached_by(self, measured: float) -> bool:
        """Return whether a measured value is the published one, at the published digits."""
        if self.is_bound:
            return measured * self.scale > self.value
        return self.rounded(measured) == self.rounded(self.value / self.scale)

    def rounded(self, measured: float) -> str:
        """Return a measured value with as many digits as are held."""
        scaled = measured * self.scale
        if self.digits is not None:
            return f"{scaled:.{self.digits - 1}e}"
        # Adding zero turns a rounded -0 into 0.
        return f"{round(scaled, self.decimals) + 0.0:.{self.decimals}f}"


def published(text: str, digits: int | None = None) -> Published:
    """Return the value that a text states."""
    found = _FORM.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is no published value")
    total, spread = found["total"], found["spread"]
    return Published(
        text,
        float(found["number"]),
        len(found["decimals"] or ""),
        100.0 if found["percent"] else 1.0,
        found["above"] is not None,
        None if total is None else int(total),
        None if spread is None else float(spread),
        digits,
    )

"""A published value as its source prints it, and what counts as reaching it."""

import re
from dataclasses import dataclass

_FORM = re.compile(
    r"(?:(?P<above>>) )?(?P<number>-?\d+(?:\.(?P<decimals>\d+))?)"
    r"(?: ± (?P<spread>\d+(?:\.\d+)?))?(?P<percent> %)?(?: of (?P<total>\d+))?(?P<time> s)?"
)


@dataclass(frozen=True)
class Published:
    """A number as it is printed: its digits are part of the claim.

    Parameters
    ----------
    text : str
        As printed.
    value : float
        In the unit of the text.
    decimals : int
        Digits after the point.
    scale : float, default=1.0
        What a measured share is multiplied by: 100 for per cent.
    is_bound : bool, default=False
        Whether the claim is that the number is exceeded.
    total : int or None, default=None
        Of a count, what it is out of.
    spread : float or None, default=None
        Printed after ±.
    digits : int or None, default=None
        Significant digits that are held, where those after the point are not.
    """

    text: str
    value: float
    decimals: int
    scale: float = 1.0
    is_bound: bool = False
    total: int | None = None
    spread: float | None = None
    digits: int | None = None

    def is_reached_by(self, measured: float) -> bool:
        """Return whether a measured value is the published one, at the published digits.

        Parameters
        ----------
        measured : float
            Not scaled: a share, where the text is in per cent.

        Returns
        -------
        bool
            False for NaN. A bound is reached where it is exceeded.

        Examples
        --------
        >>> published("0.9810").is_reached_by(0.98096)
        True
        >>> published("77 %").is_reached_by(0.78)
        False
        """
        if self.is_bound:
            return measured * self.scale > self.value
        return self.rounded(measured) == self.rounded(self.value / self.scale)

    def rounded(self, measured: float) -> str:
        """Return a measured value with as many digits as are held.

        Parameters
        ----------
        measured : float
            Not scaled.

        Returns
        -------
        str
            Without a unit, so that equal texts are equal values.

        Examples
        --------
        >>> published("96.7 %").rounded(0.96744)
        '96.7'
        """
        scaled = measured * self.scale
        if self.digits is not None:
            return f"{scaled:.{self.digits - 1}e}"
        # Adding zero turns a rounded -0 into 0.
        return f"{round(scaled, self.decimals) + 0.0:.{self.decimals}f}"


def published(text: str, digits: int | None = None) -> Published:
    """Return the value that a text states.

    Parameters
    ----------
    text : str
        Such as ``0.9810``, ``96.7 %``, ``4 of 75``, ``> 0.77``, ``0.000105 ± 0.000316 s``.
    digits : int, default=None
        Significant digits to hold; those after the point when None.

    Returns
    -------
    Published

    Raises
    ------
    ValueError
        If it is none of these.

    Examples
    --------
    >>> published("4 of 75").total, published("> 0.77").is_bound
    (75, True)
    """
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

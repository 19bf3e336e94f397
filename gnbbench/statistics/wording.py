"""Numbers as the verdicts say them."""

import math
from decimal import ROUND_CEILING, Decimal


def counted(part: int, whole: int, noun: str) -> str:
    """Return how many of how many, with the noun.

    Examples
    --------
    >>> counted(12, 45_000, "prediction")
    '12 of 45,000 predictions'
    """
    return f"{part:,} of {plural(whole, noun)}"


def plural(number: int, noun: str) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> plural(1, "run"), plural(1000, "run")
    ('1 run', '1,000 runs')
    """
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def points(share: float) -> str:
    """Return a share in percentage points, without a sign.

    Examples
    --------
    >>> points(0.01), points(-0.0225), points(0.00001)
    ('1 point', '2.25 points', '0.001 points')
    """
    value = abs(100 * share)
    text = f"{value:.2f}".rstrip("0").rstrip(".") if value >= 0.01 else f"{value:.1g}"
    return f"{text} point" + ("" if text == "1" else "s")


def bound_text(share: float) -> str:
    """Return an upper bound on a share in per cent, rounded up, so that it still is one.

    Parameters
    ----------
    share : float
        From 0 to 1.

    Returns
    -------
    str
        With one decimal, or as many as show two digits.

    Examples
    --------
    >>> bound_text(0.0199), bound_text(0.00016641), bound_text(1.0)
    ('2.0 %', '0.017 %', '100 %')
    """
    if share >= 1.0:
        return "100 %"
    exact = 100 * Decimal(share)
    last = min(exact.adjusted() - 1, -1) if exact else -1
    rounded = exact.quantize(Decimal(1).scaleb(last), rounding=ROUND_CEILING)
    return f"{rounded:f} %"


def signed_points(share: float) -> str:
    """Return a difference of shares in percentage points, with its sign but no unit.

    Examples
    --------
    >>> signed_points(-0.0225), signed_points(0.5), signed_points(0.0)
    ('−2.25', '+50.00', '0.00')
    >>> signed_points(-0.00001)
    '−0.001'
    """
    value = 100 * share
    text = f"{value:+.2f}" if abs(value) >= 0.01 else f"{value:+.1g}"
    return text.replace("-", "−") if value else "0.00"


def p_value(p: float) -> str:
    """Return a p value, never as 0.

    Examples
    --------
    >>> p_value(1e-9), p_value(0.0312)
    ('p < 0.001', 'p = 0.031')
    """
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def largest_difference(value: float) -> str:
    """Return what is to be said of the largest probability difference.

    Examples
    --------
    >>> largest_difference(3.14e-15)
    'largest probability difference 3.1e-15'
    >>> largest_difference(float("nan"))
    'no probabilities to compare'
    """
    if math.isnan(value):
        return "no probabilities to compare"
    return (
        f"largest probability difference {value:.2g}" if value else "no probability differs"
    )

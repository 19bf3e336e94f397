"""Numbers as the verdicts say them."""

import math
from decimal import ROUND_CEILING, Decimal


def counted(part: int, whole: int, noun: str) -> str:
    """Return how many of how many, with the noun."""
    return f"{part:,} of {plural(whole, noun)}"


def plural(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def points(share: float) -> str:
    """Return a share in percentage points, without a sign."""
    value = abs(100 * share)
    text = f"{value:.2f}".rstrip("0").rstrip(".") if value >= 0.01 else f"{value:.1g}"
    return f"{text} point" + ("" if text == "1" else "s")


def bound_text(share: float) -> str:
    """Return an upper bound on a share in per cent, rounded up, so that it still is one."""
    if share >= 1.0:
        return "100 %"
    exact = 100 * Decimal(share)
    last = min(exact.adjusted() - 1, -1) if exact else -1
    rounded = exact.quantize(Decimal(1).scaleb(last), rounding=ROUND_CEILING)
    return f"{rounded:f} %"


def signed_points(share: float) -> str:
    """Return a difference of shares in percentage points, with its sign but no unit."""
    value = 100 * share
    text = f"{value:+.2f}" if abs(value) >= 0.01 else f"{value:+.1g}"
    return text.replace("-", "−") if value else "0.00"


def p_value(p: float) -> str:
    """Return a p value, never as 0."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def largest_difference(value: float) -> str:
    """Return what is to be said of the largest probability difference."""
    if math.isnan(value):
        return "no probabilities to compare"
    return (
        f"largest probability difference {value:.2g}" if value else "no probability differs"
    )

"""Claims and verdicts in words: marks, tones, values with the published digits."""

import math
from collections.abc import Mapping

from gnbbench.claims.claim import ClaimResult, Measured, Verdict
from gnbbench.claims.metrics import METRICS
from gnbbench.claims.verdicts import figure, finer
from gnbbench.words import DASH, decimal

# Verdict -> a sign that says the same as the word beside it.
SIGNS: Mapping[Verdict, str] = {
    "reproduced": "✓",
    "within run-to-run spread": "≈",
    "not reproduced": "✗",
    "protocol not stated": "?",
    "measured here": "·",
    "not available": DASH,
}
TONES: Mapping[Verdict, str] = {
    "reproduced": "good",
    "within run-to-run spread": "good",
    "not reproduced": "bad",
    "protocol not stated": "unsure",
    "measured here": "none",
    "not available": "none",
}


def what(result: ClaimResult) -> str:
    """Return what the figure is: metric and implementation."""
    claim = result.claim
    return f"{METRICS[claim.metric].words}, {claim.implementation}"


def measured_text(result: ClaimResult) -> str:
    """Return what was measured, in the unit and with the digits of the published figure."""
    values = [one for one in result.measured if not math.isnan(one.value)]
    if not values:
        return DASH
    first = values[0]
    if result.claim.protocol.kind == "times":
        return _time_text(result, first)
    if first.repeats is not None:
        low, high = (extreme(one.value for one in values) for extreme in (min, max))
        ends = [_finer(result, end) for end in (low, high)]
        text = ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
        return text if first.is_resampled else f"mean {text}"
    told = figure(result.claim.published, first.value)
    return f"{told} of {first.total}" if result.claim.published.total else told


def sort_key(result: ClaimResult) -> float:
    """Return the number by which a column of measured values is sorted."""
    return result.measured[0].value if result.measured else math.nan


def _finer(result: ClaimResult, value: float) -> str:
    """Return a value with a digit more than published; a mean of counts with two."""
    published = result.claim.published
    is_mean_of_counts = published.decimals == 0 and published.scale == 1.0
    if is_mean_of_counts and not result.measured[0].is_resampled:
        return decimal(value, 2)
    return finer(published, value)


def _time_text(result: ClaimResult, measured: Measured) -> str:
    """Return a mean time with its spread, or a ratio with its interval."""
    digits = result.claim.published.decimals
    if result.claim.metric == "fit_ratio":
        ends = (
            f"{decimal(measured.low, digits + 1)} to {decimal(measured.high, digits + 1)}"
        )
        return f"{decimal(measured.value, digits + 1)} ({ends})"
    return f"{decimal(measured.value, digits)} ± {decimal(measured.spread, digits)} s"

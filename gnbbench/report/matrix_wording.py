"""The words, signs and tones of a cell of the matrix."""

import math
from collections.abc import Mapping
from typing import Any

from gnbbench.statistics.summary import Outcome
from gnbbench.words import DASH, count, interval, plural, share, significant, span

SIGNS: Mapping[Outcome, str] = {
    "identical": "✓",
    "equivalent": "≈",
    "different": "✗",
    "cannot tell": "?",
    "failed": "!",
}
TONES: Mapping[Outcome, str] = {
    "identical": "good",
    "equivalent": "good",
    "cannot tell": "unsure",
    "different": "bad",
    "failed": "bad",
}


def verdict_words(cell: Mapping[Any, Any]) -> str:
    """Return the verdict with its sign, that of failure where some runs failed."""
    failed, outcome = cell["failed_runs"], cell["outcome"]
    some = outcome != "failed" and failed > 0
    told = f" ({count(failed)} of {plural(cell['runs'], 'run')} failed)" if some else ""
    return f"{SIGNS['failed' if some else outcome]} {outcome}{told}"


def tone(cell: Mapping[Any, Any]) -> str:
    """Return the tone of a cell; a run that failed is never good."""
    found = TONES[cell["outcome"]]
    return "unsure" if found == "good" and cell["failed_runs"] else found


def agreement_words(cell: Mapping[Any, Any]) -> str:
    """Return the share of equal labels; a dash where none could be compared."""
    return share(float(cell["agreement"])) if cell["predictions"] > 0 else DASH


def accuracy_words(cell: Mapping[Any, Any]) -> str:
    """Return the difference in accuracy with its interval."""
    value = float(cell["accuracy_difference"])
    if math.isnan(value):
        return DASH
    if value == 0 and cell["disagreements"] == 0:
        return "equal"
    low, high = float(cell["accuracy_low"]), float(cell["accuracy_high"])
    return interval(value, low, high, signed=True)


def ratio_facts(cell: Mapping[Any, Any], operation: str) -> tuple[str, str]:
    """Return the ratio with how the speeds compare, and its interval apart from it."""
    value, _, ends = ratio_words(cell, operation).partition(" (")
    return f"{value} {cell[f'{operation}_speed']}".rstrip(), ends.removesuffix(")")


def ratio_words(cell: Mapping[Any, Any], operation: str) -> str:
    """Return the time over the reference's with its interval; a dash where not timed."""
    ratio = float(cell[f"{operation}_ratio"])
    if math.isnan(ratio):
        return DASH
    low, high = float(cell[f"{operation}_low"]), float(cell[f"{operation}_high"])
    ends = "" if math.isnan(low) or math.isnan(high) else f" ({span(low, high)})"
    return f"{significant(ratio)} ×{ends}"

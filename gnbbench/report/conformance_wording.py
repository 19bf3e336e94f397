"""Results of checks in words: marks, numbers held against tolerances, families' scores."""

import math
from collections.abc import Mapping, Sequence

from gnbbench.conformance.result import Conformance, Outcome, Result
from gnbbench.words import DASH, count, printable, significant

# Outcome -> a sign that says the same as the word beside it.
SIGNS: Mapping[Outcome, str] = {
    "pass": "✓",
    "fail": "✗",
    "crash": "!",
    "timeout": "…",
    "not applicable": DASH,
}
TONES: Mapping[Outcome, str] = {
    "pass": "good",
    "fail": "bad",
    "crash": "bad",
    "timeout": "bad",
    "not applicable": "none",
}


def outcome_words(result: Result, expected: Sequence[str]) -> str:
    """Return the outcome, and whether it was expected where that was said."""
    if result.check.id not in expected or result.outcome == "not applicable":
        return result.outcome
    return (
        "unexpectedly passes" if result.outcome == "pass" else f"{result.outcome}, expected"
    )


def result_tone(result: Result, expected: Sequence[str]) -> str:
    """Return the tone of a result; what differs from what was expected is unsure."""
    if result.check.id in expected and result.outcome != "not applicable":
        return "unsure"
    return TONES[result.outcome]


def number_text(value: float | None) -> str:
    """Return a measured number or a tolerance: a dash for none, NaN for no number."""
    if value is None or math.isnan(value):
        return DASH if value is None else "NaN"
    if value.is_integer() and abs(value) < 1e6:
        return count(value)
    for digits in (1, 2):
        if float(f"{value:.{digits - 1}e}") == value:
            return significant(value, digits)
    return significant(value)


def held_against(result: Result) -> str:
    """Return the number measured against the tolerance; empty where nothing is measured."""
    check = result.check
    if result.measured is None:
        return ""
    unit = f" ({printable(check.unit)})" if check.unit else ""
    measured = f"measured {number_text(result.measured)}"
    if check.tolerance is None:
        return measured + unit
    return f"{measured}, at most {number_text(check.tolerance)} allowed{unit}"


def evidence(result: Result) -> str:
    """Return what was found, in one line: the number, then the message."""
    parts = (held_against(result), printable(result.message))
    return "; ".join(part for part in parts if part)


def score(results: Sequence[Result]) -> str:
    """Return how many of the results that apply are passes; a dash where none applies."""
    applicable = [result for result in results if result.outcome != "not applicable"]
    passed = sum(result.outcome == "pass" for result in applicable)
    return f"{passed}/{len(applicable)}" if applicable else DASH


def setting(one: Conformance) -> str:
    """Return what was examined: description and version."""
    version = f"version {printable(one.version)}" if one.version else "version unknown"
    description = printable(one.description)
    return f"{description}, {version}" if description else version.capitalize()

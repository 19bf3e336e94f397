"""How a scale study is put into words, on its page and in a terminal."""

import math

from gnbbench.statistics.scale_summary import AXES, SYMBOLS, ScaleSummary
from gnbbench.words import DASH, count, decimal, share, significant, span


def power(axis: str, value: float) -> str:
    """Return a size to a power."""
    return DASH if math.isnan(value) else f"{SYMBOLS[axis]}^{decimal(value, 2)}"


def power_interval(low: float, high: float) -> str:
    """Return the interval of an exponent."""
    if math.isnan(low) or math.isnan(high):
        return DASH
    return f"{decimal(low, 2)} to {decimal(high, 2)}"


def ratio_text(ratio: float, speed: str, digits: int = 3) -> str:
    """Return a ratio of times, in brackets where it is not separated from 1."""
    if math.isnan(ratio):
        return DASH
    text = f"{significant(ratio, digits)}\N{NO-BREAK SPACE}×"
    return f"({text})" if speed == "not separated" else text


def ratio_range(low: float, high: float) -> str:
    """Return the interval of a ratio."""
    return span(low, high)


def agreement_text(agreement: float, *, is_reference: bool = False) -> str:
    """Return the share of equal labels, marked where some differ."""
    if is_reference or math.isnan(agreement):
        return DASH
    return share(agreement) if agreement == 1.0 else f"✗ {share(agreement)}"


def multiple(value: float) -> str:
    """Return bytes as a multiple of X."""
    if math.isnan(value):
        return DASH
    return f"{significant(value, 2)}\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}X"


def grid_facts(summary: ScaleSummary) -> list[tuple[str, str]]:
    """Return the sizes of each axis, and where it is held while another varies."""
    found = []
    for axis in AXES:
        one = summary.plan["axes"][axis]
        held = f"held at {count(one['held'])}"
        sizes = ", ".join(count(size) for size in one["sizes"])
        text = f"{sizes}; {held} while another varies" if sizes else held
        found.append((f"{axis} ({SYMBOLS[axis]})", text))
    return found


def settings(summary: ScaleSummary) -> list[tuple[str, str]]:
    """Return the rest of the plan, by name."""
    plan = summary.plan
    return [
        ("reference", str(plan["reference"])),
        ("against", ", ".join(plan["against"])),
        ("budget", f"{significant(float(plan['budget_seconds']))} s"),
        ("processes", count(plan["processes"])),
        ("threads", count(plan["threads"])),
        ("seed", str(plan["seed"])),
        *(
            (f"specification of {name}", text)
            for name, text in plan["specifications"].items()
        ),
        *((f"SHA-256 of {name}", text) for name, text in plan["digests"].items()),
    ]


def lookup_agreement(summary: ScaleSummary, axis: str, size: int, name: str) -> float:
    """Return the share of equal labels at a point, NaN where nothing was compared."""
    table = summary.agreement
    found = table.loc[
        (table["axis"] == axis)
        & (table["size"] == size)
        & (table["implementation"] == name),
        "agreement",
    ]
    return float(found.iloc[0]) if len(found) else float("nan")

"""Numbers as people read them: units, separators, and a dash where there is none."""

import math

DASH = "–"
MINUS = "−"
SPACE = "\N{NO-BREAK SPACE}"
NEGLIGIBLE = 1e-6

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_TIME_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def count(value: float) -> str:
    """Whole number with commas between thousands."""
    return DASH if math.isnan(value) else _sign(f"{value:,.0f}")


def decimal(value: float, digits: int = 4) -> str:
    """Return a number with so many decimals and a true minus sign."""
    if math.isnan(value):
        return DASH
    if math.isinf(value):
        return "infinite" if value > 0 else f"{MINUS}infinite"
    return _sign(f"{value:.{digits}f}")


def share(value: float) -> str:
    """Per cent that says 0 or 100 only where it is exactly so."""
    if math.isnan(value):
        return DASH
    if value in (0.0, 1.0):
        return f"{100 * value:.0f}{SPACE}%"
    for digits in range(1, 10):
        text = f"{100 * value:.{digits}f}"
        if 0 < float(text) < 100:
            break
    return f"{text}{SPACE}%"


def significant(value: float, digits: int = 3) -> str:
    """Plain notation with so many significant digits; powers of ten where that is long."""
    if not math.isfinite(value) or value == 0.0:
        return "0" if value == 0.0 else decimal(value)
    mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    power = int(exponent)
    if -4 < power < 6:
        text = f"{float(f'{mantissa}e{power}'):,.{max(digits - 1 - power, 0)}f}"
        return _sign(text)
    return f"{_sign(mantissa)}{SPACE}×{SPACE}{power_of_ten(power)}"


def power_of_ten(exponent: int) -> str:
    """Ten with a raised exponent."""
    return f"10{str(exponent).translate(_SUPERSCRIPTS)}"


def time_unit(largest_seconds: float) -> tuple[float, str]:
    """Seconds and name of the unit in which the largest time is at least one."""
    for size, name in _TIME_UNITS:
        if largest_seconds >= size:
            return size, name
    return _TIME_UNITS[-1]


def seconds(value: float) -> str:
    """Time with three significant digits in the unit that suits it."""
    if math.isnan(value):
        return DASH
    size, unit = time_unit(value)
    return f"{significant(value / size)}{SPACE}{unit}"


def data_size(n_bytes: float) -> str:
    """Memory with three significant digits in a fitting unit; 1 kB is 1000 bytes."""
    for size, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if n_bytes >= size:
            return f"{significant(n_bytes / size)}{SPACE}{unit}"
    return DASH if math.isnan(n_bytes) else f"{count(n_bytes)}{SPACE}bytes"


def interval(value: float, low: float, high: float, *, signed: bool = False) -> str:
    """Value with one digit more than its 95 % interval; alone where there is none."""
    plus = "+" if signed and value > 0 else ""
    width = high - low
    alone = not math.isfinite(width)
    reach = abs(value) if alone else max(abs(value), abs(low), abs(high))
    if signed and 0 < reach < NEGLIGIBLE:
        return f"within ±{power_of_ten(math.ceil(math.log10(reach)))}"
    if alone:
        # A difference that is there is never shown as none.
        finest = -math.floor(math.log10(reach)) if signed and 0 < reach < 1e-4 else 4
        return plus + decimal(value, finest)
    tiny = width <= 1e-9 * abs(value)
    digits = 4 if tiny else _interval_digits(width, finest=8 if signed else 4) + signed
    ends = f"{decimal(low, digits)} to {decimal(high, digits)}"
    return f"{plus}{decimal(value, digits + 1)} ({ends})"


def _interval_digits(width: float, finest: int) -> int:
    """Decimals that show the first digit of the width, between two and the finest."""
    return min(max(-math.floor(math.log10(width)), 2), finest)


def compact(value: float) -> str:
    """Whole number in at most four characters up to a million."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            scaled = value / size
            return f"{scaled:.0f}{letter}" if scaled >= 10 else f"{scaled:.1f}{letter}"
    return f"{value:.0f}"


def span(low: float, high: float) -> str:
    """Two ends joined by "to", equally many decimals; a dash where either is missing."""
    if math.isnan(low) or math.isnan(high):
        return DASH
    smaller = min(abs(low), abs(high))
    if smaller < 1e-3 or max(abs(low), abs(high)) >= 1e6:
        return f"{significant(low)} to {significant(high)}"
    digits = max(2 - math.floor(math.log10(smaller)), 0)
    return f"{decimal(low, digits)} to {decimal(high, digits)}"


def plural(number: int, noun: str) -> str:
    """Count with its noun, which takes an s unless there is one."""
    return f"{count(number)} {noun}" if number == 1 else f"{count(number)} {noun}s"


def listing(items: list[str]) -> str:
    """Items in one phrase, the last joined by "and"."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def _sign(text: str) -> str:
    if text.startswith("-") and float(text.replace(",", "")) == 0:
        return text[1:]
    return text.replace("-", MINUS)

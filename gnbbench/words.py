"""Format numbers, names and lists for readers."""

import math
from collections.abc import Iterable, Sequence
from datetime import date
from decimal import ROUND_CEILING, Decimal
from functools import cache
from sys import float_info

DASH = "–"
MINUS = "−"
SPACE = "\N{NO-BREAK SPACE}"
ELLIPSIS = "…"
MISSING_GLYPH = "□"
NEGLIGIBLE = 1e-6
EPSILON = float_info.epsilon

_SUPERSCRIPTS = str.maketrans("-0123456789.", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹·")
_TIME_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def count(value: float) -> str:
    """Format a whole number with commas between thousands."""
    return DASH if math.isnan(value) else _sign(f"{value:,.0f}")


def decimal(value: float, digits: int = 4, *, signed: bool = False) -> str:
    """Format with `digits` decimals and a true minus sign; 0 has no sign.

    With three decimals and more, what is not 0 or 1 gets as many as show that.
    """
    if math.isnan(value):
        return DASH
    if math.isinf(value):
        return "infinite" if value > 0 else f"{MINUS}infinite"
    gap = min(abs(value), abs(1.0 - abs(value)))
    if digits > 2 and NEGLIGIBLE < gap < 0.5 * 10.0**-digits:
        digits = -math.floor(math.log10(gap))
    return _fixed(value, digits, signed=signed)


def _fixed(value: float, digits: int, *, signed: bool) -> str:
    return _sign(f"{value:{'+' if signed else ''}.{digits}f}")


def two_decimals(value: float) -> str:
    """Format a correlation or a confidence, with four decimals if two round it to 1."""
    return decimal(value, 4 if 0.995 <= abs(value) < 1.0 - NEGLIGIBLE else 2)


def share(value: float) -> str:
    """Format as per cent, with 0 or 100 only if exact."""
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
    """Format with significant digits, in plain notation or with a power of ten."""
    if not math.isfinite(value) or value == 0.0:
        return "0" if value == 0.0 else decimal(value)
    mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    power = int(exponent)
    if -4 < power < 6:
        text = f"{float(f'{mantissa}e{power}'):,.{max(digits - 1 - power, 0)}f}"
        return _sign(text)
    return f"{_sign(mantissa)}{SPACE}×{SPACE}{power_of_ten(power)}"


def per_run_text(mean: float) -> str:
    """Format a mean number of labels per run."""
    if mean == 0.0:
        return "0"
    return f"{mean:,.2f}" if mean >= 0.005 else significant(mean, 1)


def two_digits(value: float) -> str:
    """Format a difference of probabilities, with two significant digits."""
    return significant(value, 2)


def sums_of(lowest: float, highest: float) -> str:
    """Return what sums of probabilities are, with digits that tell them from 1."""
    off = max(abs(lowest - 1.0), abs(highest - 1.0), 1e-12)
    digits = 2 if off > 0.05 else 2 + math.ceil(-math.log10(off))
    low, high = significant(lowest, digits), significant(highest, digits)
    return f"sum to {low if low == high else f'{low} to {high}'} instead of 1"


def amount(value: float, digits: int = 3) -> str:
    """Format with at most so many digits as in code, such as 1e-6."""
    if value == 0.0 or 1e-3 <= abs(value) < 1e5:
        return f"{float(f'{value:.{digits}g}'):g}"
    mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    return f"{float(mantissa):g}e{int(exponent)}"


def power_of_ten(exponent: int) -> str:
    """Format a power of ten with a superscript exponent."""
    return f"10{str(exponent).translate(_SUPERSCRIPTS)}"


def raised(exponent: float) -> str:
    """Format an exponent with two decimals as a superscript."""
    return f"{exponent:.2f}".translate(_SUPERSCRIPTS)


def time_unit(largest_seconds: float) -> tuple[float, str]:
    """Return the seconds and name of the unit in which the largest time is at least 1."""
    for size, name in _TIME_UNITS:
        if largest_seconds >= size:
            return size, name
    return _TIME_UNITS[-1]


def seconds(value: float) -> str:
    """Format a time with three significant digits in a suitable unit."""
    if math.isnan(value):
        return DASH
    size, unit = time_unit(value)
    return f"{significant(value / size)}{SPACE}{unit}"


def data_size(n_bytes: float) -> str:
    """Format a size with three significant digits in a suitable unit; 1 kB is 1000 B."""
    for size, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if n_bytes >= size:
            return f"{significant(n_bytes / size)}{SPACE}{unit}"
    return DASH if math.isnan(n_bytes) else f"{count(n_bytes)}{SPACE}bytes"


def with_ends(value: str, ends: str) -> str:
    """Append the ends of an interval in brackets, if there are any."""
    return f"{value} ({ends})" if ends else value


def interval(value: float, low: float, high: float, *, signed: bool = False) -> str:
    """Format a value with its 95 % interval, unless that has no width."""
    return with_ends(*interval_parts(value, low, high, signed=signed))


def interval_parts(
    value: float, low: float, high: float, *, signed: bool = False
) -> tuple[str, str]:
    """Format a value with one digit more than its 95 % interval, and the interval."""
    width = high - low
    alone = not width > 1e-9 * abs(value)
    reach = abs(value) if alone else max(abs(value), abs(low), abs(high))
    if signed and 0 < reach < NEGLIGIBLE:
        return f"within ±{power_of_ten(math.ceil(math.log10(reach)))}", ""
    if alone:
        # A nonzero difference is never shown as 0.
        finest = -math.floor(math.log10(reach)) if signed and 0 < reach < 1e-4 else 4
        return decimal(value, finest, signed=signed), ""
    # The first digit of the width
    digits = min(max(-math.floor(math.log10(width)), 2), 8 if signed else 4) + int(signed)
    show = _fixed if signed else decimal  # An interval about 0 tells how far it is off
    first, last = show(low, digits, signed=False), show(high, digits, signed=False)
    if first == last:
        return show(value, digits, signed=signed), ""
    return show(value, digits + 1, signed=signed), f"{first} to {last}"


def compact(value: float) -> str:
    """Format a whole number in at most four characters up to a million."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            scaled = value / size
            return f"{scaled:.0f}{letter}" if scaled >= 10 else f"{scaled:.1f}{letter}"
    return f"{value:.0f}"


def span(low: float, high: float) -> str:
    """Format a range with equally many decimals; a dash if an end is missing."""
    if math.isnan(low) or math.isnan(high):
        return DASH
    smaller = min(abs(low), abs(high))
    if smaller < 1e-3 or max(abs(low), abs(high)) >= 1e6:
        return f"{significant(low)} to {significant(high)}"
    finest = min(smaller / 100, high - low or math.inf)
    digits = max(-math.floor(math.log10(finest)), 0)
    return f"{decimal(low, digits)} to {decimal(high, digits)}"


def plural(number: int, noun: str, several: str = "") -> str:
    """Format a count with its noun in the singular or plural."""
    return f"{count(number)} {noun if number == 1 else several or f'{noun}s'}"


def listing(items: Sequence[str], most: int | None = None) -> str:
    """Join items by commas and "and"; beyond `most`, show only the number of the rest."""
    if most is not None and len(items) > most:
        items = [*items[:most], f"{len(items) - most} more"]
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def _sign(text: str) -> str:
    if text.startswith(("-", "+")) and float(text.replace(",", "")) == 0:
        return text[1:]
    return text.replace("-", MINUS)


def counted(part: int, whole: int, noun: str) -> str:
    """Format "part of whole" with the noun."""
    return f"{part:,} of {plural(whole, noun)}"


def differ(part: int, whole: int) -> str:
    """Format how many of several labels differ, with the verb."""
    return f"{counted(part, whole, 'label')} {'differs' if part == 1 else 'differ'}"


def percent(fraction: float) -> str:
    """Format a train fraction as per cent."""
    return f"{100 * fraction:.4g}{SPACE}%"


def percent_span(fractions: Sequence[float]) -> str:
    """Format a range of train fractions as per cent."""
    if len(fractions) == 1:
        return percent(fractions[0])
    return f"{100 * fractions[0]:.4g} to {percent(fractions[-1])}"


def points(share: float) -> str:
    """Format a fraction in percentage points, without a sign."""
    value = abs(100 * share)
    text = f"{value:.2f}".rstrip("0").rstrip(".") if value >= 0.01 else f"{value:.1g}"
    return f"{text} point" + ("" if text == "1" else "s")


def bound_text(share: float) -> str:
    """Format an upper bound on a fraction as per cent, rounded up."""
    if share >= 1.0:
        return "100 %"
    exact = 100 * Decimal(share)
    last = min(exact.adjusted() - 1, -1) if exact else -1
    rounded = exact.quantize(Decimal(1).scaleb(last), rounding=ROUND_CEILING)
    return f"{rounded:f} %"


def p_text(p: float) -> str:
    """Format a p value for a table, never as 0."""
    return "< 0.001" if p < 0.001 else decimal(p, 3)


def p_value(p: float) -> str:
    """Format a p value for a sentence."""
    return f"p {'' if p < 0.001 else '= '}{p_text(p)}"


def points_between(mean: float, low: float, high: float, *, signed: bool = True) -> str:
    """Format a difference of fractions in points, with its interval if that has width."""
    return with_ends(*points_parts(mean, low, high, signed=signed))


def points_parts(
    mean: float, low: float, high: float, *, signed: bool = True
) -> tuple[str, str]:
    """Format a difference of fractions in points, and its interval if that has width."""
    has_width = high - low > 1e-9 * abs(mean)
    values = [100 * share for share in ((mean, low, high) if has_width else (mean,))]
    sizes = [abs(value) for value in values[-2:] if value]
    if has_width:
        sizes.append(25 * (high - low))
    if low * high <= 0:
        sizes = sizes[-1:]
    digits = min(max(-math.floor(math.log10(min(sizes, default=1))), 1), 6)
    text, *ends = (decimal(value, digits, signed=signed) for value in values)
    return f"{text} points", " to ".join(ends)


def factor(ratio: float, low: float = math.nan, high: float = math.nan) -> str:
    """Format a ratio of times as a factor above 1, such as "9.7× faster (9.4 to 10.1)"."""
    return with_ends(*factor_parts(ratio, low, high))


def factor_parts(ratio: float, low: float, high: float) -> tuple[str, str]:
    """Format a ratio of times as a factor above 1, and the ends of its interval."""
    word = "slower"
    if ratio < 1:
        word, ratio, low, high = "faster", 1 / ratio, 1 / high, 1 / low
    has_width = math.isfinite(high) and high > low
    finest = min((low if low > 1 else ratio) - 1, high - low if has_width else math.inf)
    digits = -math.floor(math.log10(max(finest, 1e-4)))
    digits = min(max(digits, int(ratio < 100)), 4)
    ends = f"{low:,.{digits}f} to {high:,.{digits}f}" if has_width else ""
    return f"{ratio:,.{digits}f}× {word}", ends


def printable(text: str) -> str:
    """Put text on one line, replacing control characters."""
    spaced = " ".join(text.split())
    return "".join(letter if letter.isprintable() else "�" for letter in spaced)


def class_words(name: str) -> str:
    """Return the name of a class for a sentence: a number follows the word class."""
    shown = printable(name)
    return shown if any(letter.isalpha() for letter in shown) else f"class {shown}"


def day(iso: str) -> str:
    """Format a date such as "24 November 2026"; empty for an empty one."""
    return "{0.day} {0:%B %Y}".format(date.fromisoformat(iso)) if iso else ""


def shorten(text: str, width: int) -> str:
    """Shorten text to `width` characters in the middle, where names differ least."""
    if len(text) <= width:
        return text
    head = width // 2
    return f"{text[:head]}{ELLIPSIS}{text[len(text) - (width - head - 1) :]}"


def distinct(names: Iterable[str], numbered: str = "{} ({})") -> tuple[str, ...]:
    """Make names distinct by numbering repeated ones from 2."""
    known: list[str] = []
    for name in names:
        label, number = name, 2
        while label in known:
            label, number = numbered.format(name, number), number + 1
        known.append(label)
    return tuple(known)


def short_names(names: Iterable[str], width: int) -> dict[str, str]:
    """Return a short printable form of each name, numbered if two would be equal."""
    different = dict.fromkeys(names)
    short = distinct(shorten(printable(name), width) for name in different)
    return dict(zip(different, short, strict=True))


def drawable(text: str) -> str:
    """Replace characters that the figures' font lacks by a box."""
    kept = {ord("\n"), *_glyphs()}
    return "".join(char if ord(char) in kept else MISSING_GLYPH for char in text)


def figure_names(names: Iterable[str], width: int = 22) -> dict[str, str]:
    """Return a distinct short form of each name that the figures' font can draw."""
    known = list(dict.fromkeys(names))
    drawn = [drawable(printable(name)) for name in known]
    if len(set(drawn)) == len(drawn):
        short = short_names(drawn, width)
        return {name: short[text] for name, text in zip(known, drawn, strict=True)}
    return {
        name: f"{shorten(text, width)} ({position})"
        for position, (name, text) in enumerate(zip(known, drawn, strict=True), 1)
    }


@cache
def _glyphs() -> frozenset[int]:
    from matplotlib.font_manager import FontProperties, findfont, get_font

    return frozenset(get_font(findfont(FontProperties(family="DejaVu Sans"))).get_charmap())

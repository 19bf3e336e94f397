"""Numbers as people read them: units, separators, and a dash where there is none."""

import math

DASH = "–"
MINUS = "−"
SPACE = "\N{NO-BREAK SPACE}"
NEGLIGIBLE = 1e-6

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_TIME_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def count(value: float) -> str:
    """Whole number with commas between thousands.

    Examples
    --------
    >>> count(45000), count(float("nan"))
    ('45,000', '–')
    """
    return DASH if math.isnan(value) else _sign(f"{value:,.0f}")


def decimal(value: float, digits: int = 4) -> str:
    """Return a number with so many decimals and a true minus sign.

    Examples
    --------
    >>> decimal(0.98096), decimal(-0.5, 1), decimal(float("inf"))
    ('0.9810', '−0.5', 'infinite')
    """
    if math.isnan(value):
        return DASH
    if math.isinf(value):
        return "infinite" if value > 0 else f"{MINUS}infinite"
    return _sign(f"{value:.{digits}f}")


def share(value: float) -> str:
    r"""Per cent that says 0 or 100 only where it is exactly so.

    Examples
    --------
    >>> [share(value) for value in (1.0, 0.99998, 0.5, 0.0)]
    ['100\xa0%', '99.998\xa0%', '50.0\xa0%', '0\xa0%']
    """
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
    r"""Plain notation with so many significant digits; powers of ten where that is long.

    Examples
    --------
    >>> significant(0.12345), significant(12.0), significant(2.2e-16)
    ('0.123', '12.0', '2.20\xa0×\xa010⁻¹⁶')
    """
    if not math.isfinite(value) or value == 0.0:
        return "0" if value == 0.0 else decimal(value)
    mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    power = int(exponent)
    if -4 < power < 6:
        text = f"{float(f'{mantissa}e{power}'):,.{max(digits - 1 - power, 0)}f}"
        return _sign(text)
    return f"{_sign(mantissa)}{SPACE}×{SPACE}{power_of_ten(power)}"


def power_of_ten(exponent: int) -> str:
    """Ten with a raised exponent.

    Examples
    --------
    >>> power_of_ten(-16)
    '10⁻¹⁶'
    """
    return f"10{str(exponent).translate(_SUPERSCRIPTS)}"


def time_unit(largest_seconds: float) -> tuple[float, str]:
    """Seconds and name of the unit in which the largest of several times is at least one.

    Examples
    --------
    >>> time_unit(0.00048)
    (1e-06, 'µs')
    """
    for size, name in _TIME_UNITS:
        if largest_seconds >= size:
            return size, name
    return _TIME_UNITS[-1]


def seconds(value: float) -> str:
    r"""Time with three significant digits in the unit that suits it.

    Examples
    --------
    >>> seconds(0.00048213), seconds(1.5), seconds(float("nan"))
    ('482\xa0µs', '1.50\xa0s', '–')
    """
    if math.isnan(value):
        return DASH
    size, unit = time_unit(value)
    return f"{significant(value / size)}{SPACE}{unit}"


def data_size(n_bytes: float) -> str:
    r"""Memory with three significant digits in the unit that suits it; 1 kB is 1000 bytes.

    Examples
    --------
    >>> data_size(14736), data_size(712), data_size(0), data_size(float("nan"))
    ('14.7\xa0kB', '712\xa0bytes', '0\xa0bytes', '–')
    """
    for size, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if n_bytes >= size:
            return f"{significant(n_bytes / size)}{SPACE}{unit}"
    return DASH if math.isnan(n_bytes) else f"{count(n_bytes)}{SPACE}bytes"


def interval(value: float, low: float, high: float, *, signed: bool = False) -> str:
    """Value with one digit more than its 95 % interval; alone where there is none.

    Examples
    --------
    >>> interval(0.9533, 0.938, 0.968)
    '0.953 (0.94 to 0.97)'
    >>> interval(0.9533, float("nan"), float("nan"))
    '0.9533'
    >>> interval(0.002, -0.01, 0.014, signed=True)
    '+0.0020 (−0.010 to 0.014)'
    >>> interval(2e-16, -1e-16, 5e-16, signed=True)
    'within ±10⁻¹⁵'
    >>> interval(-2e-17, float("nan"), float("nan"), signed=True)
    'within ±10⁻¹⁶'
    >>> interval(2e-5, float("nan"), float("nan"), signed=True)
    '+0.00002'
    """
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
    """Whole number in at most four characters up to a million.

    Examples
    --------
    >>> compact(712), compact(5319), compact(14959), compact(2_500_000)
    ('712', '5.3k', '15k', '2.5M')
    """
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            scaled = value / size
            return f"{scaled:.0f}{letter}" if scaled >= 10 else f"{scaled:.1f}{letter}"
    return f"{value:.0f}"


def span(low: float, high: float) -> str:
    """Two ends joined by "to", with equally many decimals; a dash where either is missing.

    Examples
    --------
    >>> span(0.11, 0.13), span(0.997, 1.0041), span(float("nan"), 1.0)
    ('0.110 to 0.130', '0.997 to 1.004', '–')
    """
    if math.isnan(low) or math.isnan(high):
        return DASH
    smaller = min(abs(low), abs(high))
    if smaller < 1e-3 or max(abs(low), abs(high)) >= 1e6:
        return f"{significant(low)} to {significant(high)}"
    digits = max(2 - math.floor(math.log10(smaller)), 0)
    return f"{decimal(low, digits)} to {decimal(high, digits)}"


def plural(number: int, noun: str) -> str:
    """Count with its noun, which takes an s unless there is one.

    Examples
    --------
    >>> plural(1, "run"), plural(1000, "run")
    ('1 run', '1,000 runs')
    """
    return f"{count(number)} {noun}" if number == 1 else f"{count(number)} {noun}s"


def listing(items: list[str]) -> str:
    """Items in one phrase, the last joined by "and".

    Examples
    --------
    >>> listing(["numpy", "river", "mlpack"])
    'numpy, river and mlpack'
    """
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def _sign(text: str) -> str:
    if text.startswith("-") and float(text.replace(",", "")) == 0:
        return text[1:]
    return text.replace("-", MINUS)

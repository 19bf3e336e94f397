"""Sizes along each axis of a grid, from what a user typed."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from gnbbench.errors import OptionError

Given = str | int | Sequence[int]

# Neighbours nearer than this are one size too many: an end stands for both.
_NEAREST = 1.4
_STEPS = (1, 2, 5)


@dataclass(frozen=True)
class AxisKind:
    """One of the three sizes."""

    name: str  # As the option is called, without its dashes
    symbol: str  # As in formulas
    noun: str  # What is counted
    held: int  # The size while another axis varies
    fewest: int  # The smallest size there can be

    @property
    def option(self) -> str:
        """The option as it is typed."""
        return f"--{self.name}"


KINDS = (
    AxisKind("samples", "n", "samples", 10_000, 2),
    AxisKind("features", "d", "features", 20, 1),
    AxisKind("classes", "K", "classes", 5, 2),
)


@dataclass(frozen=True)
class Axis:
    """The sizes along one axis."""

    sizes: tuple[int, ...]  # Ascending; empty where the axis is held alone
    held: int  # The size while another axis varies


def axis(kind: AxisKind, given: Given) -> Axis:
    """Return the sizes that a text, a number or a list stands for.

    A range ``A:B`` has A, A·2, A·4 ... where B is A times a power of two, else the sizes
    1, 2, 5, 10, 20, 50 ... between its two ends. While another axis varies this one is held
    at its usual size, or at the end of the range that is nearest to it.
    """
    is_range = isinstance(given, str) and ":" in given
    sizes = _numbers(kind, given)
    for size in sizes:
        if size < kind.fewest:
            what = f"{size:,} is less than {kind.fewest}"
            raise OptionError(kind.option, what, f"Give sizes from {kind.fewest}.")
    if list(sizes) != sorted(set(sizes)):
        what = f"'{given}' does not ascend"
        raise OptionError(kind.option, what, _remedy(kind))
    if is_range:
        sizes = spread(*sizes)
    if len(sizes) == 1:
        return Axis((), sizes[0])
    return Axis(sizes, min(max(kind.held, sizes[0]), sizes[-1]))


def spread(first: int, last: int) -> tuple[int, ...]:
    """Return sizes from the first to the last at about equal ratios."""
    ratio, rest = divmod(last, first)
    if rest == 0 and ratio & (ratio - 1) == 0:
        return tuple(first << power for power in range(ratio.bit_length()))
    inner = [step * 10**power for power in range(len(str(last))) for step in _STEPS]
    kept = [size for size in inner if size >= _NEAREST * first and size * _NEAREST <= last]
    return (first, *kept, last)


def _numbers(kind: AxisKind, given: Any) -> tuple[int, ...]:
    """Return the numbers given, in their order."""
    parts: list[Any]
    if isinstance(given, str):
        parts = given.split(":") if ":" in given else given.split(",")
        if ":" in given and len(parts) != 2:
            raise _unreadable(kind, given)
    else:
        parts = list(given) if isinstance(given, Sequence) else [given]
    if not parts or any(isinstance(part, bool) for part in parts):
        raise _unreadable(kind, given)
    try:
        exact = [Decimal(str(part).strip()) for part in parts]
    except InvalidOperation:
        raise _unreadable(kind, given) from None
    if any(not one.is_finite() or one != one.to_integral_value() for one in exact):
        raise _unreadable(kind, given)
    return tuple(int(one) for one in exact)


def _unreadable(kind: AxisKind, given: Any) -> OptionError:
    return OptionError(kind.option, f"'{given}' cannot be read", _remedy(kind))


def _remedy(kind: AxisKind) -> str:
    least = 1000 if kind.name == "samples" else max(kind.fewest, 4)
    return f"Give whole numbers: FIRST:LAST such as {least}:{16 * least}, a list, or one."

"""Sizes along each axis, from what a user typed."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple, TypeAlias

from gnbbench.errors import OptionError
from gnbbench.measurement.scale import FEWEST_OF_A_CLASS, needed_bytes

_GIGABYTE = 1e9

# Neighbours nearer than this are one size too many: an end stands for both.
_NEAREST = 1.4
_STEPS = (1, 2, 5)


class AxisKind(NamedTuple):
    """One of the three sizes."""

    name: str  # As the option is called, without its dashes
    held: int  # The size while another axis varies
    fewest: int  # The smallest size there can be


KINDS = (
    AxisKind("samples", 10_000, 2),
    AxisKind("features", 20, 1),
    AxisKind("classes", 5, 2),
)
# By the name of an axis: its ``sizes``, ascending, empty where it is held alone, and the
# size at which it is ``held`` while another axis varies.
Axes: TypeAlias = Mapping[str, Mapping[str, Any]]


def axis(kind: AxisKind, given: Any) -> dict[str, Any]:
    """Return the sizes that a text, a number or a list stands for, and the one held.

    A range ``A:B`` has A, A·2, A·4 ... where B is A times a power of two, else the sizes
    1, 2, 5, 10, 20, 50 ... between its two ends. While another axis varies this one is held
    at its usual size, or at the end of the range that is nearest to it.
    """
    option = f"--{kind.name}"
    least = 1000 if kind.name == "samples" else max(kind.fewest, 4)
    remedy = f"Give whole numbers: FIRST:LAST such as {least}:{16 * least}, a list, or one."
    is_range = isinstance(given, str) and ":" in given
    parts = given
    if isinstance(given, str):
        parts = given.split(":" if is_range else ",")
    elif not isinstance(given, Sequence):
        parts = [given]
    try:
        exact = [Decimal(str(part).strip()) for part in parts]
        sizes = tuple(int(number) for number in exact)
    except (ArithmeticError, ValueError):
        exact, sizes = [], ()
    if not sizes or list(sizes) != exact or (is_range and len(sizes) != 2):
        raise OptionError(option, f"'{given}' cannot be read", remedy)
    few = next((size for size in sizes if size < kind.fewest), None)
    if few is not None:
        what = f"{few:,} is less than {kind.fewest}"
        raise OptionError(option, what, f"Give sizes of at least {kind.fewest}.")
    if list(sizes) != sorted(set(sizes)):
        raise OptionError(option, f"'{given}' is not in ascending order", remedy)
    if len(sizes) == 1:
        return {"sizes": [], "held": sizes[0]}
    held = min(max(kind.held, sizes[0]), sizes[-1])
    return {"sizes": list(spread(*sizes) if is_range else sizes), "held": held}


def spread(first: int, last: int) -> tuple[int, ...]:
    """Return sizes from the first to the last at about equal ratios."""
    ratio, rest = divmod(last, first)
    if rest == 0 and ratio & (ratio - 1) == 0:
        return tuple(first << power for power in range(ratio.bit_length()))
    inner = [step * 10**power for power in range(len(str(last))) for step in _STEPS]
    kept = [size for size in inner if size >= _NEAREST * first and size * _NEAREST <= last]
    return (first, *kept, last)


class ScalePoint(NamedTuple):
    """One point of the grid."""

    number: int  # From 0, axis by axis
    axis: str  # The axis that it lies on
    size: int  # The size along that axis
    sizes: tuple[int, int, int]  # Samples, features, classes


def points_of(axes: Axes) -> tuple[ScalePoint, ...]:
    """Return every point of the grid, axis by axis, sizes ascending."""
    found: list[ScalePoint] = []
    for name, axis in axes.items():
        for size in axis["sizes"]:
            held = {other: axes[other]["held"] for other in axes}
            n, d, k = {**held, name: size}.values()
            found.append(ScalePoint(len(found), name, size, (n, d, k)))
    return tuple(found)


def require_possible(points: Sequence[ScalePoint], available: int | None) -> None:
    """Raise if there is no point, or one with too few samples or too large for memory."""
    if not points:
        what = "every size is fixed"
        raise OptionError(
            "--samples", what, "Give a range for one of them, such as 1e3:1e5."
        )
    few = [point for point in points if point.sizes[0] < FEWEST_OF_A_CLASS * point.sizes[2]]
    if few:
        n, _, k = max((point.sizes for point in few), key=lambda sizes: sizes[2])
        # What is named is what was given.
        option, least = "--samples", FEWEST_OF_A_CLASS * k
        remedy = f"Give {least:,} at least, or fewer --classes."
        if n >= KINDS[0].held:
            option, most = "--classes", n // FEWEST_OF_A_CLASS
            remedy = f"Give {most:,} at most, or more --samples."
        what = f"{n:,} samples are too few for {k:,} classes"
        raise OptionError(option, what, remedy)
    for point in points:
        needed = needed_bytes(*point.sizes)
        if available is not None and needed > available:
            n, d, k = point.sizes
            raise OptionError(
                f"--{point.axis}",
                f"{n:,} × {d:,} values with {k:,} classes need about "
                f"{needed / _GIGABYTE:,.1f} GB, and {available / _GIGABYTE:,.1f} GB "
                "are free",
                "End the range earlier, or hold the other sizes lower.",
            )

"""Sizes along each axis, from what a user typed, and the plan to measure at them."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from decimal import Decimal, InvalidOperation
from math import isfinite
from typing import Any, ClassVar

from gnbbench.errors import OptionError
from gnbbench.measurement.scale import FEWEST_OF_A_CLASS, needed_bytes

PLAN_VERSION = 1
_GIGABYTE = 1e9
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


@dataclass(frozen=True)
class ScalePoint:
    """One point of the grid."""

    number: int  # From 0, axis by axis
    axis: str  # The axis that it lies on
    size: int  # The size along that axis
    sizes: tuple[int, int, int]  # Samples, features, classes


@dataclass(frozen=True, kw_only=True)
class ScalePlan:
    """All that the records of such a study depend on, but for the machine."""

    study: ClassVar[str] = "scale"

    reference: str  # Name of the implementation that the others are held against
    against: tuple[str, ...]  # Names of the others
    axes: dict[str, Axis]  # By the names of `KINDS`
    # Time for all: labels, memory and times of all processes
    budget_seconds: float = 60.0
    # Fresh processes in which all times are taken over again
    processes: int = 3
    seed: int = 42  # Of the samples, and of the orders of competitors
    threads: int = 1  # Limit for BLAS and OpenMP
    # As in `gnbbench.studies.plan.Plan`
    specifications: dict[str, str] = field(default_factory=dict)
    # As in `gnbbench.studies.plan.Plan`
    digests: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not (isfinite(self.budget_seconds) and self.budget_seconds > 0.0):
            what = f"{self.budget_seconds:g} s is no time to measure in"
            raise OptionError("--budget", what, "Give seconds above 0.")
        for name in ("processes", "threads"):
            if getattr(self, name) < 1:
                what = f"{getattr(self, name)} is less than 1"
                raise OptionError(f"--{name}", what, "Give a whole number from 1.")
        if not 0 <= self.seed < 2**32:
            what = f"{self.seed} is out of range"
            raise OptionError("--seed", what, f"Give a whole number from 0 to {2**32 - 1}.")
        if not self.points:
            what = "no axis has more than one size"
            raise OptionError("--samples", what, "Give a range, such as 1e3:1e5.")
        _require_samples(self.points)

    @property
    def points(self) -> tuple[ScalePoint, ...]:
        """Every point of the grid, axis by axis, sizes ascending."""
        found: list[ScalePoint] = []
        for kind in KINDS:
            for size in self.axes[kind.name].sizes:
                n, d, k = (
                    size if one is kind else self.axes[one.name].held for one in KINDS
                )
                found.append(ScalePoint(len(found), kind.name, size, (n, d, k)))
        return tuple(found)

    @property
    def kinds(self) -> tuple[AxisKind, ...]:
        """The axes that have more than one size."""
        return tuple(kind for kind in KINDS if self.axes[kind.name].sizes)

    def as_dict(self) -> dict[str, Any]:
        """Return the plan as JSON knows it, the kind of study first."""
        plain = {"study": self.study, "plan_version": PLAN_VERSION, **asdict(self)}
        result: dict[str, Any] = json.loads(json.dumps(plain))
        return result

    @property
    def directory_name(self) -> str:
        """Name of the results directory: study, identifier of the plan."""
        text = json.dumps(self.as_dict(), sort_keys=True)
        return f"{self.study}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"

    def require_memory(self, available: int | None) -> None:
        """Raise if a point of the grid does not fit into memory."""
        if available is None:
            return
        for point in self.points:
            needed = needed_bytes(*point.sizes)
            if needed > available:
                n, d, k = point.sizes
                raise OptionError(
                    f"--{point.axis}",
                    f"{n:,} × {d:,} values with {k:,} classes need about "
                    f"{needed / _GIGABYTE:,.1f} GB, and {available / _GIGABYTE:,.1f} GB "
                    "are free",
                    "End the range earlier, or hold the other sizes lower.",
                )


def plan_of(settled: Mapping[str, Any]) -> ScalePlan:
    """Return the plan that `ScalePlan.as_dict` gave."""
    names = ScalePlan.__dataclass_fields__
    fields = {key: value for key, value in settled.items() if key in names}
    fields["against"] = tuple(fields["against"])
    fields["axes"] = {
        name: Axis(tuple(one["sizes"]), one["held"]) for name, one in fields["axes"].items()
    }
    return ScalePlan(**{key: value for key, value in fields.items() if key != "study"})


def _require_samples(points: Sequence[ScalePoint]) -> None:
    """Raise if a point has too few samples; what is named is what was given."""
    few = [one for one in points if one.sizes[0] < FEWEST_OF_A_CLASS * one.sizes[2]]
    if not few:
        return
    n, _, k = max((one.sizes for one in few), key=lambda sizes: sizes[2])
    what = f"{n:,} samples are too few for {k:,} classes"
    if n >= KINDS[0].held:
        remedy = f"Give {n // FEWEST_OF_A_CLASS:,} at most, or more --samples."
        raise OptionError("--classes", what, remedy)
    remedy = f"Give {FEWEST_OF_A_CLASS * k:,} at least, or fewer --classes."
    raise OptionError("--samples", what, remedy)

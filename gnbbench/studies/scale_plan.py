"""What a study of time and memory against sizes is to do, settled before it starts."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Any, ClassVar

from gnbbench.errors import OptionError
from gnbbench.measurement.scale import FEWEST_OF_A_CLASS, needed_bytes
from gnbbench.studies.scale_grid import KINDS, Axis, AxisKind

PLAN_VERSION = 1
DEFAULT_BUDGET_SECONDS = 60.0
DEFAULT_PROCESSES = 3
_GIGABYTE = 1e9
# As many are held unless fewer were asked for.
_USUAL_SAMPLES = KINDS[0].held


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
    axes: dict[str, Axis]  # By the names of `gnbbench.studies.scale_grid.KINDS`
    # Time for all: looks, memory and times of all processes
    budget_seconds: float = DEFAULT_BUDGET_SECONDS
    # Fresh processes in which all times are taken over again
    processes: int = DEFAULT_PROCESSES
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
    if n >= _USUAL_SAMPLES:
        remedy = f"Give {n // FEWEST_OF_A_CLASS:,} at most, or more --samples."
        raise OptionError("--classes", what, remedy)
    remedy = f"Give {FEWEST_OF_A_CLASS * k:,} at least, or fewer --classes."
    raise OptionError("--samples", what, remedy)

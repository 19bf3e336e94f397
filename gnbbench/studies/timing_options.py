"""How long, how precisely and in how many processes times are to be taken."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from math import isfinite
from typing import Any

from gnbbench.errors import OptionError
from gnbbench.measurement.timing import REGIMES, TimingPlan

USUAL_BUDGET_SECONDS = 1.0
PRECISE_BUDGET_SECONDS = 30.0


@dataclass(frozen=True, kw_only=True)
class TimingOptions:
    """What a user may ask of the timing; no other result of a study depends on it."""

    # Time for the timing of all implementations, all processes together. When None, 1 s, or
    # 30 s where a precision is asked for.
    budget_seconds: float | None = None
    # Timing goes on until the 95 % interval of every ratio reaches no further than this
    # share of the ratio to either side, or the budget is spent
    precision: float | None = None
    # Fresh processes in which all is timed over again; 1: in the study's own
    processes: int = 1
    regime: str = "warm"  # Whether an untimed call goes before each timed one
    threads: int = 1  # Limit for BLAS and OpenMP

    def __post_init__(self) -> None:
        budget = self.budget_seconds
        if budget is not None and not (isfinite(budget) and budget > 0.0):
            what = f"{budget:g} s is no time to measure in"
            raise OptionError("--budget", what, "Give a time above 0, such as 30s.")
        if self.precision is not None and not 0.0 < self.precision < 1.0:
            what = f"{100 * self.precision:g} % is out of range"
            raise OptionError("--precision", what, "Give a share such as 1% or 0.01.")
        for option, value in (
            ("--processes", self.processes),
            ("--threads", self.threads),
        ):
            if value < 1:
                what = f"{value} is less than 1"
                raise OptionError(option, what, "Give a whole number from 1.")
        if self.regime not in REGIMES:
            what = f"'{self.regime}' is unknown"
            raise OptionError("--regime", what, f"Give {' or '.join(REGIMES)}.")

    def plan(self, seed: int) -> TimingPlan:
        """Return the plan of the measurement."""
        usual = USUAL_BUDGET_SECONDS if self.precision is None else PRECISE_BUDGET_SECONDS
        return TimingPlan(
            budget_seconds=self.budget_seconds or usual,
            regime="interleaved" if self.regime == "interleaved" else "warm",
            threads=self.threads,
            seed=seed,
            precision=self.precision,
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the options by name."""
        return asdict(self)

    def asked(self) -> dict[str, Any]:
        """Return the options that differ from what they are by default."""
        return {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if getattr(self, field.name) != field.default
        }

    def differs_from(self, notes: Mapping[str, Any]) -> bool:
        """Return whether times that were taken are other ones than are asked for."""
        if not self.asked():
            return False
        wanted = asdict(self)
        kept = {"precision": None, **notes.get("plan", {})}
        kept["processes"] = len(notes.get("processes", ())) or 1
        decisive = set(TIMING_OPTIONS) - {"budget_seconds"}
        return any(kept.get(name) != wanted[name] for name in decisive)


TIMING_OPTIONS = tuple(field.name for field in fields(TimingOptions))

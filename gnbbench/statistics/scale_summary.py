"""Everything that a report on time and memory against sizes may show."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

SCALE_SCHEMA_VERSION = 1

AXES = ("samples", "features", "classes")
SYMBOLS = {"samples": "n", "features": "d", "classes": "K"}
SCALE_OPERATIONS = ("fit", "predict")


@dataclass(frozen=True, eq=False)
class ScaleSummary:
    """What a scale study comes to; a report reads nothing else."""

    study: ClassVar[str] = "scale"

    plan: Mapping[str, Any]  # As the study recorded them
    environment: Mapping[str, Any]  # As the study recorded them
    command: str  # What repeats it
    reference: str
    implementations: tuple[str, ...]  # The reference first
    headline: str  # The finding, and what belongs to it
    detail: str  # The finding, and what belongs to it
    # ``point``, ``axis``, ``size``, ``n_samples``, ``n_features``, ``n_classes``
    points: pd.DataFrame
    # One row per point, operation and implementation: ``axis``, ``size``, ``n_samples``,
    # ``n_features``, ``n_classes``, ``operation``, ``implementation``, ``seconds`` (median
    # of the processes' medians), ``low_seconds``, ``high_seconds`` (smallest and largest
    # median of a process), ``processes``, ``rounds``, ``ratio``, ``ratio_low``,
    # ``ratio_high``, ``floor_low``, ``floor_high``, ``speed``, ``rows_per_second``,
    # ``bytes_per_second``, ``share_of_read``
    times: pd.DataFrame
    # The physical limit: ``axis``, ``size``, ``operation``, ``seconds``,
    # ``bytes_per_second`` of one read of X
    reads: pd.DataFrame
    # ``axis``, ``size``, ``implementation``, ``n_test``, ``disagreements``, ``agreement``;
    # NaN where there was nothing to compare with
    agreement: pd.DataFrame
    # ``axis``, ``operation``, ``implementation``, ``exponent``, ``low``, ``high``,
    # ``first``, ``last``, ``points``
    exponents: pd.DataFrame
    # ``axis``, ``size``, ``operation``, ``implementation``, ``traced_bytes``,
    # ``resident_bytes``, and both as multiples of X: ``traced_multiple``,
    # ``resident_multiple``
    memory: pd.DataFrame
    # What was left out: ``axis``, ``implementation``, ``status``, ``size`` (the last
    # reached, NaN where none), ``sentence``
    stops: pd.DataFrame
    regime: str
    warnings: tuple[str, ...]  # Remarks a reader must see, one sentence each

    @property
    def axes(self) -> tuple[str, ...]:
        """The axes that have more than one size."""
        return tuple(axis for axis in AXES if axis in set(self.points["axis"]))

    @property
    def differing(self) -> pd.DataFrame:
        """The rows of `agreement` in which labels differ."""
        return self.agreement.loc[self.agreement["disagreements"] > 0]

    def held(self, axis: str) -> dict[str, int]:
        """Return the sizes of the other axes while one varies, by their names."""
        held = {name: int(self.plan["axes"][name]["held"]) for name in AXES}
        del held[axis]
        return held

    def held_text(self, axis: str) -> str:
        """Return the sizes that are held while one axis varies, as a formula."""
        return ", ".join(
            f"{SYMBOLS[name]} = {size:,}" for name, size in self.held(axis).items()
        )

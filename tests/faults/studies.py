"""Studies that are settled, for tests that look at them before anything is measured."""

from typing import Any

from gnbbench.studies.compare import Compare, PreparedCompare, PreparedSweep, SweepSplit
from gnbbench.studies.matrix import CompareMany, PreparedMatrix
from gnbbench.studies.options import (
    CompareOptions,
    ScaleOptions,
    StreamOptions,
    SweepOptions,
)
from gnbbench.studies.scale import MeasureScaling, PreparedScale
from gnbbench.studies.stream import CompareStream, PreparedStream


def prepared(data: Any, **options: Any) -> PreparedCompare:
    """Return a comparison on one dataset."""
    return Compare().prepare(CompareOptions(data=data, **options))


def many_prepared(data: Any, **options: Any) -> PreparedMatrix:
    """Return a comparison on several datasets."""
    return CompareMany().prepare(CompareOptions(data=data, **options))


def stream_prepared(data: Any, **options: Any) -> PreparedStream:
    """Return a comparison on a stream."""
    return CompareStream().prepare(StreamOptions(data=data, **options))


def scale_prepared(**options: Any) -> PreparedScale:
    """Return a measurement against sizes."""
    return MeasureScaling().prepare(ScaleOptions(**options))


def sweep_prepared(data: Any, **options: Any) -> PreparedSweep:
    """Return a sweep."""
    return SweepSplit().prepare(SweepOptions(data=data, **options))

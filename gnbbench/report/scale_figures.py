"""The figures of a scale study, in the order of its page."""

from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.figures.scale_memory import scale_memory
from gnbbench.report.figures.scale_throughput import scale_throughput
from gnbbench.report.figures.scale_times import scale_times
from gnbbench.statistics.scale_summary import ScaleSummary


def scale_drawings(summary: ScaleSummary) -> tuple[Drawing | Absence, ...]:
    """Return every figure: times along each axis, throughput, memory."""
    times = [scale_times(summary, axis) for axis in summary.axes]
    return (*times, scale_throughput(summary), scale_memory(summary))

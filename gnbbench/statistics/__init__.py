"""Statistics: records become a Summary, those of a sweep a SweepSummary."""

from gnbbench.statistics.summarize import summarize
from gnbbench.statistics.sweep import summarize_sweep

__all__ = ["summarize", "summarize_sweep"]

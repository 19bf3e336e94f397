"""Statistics: the records of a study become its Summary."""

from gnbbench.statistics.summarize import summarize, summarize_sweep

__all__ = ["summarize", "summarize_sweep"]

"""Statistics: records become a Summary."""

from gnbbench.statistics.summarize import summarize

__all__ = ["summarize"]

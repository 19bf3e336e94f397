"""The summaries that a report can be made of."""

from typing import TypeAlias

from gnbbench.statistics.summary import Summary
from gnbbench.statistics.sweep_summary import SweepSummary

AnySummary: TypeAlias = Summary | SweepSummary

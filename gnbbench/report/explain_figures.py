"""The figures of a report on causes, one for each disagreement shown in full."""

from gnbbench.report.explain_contributions import cards
from gnbbench.report.explain_summary import ExplainSummary
from gnbbench.report.figures.contributions import contributions
from gnbbench.report.figures.drawing import Absence, Drawing


def draw_explain(summary: ExplainSummary) -> tuple[Drawing | Absence, ...]:
    """Return the figure of every card, in order; an absence where one cannot be had."""
    return tuple(contributions(summary, card) for card in cards(summary))

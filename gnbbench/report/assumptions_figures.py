"""The figures of the assumptions, in the order of the page."""

from gnbbench.report.assumptions_summary import AssumptionsSummary
from gnbbench.report.figures.correlations import correlations
from gnbbench.report.figures.costs import costs
from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.figures.normality_histograms import normality_histograms
from gnbbench.report.figures.normality_quantiles import normality_quantiles

ASSUMPTION_FIGURES = (correlations, normality_histograms, normality_quantiles, costs)


def draw_assumptions(summary: AssumptionsSummary) -> tuple[Drawing | Absence, ...]:
    """Every figure of the assumptions, in order; an absence where one cannot be had."""
    return tuple(draw(summary) for draw in ASSUMPTION_FIGURES)

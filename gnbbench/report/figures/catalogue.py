"""The figures there are, in the order of the page."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from gnbbench.report.figures import (
    accuracy,
    accuracy_spread,
    confidence,
    confusion,
    decision_regions,
    learning_slope,
    probability_differences,
    reliability,
    sweep_accuracy,
    sweep_disagreements,
    sweep_gap,
    timing,
)
from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.summaries import AnySummary
from gnbbench.statistics.summary import Summary
from gnbbench.statistics.sweep_summary import SweepSummary

S = TypeVar("S", Summary, SweepSummary)


@dataclass(frozen=True)
class FigureEntry(Generic[S]):
    """One figure of the catalogue."""

    name: str  # Stem of its files
    title: str  # What it shows
    # Takes a summary; gives the drawing, or says why there is none
    draw: Callable[[S], Drawing | Absence]


FIGURES: tuple[FigureEntry[Summary], ...] = (
    FigureEntry(
        probability_differences.NAME,
        probability_differences.TITLE,
        probability_differences.probability_differences,
    ),
    FigureEntry(accuracy.NAME, accuracy.TITLE, accuracy.accuracy),
    FigureEntry(
        accuracy_spread.NAME, accuracy_spread.TITLE, accuracy_spread.accuracy_spread
    ),
    FigureEntry(confusion.NAME, confusion.TITLE, confusion.confusion),
    FigureEntry(confidence.NAME, confidence.TITLE, confidence.confidence),
    FigureEntry(reliability.NAME, reliability.TITLE, reliability.reliability),
    FigureEntry(
        decision_regions.NAME, decision_regions.TITLE, decision_regions.decision_regions
    ),
    FigureEntry(timing.NAME, timing.TITLE, timing.timing),
)


SWEEP_FIGURES: tuple[FigureEntry[SweepSummary], ...] = (
    FigureEntry(
        sweep_disagreements.NAME,
        sweep_disagreements.TITLE,
        sweep_disagreements.sweep_disagreements,
    ),
    FigureEntry(sweep_accuracy.NAME, sweep_accuracy.TITLE, sweep_accuracy.sweep_accuracy),
    FigureEntry(sweep_gap.NAME, sweep_gap.TITLE, sweep_gap.sweep_gap),
    FigureEntry(learning_slope.NAME, learning_slope.TITLE, learning_slope.learning_slope),
    FigureEntry(timing.NAME, timing.TITLE, timing.timing),
)


def draw_all(summary: AnySummary) -> tuple[Drawing | Absence, ...]:
    """Every figure of the summary's kind, in order; an absence where one cannot be had."""
    if isinstance(summary, SweepSummary):
        return tuple(entry.draw(summary) for entry in SWEEP_FIGURES)
    return tuple(entry.draw(summary) for entry in FIGURES)

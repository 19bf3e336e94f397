"""The figures there are, in the order of the page."""

from collections.abc import Callable
from dataclasses import dataclass

from gnbbench.report.figures import (
    accuracy,
    accuracy_spread,
    confidence,
    confusion,
    decision_regions,
    probability_differences,
    reliability,
    timing,
)
from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.statistics.summary import Summary


@dataclass(frozen=True)
class FigureEntry:
    """One figure of the catalogue.

    Parameters
    ----------
    name : str
        Stem of its files.
    title : str
        What it shows.
    draw : callable
        Takes a Summary; gives the drawing, or says why there is none.
    """

    name: str
    title: str
    draw: Callable[[Summary], Drawing | Absence]


FIGURES = (
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


def draw_all(summary: Summary) -> tuple[Drawing | Absence, ...]:
    """Every figure of the catalogue, in its order; an absence where one cannot be had."""
    return tuple(entry.draw(summary) for entry in FIGURES)

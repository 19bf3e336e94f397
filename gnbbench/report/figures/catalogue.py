"""The figures there are, in the order of the pages.

Their modules load matplotlib, so each is imported when its figure is first drawn.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from gnbbench.report.figures.drawing import Absence, Drawing


@dataclass(frozen=True)
class FigureEntry:
    """One figure of the catalogue, or one for each of several things."""

    name: str  # Stem of its files
    title: str  # What it shows
    module: str  # In this package
    function: str  # A summary in, a drawing or its absence out
    kinds: tuple[str, ...]  # The studies whose pages have it
    # Function of that module: what of a summary has such a figure each; fills the braces
    each: str = ""

    def draw(self, summary: Any, *part: Any) -> Drawing | Absence:
        """The figure of a summary, or of one of its parts; or why there is none."""
        figure: Drawing | Absence = self._load(self.function)(summary, *part)
        return figure

    def parts(self, summary: Any) -> Iterable[tuple[Any, ...]]:
        """What of a summary has this figure: parts of it, or all of it."""
        if not self.each:
            return ((),)
        return ((part,) for part in self._load(self.each)(summary))

    def _load(self, function: str) -> Callable[..., Any]:
        module = import_module(f"gnbbench.report.figures.{self.module}")
        found: Callable[..., Any] = getattr(module, function)
        return found


FIGURES = (
    FigureEntry(
        "probability_differences",
        "Differences of probabilities from the reference",
        "probability_differences",
        "probability_differences",
        ("compare", "stream"),
    ),
    FigureEntry(
        "accuracy",
        "Accuracy on the train and the test side",
        "accuracy",
        "accuracy",
        ("compare", "stream"),
    ),
    FigureEntry(
        "accuracy_spread",
        "Test accuracy by run, and the difference from the reference",
        "accuracy_spread",
        "accuracy_spread",
        ("compare", "stream"),
    ),
    FigureEntry(
        "confusion",
        "Confusion of classes on the test side",
        "confusion",
        "confusion",
        ("compare", "stream"),
    ),
    FigureEntry(
        "confidence",
        "Confidence where right and where wrong",
        "confidence",
        "confidence",
        ("compare", "stream"),
    ),
    FigureEntry(
        "reliability",
        "Reliability of the confidence",
        "reliability",
        "reliability",
        ("compare", "stream"),
    ),
    FigureEntry(
        "decision_regions",
        "Decision regions in the plane of two features",
        "decision_regions",
        "decision_regions",
        ("compare", "stream"),
    ),
    FigureEntry(
        "sweep_disagreements",
        "Disagreements with the reference against the train fraction",
        "sweep_disagreements",
        "sweep_disagreements",
        ("sweep-split",),
    ),
    FigureEntry(
        "sweep_accuracy",
        "Accuracy against the train fraction",
        "sweep_accuracy",
        "sweep_accuracy",
        ("sweep-split",),
    ),
    FigureEntry(
        "sweep_gap",
        "Train minus test accuracy against the train fraction",
        "sweep_gap",
        "sweep_gap",
        ("sweep-split",),
    ),
    FigureEntry(
        "learning_slope",
        "Slope of the learning curve",
        "learning_slope",
        "learning_slope",
        ("sweep-split",),
    ),
    FigureEntry(
        "timing",
        "Time of fit, predict and predict_proba",
        "timing",
        "timing",
        ("compare", "stream", "sweep-split"),
    ),
    FigureEntry(
        "matrix",
        "Labels that differ, by implementation and dataset",
        "matrix",
        "matrix_figure",
        ("matrix",),
    ),
    FigureEntry(
        "correlations",
        "Correlations of features within each class",
        "correlations",
        "correlations",
        ("assumptions",),
    ),
    FigureEntry(
        "normality_histograms",
        "Distributions within a class, and the normal ones fitted to them",
        "normality_histograms",
        "normality_histograms",
        ("assumptions",),
    ),
    FigureEntry(
        "normality_quantiles",
        "Q–Q plots against the normal distribution",
        "normality_quantiles",
        "normality_quantiles",
        ("assumptions",),
    ),
    FigureEntry(
        "costs",
        "GNB beside models without one assumption",
        "costs",
        "costs",
        ("assumptions",),
    ),
    FigureEntry(
        "scale_{}",
        "Time against {}",
        "scale_times",
        "scale_times",
        ("scale",),
        "sizes",
    ),
    FigureEntry(
        "scale_throughput",
        "Throughput against the speed of one read",
        "scale_throughput",
        "scale_throughput",
        ("scale",),
    ),
    FigureEntry(
        "scale_memory",
        "Extra memory of fit and predict",
        "scale_memory",
        "scale_memory",
        ("scale",),
    ),
    FigureEntry(
        "claim-{0.claim.id}",
        "{0.claim.id} under many seeds",
        "claim_spreads",
        "claim_spread",
        ("reproduce",),
        "varied_claims",
    ),
)


def figures_of(kind: str) -> tuple[FigureEntry, ...]:
    """The figures of a kind of study, in the order of its page."""
    return tuple(entry for entry in FIGURES if kind in entry.kinds)


def draw_figures(kind: str, summary: Any) -> tuple[Drawing | Absence, ...]:
    """Every figure of a study, in order; an absence where one cannot be had."""
    return tuple(
        entry.draw(summary, *part)
        for entry in figures_of(kind)
        for part in entry.parts(summary)
    )


def draw_figure(name: str, summary: Any, *part: Any) -> Drawing | Absence:
    """One figure by its name in the catalogue, of a summary or of one of its parts."""
    entry = next(entry for entry in FIGURES if entry.name == name)
    return entry.draw(summary, *part)

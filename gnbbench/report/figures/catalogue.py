"""The figures there are, in the order of the pages.

Their modules load matplotlib, so each is imported when its figure is first asked for.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from gnbbench.report.figures.drawing import Absence, Drawing, Plot

COMPARE, SWEEP, SCALE = ("compare", "stream"), ("sweep-split",), ("scale",)
ASSUMPTIONS = ("assumptions",)


@dataclass(frozen=True)
class FigureEntry:
    """One figure of the catalogue, or one for each of several parts of a summary."""

    name: str  # Stem of its files; a part fills its braces
    title: str  # What it shows, whatever the data; a part fills its braces
    module: str  # In this package
    kinds: tuple[str, ...]  # The studies that have it
    function: str = ""  # In that module, if it is not called as the figure is
    parts: str = ""  # Function of that module that gives the parts

    def draw(self, summary: Any, *part: Any) -> Drawing | Absence:
        """The figure of a summary, or of one of its parts; or why there is none."""
        found: Plot | str = self._load(self.function or self.name)(summary, *part)
        name, title = self.name.format(*part), self.title.format(*part)
        if isinstance(found, str):
            return Absence(name, title, found)
        return Drawing(**vars(found), name=name, title=title)

    def parts_of(self, summary: Any) -> Iterable[tuple[Any, ...]]:
        """The parts of a summary that have such a figure each, or all of it."""
        if not self.parts:
            return ((),)
        return ((part,) for part in self._load(self.parts)(summary))

    def _load(self, function: str) -> Callable[..., Any]:
        module = import_module(f"gnbbench.report.figures.{self.module}")
        found: Callable[..., Any] = getattr(module, function)
        return found


FIGURES = (
    FigureEntry(
        "probability_differences",
        "Differences of probabilities from the reference",
        "probability_differences",
        COMPARE,
    ),
    FigureEntry("accuracy", "Accuracy on the train and the test side", "accuracy", COMPARE),
    FigureEntry(
        "accuracy_spread",
        "Test accuracy by run, and the difference from the reference",
        "accuracy",
        COMPARE,
    ),
    FigureEntry("confusion", "Confusion of classes on the test side", "confusion", COMPARE),
    FigureEntry(
        "confidence", "Confidence where right and where wrong", "accuracy", COMPARE
    ),
    FigureEntry("reliability", "Reliability of the confidence", "reliability", COMPARE),
    FigureEntry(
        "decision_regions",
        "Decision regions in the plane of two features",
        "decision_regions",
        COMPARE,
    ),
    FigureEntry(
        "sweep_disagreements",
        "Disagreements with the reference against the train fraction",
        "sweep_disagreements",
        SWEEP,
    ),
    FigureEntry("sweep_accuracy", "Accuracy against the train fraction", "sweep", SWEEP),
    FigureEntry(
        "sweep_gap", "Train minus test accuracy against the train fraction", "sweep", SWEEP
    ),
    FigureEntry("learning_slope", "Slope of the learning curve", "sweep", SWEEP),
    FigureEntry(
        "timing", "Time of fit, predict and predict_proba", "timing", (*COMPARE, *SWEEP)
    ),
    FigureEntry(
        "matrix", "Labels that differ, by implementation and dataset", "matrix", ("matrix",)
    ),
    FigureEntry(
        "correlations",
        "Correlations of features within each class",
        "correlations",
        ASSUMPTIONS,
    ),
    FigureEntry(
        "normality_histograms",
        "Distributions within a class, and the normal ones fitted to them",
        "normality",
        ASSUMPTIONS,
    ),
    FigureEntry(
        "normality_quantiles",
        "Q–Q plots against the normal distribution",
        "normality",
        ASSUMPTIONS,
    ),
    FigureEntry("costs", "GNB beside models without one assumption", "costs", ASSUMPTIONS),
    FigureEntry("scale_{}", "Time against {}", "scale", SCALE, "scale_times", "sizes"),
    FigureEntry(
        "scale_throughput", "Throughput against the speed of one read", "scale", SCALE
    ),
    FigureEntry("scale_memory", "Extra memory of fit and predict", "scale", SCALE),
    FigureEntry(
        "claim-{0.claim.id}",
        "{0.claim.id} under many seeds",
        "claim_spreads",
        ("reproduce",),
        "claim_spread",
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
        for part in entry.parts_of(summary)
    )


def draw_figure(name: str, summary: Any, *part: Any) -> Drawing | Absence:
    """One figure by its name in the catalogue, of a summary or of one of its parts."""
    entry = next(entry for entry in FIGURES if entry.name == name)
    return entry.draw(summary, *part)

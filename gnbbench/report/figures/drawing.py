"""The figures there are, and what each hands over: the picture, its words and its data.

Their modules load matplotlib, so each is imported when its figure is first asked for. A
drawing becomes PNG and SVG for files, and SVG to stand within a page.
"""

import html
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pandas as pd

from gnbbench.report.style import (
    INK,
    MUTED,
    PAPER,
    RULE,
    TITLE_GID,
    drawing_style,
    freeze,
    new_figure,
    title_points,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NOTHING = {"Date": None, "Creator": None, "Format": None, "Type": None}
_TAG = re.compile(r"<[^>]*>")
_PAGE_COLOURS = {
    INK: "currentColor",
    MUTED: "var(--muted)",
    RULE: "var(--rule)",
    PAPER: "var(--paper)",
}


@dataclass(frozen=True, kw_only=True)
class Plot:
    """What a figure says and shows of a summary."""

    finding: str  # What the data say, as one sentence; it is the title within the picture
    caption: str  # How to read it
    alt: str  # What it is; range; finding; exception
    frame: pd.DataFrame  # The drawn values, without rounding
    inches: float  # Height of what stands below the title
    draw: Callable[["Figure"], None]  # Takes an empty figure


@dataclass(frozen=True, kw_only=True)
class Drawing(Plot):
    """A figure together with all that a reader who cannot see it needs."""

    name: str  # Stem of its files
    title: str  # What it shows, whatever the data

    @cached_property
    def figure(self) -> "Figure":
        """The picture, laid out and unsaved; drawn when it is first asked for."""
        with drawing_style():
            figure = new_figure(self.inches, self.finding)
            self.draw(figure)
            return freeze(figure)


@dataclass(frozen=True)
class Absence:
    """A figure that could not be drawn, and why."""

    name: str  # As in `Drawing`
    title: str  # As in `Drawing`
    reason: str  # One sentence for the page


# Module of this package -> figures that its functions make, by the stems of their files,
# and their titles, which hold whatever the data. A part of a summary fills the braces.
FIGURES: Mapping[str, Mapping[str, str]] = {
    "probabilities": {
        "probability_differences": "Differences of probabilities from the reference",
        "reliability": "Reliability of the confidence",
    },
    "accuracy": {
        "accuracy": "Accuracy on the train and the test side",
        "accuracy_spread": "Test accuracy by run, and the difference from the reference",
        "confidence": "Confidence where right and where wrong",
    },
    "heat_maps": {
        "confusion": "Confusion of classes on the test side",
        "matrix": "Labels that differ, by implementation and dataset",
    },
    "decision_regions": {
        "decision_regions": "Decision regions in the plane of two features"
    },
    "sweep": {
        "sweep_disagreements": "Disagreements with the reference against the train "
        "fraction",
        "sweep_accuracy": "Accuracy against the train fraction",
        "sweep_gap": "Train minus test accuracy against the train fraction",
        "learning_slope": "Slope of the learning curve",
    },
    "timing": {"timing": "Time of fit, predict and predict_proba"},
    "assumptions": {
        "correlations": "Correlations of features within each class",
        "normality_histograms": "Distributions within a class, and the normal ones fitted "
        "to them",
        "normality_quantiles": "Q–Q plots against the normal distribution",
        "costs": "GNB beside models without one assumption",
    },
    "scale": {
        "scale_{}": "Time against {}",
        "scale_throughput": "Throughput against the speed of one read",
        "scale_memory": "Extra memory of fit and predict",
    },
    "claim_spreads": {"claim-{0.claim.id}": "{0.claim.id} under many seeds"},
}


def draw_figure(name: str, summary: Any, *part: Any) -> Drawing | Absence:
    """Return a figure of a summary, or of one of its parts; or why there is none."""
    module = next(module for module, titles in FIGURES.items() if name in titles)
    make = getattr(
        import_module(f"gnbbench.report.figures.{module}"),
        name.partition("{")[0].strip("-_"),
    )
    plot: Plot | str = make(summary, *part)
    stem, title = name.format(*part), FIGURES[module][name].format(*part)
    if isinstance(plot, str):
        return Absence(stem, title, plot)
    return Drawing(**vars(plot), name=stem, title=title)


@drawing_style()
def png(drawing: Drawing) -> bytes:
    """Picture as PNG on white; the same bytes for the same data."""
    buffer = BytesIO()
    canvas: Any = drawing.figure.canvas
    canvas.print_png(buffer, metadata={"Software": None})
    return buffer.getvalue()


@drawing_style()
def svg(drawing: Drawing) -> str:
    """Picture as a standalone SVG on white; the same text for the same data."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    buffer = BytesIO()
    figure = drawing.figure
    canvas, dots_per_inch = figure.canvas, figure.dpi
    FigureCanvasSVG(figure).print_svg(buffer, metadata=_NOTHING)  # type: ignore[no-untyped-call]  # matplotlib's has no types
    # It leaves a resolution of its own behind; the PNG is drawn by the other canvas.
    figure.dpi = dots_per_inch
    figure.set_canvas(canvas)
    return buffer.getvalue().decode()


def inline_svg(drawing: Drawing, text: str) -> str:
    """SVG to stand in a page: own ids, the page's colours, a name, no title of its own."""
    prefix = f"{drawing.name}-"
    body = _TAG.sub(lambda tag: _of_page(tag.group(), prefix), text[text.index("<svg") :])
    body = _without_title(body, prefix)
    return re.sub(r"<svg[^>]*>", lambda tag: _opening(drawing, tag.group()), body, count=1)


def _of_page(tag: str, prefix: str) -> str:
    """One tag with its ids prefixed and the page's variables for colours."""
    if tag.startswith("<image"):
        return re.sub(r'\sid="[^"]*"', "", tag)
    tag = re.sub(r'\bid="', f'id="{prefix}', tag)
    tag = tag.replace('href="#', f'href="#{prefix}').replace("url(#", f"url(#{prefix}")
    for colour, variable in _PAGE_COLOURS.items():
        tag = tag.replace(colour, variable)
    return tag


def _without_title(body: str, prefix: str) -> str:
    """Drop the group of the finding; it holds text elements only."""
    start = body.index(f'<g id="{prefix}{TITLE_GID}">')
    depth = 0
    for tag in re.finditer(r"<g\b|</g>", body[start:]):
        depth += 1 if tag.group() != "</g>" else -1
        if depth == 0:
            return body[:start] + body[start + tag.end() :]
    return body


def _opening(drawing: Drawing, tag: str) -> str:
    found = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', tag)
    width, height = (float(size) for size in found.groups()) if found else (1.0, 1.0)
    top = title_points(drawing.finding) - 6
    name = html.escape(drawing.alt, quote=True)
    box = f"0 {top:g} {width:g} {height - top:g}"
    return (
        f'<svg role="img" aria-label="{name}" viewBox="{box}" '
        'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'
    )

"""The figures there are, and what each hands over: the picture, its words and its data.

Their modules load matplotlib, so each is imported when its figure is first asked for. A
drawing becomes PNG and SVG for files, and SVG to stand within a page.
"""

import html
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from gnbbench.report.style import (
    INK,
    MUTED,
    PAPER,
    RULE,
    Panel,
    draw,
    drawing_style,
    places,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NOTHING = {"Date": None, "Creator": None, "Format": None, "Type": None}
_TAG = re.compile(r"<[^>]*>")
_GROUPS = re.compile(r"<g\b[^>]*(?<!/)>|</g>")
_TIP = "tip:"
_TIPS = re.compile(f'<g id="{_TIP}([^"]*)">')
_EMPTY_TIPS = re.compile(f'<g id="{_TIP}[^"]*"/>')
# At the top level, where style sheet, clip paths and hatches are; markers are deeper.
_DEFINITIONS = re.compile(r"^ <defs>.*?^ </defs>", re.DOTALL | re.MULTILINE)
_GAPS = re.compile(r">\s+<")
_SPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
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
    shows: str  # What it is and its range, for who cannot see it; the finding follows
    exception: str = ""  # Sentences on what is missing or stands out
    frame: pd.DataFrame  # The drawn values, without rounding
    panels: Sequence[Panel]  # In the order of reading

    @property
    def alt(self) -> str:
        """What it is; range; finding; exception."""
        return f"{self.shows}. {self.finding}. {self.exception}".rstrip()


@dataclass(frozen=True, kw_only=True)
class Drawing(Plot):
    """A figure together with all that a reader who cannot see it needs."""

    name: str  # Stem of its files
    title: str  # What it shows, whatever the data

    @cached_property
    def figure(self) -> "Figure":
        """The picture, unsaved; drawn when it is first asked for."""
        with drawing_style():
            return draw(self.finding, self.panels)

    @property
    def is_slim(self) -> bool:
        """Whether no panel stands beside another, so that words may stand beside all."""
        found, *_ = places("", self.panels)
        return len({place.row for place in found}) == len(found)


@dataclass(frozen=True)
class Absence:
    """A figure that could not be drawn, and why."""

    name: str  # As in `Drawing`
    title: str  # As in `Drawing`
    reason: str  # One sentence for the page


# What figures are called, and the tone of each outcome.
TITLES: Mapping[str, Mapping[str, Any]] = tomllib.loads(
    (Path(__file__).parents[1] / "titles.toml").read_text(encoding="utf-8")
)
# Module of this package -> figures that its functions make, with their titles.
FIGURES: Mapping[str, Mapping[str, str]] = TITLES["figures"]


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
    # Twice the size at a tenth of the time
    canvas.print_png(buffer, metadata={"Software": None}, pil_kwargs={"compress_level": 2})
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
    return _with_tips(buffer.getvalue().decode())


def tip(*texts: str) -> str | None:
    """Return the id of a group that says these texts where a pointer rests on it.

    An artist takes it as its gid. One text is that of the whole group; of several each mark
    in it has one.
    """
    return _TIP + "\n".join(texts) if texts else None


def _with_tips(text: str) -> str:
    """Turn ids that hold texts into titles, which browsers show."""
    text = _EMPTY_TIPS.sub("", text)
    found, at = [], 0
    for group in _TIPS.finditer(text):
        end = _end_of_group(text, group.start())
        titles = [f"<title>{title}</title>" for title in group[1].split("\n")]
        found += [text[at : group.start()], "<g>", _titled(text[group.end() : end], titles)]
        at = end
    return "".join([*found, text[at:]])


def _titled(body: str, titles: Sequence[str]) -> str:
    """Give each mark its title; none where a mark more or less was drawn than told."""
    if len(titles) == 1:
        return titles[0] + body
    for kind in ("use", "path"):
        marks = re.compile(rf"(<{kind}\b[^>]*)/>")
        if len(marks.findall(body)) == len(titles):
            rest = iter(titles)
            return marks.sub(lambda mark: f"{mark[1]}>{next(rest)}</{kind}>", body)  # noqa: B023  used at once
    return body


def _end_of_group(text: str, start: int) -> int:
    depth = 0
    for tag in _GROUPS.finditer(text, start):
        depth += 1 if tag[0] != "</g>" else -1
        if depth == 0:
            return tag.end()
    raise ValueError("A group of the drawing has no end.")


def inline_svg(drawing: Drawing, text: str) -> str:
    """Panels to stand in a page, row by row, each an SVG of its own without the finding.

    Its ids are its own, its colours the page's. What all refer to stands in the first.
    """
    prefix = f"{drawing.name}-"
    shared = "".join(_DEFINITIONS.findall(text))
    shared, body = (
        _TAG.sub(lambda tag: _of_page(tag[0], prefix), _GAPS.sub("><", part))
        for part in (shared, text)
    )
    found, _, _ = places(drawing.finding, drawing.panels)
    rows: dict[int, str] = {}
    for place in found:
        start = body.index(f'<g id="{prefix}{place.gid}">')
        group = body[start : _end_of_group(body, start)]
        box = f"{place.left:g} {place.top:g} {place.width:g} {place.height:g}"
        shown = f'<svg style="--w: {place.width:g}" viewBox="{box}" {_SPACES}>'
        rows[place.row] = f"{rows.get(place.row, '')}{shown}{shared}{group}</svg>"
        shared = ""
    name = html.escape(drawing.alt, quote=True)
    lines = "".join(f'<div class="row">{row}</div>' for row in rows.values())
    return f'<div class="drawing" role="img" aria-label="{name}">{lines}</div>'


def _of_page(tag: str, prefix: str) -> str:
    """One tag with its ids prefixed and the page's variables for colours."""
    if tag.startswith("<image"):
        return re.sub(r'\sid="[^"]*"', "", tag)
    tag = re.sub(r'\bid="', f'id="{prefix}', tag)
    tag = tag.replace('href="#', f'href="#{prefix}').replace("url(#", f"url(#{prefix}")
    for colour, variable in _PAGE_COLOURS.items():
        tag = tag.replace(colour, variable)
    return tag

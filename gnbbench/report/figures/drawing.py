"""The registry of figures, and what each returns: picture, texts and data.

Their modules load matplotlib, so each is imported when its figure is first used. A drawing
is saved as PNG and SVG, and shown as SVG within a page.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from io import BytesIO
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pandas as pd

from gnbbench.files import toml_beside
from gnbbench.report import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NOTHING = {"Date": None, "Creator": None, "Format": None, "Type": None}
_TIP, _SEPARATOR = "tip:", "\N{LINE SEPARATOR}"
_LONG = re.compile(r"-?\d+\.\d{3,}|(?<=\s)\s+")  # Digits that nobody sees, and gaps
_USUAL_FONT = "font-family: 'DejaVu Sans'; "
_LINK = "{http://www.w3.org/1999/xlink}href"
_NAMESPACES = {
    "xmlns": "http://www.w3.org/2000/svg",
    "xmlns:xlink": "http://www.w3.org/1999/xlink",
}
_PAGE_COLOURS = {
    style.INK: "currentColor",
    style.MUTED: "var(--muted)",
    style.RULE: "var(--rule)",
    style.PAPER: "var(--paper)",
}


@dataclass(frozen=True, kw_only=True)
class Plot:
    """The texts, data and panels of a figure."""

    finding: str  # One sentence on what the data say: the title within the picture
    caption: str  # How to read it
    shows: (
        str  # What it is and its range, for readers who cannot see it; the finding follows
    )
    exception: str = ""  # Sentences on what is missing or striking
    frame: pd.DataFrame  # The drawn values, without rounding
    panels: Sequence[style.Panel]  # In the order of reading

    @property
    def alt(self) -> str:
        """What it is; range; finding; exception."""
        return f"{self.shows}. {self.finding}. {self.exception}".rstrip()


@dataclass(frozen=True, kw_only=True)
class Drawing(Plot):
    """A figure with its name and title."""

    name: str  # Stem of its files
    title: str  # What it shows, whatever the data

    @cached_property
    def figure(self) -> "Figure":
        """The picture, unsaved; drawn on first use."""
        with style.drawing_style():
            return style.draw(self.finding, self.panels)

    @property
    def is_slim(self) -> bool:
        """Whether all panels are stacked, which leaves room for text beside them."""
        placed, *_ = style.places("", self.panels)
        return len({place.row for place in placed}) == len(placed)


@dataclass(frozen=True)
class Absence:
    """A figure that could not be drawn, and why."""

    name: str  # As in `Drawing`
    title: str  # As in `Drawing`
    reason: str  # One sentence for the page


# Titles of figures, and the tone of each outcome.
TITLES: Mapping[str, Mapping[str, Any]] = toml_beside(__file__, "../titles.toml")
# Module of this package -> its figures with their titles.
FIGURES: Mapping[str, Mapping[str, str]] = TITLES["figures"]


def draw_figure(name: str, summary: Any, *part: Any) -> Drawing | Absence:
    """Return a figure of a summary or of a part of it, or why there is none."""
    module = next(module for module, titles in FIGURES.items() if name in titles)
    stem = name.partition("{")[0].strip("-_")
    make = getattr(import_module(f"gnbbench.report.figures.{module}"), stem)
    plot: Plot | str = make(summary, *part)
    stem, title = name.format(*part), FIGURES[module][name].format(*part)
    if isinstance(plot, str):
        return Absence(stem, title, plot)
    return Drawing(**vars(plot), name=stem, title=title)


@style.drawing_style()
def png(drawing: Drawing) -> bytes:
    """Render as PNG on white; the same bytes for the same data."""
    buffer = BytesIO()
    canvas: Any = drawing.figure.canvas
    # Twice the size at a tenth of the time
    canvas.print_png(buffer, metadata={"Software": None}, pil_kwargs={"compress_level": 2})
    return buffer.getvalue()


@style.drawing_style()
def svg(drawing: Drawing) -> str:
    """Render as a standalone SVG on white; the same text for the same data."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    buffer = BytesIO()
    figure = drawing.figure
    canvas, dots_per_inch = figure.canvas, figure.dpi
    FigureCanvasSVG(figure).print_svg(buffer, metadata=_NOTHING)  # type: ignore[no-untyped-call]  # matplotlib's has no types
    # The SVG canvas changes the resolution; the PNG needs the earlier one and its canvas.
    figure.dpi = dots_per_inch
    figure.set_canvas(canvas)
    return _with_titles(buffer.getvalue().decode())


def tip(*texts: str) -> str | None:
    """Return a gid that gives an artist tooltips.

    One text is for the whole group; several are for its marks, one each.
    """
    return _TIP + _SEPARATOR.join(texts) if texts else None


def _with_titles(text: str) -> str:
    """Turn ids that hold tooltips into SVG titles, which browsers show."""
    root = _parsed(text)
    for parent in list(root.iter("g")):
        for group in list(parent):
            if not group.get("id", "").startswith(_TIP):
                continue
            titles = group.attrib.pop("id").removeprefix(_TIP).split(_SEPARATOR)
            if len(group):
                add_titles(group, titles)
            else:
                parent.remove(group)
    root.attrib = {**_NAMESPACES, **root.attrib}
    declaration = '<?xml version="1.0" encoding="utf-8"?>'
    return f"{declaration}\n{ElementTree.tostring(root, 'unicode')}\n"


def add_titles(group: ElementTree.Element, titles: Sequence[str]) -> None:
    """Give each mark its title; do nothing if the numbers of marks and titles differ."""
    if len(titles) == 1:
        group.insert(0, _title(titles[0]))
        return
    for kind in ("use", "path"):
        marks = list(group.iter(kind))
        if len(marks) == len(titles):
            for mark, title in zip(marks, titles, strict=True):
                mark.append(_title(title))
            return


def _title(text: str) -> ElementTree.Element:
    title = ElementTree.Element("title")
    title.text = text
    return title


def inline_svg(drawing: Drawing, text: str) -> str:
    """Return the panels for a page, row by row, each as an SVG without the finding.

    Ids are unique on the page; colours and font are the page's. Shared definitions (style
    sheet, clip paths, hatches) are in the first panel.
    """
    root, prefix = _parsed(text), f"{drawing.name}-"
    standing = style.places(drawing.finding, drawing.panels)[0]
    named = {*re.findall(r"#([\w.-]+)", text), *(place.gid for place in standing)}
    for element in reversed([*root.iter()]):  # Parts come before what holds them
        _reduce(element, named)
        _adapt(element, prefix)
    groups = {group.get("id"): group for group in root.iter("g")}
    shared = root.findall("defs")
    name = {"class": "drawing", "role": "img", "aria-label": drawing.alt}
    rows: dict[int, ElementTree.Element] = {}
    for place in standing:
        box = f"{place.left:g} {place.top:g} {place.width:g} {place.height:g}"
        look = {"style": f"--w: {place.width:g}", "viewBox": box, **_NAMESPACES}
        panel = ElementTree.Element("svg", look)
        panel.extend([*shared, groups[prefix + place.gid]])
        shared = []
        row = rows.setdefault(place.row, ElementTree.Element("div", {"class": "row"}))
        row.append(panel)
    whole = ElementTree.Element("div", name)
    whole.extend(rows.values())
    return ElementTree.tostring(whole, "unicode")


def _parsed(text: str) -> ElementTree.Element:
    """Parse an SVG, and drop the namespaces from its names."""
    root = ElementTree.fromstring(text)  # noqa: S314  matplotlib wrote it
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        if _LINK in element.attrib:
            element.set("xlink:href", element.attrib.pop(_LINK))
    return root


def _reduce(element: ElementTree.Element, named: Collection[str]) -> None:
    """Drop what nobody sees: blank text, unused ids, no rotation, a repeated style."""
    element.text, element.tail = _closed(element.text), _closed(element.tail)
    attributes = element.attrib
    if attributes.get("id") not in named or element.tag == "image":
        attributes.pop("id", None)
    if attributes.get("transform", "").startswith("rotate(-0 "):
        del attributes["transform"]
    looks = {part.get("style", "") for part in element if part.tag == "use"}
    if element.tag == "g" and len(element) > 1 and len(looks) == 1:
        attributes["style"] = looks.pop()
        for part in element.iter("use"):
            del part.attrib["style"]
    for place, part in enumerate(element):
        if part.tag == "g" and not part.attrib and len(part) == 1:
            element[place] = part[0]


def _adapt(element: ElementTree.Element, prefix: str) -> None:
    """Prefix the ids of an element and set the page's colours."""
    attributes = element.attrib
    if element.tag == "image":
        return
    for name, value in attributes.items():
        value = _LONG.sub(_shorter, value).replace(_USUAL_FONT, "")  # noqa: PLW2901
        if name == "style":
            value = value.replace("; ", ";").replace(": ", ":")  # noqa: PLW2901
        attributes[name] = value
        if name == "id":
            attributes[name] = prefix + value
        elif name == "xlink:href":
            attributes[name] = value.replace("#", f"#{prefix}", 1)
        elif "#" in value:
            attributes[name] = value.replace("url(#", f"url(#{prefix}")
            for colour, variable in _PAGE_COLOURS.items():
                attributes[name] = attributes[name].replace(colour, variable)


def _shorter(found: re.Match[str]) -> str:
    """Return a number with at most two decimals, and nothing for a gap."""
    return f"{float(found[0]):.2f}".rstrip("0").rstrip(".") if found[0].strip() else ""


def _closed(text: str | None) -> str | None:
    return text if text and text.strip() else None

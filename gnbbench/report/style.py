"""The look of every figure: colours, type, sizes and layout.

The page needs the colours too, so matplotlib is only loaded to draw.
"""

import gc
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import chain, cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnbbench.words import drawable, figure_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#1b2027"
MUTED = "#5a6470"
RULE = "#d9dee4"
PAPER = "#ffffff"
ON_DARK_CELL = "#fffffe"

# A page lays panels beside or below each other. The widest fits a phone of 390 pixels at
# full size, where the smallest type has ten pixels.
HALF, THIRD, QUARTER = 4.5, 3.0, 2.25
WIDTH_INCHES = 9.0
SMALL = 9.5

_OURS = "numpy"
_TITLE_SIZE = 11.5
_TITLE_LINE = 15.0
_TITLE_LETTERS = 9.2  # An inch
_DOTS = 130  # An inch
_GAP = 0.06  # Inches around a panel

_REFERENCE, _OUR = ("#D55E00", "s", "///"), ("#0072B2", "o", "")
_FURTHER = (
    ("#009E73", "^", "\\\\\\"),
    ("#CC79A7", "D", "xx"),
    ("#56B4E9", "v", "--"),
    ("#E69F00", "P", "++"),
    ("#717581", "X", "||"),
)

# Petroff (2021), which matplotlib calls petroff10.
CLASS_COLOURS = (
    *("#3f90da", "#ffa90e", "#bd1f01", "#94a4a2", "#832db6"),
    *("#a96b59", "#e76300", "#b9ac70", "#717581", "#92dadd"),
)
CLASS_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h", "*")


@dataclass(frozen=True)
class Panel:
    """One self-contained part of a figure."""

    draw: "Callable[[Axes], object]"
    height: float  # Inches
    width: float = HALF  # Inches
    apart: bool = False  # Whether it has its own row, like a key
    first: bool = False  # Whether it begins a row
    is_key: bool = False  # Whether it is a legend or a colour scale
    foot: float = 0.0  # Inches below its axes that other panels of its row lack


@dataclass(frozen=True)
class Place:
    """The position of a panel, in points from the left and the top of its figure."""

    panel: Panel
    row: int
    left: float
    top: float
    width: float
    height: float

    @property
    def gid(self) -> str:
        """Name of its group in the SVG."""
        return f"panel-{self.left:g}-{self.top:g}"


@dataclass(frozen=True)
class LineStyle:
    """How an implementation is distinguished from the others: never by colour alone."""

    label: str  # Short name that can be drawn
    colour: str  # As in matplotlib
    marker: str
    hatch: str  # Empty for a solid fill


@contextmanager
def drawing_style() -> Iterator[None]:
    """Draw in the style of the report, whatever matplotlib's settings.

    It is a context manager and a decorator, and restores the settings afterwards.
    """
    import matplotlib

    settings: Any = matplotlib.rcParams
    wanted = _settings()
    if settings["svg.hashsalt"] == wanted["svg.hashsalt"]:
        yield  # Nested
        return
    # Drawings stay alive; collecting garbage among them costs a tenth of the time.
    collects = gc.isenabled()
    changed = {name: value for name, value in wanted.items() if settings[name] != value}
    before = {name: settings[name] for name in changed}
    settings.update(changed)
    gc.disable()
    try:
        yield
    finally:
        settings.update(before)
        if collects:
            gc.enable()


@cache
def _settings() -> dict[str, Any]:
    """Return matplotlib's defaults, with the style sheet of the figures on top."""
    import matplotlib

    sheet = Path(__file__).parent / "templates" / "figures.mplstyle"
    own = matplotlib.rc_params_from_file(sheet, use_default_template=False)
    both = {**matplotlib.rcParamsDefault, **own}
    return {name: value for name, value in both.items() if "backend" not in name}


def line_styles(implementations: Sequence[str]) -> dict[str, LineStyle]:
    """Return the style of each implementation; the first is the reference.

    Ours is blue; without it the first competitor is.
    """
    reference, *competitors = implementations
    ordered = sorted(competitors, key=lambda name: name != _OURS)
    names = figure_names(implementations)
    looks = chain((_REFERENCE, _OUR), cycle(_FURTHER))
    chosen = {name: LineStyle(names[name], *next(looks)) for name in (reference, *ordered)}
    return {name: chosen[name] for name in implementations}


def class_style(code: int, label: str = "") -> LineStyle:
    """Return the style of a class; marker and colour repeat at different periods."""
    colours, markers = len(CLASS_COLOURS), len(CLASS_MARKERS)
    marker = CLASS_MARKERS[(code + code // colours) % markers]
    return LineStyle(label, CLASS_COLOURS[code % colours], marker, "")


def places(finding: str, panels: Sequence[Panel]) -> tuple[list[Place], float, float]:
    """Return the places of panels below the title, and the whole width and height."""
    rows: list[list[Panel]] = []
    free, apart = 0.0, True
    for panel in panels:
        if panel.apart or panel.first or apart or panel.width > free:
            rows.append([])
            free = WIDTH_INCHES
        rows[-1].append(panel)
        free, apart = free - panel.width, panel.apart
    width = max(HALF, *(sum(panel.width for panel in row) for row in rows))
    placed, top = [], _TITLE_LINE * len(_title_lines(finding, width)) + 10
    for number, row in enumerate(rows):
        left = 0.0
        for panel in row:
            size = 72 * panel.width, 72 * panel.height
            placed.append(Place(panel, number, left, top, *size))
            left += size[0]
        top += 72 * max(panel.height for panel in row)
    return placed, 72 * width, top


def draw(finding: str, panels: Sequence[Panel]) -> "Figure":
    """Draw panels below the finding as their title; works within `drawing_style`.

    The layout measures all labels once: matplotlib's own measures them twice and solves
    equations where rows and columns suffice.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    placed, width, height = places(finding, panels)
    figure = Figure(figsize=(width / 72, height / 72))
    _write_title(figure, finding, height)
    rows: dict[int, list[tuple[Place, Axes]]] = {}
    for place in placed:
        across = (place.left, place.width, width - place.left - place.width)
        down = (place.top, place.height, height - place.top - place.height)
        grid = figure.add_gridspec(3, 3, width_ratios=across, height_ratios=down)
        part = figure.add_subfigure(grid[1, 1], facecolor="none")
        part.set_gid(place.gid)
        axes = part.add_axes((0.15, 0.15, 0.8, 0.75))
        place.panel.draw(axes)
        rows.setdefault(place.row, []).append((place, axes))
    # The canvas of the PNG caches the text sizes that the layout needs. Attached earlier,
    # it would draw the whole figure at each heat map of seaborn.
    FigureCanvasAgg(figure)
    for row in rows.values():
        _fit(row)
    return figure


def _write_title(figure: "Figure", finding: str, height: float) -> None:
    width = figure.get_figwidth()
    text = "\n".join(_title_lines(finding, width))
    look: dict[str, Any] = {"size": _TITLE_SIZE, "weight": "bold", "linespacing": 1.2}
    place = 6 / 72 / width, 1 - 6 / height
    figure.text(*place, text, va="top", ha="left", gid="finding", **look)


def _fit(row: "Sequence[tuple[Place, Axes]]") -> None:
    """Make room for the labels around each panel, equally above and below in a row.

    Positions are rounded, since text sizes depend on their last digits.
    """
    margins = []
    for place, axes in row:
        # Lines and areas lie inside; measuring them costs as much as drawing.
        beyond = [*axes.child_axes, *axes.texts]
        inner = axes.get_window_extent()
        outer = axes.get_tightbbox(for_layout_only=True, bbox_extra_artists=beyond)
        assert outer is not None  # noqa: S101  for mypy
        sides = (inner.x0 - outer.x0, outer.x1 - inner.x1)
        heights = (inner.y0 - outer.y0, outer.y1 - inner.y1)
        margin = [max(size / _DOTS, 0.0) + _GAP for size in (*sides, *heights)]
        margin[2] -= place.panel.foot
        margins.append(margin)
    lowest, above = (max(margin[side] for margin in margins) for side in (2, 3))
    for (place, axes), (left, right, *_) in zip(row, margins, strict=True):
        width, height = place.width / 72, place.height / 72
        below = lowest + place.panel.foot
        across, up = left + right, below + above
        bounds = (left / width, below / height, 1 - across / width, 1 - up / height)
        x, y, across, up = (round(bound, 5) for bound in bounds)
        axes.set_position((x, y, across, up))
        at = (_GAP - left) / (across * width)
        axes.set_title(axes.get_title("left"), x=at)


def _title_lines(finding: str, width_inches: float) -> list[str]:
    letters = int(_TITLE_LETTERS * width_inches)
    lines = textwrap.wrap(finding, letters, break_on_hyphens=False)
    return [drawable(line) for line in lines] or [""]

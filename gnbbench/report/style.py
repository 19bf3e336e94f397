"""How every figure looks: colours, type, sizes, and the frame around the axes.

The page needs the colours too, so matplotlib is loaded where something is drawn.
"""

import gc
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gnbbench.words import drawable, figure_names

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK = "#1b2027"
MUTED = "#5a6470"
RULE = "#d9dee4"
PAPER = "#ffffff"
ON_DARK_CELL = "#fffffe"
ON_LIGHT_CELL = "#010101"

WIDTH_INCHES = 9.0
TITLE_GID = "finding"

_OURS = "numpy"
_TITLE_SIZE = 11.5
_TITLE_LINE = 15.0
_TITLE_WIDTH = 92

_SETTINGS = {
    "axes.axisbelow": True,
    "axes.edgecolor": MUTED,
    "axes.facecolor": "none",
    "axes.grid": True,
    "axes.grid.axis": "x",
    "axes.labelcolor": INK,
    "axes.labelsize": 9,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    # Fixed, since a place of its own costs a look at all ticks whenever it is drawn.
    "axes.titley": 1.0,
    "figure.dpi": 130,
    "figure.facecolor": PAPER,
    "font.family": ["DejaVu Sans"],
    "font.size": 9,
    "grid.color": RULE,
    "grid.linewidth": 0.7,
    "hatch.color": PAPER,
    "hatch.linewidth": 0.8,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "path.simplify": True,
    "savefig.facecolor": PAPER,
    "svg.fonttype": "none",
    "svg.hashsalt": "gnbbench",
    "text.color": INK,
    "text.parse_math": False,
    "xtick.color": MUTED,
    "xtick.labelcolor": INK,
    "xtick.labelsize": 8.5,
    "ytick.color": MUTED,
    "ytick.labelcolor": INK,
    "ytick.labelsize": 8.5,
}

_REFERENCE_COLOUR = "#D55E00"
_OUR_COLOUR = "#0072B2"
_FURTHER = (
    ("#009E73", "^", "\\\\\\"),
    ("#CC79A7", "D", "xx"),
    ("#56B4E9", "v", "--"),
    ("#E69F00", "P", "++"),
    ("#717581", "X", "||"),
)

# Petroff (2021), which matplotlib calls petroff10.
CLASS_COLOURS = (
    "#3f90da",
    "#ffa90e",
    "#bd1f01",
    "#94a4a2",
    "#832db6",
    "#a96b59",
    "#e76300",
    "#b9ac70",
    "#717581",
    "#92dadd",
)
CLASS_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h", "*")


@dataclass(frozen=True)
class LineStyle:
    """What tells one implementation from the others: never colour alone."""

    label: str  # Short name that can be drawn
    colour: str  # As matplotlib takes them
    marker: str
    hatch: str  # Empty for a solid fill


@contextmanager
def drawing_style() -> Iterator[None]:
    """Within it matplotlib draws as the report does, whatever the user's settings.

    Serves as a decorator as well. The settings before come back afterwards.
    """
    import matplotlib

    # What is drawn lives on; looking for garbage among it costs a tenth of the time.
    collects = gc.isenabled()
    with matplotlib.rc_context():
        settings: Any = matplotlib.rcParams
        defaults: Any = matplotlib.rcParamsDefault
        for key, value in {**defaults, **_SETTINGS}.items():
            if "backend" not in key and settings[key] != value:
                settings[key] = value
        gc.disable()
        try:
            yield
        finally:
            if collects:
                gc.enable()


def line_styles(implementations: Sequence[str]) -> dict[str, LineStyle]:
    """Style of each implementation; the first is the reference.

    Ours is blue where it takes part, else the first competitor is.
    """
    reference, *competitors = implementations
    names = figure_names(implementations)
    chosen = {reference: LineStyle(names[reference], _REFERENCE_COLOUR, "s", "///")}
    blue = _OURS if _OURS in competitors else next(iter(competitors), None)
    others = [name for name in competitors if name != blue]
    if blue is not None:
        chosen[blue] = LineStyle(names[blue], _OUR_COLOUR, "o", "")
    for position, name in enumerate(others):
        chosen[name] = LineStyle(names[name], *_FURTHER[position % len(_FURTHER)])
    return {name: chosen[name] for name in implementations}


def class_style(code: int) -> tuple[str, str]:
    """Colour and marker of a class; marker and colour repeat at different periods."""
    colours, markers = len(CLASS_COLOURS), len(CLASS_MARKERS)
    shift = code // colours
    return CLASS_COLOURS[code % colours], CLASS_MARKERS[(code + shift) % markers]


def new_figure(height_inches: float, finding: str) -> "Figure":
    """Empty figure whose top is kept free for the finding as its title.

    Must be called within `drawing_style`.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    lines = _title_lines(finding)
    height = height_inches + title_points(finding) / 72
    figure = Figure(figsize=(WIDTH_INCHES, height), layout="constrained")
    # The one that draws the PNG: it keeps the sizes of texts that the layout asks for.
    FigureCanvasAgg(figure)
    top = 1 - title_points(finding) / 72 / height
    engine = figure.get_layout_engine()
    assert engine is not None  # noqa: S101  layout="constrained" sets one; for mypy
    engine.set(rect=(0.005, 0.005, 0.99, top - 0.01), w_pad=0.06, h_pad=0.05)  # type: ignore[call-arg]  # the base class declares none
    figure.text(
        0.008,
        1 - 6 / 72 / height,
        "\n".join(lines),
        size=_TITLE_SIZE,
        weight="bold",
        va="top",
        ha="left",
        linespacing=1.2,
        gid=TITLE_GID,
    ).set_in_layout(False)
    return figure


def title_points(finding: str) -> float:
    """Height kept for the title, in points."""
    return _TITLE_LINE * len(_title_lines(finding)) + 10


def freeze(figure: "Figure") -> "Figure":
    """Lay the figure out once, so that saving it twice does not do so again.

    Positions are rounded: the solver's last digits change from call to call.
    """
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
    figure.set_layout_engine("none")
    for axes in figure.axes:
        box = axes.get_position(original=True).bounds
        axes.set_position(
            (round(box[0], 6), round(box[1], 6), round(box[2], 6), round(box[3], 6))
        )
    return figure


def _title_lines(finding: str) -> list[str]:
    lines = textwrap.wrap(finding, _TITLE_WIDTH, break_on_hyphens=False)
    return [drawable(line) for line in lines] or [""]

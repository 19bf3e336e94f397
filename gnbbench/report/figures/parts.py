"""Building blocks of figures: rows, points, curves, keys, heat maps and texts."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
import pandas as pd
import seaborn
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Colormap, LinearSegmentedColormap, Normalize
from matplotlib.lines import Line2D
from matplotlib.transforms import ScaledTranslation, blended_transform_factory
from numpy.typing import ArrayLike, NDArray

from gnbbench.arrays import FloatArray
from gnbbench.report.figures.drawing import tip
from gnbbench.report.style import (
    HALF,
    INK,
    MUTED,
    ON_DARK_CELL,
    PAPER,
    RULE,
    SMALL,
    THIRD,
    LineStyle,
    Panel,
)
from gnbbench.statistics.summary import Lookup, Summary
from gnbbench.words import decimal, interval, listing, plural, shorten

ROW_INCHES = 0.44
# Within a row of height 1: the positions of its text and of its mark.
TEXT_PLACE, MARK_PLACE, MARK_HEIGHT = 0.44, 0.7, 0.36
MOST_NAMED_CELLS = 12
MOST_VECTOR_CELLS = 450
LETTERS_PER_INCH = 13
NAMES_LETTERS = 30  # Of several implementations
TITLE_LETTERS = 10.5  # An inch
INCHES_PER_LETTER = 0.085
LINE_INCHES = 0.17
ROW_LETTERS = 52
MOST_SMALL = 4  # Competitors in small multiples
KEY_INCHES = 0.6  # Of the colour key below a heat map

INTERVAL: dict[str, Any] = {
    "marker": "|",
    "markersize": 7,
    "markeredgewidth": 1.6,
    "linewidth": 1.6,
    "solid_capstyle": "butt",
}
BAND: dict[str, Any] = {"alpha": 0.13, "linewidth": 0}
Styles = Mapping[str, LineStyle]
Item = TypeVar("Item")


def panels(
    draw: Callable[[Item, Axes], object],
    items: Iterable[Item],
    height: float,
    width: float = HALF,
) -> list[Panel]:
    """Return a panel of one size for each item, all drawn by one function."""
    return [Panel(partial(draw, item), height, width) for item in items]


def labels(styles: Styles) -> str:
    """Return the short names of all implementations in one phrase."""
    return listing([style.label for style in styles.values()])


def styles_present(styles: Styles, frame: pd.DataFrame) -> dict[str, LineStyle]:
    """Return the styles of implementations that have rows."""
    names = set(frame["implementation"])
    return {name: style for name, style in styles.items() if name in names}


def merged(frame: pd.DataFrame, styles: Styles) -> dict[str, LineStyle]:
    """Merge implementations with equal rows: the first one's style, labelled with all."""
    groups: dict[str, list[str]] = {}
    for name in styles:
        rows = frame[frame["implementation"] == name].drop(columns="implementation")
        groups.setdefault(rows.to_csv(index=False, float_format="%.6g"), []).append(name)

    def label(names: Sequence[str]) -> str:
        texts = (listing([styles[n].label for n in names], most) for most in (3, 2, 1))
        shown = min(texts, key=lambda text: max(len(text), NAMES_LETTERS))
        return shorten(shown, NAMES_LETTERS)

    return {of[0]: replace(styles[of[0]], label=label(of)) for of in groups.values()}


def small(whole: Summary | None, names: Iterable[str]) -> list[str]:
    """Return the names that are drawn: all, or a few in small multiples of a whole.

    These are the reference and the competitors whose labels differ most.
    """
    if whole is None:
        return list(names)
    by = ["mismatches_mean", "max_probability_difference"]
    rows = whole.overall.sort_values(by, ascending=False, kind="stable")
    others = rows.loc[rows["implementation"] != whole.reference, "implementation"]
    chosen = {whole.reference, *others.head(MOST_SMALL)}
    return [name for name in names if name in chosen]


def styled_rows(
    frame: pd.DataFrame, styles: Styles
) -> Iterator[tuple[LineStyle, pd.DataFrame]]:
    """Yield the style and the rows of each implementation."""
    for name, style in styles.items():
        yield style, frame[frame["implementation"] == name]


def metric_rows(summary: Summary, *metrics: str) -> pd.DataFrame:
    """Return the rows of these metrics; in a sweep, those that have a mean."""
    table = summary.metrics
    has_mean = table["mean"].notna() | (not summary.is_sweep)
    return table[table["metric"].isin(metrics) & has_mean].reset_index(drop=True)


def most_runs(rows: pd.DataFrame, n_runs: int) -> str:
    """Return over how many runs means are, in words; some may have fewer."""
    runs = plural(n_runs, "run")
    return f"up to {runs}" if (rows["runs"] < n_runs).any() else runs


def finite(values: Iterable[float]) -> list[float]:
    """Return the finite values."""
    return [float(value) for value in values if math.isfinite(value)]


def ends(values: Iterable[float], digits: int = 4) -> str:
    """Return the range of the values in words, for an alternative text."""
    known = finite(values)
    return f"from {decimal(min(known), digits)} to {decimal(max(known), digits)}"


@dataclass(frozen=True)
class Measure:
    """One value of one implementation with the ends of its interval."""

    implementation: str
    value: float  # NaN if there is none
    low: float  # NaN if there is none
    high: float  # NaN if there is none
    text: str  # Written above it


def measures(
    table: pd.DataFrame,
    names: Sequence[str],
    metric: str,
    *,
    none: str = "",
    signed: bool = False,
) -> list[Measure]:
    """Return the mean of a metric per implementation; `none` replaces a missing one."""
    lookup = Lookup(table, "implementation", "metric")
    values = []
    for name in names:
        value, low, high = lookup.triple("mean", name, metric)
        text = interval(value, low, high, signed=signed)
        if lookup.text("outcome", name, metric) == "identical":
            text = "identical"
        elif none and not math.isfinite(value):
            text = none
        values.append(Measure(name, value, low, high, text))
    return values


def known(measured: Iterable[Measure]) -> dict[str, float]:
    """Return the known values by implementation."""
    return {m.implementation: m.value for m in measured if math.isfinite(m.value)}


def rows_inches(n_rows: int) -> float:
    """Return the height of a panel of rows."""
    return ROW_INCHES * n_rows + 0.85


def write_rows(axes: Axes, texts: Sequence[str]) -> None:
    """Write the text of each row above its mark, the first row on top."""
    box = {"facecolor": PAPER, "edgecolor": "none", "pad": 0.4, "alpha": 0.85}
    for row, text in enumerate(texts):
        place = axes.get_yaxis_transform()
        axes.text(0.01, row + TEXT_PLACE, text, transform=place, va="bottom", bbox=box)
    axes.set_yticks([])
    axes.set_ylim(len(texts) + 0.05, 0)
    axes.spines["left"].set_color(MUTED)


def _write_measures(axes: Axes, measured: Sequence[Measure], styles: Styles) -> None:
    rows = [(styles[m.implementation].label, m.text) for m in measured]
    write_rows(
        axes, [f"{shorten(label, max(ROW_LETTERS - len(t), 8))}: {t}" for label, t in rows]
    )


def filled(style: LineStyle) -> dict[str, Any]:
    """Return the style of an implementation's bars."""
    return {"color": style.colour, "edgecolor": PAPER, "hatch": style.hatch, "linewidth": 0}


def bars(axes: Axes, measured: Sequence[Measure], styles: Styles) -> None:
    """Draw one horizontal bar from zero per measure, its text above it."""
    for row, measure in enumerate(measured):
        style = styles[measure.implementation]
        if math.isfinite(measure.value):
            axes.barh(
                [row + MARK_PLACE],
                [measure.value],
                height=MARK_HEIGHT,
                label=style.label,
                gid=tip(f"{style.label}: {measure.text}"),
                **filled(style),
            )
            interval_line(axes, row, measure)
    axes.set_xlim(left=0)
    _write_measures(axes, measured, styles)


def points(axes: Axes, measured: Sequence[Measure], styles: Styles) -> None:
    """Draw one marker with its interval per measure, its text above it."""
    for row, measure in enumerate(measured):
        if math.isfinite(measure.value):
            point(axes, row, measure, styles[measure.implementation])
    _write_measures(axes, measured, styles)


def point(axes: Axes, row: float, measure: Measure, style: LineStyle) -> None:
    """Draw one marker with its interval."""
    interval_line(axes, row, measure, colour=style.colour)
    place, text = [row + MARK_PLACE], f"{style.label}: {measure.text}"
    marks(axes, [measure.value], place, style, [text], size=6.5, edge_width=0.6)


def marks(
    axes: Axes,
    x: ArrayLike,
    y: ArrayLike,
    style: LineStyle,
    tips: Iterable[str],
    *,
    size: float,
    edge_width: float = 0.0,
    **look: Any,
) -> None:
    """Draw marks with tooltips, joined by a line if `look` has one."""
    usual = {"linestyle": "", "markeredgecolor": PAPER, "label": style.label}
    own = {"color": style.colour, "marker": style.marker, "gid": tip(*tips)}
    axes.plot(x, y, markersize=size, markeredgewidth=edge_width, **usual | own | look)


def differences(
    axes: Axes, measured: Sequence[Measure], styles: Styles, margin: float
) -> float:
    """Draw points about zero over the band of the margin; return half the axis' length."""
    axes.axvspan(-margin, margin, color=RULE, alpha=0.6, linewidth=0, label="margin")
    axes.axvline(0, color=MUTED, linewidth=0.9)
    points(axes, measured, styles)
    sizes = finite(abs(end) for m in measured for end in (m.value, m.low, m.high))
    reach = 1.15 * max([2 * margin, *sizes])
    axes.set_xlim(-reach, reach)
    axes.locator_params(axis="x", nbins=5)
    return reach


def interval_line(axes: Axes, row: float, measure: Measure, colour: str = INK) -> None:
    """Draw the interval as a line with end caps; nothing if there is none."""
    if math.isfinite(measure.low) and math.isfinite(measure.high):
        ends, at = [measure.low, measure.high], [row + MARK_PLACE] * 2
        axes.plot(ends, at, color=colour, label="_interval", **INTERVAL)


def curves(
    axes: Axes,
    frame: pd.DataFrame,
    styles: Styles,
    columns: tuple[str, str],
    text: Callable[[float, float], str],
    *,
    below: Callable[[int, LineStyle, pd.DataFrame], object] | None = None,
    wide: bool = True,
) -> None:
    """Draw the curve of each implementation, the reference's wide and below the rest.

    Curves that coincide then stay visible. `text` makes a tooltip from a point.
    """
    for number, (style, rows) in enumerate(styled_rows(frame, styles)):
        if below is not None:
            below(number, style, rows)
        x, y = (rows[column].to_numpy(np.float64) for column in columns)
        tips = (f"{style.label}, {text(*place)}" for place in zip(x, y, strict=True))
        look: dict[str, Any] = {"size": 5.3, "linewidth": 1.4}
        if wide and number == 0:
            look = {"size": 8.5, "linewidth": 3.2, "alpha": 0.75}
        marks(axes, x, y, style, tips, edge_width=0.7, linestyle="-", **look)


def inset_below(axes: Axes, gap: float, height: float) -> Axes:
    """Return axes of a height in inches, a gap below."""
    figure = axes.get_figure()
    assert figure is not None  # noqa: S101  for mypy
    # In inches, so that its size does not depend on the axes above.
    corner: Any = axes.transAxes
    inches = figure.dpi_scale_trans + ScaledTranslation(0, 0, corner)
    place = blended_transform_factory(corner, inches)
    return axes.inset_axes((0, -gap - height, 1, height), transform=place)


def key(styles: Iterable[LineStyle], further: Sequence[Line2D] = ()) -> Panel:
    """Return a legend of implementations and further lines as a panel."""
    return legend([*handles(styles, linewidth=2), *further])


def handles(styles: Iterable[LineStyle], **look: Any) -> list[Line2D]:
    """Return legend handles for implementations or classes."""
    look |= {"markersize": 6}
    return [
        Line2D([], [], color=style.colour, marker=style.marker, label=style.label, **look)
        for style in styles
    ]


def legend(handles: Sequence[Line2D]) -> Panel:
    """Return a legend as a panel, in as many columns as fit."""
    longest = max(len(str(handle.get_label())) for handle in handles)
    columns = max(min(int(HALF / (INCHES_PER_LETTER * longest + 0.5)), len(handles)), 1)

    def draw(axes: Axes) -> None:
        axes.set_axis_off()
        room = {"borderaxespad": 0, "columnspacing": 1.2, "handlelength": 1.8}
        axes.legend(handles=handles, loc="upper left", ncols=columns, **room)

    height = 0.1 + 0.2 * math.ceil(len(handles) / columns)
    return Panel(draw, height, apart=True, is_key=True)


SEQUENTIAL, DIVERGING = "#00588a", ("#00588a", "#9a3600")


@dataclass(frozen=True)
class Scale:
    """Colours for values from `low` to `high`, on paper of any colour.

    The paper shows through small values, so that they are pale on white and dark on black.
    """

    low: float
    high: float
    colours: tuple[str, ...] = (SEQUENTIAL,)  # Two where zero is in the middle

    @property
    def palette(self) -> Colormap:
        """The colours in order."""
        *below, above = self.colours
        stops = [(0.5 if below else 0.0, (above, 0.0)), (1.0, (above, 1.0))]
        for colour in below:  # Matplotlib 3.11.0 takes no two stops at one place
            middle = math.nextafter(0.5, 0.0)
            stops = [(0.0, (colour, 1.0)), (middle, (colour, 0.0)), *stops]
        return LinearSegmentedColormap.from_list("clear", stops)

    def contrast(self, value: float) -> str:
        """Return a readable text colour for a cell of this value; muted on a blank one."""
        if np.isnan(value):
            return MUTED
        alpha = self.palette(float(Normalize(self.low, self.high)(value)))[3]
        return ON_DARK_CELL if alpha > 0.75 else INK


def cells(
    axes: Axes,
    values: FloatArray,
    texts: NDArray[np.object_],
    scale: Scale,
    tips: Sequence[str],
    *,
    raster: bool = False,
) -> None:
    """Draw coloured cells with their texts, the first row on top; NaN stays blank."""
    n_rows, n_columns = values.shape
    seaborn.heatmap(
        values,
        cmap=scale.palette,
        vmin=scale.low,
        vmax=scale.high,
        cbar=False,
        xticklabels=False,
        yticklabels=False,
        rasterized=raster or values.size > MOST_VECTOR_CELLS,
        gid=tip(*tips),
        ax=axes,
    )
    axes.grid(visible=False)
    axes.tick_params(length=0)
    axes.hlines(range(n_rows + 1), 0, n_columns, color=RULE, linewidth=0.5)
    axes.vlines(range(n_columns + 1), 0, n_rows, color=RULE, linewidth=0.5)
    centred: dict[str, Any] = {"ha": "center", "va": "center", "size": SMALL}
    for (row, column), text in np.ndenumerate(texts):
        if text:
            colour = scale.contrast(float(values[row, column]))
            axes.text(column + 0.5, row + 0.5, text, color=colour, **centred)


def map_panel(
    title: str,
    names: Sequence[str],
    values: FloatArray,
    scale: Scale,
    *,
    axis_names: tuple[str, str],
    text: Callable[[int, int], str],
    tip: Callable[[int, int], str],
    raster: bool = False,
    numbered: bool = False,
    widest: float = HALF,
) -> Panel:
    """Return a heat map labelled by names or row numbers, with a text for each cell."""
    width, height, cell = map_inches(names, numbered=numbered, widest=widest)
    step = 1 if len(names) <= MOST_NAMED_CELLS else -(-len(names) // 10)
    shown = list(names[::step])
    below = [str(number) for number in range(1, len(names) + 1, step)]
    beside = [f"{name}  {number}" for name, number in zip(shown, below, strict=True)]
    if numbered and len(below[-1]) * INCHES_PER_LETTER * step > 0.75 * cell:
        below[1::2] = [""] * len(below[1::2])  # Neighbours would touch
    upright = not numbered and is_long(shown, len(names), widest)
    beside, below = (beside, below) if numbered else (shown, shown)
    ticks = [position + 0.5 for position in range(0, len(names), step)]
    rows = len(range(0, len(values), step))
    tips = [tip(*place) for place in np.ndindex(*values.shape)]
    texts = np.array([text(*place) for place in np.ndindex(*values.shape)], dtype=object)

    def draw(axes: Axes) -> None:
        cells(axes, values, texts.reshape(values.shape), scale, tips, raster=raster)
        axes.set_xticks(ticks, below, rotation=90 if upright else 0)
        axes.set_yticks(ticks[:rows], beside[:rows])
        axes.set(xlabel=axis_names[0], ylabel=axis_names[1])
        axes.set_title(title)

    return Panel(draw, height, width)


def map_inches(
    names: Sequence[str], *, numbered: bool = False, widest: float = HALF
) -> tuple[float, float, float]:
    """Return the width and height of a heat map's panel, and the width of a cell."""
    width = THIRD if len(names) <= 5 and not numbered else widest
    beside, below = _label_inches(names, widest)
    if numbered:  # With numbers beside the names, and without the name of the axis
        beside, below = beside - 0.2, 0.3
    return width, width - beside + below + 0.5, (width - beside) / len(names)


def _label_inches(names: Sequence[str], widest: float) -> tuple[float, float]:
    """Return the room for names beside the rows and below the columns."""
    beside = INCHES_PER_LETTER * max(map(len, names)) + 0.35
    return beside, beside if is_long(names, len(names), widest) else 0.3


def is_long(names: Sequence[str], n_cells: int, widest: float = HALF) -> bool:
    """Return whether names below the columns must be upright."""
    inches = (THIRD if n_cells <= 5 else widest) - 1.0
    return max(map(len, names)) * len(names) > LETTERS_PER_INCH * inches


def colour_key(scale: Scale, label: str) -> Panel:
    """Return the colour key of several heat maps as a panel."""

    def draw(axes: Axes) -> None:
        _draw_key(axes, axes, scale, label)

    return Panel(draw, 0.65, THIRD, apart=True, is_key=True)


def with_key(
    panel: Panel, names: Sequence[str], scale: Scale, label: str, widest: float = HALF
) -> Panel:
    """Add a colour key below the panel of a heat map."""
    gap = _label_inches(names, widest)[1] + 0.2

    def draw(axes: Axes) -> None:
        panel.draw(axes)
        _draw_key(inset_below(axes, gap, 0.13), axes, scale, label)

    return replace(panel, draw=draw, height=panel.height + KEY_INCHES, foot=KEY_INCHES)


def _draw_key(place: Axes, axes: Axes, scale: Scale, label: str) -> None:
    colours = ScalarMappable(Normalize(scale.low, scale.high), scale.palette)
    figure = axes.get_figure(root=True)
    assert figure is not None  # noqa: S101  for mypy
    bar = figure.colorbar(colours, cax=place, orientation="horizontal", label=label)
    bar.ax.tick_params(length=0, pad=2)
    bar.ax.locator_params(nbins=4)
    place.grid(visible=False)

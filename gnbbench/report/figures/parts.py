"""What figures are made of: bars, points, curves, keys, heat maps and their words."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from gnbbench.report.lookup import Lookup
from gnbbench.report.style import (
    INK,
    MUTED,
    ON_DARK_CELL,
    ON_LIGHT_CELL,
    PAPER,
    RULE,
    LineStyle,
)
from gnbbench.words import decimal, interval, listing

BAR_HEIGHT = 0.58
MOST_NAMED_CELLS = 12
MOST_VECTOR_CELLS = 450
LETTERS_PER_INCH = 15

FloatArray = NDArray[np.float64]
Styles = Mapping[str, LineStyle]


def labels(styles: Styles) -> str:
    """The short names of all implementations in one phrase."""
    return listing([style.label for style in styles.values()])


def present(names: Iterable[str], frame: pd.DataFrame) -> list[str]:
    """Those of the implementations that have rows."""
    there = set(frame["implementation"])
    return [name for name in names if name in there]


def finite(values: Iterable[float]) -> list[float]:
    """Those of the values that are numbers."""
    return [float(value) for value in values if math.isfinite(value)]


def ends(values: Iterable[float], digits: int = 4) -> str:
    """The smallest and the largest value, as the text for a picture has them."""
    known = finite(values)
    return f"from {decimal(min(known), digits)} to {decimal(max(known), digits)}"


@dataclass(frozen=True)
class Measure:
    """One value of one implementation with the ends of its interval."""

    implementation: str
    value: float  # NaN where there is none
    low: float  # NaN where there is none
    high: float  # NaN where there is none
    text: str  # What is written beside it


def measures(
    table: pd.DataFrame,
    names: Sequence[str],
    metric: str,
    *,
    none: str = "",
    signed: bool = False,
) -> list[Measure]:
    """Mean of a metric for each implementation, in words where it is not known."""
    lookup = Lookup(table, "implementation", "metric")
    found = []
    for name in names:
        value, low, high = lookup.triple("mean", name, metric)
        text = interval(value, low, high, signed=signed)
        if lookup.text("outcome", name, metric) == "identical":
            text = "identical"
        elif none and not math.isfinite(value):
            text = none
        found.append(Measure(name, value, low, high, text))
    return found


def known(measured: Iterable[Measure]) -> dict[str, float]:
    """Values by implementation, without those that are not known."""
    return {m.implementation: m.value for m in measured if math.isfinite(m.value)}


def bars(axes: Axes, measured: Sequence[Measure], styles: Styles) -> None:
    """Draw one horizontal bar from zero per measure, the first on top, text beside it."""
    for row, measure in enumerate(measured):
        style = styles[measure.implementation]
        if math.isfinite(measure.value):
            axes.barh(
                [row],
                [measure.value],
                height=BAR_HEIGHT,
                color=style.colour,
                hatch=style.hatch,
                edgecolor=PAPER,
                linewidth=0,
                label=style.label,
            )
            interval_line(axes, row, measure)
        beside(axes, row, measure.text)
    axes.set_xlim(left=0)
    name_rows(axes, [styles[measure.implementation].label for measure in measured])


def points(axes: Axes, measured: Sequence[Measure], styles: Styles) -> None:
    """Draw one marker with its interval per measure, the first on top, text beside it."""
    for row, measure in enumerate(measured):
        if math.isfinite(measure.value):
            point(axes, row, measure, styles[measure.implementation])
        beside(axes, row, measure.text)
    name_rows(axes, [styles[measure.implementation].label for measure in measured])


def point(axes: Axes, row: float, measure: Measure, style: LineStyle) -> None:
    """Draw one marker with its interval."""
    interval_line(axes, row, measure, colour=style.colour)
    axes.plot(
        [measure.value],
        [row],
        style.marker,
        color=style.colour,
        markersize=6.5,
        markeredgecolor=PAPER,
        markeredgewidth=0.6,
        label=style.label,
    )


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
    """Draw the interval as a line with end caps; nothing where there is none."""
    if math.isfinite(measure.low) and math.isfinite(measure.high):
        axes.plot(
            [measure.low, measure.high],
            [row, row],
            color=colour,
            linewidth=1.6,
            marker="|",
            markersize=7,
            markeredgewidth=1.6,
            solid_capstyle="butt",
            label="_interval",
        )


def beside(axes: Axes, row: float, text: str) -> None:
    """Write text to the right of the axes, level with a row."""
    axes.text(
        1.02,
        row,
        text,
        transform=axes.get_yaxis_transform(),
        va="center",
        ha="left",
        size=8.5,
    )


def name_rows(axes: Axes, names: Sequence[str]) -> None:
    """Name the rows from the top down, without tick marks."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.45, -0.55)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_color(MUTED)


def line(
    axes: Axes, x: FloatArray, y: FloatArray, style: LineStyle, *, first: bool
) -> None:
    """Draw the values of one implementation; those of the reference wide, below the rest.

    Curves that coincide are then seen to do so.
    """
    axes.plot(
        x,
        y,
        color=style.colour,
        marker=style.marker,
        markersize=8.5 if first else 5.3,
        linewidth=3.2 if first else 1.4,
        markeredgecolor=PAPER,
        markeredgewidth=0.7,
        alpha=0.75 if first else 1.0,
        label=style.label,
    )


def band(
    axes: Axes, x: FloatArray, low: FloatArray, high: FloatArray, style: LineStyle
) -> None:
    """Shade what lies between two curves of one implementation."""
    axes.fill_between(x, low, high, color=style.colour, alpha=0.13, linewidth=0)


def key(
    figure: Figure, styles: Iterable[LineStyle], further: Sequence[Line2D] = ()
) -> None:
    """Say below the panels what the lines are: those of implementations, then others."""
    entries = [
        Line2D(
            [],
            [],
            color=style.colour,
            marker=style.marker,
            markersize=6,
            linewidth=2,
            label=style.label,
        )
        for style in styles
    ]
    entries += further
    figure.legend(handles=entries, loc="outside lower center", ncols=min(len(entries), 5))


@dataclass(frozen=True)
class Scale:
    """Colours for values from `low` to `high`."""

    palette: Colormap
    low: float
    high: float

    def contrast(self, value: float) -> str:
        """Colour of text that can be read on the cell of a value; muted on a blank one."""
        if np.isnan(value):
            return MUTED
        cell = self.palette(float(Normalize(self.low, self.high)(value)))
        return ON_LIGHT_CELL if _luminance(cell) > 0.18 else ON_DARK_CELL


def cells(axes: Axes, values: FloatArray, scale: Scale, *, raster: bool = False) -> None:
    """Draw a grid of coloured cells, the first row on top; cells with NaN stay blank."""
    n_rows, n_columns = values.shape
    axes.pcolormesh(
        np.ma.masked_invalid(values),
        cmap=scale.palette,
        vmin=scale.low,
        vmax=scale.high,
        rasterized=raster or values.size > MOST_VECTOR_CELLS,
    )
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    axes.set(xlim=(0, n_columns), ylim=(n_rows, 0))
    axes.hlines(range(n_rows + 1), 0, n_columns, color=RULE, linewidth=0.5)
    axes.vlines(range(n_columns + 1), 0, n_rows, color=RULE, linewidth=0.5)


def write_cell(axes: Axes, row: int, column: int, text: str, **style: str | float) -> None:
    """Write text into the middle of a cell."""
    axes.text(column + 0.5, row + 0.5, text, ha="center", va="center", **style)  # type: ignore[arg-type]  # colour and size


def heat_map(
    axes: Axes,
    values: FloatArray,
    texts: NDArray[np.object_],
    names: Sequence[str],
    scale: Scale,
    *,
    inches: float,
    first: bool,
    raster: bool = False,
) -> None:
    """Draw one heat map over classes or features, with numbers where they can be read."""
    n_rows, n_columns = values.shape
    cells(axes, values, scale, raster=raster)
    _name_cells(axes, names, n_rows, inches, first=first)
    size = 8.0 if inches / n_columns > 0.6 else 6.8
    for (row, column), text in np.ndenumerate(texts):
        if text:
            colour = scale.contrast(float(values[row, column]))
            write_cell(axes, row, column, text, color=colour, size=size)


def _name_cells(
    axes: Axes, names: Sequence[str], n_rows: int, inches: float, *, first: bool
) -> None:
    step = 1 if len(names) <= MOST_NAMED_CELLS else -(-len(names) // 10)
    shown = list(names[::step])
    ticks = [position + 0.5 for position in range(0, len(names), step)]
    rows = len(range(0, n_rows, step))
    long = max(map(len, shown)) * len(shown) > LETTERS_PER_INCH * inches
    axes.set_xticks(ticks, shown, rotation=90 if long else 0, size=7.5)
    axes.set_yticks(ticks[:rows], shown[:rows] if first else [""] * rows, size=7.5)


def colour_bar(figure: Figure, panels: Sequence[Axes], of: Axes, label: str) -> None:
    """Put a bar that tells the colours of a heat map beside some panels."""
    bar = figure.colorbar(
        of.collections[0],
        ax=list(panels),
        aspect=30 if len(panels) == 1 else 40,
        pad=0.02,
        fraction=0.15 if len(panels) == 1 else 0.03,
        label=label,
    )
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=7, length=0, pad=1)
    bar.ax.yaxis.label.set_fontsize(7.5)


def _luminance(colour: Sequence[float]) -> float:
    """Relative luminance of WCAG 2.2."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in colour[:3]
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue

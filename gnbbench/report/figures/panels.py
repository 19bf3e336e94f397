"""Parts that several figures are made of: labelled bars and points with intervals."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from gnbbench.report.style import INK, MUTED, PAPER, LineStyle

BAR_HEIGHT = 0.58


@dataclass(frozen=True)
class Measure:
    """One value of one implementation with the ends of its interval."""

    implementation: str
    value: float  # NaN where there is none
    low: float  # NaN where there is none
    high: float  # NaN where there is none
    text: str  # What is written beside it


def bars(
    axes: Axes, measures: Sequence[Measure], line_styles: Mapping[str, LineStyle]
) -> None:
    """Draw one horizontal bar from zero per measure, the first on top, text beside it."""
    for row, measure in enumerate(measures):
        style = line_styles[measure.implementation]
        if math.isfinite(measure.value):
            axes.barh(
                row,
                measure.value,
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
    rows_named(axes, [line_styles[measure.implementation].label for measure in measures])


def points(
    axes: Axes, measures: Sequence[Measure], line_styles: Mapping[str, LineStyle]
) -> None:
    """Draw one marker with its interval per measure, the first on top, text beside it."""
    for row, measure in enumerate(measures):
        style = line_styles[measure.implementation]
        if math.isfinite(measure.value):
            interval_line(axes, row, measure, colour=style.colour)
            axes.plot(
                measure.value,
                row,
                style.marker,
                color=style.colour,
                markersize=6.5,
                markeredgecolor=PAPER,
                markeredgewidth=0.6,
                label=style.label,
            )
        beside(axes, row, measure.text)
    rows_named(axes, [line_styles[measure.implementation].label for measure in measures])


def right_end(measures: Sequence[Measure]) -> float:
    """Right end of an axis for shares: 1, or a little beyond an interval that passes it."""
    return max([1.0] + [m.high + 0.015 for m in measures if math.isfinite(m.high)])


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


def rows_named(axes: Axes, labels: Sequence[str]) -> None:
    """Name the rows from the top down, without tick marks."""
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.45, -0.55)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_color(MUTED)

"""Memory beyond the arrays given, as multiples of X, against each size."""

from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

from gnbbench.report.figures import curves, scale_axes
from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.style import (
    INK,
    MUTED,
    LineStyle,
    drawing_style,
    freeze,
    line_styles,
    new_figure,
)
from gnbbench.statistics.scale_summary import SCALE_OPERATIONS, SYMBOLS, ScaleSummary
from gnbbench.words import count, listing, significant

NAME = "scale_memory"
TITLE = "Extra memory of fit and predict"
_LEAST = 1e-4


@drawing_style()
def scale_memory(summary: ScaleSummary) -> Drawing | Absence:
    """Peaks beyond the arrays given, a row of two panels for each axis."""
    table = summary.memory
    axes_there = [axis for axis in summary.axes if axis in set(table["axis"])]
    if not axes_there:
        return Absence(NAME, TITLE, "No memory was measured.")
    styles = line_styles(summary.implementations)
    finding = _finding(summary, axes_there[0], styles)
    height = 0.5 + (scale_axes.PANEL_INCHES - 0.6) * len(axes_there)
    figure = new_figure(height, finding)
    panels = figure.subplots(len(axes_there), 2, sharey=True, squeeze=False)
    shown = table.assign(traced_multiple=table["traced_multiple"].clip(lower=_LEAST))
    for row, axis in enumerate(axes_there):
        for column, operation in enumerate(SCALE_OPERATIONS):
            axes = panels[row][column]
            axes.axhline(1.0, color=INK, linewidth=0.8)
            there = shown.loc[(shown["axis"] == axis) & (shown["operation"] == operation)]
            for place, one in enumerate(summary.implementations):
                mine = there.loc[there["implementation"] == one].sort_values("size")
                style = styles[one]
                scale_axes.curve(axes, mine, "traced_multiple", style, first=place == 0)
                resident = mine.loc[mine["resident_multiple"] > _LEAST]
                axes.plot(
                    resident["size"],
                    resident["resident_multiple"],
                    linestyle="",
                    marker=style.marker,
                    markersize=11,
                    markerfacecolor="none",
                    markeredgecolor=style.colour,
                    markeredgewidth=1.3,
                )
            axes.set_title(operation)
            scale_axes.size_axis(axes, axis, sorted(set(there["size"])))
            text = FuncFormatter(lambda value, _: f"{value:g}")
            scale_axes.value_axis(axes, "", text)
        panels[row][0].set_ylabel("extra bytes\n(multiples of X, log scale)")
    present = [
        one for one in summary.implementations if one in set(table["implementation"])
    ]
    hollow = Line2D(
        [],
        [],
        linestyle="",
        marker="o",
        markersize=9,
        markerfacecolor="none",
        markeredgecolor=MUTED,
        label="hollow: resident size",
    )
    curves.key(figure, present, styles, [hollow])
    return Drawing(
        NAME,
        TITLE,
        finding,
        _caption(summary),
        _alt(summary, finding, styles),
        freeze(figure),
        table.reset_index(drop=True),
    )


def _finding(summary: ScaleSummary, axis: str, styles: dict[str, LineStyle]) -> str:
    table = summary.memory.loc[summary.memory["axis"] == axis]
    told = []
    for name in summary.implementations:
        mine = table.loc[table["implementation"] == name]
        if mine.empty:
            continue
        last = mine.loc[mine["size"] == mine["size"].max()].set_index("operation")
        parts = [
            f"{significant(float(last.loc[one, 'traced_multiple']), 2)} × X in {one}"
            for one in last.index
        ]
        at = f"{SYMBOLS[axis]} = {count(float(mine['size'].max()))}"
        told.append(f"{styles[name].label} {listing(parts)} (at {at})")
    return f"Memory beyond the arrays given: {'; '.join(told)}"


def _caption(summary: ScaleSummary) -> str:
    held = "; ".join(
        f"along {SYMBOLS[axis]}: {summary.held_text(axis)}" for axis in summary.axes
    )
    return (
        "Filled: peak of what Python and NumPy allocated during the call (tracemalloc). "
        "Hollow: growth of the resident size of a fresh process, which sees other "
        f"allocations too, at the largest size. The line at 1 is a copy of X. Held {held}."
    )


def _alt(summary: ScaleSummary, finding: str, styles: dict[str, LineStyle]) -> str:
    values = summary.memory["traced_multiple"]
    names = listing([style.label for style in styles.values()])
    return (
        f"Curves of extra memory in multiples of X for {names}, from "
        f"{significant(float(values.min()), 2)} to {significant(float(values.max()), 2)}. "
        f"{finding}."
    )

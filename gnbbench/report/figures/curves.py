"""Parts of the figures over train fractions: curves with bands and intervals."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from gnbbench.report.style import INK, PAPER, LineStyle
from gnbbench.statistics.sweep_summary import SweepSummary
from gnbbench.words import listing, percent

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

PANEL_INCHES = 3.0
DOTTED = (0, (1, 1.6))
_MOST_TICKS = 11


def conservative_fractions(summary: SweepSummary) -> frozenset[float]:
    """Fractions at which intervals are too wide, because most samples are tested."""
    table = summary.fractions_table
    return frozenset(table.loc[table["conservative"], "fraction"])


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
        markersize=8.5 if first else 5.2,
        linewidth=3.2 if first else 1.4,
        markeredgecolor=PAPER,
        markeredgewidth=0.7,
        alpha=0.75 if first else 1.0,
        label=style.label,
    )


def band(
    axes: Axes, x: FloatArray, low: FloatArray, high: FloatArray, style: LineStyle
) -> None:
    """Shade the middle nine tenths of single runs."""
    axes.fill_between(x, low, high, color=style.colour, alpha=0.13, linewidth=0)


def intervals(
    axes: Axes, rows: pd.DataFrame, x: FloatArray, style: LineStyle, dotted: BoolArray
) -> None:
    """Draw the ends of the intervals as upright lines, dotted where conservative."""
    low, high = rows["low"].to_numpy(), rows["high"].to_numpy()
    known = np.isfinite(low) & np.isfinite(high)
    for which, dashes in ((~dotted & known, "solid"), (dotted & known, DOTTED)):
        if which.any():
            axes.vlines(
                x[which],
                low[which],
                high[which],
                color=style.colour,
                linewidth=1.5,
                linestyle=dashes,
                label="_conservative" if dashes == DOTTED else "_interval",
            )


def shifts(number: int, fractions: Sequence[float]) -> FloatArray:
    """Offsets that keep the intervals of several implementations apart."""
    gap = float(np.diff(fractions).min()) if len(fractions) > 1 else 0.1
    step = float(gap * min(0.16, 0.5 / number))
    centred: FloatArray = (np.arange(float(number)) - (number - 1) / 2) * step
    return centred


def reach(
    frame: pd.DataFrame,
    dotted: frozenset[float],
    reference: str,
    *,
    at_most: float = np.inf,
) -> tuple[float, float]:
    """Range of an axis that shows what is usual, whatever happens at small fractions.

    All means, and all bands and intervals where these are not conservative; elsewhere the
    band of the reference.
    """
    bands = [name for name in ("p5", "p95") if name in frame]
    sure = ~frame["fraction"].isin(dotted)
    usual = frame["implementation"] == reference
    parts = (
        frame["mean"],
        frame.loc[sure, ["low", "high"]],
        frame.loc[sure | usual, bands],
    )
    values = np.concatenate([part.to_numpy(np.float64).ravel() for part in parts])
    known = values[np.isfinite(values)]
    low, high = float(known.min()), float(known.max())
    pad = 0.06 * ((high - low) or 0.1)
    return low - pad, min(high, at_most) + pad


def fraction_axis(axes: Axes, fractions: Sequence[float]) -> None:
    """Name the train fractions along the axis, every one where there is room."""
    step = -(-len(fractions) // _MOST_TICKS)
    shown = fractions[::step]
    axes.set_xticks(shown, [f"{100 * fraction:.4g}" for fraction in shown])
    gap = (fractions[-1] - fractions[0]) / 25 or 0.05
    axes.set_xlim(fractions[0] - gap, fractions[-1] + gap)
    axes.set_xlabel("train fraction (% of the samples)")
    axes.grid(visible=True, axis="both")


def key(
    figure: Figure,
    names: Sequence[str],
    styles: Mapping[str, LineStyle],
    further: Sequence[Line2D] = (),
) -> None:
    """Say below the panels what the lines are: those of implementations, then others."""
    entries = [
        Line2D(
            [],
            [],
            color=styles[name].colour,
            marker=styles[name].marker,
            markersize=6,
            linewidth=2,
            label=styles[name].label,
        )
        for name in names
    ]
    entries += further
    columns = min(len(entries), 5)
    figure.legend(handles=entries, loc="outside lower center", ncols=columns)


def dotted_entries(conservative: Collection[float]) -> list[Line2D]:
    """Return what the key shows of conservative intervals, where there are any."""
    if not conservative:
        return []
    return [
        Line2D([], [], color=INK, linestyle=DOTTED, linewidth=1.5, label="conservative")
    ]


def exception(summary: SweepSummary) -> str:
    """Sentence on the fractions that have no split; empty where all have."""
    table = summary.fractions_table
    absent = table.loc[table["impossible_runs"] == table["runs"], "fraction"]
    if absent.empty:
        return ""
    return f" No split exists at {listing([percent(f) for f in absent])}."

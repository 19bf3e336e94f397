"""Parts of the figures over sizes: logarithmic axes, lines with spreads, a key."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from gnbbench.report.style import MUTED, PAPER, LineStyle
from gnbbench.statistics.scale_summary import SYMBOLS
from gnbbench.words import compact

PANEL_INCHES = 3.1
LIMIT_LABEL = "one read of X"
LIMIT_STYLE = (0, (4, 2))
_MOST_TICKS = 7
_ROOM = 1.35


def size_axis(axes: Axes, axis: str, sizes: Sequence[int]) -> None:
    """Name the sizes along a logarithmic axis, all of them or every second or third."""
    shown = [size for size in sizes if _is_round(size)]
    if len(sizes) <= _MOST_TICKS or len(shown) < 3:
        step = -(-len(sizes) // _MOST_TICKS)
        shown = list(sizes)[::-1][::step][::-1]
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(shown))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: size_text(value)))
    axes.set_xlim(min(sizes) / _ROOM, max(sizes) * _ROOM)
    axes.set_xlabel(f"{axis} {SYMBOLS[axis]} (log scale)")
    axes.grid(visible=True, axis="both")


def size_text(size: float) -> str:
    """Return a size as a tick shows it."""
    return compact(size).replace(".0", "")


def _is_round(size: int) -> bool:
    """Tell whether a size is a power of ten."""
    return str(size).strip("0") == "1"


def value_axis(axes: Axes, label: str, text: FuncFormatter) -> None:
    """Make the upright axis logarithmic, with as many ticks as there is room for."""
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    parts = (
        (1.0, 2.0, 5.0) if high / low < 50 else (1.0, 3.0) if high / low < 300 else (1.0,)
    )
    axes.yaxis.set_major_locator(LogLocator(subs=parts, numticks=12))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(text)
    axes.set_ylabel(label)


def curve(
    axes: Axes, rows: pd.DataFrame, value: str, style: LineStyle, *, first: bool
) -> None:
    """Draw one implementation; the reference wide, below the rest."""
    x, y = rows["size"].to_numpy(np.float64), rows[value].to_numpy(np.float64)
    if "low" in rows:
        axes.vlines(
            x, rows["low"], rows["high"], color=style.colour, linewidth=1.5, alpha=0.8
        )
    axes.plot(
        x,
        y,
        color=style.colour,
        marker=style.marker,
        markersize=7.5 if first else 5.5,
        linewidth=2.8 if first else 1.5,
        markeredgecolor=PAPER,
        markeredgewidth=0.7,
        alpha=0.8 if first else 1.0,
        label=style.label,
    )


def limit(axes: Axes, rows: pd.DataFrame, value: str) -> None:
    """Draw what one read of X comes to."""
    axes.plot(
        rows["size"],
        rows[value],
        color=MUTED,
        linestyle=LIMIT_STYLE,
        linewidth=1.4,
        label=LIMIT_LABEL,
    )


def limit_entry() -> Line2D:
    """Return what the key shows of one read of X."""
    return Line2D(
        [],
        [],
        color=MUTED,
        linestyle=LIMIT_STYLE,
        linewidth=1.4,
        label=f"{LIMIT_LABEL} (the limit)",
    )

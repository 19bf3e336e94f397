"""Time, throughput and memory against each size, on logarithmic axes."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from gnbbench.report.figures.drawing import Plot
from gnbbench.report.figures.parts import Styles, key, labels, line, present
from gnbbench.report.style import INK, MUTED, LineStyle, line_styles
from gnbbench.statistics.scale import (
    SCALE_OPERATIONS,
    SYMBOLS,
    axes_of,
    held_text,
)
from gnbbench.statistics.summary import Summary
from gnbbench.words import (
    SPACE,
    compact,
    count,
    decimal,
    listing,
    seconds,
    share,
    significant,
)

PANEL_INCHES = 3.1
LIMIT_LABEL = "one read of X"
LIMIT_DASHES = (0, (4, 2))
MOST_TICKS = 7
GIGA = 1e9
HOLLOW: dict[str, Any] = {"linestyle": "", "markerfacecolor": "none"}
LEAST_MULTIPLE = 1e-4


def scale(summary: Summary, axis: str) -> Plot | str:
    """Two panels of time against one size, with one read of X."""
    times = _along(summary.times, axis)
    if times.empty:
        return f"Nothing was timed along {SYMBOLS[axis]}."
    times = times.rename(columns={"low_seconds": "low", "high_seconds": "high"})
    reads = _along(summary.reads, axis)
    styles = line_styles(summary.implementations)
    finding = _growth(summary, axis, styles)

    def draw(figure: Figure) -> None:
        label = "time of one call (log scale)"
        _panels(
            figure, times, reads, styles, value="seconds", label=label, text=_short_seconds
        )

    stopped = _along(summary.stops, axis).dropna(subset="size")["implementation"]
    names = listing([styles[name].label for name in stopped])
    exception = f" Not to the end: {names}." if names else ""
    low, high = times["seconds"].min(), times["seconds"].max()
    points = "medians of one process"
    if (processes := int(summary.times["processes"].max())) > 1:
        points = (
            f"medians of {count(processes)} processes' medians; upright lines run from the "
            "smallest to the largest of their medians"
        )
    return Plot(
        finding=finding,
        caption=f"{held_text(summary, axis)}. Points are {points}. The dashed line is one "
        "read of X in the same rounds, the least that any use of all values can take on "
        "one thread.",
        alt=f"Curves of the time of fit and of predict against {axis} for "
        f"{labels(styles)}, from {seconds(low)} to {seconds(high)}. {finding}.{exception}",
        frame=times.drop(columns=["floor_low", "floor_high"]).reset_index(drop=True),
        inches=PANEL_INCHES,
        draw=draw,
    )


def scale_throughput(summary: Summary) -> Plot | str:
    """Bytes of X per second against the first axis, below the line of one read."""
    axis = axes_of(summary)[0]
    times = _with_gigabytes(_along(summary.times, axis))
    if times.empty:
        return f"Nothing was timed along {SYMBOLS[axis]}."
    reads = _with_gigabytes(_along(summary.reads, axis))
    styles = line_styles(summary.implementations)
    parts = _at_the_end(
        times, styles, axis, lambda row: share(round(float(row["share_of_read"]), 3))
    )
    finding = f"Share of the speed of one read of X: {'; '.join(parts)}"

    def draw(figure: Figure) -> None:
        label = "GB of X per second (log scale)"
        _panels(
            figure, times, reads, styles, value="gigabytes", label=label, text="{:g}".format
        )

    columns = ["axis", "size", "operation", "implementation"]
    values = ["rows_per_second", "bytes_per_second", "share_of_read"]
    return Plot(
        finding=finding,
        caption=f"{held_text(summary, axis)}. Bytes of X divided by the time of a call. "
        "The dashed line is one read of X (its largest value) on one thread in the same "
        "rounds: the physical limit, high where X fits into the processor's caches.",
        alt=f"Curves of gigabytes of X per second in fit and predict against {axis} for "
        f"{labels(styles)}, {_significant_ends(times['gigabytes'])}, with a dashed line "
        f"for one read of X. {finding}.",
        frame=times[[*columns, *values]].reset_index(drop=True),
        inches=PANEL_INCHES,
        draw=draw,
    )


def scale_memory(summary: Summary) -> Plot | str:
    """Peaks beyond the arrays given, a row of two panels for each axis."""
    table = summary.memory
    measured = [axis for axis in axes_of(summary) if axis in set(table["axis"])]
    if not measured:
        return "No memory was measured."
    styles = line_styles(summary.implementations)
    parts = _at_the_end(
        _along(table, measured[0]),
        styles,
        measured[0],
        lambda row: f"{significant(float(row['traced_multiple']), 2)} × X",
    )
    finding = f"Memory beyond the arrays given: {'; '.join(parts)}"
    held = "; ".join(
        f"along {SYMBOLS[axis]}: {held_text(summary, axis)}" for axis in axes_of(summary)
    )
    return Plot(
        finding=finding,
        caption="Filled: peak of what Python and NumPy allocated during the call "
        "(tracemalloc). Hollow: growth of the resident size of a fresh process, which sees "
        "other allocations too, at the largest size. The line at 1 is a copy of X. Held "
        f"{held}.",
        alt=f"Curves of extra memory in multiples of X for {labels(styles)}, "
        f"{_significant_ends(table['traced_multiple'], 2)}. {finding}.",
        frame=table.reset_index(drop=True),
        inches=0.5 + (PANEL_INCHES - 0.6) * len(measured),
        draw=lambda figure: _draw_memory(figure, table, measured, styles),
    )


def _along(table: pd.DataFrame, axis: str) -> pd.DataFrame:
    return table.loc[table["axis"] == axis]


def _with_gigabytes(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(gigabytes=table["bytes_per_second"] / GIGA)


def _panels(
    figure: Figure,
    table: pd.DataFrame,
    reads: pd.DataFrame,
    styles: Styles,
    *,
    value: str,
    label: str,
    text: Callable[[float], str],
) -> None:
    """Draw one panel an operation, with the dashed line of one read of X."""
    limit = {"color": MUTED, "linestyle": LIMIT_DASHES, "linewidth": 1.4}
    panels = figure.subplots(1, 2, sharey=True)
    for axes, operation in zip(panels, SCALE_OPERATIONS, strict=True):
        rows = reads.loc[reads["operation"] == operation]
        axes.plot(rows["size"], rows[value], label=LIMIT_LABEL, **limit)
        rows = table.loc[table["operation"] == operation]
        for name, style in styles.items():
            _curve(axes, rows.loc[rows["implementation"] == name], value, style, styles)
        axes.set_title(operation)
    for axes in panels:
        size_axis(axes, table["axis"].iloc[0], sorted(set(table["size"])))
        value_axis(axes, text)
    panels[0].set_ylabel(label)
    entry = Line2D([], [], label=f"{LIMIT_LABEL} (the limit)", **limit)  # type: ignore[arg-type]  # of several types
    key(figure, [styles[name] for name in present(styles, table)], [entry])


def _draw_memory(
    figure: Figure, table: pd.DataFrame, measured: Sequence[str], styles: Styles
) -> None:
    panels = figure.subplots(len(measured), 2, sharey=True, squeeze=False)
    shown = table.assign(
        traced_multiple=table["traced_multiple"].clip(lower=LEAST_MULTIPLE)
    )
    for row, axis in zip(panels, measured, strict=True):
        along = _along(shown, axis)
        for axes, operation in zip(row, SCALE_OPERATIONS, strict=True):
            axes.axhline(1.0, color=INK, linewidth=0.8)
            of_operation = along.loc[along["operation"] == operation]
            for name, style in styles.items():
                rows = of_operation.loc[of_operation["implementation"] == name]
                rows = rows.sort_values("size")
                _curve(axes, rows, "traced_multiple", style, styles)
                grown = rows.loc[rows["resident_multiple"] > LEAST_MULTIPLE]
                axes.plot(
                    grown["size"],
                    grown["resident_multiple"],
                    marker=style.marker,
                    markersize=11,
                    markeredgecolor=style.colour,
                    markeredgewidth=1.3,
                    **HOLLOW,
                )
            axes.set_title(operation)
            size_axis(axes, axis, sorted(set(of_operation["size"])))
            value_axis(axes, "{:g}".format)
        row[0].set_ylabel("extra bytes\n(multiples of X, log scale)")
    size = {"marker": "o", "markersize": 9, "markeredgecolor": MUTED}
    hollow = Line2D([], [], label="hollow: resident size", **size, **HOLLOW)  # type: ignore[arg-type]  # of several types
    key(figure, [styles[name] for name in present(styles, table)], [hollow])


def _curve(
    axes: Axes, rows: pd.DataFrame, value: str, style: LineStyle, styles: Styles
) -> None:
    """Draw one implementation with the spread of its processes, where there is one."""
    x, y = rows["size"].to_numpy(np.float64), rows[value].to_numpy(np.float64)
    if "low" in rows:
        axes.vlines(
            x, rows["low"], rows["high"], color=style.colour, linewidth=1.5, alpha=0.8
        )
    line(axes, x, y, style, first=style is next(iter(styles.values())))


def size_axis(axes: Axes, axis: str, shown: Sequence[int]) -> None:
    """Name the sizes along a logarithmic axis, all of them or every second or third."""
    ticks = [size for size in shown if str(size).strip("0") == "1"]
    if len(shown) <= MOST_TICKS or len(ticks) < 3:
        step = -(-len(shown) // MOST_TICKS)
        ticks = list(shown)[::-1][::step][::-1]
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    text = FuncFormatter(lambda size, _: compact(size).replace(".0", ""))
    axes.xaxis.set_major_formatter(text)
    axes.set_xlim(min(shown) / 1.35, max(shown) * 1.35)
    axes.set_xlabel(f"{axis} {SYMBOLS[axis]} (log scale)")
    axes.grid(visible=True, axis="both")


def value_axis(axes: Axes, text: Callable[[float], str]) -> None:
    """Make the upright axis logarithmic, with as many ticks as there is room for."""
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    parts = (
        (1.0, 2.0, 5.0) if high / low < 50 else (1.0, 3.0) if high / low < 300 else (1.0,)
    )
    axes.yaxis.set_major_locator(LogLocator(subs=parts, numticks=12))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: text(value)))


def _short_seconds(value: float) -> str:
    """Time without trailing zeros, for a tick."""
    number, _, unit = seconds(value).partition(SPACE)
    number = number.rstrip("0").rstrip(".") if "." in number else number
    return f"{number}{SPACE}{unit}"


def _growth(summary: Summary, axis: str, styles: Styles) -> str:
    symbol = SYMBOLS[axis]
    known = _along(summary.exponents, axis).dropna(subset="exponent")
    parts = []
    for name, style in styles.items():
        rows = known.loc[known["implementation"] == name]
        powers = [
            f"{operation} as {symbol}^{decimal(exponent, 2)}"
            for operation, exponent in zip(rows["operation"], rows["exponent"], strict=True)
        ]
        if powers:
            parts.append(f"{style.label}: {listing(powers)}")
    if not parts:
        return f"Too few sizes to tell how time grows with {symbol}"
    return f"Growth with {axis}: {'; '.join(parts)}"


def _at_the_end(
    table: pd.DataFrame,
    styles: Styles,
    axis: str,
    text: Callable[["pd.Series[float]"], str],
) -> Iterator[str]:
    """What is found at the largest size that each implementation came to."""
    for name, style in styles.items():
        rows = table.loc[table["implementation"] == name]
        last = rows.loc[rows["size"] == rows["size"].max()]
        if len(last):
            found = [f"{text(row)} in {row['operation']}" for _, row in last.iterrows()]
            at = f"{SYMBOLS[axis]} = {count(float(rows['size'].max()))}"
            yield f"{style.label} {listing(found)} (at {at})"


def _significant_ends(values: "pd.Series[float]", digits: int = 3) -> str:
    low, high = float(values.min()), float(values.max())
    return f"from {significant(low, digits)} to {significant(high, digits)}"

"""Time, throughput and memory against each size, on logarithmic axes."""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, LogLocator

from gnbbench.report.figures.drawing import Plot, tip
from gnbbench.report.figures.parts import (
    Styles,
    key,
    labels,
    line,
    log_steps,
    panels,
    short_seconds,
    styled_rows,
    styles_there,
)
from gnbbench.report.style import INK, MUTED, LineStyle, Panel, line_styles
from gnbbench.statistics.scale import (
    SCALE_OPERATIONS,
    SYMBOLS,
    TOO_NOISY,
    axes_of,
    exponent_text,
    held_text,
)
from gnbbench.statistics.summary import Summary
from gnbbench.statistics.verdicts import rows_of
from gnbbench.words import compact, count, listing, seconds, share, significant

PANEL_INCHES = 3.1
LIMIT_LABEL = "one read of X"
LIMIT_DASHES = (0, (4, 2))
MOST_TICKS = 6
GIGA = 1e9
SPREAD: dict[str, Any] = {"linewidth": 1.5, "alpha": 0.8}
HOLLOW: dict[str, Any] = {"linestyle": "", "markerfacecolor": "none"}
LEAST_MULTIPLE = 1e-4


def scale(summary: Summary, axis: str) -> Plot | str:
    """Two panels of time against one size, with one read of X."""
    times = _along(summary.times, axis)
    if times.empty:
        return f"Nothing was timed along {SYMBOLS[axis]}."
    styles = line_styles(summary.implementations)
    stopped = _along(summary.stops, axis).dropna(subset="size")["implementation"]
    names = listing([styles[name].label for name in stopped])
    low, high = times["seconds"].min(), times["seconds"].max()
    points = "medians of one process"
    if (processes := int(summary.times["processes"].max())) > 1:
        points = (
            f"medians of {count(processes)} processes' medians; upright lines run from the "
            "smallest to the largest of their medians"
        )
    drawn = times.rename(columns={"low_seconds": "low", "high_seconds": "high"})
    return Plot(
        finding=_growth(summary, axis, styles),
        caption=f"{held_text(summary, axis)}. Points are {points}. The dashed line is one "
        "read of X in the same rounds, the least that any use of all values can take on "
        "one thread.",
        shows=f"Curves of the time of fit and of predict against {axis} for "
        f"{labels(styles)}, from {seconds(low)} to {seconds(high)}",
        exception=f"Not to the end: {names}." if names else "",
        frame=drawn.drop(columns=["floor_low", "floor_high"]).reset_index(drop=True),
        panels=_beside_reads(
            *(drawn, _along(summary.reads, axis), styles),
            value="seconds",
            label="time of one call (log scale)",
            text=short_seconds,
        ),
    )


def scale_throughput(summary: Summary) -> Plot | str:
    """Bytes of X per second against the first axis, below the line of one read."""
    axis = axes_of(summary)[0]
    times, reads = (
        _along(table, axis).assign(gigabytes=table["bytes_per_second"] / GIGA)
        for table in (summary.times, summary.reads)
    )
    if times.empty:
        return f"Nothing was timed along {SYMBOLS[axis]}."
    styles = line_styles(summary.implementations)
    parts = _at_the_end(
        times, styles, axis, lambda row: share(round(float(row["share_of_read"]), 3))
    )
    columns = ["axis", "size", "operation", "implementation"]
    values = ["rows_per_second", "bytes_per_second", "share_of_read"]
    return Plot(
        finding=f"Share of the speed of one read of X: {'; '.join(parts)}",
        caption=f"{held_text(summary, axis)}. Bytes of X divided by the time of a call. "
        "The dashed line is one read of X (its largest value) on one thread in the same "
        "rounds: the physical limit, high where X fits into the processor's caches.",
        shows=f"Curves of gigabytes of X per second in fit and predict against {axis} for "
        f"{labels(styles)}, {_significant_ends(times['gigabytes'])}, with a dashed line "
        "for one read of X",
        frame=times[[*columns, *values]].reset_index(drop=True),
        panels=_beside_reads(
            *(times, reads, styles),
            value="gigabytes",
            label="GB of X per second (log scale)",
            text="{:g}".format,
        ),
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
        *(styles, measured[0]),
        lambda row: _multiple(float(row["traced_multiple"])),
    )
    held = "; ".join(
        f"along {SYMBOLS[axis]}: {held_text(summary, axis)}" for axis in axes_of(summary)
    )
    return Plot(
        finding=f"Memory beyond the arrays given: {'; '.join(parts)}",
        caption="Filled: peak of what Python and NumPy allocated during the call "
        "(tracemalloc). Hollow: growth of the resident size of a fresh process, which sees "
        "other allocations too, at the largest size. The line at 1 is a copy of X. Held "
        f"{held}.",
        shows=f"Curves of extra memory in multiples of X for {labels(styles)}, "
        f"{_significant_ends(table['traced_multiple'], 2)}",
        frame=table.reset_index(drop=True),
        panels=_memory_panels(table, measured, styles),
    )


def _along(table: pd.DataFrame, axis: str) -> pd.DataFrame:
    return table.loc[table["axis"] == axis]


def _beside_reads(
    table: pd.DataFrame,
    reads: pd.DataFrame,
    styles: Styles,
    *,
    value: str,
    label: str,
    text: Callable[[float], str],
) -> list[Panel]:
    """Return a panel an operation, with the dashed line of one read of X, and the key."""
    limit: dict[str, Any] = {"color": MUTED, "linestyle": LIMIT_DASHES, "linewidth": 1.4}
    ends = [column for column in ("low", "high") if column in table]
    values = np.concatenate([table[[value, *ends]].to_numpy().ravel(), reads[value]])
    limits = np.nanmin(values) / 1.4, np.nanmax(values) * 1.4

    def draw(operation: str, axes: Axes) -> None:
        rows = reads.loc[reads["operation"] == operation]
        axes.plot(rows["size"], rows[value], label=LIMIT_LABEL, **limit)
        rows = table.loc[table["operation"] == operation]
        for style, own in styled_rows(rows, styles):
            if ends:
                axes.vlines(own["size"], own["low"], own["high"], style.colour, **SPREAD)
        _curves(axes, rows, styles, value, text)
        axes.set(title=operation, ylabel=label, ylim=limits)
        _log_axes(axes, table["axis"].iloc[0], table["size"], text)

    return [
        *panels(draw, SCALE_OPERATIONS, PANEL_INCHES),
        key(
            styles_there(styles, table).values(),
            [Line2D([], [], label=LIMIT_LABEL, **limit)],
        ),
    ]


def _memory_panels(
    table: pd.DataFrame, measured: Sequence[str], styles: Styles
) -> list[Panel]:
    shown = table.assign(
        traced_multiple=table["traced_multiple"].clip(lower=LEAST_MULTIPLE)
    ).sort_values("size", kind="stable")
    values = shown[["traced_multiple", "resident_multiple"]].to_numpy().ravel()
    positive = values[values >= LEAST_MULTIPLE]
    limits = min(positive.min(), 1.0) / 1.6, max(positive.max(), 1.0) * 1.6

    def draw(place: tuple[str, str], axes: Axes) -> None:
        axis, operation = place
        rows = shown.loc[(shown["axis"] == axis) & (shown["operation"] == operation)]
        axes.axhline(1.0, color=INK, linewidth=0.8)
        _curves(axes, rows, styles, "traced_multiple", _multiple)
        for style, own in styled_rows(rows, styles):
            _resident(axes, own.loc[own["resident_multiple"] > LEAST_MULTIPLE], style)
        label = "extra bytes\n(multiples of X, log scale)"
        axes.set(title=operation, ylabel=label, ylim=limits)
        _log_axes(axes, axis, rows["size"], "{:g}".format)

    size: dict[str, Any] = {"marker": "o", "markersize": 9, "markeredgecolor": MUTED}
    hollow = Line2D([], [], label="hollow: resident size", **size, **HOLLOW)
    places = product(measured, SCALE_OPERATIONS)
    entries = key(styles_there(styles, table).values(), [hollow])
    return [*panels(draw, places, PANEL_INCHES), entries]


def _resident(axes: Axes, grown: pd.DataFrame, style: LineStyle) -> None:
    """Draw hollow marks for what the processes of one implementation grew by."""
    sizes, values = grown["size"], grown["resident_multiple"]
    tips = [
        f"{style.label}, {compact(at)}: resident {_multiple(value)}"
        for at, value in zip(sizes, values, strict=True)
    ]
    axes.plot(
        sizes,
        values,
        marker=style.marker,
        markersize=11,
        markeredgecolor=style.colour,
        markeredgewidth=1.3,
        gid=tip(*tips),
        **HOLLOW,
    )


def _multiple(value: float) -> str:
    return f"{significant(value, 2)} × X"


def _curves(
    axes: Axes,
    rows: pd.DataFrame,
    styles: Styles,
    value: str,
    text: Callable[[float], str],
) -> None:
    for number, (style, own) in enumerate(styled_rows(rows, styles)):
        line(
            *(axes, own, ("size", value), style),
            lambda at, amount: f"{compact(at)}: {text(amount)}",
            first=number == 0,
        )


def _log_axes(
    axes: Axes, axis: str, sizes: "pd.Series[int]", text: Callable[[float], str]
) -> None:
    """Name sizes, all or every second or third, and as many values as there is room for."""
    shown = sorted(set(sizes))
    ticks = [size for size in shown if str(size).strip("0") == "1"]
    if len(shown) <= MOST_TICKS or len(ticks) < 3:
        step = -(-len(shown) // MOST_TICKS)
        ticks = shown[::-1][::step][::-1]
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_major_formatter(lambda size, _: compact(size).replace(".0", ""))
    axes.set_xlim(min(shown) / 1.35, max(shown) * 1.35)
    axes.set_xlabel(f"{axis} {SYMBOLS[axis]} (log scale)")
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=log_steps(*axes.get_ylim()), numticks=12))
    axes.yaxis.set_major_formatter(lambda value, _: text(value))
    axes.minorticks_off()
    axes.grid(visible=True, axis="both")


def _growth(summary: Summary, axis: str, styles: Styles) -> str:
    symbol = SYMBOLS[axis]
    known = _along(summary.exponents, axis).dropna(subset="low")
    parts = []
    for name, style in styles.items():
        rows = known.loc[known["implementation"] == name]
        powers = [
            f"{row['operation']} {'' if text == TOO_NOISY else 'as '}{text}"
            for row in rows_of(rows)
            for text in [exponent_text(row["exponent"], row["low"], row["high"], axis)]
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

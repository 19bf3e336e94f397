"""Times, their ratios, throughput and memory: of one study, and against each size."""

import math
from collections.abc import Callable, Sequence
from itertools import product
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, LogLocator, MaxNLocator

from gnbbench import words
from gnbbench.report.blocks import note
from gnbbench.report.figures import parts
from gnbbench.report.figures.drawing import Plot, tip
from gnbbench.report.style import INK, MUTED, RULE, LineStyle, Panel, line_styles
from gnbbench.statistics import scale as scaling
from gnbbench.statistics.summary import Summary
from gnbbench.statistics.timing import RATIO, UNRESOLVED, speed_text
from gnbbench.statistics.verdicts import rows_of

PANEL_INCHES = 3.1
LIMIT_LABEL = "one read of X"
LIMIT_DASHES = (0, (4, 2))
MOST_TICKS = 6
GIGA = 1e9
SPREAD: dict[str, Any] = {"linewidth": 1.5, "alpha": 0.8}
FLOOR: dict[str, Any] = {"color": RULE, "edgecolor": MUTED, "linewidth": 0.6}
HOLLOW: dict[str, Any] = {"linestyle": "", "markerfacecolor": "none"}
LEAST_MULTIPLE = 1e-4


def short_seconds(value: float) -> str:
    """Return a time without trailing zeros, for a tick."""
    number, _, unit = words.seconds(value).partition(words.SPACE)
    number = number.rstrip("0").rstrip(".") if "." in number else number
    return f"{number}{words.SPACE}{unit}"


def log_steps(low: float, high: float) -> tuple[float, ...]:
    """Return the multiples of powers of ten that have ticks between two ends."""
    if high / low < 20:
        return 1.0, 2.0, 5.0
    return (1.0, 3.0) if high / low < 200 else (1.0,)


def timing(summary: Summary) -> Plot | str:
    """Median times with lines from p5 to p95, and paired ratios with their floor."""
    timed = summary.timing.groupby("operation", sort=False)["implementation"].agg(set)
    operations = [name for name in timed.index if summary.reference in timed[name]]
    operations = operations or list(timed.index)
    if not operations:
        return "Nothing was timed."
    styles = line_styles(summary.implementations)
    medians = summary.timing["median_seconds"]
    unclear = summary.ratios["speed"].map(UNRESOLVED).value_counts().items()
    unclear_text = "; ".join(f"{text}: {words.plural(n, 'ratio')}" for text, n in unclear)
    return Plot(
        finding=_finding(summary, styles),
        caption=note("timing"),
        shows=f"Median times of {parts.labels(styles)}, from "
        f"{words.seconds(medians.min())} to {words.seconds(medians.max())}, "
        "beside their ratios to the reference",
        exception=f"{unclear_text.capitalize()}." if unclear_text else "",
        frame=summary.timing.merge(
            summary.ratios, on=["implementation", "operation"], how="left"
        ),
        panels=[_times(summary, operations, styles), *_ratios(summary, operations, styles)],
    )


def _times(summary: Summary, operations: list[str], styles: parts.Styles) -> Panel:
    """Return the panel of medians and percentiles, operation by operation."""
    table = summary.timing.set_index(["operation", "implementation"])
    keys = [(operation, name) for operation in operations for name in styles]
    columns = ["median_seconds", "p5_seconds", "p95_seconds"]
    measured = []
    for (operation, name), median, low, high in table.reindex(keys)[columns].itertuples():
        text = words.seconds(median) if math.isfinite(median) else "not timed"
        measured.append(parts.Measure(name, median, low, high, f"{operation} {text}"))

    def draw(axes: Axes) -> None:
        parts.points(axes, measured, styles)
        axes.set_xscale("log")
        axes.margins(x=0.06)
        steps = log_steps(*axes.get_xlim())
        axes.xaxis.set_major_locator(LogLocator(subs=steps, numticks=12))
        axes.xaxis.set_major_formatter(lambda value, _: short_seconds(value))
        axes.minorticks_off()
        axes.set(xlabel="time of one call (log scale)", title="Time, p5 to p95")

    return Panel(draw, parts.rows_inches(len(measured)))


def _ratios(summary: Summary, operations: list[str], styles: parts.Styles) -> list[Panel]:
    """Return the panel of paired ratios over their noise floor, if there are any."""
    ratios = summary.ratios[summary.ratios["operation"].isin(operations)]
    records = ratios.to_dict("records")
    if not records:
        return []
    measured = []
    for row in records:
        text = f"{row['operation']} {speed_text(*RATIO(row))}"
        ends = (row["ratio"], row["low"], row["high"])
        measured.append(parts.Measure(row["implementation"], *ends, text))

    def draw(axes: Axes) -> None:
        for place, row in enumerate(records):
            low, high = row["floor_low"], row["floor_high"]
            if math.isfinite(high - low):
                of = {"gid": tip(f"noise floor: {words.span(low, high)}"), **FLOOR}
                y = place + parts.MARK_PLACE
                axes.barh(y, high - low, 0.46, left=low, label="noise floor", **of)
        axes.axvline(1, color=INK, linewidth=0.9)
        parts.points(axes, measured, styles)
        _ratio_axis(axes, summary)
        reference = styles[summary.reference].label
        axes.set(
            title="Paired ratio; grey: noise floor",
            xlabel=f"time over that of {reference} (log scale)",
        )

    return [Panel(draw, parts.rows_inches(len(records)))]


def _ratio_axis(axes: Axes, summary: Summary) -> None:
    """Set a log scale that shows 1 and ends on round numbers."""
    columns = summary.ratios[["ratio", "low", "high", "floor_low", "floor_high"]]
    values = [v for v in parts.finite(columns.to_numpy(dtype=float).ravel()) if v > 0]
    low, high = min([*values, 0.8]) / 1.15, max([*values, 1.25]) * 1.15
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    if high / low < 5:
        axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    else:
        axes.xaxis.set_major_locator(LogLocator(subs=log_steps(low, high), numticks=12))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.minorticks_off()


def _finding(summary: Summary, styles: parts.Styles) -> str:
    fits = summary.ratios[summary.ratios["operation"] == "fit"].dropna(subset="ratio")
    if fits.empty:
        return "No implementation was timed against the reference"
    reference = styles[summary.reference].label
    row = fits.iloc[int(fits["ratio"].to_numpy().argmin())]
    label = styles[row["implementation"]].label
    times = speed_text(*RATIO(row))
    if times in UNRESOLVED.values():
        return f"Fit times of {label} and {reference} are {times}"
    factor, doubt, _ = times.partition(", but uncertain")
    finding = f"{label} fits {factor} than {reference}"
    finding += ", which is uncertain" if doubt else ""
    if len(fits) == 1:
        return finding
    if row["speed"] == "slower":
        return f"{reference} fits faster than all others; {label} comes next, {factor}"
    is_alone = (fits.drop(row.name)["low"] > row["high"]).all()
    return f"{'Fastest' if is_alone else 'Among the fastest'}: {finding}"


def scale(summary: Summary, axis: str) -> Plot | str:
    """Two panels of time against one size, with one read of X."""
    times = _along(summary.times, axis)
    if times.empty:
        return f"Nothing was timed along {scaling.SYMBOLS[axis]}."
    styles = line_styles(summary.implementations)
    stopped = _along(summary.stops, axis).dropna(subset="size")["implementation"]
    names = words.listing([styles[name].label for name in stopped])
    low, high = times["seconds"].min(), times["seconds"].max()
    points = "medians of one process"
    if (processes := int(summary.times["processes"].max())) > 1:
        points = note("scale: processes", processes=words.count(processes))
    drawn = times.rename(columns={"low_seconds": "low", "high_seconds": "high"})
    return Plot(
        finding=_growth(summary, axis, styles),
        caption=note("scale", held=scaling.held_text(summary, axis), points=points),
        shows=f"Curves of the time of fit and of predict against {axis} for "
        f"{parts.labels(styles)}, from {words.seconds(low)} to {words.seconds(high)}",
        exception=f"Not to the end: {names}." if names else "",
        frame=drawn.drop(columns=["floor_low", "floor_high"]).reset_index(drop=True),
        panels=_beside_reads(
            drawn,
            _along(summary.reads, axis),
            styles,
            value="seconds",
            label="time of one call (log scale)",
            text=short_seconds,
        ),
    )


def scale_throughput(summary: Summary) -> Plot | str:
    """Bytes of X per second against the first axis, below the line of one read."""
    axis = scaling.axes_of(summary)[0]
    times, reads = (
        _along(table, axis).assign(gigabytes=table["bytes_per_second"] / GIGA)
        for table in (summary.times, summary.reads)
    )
    if times.empty:
        return f"Nothing was timed along {scaling.SYMBOLS[axis]}."
    styles = line_styles(summary.implementations)
    finding = _at_the_end(
        "Share of the speed of one read of X",
        times,
        styles,
        axis,
        lambda row: words.share(round(float(row["share_of_read"]), 3)),
    )
    columns = ["axis", "size", "operation", "implementation"]
    values = ["rows_per_second", "bytes_per_second", "share_of_read"]
    return Plot(
        finding=finding,
        caption=note("scale_throughput"),
        shows=f"Curves of gigabytes of X per second in fit and predict against {axis} for "
        f"{parts.labels(styles)}, {_significant_ends(times['gigabytes'])}, with a dashed "
        "line for one read of X",
        frame=times[[*columns, *values]].reset_index(drop=True),
        panels=_beside_reads(
            times,
            reads,
            styles,
            value="gigabytes",
            label="GB of X per second (log scale)",
            text="{:g}".format,
        ),
    )


def scale_memory(summary: Summary) -> Plot | str:
    """Peak memory beyond the input arrays, two panels for each axis."""
    table = summary.memory
    measured = [axis for axis in scaling.axes_of(summary) if axis in set(table["axis"])]
    if not measured:
        return "No memory was measured."
    styles = line_styles(summary.implementations)
    finding = _at_the_end(
        "Memory beyond the input arrays",
        _along(table, measured[0]),
        styles,
        measured[0],
        lambda row: _multiple(float(row["traced_multiple"])),
    )
    return Plot(
        finding=finding,
        caption=note("scale_memory"),
        shows=f"Curves of extra memory in multiples of X for {parts.labels(styles)}, "
        f"{_significant_ends(table['traced_multiple'], 2)}",
        frame=table.reset_index(drop=True),
        panels=_memory_panels(table, measured, styles),
    )


def _along(table: pd.DataFrame, axis: str) -> pd.DataFrame:
    return table[table["axis"] == axis]


def _beside_reads(
    table: pd.DataFrame,
    reads: pd.DataFrame,
    styles: parts.Styles,
    *,
    value: str,
    label: str,
    text: Callable[[float], str],
) -> list[Panel]:
    """Return a panel per operation, with a dashed line for one read of X, and the key."""
    limit: dict[str, Any] = {"color": MUTED, "linestyle": LIMIT_DASHES, "linewidth": 1.4}
    ends = [column for column in ("low", "high") if column in table]
    values = np.concatenate([table[[value, *ends]].to_numpy().ravel(), reads[value]])
    limits = np.nanmin(values) / 1.4, np.nanmax(values) * 1.4

    def draw(operation: str, axes: Axes) -> None:
        rows = reads[reads["operation"] == operation]
        axes.plot(rows["size"], rows[value], label=LIMIT_LABEL, **limit)
        rows = table[table["operation"] == operation]
        for style, own in parts.styled_rows(rows, styles):
            if ends:
                axes.vlines(own["size"], own["low"], own["high"], style.colour, **SPREAD)
        _curves(axes, rows, styles, value, text)
        axes.set(title=operation, ylabel=label, ylim=limits)
        _log_axes(axes, table["axis"].iloc[0], table["size"], text)

    return [
        *parts.panels(draw, scaling.SCALE_OPERATIONS, PANEL_INCHES),
        parts.key(
            parts.styles_present(styles, table).values(),
            [Line2D([], [], label=LIMIT_LABEL, **limit)],
        ),
    ]


def _memory_panels(
    table: pd.DataFrame, measured: Sequence[str], styles: parts.Styles
) -> list[Panel]:
    shown = table.assign(
        traced_multiple=table["traced_multiple"].clip(lower=LEAST_MULTIPLE)
    ).sort_values("size", kind="stable")
    values = shown[["traced_multiple", "resident_multiple"]].to_numpy().ravel()
    positive = values[values >= LEAST_MULTIPLE]
    limits = min(positive.min(), 1.0) / 1.6, max(positive.max(), 1.0) * 1.6

    def draw(place: tuple[str, str], axes: Axes) -> None:
        axis, operation = place
        rows = shown[(shown["axis"] == axis) & (shown["operation"] == operation)]
        axes.axhline(1.0, color=INK, linewidth=0.8)
        _curves(axes, rows, styles, "traced_multiple", _multiple)
        for style, own in parts.styled_rows(rows, styles):
            _resident(axes, own[own["resident_multiple"] > LEAST_MULTIPLE], style)
        label = "extra bytes\n(multiples of X, log scale)"
        axes.set(title=operation, ylabel=label, ylim=limits)
        _log_axes(axes, axis, rows["size"], "{:g}".format)

    size: dict[str, Any] = {"marker": "o", "markersize": 9, "markeredgecolor": MUTED}
    hollow = Line2D([], [], label="hollow: resident size", **size, **HOLLOW)
    places = product(measured, scaling.SCALE_OPERATIONS)
    entries = parts.key(parts.styles_present(styles, table).values(), [hollow])
    return [*parts.panels(draw, places, PANEL_INCHES), entries]


def _resident(axes: Axes, grown: pd.DataFrame, style: LineStyle) -> None:
    """Draw hollow marks for the resident growth of one implementation's processes."""
    sizes, values = grown["size"], grown["resident_multiple"]
    tips = [
        f"{style.label}, {words.compact(at)}: resident {_multiple(value)}"
        for at, value in zip(sizes, values, strict=True)
    ]
    look = {**HOLLOW, "markeredgecolor": style.colour}
    parts.marks(axes, sizes, values, style, tips, size=11, edge_width=1.3, **look)


def _multiple(value: float) -> str:
    return f"{words.significant(value, 2)} × X"


def _curves(
    axes: Axes,
    rows: pd.DataFrame,
    styles: parts.Styles,
    value: str,
    text: Callable[[float], str],
) -> None:
    parts.curves(
        axes,
        rows,
        styles,
        ("size", value),
        lambda at, amount: f"{words.compact(at)}: {text(amount)}",
    )


def _log_axes(
    axes: Axes, axis: str, sizes: "pd.Series[int]", text: Callable[[float], str]
) -> None:
    """Label the sizes, or every second or third, and as many values as fit."""
    shown = sorted(set(sizes))
    ticks = [size for size in shown if str(size).strip("0") == "1"]
    if len(shown) <= MOST_TICKS or len(ticks) < 3:
        step = -(-len(shown) // MOST_TICKS)
        ticks = shown[::-1][::step][::-1]
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_major_formatter(lambda size, _: words.compact(size).replace(".0", ""))
    axes.set_xlim(min(shown) / 1.35, max(shown) * 1.35)
    axes.set_xlabel(f"{axis} {scaling.SYMBOLS[axis]} (log scale)")
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=log_steps(*axes.get_ylim()), numticks=12))
    axes.yaxis.set_major_formatter(lambda value, _: text(value))
    axes.minorticks_off()
    axes.grid(visible=True, axis="both")


def _growth(summary: Summary, axis: str, styles: parts.Styles) -> str:
    known = _along(summary.exponents, axis).dropna(subset="low")
    texts = []
    for name, style in styles.items():
        rows = known[known["implementation"] == name]
        tenfold = itemgetter("exponent", "low", "high")
        calls: dict[str, list[str]] = {}
        for row in rows_of(rows):
            text = scaling.tenfold_text(*tenfold(row))
            text += " to tell" if text == scaling.TOO_NOISY else ""
            calls.setdefault(text, []).append(row["operation"])
        powers = [f"{text} in {words.listing(names)}" for text, names in calls.items()]
        if powers:
            texts.append(f"{style.label} {words.listing(powers)}")
    if not texts:
        return f"Too few sizes to tell how time grows with {axis}"
    return f"Time for ten times the {axis}: {'; '.join(texts)}"


def _at_the_end(
    lead: str,
    table: pd.DataFrame,
    styles: parts.Styles,
    axis: str,
    text: Callable[["pd.Series[float]"], str],
) -> str:
    """Describe each implementation at the largest size it reached."""
    phrases: dict[str, str] = {}
    for name, style in styles.items():
        rows = table[table["implementation"] == name]
        last = rows[rows["size"] == rows["size"].max()]
        if len(last):
            texts = [f"{text(row)} in {row['operation']}" for _, row in last.iterrows()]
            at = f"{scaling.SYMBOLS[axis]} = {words.count(float(rows['size'].max()))}"
            phrases[f"{style.label} {words.listing(texts)}"] = at
    if len({*phrases.values()}) == 1:
        return f"{lead} at {at}: {'; '.join(phrases)}"
    return f"{lead}: {'; '.join(f'{part} (at {at})' for part, at in phrases.items())}"


def _significant_ends(values: "pd.Series[float]", digits: int = 3) -> str:
    low, high = float(values.min()), float(values.max())
    return f"from {words.significant(low, digits)} to {words.significant(high, digits)}"

"""Time of each operation, and each paired ratio beside its noise floor."""

import math
from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator

from gnbbench.records import OPERATIONS
from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.figures.panels import (
    Measure,
    bars,
    beside,
    interval_line,
    rows_named,
)
from gnbbench.report.lookup import Lookup
from gnbbench.report.style import (
    INK,
    MUTED,
    PAPER,
    RULE,
    LineStyle,
    drawing_style,
    freeze,
    line_styles,
    new_figure,
)
from gnbbench.report.summaries import AnySummary
from gnbbench.words import (
    DASH,
    listing,
    plural,
    seconds,
    significant,
    span,
    time_unit,
)

NAME = "timing"
TITLE = "Time of fit, predict and predict_proba"


@drawing_style()
def timing(summary: AnySummary) -> Drawing | Absence:
    """Bars of median times (lines from p5 to p95), and paired ratios with their floor."""
    times = Lookup(summary.timing, "implementation", "operation")
    operations = [name for name in OPERATIONS if (summary.reference, name) in times]
    operations = operations or [
        n for n in OPERATIONS if n in set(summary.timing["operation"])
    ]
    if not operations:
        return Absence(NAME, TITLE, "Nothing was timed.")
    styles = line_styles(summary.implementations)
    finding = _finding(summary, styles)
    figure, tops, bottom = _grid(summary, operations, finding)
    for axes, operation in zip(tops, operations, strict=True):
        _times(axes, summary, times, operation, styles)
    if bottom is not None:
        _ratios(bottom, summary, operations, styles)
    return Drawing(
        NAME,
        TITLE,
        finding,
        _caption(summary),
        _alt(summary, finding, styles),
        freeze(figure),
        _frame(summary),
    )


def _grid(
    summary: AnySummary, operations: list[str], finding: str
) -> tuple[Figure, list[Axes], Axes | None]:
    n_bars, n_ratios = len(summary.implementations), len(summary.ratios)
    top, below = 0.75 + 0.32 * n_bars, (0.85 + 0.27 * n_ratios) if n_ratios else 0.0
    figure = new_figure(top + below, finding)
    heights = [top, below] if n_ratios else [top]
    parts = figure.add_gridspec(len(heights), 1, height_ratios=heights)
    tops = parts[0].subgridspec(1, len(operations))
    panels = list(tops.subplots(sharey=True, squeeze=False)[0])
    bottom = figure.add_subplot(parts[1].subgridspec(1, 1)[0]) if n_ratios else None
    return figure, panels, bottom


def _times(
    axes: Axes,
    summary: AnySummary,
    times: Lookup,
    operation: str,
    styles: Mapping[str, LineStyle],
) -> None:
    medians = {
        name: times.number("median_seconds", name, operation)
        for name in summary.implementations
    }
    size, unit = time_unit(
        max((v for v in medians.values() if math.isfinite(v)), default=1)
    )
    measures = [
        Measure(
            name,
            median / size,
            times.number("p5_seconds", name, operation) / size,
            times.number("p95_seconds", name, operation) / size,
            seconds(median) if math.isfinite(median) else "not timed",
        )
        for name, median in medians.items()
    ]
    bars(axes, measures, styles)
    axes.set(title=operation, xlabel=f"time of one call ({unit})")
    axes.locator_params(axis="x", nbins=4)


def _ratios(
    axes: Axes, summary: AnySummary, operations: list[str], styles: Mapping[str, LineStyle]
) -> None:
    lookup = Lookup(summary.ratios, "implementation", "operation")
    competitors = summary.implementations[1:]
    pairs = [
        (name, operation)
        for operation in operations
        for name in competitors
        if (name, operation) in lookup
    ]
    for row, (name, operation) in enumerate(pairs):
        style = styles[name]
        ratio, low, high = lookup.triple("ratio", name, operation)
        floor = (
            lookup.number("floor_low", name, operation),
            lookup.number("floor_high", name, operation),
        )
        if all(map(math.isfinite, floor)):
            axes.barh(
                row,
                floor[1] - floor[0],
                left=floor[0],
                height=0.86,
                color=RULE,
                edgecolor=MUTED,
                linewidth=0.6,
                label="noise floor",
            )
        text = f"{significant(ratio)} ({span(low, high)})" if math.isfinite(ratio) else DASH
        word = lookup.text("speed", name, operation)
        beside(axes, row, f"{text} {word}".strip())
        interval_line(axes, row, Measure(name, ratio, low, high, text), colour=style.colour)
        axes.plot(
            [ratio],
            [row],
            style.marker,
            color=style.colour,
            markersize=6.5,
            markeredgecolor=PAPER,
            label=style.label,
        )
    rows_named(axes, [f"{styles[name].label} · {operation}" for name, operation in pairs])
    axes.axvline(1, color=INK, linewidth=0.9)
    _ratio_axis(axes, summary)
    reference = styles[summary.reference].label
    axes.set(
        title="Paired ratio to the reference; grey: noise floor",
        xlabel=f"time over that of {reference} (log scale; below 1 is faster)",
    )


def _ratio_axis(axes: Axes, summary: AnySummary) -> None:
    """Log scale that shows 1 and ends on round numbers."""
    columns = summary.ratios[["ratio", "low", "high", "floor_low", "floor_high"]]
    values = [
        v for v in columns.to_numpy(dtype=float).ravel() if math.isfinite(v) and v > 0
    ]
    low, high = min([*values, 0.8]) / 1.15, max([*values, 1.25]) * 1.15
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    if high / low < 5:
        axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    else:
        parts = (1, 2, 5) if high / low < 200 else (1,)
        axes.xaxis.set_major_locator(LogLocator(subs=parts, numticks=20))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.minorticks_off()


def _finding(summary: AnySummary, styles: Mapping[str, LineStyle]) -> str:
    fits = summary.ratios.loc[summary.ratios["operation"] == "fit"].dropna(subset="ratio")
    if fits.empty:
        return "No implementation was timed against the reference"
    reference = styles[summary.reference].label
    row = fits.iloc[int(fits["ratio"].to_numpy().argmin())]
    label, times = styles[row["implementation"]].label, significant(row["ratio"])
    if row["speed"] == "not separated":
        return f"fit of {label} and of {reference} are not separated (ratio {times})"
    lead = "" if len(fits) == 1 else "Fastest: "
    return f"{lead}fit of {label} takes {times} × the time of {reference}"


def _caption(summary: AnySummary) -> str:
    return (
        "Bars are medians, from zero; lines run from the 5th to the 95th percentile of "
        "single calls. Ratios are medians of paired log-ratios with 95 % intervals. Grey "
        "is the noise floor: the reference timed against itself; what lies within it is "
        "not separated. "
        f"{summary.timing_regime}"
    )


def _alt(summary: AnySummary, finding: str, styles: Mapping[str, LineStyle]) -> str:
    medians = summary.timing["median_seconds"]
    within = summary.ratios.loc[summary.ratios["speed"] == "not separated"]
    exception = f" Not separated: {plural(len(within), 'ratio')}." if len(within) else ""
    names = listing([style.label for style in styles.values()])
    return (
        f"Bars of median times of {names}, from {seconds(medians.min())} to "
        f"{seconds(medians.max())}, above their ratios to the reference. "
        f"{finding}.{exception}"
    )


def _frame(summary: AnySummary) -> pd.DataFrame:
    keys = ["implementation", "operation"]
    return summary.timing.merge(summary.ratios, on=keys, how="left")

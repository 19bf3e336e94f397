"""Time of each operation, and each paired ratio beside its noise floor."""

import math

from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, MaxNLocator

from gnbbench.report.figures.drawing import Plot, tip
from gnbbench.report.figures.parts import (
    MARK_PLACE,
    Measure,
    Styles,
    finite,
    labels,
    log_steps,
    points,
    rows_inches,
    short_seconds,
)
from gnbbench.report.style import INK, MUTED, RULE, Panel, line_styles
from gnbbench.statistics.summary import Summary
from gnbbench.statistics.timing import UNTOLD, speed_text
from gnbbench.words import plural, seconds, span

RATIO_KEYS = ("ratio", "low", "high", "speed")


def timing(summary: Summary) -> Plot | str:
    """Median times with lines from p5 to p95, and paired ratios with their floor."""
    timed = summary.timing.groupby("operation", sort=False)["implementation"].agg(set)
    operations = [name for name in timed.index if summary.reference in timed[name]]
    operations = operations or list(timed.index)
    if not operations:
        return "Nothing was timed."
    styles = line_styles(summary.implementations)
    medians = summary.timing["median_seconds"]
    untold = summary.ratios["speed"].map(UNTOLD).value_counts().items()
    untold_text = "; ".join(f"{text}: {plural(n, 'ratio')}" for text, n in untold)
    return Plot(
        finding=_finding(summary, styles),
        caption="Marks are medians; lines run from the 5th to the 95th percentile of "
        "single calls. Ratios are medians of paired log-ratios with 95 % intervals. Grey "
        "is the noise floor: the reference timed against itself; what lies within it is "
        f"not distinguishable. {summary.timing_regime}",
        shows=f"Median times of {labels(styles)}, from {seconds(medians.min())} to "
        f"{seconds(medians.max())}, beside their ratios to the reference",
        exception=f"{untold_text.capitalize()}." if untold_text else "",
        frame=summary.timing.merge(
            summary.ratios, on=["implementation", "operation"], how="left"
        ),
        panels=[_times(summary, operations, styles), *_ratios(summary, operations, styles)],
    )


def _times(summary: Summary, operations: list[str], styles: Styles) -> Panel:
    """Return medians and percentiles on a log axis, operation by operation."""
    table = summary.timing.set_index(["operation", "implementation"])
    keys = [(operation, name) for operation in operations for name in styles]
    columns = ["median_seconds", "p5_seconds", "p95_seconds"]
    measured = []
    for (operation, name), median, low, high in table.reindex(keys)[columns].itertuples():
        text = seconds(median) if math.isfinite(median) else "not timed"
        measured.append(Measure(name, median, low, high, f"{operation} {text}"))

    def draw(axes: Axes) -> None:
        points(axes, measured, styles)
        axes.set_xscale("log")
        axes.margins(x=0.06)
        steps = log_steps(*axes.get_xlim())
        axes.xaxis.set_major_locator(LogLocator(subs=steps, numticks=12))
        axes.xaxis.set_major_formatter(lambda value, _: short_seconds(value))
        axes.minorticks_off()
        axes.set(xlabel="time of one call (log scale)", title="Time, p5 to p95")

    return Panel(draw, rows_inches(len(measured)))


def _ratios(summary: Summary, operations: list[str], styles: Styles) -> list[Panel]:
    """Return the panel of paired ratios over their noise floor, where there are any."""
    ratios = summary.ratios[summary.ratios["operation"].isin(operations)]
    records = ratios.to_dict("records")
    if not records:
        return []
    measured = []
    for row in records:
        text = f"{row['operation']} {speed_text(*(row[key] for key in RATIO_KEYS))}"
        ends = (row["ratio"], row["low"], row["high"])
        measured.append(Measure(row["implementation"], *ends, text))

    def draw(axes: Axes) -> None:
        for place, row in enumerate(records):
            low, high = row["floor_low"], row["floor_high"]
            if math.isfinite(high - low):
                axes.barh(
                    place + MARK_PLACE,
                    high - low,
                    left=low,
                    height=0.46,
                    color=RULE,
                    edgecolor=MUTED,
                    linewidth=0.6,
                    label="noise floor",
                    gid=tip(f"noise floor: {span(low, high)}"),
                )
        axes.axvline(1, color=INK, linewidth=0.9)
        points(axes, measured, styles)
        _ratio_axis(axes, summary)
        reference = styles[summary.reference].label
        axes.set(
            title="Paired ratio; grey: noise floor",
            xlabel=f"time over that of {reference} (log scale)",
        )

    return [Panel(draw, rows_inches(len(records)))]


def _ratio_axis(axes: Axes, summary: Summary) -> None:
    """Log scale that shows 1 and ends on round numbers."""
    columns = summary.ratios[["ratio", "low", "high", "floor_low", "floor_high"]]
    values = [v for v in finite(columns.to_numpy(dtype=float).ravel()) if v > 0]
    low, high = min([*values, 0.8]) / 1.15, max([*values, 1.25]) * 1.15
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    if high / low < 5:
        axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    else:
        axes.xaxis.set_major_locator(LogLocator(subs=log_steps(low, high), numticks=12))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.minorticks_off()


def _finding(summary: Summary, styles: Styles) -> str:
    fits = summary.ratios.loc[summary.ratios["operation"] == "fit"].dropna(subset="ratio")
    if fits.empty:
        return "No implementation was timed against the reference"
    reference = styles[summary.reference].label
    row = fits.iloc[int(fits["ratio"].to_numpy().argmin())]
    label = styles[row["implementation"]].label
    times = speed_text(*row[["ratio", "low", "high", "speed"]])
    if row["speed"] in UNTOLD:
        return f"Fit times of {label} and {reference} are {times}"
    lead = "" if len(fits) == 1 else "Fastest: "
    return f"{lead}{label} fits {times} than {reference}"

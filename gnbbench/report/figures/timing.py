"""Time of each operation, and each paired ratio beside its noise floor."""

import math

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator

from gnbbench.report.figures.drawing import Plot
from gnbbench.report.figures.parts import (
    Measure,
    Styles,
    bars,
    beside,
    finite,
    labels,
    name_rows,
    point,
)
from gnbbench.report.style import INK, MUTED, RULE, line_styles
from gnbbench.statistics.summary import Summary
from gnbbench.statistics.timing import speed_text
from gnbbench.words import (
    plural,
    seconds,
    time_unit,
)


def timing(summary: Summary) -> Plot | str:
    """Bars of median times (lines from p5 to p95), and paired ratios with their floor."""
    timed = summary.timing.groupby("operation", sort=False)["implementation"].agg(set)
    operations = [name for name in timed.index if summary.reference in timed[name]]
    operations = operations or list(timed.index)
    if not operations:
        return "Nothing was timed."
    styles = line_styles(summary.implementations)
    finding = _finding(summary, styles)
    n_ratios = len(summary.ratios)
    top = 0.75 + 0.32 * len(summary.implementations)
    below = 0.85 + 0.27 * n_ratios if n_ratios else 0.0

    def draw(figure: Figure) -> None:
        heights = [top, below] if n_ratios else [top]
        grid = figure.add_gridspec(len(heights), 1, height_ratios=heights)
        panels = (
            grid[0].subgridspec(1, len(operations)).subplots(sharey=True, squeeze=False)
        )
        for axes, operation in zip(panels[0], operations, strict=True):
            _times(axes, summary, operation, styles)
        if n_ratios:
            bottom = figure.add_subplot(grid[1].subgridspec(1, 1)[0])
            _ratios(bottom, summary, operations, styles)

    keys = ["implementation", "operation"]
    medians = summary.timing["median_seconds"]
    within = int((summary.ratios["speed"] == "not separated").sum())
    exception = f" Not distinguishable: {plural(within, 'ratio')}." if within else ""
    return Plot(
        finding=finding,
        caption="Bars are medians, from zero; lines run from the 5th to the 95th "
        "percentile of single calls. Ratios are medians of paired log-ratios with 95 % "
        "intervals. Grey is the noise floor: the reference timed against itself; what "
        f"lies within it is not distinguishable. {summary.timing_regime}",
        alt=f"Bars of median times of {labels(styles)}, from {seconds(medians.min())} to "
        f"{seconds(medians.max())}, above their ratios to the reference. "
        f"{finding}.{exception}",
        frame=summary.timing.merge(summary.ratios, on=keys, how="left"),
        inches=top + below,
        draw=draw,
    )


def _times(axes: Axes, summary: Summary, operation: str, styles: Styles) -> None:
    rows = summary.timing[summary.timing["operation"] == operation]
    times = rows.set_index("implementation").reindex(list(styles))
    size, unit = time_unit(max(finite(times["median_seconds"]), default=1))
    kinds = ["median_seconds", "p5_seconds", "p95_seconds"]
    measures = [
        Measure(
            name,
            median / size,
            low / size,
            high / size,
            seconds(median) if math.isfinite(median) else "not timed",
        )
        for name, median, low, high in times[kinds].itertuples()
    ]
    bars(axes, measures, styles)
    axes.set(title=operation, xlabel=f"time of one call ({unit})")
    axes.locator_params(axis="x", nbins=4)


def _ratios(axes: Axes, summary: Summary, operations: list[str], styles: Styles) -> None:
    ratios = summary.ratios[summary.ratios["operation"].isin(operations)]
    rows = ratios.to_dict("records")
    for place, row in enumerate(rows):
        ratio, low, high = row["ratio"], row["low"], row["high"]
        width = row["floor_high"] - row["floor_low"]
        if math.isfinite(width):
            axes.barh(
                place,
                width,
                left=row["floor_low"],
                height=0.86,
                color=RULE,
                edgecolor=MUTED,
                linewidth=0.6,
                label="noise floor",
            )
        text = speed_text(ratio, low, high, row["speed"])
        name = row["implementation"]
        beside(axes, place, text)
        point(axes, place, Measure(name, ratio, low, high, text), styles[name])
    name_rows(
        axes, [f"{styles[r['implementation']].label} · {r['operation']}" for r in rows]
    )
    axes.axvline(1, color=INK, linewidth=0.9)
    _ratio_axis(axes, summary)
    reference = styles[summary.reference].label
    axes.set(
        title="Paired ratio to the reference; grey: noise floor",
        xlabel=f"time over that of {reference} (log scale; below 1 is faster)",
    )


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
        parts = (1, 2, 5) if high / low < 200 else (1,)
        axes.xaxis.set_major_locator(LogLocator(subs=parts, numticks=20))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.minorticks_off()


def _finding(summary: Summary, styles: Styles) -> str:
    fits = summary.ratios.loc[summary.ratios["operation"] == "fit"].dropna(subset="ratio")
    if fits.empty:
        return "No implementation was timed against the reference"
    reference = styles[summary.reference].label
    row = fits.iloc[int(fits["ratio"].to_numpy().argmin())]
    label = styles[row["implementation"]].label
    times = speed_text(*row[["ratio", "low", "high", "speed"]])
    if row["speed"] == "not separated":
        return f"Fit times of {label} and {reference} are {times}"
    lead = "" if len(fits) == 1 else "Fastest: "
    return f"{lead}{label} fits {times} than {reference}"

"""Time of fit and of predict against each size."""

from matplotlib.ticker import FuncFormatter

from gnbbench.report.figures import curves, scale_axes
from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.style import LineStyle, drawing_style, freeze, line_styles, new_figure
from gnbbench.statistics.scale_summary import SCALE_OPERATIONS, SYMBOLS, ScaleSummary
from gnbbench.words import SPACE, count, decimal, listing, seconds


def sizes(summary: ScaleSummary) -> tuple[str, ...]:
    """What was varied; each has a figure."""
    return tuple(summary.axes)


@drawing_style()
def scale_times(summary: ScaleSummary, axis: str) -> Drawing | Absence:
    """Two panels of time against one size, on logarithmic axes, with one read of X."""
    name, title = f"scale_{axis}", f"Time against {axis}"
    times = summary.times.loc[summary.times["axis"] == axis]
    reads = summary.reads.loc[summary.reads["axis"] == axis]
    if times.empty:
        return Absence(name, title, f"Nothing was timed along {SYMBOLS[axis]}.")
    times = times.rename(columns={"low_seconds": "low", "high_seconds": "high"})
    styles = line_styles(summary.implementations)
    finding = _finding(summary, axis, styles)
    figure = new_figure(scale_axes.PANEL_INCHES, finding)
    panels = figure.subplots(1, 2, sharey=True)
    for axes, operation in zip(panels, SCALE_OPERATIONS, strict=True):
        scale_axes.limit(axes, reads.loc[reads["operation"] == operation], "seconds")
        rows = times.loc[times["operation"] == operation]
        for place, one in enumerate(summary.implementations):
            mine = rows.loc[rows["implementation"] == one]
            scale_axes.curve(axes, mine, "seconds", styles[one], first=place == 0)
        axes.set_title(operation)
    for axes in panels:
        scale_axes.size_axis(axes, axis, sorted(set(times["size"])))
        text = FuncFormatter(lambda value, _: _short(value))
        scale_axes.value_axis(axes, "", text)
    panels[0].set_ylabel("time of one call (log scale)")
    present = [
        one for one in summary.implementations if one in set(times["implementation"])
    ]
    curves.key(figure, present, styles, [scale_axes.limit_entry()])
    frame = times.drop(columns=["floor_low", "floor_high"]).reset_index(drop=True)
    return Drawing(
        name,
        title,
        finding,
        _caption(summary, axis),
        _alt(summary, axis, finding, styles),
        freeze(figure),
        frame,
    )


def _short(value: float) -> str:
    """Time without trailing zeros, for a tick."""
    number, _, unit = seconds(value).partition(SPACE)
    number = number.rstrip("0").rstrip(".") if "." in number else number
    return f"{number}{SPACE}{unit}"


def _finding(summary: ScaleSummary, axis: str, styles: dict[str, LineStyle]) -> str:
    symbol = SYMBOLS[axis]
    table = summary.exponents
    known = table.loc[(table["axis"] == axis) & table["exponent"].notna()]
    told = []
    for name in summary.implementations:
        mine = known.loc[known["implementation"] == name].set_index("operation")["exponent"]
        powers = [f"{one} as {symbol}^{decimal(mine[one], 2)}" for one in mine.index]
        if powers:
            told.append(f"{styles[name].label}: {listing(powers)}")
    if not told:
        return f"Too few sizes to tell how time grows with {symbol}"
    return f"Growth with {axis}: {'; '.join(told)}"


def _caption(summary: ScaleSummary, axis: str) -> str:
    processes = int(summary.times["processes"].max())
    spread = "upright lines run from the smallest to the largest of their medians"
    what = f"medians of {count(processes)} processes' medians; {spread}"
    if processes == 1:
        what = "medians of one process"
    return (
        f"{summary.held_text(axis)}. Points are {what}. The dashed line is one read of X "
        "in the same rounds, the least that any use of all values can take on one thread."
    )


def _alt(
    summary: ScaleSummary, axis: str, finding: str, styles: dict[str, LineStyle]
) -> str:
    rows = summary.times.loc[summary.times["axis"] == axis]
    low, high = rows["seconds"].min(), rows["seconds"].max()
    stopped = summary.stops.loc[
        (summary.stops["axis"] == axis) & summary.stops["size"].notna(), "implementation"
    ]
    names = listing([style.label for style in styles.values()])
    exception = f" Not to the end: {listing([styles[n].label for n in stopped])}."
    return (
        f"Curves of the time of fit and of predict against {axis} for {names}, from "
        f"{seconds(low)} to {seconds(high)}. {finding}."
        f"{exception if len(stopped) else ''}"
    )

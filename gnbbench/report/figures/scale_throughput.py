"""How fast implementations go through X, beside the speed of one read of it."""

from matplotlib.ticker import FuncFormatter

from gnbbench.report.figures import curves, scale_axes
from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.style import LineStyle, drawing_style, freeze, line_styles, new_figure
from gnbbench.statistics.scale_summary import SCALE_OPERATIONS, SYMBOLS, ScaleSummary
from gnbbench.words import count, listing, share, significant

NAME = "scale_throughput"
TITLE = "Throughput against the speed of one read"
GIGA = 1e9


@drawing_style()
def scale_throughput(summary: ScaleSummary) -> Drawing | Absence:
    """Bytes of X per second against the first axis, below the line of one read."""
    axis = summary.axes[0]
    table = summary.times.loc[summary.times["axis"] == axis]
    if table.empty:
        return Absence(NAME, TITLE, f"Nothing was timed along {SYMBOLS[axis]}.")
    times = table.assign(gigabytes=table["bytes_per_second"] / GIGA)
    reads = summary.reads.loc[summary.reads["axis"] == axis]
    reads = reads.assign(gigabytes=reads["bytes_per_second"] / GIGA)
    styles = line_styles(summary.implementations)
    finding = _finding(summary, axis, styles)
    figure = new_figure(scale_axes.PANEL_INCHES, finding)
    panels = figure.subplots(1, 2, sharey=True)
    for axes, operation in zip(panels, SCALE_OPERATIONS, strict=True):
        scale_axes.limit(axes, reads.loc[reads["operation"] == operation], "gigabytes")
        rows = times.loc[times["operation"] == operation]
        for place, one in enumerate(summary.implementations):
            mine = rows.loc[rows["implementation"] == one]
            scale_axes.curve(axes, mine, "gigabytes", styles[one], first=place == 0)
        axes.set_title(operation)
    for axes in panels:
        scale_axes.size_axis(axes, axis, sorted(set(times["size"])))
        scale_axes.value_axis(axes, "", FuncFormatter(lambda value, _: f"{value:g}"))
    panels[0].set_ylabel("GB of X per second (log scale)")
    present = [
        one for one in summary.implementations if one in set(times["implementation"])
    ]
    curves.key(figure, present, styles, [scale_axes.limit_entry()])
    columns = ["axis", "size", "operation", "implementation"]
    values = ["rows_per_second", "bytes_per_second", "share_of_read"]
    return Drawing(
        NAME,
        TITLE,
        finding,
        _caption(summary, axis),
        _alt(summary, axis, finding, styles),
        freeze(figure),
        times[[*columns, *values]].reset_index(drop=True),
    )


def _finding(summary: ScaleSummary, axis: str, styles: dict[str, LineStyle]) -> str:
    table = summary.times.loc[summary.times["axis"] == axis]
    told = []
    for name in summary.implementations:
        mine = table.loc[table["implementation"] == name]
        last = mine.loc[mine["size"] == mine["size"].max()].set_index("operation")
        parts = [
            f"{share(round(float(last.loc[one, 'share_of_read']), 3))} in {one}"
            for one in last.index
        ]
        if parts:
            at = f"{SYMBOLS[axis]} = {count(float(mine['size'].max()))}"
            told.append(f"{styles[name].label} {listing(parts)} (at {at})")
    return f"Share of the speed of one read of X: {'; '.join(told)}"


def _caption(summary: ScaleSummary, axis: str) -> str:
    return (
        f"{summary.held_text(axis)}. Bytes of X divided by the time of a call. The dashed "
        "line is one read of X (its largest value) on one thread in the same rounds: the "
        "physical limit, high where X fits into the processor's caches."
    )


def _alt(
    summary: ScaleSummary, axis: str, finding: str, styles: dict[str, LineStyle]
) -> str:
    rows = summary.times.loc[summary.times["axis"] == axis, "bytes_per_second"] / GIGA
    names = listing([style.label for style in styles.values()])
    return (
        f"Curves of gigabytes of X per second in fit and predict against {axis} for "
        f"{names}, from {significant(float(rows.min()))} to "
        f"{significant(float(rows.max()))}, with a dashed line for one read of X. "
        f"{finding}."
    )

"""Q–Q plots: ordered values of a feature within a class against normal quantiles."""

from matplotlib.axes import Axes

from gnbbench.report.assumptions_choices import class_words, least_normal, worst_cells
from gnbbench.report.assumptions_summary import AssumptionsSummary
from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.figures.normality_panels import (
    NOT_DRAWN,
    choice,
    grid,
    label_edges,
    named_cells,
    of_cell,
    of_cells,
)
from gnbbench.report.style import MUTED, drawing_style, freeze
from gnbbench.statistics.metrics import LEVEL
from gnbbench.words import count, decimal, plural, printable

NAME = "normality_quantiles"
TITLE = "Q–Q plots against the normal distribution"
POINTS = "#0072B2"
MOST_VECTOR_POINTS = 800


@drawing_style()
def normality_quantiles(summary: AssumptionsSummary) -> Drawing | Absence:
    """One panel a class and feature, the same ones as the histograms."""
    cells = list(named_cells(summary))
    if not cells:
        return Absence(NAME, TITLE, NOT_DRAWN)
    finding = _finding(summary)
    frame = of_cells(summary.findings.quantile_points, summary)
    figure, panels = grid(len(cells), finding)
    raster = len(frame) > MOST_VECTOR_POINTS
    for axes, (name, feature, title) in zip(panels, cells, strict=True):
        _panel(axes, summary, name, feature, raster=raster)
        axes.set_title(title, size=8.5)
    label_edges(panels, "normal quantile", "observed")
    return Drawing(
        NAME,
        TITLE,
        finding,
        _caption(summary),
        _alt(summary, finding, len(cells)),
        freeze(figure),
        frame,
    )


def _panel(
    axes: Axes, summary: AssumptionsSummary, name: str, feature: str, *, raster: bool
) -> None:
    points = of_cell(summary.findings.quantile_points, name, feature)
    ends = points["theoretical"].min(), points["theoretical"].max()
    axes.plot(ends, ends, color=MUTED, linewidth=1, linestyle=(0, (4, 3)))
    axes.plot(
        points["theoretical"],
        points["observed"],
        "o",
        color=POINTS,
        markersize=2.6,
        markeredgewidth=0,
        alpha=0.8,
        rasterized=raster,
    )
    cell = of_cell(summary.findings.normality, name, feature).iloc[0]
    axes.annotate(
        decimal(cell["qq_correlation"], 3),
        (0.98, 0.04),
        xycoords="axes fraction",
        ha="right",
        size=8,
    )
    axes.locator_params(nbins=4)
    axes.grid(visible=False)
    axes.tick_params(labelsize=7.5)


def _finding(summary: AssumptionsSummary) -> str:
    table = summary.findings.normality
    worst = least_normal(table)
    tested = table[table["p_holm"].notna()]
    rejected = int((tested["p_holm"] < LEVEL).sum())
    verb = "is" if rejected == 1 else "are"
    return (
        f"{count(rejected)} of {plural(len(tested), 'pair')} of class and feature {verb} "
        "not normal by test; the lowest Q–Q correlation is "
        f"{decimal(worst['qq_correlation'], 3)} ({printable(worst['feature'])}, "
        f"{class_words(worst['class_name'])})"
    )


def _caption(summary: AssumptionsSummary) -> str:
    return (
        "Ordered values in standard deviations from the class mean, against the quantiles "
        "that a normal distribution would have; where it holds, points lie on the dashed "
        "line. The number is the correlation of the two, 1 for a perfect line."
        f"{choice(summary)}"
    )


def _alt(summary: AssumptionsSummary, finding: str, n_panels: int) -> str:
    cells = worst_cells(summary)
    best = cells.iloc[int(cells["qq_correlation"].to_numpy().argmax())]
    return (
        f"{plural(n_panels, 'Q–Q plot')}, correlations from "
        f"{decimal(cells['qq_correlation'].min(), 3)} to "
        f"{decimal(cells['qq_correlation'].max(), 3)}. {finding}. Closest to the line: "
        f"{printable(best['feature'])} in {class_words(best['class_name'])}."
    )

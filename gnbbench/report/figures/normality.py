"""Histograms and Q–Q plots of features within a class: is the normal assumption tenable."""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gnbbench.report.assumptions_choices import (
    MOST_SHOWN,
    class_words,
    least_normal,
    nearly_constant,
    worst_cells,
)
from gnbbench.report.assumptions_summary import AssumptionsSummary
from gnbbench.report.figures.drawing import Plot
from gnbbench.report.figures.parts import ends
from gnbbench.report.style import INK, MUTED
from gnbbench.statistics.metrics import LEVEL
from gnbbench.words import count, decimal, figure_names, plural, printable

MOST_COLUMNS = 4
PANEL_INCHES = 1.75
# Of a title over one of four columns.
LETTERS = 21
NOT_DRAWN = "No feature that varies has three samples in a class."
BARS = "#56B4E9"
KERNEL = "#D55E00"
POINTS = "#0072B2"
# Standard deviations to either side that a histogram shows.
REACH = 3.2
MOST_VECTOR_POINTS = 800


def normality_histograms(summary: AssumptionsSummary) -> Plot | str:
    """One panel a class and feature, the least normal ones where there are many."""
    cells = list(named_cells(summary))
    if not cells:
        return NOT_DRAWN
    finding = _histogram_finding(summary)

    def draw(figure: Figure) -> None:
        panels = grid(figure, len(cells))
        for axes, (name, feature, title) in zip(panels, cells, strict=True):
            _histogram(axes, summary, name, feature)
            _finish(axes, title)
        label_edges(panels, "value of the feature", "density")
        entries = panels[0].get_legend_handles_labels()
        figure.legend(*entries, loc="outside lower center", ncols=3)

    return Plot(
        finding=finding,
        caption="Histogram of the samples of a class, the normal density with their mean "
        "and variance that the model fits (solid), and a kernel density that assumes no "
        "shape (dashed, Scott's bandwidth). Where the assumption holds, the lines "
        f"coincide. All areas are 1.{choice(summary)}",
        alt=_histogram_alt(summary, finding, len(cells)),
        frame=_bins(summary),
        inches=_inches(len(cells)),
        draw=draw,
    )


def normality_quantiles(summary: AssumptionsSummary) -> Plot | str:
    """One panel a class and feature, the same ones as the histograms."""
    cells = list(named_cells(summary))
    if not cells:
        return NOT_DRAWN
    finding = _quantile_finding(summary)
    frame = of_cells(summary.findings.quantile_points, summary)

    def draw(figure: Figure) -> None:
        panels = grid(figure, len(cells))
        raster = len(frame) > MOST_VECTOR_POINTS
        for axes, (name, feature, title) in zip(panels, cells, strict=True):
            _quantiles(axes, summary, name, feature, raster=raster)
            _finish(axes, title)
        label_edges(panels, "normal quantile", "observed")

    return Plot(
        finding=finding,
        caption="Ordered values in standard deviations from the class mean, against the "
        "quantiles that a normal distribution would have; where it holds, points lie on "
        "the dashed line. The number is the correlation of the two, 1 for a perfect line."
        f"{choice(summary)}",
        alt=_quantile_alt(summary, finding, len(cells)),
        frame=frame,
        inches=_inches(len(cells)),
        draw=draw,
    )


def _shape(n_panels: int) -> tuple[int, int]:
    """Rows and columns of so many panels."""
    rows = math.ceil(n_panels / MOST_COLUMNS)
    return rows, math.ceil(n_panels / rows)


def _inches(n_panels: int) -> float:
    return _shape(n_panels)[0] * PANEL_INCHES + 0.7


def grid(figure: Figure, n_panels: int) -> list[Axes]:
    """Return so many panels, row by row."""
    panels = list(figure.subplots(*_shape(n_panels), squeeze=False).ravel())
    for axes in panels[n_panels:]:
        axes.set_axis_off()
    return panels[:n_panels]


def named_cells(summary: AssumptionsSummary) -> Iterator[tuple[str, str, str]]:
    """Yield class, feature and the title of their panel, for every cell that is drawn."""
    cells = worst_cells(summary)
    n_columns = min(len(cells), MOST_COLUMNS)
    width = LETTERS * MOST_COLUMNS // max(n_columns, 1)
    classes = figure_names(map(class_words, cells["class_name"]), width)
    features = figure_names(cells["feature"], width)
    for name, feature in zip(cells["class_name"], cells["feature"], strict=True):
        yield str(name), str(feature), f"{classes[class_words(name)]}\n{features[feature]}"


def label_edges(panels: list[Axes], below: str, beside: str) -> None:
    """Name the axes of the panels in the last row and in the first column."""
    for axes in panels:
        place = axes.get_subplotspec()
        if place is not None and place.is_last_row():
            axes.set_xlabel(below)
        if place is not None and place.is_first_col():
            axes.set_ylabel(beside)


def _finish(axes: Axes, title: str) -> None:
    axes.set_title(title, size=8.5)
    axes.grid(visible=False)
    axes.tick_params(labelsize=7.5)


def of_cell(table: pd.DataFrame, class_name: str, feature: str) -> pd.DataFrame:
    """Return the rows of one class and feature."""
    return table[(table["class_name"] == class_name) & (table["feature"] == feature)]


def of_cells(table: pd.DataFrame, summary: AssumptionsSummary) -> pd.DataFrame:
    """Return the rows of all classes and features that are drawn, in that order."""
    parts = [of_cell(table, name, feature) for name, feature, _ in named_cells(summary)]
    return pd.concat(parts, ignore_index=True)


def choice(summary: AssumptionsSummary) -> str:
    """Sentence on which classes and features are drawn; empty where all are."""
    n_known = int(summary.findings.normality["qq_correlation"].notna().sum())
    if n_known <= MOST_SHOWN:
        return ""
    n_dull = len(nearly_constant(summary))
    without = (
        f", besides {count(n_dull)} with one value in over nine tenths" if n_dull else ""
    )
    return (
        f" Of {count(n_known)} pairs of class and feature the {MOST_SHOWN} with the lowest "
        f"Q–Q correlation are shown{without}; the table has all."
    )


def lead(summary: AssumptionsSummary, words: str) -> str:
    """Return the words, restricted to what is drawn where the worst of all is not."""
    lowest = summary.findings.normality["qq_correlation"].min()
    drawn = worst_cells(summary)["qq_correlation"].min()
    return words if lowest == drawn else f"{words} of these"


def _histogram(axes: Axes, summary: AssumptionsSummary, name: str, feature: str) -> None:
    bins = of_cell(summary.findings.histograms, name, feature)
    curves = of_cell(summary.findings.densities, name, feature)
    edges = np.append(bins["low"].to_numpy(), bins["high"].to_numpy()[-1])
    axes.stairs(
        bins["density"],
        edges,
        fill=True,
        color=BARS,
        alpha=0.55,
        linewidth=0,
        label="samples",
    )
    axes.plot(
        curves["x"], curves["gaussian"], color=INK, linewidth=1.6, label="fitted normal"
    )
    axes.plot(
        curves["x"],
        curves["kernel"],
        color=KERNEL,
        linewidth=1.4,
        linestyle=(0, (4, 2)),
        label="kernel density",
    )
    axes.set_xlim(*_range(summary, bins, curves, name, feature))
    axes.set_ylim(bottom=0)
    axes.locator_params(axis="x", nbins=4)
    axes.set_yticks([])


def _range(
    summary: AssumptionsSummary,
    bins: pd.DataFrame,
    curves: pd.DataFrame,
    name: str,
    feature: str,
) -> tuple[float, float]:
    """Return where there are samples or the normal density is not small."""
    filled = bins[bins["count"] > 0]
    cell = of_cell(summary.findings.normality, name, feature).iloc[0]
    reach = REACH * cell["standard_deviation"]
    low = max(cell["mean"] - reach, curves["x"].min())
    high = min(cell["mean"] + reach, curves["x"].max())
    return min(low, filled["low"].min()), max(high, filled["high"].max())


def _histogram_finding(summary: AssumptionsSummary) -> str:
    worst = least_normal(worst_cells(summary))
    return (
        f"{lead(summary, 'Farthest from normal')}: {printable(worst['feature'])} in "
        f"{class_words(worst['class_name'])}, skewness {decimal(worst['skewness'], 2)}, "
        f"excess kurtosis {decimal(worst['excess_kurtosis'], 2)}"
    )


def _histogram_alt(summary: AssumptionsSummary, finding: str, n_panels: int) -> str:
    cells = worst_cells(summary)
    left = int((cells["skewness"] < -0.5).sum())
    right = int((cells["skewness"] > 0.5).sum())
    return (
        f"{plural(n_panels, 'histogram')} with the fitted normal and a kernel density; "
        f"skewness {ends(cells['skewness'], 2)}. {finding}. Skewed by more than a half: "
        f"{right} to the right, {left} to the left."
    )


def _bins(summary: AssumptionsSummary) -> pd.DataFrame:
    """Return the bins, with both densities in the middle of each."""
    parts = []
    for name, feature, _ in named_cells(summary):
        bins = of_cell(summary.findings.histograms, name, feature)
        curves = of_cell(summary.findings.densities, name, feature)
        middle = (bins["low"] + bins["high"]).to_numpy() / 2.0
        x = curves["x"].to_numpy()
        parts.append(
            bins.assign(
                **{
                    f"{curve}_at_middle": np.interp(middle, x, curves[curve].to_numpy())
                    for curve in ("gaussian", "kernel")
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def _quantiles(
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


def _quantile_finding(summary: AssumptionsSummary) -> str:
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


def _quantile_alt(summary: AssumptionsSummary, finding: str, n_panels: int) -> str:
    cells = worst_cells(summary)
    best = cells.iloc[int(cells["qq_correlation"].to_numpy().argmax())]
    return (
        f"{plural(n_panels, 'Q–Q plot')}, correlations "
        f"{ends(cells['qq_correlation'], 3)}. {finding}. Closest to the line: "
        f"{printable(best['feature'])} in {class_words(best['class_name'])}."
    )

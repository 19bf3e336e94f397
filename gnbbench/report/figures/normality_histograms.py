"""Histograms of features within a class, under the fitted normal and a kernel density."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gnbbench.report.assumptions_choices import class_words, least_normal, worst_cells
from gnbbench.report.assumptions_summary import AssumptionsSummary
from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.figures.normality_panels import (
    NOT_DRAWN,
    choice,
    grid,
    label_edges,
    lead,
    named_cells,
    of_cell,
)
from gnbbench.report.style import INK, drawing_style, freeze
from gnbbench.words import decimal, plural, printable

NAME = "normality_histograms"
TITLE = "Distributions within a class, and the normal ones fitted to them"
BARS = "#56B4E9"
KERNEL = "#D55E00"
REACH = 3.2


@drawing_style()
def normality_histograms(summary: AssumptionsSummary) -> Drawing | Absence:
    """One panel a class and feature, the least normal ones where there are many."""
    cells = list(named_cells(summary))
    if not cells:
        return Absence(NAME, TITLE, NOT_DRAWN)
    finding = _finding(summary)
    figure, panels = grid(len(cells), finding)
    for axes, (name, feature, title) in zip(panels, cells, strict=True):
        _panel(axes, summary, name, feature)
        axes.set_title(title, size=8.5)
    label_edges(panels, "value of the feature", "density")
    _key(figure, panels[0])
    return Drawing(
        NAME,
        TITLE,
        finding,
        _caption(summary),
        _alt(summary, finding, len(cells)),
        freeze(figure),
        _frame(summary),
    )


def _panel(axes: Axes, summary: AssumptionsSummary, name: str, feature: str) -> None:
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
    axes.grid(visible=False)
    axes.tick_params(labelsize=7.5)


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


def _key(figure: Figure, panel: Axes) -> None:
    handles, labels = panel.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)


def _finding(summary: AssumptionsSummary) -> str:
    worst = least_normal(worst_cells(summary))
    return (
        f"{lead(summary, 'Farthest from normal')}: {printable(worst['feature'])} in "
        f"{class_words(worst['class_name'])}, skewness {decimal(worst['skewness'], 2)}, "
        f"excess kurtosis {decimal(worst['excess_kurtosis'], 2)}"
    )


def _caption(summary: AssumptionsSummary) -> str:
    return (
        "Histogram of the samples of a class, the normal density with their mean and "
        "variance that the model fits (solid), and a kernel density that assumes no shape "
        "(dashed, Scott's bandwidth). Where the assumption holds, the lines coincide. All "
        "areas are 1."
        f"{choice(summary)}"
    )


def _alt(summary: AssumptionsSummary, finding: str, n_panels: int) -> str:
    cells = worst_cells(summary)
    left = int((cells["skewness"] < -0.5).sum())
    right = int((cells["skewness"] > 0.5).sum())
    return (
        f"{plural(n_panels, 'histogram')} with the fitted normal and a kernel density; "
        f"skewness from {decimal(cells['skewness'].min(), 2)} to "
        f"{decimal(cells['skewness'].max(), 2)}. {finding}. Skewed by more than a half: "
        f"{right} to the right, {left} to the left."
    )


def _frame(summary: AssumptionsSummary) -> pd.DataFrame:
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

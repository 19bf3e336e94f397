"""What both figures of the normal assumption share: panels, their names, their words."""

import math
from collections.abc import Iterator

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gnbbench.report.assumptions_choices import (
    MOST_SHOWN,
    class_words,
    nearly_constant,
    worst_cells,
)
from gnbbench.report.assumptions_summary import AssumptionsSummary
from gnbbench.report.style import new_figure
from gnbbench.words import count, figure_names

MOST_COLUMNS = 4
PANEL_INCHES = 1.75
# Of a title over one of four columns.
LETTERS = 21
NOT_DRAWN = "No feature that varies has three samples in a class."


def grid(n_panels: int, finding: str) -> tuple[Figure, list[Axes]]:
    """Return a figure with so many panels, row by row, and room for a legend below.

    Must be called within `gnbbench.report.style.drawing_style`.
    """
    rows = math.ceil(n_panels / MOST_COLUMNS)
    columns = math.ceil(n_panels / rows)
    figure = new_figure(rows * PANEL_INCHES + 0.7, finding)
    cells = list(figure.subplots(rows, columns, squeeze=False).ravel())
    for axes in cells[n_panels:]:
        axes.set_axis_off()
    return figure, cells[:n_panels]


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

"""Correlations of features within each class, as heat maps on one scale."""

import math

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from gnbbench.report.assumptions_choices import (
    MOST_SHOWN,
    class_words,
    ranked_pairs,
    shown_classes,
    shown_features,
)
from gnbbench.report.assumptions_summary import AssumptionsSummary
from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.figures.heat_map import Scale, heat_map
from gnbbench.report.style import WIDTH_INCHES, drawing_style, freeze, new_figure
from gnbbench.words import decimal, figure_names, plural, printable

NAME = "correlations"
TITLE = "Correlations of features within each class"
MOST_COLUMNS = 5
MOST_VECTOR_CELLS = 450
INCHES_PER_LETTER = 0.078
SMALLEST_CELL = 0.36
KINDS = {"pearson": ("Pearson's r", "r"), "spearman": ("Spearman's ρ", "ρ")}

Matrix = NDArray[np.float64]


@drawing_style()
def correlations(summary: AssumptionsSummary) -> Drawing | Absence:
    """One heat map a class; the diagonal and constant features stay blank."""
    pairs = ranked_pairs(summary)
    if pairs.empty:
        return Absence(NAME, TITLE, "No class has two features that vary.")
    classes, features = shown_classes(summary), shown_features(summary)
    drawn = pairs[
        pairs["class_name"].isin(classes)
        & pairs["feature"].isin(features)
        & pairs["other_feature"].isin(features)
    ]
    finding = _finding(summary, pairs, drawn)
    figure = _draw(summary, classes, features, finding)
    return Drawing(
        NAME,
        TITLE,
        finding,
        _caption(summary, len(features), len(classes)),
        _alt(summary, drawn, finding, len(classes), len(features)),
        freeze(figure),
        drawn.reset_index(drop=True),
    )


def _draw(
    summary: AssumptionsSummary, classes: list[str], features: list[str], finding: str
) -> Figure:
    columns = _columns(len(classes))
    rows = math.ceil(len(classes) / columns)
    names = list(figure_names(features, 18).values())
    margin = INCHES_PER_LETTER * max(map(len, names)) + 0.1
    inches = (WIDTH_INCHES - 1.2 - margin) / columns - 0.15
    hanging = margin * (2 if len(classes) % columns else 1)
    figure = new_figure(rows * (inches + 0.35) + hanging + 0.2, finding)
    cells = figure.subplots(rows, columns, squeeze=False).ravel()
    titles = figure_names(map(class_words, classes), max(int(inches * 9), 8))
    scale = Scale(sns.color_palette("vlag", as_cmap=True), -1.0, 1.0)
    for place, name in enumerate(classes):
        axes = cells[place]
        values = _matrix(summary, name, features)
        texts = _texts(values, inches / len(features))
        first = place % columns == 0
        heat_map(axes, values, texts, names, scale, inches=inches, first=first)
        axes.collections[0].set_rasterized(values.size * len(classes) > MOST_VECTOR_CELLS)
        bottom = place + columns >= len(classes)
        _finish(axes, titles[class_words(name)], first=first, bottom=bottom)
    for axes in cells[len(classes) :]:
        axes.set_axis_off()
    _colour_bar(figure, list(cells), KINDS[summary.correlation][0])
    return figure


def _columns(n_classes: int) -> int:
    """Return how many heat maps stand side by side: all of up to four, else even rows."""
    rows = math.ceil(n_classes / MOST_COLUMNS)
    return math.ceil(n_classes / rows)


def _finish(axes: Axes, title: str, *, first: bool, bottom: bool) -> None:
    axes.set_title(title)
    axes.set(xlabel="feature" if bottom else "", ylabel="feature" if first else "")
    axes.tick_params(axis="x", rotation=90)
    if not bottom:
        axes.set_xticklabels([])


def _colour_bar(figure: Figure, cells: list[Axes], label: str) -> None:
    bar = figure.colorbar(
        cells[0].collections[0], ax=cells, aspect=40, pad=0.02, fraction=0.03, label=label
    )
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=7.5, length=0, pad=2)


def _matrix(summary: AssumptionsSummary, class_name: str, features: list[str]) -> Matrix:
    """Return the correlations of one class; NaN on the diagonal."""
    table = summary.findings.correlations
    rows = table[table["class_name"] == class_name]
    wide = rows.pivot_table(
        index="feature", columns="other_feature", values=summary.correlation
    )
    matrix = wide.reindex(index=features, columns=features).to_numpy(dtype=float).copy()
    np.fill_diagonal(matrix, np.nan)
    return matrix


def _texts(values: Matrix, cell_inches: float) -> NDArray[np.object_]:
    texts = np.full(values.shape, "", dtype=object)
    if cell_inches >= SMALLEST_CELL:
        for cell, value in np.ndenumerate(values):
            texts[cell] = "" if np.isnan(value) else decimal(float(value), 2)
    return texts


def _finding(summary: AssumptionsSummary, pairs: pd.DataFrame, drawn: pd.DataFrame) -> str:
    worst, symbol = drawn.iloc[0], KINDS[summary.correlation][1]
    lead = "Most correlated" if worst.equals(pairs.iloc[0]) else "Most correlated of these"
    value = decimal(float(worst[summary.correlation]), 2)
    return (
        f"{lead}: {printable(worst['feature'])} and {printable(worst['other_feature'])} in "
        f"{class_words(worst['class_name'])}, {symbol} = {value}"
    )


def _caption(summary: AssumptionsSummary, n_features: int, n_classes: int) -> str:
    found = summary.findings
    chosen = ""
    if n_features < len(found.feature_names):
        chosen += (
            f" Of {len(found.feature_names)} features the {MOST_SHOWN} with the largest "
            "correlations of any class are shown (those with one value in more than nine "
            "tenths of a class come last)."
        )
    if n_classes < len(found.class_names):
        chosen += (
            f" Of {len(found.class_names)} classes the {MOST_SHOWN} with the largest "
            "correlations are shown."
        )
    rest = f"{chosen} All pairs are in correlations.csv." if chosen else ""
    return (
        f"{KINDS[summary.correlation][0]} over all samples of a class, on one scale: red "
        "where two features rise together, blue where one falls, pale where there is no "
        "correlation. The naive assumption wants every cell pale. The diagonal, and "
        f"features that are constant in the class, are blank.{rest}"
    )


def _alt(
    summary: AssumptionsSummary,
    drawn: pd.DataFrame,
    finding: str,
    n_classes: int,
    n_features: int,
) -> str:
    values = drawn[summary.correlation]
    strong = int((values.abs() >= 0.5).sum())
    exception = f" {plural(strong, 'pair')} of {len(drawn)} reach 0.5 in absolute value."
    return (
        f"Heat maps of {KINDS[summary.correlation][0]} between "
        f"{plural(n_features, 'feature')} in "
        f"{plural(n_classes, 'class') if n_classes == 1 else f'{n_classes} classes'}, from "
        f"{decimal(values.min(), 2)} to {decimal(values.max(), 2)}. {finding}.{exception}"
    )

"""Correlations of features within each class, as heat maps on one scale."""

import math

import numpy as np
import pandas as pd
import seaborn as sns
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
from gnbbench.report.figures.drawing import Plot
from gnbbench.report.figures.parts import (
    MOST_VECTOR_CELLS,
    Scale,
    colour_bar,
    ends,
    heat_map,
)
from gnbbench.report.style import WIDTH_INCHES
from gnbbench.words import decimal, figure_names, plural, printable

MOST_COLUMNS = 5
INCHES_PER_LETTER = 0.078
SMALLEST_CELL = 0.36
KINDS = {"pearson": ("Pearson's r", "r"), "spearman": ("Spearman's ρ", "ρ")}

Matrix = NDArray[np.float64]


def correlations(summary: AssumptionsSummary) -> Plot | str:
    """One heat map a class; the diagonal and constant features stay blank."""
    pairs = ranked_pairs(summary)
    if pairs.empty:
        return "No class has two features that vary."
    classes, features = shown_classes(summary), shown_features(summary)
    drawn = pairs[
        pairs["class_name"].isin(classes)
        & pairs["feature"].isin(features)
        & pairs["other_feature"].isin(features)
    ]
    finding = _finding(summary, pairs, drawn)
    columns = _columns(len(classes))
    names = list(figure_names(features, 18).values())
    margin = INCHES_PER_LETTER * max(map(len, names)) + 0.1
    inches = (WIDTH_INCHES - 1.2 - margin) / columns - 0.15
    hanging = margin * (2 if len(classes) % columns else 1)
    rows = math.ceil(len(classes) / columns)

    def draw(figure: Figure) -> None:
        panels = figure.subplots(rows, columns, squeeze=False).ravel()
        titles = figure_names(map(class_words, classes), max(int(inches * 9), 8))
        scale = Scale(sns.color_palette("vlag", as_cmap=True), -1.0, 1.0)
        raster = len(features) ** 2 * len(classes) > MOST_VECTOR_CELLS
        for place, (axes, name) in enumerate(zip(panels, classes, strict=False)):
            values, first = _matrix(summary, name, features), place % columns == 0
            texts = _texts(values, inches / len(features))
            heat_map(
                axes, values, texts, names, scale, inches=inches, first=first, raster=raster
            )
            bottom = place + columns >= len(classes)
            axes.set(xlabel="feature" if bottom else "", ylabel="feature" if first else "")
            axes.set_title(titles[class_words(name)])
            axes.tick_params(axis="x", rotation=90, labelbottom=bottom)
        for axes in panels[len(classes) :]:
            axes.set_axis_off()
        colour_bar(figure, list(panels), panels[0], KINDS[summary.correlation][0])

    return Plot(
        finding=finding,
        caption=_caption(summary, len(features), len(classes)),
        alt=_alt(summary, drawn, finding, len(classes), len(features)),
        frame=drawn.reset_index(drop=True),
        inches=rows * (inches + 0.35) + hanging + 0.2,
        draw=draw,
    )


def _columns(n_classes: int) -> int:
    """Return how many heat maps stand side by side: all of up to four, else even rows."""
    rows = math.ceil(n_classes / MOST_COLUMNS)
    return math.ceil(n_classes / rows)


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
        f"{plural(n_classes, 'class') if n_classes == 1 else f'{n_classes} classes'}, "
        f"{ends(values, 2)}. {finding}.{exception}"
    )

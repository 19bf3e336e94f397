"""Share of labels that differ, every implementation against every dataset."""

import math
import textwrap

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.figures.heat_map import Scale
from gnbbench.report.style import MUTED, RULE, bare, drawing_style, freeze, new_figure
from gnbbench.statistics.matrix import Matrix
from gnbbench.words import count, figure_names, plural, printable, share

NAME = "matrix"
TITLE = "Labels that differ, by implementation and dataset"
MOST_VECTOR_CELLS = 450
MOST_WRITTEN_COLUMNS = 10
ROW_INCHES = 0.36
LOWEST_POWER = -4.0
# That stand side by side over all columns.
LETTERS = 100
COLUMNS = (
    "implementation",
    "dataset",
    "outcome",
    "runs",
    "failed_runs",
    "predictions",
    "disagreements",
    "agreement",
)


@drawing_style()
def matrix_figure(matrix: Matrix) -> Drawing | Absence:
    """One cell for each implementation and dataset, coloured by the share that differs."""
    frame = matrix.cells[list(COLUMNS)].copy()
    if not (frame["predictions"] > 0).any():
        return Absence(NAME, TITLE, "No run gave labels to compare.")
    frame["share_differing"] = _shares(frame)
    finding = _finding(frame)
    figure = new_figure(ROW_INCHES * len(matrix.competitors) + 0.9, finding)
    _draw(figure.subplots(), matrix, frame)
    return Drawing(
        NAME,
        TITLE,
        finding,
        f"Share of test predictions whose label is not that of "
        f"{printable(matrix.reference)}, over all runs of a dataset that both did. The "
        "darker, the more labels differ, on a logarithmic scale; without colour where none "
        "does, grey where no run gave labels. Equal labels can still come with other "
        "probabilities.",
        _alt(matrix, frame, finding),
        freeze(figure),
        frame,
    )


def _shares(frame: pd.DataFrame) -> "pd.Series[float]":
    """Return the share of labels that differ; NaN where none could be compared."""
    compared = frame["predictions"].where(frame["predictions"] > 0)
    return frame["disagreements"] / compared


def _draw(axes: Axes, matrix: Matrix, frame: pd.DataFrame) -> None:
    wide = frame.pivot_table(
        index="implementation", columns="dataset", values="share_differing", dropna=False
    ).reindex(index=list(matrix.competitors), columns=list(matrix.datasets))
    shares = wide.to_numpy(dtype=float)
    scale = Scale(sns.color_palette("viridis_r", as_cmap=True), LOWEST_POWER, 0.0)
    levels = _levels(shares)
    axes.pcolormesh(
        np.ma.masked_invalid(levels),
        cmap=scale.palette,
        vmin=scale.low,
        vmax=scale.high,
        rasterized=shares.size > MOST_VECTOR_CELLS,
    )
    axes.invert_yaxis()
    bare(axes)
    n_rows, n_columns = shares.shape
    axes.hlines(range(n_rows + 1), 0, n_columns, color=RULE, linewidth=0.8)
    axes.vlines(range(n_columns + 1), 0, n_rows, color=RULE, linewidth=0.8)
    for (row, column), value in np.ndenumerate(shares):
        level = float(levels[row, column])
        _cell(axes, row, column, float(value), scale.contrast(level))
    _name(axes, matrix)


def _levels(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return powers of ten; NaN, which stays without colour, where nothing differs."""
    seen = np.where(shares > 0, shares, np.nan)
    return np.maximum(np.log10(seen), LOWEST_POWER)


def _cell(axes: Axes, row: int, column: int, value: float, colour: str) -> None:
    if math.isnan(value):
        axes.add_patch(Rectangle((column, row), 1, 1, facecolor=RULE, linewidth=0))
    if axes.get_xlim()[1] <= MOST_WRITTEN_COLUMNS:
        axes.text(
            column + 0.5,
            row + 0.5,
            "no labels" if math.isnan(value) else share(value),
            color=MUTED if math.isnan(value) else colour,
            size=8.0,
            ha="center",
            va="center",
        )


def _name(axes: Axes, matrix: Matrix) -> None:
    rows = list(figure_names(matrix.competitors).values())
    names = figure_names(matrix.datasets, 24).values()
    letters = max(LETTERS // len(names), 1)
    columns = [
        textwrap.fill(name, max(letters, 8), break_long_words=False) for name in names
    ]
    long = max(len(line) for name in columns for line in name.split("\n")) > letters
    axes.set_yticks([place + 0.5 for place in range(len(rows))], rows)
    axes.set_xticks(
        [place + 0.5 for place in range(len(columns))], columns, rotation=90 if long else 0
    )
    axes.xaxis.tick_top()
    axes.tick_params(length=0)


def _finding(frame: pd.DataFrame) -> str:
    compared = frame.loc[frame["share_differing"].notna()]
    same = int((compared["disagreements"] == 0).sum())
    cells = plural(len(compared), "pair")
    if same == len(compared):
        return f"Not one label differs in any of {cells} of implementation and dataset"
    worst = compared.sort_values("share_differing", ascending=False, kind="stable").iloc[0]
    return (
        f"{count(same)} of {cells} of implementation and dataset agree in every label; "
        f"furthest off is {printable(worst['implementation'])} on "
        f"{printable(worst['dataset'])}, where {share(worst['share_differing'])} differ"
    )


def _alt(matrix: Matrix, frame: pd.DataFrame, finding: str) -> str:
    values = frame["share_differing"]
    silent = int(values.isna().sum())
    rest = f" {plural(silent, 'pair')} gave no labels to compare." if silent else ""
    return (
        f"Heat map of {plural(len(matrix.competitors), 'implementation')} by "
        f"{plural(len(matrix.datasets), 'dataset')}: share of labels that differ from "
        f"{printable(matrix.reference)}, from {share(float(values.min()))} to "
        f"{share(float(values.max()))}. {finding}.{rest}"
    )

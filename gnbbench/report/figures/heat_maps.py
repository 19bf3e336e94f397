"""Heat maps: confusion of classes, and labels that differ by implementation and dataset."""

import math
import textwrap
from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from gnbbench.report.figures.drawing import Plot
from gnbbench.report.figures.parts import Scale, cells, colour_bar, heat_map, write_cell
from gnbbench.report.style import RULE, WIDTH_INCHES
from gnbbench.statistics.matrix import Matrix as StudyMatrix
from gnbbench.statistics.summary import Summary
from gnbbench.words import (
    MINUS,
    compact,
    count,
    decimal,
    figure_names,
    listing,
    plural,
    printable,
    share,
)

SMALLEST_CELL_WITH_SHARE = 0.5
SMALLEST_CELL = 0.2
INCHES_PER_LETTER = 0.065

MOST_WRITTEN_COLUMNS = 10
ROW_INCHES = 0.36
LOWEST_POWER = -4.0
# That stand side by side over all columns.
LETTERS = 100
CELL_COLUMNS = (
    "implementation",
    "dataset",
    "outcome",
    "runs",
    "failed_runs",
    "predictions",
    "disagreements",
    "agreement",
)

Matrix = NDArray[np.float64]
Texts = NDArray[np.object_]


def confusion(summary: Summary) -> Plot | str:
    """Heat maps of each implementation, and of each difference in row share."""
    names = _labels(summary)
    counts = {name: _matrix(summary, name, names) for name in summary.implementations}
    counts = {name: matrix for name, matrix in counts.items() if matrix.sum() > 0}
    if not counts:
        return "No implementation gave labels in any run."
    finding = _finding(summary, counts, names)
    changes = _changes(summary, counts)
    reach = max([1e-9, *(float(np.abs(change).max()) for change in changes.values())])
    n_rows = 2 if changes and len(counts) > 2 else 1
    changed = "No cell differs."
    if any(map(np.any, changes.values())):
        changed = (
            "Differences show how many predictions moved; full colour is "
            f"{decimal(reach, 3)} of the true class, red for more and blue for less."
        )
    right = [float(np.trace(matrix) / matrix.sum()) for matrix in counts.values()]
    moved = [
        int(np.abs(counts[name] - counts[summary.reference]).sum() / 2) for name in changes
    ]
    exception = ""
    if moved:
        exception = f" At most {count(max(moved))} predictions moved between cells."
    return Plot(
        finding=finding,
        caption="Rows are true classes, columns predicted labels; numbers are counts over "
        "all runs (k: thousands; left to the table where cells are small). Colour is the "
        "share of the true class, on the same scale for all; cells without a sample are "
        f"blank. {changed}",
        alt=f"Heat maps of confusion for {listing(list(figure_names(counts).values()))}; "
        f"on the diagonal lie {share(min(right))} to {share(max(right))} of the "
        f"predictions. {finding}.{exception}",
        frame=summary.confusion.reset_index(drop=True),
        inches=3.3 if len(counts) <= 2 else n_rows * (WIDTH_INCHES / len(counts) + 0.45),
        draw=lambda figure: _draw(figure, summary, counts, changes, reach),
    )


def _draw(
    figure: Figure,
    summary: Summary,
    counts: Mapping[str, Matrix],
    changes: Mapping[str, Matrix],
    reach: float,
) -> None:
    tops, bottoms = _grid(figure, len(counts), len(changes))
    columns = len(tops) + (len(bottoms) if len(tops) <= 2 else 0)
    inches = WIDTH_INCHES / columns - 0.45
    names = list(figure_names(_labels(summary), 12 if columns < 4 else 9).values())
    titles = figure_names(counts, max(int(inches * 10), 10))
    shares = Scale(colormaps["viridis"], 0.0, 1.0)
    for axes, (name, matrix) in zip(tops, counts.items(), strict=True):
        values = np.where(matrix > 0, _row_shares(matrix), np.nan)
        texts = _count_texts(matrix, inches / len(names))
        heat_map(axes, values, texts, names, shares, inches=inches, first=axes is tops[0])
        axes.set(title=titles[name], xlabel="predicted label")
    tops[0].set_ylabel("true class")
    moves = Scale(colormaps["RdBu_r"], -reach, reach)
    for axes, (name, change) in zip(bottoms, changes.items(), strict=True):
        values = np.where(change != 0, change, np.nan)
        moved = counts[name] - counts[summary.reference]
        texts = _moved_texts(moved, inches / len(names))
        heat_map(axes, values, texts, names, moves, inches=inches, first=False)
        axes.set(title="difference", xlabel="predicted label")
        if not change.any():
            _write_no_difference(axes, change.shape)
    colour_bar(figure, tops[-1:], tops[0], "share of true class")
    if bottoms and reach > 1e-9:
        colour_bar(figure, bottoms[-1:], bottoms[0], "change of share")


def _grid(figure: Figure, n_matrices: int, n_changes: int) -> tuple[list[Axes], list[Axes]]:
    """Panels of matrices and of differences: in one row for two matrices, else in two."""
    if n_matrices <= 2:
        row = list(figure.subplots(1, n_matrices + n_changes, squeeze=False)[0])
        return row[:n_matrices], row[n_matrices:]
    grid = figure.subplots(2 if n_changes else 1, n_matrices, squeeze=False)
    if not n_changes:
        return list(grid[0]), []
    grid[1, 0].set_axis_off()
    return list(grid[0]), list(grid[1, 1:])


def _count_texts(counts: Matrix, cell_inches: float) -> Texts:
    """Texts of the cells: counts, row shares where there is room, or nothing at all."""
    texts = np.full(counts.shape, "", dtype=object)
    if cell_inches < SMALLEST_CELL:
        return texts
    roomy = cell_inches >= SMALLEST_CELL_WITH_SHARE
    shares = _row_shares(counts)
    for cell, number in np.ndenumerate(counts):
        if roomy:
            part = share(float(shares[cell]))
            texts[cell] = f"{count(number)}\n{part}" if number else "0"
        elif number:
            exact = count(number)
            fits = len(exact) * INCHES_PER_LETTER < cell_inches
            texts[cell] = exact if fits else compact(number)
    return texts


def _moved_texts(moved: Matrix, cell_inches: float) -> Texts:
    texts = np.full(moved.shape, "", dtype=object)
    if cell_inches >= SMALLEST_CELL:
        for cell in zip(*np.nonzero(moved), strict=True):
            sign = "+" if moved[cell] > 0 else MINUS
            texts[cell] = sign + compact(abs(moved[cell]))
    return texts


def _write_no_difference(axes: Axes, shape: tuple[int, ...]) -> None:
    rows, columns = shape
    axes.text(
        columns / 2,
        rows / 2,
        "no difference\nin any cell",
        ha="center",
        va="center",
        size=9,
    )


def _labels(summary: Summary) -> list[str]:
    """Classes, then whatever else was predicted."""
    seen = summary.confusion.loc[summary.confusion["count"] > 0, "label"]
    return list(dict.fromkeys([*summary.dataset.class_names, *seen]))


def _matrix(summary: Summary, implementation: str, labels: list[str]) -> Matrix:
    table = summary.confusion
    rows = table.loc[table["implementation"] == implementation]
    wide = rows.pivot_table(index="truth", columns="label", values="count", aggfunc="sum")
    classes = list(summary.dataset.class_names)
    return wide.reindex(index=classes, columns=labels).fillna(0).to_numpy(dtype=float)


def _row_shares(counts: Matrix) -> Matrix:
    return np.asarray(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1))


def _changes(summary: Summary, counts: Mapping[str, Matrix]) -> dict[str, Matrix]:
    if summary.reference not in counts:
        return {}
    reference = _row_shares(counts[summary.reference])
    return {
        name: _row_shares(matrix) - reference
        for name, matrix in counts.items()
        if name != summary.reference
    }


def _finding(summary: Summary, counts: Mapping[str, Matrix], names: list[str]) -> str:
    name = summary.reference if summary.reference in counts else next(iter(counts))
    matrix = counts[name].copy()
    np.fill_diagonal(matrix, 0)
    row, column = np.unravel_index(int(matrix.argmax()), matrix.shape)
    same = all(np.array_equal(counts[name], other) for other in counts.values())
    who = "Every implementation" if same and len(counts) > 1 else figure_names(counts)[name]
    if not matrix.any():
        return f"{who} confuses no classes"
    short = figure_names(names)
    return (
        f"{who} most often takes {short[names[row]]} for {short[names[column]]}: "
        f"{count(matrix[row, column])} of {count(counts[name][row].sum())}"
    )


def matrix(found: StudyMatrix) -> Plot | str:
    """One cell for each implementation and dataset, coloured by the share that differs."""
    frame = found.cells[list(CELL_COLUMNS)].copy()
    if not (frame["predictions"] > 0).any():
        return "No run gave labels to compare."
    # NaN where none could be compared.
    compared = frame["predictions"].where(frame["predictions"] > 0)
    frame["share_differing"] = values = frame["disagreements"] / compared
    finding, reference = _matrix_finding(frame), printable(found.reference)
    silent = int(values.isna().sum())
    exception = f" {plural(silent, 'pair')} gave no labels to compare." if silent else ""
    return Plot(
        finding=finding,
        caption=f"Share of test predictions whose label is not that of "
        f"{reference}, over all runs of a dataset that both did. The "
        "darker, the more labels differ, on a logarithmic scale; without colour where none "
        "does, grey where no run gave labels. Equal labels can still come with other "
        "probabilities.",
        alt=f"Heat map of {plural(len(found.competitors), 'implementation')} by "
        f"{plural(len(found.datasets), 'dataset')}: share of labels that differ from "
        f"{reference}, from {share(float(values.min()))} to {share(float(values.max()))}. "
        f"{finding}.{exception}",
        frame=frame,
        inches=ROW_INCHES * len(found.competitors) + 0.9,
        draw=lambda figure: _draw_matrix(figure.subplots(), found, frame),
    )


def _draw_matrix(axes: Axes, found: StudyMatrix, frame: pd.DataFrame) -> None:
    wide = frame.pivot_table(
        index="implementation", columns="dataset", values="share_differing", dropna=False
    ).reindex(index=list(found.competitors), columns=list(found.datasets))
    shares = wide.to_numpy(dtype=float)
    scale = Scale(colormaps["viridis_r"], LOWEST_POWER, 0.0)
    levels = _levels(shares)
    cells(axes, levels, scale)
    for (row, column), value in np.ndenumerate(shares):
        if math.isnan(value):
            axes.add_patch(Rectangle((column, row), 1, 1, facecolor=RULE, linewidth=0))
        if shares.shape[1] <= MOST_WRITTEN_COLUMNS:
            text = "no labels" if math.isnan(value) else share(float(value))
            colour = scale.contrast(float(levels[row, column]))
            write_cell(axes, row, column, text, color=colour, size=8.0)
    _name(axes, found)


def _levels(shares: Matrix) -> Matrix:
    """Return powers of ten; NaN, which stays without colour, where nothing differs."""
    seen = np.where(shares > 0, shares, np.nan)
    return np.maximum(np.log10(seen), LOWEST_POWER)


def _name(axes: Axes, found: StudyMatrix) -> None:
    rows = list(figure_names(found.competitors).values())
    names = figure_names(found.datasets, 24).values()
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


def _matrix_finding(frame: pd.DataFrame) -> str:
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

"""Confusion matrices side by side on one scale, and their difference."""

from collections.abc import Mapping

import numpy as np
import seaborn as sns
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.figures.heat_map import Scale, heat_map
from gnbbench.report.style import (
    WIDTH_INCHES,
    drawing_style,
    freeze,
    new_figure,
)
from gnbbench.statistics.summary import Summary
from gnbbench.words import MINUS, compact, count, decimal, figure_names, listing, share

NAME = "confusion"
TITLE = "Confusion of classes on the test side"
SMALLEST_CELL_WITH_SHARE = 0.5
SMALLEST_CELL = 0.2
INCHES_PER_LETTER = 0.065

Matrix = NDArray[np.float64]
Texts = NDArray[np.object_]


@drawing_style()
def confusion(summary: Summary) -> Drawing | Absence:
    """Heat maps of each implementation, and of each difference in row share."""
    labels = _labels(summary)
    counts = {name: _matrix(summary, name, labels) for name in summary.implementations}
    counts = {name: matrix for name, matrix in counts.items() if matrix.sum() > 0}
    if not counts:
        return Absence(NAME, TITLE, "No implementation gave labels in any run.")
    finding = _finding(summary, counts, labels)
    changes = _changes(summary, counts)
    reach = max([1e-9, *(float(np.abs(change).max()) for change in changes.values())])
    figure = _draw(summary, counts, changes, reach, finding)
    return Drawing(
        NAME,
        TITLE,
        finding,
        _caption(reach, has_changes=any(change.any() for change in changes.values())),
        _alt(summary, counts, finding),
        freeze(figure),
        summary.confusion.reset_index(drop=True),
    )


def _draw(
    summary: Summary,
    counts: Mapping[str, Matrix],
    changes: Mapping[str, Matrix],
    reach: float,
    finding: str,
) -> Figure:
    figure, tops, bottoms = _grid(len(counts), len(changes), finding)
    columns = len(tops) + (len(bottoms) if len(tops) <= 2 else 0)
    inches = WIDTH_INCHES / columns - 0.45
    names = list(figure_names(_labels(summary), 12 if columns < 4 else 9).values())
    titles = figure_names(counts, max(int(inches * 10), 10))
    shares = Scale(colormaps["viridis"], 0.0, 1.0)
    for axes, (name, matrix) in zip(tops, counts.items(), strict=True):
        values = np.where(matrix > 0, _row_shares(matrix), np.nan)
        texts = _count_texts(matrix, inches / len(names))
        heat_map(axes, values, texts, names, shares, inches=inches, first=axes is tops[0])
        axes.set_title(titles[name])
    moves = Scale(sns.color_palette("vlag", as_cmap=True), -reach, reach)
    for axes, (name, change) in zip(bottoms, changes.items(), strict=True):
        values = np.where(change != 0, change, np.nan)
        moved = counts[name] - counts[summary.reference]
        texts = _moved_texts(moved, inches / len(names))
        heat_map(axes, values, texts, names, moves, inches=inches, first=False)
        axes.set_title("difference")
        if not change.any():
            _write_no_difference(axes, change.shape)
    _colour_bars(figure, tops, bottoms, has_changes=reach > 1e-9)
    return figure


def _grid(
    n_matrices: int, n_changes: int, finding: str
) -> tuple[Figure, list[Axes], list[Axes]]:
    """Figure with the matrices and their differences: one row for two, else two rows."""
    if n_matrices <= 2:
        figure = new_figure(3.3, finding)
        row = list(figure.subplots(1, n_matrices + n_changes, squeeze=False)[0])
        return figure, row[:n_matrices], row[n_matrices:]
    rows = 2 if n_changes else 1
    figure = new_figure(rows * (WIDTH_INCHES / n_matrices + 0.45), finding)
    cells = figure.subplots(rows, n_matrices, squeeze=False)
    if not n_changes:
        return figure, list(cells[0]), []
    cells[1, 0].set_axis_off()
    return figure, list(cells[0]), list(cells[1, 1:])


def _colour_bars(
    figure: Figure, tops: list[Axes], bottoms: list[Axes], *, has_changes: bool
) -> None:
    for panels, label in ((tops, "share of true class"), (bottoms, "change of share")):
        if panels and (panels is tops or has_changes):
            bar = figure.colorbar(
                panels[0].collections[0], ax=panels[-1], aspect=30, pad=0.02, label=label
            )
            bar.outline.set_visible(False)
            bar.ax.tick_params(labelsize=7, length=0, pad=1)
            bar.ax.yaxis.label.set_fontsize(7.5)


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


def _finding(summary: Summary, counts: Mapping[str, Matrix], labels: list[str]) -> str:
    name = summary.reference if summary.reference in counts else next(iter(counts))
    matrix = counts[name].copy()
    np.fill_diagonal(matrix, 0)
    row, column = np.unravel_index(int(matrix.argmax()), matrix.shape)
    same = all(np.array_equal(counts[name], other) for other in counts.values())
    who = "Every implementation" if same and len(counts) > 1 else figure_names(counts)[name]
    if not matrix.any():
        return f"{who} confuses no classes"
    names = figure_names(labels)
    return (
        f"{who} most often takes {names[labels[row]]} for {names[labels[column]]}: "
        f"{count(matrix[row, column])} of {count(counts[name][row].sum())}"
    )


def _caption(reach: float, *, has_changes: bool) -> str:
    changes = (
        "Differences show how many predictions moved; full colour is "
        f"{decimal(reach, 3)} of the true class, red for more and blue for less."
        if has_changes
        else "No cell differs."
    )
    return (
        "Rows are true classes, columns predicted labels; numbers are counts over all runs "
        "(k: thousands; left to the table where cells are small). Colour is the share of "
        "the true class, on the same scale for all; cells without a sample are blank. "
        f"{changes}"
    )


def _alt(summary: Summary, counts: Mapping[str, Matrix], finding: str) -> str:
    right = [float(np.trace(matrix) / matrix.sum()) for matrix in counts.values()]
    reference = counts.get(summary.reference)
    moved = [
        int(np.abs(matrix - reference).sum() / 2)
        for name, matrix in counts.items()
        if reference is not None and name != summary.reference
    ]
    exception = (
        f" At most {count(max(moved))} predictions moved between cells." if moved else ""
    )
    names = listing(list(figure_names(counts).values()))
    return (
        f"Heat maps of confusion for {names}; on the "
        f"diagonal lie {share(min(right))} to {share(max(right))} of the predictions. "
        f"{finding}.{exception}"
    )

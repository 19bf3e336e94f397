"""Heat maps: confusion of classes, and labels that differ by implementation and dataset."""

import math
import textwrap
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from gnbbench.report.figures.drawing import Plot
from gnbbench.report.figures.parts import (
    DIVERGING,
    INCHES_PER_LETTER,
    LINE_INCHES,
    TITLE_LETTERS,
    Scale,
    cells,
    colour_key,
    heat_map,
    map_inches,
    write_cell,
)
from gnbbench.report.style import RULE, Panel
from gnbbench.statistics.matrix import Matrix as StudyMatrix
from gnbbench.statistics.summary import Summary
from gnbbench.words import (
    MINUS,
    compact,
    count,
    figure_names,
    listing,
    plural,
    printable,
    share,
    shorten,
)

SHARES = Scale(0.0, 1.0)
SMALLEST_CELL_WITH_SHARE = 0.6
SMALLEST_CELL = 0.3

ROW_INCHES = 0.36
LOWEST_POWER = -4.0
MOST_COLUMNS = 4
LETTERS = 9
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
    """A heat map for each different matrix, and for its difference from the reference's."""
    labels = _labels(summary)
    counts = {name: _matrix(summary, name, labels) for name in summary.implementations}
    counts = {name: matrix for name, matrix in counts.items() if matrix.sum() > 0}
    if not counts:
        return "No implementation gave labels in any run."
    finding = _finding(summary, counts, labels)
    titles = figure_names(counts)
    groups = _groups(counts)
    short = list(figure_names(labels, 14 if len(labels) <= 5 else 10).values())
    reference = counts.get(summary.reference)
    panels = [
        _share_panel(counts[group[0]], _names([titles[name] for name in group]), short)
        for group in groups
    ]
    if map_inches(short)[2] < SMALLEST_CELL_WITH_SHARE:  # Else shares stand in cells
        panels.append(colour_key(SHARES, "share of the true class"))
    changed = [
        name
        for name, *_ in groups
        if reference is not None and not np.array_equal(counts[name], reference)
    ]
    changes = "" if len(groups) > 1 else " One matrix stands for all: they are equal."
    if reference is not None and changed:
        shifts = [_row_shares(counts[name]) - _row_shares(reference) for name in changed]
        reach = max(float(np.abs(shift).max()) for shift in shifts)
        moves = Scale(-reach, reach, DIVERGING)
        for name, shift in zip(changed, shifts, strict=True):
            title = f"{titles[name]} minus {titles[summary.reference]}"
            panels.append(_move_panel(counts[name] - reference, shift, title, short, moves))
        panels.append(colour_key(moves, "change of the share"))
        changes = " Differences show how many predictions moved."
    if len(counts) == 1:
        changes = ""
    right = [float(np.trace(matrix) / matrix.sum()) for matrix in counts.values()]
    moved = [
        int(np.abs(matrix - reference).sum() / 2)
        for name, matrix in counts.items()
        if reference is not None and name != summary.reference
    ]
    exception = ""
    if moved:
        exception = f" At most {count(max(moved))} predictions moved between cells."
    return Plot(
        finding=finding,
        caption="Rows are true classes, columns predicted labels; numbers are counts over "
        "all runs (k: thousands; left to the table where cells are small). Cells without a "
        f"sample are blank.{changes}",
        alt=f"Heat maps of confusion for {listing(list(titles.values()))}; "
        f"on the diagonal lie {share(min(right))} to {share(max(right))} of the "
        f"predictions. {finding}.{exception}",
        frame=summary.confusion.reset_index(drop=True),
        panels=panels,
    )


def _groups(counts: Mapping[str, Matrix]) -> list[list[str]]:
    """Return names whose matrices are equal together."""
    groups: dict[bytes, list[str]] = {}
    for name, matrix in counts.items():
        groups.setdefault(matrix.tobytes(), []).append(name)
    return list(groups.values())


def _names(names: Sequence[str]) -> str:
    """Return up to three names in one phrase, and how many more there are."""
    more = [f"{len(names) - 2} more"] if len(names) > 3 else []
    return listing([*names[: 2 if more else 3], *more])


def _share_panel(counts: Matrix, title: str, labels: Sequence[str]) -> Panel:
    width, height, cell = map_inches(labels)
    values = np.where(counts > 0, _row_shares(counts), np.nan)

    def draw(axes: Axes) -> None:
        texts, tips = _count_texts(counts, cell), _tips(counts, labels, count)
        heat_map(axes, values, texts, labels, SHARES, tips=tips)
        _name_panel(axes, title, width)

    return Panel(draw, height, width)


def _move_panel(
    moved: Matrix, shift: Matrix, title: str, labels: Sequence[str], scale: Scale
) -> Panel:
    width, height, cell = map_inches(labels)
    values = np.where(shift != 0, shift, np.nan)

    def draw(axes: Axes) -> None:
        texts, tips = _moved_texts(moved, cell), _tips(moved, labels, _signed)
        heat_map(axes, values, texts, labels, scale, tips=tips)
        _name_panel(axes, title, width)

    return Panel(draw, height, width)


def _name_panel(axes: Axes, title: str, width: float) -> None:
    axes.set(xlabel="predicted label", ylabel="true class")
    axes.set_title(shorten(title, int(TITLE_LETTERS * width)))


def _tips(counts: Matrix, labels: Sequence[str], text: Callable[[float], str]) -> list[str]:
    return [
        f"{labels[row]} taken for {labels[column]}: {text(number)}"
        for (row, column), number in np.ndenumerate(counts)
    ]


def _signed(moved: float) -> str:
    sign = "+" if moved > 0 else MINUS if moved else ""
    return sign + compact(abs(moved))


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
            texts[cell] = _signed(moved[cell])
    return texts


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
        "stronger the colour, the more labels differ, on a logarithmic scale; without "
        "colour where none does, grey where no run gave labels. Equal labels can still "
        "come with other probabilities.",
        alt=f"Heat map of {plural(len(found.competitors), 'implementation')} by "
        f"{plural(len(found.datasets), 'dataset')}: share of labels that differ from "
        f"{reference}, from {share(float(values.min()))} to {share(float(values.max()))}. "
        f"{finding}.{exception}",
        frame=frame,
        panels=_matrix_panels(found, frame),
    )


def _matrix_panels(found: StudyMatrix, frame: pd.DataFrame) -> list[Panel]:
    """Return the datasets in panels that can be read by themselves, even columns each."""
    shares = frame.pivot_table(
        index="implementation", columns="dataset", values="share_differing", dropna=False
    ).reindex(index=list(found.competitors), columns=list(found.datasets))
    rows = list(figure_names(found.competitors, 16).values())
    names = list(figure_names(found.datasets, 24).values())
    n_panels = -(-len(names) // MOST_COLUMNS)
    columns = -(-len(names) // n_panels)
    starts = range(0, len(names), columns)

    def panel(start: int) -> Panel:
        shown = names[start : start + columns]
        values = shares.iloc[:, start : start + columns].to_numpy(dtype=float)
        height = ROW_INCHES * len(rows) + 0.4 + LINE_INCHES * _most_lines(names)
        return Panel(lambda axes: _draw_matrix(axes, values, rows, shown), height)

    return [panel(start) for start in starts]


def _draw_matrix(
    axes: Axes, shares: Matrix, rows: Sequence[str], names: Sequence[str]
) -> None:
    scale = Scale(LOWEST_POWER, 0.0)
    levels = _levels(shares)
    texts = np.vectorize(lambda v: "no labels" if math.isnan(v) else share(v))(shares)
    tips = [
        f"{rows[row]} on {names[column]}: {texts[row, column]}"
        for row, column in np.ndindex(*shares.shape)
    ]
    cells(axes, levels, scale, tips, raster=False)
    for (row, column), value in np.ndenumerate(shares):
        if math.isnan(value):
            axes.add_patch(Rectangle((column, row), 1, 1, facecolor=RULE, linewidth=0))
        write_cell(
            axes,
            row,
            column,
            texts[row, column],
            scale.contrast(float(levels[row, column])),
        )
    axes.set_yticks([place + 0.5 for place in range(len(rows))], rows)
    axes.set_xticks([place + 0.5 for place in range(len(names))], _folded(names))
    axes.xaxis.tick_top()
    axes.tick_params(length=0)


def _folded(names: Sequence[str]) -> list[str]:
    return [textwrap.fill(name, LETTERS) for name in names]


def _most_lines(names: Sequence[str]) -> int:
    return max(text.count("\n") + 1 for text in _folded(names))


def _levels(shares: Matrix) -> Matrix:
    """Return powers of ten; NaN, which stays without colour, where nothing differs."""
    seen = np.where(shares > 0, shares, np.nan)
    return np.maximum(np.log10(seen), LOWEST_POWER)


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

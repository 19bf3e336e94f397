"""Heat maps of confusion, and of differing labels by implementation and dataset."""

import math
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from gnbbench.arrays import FloatArray
from gnbbench.report.blocks import note
from gnbbench.report.figures import parts
from gnbbench.report.figures.drawing import Plot
from gnbbench.report.style import HALF, RULE, THIRD, Panel
from gnbbench.statistics.matrix import Matrix as StudyMatrix
from gnbbench.statistics.summary import Summary
from gnbbench.words import (
    MINUS,
    class_words,
    compact,
    count,
    figure_names,
    listing,
    plural,
    printable,
    share,
    shorten,
)

SHARES = parts.Scale(0.0, 1.0)
SMALLEST_CELL_WITH_SHARE = 0.6
SMALLEST_CELL = 0.3
LETTERS_OF = (("k", "thousands"), ("M", "millions"))

ROW_INCHES = 0.36
LOWEST_POWER = -4.0
MOST_COLUMNS = 4
LETTERS = 9
CELL_COLUMNS = (
    *("implementation", "dataset", "outcome", "runs", "failed_runs"),
    *("predictions", "disagreements", "agreement"),
)


def confusion(summary: Summary, whole: Summary | None = None) -> Plot | str:
    """One heat map per distinct matrix, and per difference from the reference's.

    If the summary is a part of a whole, maps are small: the first matrix and differences.
    """
    labels = _labels(summary)
    counts = {name: _matrix(summary, name, labels) for name in summary.implementations}
    counts = {name: matrix for name, matrix in counts.items() if matrix.sum() > 0}
    if not counts:
        return "No implementation gave labels in any run."
    titles = figure_names(counts)
    groups: dict[bytes, list[str]] = {}  # Names whose matrices are equal
    for name, matrix in counts.items():
        groups.setdefault(matrix.tobytes(), []).append(name)
    groups = {k: drawn for k, same in groups.items() if (drawn := parts.small(whole, same))}
    short = list(figure_names(labels, 14 if len(labels) <= 5 else 10).values())
    shown, widest = [], HALF if whole is None else THIRD
    drawn_groups = list(groups.values())[: None if whole is None else 1]
    for same in drawn_groups:
        names = [titles[name] for name in same]
        names = [*names[:2], f"{len(names) - 2} more"] if len(names) > 3 else names
        own = counts[same[0]]
        values = np.where(own > 0, _row_shares(own), np.nan)
        of_cells = (listing(names), short, own, values, SHARES)
        shown.append(_panel(*of_cells, text=_count_text, tip=count, widest=widest))
    cell_inches = parts.map_inches(short, widest=widest)[2]
    if cell_inches < SMALLEST_CELL_WITH_SHARE:  # Otherwise cells show shares
        shown.append(parts.colour_key(SHARES, "share of the true class"))
    exception = ""
    numbers = [n for name, *_ in drawn_groups for n in counts[name].flat]
    texts = [_count_text(number, 0, cell_inches) for number in numbers]
    moved = _moved(counts, summary.reference)
    if moves := {name: moved[name] for name, *_ in groups.values() if name in moved}:
        texts += [_change_text(n, 0, cell_inches) for m in moves.values() for n in m.flat]
        shown += _changes(counts, moves, summary.reference, short, widest)
    if summary.reference in counts and len(counts) > 1:
        most = max((int(np.abs(m).sum() / 2) for m in moved.values()), default=0)
        number = f"At most {plural(most, 'prediction')}" if most else "No prediction"
        exception = f"{number} moved between cells."
    right = [float(np.trace(matrix) / matrix.sum()) for matrix in counts.values()]
    ends = dict.fromkeys(map(share, (min(right), max(right))))
    return Plot(
        finding=_finding(summary, counts, labels),
        caption=note("confusion", letters=_letters(texts, cell_inches)),
        shows=f"Heat maps of confusion for {listing(list(titles.values()))}; "
        f"on the diagonal lie {' to '.join(ends)} of the predictions",
        exception=exception,
        frame=summary.confusion.reset_index(drop=True),
        panels=shown,
    )


def _moved(counts: Mapping[str, FloatArray], reference: str) -> dict[str, FloatArray]:
    """Return the change of each matrix from the reference's, if there is one.

    Of other runs, as after failures, matrices have other sums.
    """
    own = counts.get(reference)
    if own is None:
        return {}
    rows = own.sum(axis=1)
    changes = {n: m - own for n, m in counts.items() if np.array_equal(m.sum(axis=1), rows)}
    return {name: change for name, change in changes.items() if change.any()}


def _changes(
    counts: Mapping[str, FloatArray],
    moved: Mapping[str, FloatArray],
    reference: str,
    labels: Sequence[str],
    widest: float,
) -> list[Panel]:
    """Return a map of changes for each matrix that differs from the reference's."""
    titles, own = figure_names(counts), _row_shares(counts[reference])
    shifts = {name: _row_shares(counts[name]) - own for name in moved}
    reach = max(float(np.abs(shift).max()) for shift in shifts.values())
    scale = parts.Scale(-reach, reach, parts.DIVERGING)
    return [
        parts.with_key(
            _panel(
                f"{titles[name]} {MINUS} {titles[reference]}",
                labels,
                moved[name],
                np.where(shift != 0, shift, np.nan),
                scale,
                text=_change_text,
                tip=_signed,
                widest=widest,
            ),
            labels,
            scale,
            "change of the share",
            widest,
        )
        for name, shift in shifts.items()
    ]


def _panel(
    title: str,
    labels: Sequence[str],
    numbers: FloatArray,
    values: FloatArray,
    scale: parts.Scale,
    *,
    text: Callable[[float, float, float], str],
    tip: Callable[[float], str],
    widest: float,
) -> Panel:
    """Return a map of values; cells that are wide enough show a text."""
    width, _, inches = parts.map_inches(labels, widest=widest)

    def cell(row: int, column: int) -> str:
        if inches < SMALLEST_CELL:
            return ""
        return text(float(numbers[row, column]), float(values[row, column]), inches)

    return parts.map_panel(
        shorten(title, int(parts.TITLE_LETTERS * width) - 2),
        labels,
        values,
        scale,
        axis_names=("predicted label", "true class"),
        text=cell,
        tip=lambda row, column: (
            f"{labels[row]} taken for {labels[column]}: {tip(numbers[row, column])}"
        ),
        raster=inches < SMALLEST_CELL,
        widest=widest,
    )


def _signed(moved: float) -> str:
    sign = "+" if moved > 0 else MINUS if moved else ""
    return sign + count(abs(moved))


def _change_text(moved: float, _: float, inches: float) -> str:
    text = _signed(moved) if moved else ""
    fits = len(text) * parts.INCHES_PER_LETTER < inches
    return text if fits else text[0] + compact(abs(moved))


def _count_text(number: float, part: float, inches: float) -> str:
    """Return the count of a cell, and its share of the row if there is room."""
    exact = count(number)
    if inches >= SMALLEST_CELL_WITH_SHARE:
        return f"{exact}\n{share(part)}" if number else "0"
    if not number:
        return ""
    return exact if len(exact) * parts.INCHES_PER_LETTER < inches else compact(number)


def _letters(texts: Iterable[str], inches: float) -> str:
    """Explain the letters of the abbreviated numbers in cells."""
    ends = {text.partition("\n")[0][-1:] for text in texts if inches >= SMALLEST_CELL}
    named = [f"{end} = {word}" for end, word in LETTERS_OF if end in ends]
    return f"; {', '.join(named)}" if named else ""


def _labels(summary: Summary) -> list[str]:
    """Return the classes, then any other predicted labels."""
    seen = summary.confusion.loc[summary.confusion["count"] > 0, "label"]
    return list(dict.fromkeys([*summary.dataset.class_names, *seen]))


def _matrix(summary: Summary, implementation: str, labels: list[str]) -> FloatArray:
    table = summary.confusion
    rows = table[table["implementation"] == implementation]
    wide = rows.pivot_table(index="truth", columns="label", values="count", aggfunc="sum")
    classes = list(summary.dataset.class_names)
    return wide.reindex(index=classes, columns=labels).fillna(0).to_numpy(dtype=float)


def _row_shares(counts: FloatArray) -> FloatArray:
    return np.asarray(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1))


def _finding(summary: Summary, counts: Mapping[str, FloatArray], names: list[str]) -> str:
    name = summary.reference if summary.reference in counts else next(iter(counts))
    matrix = counts[name].copy()
    np.fill_diagonal(matrix, 0)
    row, column = np.unravel_index(int(matrix.argmax()), matrix.shape)
    same = all(np.array_equal(counts[name], other) for other in counts.values())
    who = "Every implementation" if same and len(counts) > 1 else figure_names(counts)[name]
    if not matrix.any():
        return f"{who} confuses no classes"
    n_others = int((matrix == matrix.max()).sum()) - 1
    others = plural(n_others, "other pair")
    true, taken = (class_words(figure_names(names)[names[n]]) for n in (row, column))
    return (
        f"{who} most often takes {true} for {taken}: "
        f"{count(matrix[row, column])} of {count(counts[name][row].sum())}"
        f"{f'; {others} of classes as often' if n_others else ''}"
    )


def matrix(studies: StudyMatrix) -> Plot | str:
    """One cell for each implementation and dataset, coloured by the share that differs."""
    frame = studies.cells[list(CELL_COLUMNS)].copy()
    if not (frame["predictions"] > 0).any():
        return "No run gave labels to compare."
    # NaN if none could be compared.
    compared = frame["predictions"].where(frame["predictions"] > 0)
    frame["share_differing"] = values = frame["disagreements"] / compared
    reference, silent = printable(studies.reference), int(values.isna().sum())
    return Plot(
        finding=_matrix_finding(frame),
        caption=note(
            "matrix", reference=reference, grey="; grey: no labels" if silent else ""
        ),
        shows=f"Heat map of {plural(len(studies.competitors), 'implementation')} by "
        f"{plural(len(studies.datasets), 'dataset')}: share of labels that differ from "
        f"{reference}, from {share(float(values.min()))} to {share(float(values.max()))}",
        exception=f"{plural(silent, 'pair')} gave no labels to compare." if silent else "",
        frame=frame,
        panels=_matrix_panels(studies, frame),
    )


def _matrix_panels(studies: StudyMatrix, frame: pd.DataFrame) -> list[Panel]:
    """Return self-contained panels with about the same number of datasets each."""
    shares = frame.pivot_table(
        index="implementation", columns="dataset", values="share_differing", dropna=False
    ).reindex(index=list(studies.competitors), columns=list(studies.datasets))
    rows = list(figure_names(studies.competitors, 16).values())
    names = list(figure_names(studies.datasets, 24).values())
    spaced = (textwrap.fill(name.replace("_", "_ "), LETTERS) for name in names)
    folded = [name.replace("_ ", "_") for name in spaced]
    columns = -(-len(names) // -(-len(names) // MOST_COLUMNS))
    scale = parts.Scale(LOWEST_POWER, 0.0)

    def draw(start: int, axes: Axes) -> None:
        part = slice(start, start + columns)
        values = shares.iloc[:, part].to_numpy(dtype=float)
        texts = np.vectorize(lambda v: "no labels" if math.isnan(v) else share(v))(values)
        tips = [
            f"{rows[row]} on {names[part][column]}: {text}"
            for (row, column), text in np.ndenumerate(texts)
        ]
        # Powers of ten; NaN, which stays without colour, where nothing differs.
        powers = np.log10(np.where(values > 0, values, np.nan))
        parts.cells(axes, np.maximum(powers, LOWEST_POWER), texts, scale, tips)
        for row, column in np.argwhere(np.isnan(values)):
            axes.add_patch(Rectangle((column, row), 1, 1, facecolor=RULE, linewidth=0))
        axes.set_yticks([place + 0.5 for place in range(len(rows))], rows)
        shown = folded[part]
        axes.set_xticks([place + 0.5 for place in range(len(shown))], shown)
        axes.xaxis.tick_top()
        axes.tick_params(length=0)

    most_lines = max(name.count("\n") + 1 for name in folded)
    height = ROW_INCHES * len(rows) + 0.4 + parts.LINE_INCHES * most_lines
    return parts.panels(draw, range(0, len(names), columns), height)


def _matrix_finding(frame: pd.DataFrame) -> str:
    compared = frame[frame["share_differing"].notna()]
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

"""The four tiles over a matrix: who agrees, who is furthest off, who is fast and slow."""

import pandas as pd

from gnbbench.report.blocks import Fact, Tile
from gnbbench.report.matrix_wording import accuracy_words, ratio_words
from gnbbench.statistics.matrix import Matrix, gives_same_labels
from gnbbench.words import DASH, SPACE, count, listing, printable, share, shorten

MOST_NAMES = 4
MOST_LETTERS = 30


def matrix_tiles(matrix: Matrix) -> tuple[Tile, ...]:
    """Facts over all implementations and datasets under four headings."""
    cells, reference = matrix.cells, _short(matrix.reference)
    return (
        _agreeing(matrix),
        _furthest(cells, reference),
        _least_accurate(cells),
        Tile(
            f"Time of fit over that of {reference}",
            (_extreme(cells, "fastest"), _extreme(cells, "slowest")),
        ),
    )


def _agreeing(matrix: Matrix) -> Tile:
    names = [n for n in matrix.competitors if gives_same_labels(matrix.cells, n)]
    shown = [_short(name) for name in names[:MOST_NAMES]]
    beyond = len(names) - len(shown)
    told = listing(shown + ([f"{beyond} more"] if beyond else [])) or "none"
    value = f"{count(len(names))}{SPACE}of{SPACE}{count(len(matrix.competitors))}"
    return _tile("Every label equal, on every dataset", value, told)


def _furthest(cells: pd.DataFrame, reference: str) -> Tile:
    title = f"Most labels other than {reference}'s"
    compared = cells[cells["predictions"] > 0]
    if compared.empty:
        return _tile(title, DASH, "no labels to compare")
    worst = compared.sort_values("agreement", kind="stable").iloc[0]
    if worst["disagreements"] == 0:
        return _tile(title, share(0.0), "no label differs anywhere")
    differing = float(worst["disagreements"] / worst["predictions"])
    detail = f"{count(worst['disagreements'])} of {count(worst['predictions'])}"
    return _tile(title, share(differing), f"{_where(worst)}: {detail}")


def _least_accurate(cells: pd.DataFrame) -> Tile:
    title = "Largest difference in accuracy"
    known = cells[cells["accuracy_difference"].notna()]
    if known.empty:
        return _tile(title, DASH, "no accuracy to compare")
    order = known["accuracy_difference"].abs().sort_values(ascending=False, kind="stable")
    worst = known.loc[order.index[0]]
    value, _, ends = accuracy_words(dict(worst)).partition(" (")
    detail = f"{_where(worst)} ({ends}" if ends else _where(worst)
    return _tile(title, value, "" if order.iloc[0] == 0 else detail)


def _extreme(cells: pd.DataFrame, which: str) -> Fact:
    timed = cells[cells["fit_ratio"].notna()]
    if timed.empty:
        return Fact(which, DASH, "not timed")
    order = timed.sort_values("fit_ratio", ascending=which == "fastest", kind="stable")
    cell = order.iloc[0]
    value, _, ends = ratio_words(dict(cell), "fit").partition(" (")
    detail = f"{_where(cell)} ({ends}" if ends else _where(cell)
    return Fact(which, value, f"{detail}; {cell['fit_speed']}")


def _where(cell: "pd.Series[str]") -> str:
    return f"{_short(cell['implementation'])} on {_short(cell['dataset'])}"


def _short(name: str) -> str:
    return shorten(printable(name), MOST_LETTERS)


def _tile(title: str, value: str, detail: str) -> Tile:
    return Tile(title, (Fact("", value, detail),))

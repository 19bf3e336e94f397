"""Tables as a page shows them: text for people, and values by which columns are sorted."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from gnbbench.words import DASH, count, decimal, printable, significant

MOST_ROWS = 200


@dataclass(frozen=True)
class Cell:
    """One cell."""

    text: str  # What is read
    key: str  # By what the column is sorted: a number, or text


@dataclass(frozen=True)
class Table:
    """A table of a page."""

    caption: str
    columns: tuple[str, ...]  # The first names the rows
    numeric: tuple[bool, ...]  # Per column, whether it holds numbers
    rows: tuple[tuple[Cell, ...], ...]


def number_cell(value: float, text: str) -> Cell:
    """Cell that sorts by a number; NaN comes last."""
    return Cell(text, "" if np.isnan(value) else repr(float(value)))


def text_cell(text: str) -> Cell:
    """Cell that sorts by its text."""
    shown = printable(text)
    return Cell(shown or DASH, shown)


def build(caption: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Table:
    """Table whose columns are numeric where every key reads as a number."""
    numeric = tuple(
        column > 0 and all(_reads_as_number(row[column].key) for row in rows)
        for column in range(len(columns))
    )
    return Table(caption, tuple(columns), numeric, tuple(tuple(row) for row in rows))


def of_frame(caption: str, frame: pd.DataFrame, most_rows: int = MOST_ROWS) -> Table | None:
    """Table of all of a frame, or None where it has too many rows to stand in a page."""
    if len(frame) > most_rows:
        return None
    columns = [str(column).replace("_", " ") for column in frame.columns]
    rows = [[_cell(value) for value in row] for row in frame.itertuples(index=False)]
    return build(caption, columns, rows)


def _cell(value: Any) -> Cell:
    if isinstance(value, (bool, np.bool_)) or value is None:
        return text_cell("" if value is None else str(value))
    if isinstance(value, (int, np.integer)):
        return number_cell(float(value), count(float(value)))
    if isinstance(value, (float, np.floating)):
        number = float(value)
        plain = 0.001 <= abs(number) < 1000
        return number_cell(number, decimal(number, 5) if plain else significant(number, 4))
    return text_cell(str(value))


def _reads_as_number(key: str) -> bool:
    try:
        float(key or "nan")
    except ValueError:
        return False
    return True

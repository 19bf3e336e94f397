"""Where data come from: how a message points at a row of them and what it advises."""

import shlex
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

SHOWN = 5
SHOWN_FLAGS = 30
LONGEST = 40


class Source(Protocol):
    """What a check needs in order to say where and what to do."""

    @property
    def where(self) -> str:
        """Path or name of the data."""

    def place(self, row: int) -> str:
        """Return how a user finds that row, such as "line 7"."""

    def leave_out_columns(self, columns: Sequence[str]) -> str:
        """Return what to do to be rid of these columns."""

    def encode_text(self) -> str:
        """Return what to do about text where only numbers can serve."""

    def encode_or_leave_out(self, columns: Sequence[str]) -> str:
        """Return what to do about these columns of text: encode them, or be rid of them."""

    def leave_out_missing(self) -> str:
        """Return what to do about rows with missing values."""


class ArraySource:
    """Data handed over from Python."""

    def __init__(self, where: str) -> None:
        self.where = where

    def place(self, row: int) -> str:
        """Return the row's index, counted from 0."""
        return f"row {row}"

    def leave_out_columns(self, columns: Sequence[str]) -> str:
        """Return that these columns must not be part of X."""
        return (
            f"Leave {'it' if len(columns) == 1 else 'them'} out of X, or encode as numbers."
        )

    def encode_text(self) -> str:
        """Return that text must become numbers."""
        return "Encode it as numbers."

    def encode_or_leave_out(self, columns: Sequence[str]) -> str:
        """Return that these columns must become numbers or not be part of X."""
        return self.leave_out_columns(columns)

    def leave_out_missing(self) -> str:
        """Return that the rows must go or be filled."""
        return "Leave those rows out, or fill them in."


class Selection:
    """Some rows of a source, which still knows them by their old places."""

    def __init__(self, source: Source, rows: NDArray[np.integer[Any]]) -> None:
        self._source = source
        self._rows = rows

    @property
    def where(self) -> str:
        """Path or name of the data."""
        return self._source.where

    def place(self, row: int) -> str:
        """Return where the row stands in the source."""
        return self._source.place(int(self._rows[row]))

    def leave_out_columns(self, columns: Sequence[str]) -> str:
        """Return the source's advice."""
        return self._source.leave_out_columns(columns)

    def encode_text(self) -> str:
        """Return the source's advice."""
        return self._source.encode_text()

    def encode_or_leave_out(self, columns: Sequence[str]) -> str:
        """Return the source's advice."""
        return self._source.encode_or_leave_out(columns)

    def leave_out_missing(self) -> str:
        """Return the source's advice."""
        return self._source.leave_out_missing()


def quoted(text: object) -> str:
    """Return a value in quotes on one line, cut where it is long."""
    shown = str(text)
    return repr(shown if len(shown) <= LONGEST else shown[:LONGEST] + "…")


def listed(names: Sequence[str]) -> str:
    """Return names in quotes, the first few of many."""
    shown = ", ".join(map(quoted, names[:SHOWN]))
    return f"{shown} and {len(names) - SHOWN} more" if len(names) > SHOWN else shown


def drop_flags(columns: Sequence[str]) -> str:
    """Return the options that leave these columns out, as a shell takes them."""
    flags = " ".join(f"--drop {shell_word(column)}" for column in columns[:SHOWN_FLAGS])
    more = len(columns) - SHOWN_FLAGS
    return f"{flags} and {more} more" if more > 0 else flags


def shell_word(text: str) -> str:
    """Return the text as a shell takes it, on one line."""
    if text.isprintable():
        return shlex.quote(text)
    escaped = one_line(text.replace("\\", r"\\").replace("'", r"\'"))
    return f"$'{escaped}'"


def one_line(text: object) -> str:
    """Return the text with its control characters written out."""
    return "".join(
        letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in str(text)
    )

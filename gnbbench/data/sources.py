"""Wording of data errors: where a row is and what to do about it."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

SHOWN = 5
SHOWN_FLAGS = 30
LONGEST = 40


@dataclass(frozen=True)
class ErrorContext:
    """What a data error needs in order to say where the fault is and what to do."""

    where: str  # Path or name of the data
    # Row -> where users find it, such as "line 7"; in arrays by index
    place: Callable[[int], str] = "row {}".format
    has_options: bool = False  # Whether --drop and --missing apply, as for files
    has_one_hot: bool = False  # Whether --one-hot applies

    def selected(self, rows: Any) -> "ErrorContext":
        """Return the context of selected rows, which keep their locations."""
        return replace(self, place=lambda row: self.place(int(rows[row])))

    def leave_out_columns(self, columns: Sequence[str]) -> str:
        """Advise leaving out these columns."""
        if self.has_options:
            return f"Leave out: {drop_flags(columns)}"
        noun = "it" if len(columns) == 1 else "them"
        return f"Leave {noun} out of X, or encode as numbers."

    def encode_text(self) -> str:
        """Advise encoding text as numbers."""
        if self.has_one_hot:
            return "Encode it as 0/1 columns: --one-hot"
        return "Encode it as numbers."

    def encode_or_leave_out(self, columns: Sequence[str], unfit: Sequence[str] = ()) -> str:
        """Advise encoding these text columns or leaving them out.

        Ids and dates are unfit to be encoded.
        """
        if unfit and len(unfit) < len(columns):
            return f"Leave out: {drop_flags(unfit)}; encode other text with --one-hot"
        if self.has_one_hot and not unfit:
            return f"Encode text with --one-hot; or leave out: {drop_flags(columns)}"
        return self.leave_out_columns(columns)

    def leave_out_missing(self) -> str:
        """Advise leaving out rows with missing values."""
        if self.has_options:
            return "Leave those rows out: --missing drop"
        return "Leave those rows out, or fill them in."


def quoted(text: object) -> str:
    """Return a value in quotes on one line, shortened if it is long."""
    shown = str(text)
    return repr(shown if len(shown) <= LONGEST else shown[:LONGEST] + "…")


def listed(names: Sequence[str]) -> str:
    """Return the first names in quotes and the number of the others."""
    shown = ", ".join(map(quoted, names[:SHOWN]))
    return f"{shown} and {len(names) - SHOWN} more" if len(names) > SHOWN else shown


def or_numbers(remedy: str) -> str:
    """Return the remedy as the second of two."""
    return f"Write numbers there, or {remedy[0].lower()}{remedy[1:]}"


def drop_flags(columns: Sequence[str]) -> str:
    """Return shell-quoted options that leave out these columns."""
    flags = " ".join(f"--drop {shell_word(column)}" for column in columns[:SHOWN_FLAGS])
    more = len(columns) - SHOWN_FLAGS
    return f"{flags} and {more} more" if more > 0 else flags


def shell_word(text: str) -> str:
    """Return the text quoted for a shell, on one line."""
    if text.isprintable():
        return shlex.quote(text)
    escaped = one_line(text.replace("\\", r"\\").replace("'", r"\'"))
    return f"$'{escaped}'"


def one_line(text: object) -> str:
    """Escape the control characters in a text."""
    return "".join(
        letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in str(text)
    )

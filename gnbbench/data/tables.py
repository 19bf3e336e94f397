"""A file's text cut into named columns."""

import csv
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from io import StringIO
from itertools import islice

import pandas as pd
from pandas.errors import ParserError, ParserWarning

from gnbbench.data.separators import LINE, records
from gnbbench.data.sources import drop_flags, quoted
from gnbbench.errors import DatasetError

MISSING_MARKER = "?"


@dataclass(frozen=True, eq=False)
class Table:
    """The text of a file, how it is cut, and the names of its columns.

    It is also the `gnbbench.data.sources.Source` of what is read from it.
    """

    where: str  # Path of the file, as it was given
    text: str = field(repr=False)  # The file's text
    separator: str  # As pandas takes it
    header: bool  # Whether the first record holds the names
    # One per column, distinct, without white space around; c0, c1, … by position where the
    # file gives none
    names: tuple[str, ...]
    nameless: tuple[str, ...] = ()  # Those of them whose name the header leaves empty
    # Whether the text is a file of the user's, who knows its lines and its separator
    is_file: bool = True
    # Number of the line on which the text starts, where it is a piece of a file
    first_line: int = 1

    def line(self, row: int) -> int:
        """Return the number of the line on which that row of the body starts."""
        position = row + self.header
        return next(islice(self._records(), position, None))[0]

    def place(self, row: int) -> str:
        """Return the row's line, as an editor counts it; else its index from 0."""
        if not self.is_file:
            return f"row {row}"
        return f"line {self.line(row)}"

    def leave_out_columns(self, columns: Sequence[str]) -> str:
        """Return the options that drop these columns."""
        return f"Leave out: {drop_flags(columns)}"

    def encode_text(self) -> str:
        """Return the option that encodes text."""
        return "Encode it as columns of 0 and 1: --one-hot"

    def encode_or_leave_out(self, columns: Sequence[str]) -> str:
        """Return the options that encode these columns, or drop them."""
        return f"Encode as 0 and 1: --one-hot; or leave out: {drop_flags(columns)}"

    def leave_out_missing(self) -> str:
        """Return the option that drops incomplete rows."""
        return "Leave those rows out: --missing drop"

    def body(self, text_column: str) -> pd.DataFrame:
        """The rows under the header; one column stays text, others may be numbers."""
        try:
            frame = self._parse(text_column)
        except (ParserError, ParserWarning, csv.Error) as error:
            last = self._refuse_ragged()
            what = f"a quote opened in line {last} is not closed"
            raise DatasetError(self.where, what, "Close it.") from error
        if frame.iloc[:, -1].isna().any():
            self._refuse_ragged()
        if frame.empty:
            raise DatasetError(self.where, "no row under the header", "Give some rows.")
        return frame

    def _parse(self, text_column: str) -> pd.DataFrame:
        newline = None if "\r" in self.text else ""
        stream = StringIO(self.text[self._end_of_header() :], newline=newline)
        with warnings.catch_warnings():
            warnings.simplefilter("error", ParserWarning)
            return pd.read_csv(
                stream,
                sep=self.separator,
                header=None,
                names=list(self.names),
                index_col=False,
                dtype={text_column: "str"},
                na_values=[MISSING_MARKER],
                skipinitialspace=True,
                low_memory=False,
            )

    def _end_of_header(self) -> int:
        """Return the position in the text at which the first row starts."""
        if not self.header:
            return 0
        following = next(islice(records(self.text, self.separator), 1, None), None)
        if following is None:
            return len(self.text)
        return next(islice(LINE.finditer(self.text), following[0] - 1, None)).start()

    def _records(self) -> Iterator[tuple[int, list[str]]]:
        """Yield each record with the number of its first line in the file."""
        for number, record in records(self.text, self.separator):
            yield number + self.first_line - 1, record

    def _refuse_ragged(self) -> int:
        """Raise at the first record whose number of values is not the header's.

        If there is none, return the first line of the last record.
        """
        number = self.first_line - 1
        try:
            for number, record in self._records():
                if len(record) != len(self.names):
                    what = (
                        f"line {number} has {len(record)} values, not {len(self.names)} "
                        f"as the first line (cut at {quoted(self.separator)})"
                    )
                    raise DatasetError(self.where, what, "Mend that line, or give --sep.")
        except csv.Error as error:
            what = f"a quote after line {number} is not closed"
            raise DatasetError(self.where, what, "Close it.") from error
        return number


def table_of(where: str, text: str, separator: str, *, header: bool | None) -> Table:
    """Return the table that a text holds, with the names of its columns.

    Without a header the columns are called c0, c1, … If `header` is None there must be
    one, and a first record with a number in it is taken for data, unless its names
    are whole numbers in sequence, as pandas writes them.
    """
    first = [value.strip() for value in _first_record(where, text, separator)]
    if header is None:
        _refuse_data(where, first)
    given = ["" for _ in first] if header is False else first
    names = tuple(name or f"c{column}" for column, name in enumerate(given))
    _refuse_doubled(where, names)
    nameless = tuple(name for name in names if header is not False and name not in given)
    return Table(where, text, separator, header is not False, names, nameless)


def _first_record(where: str, text: str, separator: str) -> list[str]:
    try:
        return next(records(text, separator))[1]
    except csv.Error as error:
        what = "a quote in the first line is not closed"
        raise DatasetError(where, what, "Close it.") from error


def _refuse_data(where: str, first: Sequence[str]) -> None:
    numbers = [value for value in first if _is_number(value)]
    if not numbers or _in_sequence(numbers):
        return
    what = f"the first line holds numbers (such as {quoted(numbers[0])}), not names"
    last = f"c{len(first) - 1}"
    remedy = (
        f"Give --no-header, then the columns are c0 to {last}, "
        f"such as --target {last}; or --header if these are names."
    )
    raise DatasetError(where, what, remedy)


def _refuse_doubled(where: str, names: Sequence[str]) -> None:
    for position, name in enumerate(names):
        first = names.index(name)
        if first < position:
            what = f"columns {first + 1} and {position + 1} are both called {quoted(name)}"
            raise DatasetError(where, what, "Rename one of them.")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text.lower() != "nan"


def _in_sequence(numbers: Sequence[str]) -> bool:
    """Tell whether these are 0, 1, 2 … or 1, 2, 3 …, at least two."""
    wanted = ([str(i + start) for i in range(len(numbers))] for start in (0, 1))
    return len(numbers) > 1 and list(numbers) in wanted

"""A comparison on a column, such as ``G3>=10``, which makes two classes of any column.

::

    comparison = column operator value
    column     = name | quoted
    operator   = "<" | "<=" | ">" | ">=" | "==" | "!="
    value      = number | quoted
    quoted     = between two of ', " or `, where a doubled mark stands for itself
    name       = any characters but < > = ! and quotation marks

White space around each part means nothing.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from gnbbench.data.sources import quoted
from gnbbench.errors import OptionError

# Each with what holds where it does not.
OPPOSITES: Mapping[str, str] = {
    "<": ">=",
    "<=": ">",
    ">": "<=",
    ">=": "<",
    "==": "!=",
    "!=": "==",
}
FUNCTIONS: Mapping[str, Callable[[Any, Any], Any]] = dict(
    zip(OPPOSITES, (lt, le, gt, ge, eq, ne), strict=True)
)
EXAMPLES = "such as G3>=10 or species == 'Adelie'"
_MARKS = "'\"`"
_SPACE = re.compile(r"\s*")
_NAME = re.compile(rf"[^<>=!{_MARKS}]+")
_OPERATOR = re.compile(r"[<>=!]+")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


@dataclass(frozen=True)
class Comparison:
    """A statement about one column that holds in a row or does not."""

    column: str  # Name of the column
    operator: str  # One of `OPPOSITES`
    value: float | str  # What the column is compared with; text is compared as text
    text: str = ""  # The comparison as it was written; errors quote it
    place: int = 1  # At which character of it the column stands, counted from 1

    @property
    def class_names(self) -> tuple[str, str]:
        """What both sides are called: where it does not hold, and where it does."""
        shown, opposite = _written(self.value), OPPOSITES[self.operator]
        return f"{self.column} {opposite} {shown}", f"{self.column} {self.operator} {shown}"

    def holds(self, values: Any) -> Any:
        """Return where it holds."""
        return FUNCTIONS[self.operator](values, self.value)


def is_comparison(text: str) -> bool:
    """Tell whether a target that is no column's name is meant as a comparison."""
    return any(sign in text for sign in "<>=")


def comparison_in(text: str) -> Comparison:
    """Return the comparison that a text writes."""
    return _Reader(text).read()


class _Reader:
    """Reads one text from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def read(self) -> Comparison:
        self._skip_space()
        place = self._at + 1
        column = self._column()
        sign = self._operator()
        value = self._value()
        if self._at < len(self._text):
            remedy = "Give one comparison of one column with one value."
            raise self._error(f"has {self._rest()} after the value", remedy)
        return Comparison(column, sign, value, self._text, place)

    def _column(self) -> str:
        column = self._quoted() if self._is_at_a_mark() else self._take(_NAME).strip()
        if not column:
            remedy = f"Write the column's name first, {EXAMPLES}."
            raise self._error("has no column name", remedy)
        return column

    def _operator(self) -> str:
        start = self._at
        sign = self._take(_OPERATOR)
        if sign in OPPOSITES:
            return sign
        self._at = start
        if not sign:
            found = self._rest() if self._next() else "nothing"
            remedy = f"Write one of {' '.join(OPPOSITES)} there, {EXAMPLES}."
            raise self._error(f"has {found} where an operator belongs", remedy)
        mended = {"=": "==", "=>": ">=", "=<": "<=", "===": "==", "<>": "!="}.get(sign)
        remedy = f"Write {mended or 'one of ' + ' '.join(OPPOSITES)}."
        raise self._error(f"has {quoted(sign)}", remedy)

    def _value(self) -> float | str:
        if self._is_at_a_mark():
            return self._quoted()
        start = self._at
        digits = self._take(_NUMBER)
        is_whole = not self._next() or self._text[self._at - 1].isspace()
        if digits and is_whole and isfinite(float(digits)):
            return float(digits)
        self._at = start
        if digits and is_whole:
            raise self._error("has a number that is too large", "Write a smaller one.")
        if not self._next():
            raise self._error("has no value", f"Write one, {EXAMPLES}.")
        plain = self._text[start:].strip().replace("'", "''")
        remedy = f"Write a number, or text in quotes: '{plain}'."
        raise self._error(f"has {self._rest()} where a value belongs", remedy)

    def _quoted(self) -> str:
        """Return what stands between quotation marks; a doubled mark is one."""
        start, mark = self._at, self._text[self._at]
        pattern = re.compile(f"{mark}((?:[^{mark}]|{mark}{mark})*){mark}")
        found = pattern.match(self._text, start)
        if found is None:
            raise self._error(f"opens a quote {mark}", "Close it.")
        self._at = found.end()
        self._skip_space()
        return found[1].replace(mark * 2, mark)

    def _take(self, pattern: re.Pattern[str]) -> str:
        """Return what the pattern matches here, which may be nothing, and go past it."""
        found = pattern.match(self._text, self._at)
        if found is None:
            return ""
        self._at = found.end()
        self._skip_space()
        return found[0]

    def _skip_space(self) -> None:
        found = _SPACE.match(self._text, self._at)
        self._at = found.end() if found else self._at

    def _next(self) -> str:
        """Return the next character; nothing at the end."""
        return self._text[self._at : self._at + 1]

    def _is_at_a_mark(self) -> bool:
        return self._next() != "" and self._next() in _MARKS

    def _rest(self) -> str:
        return quoted(self._text[self._at :].strip())

    def _error(self, what: str, remedy: str) -> OptionError:
        at = f"{what} at character {self._at + 1}"
        return OptionError("--target", f"{quoted(self._text)} {at}", remedy)


def _written(value: float | str) -> str:
    """Return a value as it is written in a comparison; whole numbers have no point."""
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)

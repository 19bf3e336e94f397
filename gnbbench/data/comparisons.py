"""A comparison on a column, such as ``G3>=10``, which turns any column into two classes.

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

# Operator -> its negation.
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
_QUOTED = "|".join(f"{mark}(?:[^{mark}]|{mark}{mark})*{mark}" for mark in "'\"`")
_COMPARISON = re.compile(
    rf"\s*({_QUOTED}|[^<>=!'\"`]+)\s*([<>=!]+)\s*({_QUOTED}|[^\s<>=!].*?)\s*", re.DOTALL
)
_NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"


@dataclass(frozen=True)
class ColumnComparison:
    """A condition on one column, which makes the two classes."""

    column: str  # Name of the column
    operator: str  # One of `OPPOSITES`
    value: float | str  # What the column is compared with; text is compared as text
    text: str = ""  # The comparison as it was written; errors quote it

    @property
    def class_names(self) -> tuple[str, str]:
        """Names of the classes: where it does not hold, and where it does."""
        shown, opposite = _written(self.value), OPPOSITES[self.operator]
        return f"{self.column} {opposite} {shown}", f"{self.column} {self.operator} {shown}"

    def holds(self, values: Any) -> Any:
        """Return where the condition holds."""
        return FUNCTIONS[self.operator](values, self.value)


def is_comparison(text: str) -> bool:
    """Return whether a target that is no column's name looks like a comparison."""
    return any(sign in text for sign in "<>=")


def comparison_in(text: str) -> ColumnComparison:
    """Return the comparison that a text writes."""
    match = _COMPARISON.fullmatch(text)
    column = _plain(match[1]) if match else ""
    if match is None or not column:
        remedy = f"Write a column, a sign and a value, {EXAMPLES}."
        raise _refusal(text, "is no comparison", remedy)
    sign, written = match[2], match[3]
    if sign not in OPPOSITES:
        mended = {"=": "==", "=>": ">=", "=<": "<=", "===": "==", "<>": "!="}.get(sign)
        remedy = f"Write {mended or 'one of ' + ' '.join(OPPOSITES)}."
        raise _refusal(text, f"has {quoted(sign)}", remedy)
    return ColumnComparison(column, sign, _value(text, written), text)


def _value(text: str, written: str) -> float | str:
    if re.fullmatch(_QUOTED, written):
        return _plain(written)
    is_number = re.fullmatch(_NUMBER, written) is not None
    if is_number and isfinite(float(written)):
        return float(written)
    if is_number:
        raise _refusal(text, "has a number that is too large", "Write a smaller one.")
    plain = written.replace("'", "''")
    remedy = f"Write a number, or text in quotes: '{plain}'."
    raise _refusal(text, f"has {quoted(written)} where a value belongs", remedy)


def _plain(written: str) -> str:
    """Return a name or text without its quotation marks, doubled ones as one."""
    if not re.fullmatch(_QUOTED, written):
        return written.strip()
    mark = written[0]
    return written[1:-1].replace(mark * 2, mark)


def _refusal(text: str, what: str, remedy: str) -> OptionError:
    return OptionError("--target", f"{quoted(text)} {what}", remedy)


def _written(value: float | str) -> str:
    """Return a value as it is written in a comparison, whole numbers without a point."""
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)

"""The columns of a source: the labels, the features and those that are left out.

A target may be a comparison on a column, such as ``G3>=10``, which defines two classes::

    comparison = column operator value
    column     = name | quoted
    operator   = "<" | "<=" | ">" | ">=" | "==" | "!="
    value      = number | quoted
    quoted     = between two of ', " or `, where a doubled mark stands for itself
    name       = any characters but < > = ! and quotation marks

White space around each part means nothing.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from math import isfinite
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from gnbbench.data.separated import Header
from gnbbench.data.sources import drop_flags, listed, or_numbers, quoted, shell_word
from gnbbench.errors import DatasetError, OptionError
from gnbbench.words import counted, plural

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
    """A condition on a column that defines two classes."""

    column: str  # Name of the column
    operator: str  # One of `OPPOSITES`
    value: float | str  # The right-hand side; text is compared as text
    text: str = ""  # The comparison as the user wrote it, for error messages

    @property
    def class_names(self) -> tuple[str, str]:
        """Names of the classes: where it does not hold, and where it does."""
        shown, opposite = _written(self.value), OPPOSITES[self.operator]
        return f"{self.column} {opposite} {shown}", f"{self.column} {self.operator} {shown}"

    def holds(self, values: Any) -> Any:
        """Return where the condition holds."""
        return FUNCTIONS[self.operator](values, self.value)


def is_comparison(text: str) -> bool:
    """Return whether a target that is not a column name looks like a comparison."""
    return any(sign in text for sign in "<>=")


def comparison_in(text: str) -> ColumnComparison:
    """Parse a comparison."""
    match = _COMPARISON.fullmatch(text)
    column = _plain(match[1]) if match else ""
    if match is None or not column:
        remedy = f"Write a column, a sign and a value, {EXAMPLES}."
        raise _refusal(text, "is not a comparison", remedy)
    sign, written = match[2], match[3]
    if sign not in OPPOSITES:
        corrected = {"=": "==", "=>": ">=", "=<": "<=", "===": "==", "<>": "!="}.get(sign)
        remedy = f"Write {corrected or 'one of ' + ' '.join(OPPOSITES)}."
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
    """Return a value as written in a comparison, whole numbers without a point."""
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)


MISSING_RULES = ("error", "drop")
LIKELY_TARGETS = (
    *("target", "class", "label", "labels", "species"),
    *("y", "outcome", "diagnosis", "category", "type"),
)


@dataclass(frozen=True)
class ColumnRequest:
    """Options of `gnbbench.data.loading.load` on what to read of a source."""

    target: str | None = None
    separator: str | None = None
    header: bool | None = None
    drop: Sequence[str] = ()
    missing: str = "error"
    one_hot: bool = False

    def with_text(self) -> "ColumnRequest":
        """Return the request with its target, which may be a path, as text."""
        return self if self.target is None else replace(self, target=str(self.target))


@dataclass(frozen=True)
class Columns:
    """The columns to read from a source."""

    where: str  # Path of the source, as messages show it
    features: tuple[str, ...]  # Names of the features, in the order of the source
    target: str  # Name of the label column, or path of a separate file of labels
    left_out: tuple[str, ...]  # Columns left out on request
    missing: str  # Rule for rows with missing values
    comparison: ColumnComparison | None = None  # Turns the target column into labels
    texts: tuple[str, ...] = ()  # Text features, to be encoded
    notes: tuple[str, ...] = ()  # How the header was read
    # Text feature -> its categories, each of which becomes a column of 0s and 1s
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the feature columns after encoding."""
        named = ([f"{n}={v}" for v in self.levels.get(n, ())] or [n] for n in self.features)
        return tuple(name for names in named for name in names)

    @property
    def target_name(self) -> str:
        """Name of the labels: the comparison that defines them, or their column."""
        return self.comparison.class_names[1] if self.comparison else self.target

    @property
    def target_text(self) -> str:
        """The target as the user wrote it."""
        return self.comparison.text.strip() if self.comparison else self.target

    def with_levels(self, levels: Mapping[str, tuple[str, ...]]) -> "Columns":
        """Return them with text encoded; raise if two columns get the same name."""
        columns = replace(self, levels=levels)
        doubled = [name for name, n in Counter(columns.names).items() if n > 1]
        if doubled:
            what = f"a category and a column are both called {quoted(doubled[0])}"
            raise DatasetError(self.where, what, "Rename the column.")
        return columns

    def parameters(self, *, one_hot: bool, **source: Any) -> dict[str, Any]:
        """Return the arguments that load the same columns of a source again."""
        known = {
            **source,
            "target": self.target_text,
            "missing": self.missing,
            "drop": list(self.left_out) or None,
            "one_hot": one_hot or None,
        }
        return {name: value for name, value in known.items() if value is not None}

    def notes_on(self, n_dropped: int, n_rows: int) -> tuple[str, ...]:
        """Return notes on the header, on what was left out and on the encoding of text."""
        notes = [*self.notes]
        if self.left_out:
            noun = "column" if len(self.left_out) == 1 else "columns"
            notes.append(f"Left out on request: {noun} {listed(self.left_out)}.")
        if n_dropped:
            notes.append(
                f"Left out {counted(n_dropped, n_rows, 'row')} for a missing value."
            )
        if self.levels:
            n_levels = sum(map(len, self.levels.values()))
            notes.append(
                f"Encoded {plural(len(self.levels), 'text column')} as {n_levels} of 0 and "
                f"1, one per category: {listed(list(self.levels))}."
            )
        return tuple(notes)


def columns_of(
    header: Header, request: ColumnRequest, aside: Sequence[str] = ()
) -> Columns:
    """Return the columns to read; those `aside` are not features but may be the target."""
    refuse_rule(request.missing)
    comparison = _comparison_of(header, request.target)
    label_name = comparison.column if comparison else _target_of(header, request.target)
    aside = [name for name in aside if name != label_name]
    features = _features_of(header, label_name, (*request.drop, *aside))
    kept = {*features, label_name, *aside}
    left_out = tuple(name for name in header.names if name not in kept)
    names = header.where, features, label_name, left_out
    return Columns(*names, request.missing, comparison, notes=header.notes)


def refuse_rule(missing: str) -> None:
    """Raise for an unknown rule for missing values."""
    if missing not in MISSING_RULES:
        raise OptionError("--missing", f"{missing!r} is unknown", "Give error or drop.")


def refuse_types(where: str, types: dict[str, str]) -> None:
    """Raise if some features are not numeric."""
    if not types:
        return
    names = list(types)
    leave_out = f"Leave out: {drop_flags(names)}"
    if set(types.values()) == {"text"}:
        leave_out = f"Encode text with --one-hot; or leave out: {drop_flags(names)}"
    if len(names) > 1:
        what = (
            f"columns {listed(names)} are not numeric (the first holds {types[names[0]]})"
        )
        raise DatasetError(where, what, leave_out)
    what = f"column {quoted(names[0])} holds {types[names[0]]}, not numbers"
    raise DatasetError(where, what, or_numbers(leave_out))


def _target_of(header: Header, target: str | None) -> str:
    """Return the name of the column that holds the labels."""
    if target is None:
        folded = {name.casefold(): name for name in reversed(header.names)}
        likely = next((folded[word] for word in LIKELY_TARGETS if word in folded), None)
        guess = f", such as --target {shell_word(likely)}" if likely else ""
        what = f"not given, and {header.where} does not say which column holds the labels"
        remedy = f"Give one of its columns{guess}: {listed(header.names)}"
        fix = {"target": likely or header.names[-1]} if len(header.names) > 1 else {}
        raise OptionError("--target", what, remedy, **fix)
    return _known(header, target)


def _comparison_of(header: Header, target: str | None) -> ColumnComparison | None:
    """Return the comparison in a target, or None if the target is a column name."""
    if target is None or target.strip() in header.names or not is_comparison(target):
        return None
    comparison = comparison_in(target)
    place = f", named in {quoted(target)}"
    return replace(comparison, column=_known(header, comparison.column, place))


def _features_of(header: Header, target: str, drop: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the remaining columns, in the order of the file."""
    dropped = {_known(header, column) for column in drop}
    if target in dropped:
        what = f"{quoted(target)} is the target"
        raise OptionError("--drop", what, "Leave out another column, or none.")
    features = tuple(n for n in header.names if n != target and n not in dropped)
    nameless = [name for name in features if name in header.nameless]
    if nameless:
        position = header.names.index(nameless[0]) + 1
        what = f"column {position} has no name; it may be an index"
        remedy = f"Name it in the first line, or leave it out: {drop_flags(nameless)}"
        raise DatasetError(header.where, what, remedy, drop=(*drop, *nameless))
    if not features:
        what = f"no column is left besides the target {quoted(target)}"
        cut = f", or another --sep than {quoted(header.separator)}"
        remedy = f"Give fewer --drop{cut if header.is_file else ''}."
        raise DatasetError(header.where, what, remedy)
    return features


def _known(header: Header, column: str, place: str = "") -> str:
    """Return the column with a name or number; if there is none, raise and list all."""
    name = column.strip()
    if name in header.names:
        return name
    if name.isdecimal() and int(name) < len(header.names):
        return header.names[int(name)]
    if len(header.names) == 1 and header.is_file:
        only = quoted(header.names[0])
        what = f"split at {quoted(header.separator)} it has only one column, {only}"
        raise DatasetError(header.where, what, "Give another --sep.")
    close = get_close_matches(name, header.names, n=1, cutoff=0.5)
    folded = [known for known in header.names if known.casefold() == name.casefold()]
    guess = f"Did you mean {quoted((folded or close)[0])}? " if folded or close else ""
    what = f"it has no column {quoted(column)}{place}"
    remedy = f"{guess}Its columns, by name or by number from 0: {listed(header.names)}"
    raise DatasetError(header.where, what, remedy)

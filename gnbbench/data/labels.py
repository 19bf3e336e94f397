"""Labels of one sortable type, or an error that says why a column cannot be the target.

A comparison on a column also defines labels: 1 where it holds, 0 elsewhere.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from gnbbench.arrays import Array, CountArray, FloatArray
from gnbbench.data.columns import ColumnComparison
from gnbbench.data.sources import ErrorContext, quoted
from gnbbench.errors import DatasetError, OptionError

TRUTH_VALUES = {"true": True, "false": False}
LONGEST_LABEL = 1000
ALL_EXACT_BELOW = 2.0**53


def labels_from_text(texts: Sequence[str], name: str, context: ErrorContext) -> Array:
    """Convert text to labels: booleans, integers, or else the text itself."""
    plain = pd.Series([text.strip() for text in texts], dtype=object)
    folded = plain.str.casefold()
    numbers = pd.to_numeric(plain, errors="coerce").to_numpy(dtype=np.float64)
    y: Array
    if folded.isin(TRUTH_VALUES).all():
        y = folded.map(TRUTH_VALUES).to_numpy(dtype=np.bool_)
    elif np.isnan(numbers).any():
        _refuse_long(texts, name, context)
        y = plain.to_numpy(dtype=np.str_)
    else:
        y = _whole_numbers(numbers, name, context)
    return _at_least_two_classes(y, name, context)


def _refuse_long(texts: Sequence[str], name: str, context: ErrorContext) -> None:
    """Raise for a very long label, since an array of labels is as wide as the longest."""
    for number, text in enumerate(texts):
        if len(text) > LONGEST_LABEL:
            what = f"{context.place(number)} has {len(text):,} characters in {quoted(name)}"
            remedy = f"A label may have {LONGEST_LABEL:,}; give another target?"
            raise DatasetError(context.where, what, remedy)


def labels_from_array(values: Array, name: str, context: ErrorContext) -> Array:
    """Convert an array to labels; whole floats become integers, objects their own type."""
    missing = np.flatnonzero(pd.isna(values))
    if len(missing):
        what = (
            f"{len(missing)} labels are missing, first in {context.place(int(missing[0]))}"
        )
        raise DatasetError(context.where, what, context.leave_out_missing())
    if values.dtype.kind == "O":
        values = _of_one_kind(values, name, context)
    if values.dtype.kind == "f":
        values = _whole_numbers(values.astype(np.float64), name, context)
    if values.dtype.kind not in "biuUS":
        what = f"labels of dtype {values.dtype} cannot be used"
        raise DatasetError(context.where, what, "Give integers, booleans or text.")
    if values.dtype.kind == "S":
        values = values.astype(np.str_)
    return _at_least_two_classes(np.array(values), name, context)


def labels_from_comparison(
    comparison: ColumnComparison, texts: Sequence[str], context: ErrorContext
) -> CountArray:
    """Return 1 for the rows in which the comparison holds, 0 for the others."""
    division = Division(comparison, context.where)
    labels = division.labels(texts, context)
    division.refuse_undivided()
    return labels


class Division:
    """Labels defined by a comparison on a column, which may come in parts."""

    def __init__(self, comparison: ColumnComparison, where: str) -> None:
        self._comparison, self._where = comparison, where
        self._sides: set[bool] = set()
        self._first = ""  # The first value
        self._has_text = False
        self._low, self._high = np.inf, -np.inf

    def labels(self, texts: Sequence[str], context: ErrorContext) -> CountArray:
        """Return 1 for the values that satisfy the comparison, 0 for the others."""
        numbers = np.array([_number(text) for text in texts], dtype=np.float64)
        is_text = np.isnan(numbers)
        as_text = isinstance(self._comparison.value, str)
        if is_text.any() and not as_text:
            self._refuse_text(texts, int(np.flatnonzero(is_text)[0]), context)
        values = np.array(texts, dtype=object) if as_text else numbers
        holds = self._comparison.holds(values).astype(np.bool_)
        self._first = self._first or next(iter(texts), "")
        self._has_text = self._has_text or bool(is_text.any())
        self._sides |= set(holds.tolist())
        self._low = np.nanmin([self._low, *numbers])
        self._high = np.nanmax([self._high, *numbers])
        return np.where(holds, np.int64(1), np.int64(0))

    def refuse_undivided(self) -> None:
        """Raise if numbers were compared with text, or if all values are on one side."""
        comparison = self._comparison
        if isinstance(comparison.value, str) and not self._has_text:
            column, text = quoted(comparison.column), quoted(comparison.value)
            what = (
                f"column {column} holds numbers, which cannot be compared with the text "
                f"{text}"
            )
            example = f"{comparison.operator} {self._first}"
            remedy = f"Write a number without quotes, such as {example}."
            raise DatasetError(self._where, what, remedy)
        if len(self._sides) == 1:
            every = "every" if True in self._sides else "no"
            name = quoted(comparison.class_names[1])
            what = f"{name} holds in {every} row of {self._where}"
            if not self._has_text:
                what += f", whose values run from {self._low:g} to {self._high:g}"
            remedy = "Choose a value that divides the rows into two classes."
            raise OptionError("--target", what, remedy)

    def _refuse_text(self, texts: Sequence[str], row: int, context: ErrorContext) -> None:
        what = (
            f"column {quoted(self._comparison.column)} holds text (first "
            f"{quoted(texts[row])} in {context.place(row)}), which cannot be compared with "
            "a number"
        )
        remedy = f"Compare it with text in quotes, such as == {quoted(texts[row])}."
        raise DatasetError(context.where, what, remedy)


def _number(text: str) -> float:
    """Return the number in a text, NaN if there is none."""
    try:
        return float("nan") if "_" in text else float(text)
    except ValueError:
        return float("nan")


def _of_one_kind(values: Array, name: str, context: ErrorContext) -> Array:
    """Return objects as an array of their common type."""
    kinds = {np.asarray(value).dtype.kind for value in values.tolist()}
    if kinds in ({"U"}, {"b"}) or kinds <= set("iuf"):
        return np.array(values.tolist())
    sizes = [isinstance(value, int) and abs(value) >= ALL_EXACT_BELOW for value in values]
    if any(sizes):
        raise _too_large(sizes.index(True), name, context)
    what = f"the labels {quoted(name)} mix text with other values"
    raise DatasetError(context.where, what, "Give all as text, or all as integers.")


def _whole_numbers(numbers: FloatArray, name: str, context: ErrorContext) -> CountArray:
    """Return the numbers as integers; raise if some are not whole, or too large."""
    is_whole = np.isfinite(numbers) & (numbers == np.floor(numbers))
    broken = ~(np.abs(numbers) < ALL_EXACT_BELOW) | ~is_whole
    if broken.any():
        row = int(np.flatnonzero(broken)[0])
        if is_whole.all():
            raise _too_large(row, name, context)
        what = (
            f"target {quoted(name)} is continuous: {len(np.unique(numbers))} distinct "
            f"numbers, first {numbers[row]:g} in {context.place(row)}"
        )
        remedy = "Cut it into classes, or give another column as target."
        raise DatasetError(context.where, what, remedy)
    return numbers.astype(np.int64)


def _too_large(row: int, name: str, context: ErrorContext) -> DatasetError:
    """Return the error for whole numbers that doubles do not tell apart."""
    what = f"target {quoted(name)} has a whole number of 2**53 or more in size, first in "
    remedy = "Number the classes from 0, write them as text, or give another target."
    return DatasetError(context.where, what + context.place(row), remedy)


def _at_least_two_classes(y: Array, name: str, context: ErrorContext) -> Array:
    classes = np.unique(y)
    if len(classes) < 2:
        what = f"target {quoted(name)} has only one class, {quoted(classes[0])}"
        raise DatasetError(context.where, what, "Give a column with at least two classes.")
    return y

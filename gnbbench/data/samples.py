"""Samples: features as finite numbers in complete rows, labels of one sortable type.

What cannot be one is rejected. A comparison on a column also defines labels: 1 where it
holds, 0 elsewhere.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gnbbench.arrays import Array, BoolArray, CountArray, FloatArray
from gnbbench.data.columns import ColumnComparison, Columns
from gnbbench.data.sources import ErrorContext, drop_flags, listed, or_numbers, quoted
from gnbbench.errors import DatasetError, OptionError
from gnbbench.words import plural

# Whether pandas parses text to the nearest float; before 3 a third were off by one.
IS_EXACT = int(pd.__version__.partition(".")[0]) >= 3
MISSING_MARKERS = ("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", "None")
MOST_LEVELS = 256
FEWEST_KEYS = 20  # So many values that are all different are ids
# Longer text is not a category, since categories become column names.
LONGEST_LEVEL = 1000
WITH_COMMA = re.compile(r"[+-]?[0-9]+(\.[0-9]+)*(,[0-9]+)+(\.[0-9]*)?")
# A column with more distinct values, most of them numbers, is not categorical.
MOST_LEVELS_OF_NUMBERS = 20


def numbers_of(frame: pd.DataFrame, context: ErrorContext) -> FloatArray:
    """Return the columns as float64, with NaN where a value is missing.

    Whole numbers are converted; true and false become 1 and 0.
    """
    if all(isinstance(dtype, np.dtype) and dtype.kind in "fiub" for dtype in frame.dtypes):
        return np.array(frame, dtype=np.float64, order="C")
    X = np.empty(frame.shape, dtype=np.float64)
    faults: dict[str, list[int]] = {}
    for position, name in enumerate(frame.columns):
        values, wrong = numbers_in(frame[name])
        X[:, position] = values
        if wrong.any():
            faults[str(name)] = np.flatnonzero(wrong).tolist()
    if faults:
        _refuse_text(frame, faults, context, any_number=not np.isnan(X).all())
    return X


def numbers_in(column: pd.Series) -> tuple[FloatArray, BoolArray]:
    """Return a column's numbers and a mask of the values that are not numbers."""
    known, n_rows = pd.api.types, len(column)
    if known.is_complex_dtype(column) or known.is_datetime64_any_dtype(column):
        return np.full(n_rows, np.nan), np.ones(n_rows, dtype=np.bool_)
    if known.is_numeric_dtype(column):
        numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
        return numbers, np.zeros(n_rows, dtype=np.bool_)
    plain, missing = _stripped(column)
    values = pd.to_numeric(plain.mask(missing), errors="coerce")
    numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)
    is_read = ~np.isnan(numbers)
    if not IS_EXACT:
        numbers = numbers.copy()
        numbers[is_read] = plain.to_numpy(dtype=object)[is_read].astype(np.float64)
    return numbers, ~is_read & ~missing.to_numpy()


def _stripped(column: pd.Series) -> tuple[pd.Series, pd.Series]:
    """Return stripped text and a mask of the missing values."""
    plain = column.astype(object)
    plain = plain.map(lambda value: value.strip() if isinstance(value, str) else value)
    return plain, plain.isna() | plain.isin(MISSING_MARKERS)


def _refuse_text(
    frame: pd.DataFrame,
    faults: dict[str, list[int]],
    context: ErrorContext,
    *,
    any_number: bool,
) -> None:
    """Raise with the columns that hold text and the first such value."""
    names = list(faults)
    fix: dict[str, Any] = {"one_hot": True} if context.has_one_hot else {}
    unfit = [name for name in names if fix and _is_key(frame[name])]
    if unfit:
        fix = {"drop": tuple(unfit)}
        fix |= {"one_hot": True} if len(unfit) < len(names) else {}
    row = faults[names[0]][0]
    value = frame[names[0]].iloc[row]
    example = f"{quoted(value)} in {context.place(row)}"
    if WITH_COMMA.fullmatch(str(value)):
        # One-hot encoding would make each number a category.
        noun = "column" if len(names) == 1 else "columns"
        what = f"numbers in {noun} {listed(names)} have commas (such as {example})"
        remedy = "Write 1,000 as 1000, 1,5 as 1.5 and 1.000,5 as 1000.5."
        raise DatasetError(context.where, what, remedy)
    if not any_number:
        what = f"no numeric column is left, there is text (such as {example})"
        raise DatasetError(context.where, what, context.encode_text(), **fix)
    if len(names) > 1:
        what = f"columns {listed(names)} hold text (such as {example})"
        remedy = context.encode_or_leave_out(names, unfit)
        raise DatasetError(context.where, what, remedy, **fix)
    count = plural(len(faults[names[0]]), "value")
    what = f"column {quoted(names[0])} holds text, {count} (first {example})"
    remedy = or_numbers(context.encode_or_leave_out(names, unfit))
    raise DatasetError(context.where, what, remedy, **fix)


def _is_key(column: pd.Series) -> bool:
    """Return whether text tells rows apart, as ids and dates do, and groups none."""
    values = column.dropna().astype(str)
    n_values = values.nunique()
    are_dates = values.str.match(r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}(\D|$)")
    is_single = n_values == len(values) >= FEWEST_KEYS
    return is_single or n_values > MOST_LEVELS or bool(are_dates.all())


def notes_on_row_numbers(numbers: Mapping[str, FloatArray]) -> Iterator[str]:
    """Yield a note on each feature that may only number the rows."""
    for name, values in numbers.items():
        low, high = values.min(), values.max()  # NaN if a value is missing
        is_range = len(values) - 1 == high - low >= FEWEST_KEYS - 1 and low.is_integer()
        if is_range and (np.diff(np.sort(values)) == 1.0).all():
            yield (
                f"Feature {quoted(name)} has each whole number from {low:.0f} to "
                f"{high:.0f} once, as row numbers do. If it is one, leave it out: "
                f"{drop_flags([name])}."
            )


def refuse_infinite(X: FloatArray, names: Sequence[str], context: ErrorContext) -> None:
    """Raise at the first infinite value."""
    infinite = np.isinf(X)
    if infinite.any():
        row, column = map(int, np.argwhere(infinite)[0])
        what = (
            f"{plural(int(infinite.sum()), 'value')} infinite or too large, first in "
            f"{context.place(row)}, column {quoted(names[column])}"
        )
        raise DatasetError(context.where, what, "Write a finite number there, or nothing.")


def complete_rows(
    missing: BoolArray, names: Sequence[str], rule: str, context: ErrorContext
) -> BoolArray:
    """Return which rows are complete; raise if others may not be dropped."""
    is_complete: BoolArray = np.logical_not(missing.any(axis=1))
    if rule == "error" and not is_complete.all():
        row, column = map(int, np.argwhere(missing)[0])
        n_values, n_rows = int(missing.sum()), int(missing.any(axis=1).sum())
        what = (
            f"{plural(n_values, 'missing value')} in {n_rows} of {len(missing)} rows, "
            f"first in {context.place(row)}, column {quoted(names[column])}"
        )
        fix = {"missing": "drop"} if context.has_options and is_complete.any() else {}
        raise DatasetError(context.where, what, context.leave_out_missing(), **fix)
    if not is_complete.any():
        refuse_none_left(missing.sum(axis=0), len(missing), names, context)
    return is_complete


def refuse_none_left(
    n_missing: NDArray[np.integer], n_rows: int, names: Sequence[str], context: ErrorContext
) -> None:
    """Raise and name the columns that leave no row complete."""
    empty = [name for name, n in zip(names, n_missing, strict=True) if n == n_rows]
    worst = empty or [names[int(n_missing.argmax())]]
    most = "no value" if empty else "the most missing"
    what = f"no row is complete; {listed(worst)} has {most}"
    raise DatasetError(context.where, what, context.leave_out_columns(worst))


def text_columns(frame: pd.DataFrame) -> dict[str, pd.Series]:
    """Return the columns that hold a value that is neither a number nor missing.

    Their text is stripped, and a missing value is None.
    """
    texts = {}
    for name in frame.columns:
        if numbers_in(frame[name])[1].any():
            plain, missing = _stripped(frame[name])
            texts[str(name)] = plain.mask(missing, None)
    return texts


def _levels_of(name: str, column: pd.Series, context: ErrorContext) -> tuple[str, ...]:
    """Return the sorted categories of a text column; raise if it is not categorical."""
    levels = tuple(sorted(column.unique()))
    is_text = numbers_in(column)[1]
    leave_out = context.leave_out_columns([name])
    if len(levels) > MOST_LEVELS_OF_NUMBERS and is_text.mean() < 0.5:
        row = int(np.flatnonzero(is_text)[0])
        what = (
            f"column {quoted(name)} holds numbers but for "
            f"{plural(int(is_text.sum()), 'value')} (first {quoted(column.iloc[row])} in "
            f"{context.place(row)}), too many to be categories"
        )
        raise DatasetError(context.where, what, or_numbers(leave_out))
    refuse_long_levels(name, levels, context.where, leave_out)
    if len(levels) > MOST_LEVELS:
        what = (
            f"column {quoted(name)} has {len(levels)} categories in {len(column)} rows; "
            f"--one-hot allows at most {MOST_LEVELS}"
        )
        raise DatasetError(context.where, what, leave_out)
    return levels


def refuse_long_levels(name: str, levels: Collection[str], where: str, remedy: str) -> None:
    """Raise if a category is too long for a column name."""
    longest = max(map(len, levels), default=0)
    if longest > LONGEST_LEVEL:
        what = f"column {quoted(name)} has a category of {longest:,} characters"
        raise DatasetError(where, f"{what}; {LONGEST_LEVEL:,} are allowed", remedy)


def encoded(
    columns: Columns,
    numbers: Mapping[str, FloatArray],
    texts: Mapping[str, pd.Series],
    rows: NDArray[np.intp],
    context: ErrorContext,
) -> tuple[Columns, FloatArray]:
    """Return the columns and values of features, with text one-hot encoded.

    Every category in the rows gets a column, such as ``sex=F``. None is dropped, so two
    categories give two complementary columns.
    """
    chosen = {name: text.iloc[rows] for name, text in texts.items()}
    levels = {n: _levels_of(n, of, context.selected(rows)) for n, of in chosen.items()}
    values = [
        pd.get_dummies(chosen[name], dtype=np.float64)[[*levels[name]]].to_numpy()
        if name in texts
        else numbers[name][rows]
        for name in columns.features
    ]
    return columns.with_levels(levels), np.ascontiguousarray(np.column_stack(values))


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

"""Columns as numbers, or one line on what stands in them instead."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gnbbench.data.sources import Source, listed, quoted
from gnbbench.errors import DatasetError

MISSING_MARKERS = ("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", "None")


def numbers_of(frame: pd.DataFrame, source: Source) -> NDArray[np.float64]:
    """Return the columns as float64, with NaN where a value is missing.

    Whole numbers are converted; true and false become 1 and 0.
    """
    X = np.empty(frame.shape, dtype=np.float64)
    faults: dict[str, list[int]] = {}
    for position, name in enumerate(frame.columns):
        values, wrong = numbers_in(frame[name])
        X[:, position] = values
        if wrong.any():
            faults[str(name)] = np.flatnonzero(wrong).tolist()
    if faults:
        _refuse_text(frame, faults, source, any_number=not np.isnan(X).all())
    return X


def refuse_infinite(X: NDArray[np.float64], names: Sequence[str], source: Source) -> None:
    """Raise at the first infinite value."""
    infinite = np.isinf(X)
    if infinite.any():
        row, column = map(int, np.argwhere(infinite)[0])
        what = (
            f"{_counted(int(infinite.sum()), 'value')} infinite or too large, first in "
            f"{source.place(row)}, column {quoted(names[column])}"
        )
        raise DatasetError(source.where, what, "Replace by a finite number, or by nothing.")


def numbers_in(column: pd.Series) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return a column's numbers and where it holds something else."""
    if pd.api.types.is_complex_dtype(column) or pd.api.types.is_datetime64_any_dtype(
        column
    ):
        return np.full(len(column), np.nan), np.ones(len(column), dtype=np.bool_)
    if pd.api.types.is_numeric_dtype(column):
        return column.to_numpy(dtype=np.float64, na_value=np.nan), np.zeros(
            len(column), bool
        )
    plain = column.astype(object)
    plain = plain.map(lambda value: value.strip() if isinstance(value, str) else value)
    missing = plain.isna() | plain.isin(MISSING_MARKERS)
    values = pd.to_numeric(plain.mask(missing), errors="coerce")
    numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)
    return numbers, np.isnan(numbers) & ~missing.to_numpy()


def _refuse_text(
    frame: pd.DataFrame,
    faults: dict[str, list[int]],
    source: Source,
    *,
    any_number: bool,
) -> None:
    """Raise with the columns that hold text and the first place of it."""
    names = list(faults)
    row = faults[names[0]][0]
    example = f"{quoted(frame[names[0]].iloc[row])} in {source.place(row)}"
    if not any_number:
        what = f"no numeric column is left, there is text (such as {example})"
        raise DatasetError(source.where, what, source.encode_text())
    if len(names) > 1:
        what = f"columns {listed(names)} hold text (such as {example})"
        raise DatasetError(source.where, what, source.encode_or_leave_out(names))
    count = _counted(len(faults[names[0]]), "value")
    what = f"column {quoted(names[0])} holds text, {count} (first {example})"
    comma = "," in str(frame[names[0]].iloc[row])
    mend = "Write decimal points, not commas." if comma else "Write numbers there."
    remedy = f"{mend} Or: {source.encode_or_leave_out(names)}"
    raise DatasetError(source.where, what, remedy)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

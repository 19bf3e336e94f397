"""Labels of one sortable kind, or one line on why a column has none."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gnbbench.data.sources import Source, quoted
from gnbbench.errors import DatasetError

TRUTH_VALUES = {"true": True, "false": False}
ALL_EXACT_BELOW = 2.0**53


def labels_from_text(texts: Sequence[str], name: str, source: Source) -> NDArray[Any]:
    """Return labels written as text: integers, else booleans, else the text itself."""
    plain = pd.Series([text.strip() for text in texts], dtype=object)
    folded = plain.str.casefold()
    numbers = pd.to_numeric(plain, errors="coerce").to_numpy(dtype=np.float64)
    y: NDArray[Any]
    if folded.isin(TRUTH_VALUES).all():
        y = folded.map(TRUTH_VALUES).to_numpy(dtype=np.bool_)
    elif np.isnan(numbers).any():
        y = plain.to_numpy(dtype=np.str_)
    else:
        y = _whole_numbers(numbers, name, source)
    return _at_least_two_classes(y, name, source)


def labels_from_array(values: NDArray[Any], name: str, source: Source) -> NDArray[Any]:
    """Return labels handed over from Python; floats become integers, objects text."""
    missing = np.flatnonzero(pd.isna(values))
    if len(missing):
        what = (
            f"{len(missing)} labels are missing, first in {source.place(int(missing[0]))}"
        )
        raise DatasetError(source.where, what, source.leave_out_missing())
    if values.dtype.kind == "O":
        values = _of_one_kind(values, name, source)
    if values.dtype.kind == "f":
        values = _whole_numbers(values.astype(np.float64), name, source)
    if values.dtype.kind not in "biuUS":
        what = f"labels of dtype {values.dtype} cannot serve"
        raise DatasetError(source.where, what, "Give integers, booleans or text.")
    if values.dtype.kind == "S":
        values = values.astype(np.str_)
    return _at_least_two_classes(np.array(values), name, source)


def _of_one_kind(values: NDArray[Any], name: str, source: Source) -> NDArray[Any]:
    """Return objects as the array of their common kind."""
    kinds = {np.asarray(value).dtype.kind for value in values.tolist()}
    if kinds in ({"U"}, {"b"}) or kinds <= set("iuf"):
        return np.array(values.tolist())
    what = f"the labels {quoted(name)} mix text with other values"
    raise DatasetError(source.where, what, "Give all as text, or all as integers.")


def _whole_numbers(
    numbers: NDArray[np.float64], name: str, source: Source
) -> NDArray[np.int64]:
    """Return the numbers as integers; a continuous target is refused."""
    broken = ~(np.abs(numbers) < ALL_EXACT_BELOW) | (numbers != np.floor(numbers))
    if broken.any():
        row = int(np.flatnonzero(broken)[0])
        what = (
            f"target {quoted(name)} is continuous: {len(np.unique(numbers))} distinct "
            f"numbers, first {numbers[row]:g} in {source.place(row)}"
        )
        remedy = "Cut it into classes, or give another column as target."
        raise DatasetError(source.where, what, remedy)
    return numbers.astype(np.int64)


def _at_least_two_classes(y: NDArray[Any], name: str, source: Source) -> NDArray[Any]:
    classes = np.unique(y)
    if len(classes) < 2:
        what = f"target {quoted(name)} has one class only, {quoted(classes[0])}"
        raise DatasetError(source.where, what, "Give a column with two classes or more.")
    return y

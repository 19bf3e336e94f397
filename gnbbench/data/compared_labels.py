"""Labels made by a comparison on a column: 1 where it holds, 0 where it does not."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gnbbench.data.comparisons import Comparison
from gnbbench.data.sources import Source, quoted
from gnbbench.errors import DatasetError, OptionError


def labels_from_comparison(
    comparison: Comparison, texts: Sequence[str], source: Source
) -> NDArray[np.int64]:
    """Return 1 for the rows in which the comparison holds, 0 for the others."""
    numbers = np.array([_number(text) for text in texts])
    is_text = np.isnan(numbers)
    if isinstance(comparison.value, str):
        if not is_text.any():
            _refuse_numbers(comparison, texts, source)
        holds = comparison.holds(np.array(texts, dtype=object)).astype(np.bool_)
    else:
        if is_text.any():
            _refuse_text(comparison, texts, int(np.flatnonzero(is_text)[0]), source)
        holds = comparison.holds(numbers)
    if holds.all() or not holds.any():
        _refuse_one_side(comparison, numbers, source, is_everywhere=bool(holds[0]))
    return np.where(holds, np.int64(1), np.int64(0))


def _number(text: str) -> float:
    """Return the number that a text writes, NaN where it writes none."""
    try:
        return float("nan") if "_" in text else float(text)
    except ValueError:
        return float("nan")


def _refuse_text(
    comparison: Comparison, texts: Sequence[str], row: int, source: Source
) -> None:
    what = (
        f"column {quoted(comparison.column)} holds text (first {quoted(texts[row])} in "
        f"{source.place(row)}), which cannot be compared with a number"
    )
    remedy = f"Compare it with text in quotes, such as == {quoted(texts[row])}."
    raise DatasetError(source.where, what, remedy)


def _refuse_numbers(comparison: Comparison, texts: Sequence[str], source: Source) -> None:
    what = (
        f"column {quoted(comparison.column)} holds numbers, which cannot be compared "
        f"with the text {quoted(comparison.value)}"
    )
    remedy = f"Write a number without quotes, such as {comparison.operator} {texts[0]}."
    raise DatasetError(source.where, what, remedy)


def _refuse_one_side(
    comparison: Comparison,
    numbers: NDArray[np.float64],
    source: Source,
    *,
    is_everywhere: bool,
) -> None:
    statement = quoted(comparison.class_names[1])
    what = (
        f"{statement} holds in {'every' if is_everywhere else 'no'} row of {source.where}"
    )
    if not np.isnan(numbers).any():
        what += f", whose values run from {numbers.min():g} to {numbers.max():g}"
    remedy = "Compare with a value that parts the rows."
    raise OptionError("--target", what, remedy)

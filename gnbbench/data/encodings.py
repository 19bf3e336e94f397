"""Columns of text as columns of 0 and 1, one for each level."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gnbbench.data.features import MISSING_MARKERS, numbers_in
from gnbbench.data.sources import Source, listed, quoted
from gnbbench.errors import DatasetError

MOST_LEVELS = 256
# A column of more distinct values, most of them numbers, is no list of levels.
MOST_LEVELS_OF_NUMBERS = 20


@dataclass(frozen=True, eq=False)
class TextColumn:
    """A feature whose values are text."""

    name: str  # Of the column
    # (n_samples,): Without white space around; None where a value is missing
    values: pd.Series

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Where a value is missing, shape (n_samples,)."""
        return self.values.isna().to_numpy()

    def levels(
        self, rows: NDArray[np.intp], source: Source
    ) -> dict[str, NDArray[np.bool_]]:
        """Return where each level stands in these rows, the levels sorted."""
        chosen = self.values.iloc[rows]
        found = sorted(chosen.unique())
        self._refuse_many(found, chosen, rows, source)
        return {
            f"{self.name}={level}": (chosen == level).to_numpy(dtype=np.bool_)
            for level in found
        }

    def _refuse_many(
        self,
        levels: Sequence[str],
        chosen: pd.Series,
        rows: NDArray[np.intp],
        source: Source,
    ) -> None:
        """Raise where the values are an identifier, or numbers with a mistake."""
        is_text = numbers_in(chosen)[1]
        remedy = source.leave_out_columns([self.name])
        if len(levels) > MOST_LEVELS_OF_NUMBERS and is_text.mean() < 0.5:
            row = int(np.flatnonzero(is_text)[0])
            count = int(is_text.sum())
            what = (
                f"column {quoted(self.name)} holds numbers but for {count} "
                f"value{'s' * (count != 1)} (first {quoted(chosen.iloc[row])} in "
                f"{source.place(int(rows[row]))}), too many to be levels"
            )
            raise DatasetError(source.where, what, f"Write numbers there. Or: {remedy}")
        if len(levels) > MOST_LEVELS:
            what = (
                f"column {quoted(self.name)} has {len(levels)} levels in {len(chosen)} "
                f"rows; --one-hot takes {MOST_LEVELS} at most"
            )
            raise DatasetError(source.where, what, remedy)


def text_columns(frame: pd.DataFrame) -> dict[str, TextColumn]:
    """Return the columns that hold a value which is neither a number nor missing."""
    found = {}
    for name in frame.columns:
        if numbers_in(frame[name])[1].any():
            plain = frame[name].astype(object)
            plain = plain.map(_stripped)
            gone = plain.isna() | plain.isin(MISSING_MARKERS)
            found[str(name)] = TextColumn(str(name), plain.mask(gone, None))
    return found


def _stripped(value: object) -> object:
    return value.strip() if isinstance(value, str) else value


def encoded(
    numbers: Mapping[str, NDArray[np.float64]],
    texts: Mapping[str, TextColumn],
    order: Sequence[str],
    rows: NDArray[np.intp],
    source: Source,
) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Return the names and values of features, text as 0 and 1.

    Every level that occurs in the rows has a column, called ``sex=F``; none is left out,
    so that a text of two levels gives two columns, each other's complement.
    """
    names: list[str] = []
    columns: list[NDArray[np.float64]] = []
    for name in order:
        if name in texts:
            levels = texts[name].levels(rows, source)
            names += levels
            columns += [holds.astype(np.float64) for holds in levels.values()]
        else:
            names.append(name)
            columns.append(numbers[name][rows])
    if len(set(names)) < len(names):
        doubled = next(name for name in names if names.count(name) > 1)
        what = f"a level and a column are both called {quoted(doubled)}"
        raise DatasetError(source.where, what, "Rename the column.")
    return tuple(names), np.ascontiguousarray(np.column_stack(columns))


def encoding_note(texts: Mapping[str, TextColumn], n_levels: int) -> str:
    """Return what was done, in one sentence."""
    noun = "column" if len(texts) == 1 else "columns"
    return (
        f"Encoded {len(texts)} {noun} of text as {n_levels} of 0 and 1, one a level: "
        f"{listed(list(texts))}."
    )

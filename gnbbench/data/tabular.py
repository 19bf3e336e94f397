"""A table becomes a Dataset: its target, its features, its complete rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gnbbench.data.columns import comparison_of, features_of, target_of
from gnbbench.data.compared_labels import labels_from_comparison
from gnbbench.data.comparisons import Comparison
from gnbbench.data.dataset import Dataset
from gnbbench.data.encodings import TextColumn, encoded, encoding_note, text_columns
from gnbbench.data.features import MISSING_MARKERS, numbers_of, refuse_infinite
from gnbbench.data.labels import labels_from_text
from gnbbench.data.rows import complete_rows
from gnbbench.data.sources import Selection, listed
from gnbbench.data.tables import Table


@dataclass(frozen=True)
class Reading:
    """How the columns of a table are to be read."""

    # Column of the labels, or a comparison such as ``G3>=10``, which holds or does not; a
    # column of that very name comes first
    target: str | None
    drop: tuple[str, ...] = ()  # Columns to leave out
    missing: str = "error"  # What becomes of rows with a missing value
    # Whether a feature of text becomes one column of 0 and 1 for each of its levels
    one_hot: bool = False
    aside: tuple[str, ...] = ()  # Columns that are no features, unless they are the target


def dataset_from_table(
    table: Table, reading: Reading, *, source: Mapping[str, Any], **described: Any
) -> Dataset:
    """Return the dataset that a table holds, read in this way."""
    comparison = comparison_of(table, reading.target)
    column = comparison.column if comparison else target_of(table, reading.target)
    aside = [name for name in reading.aside if name != column]
    kept = features_of(table, column, (*reading.drop, *aside))
    left_out = [name for name in table.names if name not in (*kept, column, *aside)]
    body = _Body.of(table, kept, column, one_hot=reading.one_hot)
    rows = np.flatnonzero(complete_rows(body.gaps, (*kept, column), reading.missing, table))
    names, X = encoded(body.numbers, body.texts, kept, rows, table)
    selection = Selection(table, rows)
    refuse_infinite(X, names, selection)
    labels = body.labels.iloc[rows].tolist()
    y, class_names = _labelled(labels, column, comparison, selection)
    notes = [
        *described.pop("notes", ()),
        *_notes(left_out, len(body.gaps) - len(rows), len(body.gaps)),
    ]
    if body.texts:
        n_levels = len(names) - len(kept) + len(body.texts)
        notes.append(encoding_note(body.texts, n_levels))
    given = {
        "target": column if comparison is None else comparison.text.strip(),
        "missing": reading.missing,
        "drop": left_out or None,
        "one_hot": reading.one_hot or None,
    }
    return Dataset(
        X=X,
        y=y,
        feature_names=names,
        class_names=class_names,
        target_name=column if comparison is None else comparison.class_names[1],
        notes=tuple(notes),
        parameters={
            name: value for name, value in {**source, **given}.items() if value is not None
        },
        **described,
    )


@dataclass(frozen=True, eq=False)
class _Body:
    """The rows of a table: features as numbers or text, labels as text, and the gaps."""

    numbers: Mapping[str, NDArray[np.float64]]
    texts: Mapping[str, TextColumn]
    labels: pd.Series
    gaps: NDArray[np.bool_]

    @classmethod
    def of(
        cls, table: Table, names: Sequence[str], label_name: str, *, one_hot: bool
    ) -> "_Body":
        body = table.body(label_name)
        texts = text_columns(body[list(names)]) if one_hot else {}
        plain = [name for name in names if name not in texts]
        numbers = dict(zip(plain, numbers_of(body[plain], table).T, strict=True))
        labels = body[label_name].str.strip()
        unlabelled = labels.isna() | labels.isin(MISSING_MARKERS)
        missing = [
            texts[name].missing if name in texts else np.isnan(numbers[name])
            for name in names
        ]
        return cls(numbers, texts, labels, np.column_stack([*missing, unlabelled]))


def _labelled(
    labels: Sequence[str], column: str, comparison: Comparison | None, rows: Selection
) -> tuple[NDArray[Any], tuple[str, ...]]:
    """Return the labels, and what their classes are called."""
    if comparison is not None:
        return labels_from_comparison(comparison, labels, rows), comparison.class_names
    y = labels_from_text(labels, column, rows)
    return y, tuple(map(str, np.unique(y)))


def _notes(left_out: Sequence[str], n_dropped: int, n_rows: int) -> tuple[str, ...]:
    notes = []
    if left_out:
        noun = "column" if len(left_out) == 1 else "columns"
        notes.append(f"Left out on request: {noun} {listed(left_out)}.")
    if n_dropped:
        notes.append(f"Left out {n_dropped} of {n_rows} rows for a missing value.")
    return tuple(notes)

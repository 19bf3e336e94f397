"""A file of separated values becomes a Dataset."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.datasets.columns import features_of, target_of
from gnbbench.datasets.dataset import Dataset
from gnbbench.datasets.features import MISSING_MARKERS, numbers_of, refuse_infinite
from gnbbench.datasets.labels import labels_from_text
from gnbbench.datasets.rows import complete_rows
from gnbbench.datasets.separators import separator_of
from gnbbench.datasets.sources import Selection, listed, one_line
from gnbbench.datasets.tables import Table, table_of
from gnbbench.datasets.texts import read_text


def load_file(
    path: Path,
    *,
    target: str | None = None,
    separator: str | None = None,
    header: bool | None = None,
    drop: Sequence[str] = (),
    missing: str = "error",
) -> Dataset:
    """Return the dataset that a text file of separated values holds.

    Parameters
    ----------
    path : Path
        The file, UTF-8.
    target : str, optional
        Column of the labels; must be given.
    separator : str, optional
        Character between values, or a word for it; guessed if not given.
    header : bool, optional
        Whether the first line holds names. If not given it must, and a first line of
        numbers is refused; without one the columns are c0, c1, …
    drop : sequence of str, default=()
        Columns to leave out.
    missing : {"error", "drop"}, default="error"
        What becomes of rows with a missing value (nothing, "?", "NA", "nan", "null" …).

    Returns
    -------
    Dataset
        Named as the file is without its suffix.

    Raises
    ------
    DatasetError, OptionError
        If the file cannot serve; the message says where and what to do.
    """
    text = read_text(path)
    separator_used = separator_of(text, separator)
    table = table_of(one_line(path), text, separator_used, header=header)
    label_name = target_of(table, target)
    names = features_of(table, label_name, drop)
    X, labels, kept, n_rows = _complete_rows(table, names, label_name, missing)
    rows = Selection(table, kept)
    refuse_infinite(X, names, rows)
    y = labels_from_text(labels, label_name, rows)
    left_out = [name for name in table.names if name not in (*names, label_name)]
    given: dict[str, Any] = {"source": str(path), "target": label_name}
    given |= {"separator": separator, "header": header, "missing": missing}
    given |= {"drop": left_out or None}
    return Dataset(
        name=path.stem,
        X=X,
        y=y,
        feature_names=names,
        class_names=tuple(map(str, np.unique(y))),
        target_name=label_name,
        origin=f"File {path}",
        notes=_notes(left_out, n_rows - len(kept), n_rows),
        parameters={name: value for name, value in given.items() if value is not None},
    )


def _complete_rows(
    table: Table, names: tuple[str, ...], label_name: str, missing: str
) -> tuple[NDArray[np.float64], list[str], NDArray[np.intp], int]:
    """Return features, labels and positions of the rows kept, and how many there were."""
    body = table.body(label_name)
    X = numbers_of(body[list(names)], table)
    labels = body[label_name].str.strip()
    unlabelled = labels.isna() | labels.isin(MISSING_MARKERS)
    gaps = np.column_stack([np.isnan(X), unlabelled])
    keep = complete_rows(gaps, (*names, label_name), missing, table)
    kept = np.flatnonzero(keep)
    return X[kept], labels.iloc[kept].tolist(), kept, len(keep)


def _notes(left_out: Sequence[str], n_dropped: int, n_rows: int) -> tuple[str, ...]:
    notes = []
    if left_out:
        noun = "column" if len(left_out) == 1 else "columns"
        notes.append(f"Left out on request: {noun} {listed(left_out)}.")
    if n_dropped:
        notes.append(f"Left out {n_dropped} of {n_rows} rows for a missing value.")
    return tuple(notes)

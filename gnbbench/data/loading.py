"""Load a Dataset by name or path."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gnbbench.arrays import Array
from gnbbench.data import samples
from gnbbench.data.catalogue import UCI_LICENCE, CatalogueEntry
from gnbbench.data.checks import request_of
from gnbbench.data.columns import ColumnRequest, Columns, columns_of
from gnbbench.data.dataset import Dataset
from gnbbench.data.gaussians import gaussians
from gnbbench.data.network import default_target, fetch_or_load
from gnbbench.data.samples import labels_from_comparison, labels_from_text
from gnbbench.data.separated import header_of, read_text, separator_of, unpacked
from gnbbench.data.sources import ErrorContext, listed, one_line
from gnbbench.data.tables import TextTable, label_texts


def load(
    source: str | Path,
    *,
    target: str | None = None,
    separator: str | None = None,
    header: bool | None = None,
    drop: Sequence[str] = (),
    missing: str = "error",
    one_hot: bool = False,
    offline: bool = False,
) -> Dataset:
    """Load a dataset by name or from a file.

    A name in the catalogue or of a repository takes precedence over a file; write
    ``./iris`` for the file. Datasets fetched from a repository are kept in the user's cache
    directory, or in the one named by the environment variable GNBBENCH_CACHE. The dataset's
    `parameters` load it again: ``load(**dataset.parameters)``.

    Parameters
    ----------
    source : str or Path
        Name in the catalogue, such as ``iris`` or ``gaussians?n=1000&d=5&k=3&seed=0``; path
        of a file of separated values; or a dataset of a repository on the network:
        ``openml:NAME``, ``openml:NUMBER`` or ``uci:NUMBER``.
    target : str, optional
        Column that holds the labels, by its name or its number from 0, or a comparison such
        as ``G3>=10``, which makes two classes. Required for files; repositories name their
        own.
    separator : str, optional
        For files: a character, or the word tab or space; detected by default.
    header : bool, optional
        For files: whether the first line holds column names; by default it must.
    drop : sequence of str, default=()
        For files and repositories: columns to leave out.
    missing : {"error", "drop"}, default="error"
        For files and repositories: what to do about rows with missing values.
    one_hot : bool, default=False
        For files and repositories: whether to encode text as one column of 0 and 1 for
        each category.
    offline : bool, default=False
        Whether to use only earlier downloads, as when the environment variable
        GNBBENCH_OFFLINE is 1.

    Returns
    -------
    Dataset
        Ready to be split.

    Raises
    ------
    UnknownNameError
        If neither a dataset nor a file has that name.
    OptionError
        If an option does not apply to the source or has an invalid value.
    DatasetError
        If the file cannot be used or the network cannot be reached.

    Examples
    --------
    >>> load("iris").X.shape
    (150, 4)
    >>> load("gaussians?n=50&k=2").class_names
    ('class 0', 'class 1')
    """
    request = ColumnRequest(
        target, separator, header, tuple(drop), missing, one_hot=one_hot
    )
    wanted, chosen = request_of(source, vars(request))
    if isinstance(wanted, CatalogueEntry):
        return gaussians(**chosen) if wanted.parameters else _bundled(wanted)
    if not isinstance(wanted, Path):
        return _from_network(wanted, request, offline=offline)
    text = read_text(wanted)
    cut = header_of(one_line(wanted), text, separator_of(text, separator), header=header)
    origin = {"source": str(wanted), "separator": separator, "header": header}
    described = {"name": unpacked(wanted).stem, "origin": f"File {wanted}"}
    return dataset_from_table(TextTable(cut, text), origin, described, request)


def _bundled(entry: CatalogueEntry) -> Dataset:
    """Return a dataset that comes with scikit-learn, with its integer labels."""
    # This import takes a second.
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{entry.name}")()
    return Dataset(
        name=entry.name,
        X=np.ascontiguousarray(bunch.data, dtype=np.float64),
        y=bunch.target.astype(np.int64),
        feature_names=tuple(map(str, bunch.feature_names)),
        class_names=tuple(map(str, bunch.target_names)),
        target_name=entry.target,
        origin=f"{entry.origin}, as scikit-learn ships it",
        licence=UCI_LICENCE,
        parameters={"source": entry.name},
    )


def _from_network(source: str, request: ColumnRequest, *, offline: bool) -> Dataset:
    """Return a dataset of OpenML or UCI, downloading it only once."""
    fetched = fetch_or_load(source, offline=offline)
    header = header_of(fetched.source, fetched.text, ",", header=True)
    table = TextTable(replace(header, is_file=False), fetched.text)
    described = {
        "name": fetched.name,
        "origin": fetched.origin,
        "licence": fetched.licence,
        "notes": fetched.notes,
    }
    if request.target is None:
        request = replace(request, target=default_target(fetched))
    source_of = {"source": fetched.source}
    dataset = dataset_from_table(table, source_of, described, request, fetched.aside)
    others = [name for name in fetched.targets if name in dataset.feature_names]
    if not others:
        return dataset
    note = (
        f"Used as features, though the repository lists them as targets: {listed(others)}."
    )
    return replace(dataset, notes=(*dataset.notes, note))


def dataset_from_table(
    table: TextTable,
    source: Mapping[str, Any],
    described: Mapping[str, Any],
    request: ColumnRequest,
    aside: Sequence[str] = (),
) -> Dataset:
    """Return the dataset in a table, with the parameters that load it again."""
    columns = columns_of(table.header, request, aside)
    missing, one_hot = request.missing, request.one_hot
    kept, label_name, place = columns.features, columns.target, table.source
    body = table.rows(label_name)
    texts = samples.text_columns(body[list(kept)]) if one_hot else {}
    plain = [name for name in kept if name not in texts]
    numbers = dict(zip(plain, samples.numbers_of(body[plain], place).T, strict=True))
    labels, unlabelled = label_texts(body, label_name)
    gaps = [texts[n].isna() if n in texts else np.isnan(numbers[n]) for n in kept]
    gaps_by_row = np.column_stack([*gaps, unlabelled])
    rows = np.flatnonzero(
        samples.complete_rows(gaps_by_row, (*kept, label_name), missing, place)
    )
    columns, X = samples.encoded(columns, numbers, texts, rows, place)
    samples.refuse_infinite(X, columns.names, place.selected(rows))
    y, class_names = _labelled(labels.iloc[rows].tolist(), columns, place.selected(rows))
    notes = (
        *columns.notes_on(len(body) - len(rows), len(body)),
        *samples.notes_on_row_numbers(numbers),
    )
    return Dataset(
        **{**described, "notes": (*described.get("notes", ()), *notes)},
        X=X,
        y=y,
        feature_names=columns.names,
        class_names=class_names,
        target_name=columns.target_name,
        parameters=columns.parameters(one_hot=one_hot, **source),
    )


def _labelled(
    labels: Sequence[str], columns: Columns, context: ErrorContext
) -> tuple[Array, tuple[str, ...]]:
    """Return the labels and the names of their classes."""
    if columns.comparison is not None:
        y = labels_from_comparison(columns.comparison, labels, context)
        return y, columns.comparison.class_names
    y = labels_from_text(labels, columns.target, context)
    return y, tuple(map(str, np.unique(y)))

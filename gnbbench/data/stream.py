"""Open paths as a Stream, which describes the data without holding them in memory."""

import hashlib
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gnbbench.arrays import Array
from gnbbench.data.arrow import open_parquet
from gnbbench.data.checks import kind_of_files, paths_of, refuse_block_rows
from gnbbench.data.columns import ColumnRequest
from gnbbench.data.fragments import (
    FileFingerprint,
    Fragment,
    RowBatch,
    Settle,
    batch_length,
    encoded_by_levels,
    first_look,
    labels_from_values,
)
from gnbbench.data.npy import open_npy
from gnbbench.data.parts import parts_of
from gnbbench.data.samples import labels_from_text
from gnbbench.data.separated import unpacked
from gnbbench.data.sources import one_line
from gnbbench.data.tables import open_text
from gnbbench.words import plural

__all__ = ["Fragment", "RowBatch", "Stream", "open_stream"]

# A stream has at least this many blocks, for intervals of times, unless they are small.
FEWEST_BLOCKS, FEWEST_ROWS = 8, 1000
THREAD_NAME = "gnbbench-read-ahead"
Item = TypeVar("Item")


@dataclass(frozen=True, eq=False)
class Stream:
    """A labelled sample that is read batch by batch, as often as needed.

    Its schema, labels and row numbers have been checked; its features are checked
    as they are read. It can be pickled. Two streams are equal if their `sha256` is.
    """

    name: str  # Name shown in reports
    where: str  # Path of the data, as messages show it
    feature_names: tuple[str, ...]  # One name per column of the batches
    class_names: tuple[str, ...]  # One display name per entry of `classes`, in that order
    # (n_classes,): Sorted distinct labels, as from ``numpy.unique``
    classes: Array
    class_counts: NDArray[np.intp]  # (n_classes,): Number of rows of each class
    n_rows: int  # Number of rows, without those left out for a missing value
    # They cover the rows from 0 to ``n_rows - 1`` in order
    fragments: tuple[Fragment, ...] = field(repr=False)
    sha256: str  # Hexadecimal digest of the data, as each kind of file defines it
    target_name: str  # A column, a file, or a comparison
    parameters: dict[str, Any]  # ``open_stream(**parameters)`` opens it again
    block_rows: int  # Maximum number of rows in a batch
    notes: tuple[str, ...] = ()  # How columns were changed, one sentence each
    files: tuple[FileFingerprint, ...] = field(default=(), repr=False)

    def batches(self) -> Iterator[RowBatch]:
        """Yield all rows in order, while a thread reads the next batch."""
        return read_ahead(batch for part in self.fragments for batch in part.batches())


def open_stream(
    source: str | Path | Sequence[str | Path],
    *,
    target: str | Path | None,
    drop: Sequence[str] = (),
    separator: str | None = None,
    header: bool | None = None,
    missing: str = "error",
    one_hot: bool = False,
    block_rows: int | None = None,
) -> Stream:
    """Open files or directories as a stream, after one pass over their labels.

    Files of a directory follow one another in the order of their paths.
    """
    refuse_block_rows(block_rows)
    paths = paths_of(source)
    path, where = paths[0], one_line(paths[0])
    if len(paths) > 1:
        where += f" and {plural(len(paths) - 1, 'more path')}"
    kind = kind_of_files(paths, separator=separator, header=header)
    chosen = None if target is None else str(target)
    request = ColumnRequest(chosen, separator, header, drop, missing, one_hot=one_hot)
    if kind == "npy":
        opened = open_npy(path, request, block_rows)
    elif kind == "parquet":
        opened = open_parquet(parts_of(paths, kind), where, request, block_rows)
    else:
        opened = open_text(parts_of(paths, kind), where, request)
    settle: Settle = labels_from_text if kind == "text" else labels_from_values
    columns, readers = opened.columns, opened.readers
    comparison = columns.comparison
    most_rows = block_rows or batch_length(len(columns.features))
    if columns.texts:
        encoding: list[Any] = list(readers)
        columns, readers = encoded_by_levels(encoding, columns, most_rows)
    with closing(read_ahead(reader for reader in readers)) as ahead:
        labels, fragments = first_look(ahead, columns, settle, most_rows)
    n_rows = int(labels.counts.sum())
    share = -(-n_rows // FEWEST_BLOCKS)
    if block_rows is None and FEWEST_ROWS <= share < most_rows:
        most_rows = share
        fragments = tuple(replace(part, block_rows=most_rows) for part in fragments)
    notes = columns.notes_on(labels.n_left_out, n_rows + labels.n_left_out)
    digested = (columns.names, missing, labels.sha256, opened.digest.hexdigest())
    origin = {
        "source": str(path) if len(paths) == 1 else list(map(str, paths)),
        "separator": separator,
        "header": header,
        "block_rows": block_rows,
    }
    name = unpacked(path).stem or path.resolve().name
    return Stream(
        name=name if len(paths) == 1 else f"{name} and {len(paths) - 1} more",
        where=columns.where,
        feature_names=columns.names,
        class_names=(
            comparison.class_names if comparison else tuple(map(str, labels.classes))
        ),
        classes=labels.classes,
        class_counts=labels.counts,
        n_rows=n_rows,
        fragments=fragments,
        sha256=hashlib.sha256(repr(digested).encode()).hexdigest(),
        target_name=columns.target_name,
        parameters=columns.parameters(one_hot=one_hot, **origin),
        block_rows=most_rows,
        notes=notes,
        files=tuple(opened.files),
    )


def read_ahead(items: Generator[Item, None, None]) -> Generator[Item, None, None]:
    """Yield the items in order, while a thread prepares the next one.

    The thread ends with this generator: after the last item, when it is closed, or when
    either side raises. An exception from `items` is raised here in its turn.
    """
    with closing(items), ThreadPoolExecutor(1, THREAD_NAME) as thread:
        ahead = thread.submit(next, items, None)
        while (item := ahead.result()) is not None:
            ahead = thread.submit(next, items, None)
            yield item

"""Parquet files, read a few pages at a time; the only module that knows pyarrow."""

import hashlib
import math
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.data.chunks import Chunk, Stretch
from gnbbench.data.looks import Look, block_length, first_look
from gnbbench.data.marks import FileMark, mark_of
from gnbbench.data.partitions import Value, files_of, keys_of
from gnbbench.data.sources import one_line, quoted
from gnbbench.data.stream_columns import Columns, columns_of, named_columns, refuse_types
from gnbbench.data.tallies import labels_from_values
from gnbbench.errors import DatasetError

MAGIC = b"PAR1"
# What a column is read from a file by: pages are decoded one after the other, so that
# memory holds no more of a row group than this, its current pages and one block.
BUFFER_BYTES = 2**18
# Small row groups are read together until they hold so many blocks.
BLOCKS_A_PART = 8
NUMBERS = ("integer", "float", "float32", "boolean", "null")
LABELS = (("integer", "float", "float32", "null"), ("boolean", "null"), ("text", "null"))


def look_at_parquet(
    path: Path,
    *,
    target: str | None,
    drop: Sequence[str],
    missing: str,
    block_rows: int | None,
) -> tuple[Look, str]:
    """Return the first look at a Parquet file or a directory of them, and a digest.

    Files of a directory follow one another in the order of their paths; directories
    ``name=value`` are columns. Labels may be integers, whole floats, booleans, text or
    a dictionary of these, features any numbers or booleans.

    The digest is taken of each file's size and of its footer, which holds the schema,
    and of each column of each row group the statistics, encodings and compressed sizes;
    paths and times do not count. The values of the labels are in the look's own digest.
    """
    where = one_line(path)
    _import_pyarrow(where)
    paths = files_of(path)
    keys = keys_of(paths, path)
    files = [_file(where, at, path, given) for at, given in zip(paths, keys, strict=True)]
    spelt = [*files[0].kinds]
    table = named_columns(where, spelt)
    columns = columns_of(table, target, drop, missing)
    raw = dict(zip(table.names, spelt, strict=True))
    features = tuple(raw[name] for name in columns.features)
    label = raw[columns.target]
    _refuse_kinds(files, columns, raw)
    single = all(file.kinds[name] == "float32" for file in files for name in features)
    rows = block_rows or block_length(len(features))
    reading = Reading(where, features, label, "float32" if single else "float64")
    stretches = [part for file in files for part in _row_groups(file, reading, rows)]
    look = first_look(stretches, columns, labels_from_values, rows)
    digest = hashlib.sha256(b"parquet")
    for file in files:
        digest.update(repr((file.mark.n_bytes, file.footer_sha256, file.keys)).encode())
    return look, digest.hexdigest()


@dataclass(frozen=True)
class Reading:
    """Which columns are read, by their names in the files."""

    where: str  # Path of the source, as messages show it
    features: tuple[str, ...]  # In this order
    target: str  # Column of the labels
    dtype: str  # Of the features


@dataclass(frozen=True)
class RowGroups:
    """Consecutive row groups of one file: a Stretch."""

    mark: FileMark  # The file as it was looked at first
    shown: str  # How a message starts that names a row: the file, if it is one of many
    keys: Mapping[str, Value]  # Columns that the file's directories give
    reading: Reading = field(repr=False)  # What is read
    first_group: int  # Number of the first one in the file
    # Number of each one's first row in the file, and of the row after the last
    edges: tuple[int, ...]

    def place(self, row: int) -> str:
        """Return the row group and the row of the file, both counted from 0."""
        at = self.edges[0] + row
        group = self.first_group + bisect_right(self.edges, at, hi=len(self.edges) - 1) - 1
        return f"{self.shown}row group {group}, row {at}"

    def chunks(self, block_rows: int, *, labels_only: bool) -> Iterator[Chunk]:
        """Yield its rows in order, no more than that many at once."""
        features = () if labels_only else self.reading.features
        wanted = {self.reading.target, *features} - set(self.keys)
        groups = range(self.first_group, self.first_group + len(self.edges) - 1)
        self.mark.refuse_changed()
        start = 0
        spelt = {self.reading.target} - set(self.keys)
        with _opened(self.mark, spelt) as file:
            for batch in file.iter_batches(
                block_rows,
                row_groups=groups,
                columns=sorted(wanted),
                use_threads=False,  # the thread that reads ahead is enough
            ):
                X = np.empty((batch.num_rows, len(features)), dtype=self.reading.dtype)
                for position, name in enumerate(features):
                    X[:, position] = self._numbers(batch, name)
                values, indices = self._labels(batch)
                yield Chunk(start, values, indices, X)
                start += batch.num_rows
        self.mark.refuse_changed()

    def _numbers(self, batch: Any, name: str) -> NDArray[Any]:
        if name in self.keys:
            value = self.keys[name]
            number = np.nan if value is None else float(value)
            return np.broadcast_to(number, batch.num_rows)
        return _numbers(batch.column(name))

    def _labels(self, batch: Any) -> tuple[list[Any], NDArray[np.intp]]:
        if self.reading.target not in self.keys:
            return _labels(batch.column(self.reading.target))
        value = self.keys[self.reading.target]
        index = -1 if _is_missing(value) else 0
        return [value], np.full(batch.num_rows, index, dtype=np.intp)


@dataclass(frozen=True)
class _File:
    """What the footer of a file tells."""

    mark: FileMark
    shown: str
    keys: dict[str, Value]
    kinds: dict[str, str]
    group_rows: tuple[int, ...]
    footer_sha256: str


def _file(where: str, path: Path, root: Path, keys: dict[str, Value]) -> _File:
    mark = mark_of(path)
    with _opened(mark) as file:
        schema, metadata = file.schema_arrow, file.metadata
        groups = [metadata.row_group(at).num_rows for at in range(metadata.num_row_groups)]
        named_columns(where, schema.names)
        kinds = {column.name: _kind(column.type) for column in schema}
    keys = {name: value for name, value in keys.items() if name not in kinds}
    kinds |= {name: _kind_of_value(value) for name, value in keys.items()}
    shown = "" if path == root else f"{one_line(path.relative_to(root))}, "
    return _File(mark, shown, keys, kinds, tuple(groups), _footer_sha256(path))


def _footer_sha256(path: Path) -> str:
    with path.open("rb") as file:
        file.seek(-8, 2)
        length = int.from_bytes(file.read(4), "little")
        file.seek(-8 - length, 2)
        return hashlib.sha256(file.read(length)).hexdigest()


def _row_groups(file: _File, reading: Reading, block_rows: int) -> Iterator[Stretch]:
    """Yield stretches of row groups, each of some blocks or one row group."""
    first_group, edges = 0, [0]
    for group, n_rows in enumerate(file.group_rows):
        edges.append(edges[-1] + n_rows)
        is_last = group == len(file.group_rows) - 1
        if is_last or edges[-1] - edges[0] >= BLOCKS_A_PART * block_rows:
            yield RowGroups(
                file.mark, file.shown, file.keys, reading, first_group, tuple(edges)
            )
            first_group, edges = group + 1, edges[-1:]


def _refuse_kinds(files: Sequence[_File], columns: Columns, raw: dict[str, str]) -> None:
    """Raise if a column is absent in a file or holds what cannot serve."""
    for file in files:
        for name in (*columns.features, columns.target):
            if raw[name] not in file.kinds:
                what = f"{file.shown.rstrip(', ')} has no column {quoted(name)}"
                remedy = "Write all files with the same columns."
                raise DatasetError(columns.where, what, remedy)
        kinds = {name: file.kinds[raw[name]] for name in columns.features}
        bad = {name: kind for name, kind in kinds.items() if kind not in NUMBERS}
        refuse_types(columns.where, bad)
    labels = {file.kinds[raw[columns.target]] for file in files}
    if not any(labels <= set(kinds) for kinds in LABELS):
        what = f"labels that are {' and '.join(sorted(labels))} cannot serve"
        raise DatasetError(columns.where, what, "Give integers, booleans or text.")


def _kind(kind: Any) -> str:
    """Return what a type of pyarrow holds: one of NUMBERS, text, or its own name."""
    import pyarrow.types as known

    if known.is_dictionary(kind):
        kind = kind.value_type
    tests = {
        "boolean": (known.is_boolean,),
        "integer": (known.is_integer,),
        "float32": (known.is_float32,),
        "float": (known.is_floating, known.is_decimal),
        "text": (known.is_string, known.is_large_string, known.is_string_view),
        "null": (known.is_null,),
    }
    found = (name for name, is_one in tests.items() if any(test(kind) for test in is_one))
    return next(found, str(kind))


def _kind_of_value(value: Value) -> str:
    names = {int: "integer", float: "float", str: "text"}
    return names.get(type(value), "null")


def _numbers(column: Any) -> NDArray[Any]:
    """Return a column as numbers, NaN where there is none."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    plain = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    if column.null_count or not plain:
        column = column.cast(pa.float64(), safe=False)
    numbers: NDArray[Any] = column.to_numpy(zero_copy_only=False)
    return numbers


def _labels(column: Any) -> tuple[list[Any], NDArray[np.intp]]:
    """Return distinct values, and each row's position among them, -1 where missing."""
    import pyarrow as pa

    if pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    values = column.dictionary.to_pylist()
    indices = column.indices.fill_null(-1).to_numpy().astype(np.intp)
    missing = [at for at, value in enumerate(values) if _is_missing(value)]
    if missing:
        indices[np.isin(indices, missing)] = -1
    return values, indices


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


@contextmanager
def _opened(mark: FileMark, as_dictionary: Collection[str] = ()) -> Iterator[Any]:
    """Yield the file for reading page by page; these columns as dictionaries if text."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(
            mark.path,
            buffer_size=BUFFER_BYTES,
            pre_buffer=False,
            read_dictionary=[*as_dictionary],
        ) as file:
            yield file
    except (pa.ArrowException, OSError) as error:
        what = f"it cannot be read as Parquet ({one_line(error)[:160]})"
        remedy = "Write it anew, or give another file."
        raise DatasetError(mark.shown, what, remedy) from error


def _import_pyarrow(where: str) -> None:
    """Raise if there is no pyarrow."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError as error:
        what = "it is Parquet, and pyarrow is not installed"
        remedy = "Install it: pip install 'gnbbench[parquet]'"
        raise DatasetError(where, what, remedy) from error

"""Parquet files, read a few pages at a time, alone or as the files of a directory."""

import hashlib
import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.data.arrow import is_missing, labels_of, numbers_of_column
from gnbbench.data.columns import Columns, columns_of, refuse_types
from gnbbench.data.fragments import FileFingerprint, RawBatch, batch_length, encoded_table
from gnbbench.data.separated import named_columns, unreadable
from gnbbench.data.sources import one_line, quoted
from gnbbench.errors import DatasetError, install_command

# What a column is read from a file by: pages are decoded one after the other, so that
# memory holds no more of a row group than this, its current pages and one batch.
BUFFER_BYTES = 2**18
# Small row groups are read together until they hold so many batches.
BATCHES_A_FRAGMENT = 8
NUMBERS = ("integer", "float", "float32", "boolean", "null")
LABELS = (("integer", "float", "float32", "null"), ("boolean", "null"), ("text", "null"))
SUFFIXES = (".parquet", ".parq", ".pq")
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
ESCAPED = re.compile(rb"%([0-9A-Fa-f]{2})")

Value = int | float | str | None


def open_parquet(
    path: Path,
    target: str | None,
    drop: Sequence[str],
    missing: str,
    block_rows: int | None,
    *,
    one_hot: bool = False,
) -> tuple[Columns, list["RowGroups"], Any]:
    """Return what is read of a Parquet file or a directory, its readers, and a digest.

    Files of a directory follow one another in the order of their paths; directories
    ``name=value`` are columns. Labels may be integers, whole floats, booleans, text or
    a dictionary of these, features any numbers or booleans.

    The digest is taken of each file's size and of its footer, which holds the schema,
    and of each column of each row group the statistics, encodings and compressed sizes;
    paths and times do not count. Labels are digested as they are counted.
    """
    where = one_line(path)
    _import_pyarrow(where)
    paths = files_of(path)
    keys = keys_of(paths, path)
    files = [_file(where, at, path, given) for at, given in zip(paths, keys, strict=True)]
    spelt = [*files[0].kinds]
    header = named_columns(where, spelt)
    columns = columns_of(header, target, drop, missing)
    raw = dict(zip(header.names, spelt, strict=True))
    texts = [
        name
        for name in columns.features
        if one_hot and all(file.kinds.get(raw[name]) == "text" for file in files)
    ]
    columns = replace(columns, texts=tuple(texts))
    _refuse_kinds(files, columns, raw)
    features = tuple(raw[name] for name in columns.features)
    single = all(file.kinds[name] == "float32" for file in files for name in features)
    n_rows = (block_rows or batch_length(len(features))) * BATCHES_A_FRAGMENT
    digest = hashlib.sha256(b"parquet")
    readers = []
    for file in files:
        digested = (file.fingerprint.n_bytes, file.footer_sha256, file.keys)
        digest.update(repr(digested).encode())
        readers += [
            RowGroups(
                file.fingerprint,
                file.shown,
                file.keys,
                columns,
                raw,
                "float32" if single else "float64",
                first_group,
                edges,
            )
            for first_group, edges in _groups_of(file.group_rows, n_rows)
        ]
    return columns, readers, digest


@dataclass(frozen=True)
class RowGroups:
    """Consecutive row groups of one file: a `gnbbench.data.fragments.Reader`."""

    fingerprint: FileFingerprint  # The file as it was looked at first
    shown: str  # How a message starts that names a row: the file, if it is one of many
    keys: Mapping[str, Value]  # Columns that the file's directories give
    columns: Columns = field(repr=False)  # What is read
    spelt: Mapping[str, str] = field(repr=False)  # Column -> as the file has it
    dtype: str  # Of the features
    first_group: int  # Number of the first one in the file
    # Number of each one's first row in the file, and of the row after the last
    edges: tuple[int, ...]

    @property
    def fingerprints(self) -> tuple[FileFingerprint, ...]:
        """The one file."""
        return (self.fingerprint,)

    def place(self, row: int) -> str:
        """Return the row group and the row of the file, both counted from 0."""
        at = self.edges[0] + row
        group = self.first_group + bisect_right(self.edges, at, hi=len(self.edges) - 1) - 1
        return f"{self.shown}row group {group}, row {at}"

    def raw_batches(self, block_rows: int, *, labels_only: bool) -> Iterator[RawBatch]:
        """Yield its rows in order, no more than that many at once."""
        features, target = self.columns.features, self.columns.target
        levels, features = self.columns.levels, () if labels_only else features
        wanted = {self.spelt[name] for name in (target, *features)} - set(self.keys)
        groups = range(self.first_group, self.first_group + len(self.edges) - 1)
        self.fingerprint.refuse_changed()
        start = 0
        texts = {self.spelt[name] for name in (target, *levels)} - set(self.keys)
        with _opened(self.fingerprint, texts) as file:
            for batch in file.iter_batches(
                block_rows,
                row_groups=groups,
                columns=sorted(wanted),
                use_threads=False,  # the thread that reads ahead is enough
            ):
                X = encoded_table(
                    batch.num_rows,
                    features,
                    levels,
                    numbers=partial(self._numbers, batch),
                    text=partial(self._labels, batch),
                    where=self.fingerprint.shown,
                    dtype=self.dtype,
                )
                values, indices = self._labels(batch, target)
                yield RawBatch(start, values, indices, X)
                start += batch.num_rows
        self.fingerprint.refuse_changed()

    def _numbers(self, batch: Any, column: str) -> NDArray[Any]:
        name = self.spelt[column]
        if name in self.keys:
            value = self.keys[name]
            number = np.nan if value is None else float(value)
            return np.broadcast_to(number, batch.num_rows)
        return numbers_of_column(batch.column(name))

    def _labels(self, batch: Any, column: str) -> tuple[list[Any], NDArray[np.intp]]:
        name = self.spelt[column]
        if name not in self.keys:
            return labels_of(batch.column(name))
        value = self.keys[name]
        index = -1 if is_missing(value) else 0
        return [value], np.full(batch.num_rows, index, dtype=np.intp)


@dataclass(frozen=True)
class _File:
    """What the footer of a file tells."""

    fingerprint: FileFingerprint
    shown: str
    keys: dict[str, Value]
    kinds: dict[str, str]
    group_rows: tuple[int, ...]
    footer_sha256: str


def _file(where: str, path: Path, root: Path, keys: dict[str, Value]) -> _File:
    fingerprint = FileFingerprint.of(path)
    with _opened(fingerprint) as file:
        schema, metadata = file.schema_arrow, file.metadata
        groups = [metadata.row_group(at).num_rows for at in range(metadata.num_row_groups)]
        named_columns(where, schema.names)
        kinds = {column.name: _kind(column.type) for column in schema}
    keys = {name: value for name, value in keys.items() if name not in kinds}
    kinds |= {name: _kind_of_value(value) for name, value in keys.items()}
    shown = "" if path == root else f"{one_line(path.relative_to(root))}, "
    return _File(fingerprint, shown, keys, kinds, tuple(groups), _footer_sha256(path))


def _footer_sha256(path: Path) -> str:
    with path.open("rb") as file:
        file.seek(-8, 2)
        length = int.from_bytes(file.read(4), "little")
        file.seek(-8 - length, 2)
        return hashlib.sha256(file.read(length)).hexdigest()


def _groups_of(
    group_rows: Sequence[int], n_rows: int
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield row groups to be read together, one or as many as hold so many rows.

    Each time it is the number of the first, and the edges: each one's first row in the
    file, and the row after the last.
    """
    first_group, edges = 0, [0]
    for group, length in enumerate(group_rows):
        edges.append(edges[-1] + length)
        if group == len(group_rows) - 1 or edges[-1] - edges[0] >= n_rows:
            yield first_group, tuple(edges)
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
        bad = {
            name: kind
            for name, kind in kinds.items()
            if kind not in NUMBERS and name not in columns.texts
        }
        refuse_types(columns.where, bad)
    labels = {file.kinds[raw[columns.target]] for file in files}
    if not any(labels <= set(kinds) for kinds in LABELS):
        what = f"labels that are {' and '.join(sorted(labels))} cannot be used"
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


@contextmanager
def _opened(
    fingerprint: FileFingerprint, as_dictionary: Collection[str] = ()
) -> Iterator[Any]:
    """Yield the file for reading page by page; these columns as dictionaries if text."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(
            fingerprint.path,
            buffer_size=BUFFER_BYTES,
            pre_buffer=False,
            read_dictionary=[*as_dictionary],
            page_checksum_verification=True,
        ) as file:
            yield file
    except (pa.ArrowException, OSError) as error:
        what = f"it cannot be read as Parquet ({one_line(error)[:160]})"
        if "CRC checksum" in str(error):
            what = "a page of it is damaged (its checksum is another)"
        remedy = "Write it again, or give another file."
        raise DatasetError(fingerprint.shown, what, remedy) from error


def _import_pyarrow(where: str) -> None:
    """Raise if there is no pyarrow."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError as error:
        what = "it is Parquet, and pyarrow is not installed"
        remedy = f"Install it: {install_command('parquet')}"
        raise DatasetError(where, what, remedy) from error


def files_of(path: Path) -> list[Path]:
    """The Parquet files of a directory and its directories, sorted by their paths."""
    if not path.is_dir():
        return [path]
    try:
        inside = sorted(found.relative_to(path) for found in path.rglob("*"))
    except OSError as error:
        raise unreadable(path, error) from error
    files = [
        path / file
        for file in inside
        if file.suffix in SUFFIXES
        and not any(part.startswith((".", "_")) for part in file.parts)
    ]
    if not files:
        what = f"it is a directory without a file that ends in {SUFFIXES[0]}"
        raise DatasetError(one_line(path), what, "Give one with Parquet files, or a file.")
    return files


def keys_of(files: Sequence[Path], root: Path) -> list[dict[str, Value]]:
    """Return the columns that the directories of each file give, as Hive writes them.

    A directory ``name=value`` below the root is a column of one value. Values that are
    whole numbers in all files are integers, else floats where all are numbers, else text.
    """
    spelt = [_spelt(file, root) for file in files]
    for file, keys in zip(files, spelt, strict=True):
        if list(keys) != list(spelt[0]):
            what = (
                f"{one_line(file.relative_to(root))} is in different name=value directories"
            )
            remedy = f"Give each file those of {one_line(files[0].relative_to(root))}."
            raise DatasetError(one_line(root), what, remedy)
    columns = {name: _typed([keys[name] for keys in spelt]) for name in spelt[0]}
    return [
        {name: values[number] for name, values in columns.items()}
        for number in range(len(files))
    ]


def _spelt(file: Path, root: Path) -> Mapping[str, str | None]:
    if file == root:
        return {}
    pairs = (
        part.split("=", 1) for part in file.relative_to(root).parts[:-1] if "=" in part
    )
    return {
        _unescaped(name).strip(): None if value == NO_VALUE else _unescaped(value)
        for name, value in pairs
    }


def _unescaped(text: str) -> str:
    """Return the text with %20 and the like as the characters they stand for."""
    plain = ESCAPED.sub(lambda found: bytes.fromhex(found[1].decode()), text.encode())
    return plain.decode("utf-8", "replace")


def _typed(texts: Sequence[str | None]) -> list[Value]:
    for kind in (int, float):
        try:
            return [None if text is None else kind(text) for text in texts]
        except ValueError:
            continue
    return list(texts)

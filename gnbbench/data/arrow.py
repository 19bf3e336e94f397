"""What pyarrow reads: columns of text, and Parquet files a few pages at a time.

It is an extra, which may be missing.
"""

import hashlib
import math
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.arrays import Array
from gnbbench.data import fragments
from gnbbench.data.columns import ColumnRequest, Columns, columns_of, refuse_types
from gnbbench.data.parts import StreamFile, Value, kind_of_value
from gnbbench.data.samples import MISSING_MARKERS
from gnbbench.data.separated import Header, named_columns
from gnbbench.data.sources import one_line, quoted
from gnbbench.errors import DatasetError, install_command

# Text is parsed in pieces of this size, which stay in the processor's cache. In wide
# tables, where a column takes memory for each piece and each null, there are few of both.
BLOCK_BYTES = 2**20
BYTES_A_COLUMN = 2**10
WIDE = 1000  # Columns
NO_LEVELS: Mapping[str, Sequence[str]] = {}
NO_KEYS: Mapping[str, Any] = {}
# The markers of missing values in pandas, and UCI's question mark.
NULLS = (
    *("", "?", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND"),
    *("1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
)
# Read buffer of a column. Pages are decoded one after another, so that memory holds no
# more of a row group than this, its current pages and one batch.
BUFFER_BYTES = 2**18
# Small row groups are read together, up to this many batches.
BATCHES_A_FRAGMENT = 8
NUMBERS = ("integer", "float", "float32", "boolean", "null")
LABELS = (("integer", "float", "float32", "null"), ("boolean", "null"), ("text", "null"))


def columns_of_text(
    text: str,
    header: Header,
    features: Sequence[str],
    target: str,
    *,
    levels: Mapping[str, Sequence[str]] = NO_LEVELS,
    keys: Mapping[str, Any] = NO_KEYS,
) -> fragments.ColumnsRead | None:
    """Return features and labels, or None.

    The values equal those of pandas, several times as fast. There are none if pyarrow is
    missing or might parse differently, so that pandas must parse or report the mistake.
    """
    try:
        import pyarrow as pa
        import pyarrow.csv as pc
    except ImportError:
        return None
    content = text.encode()
    if len(header.separator) > 1 or not is_plainly_quoted(content, header.separator):
        return None
    is_quoted = '"' in text
    # A space before a value is ignored; inside quotation marks it is part of the value.
    nulls = NULLS if is_quoted else [*NULLS, *(f" {null}" for null in NULLS)]
    if len(header.names) > WIDE:
        nulls = [null for null in nulls if null in text]
    text_names = [name for name in (*levels, target) if name not in keys]
    kinds = dict.fromkeys([n for n in features if n not in keys], pa.float64())
    kinds |= dict.fromkeys(text_names, pa.dictionary(pa.int32(), pa.string()))
    kinds = kinds or {header.names[0]: pa.string()}  # Rows are counted by it
    piece = max(BLOCK_BYTES, BYTES_A_COLUMN * len(header.names))
    try:
        table = pc.read_csv(
            pa.BufferReader(content),
            pc.ReadOptions(column_names=[*header.names], block_size=piece),
            pc.ParseOptions(delimiter=header.separator, newlines_in_values=is_quoted),
            pc.ConvertOptions(
                column_types=kinds,
                include_columns=[*kinds],
                null_values=nulls,
                strings_can_be_null=True,
            ),
        )
    except (pa.ArrowException, ValueError):
        return None
    texts = {n: labels_of(table.column(n).combine_chunks()) for n in text_names}
    spellings = [value for values, _ in texts.values() for value in values]
    if not table.num_rows or (
        is_quoted and any("\r" in value or value.startswith(" ") for value in spellings)
    ):
        return None
    return fragments.read_columns(
        table.num_rows,
        features,
        target,
        numbers=lambda name: table.column(name).to_numpy(),
        texts=lambda name: _stripped(*texts[name]),
        levels=levels,
        keys=keys,
        where=header.where,
    )


def is_plainly_quoted(content: bytes, separator: str) -> bool:
    """Return whether quotation marks come in pairs, each pair around a whole value.

    If so, all parsers agree on what is quoted, and a line end outside a pair ends a record.
    """
    if b'"' not in content:
        return True
    if len(separator) > 1:
        return False
    letters = np.frombuffer(b"\n" + content + b"\n", np.uint8)
    marks = np.flatnonzero(letters == ord('"'))
    edges = np.frombuffer(f"{separator}\r\n".encode(), np.uint8)
    before, after = letters[marks[::2] - 1], letters[marks[1::2] + 1]
    is_paired = len(marks) % 2 == 0
    return is_paired and bool(np.isin(before, edges).all() and np.isin(after, edges).all())


def _stripped(
    values: list[str], indices: NDArray[np.intp]
) -> tuple[list[str], NDArray[np.intp]]:
    """Return stripped labels, merging those that become equal or missing."""
    stripped = [value.strip() for value in values]
    if stripped == values and not set(values) & {*MISSING_MARKERS}:
        return values, indices
    distinct = [*dict.fromkeys(value for value in stripped if value not in MISSING_MARKERS)]
    positions = {value: position for position, value in enumerate(distinct)}
    # Missing labels have index -1 and so take the last of these.
    moved = np.array([*(positions.get(value, -1) for value in stripped), -1])
    return distinct, moved[indices]


def numbers_of_column(column: Any) -> Array:
    """Return a column as numbers, NaN if one is missing."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    plain = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    if column.null_count or not plain:
        column = column.cast(pa.float64(), safe=False)
    numbers: Array = column.to_numpy(zero_copy_only=False)
    return numbers


def labels_of(column: Any) -> tuple[list[Any], NDArray[np.intp]]:
    """Return the distinct values and each row's position among them, -1 if missing."""
    import pyarrow as pa

    if pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    values = column.dictionary.to_pylist()
    indices = column.indices.fill_null(-1).to_numpy().astype(np.intp)
    missing = [at for at, value in enumerate(values) if is_missing(value)]
    if missing:
        indices[np.isin(indices, missing)] = -1
    return values, indices


def is_missing(value: Any) -> bool:
    """Return whether a value is None or NaN."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def open_parquet(
    parts: Sequence[StreamFile],
    where: str,
    request: ColumnRequest,
    block_rows: int | None,
) -> fragments.Opened:
    """Open Parquet files.

    Labels may be integers, whole floats, booleans, text or a dictionary of these, features
    any numbers or booleans.

    The digest covers each file's size, its footer (the schema, and the statistics,
    encodings and compressed sizes of each column chunk), and all labels, but not paths or
    times.
    """
    _import_pyarrow(where)
    files = [_file(where, part) for part in parts]
    spelt = [*files[0].kinds]
    header = named_columns(where, spelt)
    columns = columns_of(header, request)
    raw = dict(zip(header.names, spelt, strict=True))
    texts = [
        name
        for name in columns.features
        if request.one_hot and all(file.kinds.get(raw[name]) == "text" for file in files)
    ]
    columns = replace(columns, texts=tuple(texts))
    _refuse_kinds(files, columns, raw)
    features = tuple(raw[name] for name in columns.features)
    single = all(file.kinds[name] == "float32" for file in files for name in features)
    n_rows = (block_rows or fragments.batch_length(len(features))) * BATCHES_A_FRAGMENT
    digest = hashlib.sha256(b"parquet")
    readers = []
    for file in files:
        digested = (file.fingerprint.n_bytes, file.footer_sha256, file.keys)
        digest.update(repr(digested).encode())
        source = file.fingerprint, file.shown, file.keys, columns, raw
        readers += [
            RowGroups(*source, "float32" if single else "float64", *group)
            for group in _groups_of(file.group_rows, n_rows)
        ]
    return fragments.Opened(columns, readers, digest, [file.fingerprint for file in files])


@dataclass(frozen=True)
class RowGroups:
    """Consecutive row groups of one file: a `gnbbench.data.fragments.Reader`."""

    fingerprint: fragments.FileFingerprint
    shown: str  # Prefix of a row in messages: the file, if it is one of several
    keys: Mapping[str, Value]  # Columns from the names of the file's directories
    columns: Columns = field(repr=False)  # The columns to read
    spelt: Mapping[str, str] = field(repr=False)  # Column -> its spelling in the file
    dtype: str  # Of the features
    first_group: int  # Number of the first group in the file
    # First row of each group in the file, and one past the last row
    edges: tuple[int, ...]

    def place(self, row: int) -> str:
        """Return the row group and the row in the file, both counted from 0."""
        at = self.edges[0] + row
        group = self.first_group + bisect_right(self.edges, at, hi=len(self.edges) - 1) - 1
        return f"{self.shown}row group {group}, row {at}"

    def raw_batches(
        self, block_rows: int, *, labels_only: bool
    ) -> Iterator[fragments.RawBatch]:
        """Yield its rows in order, at most `block_rows` at once."""
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
                use_threads=False,  # The read-ahead thread is enough
            ):
                X, values, indices = self._read(batch, features)
                yield fragments.RawBatch(start, [*values], indices, X)
                start += batch.num_rows
        self.fingerprint.refuse_changed()

    def _read(self, batch: Any, features: Sequence[str]) -> fragments.ColumnsRead:
        spelt = self.spelt
        return fragments.read_columns(
            batch.num_rows,
            features,
            self.columns.target,
            numbers=lambda name: numbers_of_column(batch.column(spelt[name])),
            texts=lambda name: labels_of(batch.column(spelt[name])),
            levels=self.columns.levels,
            keys={n: self.keys[raw] for n, raw in spelt.items() if raw in self.keys},
            where=self.fingerprint.shown,
            dtype=self.dtype,
        )


@dataclass(frozen=True)
class _File:
    """The contents of a file's footer."""

    fingerprint: fragments.FileFingerprint
    shown: str
    keys: dict[str, Value]
    kinds: dict[str, str]
    group_rows: tuple[int, ...]
    footer_sha256: str


def _file(where: str, part: StreamFile) -> _File:
    fingerprint = fragments.FileFingerprint.of(part.path)
    with _opened(fingerprint) as file:
        schema, metadata = file.schema_arrow, file.metadata
        groups = [metadata.row_group(at).num_rows for at in range(metadata.num_row_groups)]
        named_columns(where, schema.names)
        kinds = {column.name: _kind(column.type) for column in schema}
    keys = {name: value for name, value in part.keys.items() if name not in kinds}
    kinds |= {name: kind_of_value(value) for name, value in keys.items()}
    digest = _footer_sha256(part.path)
    return _File(fingerprint, part.shown, keys, kinds, tuple(groups), digest)


def _footer_sha256(path: Path) -> str:
    with path.open("rb") as file:
        file.seek(-8, 2)
        length = int.from_bytes(file.read(4), "little")
        file.seek(-8 - length, 2)
        return hashlib.sha256(file.read(length)).hexdigest()


def _groups_of(
    group_rows: Sequence[int], n_rows: int
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield runs of consecutive row groups that hold `n_rows` rows, or one larger group.

    Each item is the number of the first group and the edges: the first row of each group
    in the file, and one past the last row.
    """
    first_group, edges = 0, [0]
    for group, length in enumerate(group_rows):
        edges.append(edges[-1] + length)
        if group == len(group_rows) - 1 or edges[-1] - edges[0] >= n_rows:
            yield first_group, tuple(edges)
            first_group, edges = group + 1, edges[-1:]


def _refuse_kinds(files: Sequence[_File], columns: Columns, raw: dict[str, str]) -> None:
    """Raise if a file lacks a column, or a column has an unsuitable type."""
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
    """Return the kind of a pyarrow type: one of NUMBERS, "text", or its own name."""
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
    matches = (name for name, is_one in tests.items() if any(test(kind) for test in is_one))
    return next(matches, str(kind))


@contextmanager
def _opened(
    fingerprint: fragments.FileFingerprint, as_dictionary: Collection[str] = ()
) -> Iterator[Any]:
    """Open the file for reading page by page, with some columns as dictionaries."""
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
            what = "one of its pages is damaged (wrong checksum)"
        remedy = "Write it again, or give another file."
        raise DatasetError(fingerprint.shown, what, remedy) from error


def _import_pyarrow(where: str) -> None:
    """Raise if pyarrow is not installed."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError as error:
        what = "it is Parquet, and pyarrow is not installed"
        remedy = f"Install it: {install_command('pyarrow')}"
        raise DatasetError(where, what, remedy) from error

"""The reader of separated values: a whole file, or a fragment of a large one.

pandas parses the text; pyarrow parses fragments if it is installed and would return the
same. If either fails, the csv module finds the line to blame.
"""

import csv
import hashlib
import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO, StringIO
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.errors import ParserError, ParserWarning

from gnbbench.data import fragments, separated
from gnbbench.data.arrow import columns_of_text, is_plainly_quoted
from gnbbench.data.columns import ColumnRequest, Columns, columns_of, refuse_types
from gnbbench.data.parts import StreamFile, headers_of
from gnbbench.data.samples import IS_EXACT, MISSING_MARKERS, numbers_of, text_columns
from gnbbench.data.sources import ErrorContext, quoted
from gnbbench.errors import DatasetError

MISSING_MARKER = "?"
_EXACTLY: Any = {} if IS_EXACT else {"float_precision": "round_trip"}


@dataclass(frozen=True, eq=False)
class TextTable:
    """The text of a file or fragment, and how it is split into columns."""

    header: separated.Header
    text: str = field(repr=False)
    first_line: int = 1  # Number of the line on which the text starts in the file
    is_fragment: bool = False  # Whether it belongs to a stream

    @property
    def source(self) -> ErrorContext:
        """The locations of its rows: lines, as an editor counts them, or indices."""
        place = self._line if self.header.is_file else "row {}".format
        has_one_hot = not self.is_fragment
        return ErrorContext(
            self.header.where, place, has_options=True, has_one_hot=has_one_hot
        )

    def _line(self, row: int) -> str:
        position = row + self._has_header
        return f"line {next(islice(self._records(), position, None))[0]}"

    @property
    def _has_header(self) -> bool:
        return self.header.is_first_record and self.first_line == 1

    def rows_text(self) -> str:
        """Return the text below the header."""
        if not self._has_header:
            return self.text
        following = next(islice(self._records(), 1, None), None)
        if following is None:
            return ""
        return self.text[separated.start_of_line(self.text, following[0]) :]

    def rows(self, *text_columns: str) -> pd.DataFrame:
        """Parse the rows below the header, with `text_columns` as text."""
        try:
            frame = self._parse(text_columns)
        except (ParserError, ParserWarning, csv.Error) as error:
            what = f"a quote opened in line {self._refuse_ragged()} is not closed"
            raise DatasetError(self.header.where, what, "Close it.") from error
        if frame.iloc[:, -1].isna().any():
            self._refuse_ragged()
        if frame.empty:
            what = "no rows under the header"
            raise DatasetError(self.header.where, what, "Add rows.")
        return frame

    def _parse(self, text_columns: Sequence[str]) -> pd.DataFrame:
        newline = None if "\r" in self.text else ""
        with warnings.catch_warnings():
            warnings.simplefilter("error", ParserWarning)
            frame: pd.DataFrame = pd.read_csv(
                StringIO(self.rows_text(), newline=newline),
                sep=self.header.separator,
                header=None,
                names=list(self.header.names),
                index_col=False,
                dtype=dict.fromkeys(text_columns, "str"),
                na_values=[MISSING_MARKER],
                skipinitialspace=True,
                low_memory=False,
                **_EXACTLY,
            )
        return frame

    def _records(self) -> Iterator[tuple[int, list[str]]]:
        """Yield each record with the number of its first line in the file."""
        number = self.first_line - 1
        try:
            for line, record in separated.records(self.text, self.header.separator):
                number = line + self.first_line - 1
                yield number, record
        except csv.Error as error:
            place = f"after line {number}"
            raise separated.uncut(self.header.where, self.text, error, place) from error

    def _refuse_ragged(self) -> int:
        """Raise at the first record whose length differs from the header's.

        If there is none, return the first line of the last record.
        """
        number, width = self.first_line - 1, len(self.header.names)
        for number, record in self._records():
            if len(record) != width:
                cut = quoted(self.header.separator)
                what = (
                    f"line {number} has {len(record)} values, the first line {width} "
                    f"(separator {cut})"
                )
                remedy = "Correct that line, or give --sep."
                raise DatasetError(self.header.where, what, remedy)
        return number


def label_texts(rows: pd.DataFrame, target: str) -> tuple[pd.Series, pd.Series]:
    """Return stripped labels and a mask of the missing ones."""
    labels = rows[target].str.strip()
    return labels, labels.isna() | labels.isin(MISSING_MARKERS)


@dataclass(frozen=True)
class TextReader:
    """Consecutive records of a file: a `gnbbench.data.fragments.Reader`."""

    fingerprint: fragments.FileFingerprint
    part: StreamFile  # The file among those of the stream
    header: separated.Header = field(repr=False)
    columns: Columns = field(repr=False)  # The columns to read
    truths: frozenset[str] = field(repr=False)  # Boolean features
    offset: int  # Of the first record in the file
    n_bytes: int
    first_line: int  # Number of its first line

    def place(self, row: int) -> str:
        """Return the row's line, as an editor counts it."""
        return f"{self.part.shown}{self._table().source.place(row)}"

    def raw_batches(
        self, block_rows: int, *, labels_only: bool
    ) -> Iterator[fragments.RawBatch]:
        """Yield its rows in order, at most `block_rows` at once."""
        self.fingerprint.refuse_changed()
        table = self._table()
        self.fingerprint.refuse_changed()
        if not table.text or table.text.isspace():
            return
        features = () if labels_only else self.columns.features
        target, read = self.columns.target, None
        if not self.truths:
            options = {"levels": {} if labels_only else self.columns.levels}
            text, options["keys"] = table.rows_text(), self.keys
            read = columns_of_text(text, self.header, features, target, **options)
        X, values, indices = read or self._by_pandas(table, features)
        for start in range(0, len(X), block_rows):
            rows = slice(start, start + block_rows)
            yield fragments.RawBatch(start, list(values), indices[rows], X[rows])

    @property
    def keys(self) -> dict[str, Any]:
        """Columns from directory names; the target and one-hot encoded ones as text."""
        texts = {self.columns.target, *self.columns.levels}
        keys = self.part.keys.items()
        return {n: str(v) if n in texts and v is not None else v for n, v in keys}

    def _by_pandas(
        self, table: TextTable, features: Sequence[str]
    ) -> fragments.ColumnsRead:
        keys, levels, target = self.keys, self.columns.levels, self.columns.target
        rows = table.rows(*{target} - set(keys))

        def text(name: str) -> tuple[list[Any], NDArray[np.intp]]:
            labels, missing = label_texts(rows.astype({name: "str"}), name)
            indices, values = pd.factorize(labels.mask(missing))
            return list(values), indices

        plain = [name for name in features if name not in levels and name not in keys]
        for name in plain:
            self._refuse_other_kind(rows[name], table.source)
        of_file = numbers_of(rows[plain], table.source)
        return fragments.read_columns(
            len(rows),
            features,
            target,
            numbers=lambda name: of_file[:, plain.index(name)],
            texts=text,
            levels=levels,
            keys=keys,
            where=self.header.where,
        )

    def _refuse_other_kind(self, column: pd.Series, context: ErrorContext) -> None:
        """Raise if a numeric column contains true or false, or vice versa."""
        is_truth = _is_truth(column)
        is_text = not is_truth and not pd.api.types.is_numeric_dtype(column)
        is_same = is_truth == (column.name in self.truths)
        if is_same or is_text or column.isna().all():
            return
        place = context.place(int(np.flatnonzero(column.notna())[0]))
        mixed = f"column {quoted(column.name)} mixes numbers with true and false"
        remedy = "Write 1 and 0 for true and false."
        raise DatasetError(context.where, f"{mixed}, in {place} too", remedy)

    def _table(self) -> TextTable:
        shown = Path(self.fingerprint.shown)
        try:
            if separated.packer_of(self.fingerprint.path):
                content = _ARCHIVE.read(self.fingerprint, self.offset, self.n_bytes)
            else:
                with self.fingerprint.path.open("rb") as file:
                    content = _read(file, self.n_bytes, shown, self.offset)
        except OSError as error:
            raise separated.unreadable(shown, error) from error
        text = separated.decoded(shown, content, self.first_line)
        return TextTable(self.header, text, self.first_line, is_fragment=True)


class _LastArchive:
    """The compressed file read last, kept open, since seeking back unpacks again."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._fingerprint: fragments.FileFingerprint | None = None
        self._file: BinaryIO = BytesIO()
        self._at = 0

    def read(
        self, fingerprint: fragments.FileFingerprint, offset: int, n_bytes: int
    ) -> bytes:
        """Read bytes of the unpacked content."""
        with self._lock:
            shown = Path(fingerprint.shown)
            if fingerprint != self._fingerprint or offset < self._at:
                self._file.close()
                self._file, self._at = separated.open_bytes(fingerprint.path), 0
                self._fingerprint = fingerprint
            while self._at < offset:
                skipped = _read(
                    self._file, min(offset - self._at, separated.FRAGMENT_BYTES), shown
                )
                if not skipped:
                    break
                self._at += len(skipped)
            content = _read(self._file, n_bytes, shown)
            self._at += len(content)
            return content


_ARCHIVE = _LastArchive()


def _read(file: BinaryIO, n_bytes: int, shown: Path, offset: int | None = None) -> bytes:
    """Read the next bytes of a file, or those at an offset."""
    try:
        if offset is not None:
            file.seek(offset)
        return file.read(n_bytes)
    except separated.READ_ERRORS as error:
        raise separated.unreadable(shown, error) from error


def open_text(
    parts: Sequence[StreamFile],
    where: str,
    request: ColumnRequest,
    fragment_bytes: int = separated.FRAGMENT_BYTES,
) -> fragments.Opened:
    """Open files of separated values.

    Separator, header, target and columns follow the rules for whole files, applied to the
    first records of the first file. Once the readers are exhausted, the digest covers all
    bytes and, if there are several files, their sizes and keys.
    """
    fingerprints = [fragments.FileFingerprint.of(part.path) for part in parts]
    how: Any = {"header": request.header, "n_bytes": fragment_bytes}
    cuts = headers_of(parts, request.separator, **how)
    first, cut = parts[0], cuts[0]  # A column of the files comes before a directory's
    keys = {name: value for name, value in first.keys.items() if name not in cut.names}
    parts = [replace(part, keys={n: part.keys[n] for n in keys}) for part in parts]
    header = replace(cut, where=where, names=(*cut.names, *keys))
    columns, one_hot = columns_of(header, request), request.one_hot
    _, _, content = next(_pieces(first.path, cut.separator, fragment_bytes))
    table = TextTable(cut, separated.decoded(first.path, content), is_fragment=True)
    reader = TextReader(fingerprints[0], parts[0], cut, columns, frozenset(), 0, 0, 1)
    of_text = [name for name in keys if isinstance(keys[name], str)]
    texts = [name for name in columns.features if name in of_text] if one_hot else []
    features = [name for name in columns.features if name not in texts]
    refuse_types(where, {name: "text" for name in features if name in of_text})
    text, target_name = table.rows_text(), columns.target
    if columns_of_text(text, cut, features, target_name, keys=reader.keys) is None:
        rows = table.rows(*{columns.target} - set(keys))
        in_file = [name for name in features if name not in keys]
        reader = replace(reader, truths=frozenset(n for n in in_file if _is_truth(rows[n])))
        texts += text_columns(rows[in_file]) if one_hot else ()
    ordered = tuple(name for name in columns.features if name in texts)
    reader = replace(reader, columns=replace(columns, texts=ordered))
    digest = hashlib.sha256()

    def readers() -> Iterator[TextReader]:
        for part, file_header, file in zip(parts, cuts, fingerprints, strict=True):
            if len(parts) > 1 or keys:
                digest.update(repr((file.n_bytes, dict(part.keys))).encode())
            of_file = replace(reader, fingerprint=file, part=part, header=file_header)
            for offset, first_line, piece in _pieces(
                part.path, file_header.separator, fragment_bytes, digest
            ):
                n_bytes = len(piece)
                yield replace(
                    of_file, offset=offset, n_bytes=n_bytes, first_line=first_line
                )

    return fragments.Opened(reader.columns, readers(), digest, fingerprints)


def _pieces(
    path: Path, separator: str, n_bytes: int, digest: Any = None
) -> Iterator[tuple[int, int, bytes]]:
    """Yield pieces of complete records, about `n_bytes` each, with offset and line."""
    offset, first_line, rest = 0, 1, b""
    longest = separated.most_bytes()[1]
    with separated.open_bytes(path) as file:
        while content := rest + (more := _read(file, n_bytes, path)):
            if digest is not None:
                digest.update(more)
            cut = len(content)
            if len(more) == n_bytes:
                cut = _end_of_records(content, path, separator, first_line)
                if not offset and not separated.has_two_lines(content[:cut]):
                    cut = 0
            rest = content[cut:]
            if cut:
                yield offset, first_line, content[:cut]
                first_line += _count_lines(content[:cut])
                offset += cut
            separated.refuse_bomb(path, offset)
            if len(rest) > longest:
                whole = b"" if b'"' in rest else rest[: separated.end_of_lines(rest)]
                raise separated.too_long(path, first_line + _count_lines(whole))


def _end_of_records(content: bytes, path: Path, separator: str, first_line: int) -> int:
    """Return where the last certainly complete record ends; 0 if there is none."""
    end = separated.end_of_lines(content)
    if b'"' not in content:
        return end
    if is_plainly_quoted(content[:end], separator):
        return _start_of_last_record(content[:end])
    text = separated.decoded(path, content[:end], first_line)
    try:
        last = deque(separated.records(text, separator), maxlen=1)
    except csv.Error:
        return end
    if not last:
        return end
    start = separated.start_of_line(text, last[0][0])
    return end - len(text[start:].encode()) if start else 0


def _start_of_last_record(content: bytes) -> int:
    """Return where the last record starts if quotation marks come in pairs."""
    start = len(content)
    while start:
        start = content.rfind(b"\n", 0, start - 1) + 1
        record = content[start:]
        if record.strip() and record.count(b'"') % 2 == 0:
            break
    return start


def _count_lines(content: bytes) -> int:
    n_lines = content.count(b"\n")
    if b"\r" in content:
        n_lines += content.count(b"\r") - content.count(b"\r\n")
    return n_lines


def _is_truth(column: pd.Series) -> bool:
    """Return whether a column holds only true, false and missing values."""
    if column.dtype != object:
        return bool(column.dtype == bool)
    return all(isinstance(value, bool) for value in column.dropna())

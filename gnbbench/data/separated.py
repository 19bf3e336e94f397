"""Files of separated values, read piece by piece; each piece is cut as a whole file is."""

import csv
import hashlib
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gnbbench.data.chunks import Chunk
from gnbbench.data.features import MISSING_MARKERS, numbers_of
from gnbbench.data.labels import labels_from_text
from gnbbench.data.looks import Look, block_length, first_look
from gnbbench.data.marks import FileMark, mark_of
from gnbbench.data.separators import LINE, records, separator_of
from gnbbench.data.sources import one_line, quoted
from gnbbench.data.stream_columns import columns_of
from gnbbench.data.tables import Table, table_of
from gnbbench.data.texts import decoded, unreadable
from gnbbench.errors import DatasetError

# Of text; a piece takes some ten times as much memory while it becomes numbers.
PIECE_BYTES = 2**23


def look_at_text(
    path: Path,
    *,
    target: str | None,
    drop: Sequence[str],
    separator: str | None,
    header: bool | None,
    missing: str,
    block_rows: int | None,
    piece_bytes: int = PIECE_BYTES,
) -> tuple[Look, str]:
    """Return the first look at a file of separated values, and a digest of its bytes.

    Separator, header, target and columns follow the rules of
    `gnbbench.data.files.load_file`, which look at the first records alone. The
    digest is taken of all bytes, since the first look reads them in any case.
    """
    mark = mark_of(path)
    used = separator_of(_head(path, piece_bytes), separator)
    first = next(_pieces(path, used, piece_bytes))
    text = decoded(path, first.content)
    if not text.strip():
        remedy = "Give one with a header and rows."
        raise DatasetError(one_line(path), "the file is empty", remedy)
    table = table_of(one_line(path), text, used, header=header)
    columns = columns_of(table, target, drop, missing)
    reading = Reading(replace(table, text=""), columns.features, columns.target)
    body = reading.table_of(text, first_line=1).body(columns.target)
    truths = frozenset(name for name in columns.features if _is_truth(body[name]))
    reading = replace(reading, truths=truths)
    del text, first, body
    digest = hashlib.sha256()
    stretches = (
        TextRows(mark, reading, piece.offset, len(piece.content), piece.first_line)
        for piece in _pieces(path, used, piece_bytes, digest)
    )
    rows = block_rows or block_length(len(columns.features))
    look = first_look(stretches, columns, labels_from_text, rows)
    return look, digest.hexdigest()


@dataclass(frozen=True)
class Reading:
    """How a piece of the file is cut, and what is read of it."""

    table: Table  # How the file is cut; without text
    features: tuple[str, ...]  # Names of the features
    target: str  # Column of the labels
    truths: frozenset[str] = frozenset()  # Features that hold true and false

    def table_of(self, text: str, first_line: int) -> Table:
        """Return the table of a piece; only the first piece has a header."""
        header = self.table.header and first_line == 1
        table = replace(self.table, text=text, header=header, first_line=first_line)
        return _PieceTable(
            **{each.name: getattr(table, each.name) for each in fields(table)}
        )


@dataclass(frozen=True)
class TextRows:
    """Consecutive records of the file: a Stretch."""

    mark: FileMark  # The file as it was looked at first
    reading: Reading = field(repr=False)  # How it is cut
    offset: int  # Where the piece starts in the file, and how long it is
    n_bytes: int  # Where the piece starts in the file, and how long it is
    first_line: int  # Number of the line it starts with

    def place(self, row: int) -> str:
        """Return the row's line, as an editor counts it."""
        return self._table().place(row)

    def chunks(self, block_rows: int, *, labels_only: bool) -> Iterator[Chunk]:
        """Yield its rows in order, no more than that many at once."""
        reading = self.reading
        self.mark.refuse_changed()
        table = self._table()
        self.mark.refuse_changed()
        if not table.text.strip():
            return
        body = table.body(reading.target)
        labels = body[reading.target].str.strip()
        missing = labels.isna() | labels.isin(MISSING_MARKERS)
        indices, values = pd.factorize(labels.mask(missing))
        X = np.empty((len(body), 0))
        if not labels_only:
            features = body[list(reading.features)]
            self._refuse_other_kinds(features, table)
            X = numbers_of(features, table)
        del body, labels
        for start in range(0, len(X), block_rows):
            rows = slice(start, start + block_rows)
            yield Chunk(start, list(values), indices[rows], X[rows])

    def _table(self) -> Table:
        try:
            with self.mark.path.open("rb") as file:
                file.seek(self.offset)
                content = file.read(self.n_bytes)
        except OSError as error:
            raise unreadable(Path(self.mark.shown), error) from error
        text = decoded(Path(self.mark.shown), content, self.first_line)
        return self.reading.table_of(text, self.first_line)

    def _refuse_other_kinds(self, features: pd.DataFrame, table: Table) -> None:
        """Raise if true and false stand where numbers stood first, or vice versa."""
        for name in self.reading.features:
            column, was_truth = features[name], name in self.reading.truths
            is_truth = _is_truth(column)
            is_text = not is_truth and not pd.api.types.is_numeric_dtype(column)
            if is_truth == was_truth or is_text or column.isna().all():
                continue
            place = table.place(int(np.flatnonzero(column.notna())[0]))
            what = (
                f"column {quoted(name)} mixes numbers with true and false, in {place} too"
            )
            raise DatasetError(table.where, what, "Write 1 and 0 for true and false.")


class _PieceTable(Table):
    """A piece of a file whose text cannot be encoded."""

    def encode_text(self) -> str:
        """Return that the numbers must stand in the file."""
        return "Encode it as numbers."

    def encode_or_leave_out(self, columns: Sequence[str]) -> str:
        """Return the options that drop these columns."""
        return self.leave_out_columns(columns)


@dataclass(frozen=True, slots=True)
class _Piece:
    """Whole records of a file."""

    offset: int
    first_line: int
    content: bytes


def _head(path: Path, n_bytes: int) -> str:
    """Return the first lines of the file, two of them at least if there are."""
    try:
        with path.open("rb") as file:
            content = file.read(n_bytes)
            while not _has_two_lines(content) and (more := file.read(n_bytes)):
                content += more
            cut = _end_of_lines(content) if file.read(1) else len(content)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    return decoded(path, content[:cut])


def _pieces(
    path: Path, separator: str, n_bytes: int, digest: Any = None
) -> Iterator[_Piece]:
    """Yield the file in pieces of about that many bytes, each of whole records."""
    offset, first_line, rest = 0, 1, b""
    with path.open("rb") as file:
        while content := rest + (more := file.read(n_bytes)):
            if digest is not None:
                digest.update(more)
            cut = len(content)
            if len(more) == n_bytes:
                cut = _end_of_records(content, path, separator, first_line)
                if not offset and not _has_two_lines(content[:cut]):
                    cut = 0
            rest = content[cut:]
            if cut:
                yield _Piece(offset, first_line, content[:cut])
                first_line += _count_lines(content[:cut])
                offset += cut
    if not offset:
        yield _Piece(0, 1, b"")


def _end_of_records(content: bytes, path: Path, separator: str, first_line: int) -> int:
    """Return where the last record that is surely whole ends; 0 if there is none."""
    end = _end_of_lines(content)
    if b'"' not in content:
        return end
    text = decoded(path, content[:end], first_line)
    try:
        last = deque(records(text, separator), maxlen=1)
    except csv.Error:
        return end
    if not last:
        return end
    start = next(islice(LINE.finditer(text), last[0][0] - 1, None)).start()
    return end - len(text[start:].encode()) if start else 0


def _end_of_lines(content: bytes) -> int:
    r"""Return where the last whole line ends; a lone \r ends lines where no \n does."""
    return content.rfind(b"\n") + 1 or content.rfind(b"\r", 0, -1) + 1


def _count_lines(content: bytes) -> int:
    n_lines = content.count(b"\n")
    if b"\r" in content:
        n_lines += content.count(b"\r") - content.count(b"\r\n")
    return n_lines


def _has_two_lines(content: bytes) -> bool:
    stripped = content.strip()
    return b"\n" in stripped or b"\r" in stripped


def _is_truth(column: pd.Series) -> bool:
    """Tell whether a column holds true and false, and nothing else but gaps."""
    if column.dtype != object:
        return bool(column.dtype == bool)
    return all(isinstance(value, bool) for value in column.dropna())

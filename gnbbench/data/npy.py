"""Arrays in .npy files, copied block by block out of a memory map."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gnbbench.data.chunks import Chunk
from gnbbench.data.looks import Look, block_length, first_look
from gnbbench.data.marks import FileMark, mark_of
from gnbbench.data.sources import listed, one_line
from gnbbench.data.stream_columns import Columns, columns_of, named_columns
from gnbbench.data.tallies import labels_from_values
from gnbbench.data.texts import unreadable
from gnbbench.errors import DatasetError, OptionError

MAGIC = b"\x93NUMPY"
SUFFIX = ".npy"
# A map is closed after so many blocks, so that its pages do not add up in memory.
BLOCKS_A_PART = 8
N_SAMPLES, SAMPLE_BYTES = 16, 2**16
COLUMN_NUMBER = re.compile(r"\s*-?[0-9]+\s*")


def look_at_npy(
    path: Path,
    *,
    target: str | None,
    drop: Sequence[str],
    missing: str,
    block_rows: int | None,
) -> tuple[Look, str]:
    """Return the first look at an array of two dimensions, and a digest.

    Its columns are called x0, x1, … by their position, as those of any array are. A
    target that ends in ``.npy`` is the path of a second array, of one dimension, with
    the labels. Any other is a column, by its name or by its number from 0 (-1 is the
    last). Columns to leave out are given in the same way.

    The digest is taken of size, shape, dtype and order of the array, and of 16 pieces of
    64 KiB spread evenly over its file; the labels, all of them, are in the look's own
    digest. A value changed between two pieces goes unnoticed by it.
    """
    where = one_line(path)
    mark, array = mark_of(path), _mapped(path)
    _refuse_no_matrix(where, array)
    n_rows, n_columns = array.shape
    names = [f"x{position}" for position in range(n_columns)]
    label_path = None
    if target is not None and target.strip().endswith(SUFFIX):
        label_path = Path(target)
        columns = _all_but(where, names, label_path, _names(drop, n_columns), missing)
        _refuse_no_labels(label_path, where, n_rows)
    elif target is None:
        what = f"not given, and {where} does not say where the labels are"
        remedy = f"Give their file: --target y.npy. Or one of its columns: {listed(names)}"
        raise OptionError("--target", what, remedy)
    else:
        table = named_columns(where, names)
        wanted = _names([target], n_columns)[0]
        columns = columns_of(table, wanted, _names(drop, n_columns), missing)
    rows = block_rows or block_length(len(columns.features))
    reading = Reading(
        mark,
        None if label_path is None else mark_of(label_path),
        None if label_path is not None else names.index(columns.target),
        tuple(map(names.index, columns.features)),
        "float32" if array.dtype.newbyteorder("=") == np.float32 else "float64",
    )
    edges = range(0, n_rows, rows * BLOCKS_A_PART)
    stretches = [
        ArrayRows(reading, start, min(start + rows * BLOCKS_A_PART, n_rows))
        for start in edges
    ]
    header = (mark.n_bytes, array.shape, array.dtype.str, array.flags.f_contiguous)
    del array
    look = first_look(stretches, columns, labels_from_values, rows)
    digest = hashlib.sha256(repr(("npy", *header)).encode())
    _add_samples(digest, mark)
    return look, digest.hexdigest()


@dataclass(frozen=True)
class Reading:
    """Which columns of which arrays are read."""

    features_mark: FileMark  # The array as it was looked at first
    labels_mark: FileMark | None  # The array of the labels, if it is another one
    target: int | None  # Position of the labels' column, if it is the same one
    features: tuple[int, ...]  # Positions of the features
    dtype: str  # Of the features in blocks


@dataclass(frozen=True)
class ArrayRows:
    """Consecutive rows of an array: a Stretch."""

    reading: Reading = field(repr=False)  # What is read
    first: int  # Its first row, and the row after its last
    last: int  # Its first row, and the row after its last

    def place(self, row: int) -> str:
        """Return the row's index, counted from 0."""
        return f"row {self.first + row}"

    def chunks(self, block_rows: int, *, labels_only: bool) -> Iterator[Chunk]:
        """Yield copies of its rows in order, no more than that many at once."""
        reading = self.reading
        self._refuse_changed()
        features = _mapped(reading.features_mark.path)
        if reading.labels_mark is not None:
            labels = _mapped(reading.labels_mark.path).reshape(-1)
        else:
            labels = features[:, reading.target]
        width = 0 if labels_only else len(reading.features)
        for start in range(self.first, self.last, block_rows):
            rows = slice(start, min(start + block_rows, self.last))
            values, indices = _labels(labels[rows])
            X = np.empty((len(indices), width), dtype=reading.dtype)
            if width == features.shape[1]:
                X[:] = features[rows]
            elif width:
                X[:] = features[rows][:, reading.features]
            yield Chunk(start - self.first, values, indices, X)
        del features, labels
        self._refuse_changed()

    def _refuse_changed(self) -> None:
        self.reading.features_mark.refuse_changed()
        if self.reading.labels_mark is not None:
            self.reading.labels_mark.refuse_changed()


def _mapped(path: Path) -> NDArray[Any]:
    """Return the array of a file without reading its values."""
    try:
        array: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except OSError as error:
        raise unreadable(path, error) from error
    except (ValueError, EOFError) as error:
        what = f"it is no array that can be mapped ({one_line(error)[:160]})"
        raise DatasetError(one_line(path), what, "Write it anew by numpy.save.") from error
    if not isinstance(array, np.ndarray):
        what = "it is an archive of arrays"
        raise DatasetError(one_line(path), what, "Save one array by numpy.save.")
    return array


def _refuse_no_matrix(where: str, array: NDArray[Any]) -> None:
    if array.ndim != 2:
        what = f"it has {array.ndim} dimension{'s' * (array.ndim != 1)}, not 2"
        raise DatasetError(where, what, "Give one row per sample: X.reshape(-1, 1)?")
    if 0 in array.shape:
        what = f"it has {array.shape[0]} rows and {array.shape[1]} columns"
        raise DatasetError(where, what, "Give at least one of each.")
    if array.dtype.kind not in "biuf":
        what = f"it holds {array.dtype}, not numbers"
        raise DatasetError(where, what, "Encode as numbers, and save them as an array.")


def _refuse_no_labels(path: Path, where: str, n_rows: int) -> None:
    labels = _mapped(path)
    if labels.shape not in {(n_rows,), (n_rows, 1)}:
        what = f"it has shape {labels.shape}, and {where} has {n_rows} rows"
        raise DatasetError(one_line(path), what, "Give one label per row.")
    if labels.dtype.kind not in "biufUS":
        what = f"labels of dtype {labels.dtype} cannot serve"
        raise DatasetError(one_line(path), what, "Give integers, booleans or text.")


def _all_but(
    where: str, names: Sequence[str], labels: Path, drop: Sequence[str], missing: str
) -> Columns:
    """Return all columns but the dropped as features; the labels are another file's."""
    table = named_columns(where, [*names, str(labels)])
    return columns_of(table, str(labels), drop, missing)


def _names(columns: Sequence[str], n_columns: int) -> list[str]:
    """Return the names of columns that may be given by their numbers."""
    names = []
    for column in columns:
        if not COLUMN_NUMBER.fullmatch(column):
            names.append(column)
            continue
        number = int(column)
        if not -n_columns <= number < n_columns:
            what = f"there is no column {number}"
            remedy = f"Columns are numbered from 0 to {n_columns - 1}."
            raise OptionError("--target or --drop", what, remedy)
        names.append(f"x{number % n_columns}")
    return names


def _labels(column: NDArray[Any]) -> tuple[list[Any], NDArray[np.intp]]:
    """Return distinct values, and each row's position among them, -1 where missing."""
    plain = np.array(column)
    if plain.dtype.kind == "S":
        plain = plain.astype(np.str_)
    if plain.dtype.kind == "U":
        plain = plain.astype(object)
    if plain.dtype.kind == "f":
        plain = plain.astype(np.float64)
    plain = plain.astype(plain.dtype.newbyteorder("="), copy=False)
    indices, values = pd.factorize(plain)
    return values.tolist(), indices


def _add_samples(digest: Any, mark: FileMark) -> None:
    """Add evenly spread pieces of a file to a digest; all of a small one."""
    with mark.path.open("rb") as file:
        last = max(0, mark.n_bytes - SAMPLE_BYTES)
        for number in range(N_SAMPLES):
            file.seek(last * number // (N_SAMPLES - 1))
            digest.update(file.read(SAMPLE_BYTES))

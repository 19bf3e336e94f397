"""Arrays in .npy files, copied batch by batch from a memory map."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gnbbench.arrays import Array
from gnbbench.data.columns import ColumnRequest, columns_of
from gnbbench.data.fragments import FileFingerprint, Opened, RawBatch, batch_length
from gnbbench.data.separated import named_columns, refuse_holes, unreadable
from gnbbench.data.sources import listed, one_line
from gnbbench.errors import DatasetError, OptionError
from gnbbench.words import plural

SUFFIX = ".npy"
# A memory map is closed after this many batches, so that its pages do not fill memory.
BATCHES_A_FRAGMENT = 8
MOST_COLUMNS = 1_000_000
N_SAMPLES, SAMPLE_BYTES = 16, 2**16
COLUMN_NUMBER = re.compile(r"\s*-?[0-9]+\s*")


def open_npy(path: Path, request: ColumnRequest, block_rows: int | None) -> Opened:
    """Open a two-dimensional array.

    Its columns are named x0, x1, … by position. A target that ends in ``.npy`` is the path
    of a one-dimensional array of labels; any other is a column, by name or number from 0
    (-1 is the last). So are the columns to leave out.

    The digest covers size, shape, dtype and order of the array, 16 evenly spread pieces of
    64 KiB, and all labels. A change between the pieces goes unnoticed.
    """
    where = one_line(path)
    fingerprint, array = FileFingerprint.of(path), _mapped(path)
    refuse_holes(path, fingerprint.n_bytes)
    _refuse_no_matrix(where, array)
    n_rows, n_columns = array.shape
    names = [f"x{position}" for position in range(n_columns)]
    request, target = replace(request, drop=_names(request.drop, n_columns)), request.target
    if target is None:
        what = f"not given, and {where} does not say where the labels are"
        remedy = f"Give their file: --target y.npy. Or one of its columns: {listed(names)}"
        raise OptionError("--target", what, remedy)
    files, column = [fingerprint], None
    if target.strip().endswith(SUFFIX):
        # The labels are in another file, and all columns not dropped are features.
        label_path = Path(target)
        header = named_columns(where, [*names, str(label_path)])
        columns = columns_of(header, replace(request, target=str(label_path)))
        _refuse_no_labels(label_path, where, n_rows)
        files.append(FileFingerprint.of(label_path))
    else:
        request = replace(request, target=_names([target], n_columns)[0])
        columns = columns_of(named_columns(where, names), request)
        column = names.index(columns.target)
    places = {name: place for place, name in enumerate(names)}
    positions = tuple(places[name] for name in columns.features)
    dtype = "float32" if array.dtype.newbyteorder("=") == np.float32 else "float64"
    length = (block_rows or batch_length(len(positions))) * BATCHES_A_FRAGMENT
    edges = [*range(0, n_rows, length), n_rows]
    readers = [
        ArrayReader(tuple(files), column, positions, dtype, first, stop)
        for first, stop in pairwise(edges)
    ]
    shape = (fingerprint.n_bytes, array.shape, array.dtype.str, array.flags.f_contiguous)
    digest = hashlib.sha256(repr(("npy", *shape)).encode())
    _add_samples(digest, fingerprint)
    return Opened(columns, readers, digest, files)


@dataclass(frozen=True)
class ArrayReader:
    """Consecutive rows of an array: a `gnbbench.data.fragments.Reader`."""

    # Of the array, and of the label array if there is one
    fingerprints: tuple[FileFingerprint, ...]
    target: int | None  # Position of the label column, None for a separate array
    features: tuple[int, ...] = field(repr=False)  # Positions of the features
    dtype: str  # Of the features in batches
    first: int  # Its first row
    stop: int  # One past its last row

    def place(self, row: int) -> str:
        """Return the row's index, counted from 0."""
        return f"row {self.first + row}"

    def raw_batches(self, block_rows: int, *, labels_only: bool) -> Iterator[RawBatch]:
        """Yield copies of its rows in order, at most `block_rows` at once."""
        self._refuse_changed()
        features, *label_arrays = (_mapped(file.path) for file in self.fingerprints)
        labels = label_arrays[0].reshape(-1) if label_arrays else features[:, self.target]
        width = 0 if labels_only else len(self.features)
        for start in range(self.first, self.stop, block_rows):
            rows = slice(start, min(start + block_rows, self.stop))
            values, indices = _labels(labels[rows])
            X = np.empty((len(indices), width), dtype=self.dtype)
            if width == features.shape[1]:
                X[:] = features[rows]
            elif width:
                X[:] = features[rows][:, self.features]
            yield RawBatch(start - self.first, values, indices, X)
        del features, labels, label_arrays
        self._refuse_changed()

    def _refuse_changed(self) -> None:
        for fingerprint in self.fingerprints:
            fingerprint.refuse_changed()


def _mapped(path: Path) -> Array:
    """Memory-map the array in a file."""
    try:
        array: Array = np.load(path, mmap_mode="r", allow_pickle=False)
    except OSError as error:
        raise unreadable(path, error) from error
    except (ValueError, TypeError, EOFError, OverflowError) as error:
        what = f"it is not an array that can be memory-mapped ({one_line(error)[:160]})"
        remedy = "Save it again with numpy.save."
        raise DatasetError(one_line(path), what, remedy) from error
    if not isinstance(array, np.ndarray):
        what = "it is an archive of arrays"
        raise DatasetError(one_line(path), what, "Save one array with numpy.save.")
    return array


def _refuse_no_matrix(where: str, array: Array) -> None:
    if array.ndim != 2:
        what = f"it has {plural(array.ndim, 'dimension')}, not 2"
        raise DatasetError(where, what, "Give one row per sample: X.reshape(-1, 1)?")
    if 0 in array.shape:
        what = f"it has {array.shape[0]} rows and {array.shape[1]} columns"
        raise DatasetError(where, what, "Give at least one of each.")
    if array.shape[1] > MOST_COLUMNS:
        what = f"it has {array.shape[1]:,} columns, more than {MOST_COLUMNS:,}"
        raise DatasetError(where, what, "Give one row per sample: X.T?")
    if array.dtype.kind not in "biuf":
        what = f"it holds {array.dtype}, not numbers"
        raise DatasetError(where, what, "Encode as numbers, and save them as an array.")


def _refuse_no_labels(path: Path, where: str, n_rows: int) -> None:
    labels = _mapped(path)
    if labels.shape not in {(n_rows,), (n_rows, 1)}:
        what = f"it has shape {labels.shape}, and {where} has {n_rows} rows"
        raise DatasetError(one_line(path), what, "Give one label per row.")
    if labels.dtype.kind not in "biufUS":
        what = f"labels of dtype {labels.dtype} cannot be used"
        raise DatasetError(one_line(path), what, "Give integers, booleans or text.")


def _names(columns: Sequence[str], n_columns: int) -> list[str]:
    """Return the names of columns given by name or number."""
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


def _labels(column: Array) -> tuple[list[Any], NDArray[np.intp]]:
    """Return the distinct values and each row's position among them, -1 if missing."""
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


def _add_samples(digest: Any, fingerprint: FileFingerprint) -> None:
    """Add evenly spread pieces of a file to a digest, or all of a small file."""
    with fingerprint.path.open("rb") as file:
        last = max(0, fingerprint.n_bytes - SAMPLE_BYTES)
        for number in range(N_SAMPLES):
            file.seek(last * number // (N_SAMPLES - 1))
            digest.update(file.read(SAMPLE_BYTES))

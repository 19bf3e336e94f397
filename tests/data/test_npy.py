import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from faults.streams import rows_of

from gnbbench.data.dataset import from_arrays
from gnbbench.data.stream import Stream, open_stream
from gnbbench.errors import DatasetError, GnbBenchError

X = np.random.default_rng(2).normal(size=(50, 4))
Y = np.arange(50) % 3


def look_at(path: Path, **options: Any) -> Stream:
    given = {"target": None, "drop": (), "missing": "error", "block_rows": 3}
    return open_stream(path, **{**given, **options})


def saved(folder: Path, X: Any, y: Any = None) -> tuple[Path, str]:
    np.save(folder / "X.npy", X)
    if isinstance(y, np.ndarray):
        np.save(folder / "y.npy", y)
    return folder / "X.npy", str(folder / "y.npy")


@pytest.mark.skipif(not hasattr(os, "SEEK_HOLE"), reason="the system names no holes")
def test_an_array_that_is_nearly_all_hole_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gnbbench.data.separated.DEFAULT_MIB", 1)
    monkeypatch.delenv("GNBBENCH_MAX_MIB", raising=False)
    X = np.ones((2**17, 8))
    path, y = saved(tmp_path, X, np.arange(len(X)) % 2)
    control = look_at(path, target=y, block_rows=None)
    n_bytes = path.stat().st_size

    with path.open("r+b") as file:
        file.truncate(4096)
        file.truncate(n_bytes)

    assert control.n_rows == len(X)
    with pytest.raises(DatasetError, match="fewer than 1 in 200 were ever written"):
        look_at(path, target=y, block_rows=None)


_SHAPE = b"{'descr': '<f8', 'fortran_order': False, 'shape': (-40, 3)}".ljust(117) + b"\n"
NEGATIVE = b"\x93NUMPY\x01\x00v\x00" + _SHAPE + bytes(100)


@pytest.mark.parametrize(
    "labels",
    [
        Y,
        Y.astype(np.uint8),
        Y.astype(">i4"),
        Y.astype(np.float32),
        Y.astype(np.float16),
        Y > 0,
        np.array(["b", "a", "ü"])[Y],
        np.array([b"b", b"a", b"c"])[Y],
        Y[:, None],
    ],
)
def test_labels_of_every_type_equal_those_of_arrays(tmp_path: Path, labels: Any) -> None:
    path, target = saved(tmp_path, X, labels)

    look = look_at(path, target=target)

    dataset = from_arrays(X, labels.ravel())
    assert look.classes.tolist() == dataset.classes.tolist()
    assert look.feature_names == dataset.feature_names
    assert np.array_equal(rows_of(look)[0], X)
    assert rows_of(look)[1] == dataset.codes.tolist()


@pytest.mark.parametrize(
    "array",
    [
        X,
        np.asfortranarray(X),
        X.astype(">f8"),
        X.astype(np.float32),
        X.astype(">f4"),
        X.astype(np.float16),
        (10 * X).astype(np.int64),
        X > 0,
    ],
)
def test_features_of_every_type_are_numbers(tmp_path: Path, array: Any) -> None:
    path, target = saved(tmp_path, array, Y)

    values, _ = rows_of(look_at(path, target=target))

    assert np.array_equal(values, array)
    assert values.dtype == (np.float32 if array.dtype.itemsize == 4 else np.float64)
    assert values.dtype.isnative


@pytest.mark.parametrize("target", ["2", "-3", "x2", " 2 "])
def test_a_column_is_a_number_or_a_name(tmp_path: Path, target: str) -> None:
    with_labels = np.column_stack([X[:, :2], Y, X[:, 2:]])
    path, _ = saved(tmp_path, with_labels)

    look = look_at(path, target=target, drop=["0", "x4"])

    assert look.feature_names == ("x1", "x3")
    assert look.parameters["target"] == "x2"
    assert look.parameters["drop"] == ["x0", "x4"]
    assert np.array_equal(rows_of(look)[0], with_labels[:, [1, 3]])
    assert rows_of(look)[1] == Y.tolist()


def test_rows_with_gaps_go_on_request(tmp_path: Path) -> None:
    gappy, labels = X.copy(), Y.astype(float)
    gappy[[0, 7, 7, 49], [0, 1, 2, 3]] = np.nan
    labels[20] = np.nan
    path, target = saved(tmp_path, gappy, labels)
    kept = np.delete(np.arange(50), [0, 7, 20, 49])

    look = look_at(path, target=target, missing="drop")

    assert np.array_equal(rows_of(look)[0], X[kept])
    assert rows_of(look)[1] == Y[kept].tolist()
    assert look.class_counts.tolist() == np.bincount(Y[kept]).tolist()


NO_TARGET = (
    "does not say where the labels are. Give their file: --target y.npy. "
    "Or one of its columns: 'x0', 'x1', 'x2', 'x3'"
)


@pytest.mark.parametrize(
    ("array", "labels", "message"),
    [
        (X[:, 0], Y, "it has 1 dimension, not 2"),
        (X[:0], Y, "it has 0 rows and 4 columns"),
        (np.zeros((2, 10**6 + 1), bool), Y, "it has 1,000,001 columns, more than"),
        (X.astype(complex), Y, "it holds complex128, not numbers"),
        (X.astype(object), "0", "it is not an array that can be memory-mapped"),
        (X, Y[:-1], "it has shape (49,), and "),
        (X, Y.astype("M8[D]"), "labels of dtype datetime64[D] cannot be used"),
        (X, Y + 0.5, "is continuous: 3 distinct numbers, first 0.5 in row 0"),
        (X, np.zeros(50), "only one class"),
        (X, np.where(Y == 2, np.nan, Y), "missing values, first in row 2, column"),
        (X, b"\x93NUMPY\x01", "it is not an array that can be memory-mapped"),
        (X, b"", "it is not an array that can be memory-mapped"),
        (X, NEGATIVE.replace(b"(-40, 3)} ", b"(5, True)}"), "(an integer is required)"),
        (X, NEGATIVE, "(memory mapped length must be positive)"),
        (X, "none.npy", "none.npy: there is no such file"),
        (X, "4", "there is no column 4. Columns are numbered from 0 to 3"),
        (X, "-5", "there is no column -5. Columns are numbered from 0 to 3"),
        (X, None, NO_TARGET),
    ],
)
def test_the_first_look_names_what_is_wrong(
    tmp_path: Path, array: Any, labels: Any, message: str
) -> None:
    path, target = saved(tmp_path, array, labels)
    if isinstance(labels, bytes):
        Path(target).write_bytes(labels)

    with pytest.raises(GnbBenchError) as refusal:
        look_at(path, target=target if isinstance(labels, np.ndarray | bytes) else labels)

    assert message in str(refusal.value)
    assert str(refusal.value).isprintable()


@pytest.mark.parametrize(
    ("fault", "words"), [(np.nan, "missing values"), (-np.inf, "values infinite")]
)
def test_reading_names_the_row(tmp_path: Path, fault: float, words: str) -> None:
    array = X.copy()
    array[41, 2] = fault
    path, target = saved(tmp_path, array, Y)

    with pytest.raises(DatasetError, match=f"{words}.*, first in row 41, column 'x2'"):
        rows_of(look_at(path, target=target))


def test_batches_are_copies_and_not_the_map(tmp_path: Path) -> None:
    path, target = saved(tmp_path, X, Y)

    batch = next(look_at(path, target=target).fragments[0].batches())

    assert batch.X.base is None
    assert batch.X.flags.writeable

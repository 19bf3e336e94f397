import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from faults.streams import rows_of

from gnbbench.data.dataset import from_arrays
from gnbbench.data.parts import files_of, keys_of
from gnbbench.data.stream import RowBatch, Stream, open_stream
from gnbbench.errors import DatasetError

pa = pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")
pq = pytest.importorskip("pyarrow.parquet")

DATES = pd.to_datetime(["2020-01-01", "2020-01-02"])


def write(path: Path, columns: dict[str, Any], group_rows: int = 2) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path, row_group_size=group_rows)
    return path


def look_at(path: Path, **options: Any) -> Stream:
    given = {"target": "y", "drop": (), "missing": "error", "block_rows": None}
    return open_stream(path, **{**given, **options})


def batches_of(look: Stream) -> list[RowBatch]:
    return [batch for fragment in look.fragments for batch in fragment.batches()]


@pytest.mark.parametrize(
    "labels",
    [
        [1, 0, 5, 1, 0],
        pa.array([1, 0, 5, 1, 0], pa.int8()),
        pa.array([2**63, 0, 5, 1, 0], pa.uint64()),
        ["b", "a", "c", "b", "ü"],
        pa.array(["b", "a", "c", "b", "ü"], pa.large_string()),
        pa.array(["b", "a", "c", "b", "ü"]).dictionary_encode(),
        pa.array([7, 3, 3, 7, 9]).dictionary_encode(),
        [True, False, True, True, False],
        [1.0, -3.0, 0.0, 1.0, 1.0],
        pa.array([1.0, -3.0, 0.0, 1.0, 1.0], pa.float32()),
        pa.array([Decimal("1.0"), Decimal("2.0"), Decimal("1.0")] * 2)[:5],
    ],
)
@pytest.mark.parametrize("block_rows", [1, 3, None])
def test_labels_of_every_type_equal_those_of_arrays(
    tmp_path: Path, labels: Any, block_rows: int | None
) -> None:
    path = write(tmp_path / "a.parquet", {"x": [0.5, 1, 2, 3, 4], "y": labels})

    look = look_at(path, block_rows=block_rows)

    values = labels if isinstance(labels, list) else labels.to_pylist()
    if isinstance(values[0], Decimal):
        values = [int(value) for value in values]
    as_array = None if isinstance(labels, list) else labels.type
    dataset = from_arrays(
        [[0]] * 5, np.array(values, np.uint64 if as_array == pa.uint64() else None)
    )
    assert look.classes.tolist() == dataset.classes.tolist()
    assert look.classes.dtype.kind == dataset.classes.dtype.kind
    assert rows_of(look)[1] == dataset.codes.tolist()
    assert look.class_counts.tolist() == np.bincount(dataset.codes).tolist()


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        ([1, 2, -3], [1, 2, -3]),
        ([True, False, True], [1, 0, 1]),
        (pa.array([0.1, 0.2, 0.3], pa.float32()), np.array([0.1, 0.2, 0.3], np.float32)),
        (pa.array(np.array([0.5, 1, 2], np.float16), pa.float16()), [0.5, 1, 2]),
        (pa.array([2**64 - 1, 0, 1], pa.uint64()), [2.0**64, 0, 1]),
        (pa.array([Decimal("1.25"), Decimal("0.00"), Decimal("-2.50")]), [1.25, 0, -2.5]),
        (pa.array([2.5, 1.5, 2.5]).dictionary_encode(), [2.5, 1.5, 2.5]),
    ],
)
def test_every_type_becomes_float64(tmp_path: Path, values: Any, numbers: Any) -> None:
    columns = {"x": [1.5, 2.5, 3.5], "z": values, "y": ["a", "b", "a"]}

    X, _ = rows_of(look_at(write(tmp_path / "a.parquet", columns)))

    assert X.dtype == np.float64
    assert X.tolist() == np.column_stack([[1.5, 2.5, 3.5], numbers]).tolist()


def test_float32_stays_where_all_features_have_it(tmp_path: Path) -> None:
    single = pa.array([0.1, 0.2, 0.3], pa.float32())
    columns = {"x": single, "z": single, "w": [1, 2, 3], "y": [1.0, 2.0, 1.0]}
    path = write(tmp_path / "a.parquet", columns)

    X, _ = rows_of(look_at(path, drop=["w"]))

    assert X.dtype == np.float32
    assert X.tolist() == np.array([[0.1] * 2, [0.2] * 2, [0.3] * 2], np.float32).tolist()
    assert rows_of(look_at(path))[0].dtype == np.float64


def test_only_the_requested_columns_may_have_any_type(tmp_path: Path) -> None:
    columns = {"s": [{"u": 1}, {"u": 2}], "x.1": [1.0, 2.0], "x": [3.0, 4.0], "y": [0, 1]}

    X, _ = rows_of(look_at(write(tmp_path / "a.parquet", columns), drop=["s"]))

    assert X.tolist() == [[1, 3], [2, 4]]


def test_small_row_groups_are_read_together_and_large_ones_alone(tmp_path: Path) -> None:
    columns = {"x": range(100), "y": [0, 1] * 50}

    small = look_at(write(tmp_path / "a.parquet", columns, 2), block_rows=3)
    large = look_at(write(tmp_path / "b.parquet", columns, 50), block_rows=3)

    assert [part.n_rows for part in small.fragments] == [24, 24, 24, 24, 4]
    assert [part.n_rows for part in large.fragments] == [50, 50]


def test_files_of_a_directory_come_in_the_order_of_their_paths(tmp_path: Path) -> None:
    names = ["b/0.parquet", "a.parquet", "a/z.parq", "a/b.pq", "y=1/g.pq"]
    for number, name in enumerate(names):
        write(tmp_path / name, {"x": [number], "y": [number % 2]})
    (tmp_path / "_tmp").mkdir()
    for name in ("_SUCCESS", "notes.txt", ".hidden.parquet", "_e.parquet", "_tmp/f.pq"):
        (tmp_path / name).write_text("not Parquet")

    paths = files_of(tmp_path, "parquet")

    shown = [file.relative_to(tmp_path).as_posix() for file in paths]
    assert shown == ["a/b.pq", "a/z.parq", "a.parquet", "b/0.parquet", "y=1/g.pq"]
    assert files_of(paths[0], "parquet") == paths[:1]
    (tmp_path / "y=1" / "g.pq").unlink()
    X, codes = rows_of(look_at(tmp_path))
    assert (X.ravel().tolist(), codes) == ([3, 2, 1, 0], [1, 0, 1, 0])


def test_directories_may_hold_the_labels_and_features(tmp_path: Path) -> None:
    write(tmp_path / "y=u%20v/n=1/0.parquet", {"x": [1.0, 2.0]})
    write(tmp_path / "y=w/n=2.5/0.parquet", {"x": [3.0]})

    look = look_at(tmp_path)

    assert look.feature_names == ("x", "n")
    assert look.classes.tolist() == ["u v", "w"]
    assert rows_of(look)[0].tolist() == [[1, 1], [2, 1], [3, 2.5]]
    assert rows_of(look)[1] == [0, 0, 1]


def test_a_label_that_no_directory_names_is_missing(tmp_path: Path) -> None:
    write(tmp_path / "y=1/0.parquet", {"x": [1.0, 2.0]})
    write(tmp_path / "y=2/0.parquet", {"x": [1.0, 2.0]})
    write(tmp_path / "y=__HIVE_DEFAULT_PARTITION__/0.parquet", {"x": [1.0, 2.0]})

    with pytest.raises(DatasetError, match="missing values, first in y=__HIVE"):
        look_at(tmp_path)
    assert rows_of(look_at(tmp_path, missing="drop"))[1] == [0, 0, 1, 1]


def test_rows_with_gaps_go_on_request(tmp_path: Path) -> None:
    columns = {
        "x": [1.0, None, 3.0, np.nan, 5.0, 6.0, 7.0],
        "n": pa.array([1, 2, None, 4, 5, 6, 7], pa.int64()),
        "b": pa.array([True, None, True, True, False, True, None]),
        "y": ["c", "a", "b", "b", "a", None, "zz"],
    }
    path = write(tmp_path / "a.parquet", columns)

    look = look_at(path, missing="drop", block_rows=1)

    assert look.classes.tolist() == ["a", "c"]
    assert look.class_counts.tolist() == [1, 1]
    X, codes = rows_of(look)
    assert X.tolist() == [[1, 1, 1], [5, 5, 0]]
    assert codes == [1, 0]
    assert [batch.first_row for batch in batches_of(look)] == [0, 1]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"x": ["u", "v"], "y": [0, 1]}, "column 'x' holds text, not numbers.*--drop x"),
        ({"x": DATES, "y": [0, 1]}, r"column 'x' holds timestamp\[\w+\], not numbers"),
        (
            {"a": ["u", "v"], "b c": DATES, "y": [0, 1]},
            r"columns 'a', 'b c' are not numeric \(the first holds text\). "
            "Leave out: --drop a --drop 'b c'$",
        ),
        ({"x": [1, 2], "y": DATES}, "labels that are timestamp.* cannot be used"),
        ({"x": [1, 2], "y": [0.5, 1.0]}, "continuous.*0.5 in row group 0, row 0"),
        ({"x": [1, 2], "y": [3, 3]}, "target 'y' has only one class, '3'"),
        ({"x": [1, 2], "y": [3, None]}, "missing values, first in row group 0, row 1, co"),
        ({"x": [1, 2], "y": [None, None]}, "missing values, first in row group 0, row 0"),
        ({"x": [1, 2], " x ": [1, 2], "y": [3, 4]}, "columns 1 and 2 are both called 'x'"),
        ({"x": [1, 2], "z": [3, 4]}, "it has no column 'y'"),
        ({"x": pa.array([], pa.int64()), "y": pa.array([], pa.int64())}, "it has no row"),
    ],
)
def test_the_first_look_names_what_is_wrong(
    tmp_path: Path, columns: dict[str, Any], message: str
) -> None:
    path = write(tmp_path / "a.parquet", columns)

    with pytest.raises(DatasetError, match=message):
        look_at(path)


@pytest.mark.parametrize("fault", [None, np.nan, np.inf])
@pytest.mark.parametrize("block_rows", [1, 2, 3, 100])
def test_reading_names_the_row_group_and_the_row(
    tmp_path: Path, fault: float | None, block_rows: int
) -> None:
    values = [0.5, 1, 2, 3, 4, fault, 6, 7]
    columns = {"w": [0.0] * 8, "x": pa.array(values), "y": [0, 1] * 4}
    write(tmp_path / "0.parquet", {**columns, "x": [0.0] * 8}, 3)
    write(tmp_path / "1.parquet", columns, 3)

    words = "values infinite or too large" if fault == np.inf else "missing values"
    message = f"{words}, first in 1.parquet, row group 1, row 5, column 'x'"
    with pytest.raises(DatasetError, match=message):
        batches_of(look_at(tmp_path, block_rows=block_rows))


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"z": [1, 2], "y": [1, 2]}, "1.parquet has no column 'x'"),
        ({"x": [1, 2], "y": ["1", "2"]}, "labels that are integer and text cannot be used"),
    ],
)
def test_files_must_have_the_same_columns(
    tmp_path: Path, other: dict[str, Any], message: str
) -> None:
    write(tmp_path / "0.parquet", {"x": [1, 2], "y": [1, 2]})
    write(tmp_path / "1.parquet", other)

    with pytest.raises(DatasetError, match=message):
        look_at(tmp_path)


def test_files_may_have_numbers_of_any_kind(tmp_path: Path) -> None:
    single = pa.array([0.1], pa.float32())
    write(tmp_path / "0.parquet", {"x": single, "y": [1]})
    write(tmp_path / "1.parquet", {"x": [0.1], "y": [2.0]})

    X, codes = rows_of(look_at(tmp_path))

    assert X.ravel().tolist() == [float(np.float32(0.1)), 0.1]
    assert codes == [0, 1]


def test_a_damaged_file_or_none_is_one_line(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", {"x": np.arange(100.0), "y": [0, 1] * 50}, 100)
    content = bytearray(path.read_bytes())
    content[8:400] = b"\xff" * 392
    damaged = tmp_path / "b.parquet"
    damaged.write_bytes(content)
    cut = tmp_path / "c.parquet"
    cut.write_bytes(path.read_bytes()[:-20])
    (tmp_path / "empty").mkdir()

    with pytest.raises(DatasetError, match="it cannot be read as Parquet") as refusal:
        batches_of(look_at(damaged))
    assert "\n" not in str(refusal.value)
    with pytest.raises(DatasetError, match="it cannot be read as Parquet"):
        look_at(cut)
    with pytest.raises(DatasetError, match="a directory without a file that ends"):
        look_at(tmp_path / "empty")


@pytest.mark.parametrize("has_checksums", [True, False])
def test_a_number_changed_in_a_page_is_seen_by_its_checksum(
    has_checksums: bool, tmp_path: Path
) -> None:
    path, X = tmp_path / "a.parquet", np.arange(1000.0)
    table = pa.table({"x": X, "y": [0, 1] * 500})
    plain: Any = {"compression": "NONE", "use_dictionary": False}
    pq.write_table(table, path, write_page_checksum=has_checksums, **plain)
    content = path.read_bytes()
    path.write_bytes(content.replace(np.float64(500).tobytes(), np.float64(7).tobytes()))

    if has_checksums:
        with pytest.raises(DatasetError, match="one of its pages is damaged"):
            batches_of(look_at(path))
    else:  # Nothing can tell
        assert rows_of(look_at(path))[0].ravel().tolist().count(7.0) == 2


def test_without_pyarrow_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "a.parquet", {"x": [1, 2], "y": [1, 2]})
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)

    with pytest.raises(DatasetError, match="pip install pyarrow"):
        look_at(path)


ROOT = Path("data")


@pytest.mark.parametrize(
    ("spelt", "values"),
    [
        (["1", "02", "-3"], [1, 2, -3]),
        (["1", "2.5"], [1.0, 2.5]),
        (["1", "a"], ["1", "a"]),
        (["1", "__HIVE_DEFAULT_PARTITION__"], [1, None]),
        (["a%2Fb", "c=d"], ["a/b", "c=d"]),
        (["%C3%BC", "%zz"], ["ü", "%zz"]),
    ],
)
def test_values_have_the_narrowest_kind_that_holds_all(
    spelt: list[str], values: list[object]
) -> None:
    keys = keys_of([(ROOT / f"y={value}" / "0.parquet", ROOT) for value in spelt])

    found = [key["y"] for key in keys]
    assert found == values
    assert [type(value) for value in found] == [type(value) for value in values]


def test_other_directories_are_not_columns_and_files_must_lie_in_the_same() -> None:
    root = Path("x=1")

    assert keys_of([(root / "2024" / "0.parquet", root)]) == [{}]
    assert keys_of([(root, root)]) == [{}]
    with pytest.raises(DatasetError, match=r"data: z=1/0\.parquet is in different name"):
        keys_of([(ROOT / f"{key}=1" / "0.parquet", ROOT) for key in "yz"])

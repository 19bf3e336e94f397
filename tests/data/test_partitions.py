from pathlib import Path

import pytest

from gnbbench.data.partitions import files_of, keys_of
from gnbbench.errors import DatasetError

ROOT = Path("data")


def test_a_file_is_its_own_and_only_file(tmp_path: Path) -> None:
    assert files_of(tmp_path / "a.parquet") == [tmp_path / "a.parquet"]


def test_only_files_of_that_kind_in_plain_sight_count(tmp_path: Path) -> None:
    names = ["b.pq", "a.parquet", "c.parq", "d.csv", "_e.parquet", "_tmp/f.pq", "y=1/g.pq"]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()

    found = [file.relative_to(tmp_path).as_posix() for file in files_of(tmp_path)]

    assert found == ["a.parquet", "b.pq", "c.parq", "y=1/g.pq"]


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
    keys = keys_of([ROOT / f"y={value}" / "0.parquet" for value in spelt], ROOT)

    found = [key["y"] for key in keys]
    assert found == values
    assert [type(value) for value in found] == [type(value) for value in values]


def test_other_directories_and_the_root_are_no_columns() -> None:
    root = Path("x=1")

    assert keys_of([root / "2024" / "0.parquet"], root) == [{}]
    assert keys_of([root], root) == [{}]


def test_files_must_lie_in_the_same_columns() -> None:
    files = [ROOT / "y=1" / "0.parquet", ROOT / "z=1" / "0.parquet"]

    with pytest.raises(DatasetError, match=r"data: z=1/0.parquet lies in other name=value"):
        keys_of(files, ROOT)

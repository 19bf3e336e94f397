import pytest

from gnbbench.data.columns import ColumnRequest, columns_of
from gnbbench.data.separated import Header, header_of, named_columns
from gnbbench.errors import DatasetError

PARQUET = named_columns("a.parquet", ["id", " x ", "y"])


def csv(first_line: str) -> Header:
    return header_of("a.csv", f"{first_line}\n", ",", header=None)


TABLE = csv("id,size,Species")


def test_features_are_the_remaining_columns_in_order() -> None:
    columns = columns_of(PARQUET, ColumnRequest(" y", drop=["id "], missing="drop"))
    aside = columns_of(TABLE, ColumnRequest("size"), ["id", "size"])

    assert columns_of(TABLE, ColumnRequest("Species")).features == ("id", "size")
    assert columns_of(csv(",x,y"), ColumnRequest("y", drop=["c0"])).features == ("x",)
    assert columns_of(TABLE, ColumnRequest("2", drop=["0"])).features == ("size",)
    assert columns_of(csv("1,2,y"), ColumnRequest("2")).features == ("1", "y")
    assert (columns.features, columns.target) == (("x",), "y")
    assert (columns.left_out, columns.missing) == (("id",), "drop")
    assert columns.where == "a.parquet"
    assert (aside.features, aside.left_out) == (("Species",), ())


def test_a_source_with_one_column_says_nothing_of_separators() -> None:
    header = named_columns("a.parquet", ["y"])

    with pytest.raises(DatasetError, match=r"no column is left .* Give fewer --drop\.$"):
        columns_of(header, ColumnRequest("y"))
    with pytest.raises(DatasetError, match="it has no column 'z'") as refusal:
        columns_of(header, ColumnRequest("z"))
    assert "split at" not in str(refusal.value)


def test_a_column_called_like_a_comparison_is_a_column() -> None:
    comparison = columns_of(PARQUET, ColumnRequest("x>=1")).comparison
    header = named_columns("a.parquet", ["x", "y>1"])
    assert columns_of(header, ColumnRequest("y>1")).target == "y>1"
    assert columns_of(header, ColumnRequest("y>1")).comparison is None
    assert comparison is not None
    assert (comparison.column, comparison.value) == ("x", 1.0)

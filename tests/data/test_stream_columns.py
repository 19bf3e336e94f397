import pytest

from gnbbench.data.stream_columns import columns_of, named_columns, refuse_types
from gnbbench.errors import DatasetError, OptionError

TABLE = named_columns("a.parquet", ["id", " x ", "y"])


def test_what_is_neither_target_nor_dropped_is_a_feature() -> None:
    columns = columns_of(TABLE, " y", ["id "], "drop")

    assert columns.features == ("x",)
    assert columns.target == "y"
    assert columns.left_out == ("id",)
    assert columns.missing == "drop"
    assert columns.where == "a.parquet"


def test_a_source_with_one_column_says_nothing_of_separators() -> None:
    table = named_columns("a.parquet", ["y"])

    with pytest.raises(DatasetError, match="no column is left") as refusal:
        columns_of(table, "y", [], "error")
    assert "--sep" not in str(refusal.value)
    with pytest.raises(DatasetError, match="it has no column 'z'") as refusal:
        columns_of(table, "z", [], "error")
    assert "cut at" not in str(refusal.value)


def test_a_feature_without_a_name_is_refused() -> None:
    table = named_columns("a.parquet", ["", "x", "y"])

    with pytest.raises(DatasetError, match=r"column 1 has no name.*--drop c0"):
        columns_of(table, "y", [], "error")


def test_the_target_may_not_be_dropped() -> None:
    with pytest.raises(OptionError, match="--drop: 'y' is the target"):
        columns_of(TABLE, "y", ["y"], "error")


def test_a_comparison_is_refused_for_what_it_is() -> None:
    with pytest.raises(OptionError) as refusal:
        columns_of(TABLE, "x>=1", [], "error")

    assert str(refusal.value) == (
        "--target: 'x>=1' is a comparison, and a stream takes a column. "
        "Write what it gives into a column of the file, and give that one."
    )


def test_a_column_called_like_a_comparison_is_a_column() -> None:
    table = named_columns("a.parquet", ["x", "y>1"])

    assert columns_of(table, "y>1", [], "error").target == "y>1"


def test_equal_names_are_refused() -> None:
    with pytest.raises(DatasetError, match="columns 1 and 3 are both called 'x'"):
        named_columns("a.parquet", ["x", "y", "x "])


def test_no_column_of_another_type_is_no_error() -> None:
    refuse_types("a.parquet", {})


def test_all_columns_of_another_type_are_named() -> None:
    with pytest.raises(DatasetError) as refusal:
        refuse_types("a.parquet", {"a": "text", "b c": "date32[day]"})

    assert str(refusal.value) == (
        "a.parquet: columns 'a', 'b c' hold no numbers (the first text). "
        "Leave out: --drop a --drop 'b c'"
    )

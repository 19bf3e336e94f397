import pytest

from gnbbench.data.columns import columns_of, refuse_types, stream_columns_of
from gnbbench.data.separated import Header, header_of, named_columns
from gnbbench.errors import DatasetError, GnbBenchError, OptionError

PARQUET = named_columns("a.parquet", ["id", " x ", "y"])


def csv(first_line: str) -> Header:
    return header_of("a.csv", f"{first_line}\n", ",", header=None)


TABLE = csv("id,size,Species")


@pytest.mark.parametrize(
    ("header", "options", "message"),
    [
        (TABLE, {}, "such as --target Species: 'id', 'size', 'Species'"),
        (csv("p,q"), {}, "Give one of its columns: 'p', 'q'"),
        (TABLE, {"target": "species"}, "Did you mean 'Species'"),
        (TABLE, {"target": "Specis"}, "Did you mean 'Species'"),
        (TABLE, {"target": "zzz"}, "no column 'zzz'. Its columns: 'id'"),
        (csv("x;y"), {"target": "y"}, "one column only, 'x;y'. Give another --sep"),
        (
            TABLE,
            {"drop": ["sise"], "target": "id"},
            "no column 'sise'. Did you mean 'size'",
        ),
        (
            TABLE,
            {"drop": ["id", "size"], "target": "Species"},
            "no column is left beside the target 'Species'. Give fewer --drop, or another "
            "--sep than ','.",
        ),
        (TABLE, {"drop": ["id"], "target": "id"}, "--drop: 'id' is the target"),
        (csv(",x,y"), {"target": "y"}, "column 1 has no name; it may be an index"),
        (csv(",x,y"), {"target": "y"}, "--drop c0"),
        (TABLE, {"target": "id", "missing": "fill"}, "--missing: 'fill' is no choice"),
    ],
)
@pytest.mark.parametrize("choose", [columns_of, stream_columns_of])
def test_what_cannot_be_read_is_refused(
    header: Header, options: dict[str, object], message: str, choose: object
) -> None:
    assert callable(choose)
    given = {"target": None, "drop": (), "missing": "error", **options}

    with pytest.raises(GnbBenchError) as refusal:
        choose(header, **given)

    assert message in str(refusal.value)


def test_features_are_the_rest_in_order() -> None:
    columns = stream_columns_of(PARQUET, " y", ["id "], "drop")

    assert columns_of(TABLE, "Species", [], "error").features == ("id", "size")
    assert columns_of(csv(",x,y"), "y", ["c0"], "error").features == ("x",)
    assert (columns.features, columns.target) == (("x",), "y")
    assert (columns.left_out, columns.missing) == (("id",), "drop")
    assert columns.where == "a.parquet"


def test_columns_set_aside_are_no_features_and_not_left_out_on_request() -> None:
    columns = columns_of(TABLE, "size", [], "error", aside=["id", "size"])

    assert (columns.features, columns.left_out) == (("Species",), ())


def test_a_source_with_one_column_says_nothing_of_separators() -> None:
    header = named_columns("a.parquet", ["y"])

    with pytest.raises(DatasetError, match=r"no column is left .* Give fewer --drop\.$"):
        stream_columns_of(header, "y", [], "error")
    with pytest.raises(DatasetError, match="it has no column 'z'") as refusal:
        stream_columns_of(header, "z", [], "error")
    assert "cut at" not in str(refusal.value)


def test_a_stream_takes_no_comparison_but_a_column_called_like_one() -> None:
    with pytest.raises(OptionError) as refusal:
        stream_columns_of(PARQUET, "x>=1", [], "error")

    assert str(refusal.value) == (
        "--target: 'x>=1' is a comparison, and a stream takes a column. "
        "Write what it gives into a column of the file, and give that one."
    )
    header = named_columns("a.parquet", ["x", "y>1"])
    assert stream_columns_of(header, "y>1", [], "error").target == "y>1"


def test_equal_names_are_refused() -> None:
    with pytest.raises(DatasetError, match="columns 1 and 3 are both called 'x'"):
        named_columns("a.parquet", ["x", "y", "x "])


def test_all_columns_of_another_type_are_named() -> None:
    refuse_types("a.parquet", {})
    with pytest.raises(DatasetError) as refusal:
        refuse_types("a.parquet", {"a": "text", "b c": "date32[day]"})

    assert str(refusal.value) == (
        "a.parquet: columns 'a', 'b c' hold no numbers (the first text). "
        "Leave out: --drop a --drop 'b c'"
    )

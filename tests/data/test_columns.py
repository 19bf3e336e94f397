import pytest

from gnbbench.data.columns import features_of, target_of
from gnbbench.data.tables import Table, table_of
from gnbbench.errors import DatasetError, OptionError


@pytest.fixture
def table() -> Table:
    return table_of("a.csv", "id,size,Species\n1,2,a\n", ",", header=None)


def test_without_a_target_the_likely_one_is_offered(table: Table) -> None:
    with pytest.raises(OptionError) as refusal:
        target_of(table, None)

    assert "such as --target Species" in str(refusal.value)
    assert "'id', 'size', 'Species'" in str(refusal.value)


def test_without_a_likely_target_none_is_made_up() -> None:
    plain = table_of("a.csv", "p,q\n1,2\n", ",", header=None)

    with pytest.raises(OptionError, match=r"Give one of its columns: 'p', 'q'$"):
        target_of(plain, None)


@pytest.mark.parametrize("given", ["species", "Specis"])
def test_a_mistyped_target_is_guessed(table: Table, given: str) -> None:
    with pytest.raises(DatasetError, match="Did you mean 'Species'"):
        target_of(table, given)


def test_an_unknown_target_gets_the_list(table: Table) -> None:
    with pytest.raises(DatasetError, match=r"no column 'zzz'\. Its columns: 'id'"):
        target_of(table, "zzz")


def test_one_single_column_hints_at_the_separator() -> None:
    uncut = table_of("a.csv", "x;y\n1;2\n", ",", header=None)

    with pytest.raises(DatasetError, match=r"one column only, 'x;y'\. Give another --sep"):
        target_of(uncut, "y")


def test_features_are_the_rest_in_order(table: Table) -> None:
    assert features_of(table, "Species", []) == ("id", "size")
    assert features_of(table, "Species", ["id", " id "]) == ("size",)


def test_the_target_cannot_be_dropped(table: Table) -> None:
    with pytest.raises(OptionError, match="--drop: 'Species' is the target"):
        features_of(table, "Species", ["Species"])


def test_an_unknown_column_cannot_be_dropped(table: Table) -> None:
    with pytest.raises(DatasetError, match=r"no column 'sise'\. Did you mean 'size'"):
        features_of(table, "Species", ["sise"])


def test_no_feature_left_is_refused(table: Table) -> None:
    with pytest.raises(DatasetError, match="no column is left beside the target"):
        features_of(table, "Species", ["id", "size"])


def test_a_column_without_a_name_must_be_dropped() -> None:
    indexed = table_of("a.csv", ",x,y\n0,1,a\n", ",", header=None)

    with pytest.raises(DatasetError, match=r"column 1 has no name.* --drop c0"):
        features_of(indexed, "y", [])
    assert features_of(indexed, "y", ["c0"]) == ("x",)

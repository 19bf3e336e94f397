import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnbbench.data.separators import records
from gnbbench.data.tables import Table, table_of
from gnbbench.errors import DatasetError


def table(text: str, separator: str = ",", *, header: bool | None = None) -> Table:
    return table_of("a.csv", text, separator, header=header)


def test_names_lose_quotes_and_white_space() -> None:
    assert table('" x ", y\n1,2\n').names == ("x", "y")


def test_without_a_header_columns_are_numbered() -> None:
    numbered = table("1,2\n3,4\n", header=False)

    assert numbered.names == ("c0", "c1")
    assert numbered.body("c1").shape == (2, 2)


@pytest.mark.parametrize("text", ["1.5,2,a\n", "5.1,a\n", "1,2,9\n", "7\n"])
def test_a_first_line_of_numbers_is_taken_for_data(text: str) -> None:
    with pytest.raises(DatasetError, match=r"the first line holds numbers .*--no-header"):
        table(text)


@pytest.mark.parametrize("text", ["0,1,2\n5,6,7\n", "1,2,y\n5,6,a\n", "nan,y\n1,2\n"])
def test_names_as_pandas_numbers_them_are_names(text: str) -> None:
    assert table(text).header


def test_numbers_are_names_where_that_was_said() -> None:
    assert table("2019,2020\n1,2\n", header=True).names == ("2019", "2020")


def test_doubled_names_are_refused() -> None:
    with pytest.raises(DatasetError, match="columns 1 and 3 are both called 'x'"):
        table("x,y, x \n1,2,3\n")


def test_columns_without_a_name_are_known() -> None:
    indexed = table(",x,y\n0,1,a\n")

    assert indexed.names == ("c0", "x", "y")
    assert indexed.nameless == ("c0",)


def test_numbers_are_read_to_the_last_bit() -> None:
    values = [0.1, 1 / 3, 2.2250738585072014e-308, 1.7976931348623157e308, 5e-324]
    text = "x,y\n" + "".join(f"{value!r},a\n" for value in values)

    assert table(text).body("y")["x"].tolist() == values


def test_the_text_column_stays_text() -> None:
    body = table("x,y\n1,01\n2,1.0\n").body("y")

    assert body["y"].tolist() == ["01", "1.0"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_rows_know_their_line(end: str) -> None:
    text = end.join(["", "x,y", "", '1,"a', 'b"', " ", "2,c", "3,d", ""])

    lines = table(text)

    assert len(lines.body("y")) == 3
    assert [lines.line(row) for row in range(3)] == [4, 7, 8]


def test_rows_of_white_space_separated_values_know_their_line() -> None:
    lines = table("x y\n\n 1  a \n2\tb\n", r"\s+")

    assert lines.body("y")["x"].tolist() == [1, 2]
    assert [lines.line(0), lines.line(1)] == [3, 4]


@given(
    st.lists(st.sampled_from(["1,a", '2,"b"', '"3","c\nd"', "", "  ", "4, e", "5,"])),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["", "\n", "\r\r", " \n"]),
    st.booleans(),
)
def test_no_row_is_lost_between_the_two_readers(
    lines: list[str], end: str, before: str, closed: bool
) -> None:
    """Pandas reads the values, the csv module finds the lines: both must count alike."""
    text = before + end.join(["x,y", "0,z", *lines]) + (end if closed else "")
    rows = [record for _, record in records(text, ",")][1:]

    body = table(text).body("y")

    assert body["x"].tolist() == [int(row[0]) for row in rows]
    assert body["y"].fillna("").tolist() == [row[1] for row in rows]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x,y\n1,a\n2,b,c\n", "line 3 has 3 values, not 2"),
        ("x,y\n1,a,b\n2,b,c\n", "line 2 has 3 values, not 2"),
        ("x,z,y\n1,2,a\n\n2,b\n", "line 4 has 2 values, not 3"),
        ('x,y\n1,a\n2,"b\n', "a quote opened in line 3 is not closed"),
        ('x,y\n1,"' + "q" * 140_000 + "\n", "a quote after line 1 is not closed"),
        ("x,y\n", "no row under the header"),
        ("x,y", "no row under the header"),
        ("x,y\n\n  \n", "no row under the header"),
    ],
)
def test_a_body_that_cannot_be_cut_is_refused(text: str, message: str) -> None:
    with pytest.raises(DatasetError, match=message):
        table(text).body("y")


def test_a_quote_open_in_the_header_is_refused() -> None:
    with pytest.raises(DatasetError, match="a quote in the first line is not closed"):
        table('x,"' + "y" * 140_000)

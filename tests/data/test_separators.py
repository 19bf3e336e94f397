import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnbbench.data.separators import WHITESPACE, records, separator_of
from gnbbench.errors import OptionError


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("x,y\n1,a\n", ","),
        ("x;y\n1,5;a\n", ";"),
        ("x;y;z\n1,5;2,5;3,5\n", ";"),
        ("x\ty\n1\ta\n", "\t"),
        ("x|y\n1|a\n", "|"),
        ("x  y\n1 a\n", WHITESPACE),
        ('"a;b","c;d",y\n1,2,k\n', ","),
        ("x,y\n1,a\n2,b,c\n", ","),
        ("x;y\n1;a;2\n3;b\n", ";"),
        ("y\na\n", ","),
        ('x,"y\n1,a\n', ","),
    ],
)
def test_the_separator_is_guessed_from_the_first_lines(text: str, separator: str) -> None:
    assert separator_of(text, None) == separator


@pytest.mark.parametrize(
    ("given_separator", "separator"),
    [(";", ";"), ("tab", "\t"), ("\\t", "\t"), (" ", WHITESPACE), ("space", WHITESPACE)],
)
def test_what_is_given_is_taken(given_separator: str, separator: str) -> None:
    assert separator_of("x,y\n", given_separator) == separator


@pytest.mark.parametrize("given_separator", ["", ";;", "\n", '"'])
def test_what_is_not_one_character_is_refused(given_separator: str) -> None:
    with pytest.raises(OptionError, match=r"--sep: .* is not one character"):
        separator_of("x,y\n", given_separator)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_records_know_their_first_line_at_any_line_end(end: str) -> None:
    text = end.join(["a,b", "", "   ", '"1', '2",3', "4,5", ""])

    found = list(records(text, ","))

    assert [number for number, _ in found] == [1, 4, 6]
    assert found[1][1] == [f"1{end}2", "3"]


def test_separators_of_lines_in_unicode_end_no_line() -> None:
    assert list(records("a\u2028b,c\x0cd\n", ",")) == [(1, ["a\u2028b", "c\x0cd"])]


@given(
    st.lists(
        st.lists(
            st.text("abc ;,\"\t|'", min_size=1).filter(str.strip), min_size=2, max_size=2
        )
    )
)
def test_quoted_values_are_cut_as_they_were_written(rows: list[list[str]]) -> None:
    quoted = [['"' + value.replace('"', '""') + '"' for value in row] for row in rows]
    text = "".join(",".join(row) + "\n" for row in quoted)

    assert [record for _, record in records(text, ",")] == rows

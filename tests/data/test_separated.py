from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnbbench.data.separated import WHITESPACE, read_text, records, separator_of
from gnbbench.errors import DatasetError, OptionError

Write = Callable[..., Path]


def test_a_byte_order_mark_is_no_part_of_the_text(write: Write) -> None:
    assert read_text(write("x,y\n".encode("utf-8-sig"))) == "x,y\n"


def test_text_beyond_ascii_is_read(write: Write) -> None:
    assert read_text(write("größe,art\r\n")) == "größe,art\r\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b" \r\n\n", "the file is empty"),
        (b"\xef\xbb\xbf", "the file is empty"),
        (b"x,y\n1,a\n2,caf\xe9\n", "it is not UTF-8: byte 0xe9 in line 3"),
        ("x,y\n".encode("utf-16"), "it is UTF-16, not UTF-8"),
        (b"\x7fELF\x00\x01", "it is a binary file"),
        (b"PAR1\x00\x01", "it is a Parquet file, which is read in blocks"),
        (b"\x93NUMPY\x01\x00", "it is a NumPy array, which is read in blocks"),
    ],
)
def test_what_is_not_utf_8_text_is_refused(
    write: Write, content: bytes, message: str
) -> None:
    path = write(content)

    with pytest.raises(DatasetError) as refusal:
        read_text(path)

    assert str(refusal.value).startswith(f"{path}: {message}")


def test_a_file_for_blocks_is_told_with_its_command(write: Write) -> None:
    path = write(b"PAR1\x00\x01")

    with pytest.raises(DatasetError) as refusal:
        read_text(path)

    assert str(refusal.value).endswith(
        f"Give: gnbbench compare {path} --stream --target COLUMN"
    )


def test_a_missing_path_is_named(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"nope\.csv: there is no such file\. Check"):
        read_text(tmp_path / "nope.csv")


def test_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"it is a directory\. Give one CSV"):
        read_text(tmp_path)


def test_a_path_through_a_file_is_refused(write: Write) -> None:
    with pytest.raises(DatasetError, match=r"it cannot be read .Not a directory"):
        read_text(write("x") / "data.csv")


def test_an_unreadable_file_is_refused(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The refusal is planted: as root every file can be read."""

    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    path = write("x,y\n")
    monkeypatch.setattr(Path, "read_bytes", refuse)

    with pytest.raises(DatasetError, match=r"it may not be read\. Ask for permission"):
        read_text(path)


@pytest.mark.parametrize("name", ["a\nb.csv", "a\0b.csv", "x" * 5000])
def test_odd_paths_give_one_line(name: str) -> None:
    with pytest.raises(DatasetError) as refusal:
        read_text(Path(name))

    assert str(refusal.value).isprintable()


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

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnbbench.data import separated
from gnbbench.data.fragments import FileFingerprint
from gnbbench.errors import DatasetError, OptionError

Write = Callable[..., Path]


def test_text_is_read_without_a_byte_order_mark(write: Write) -> None:
    assert separated.read_text(write("x,y\n".encode("utf-8-sig"))) == "x,y\n"
    assert separated.read_text(write("größe,art\r\n".encode())) == "größe,art\r\n"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nope.csv", "nope.csv: there is no such file. Check"),
        ("https://a.invalid/b.csv", "web addresses are not read. Download"),
        (".", ".: it is a directory. Give one CSV"),
        ("file/data.csv", "it cannot be read (Not a directory"),
        ("a\nb.csv", "a\\u000ab.csv: there is no such file"),
        ("a\0b.csv", "a\\u0000b.csv: it cannot be read"),
        ("x" * 5000, "it cannot be read (File name too long)"),
    ],
)
def test_a_path_that_cannot_be_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").touch()

    with pytest.raises(DatasetError) as refusal:
        separated.read_text(Path(path))

    assert message in str(refusal.value)
    assert str(refusal.value).isprintable()


def test_unreadable_text_is_refused(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """The refusal is planted: as root every file can be read."""

    def refuse(path: Path, _mode: str) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    path = write("x,y\n")
    monkeypatch.setattr(Path, "open", refuse)

    with pytest.raises(DatasetError, match=r"you may not read it\. Ask for read"):
        separated.read_text(path)


@pytest.mark.parametrize(
    ("text", "given_separator", "separator"),
    [
        ("x,y\n1,a\n", None, ","),
        ("x;y\n1,5;a\n", None, ";"),
        ("x;y;z\n1,5;2,5;3,5\n", None, ";"),
        ("x\ty\n1\ta\n", None, "\t"),
        ("x|y\n1|a\n", None, "|"),
        ("x  y\n1 a\n", None, separated.WHITESPACE),
        ('"a;b","c;d",y\n1,2,k\n', None, ","),
        ("x,y\n1,a\n2,b,c\n", None, ","),
        ("x;y\n1;a;2\n3;b\n", None, ";"),
        ("y\na\n", None, ","),
        ('x,"y\n1,a\n', None, ","),
        ("x,y\n", ";", ";"),
        ("x,y\n", "tab", "\t"),
        ("x,y\n", "\\t", "\t"),
        ("x,y\n", " ", separated.WHITESPACE),
        ("x,y\n", "space", separated.WHITESPACE),
        *(("x,y\n", refused, None) for refused in ("", ";;", "\n", '"')),
    ],
)
def test_the_separator_is_the_one_given_or_guessed_from_the_first_lines(
    text: str, given_separator: str | None, separator: str | None
) -> None:
    if separator is not None:
        assert separated.separator_of(text, given_separator) == separator
        return
    with pytest.raises(OptionError, match=r"--sep: .* is not one character"):
        separated.separator_of(text, given_separator)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_records_know_their_first_line_at_any_line_end(end: str) -> None:
    text = end.join(["a,b", "", "   ", '"1', '2",3', "4,5", ""])

    found = list(separated.records(text, ","))

    assert [number for number, _ in found] == [1, 4, 6]
    assert found[1][1] == [f"1{end}2", "3"]


def test_separators_of_lines_in_unicode_end_no_line() -> None:
    assert [*separated.records("a\u2028b,c\x0cd\n", ",")] == [(1, ["a\u2028b", "c\x0cd"])]


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

    assert [record for _, record in separated.records(text, ",")] == rows


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *(
            (text, "the first line holds numbers .*--no-header")
            for text in ("1.5,2,a\n", "5.1,a\n", "1,2,9\n", "7\n", "1,2,3\n")
        ),
        ("x,y, x \n1,2,3\n", "columns 1 and 3 are both called 'x'"),
        (",c0\n1,2\n", "columns 1 and 2 are both called 'c0'"),
        ('x,"' + "y" * 140_000, "a quote in the first line is not closed"),
        ('"x,y\n1,2\n3,4\n', "a quote in the first line is not closed"),
        ("a" * 200_000 + ",b\n1,2\n", "a value in the first line is longer than 131,"),
    ],
)
def test_a_first_line_that_is_not_a_header_is_refused(text: str, message: str) -> None:
    with pytest.raises(DatasetError, match=message):
        separated.header_of("a.csv", text, ",", header=None)


@pytest.mark.parametrize("kind", ["device", "pipe"])
@pytest.mark.parametrize("streamed", [False, True])
def test_endless_files_are_refused_before_reading(
    kind: str, streamed: bool, tmp_path: Path
) -> None:
    path = Path("/dev/zero")
    if kind == "pipe":
        path = tmp_path / "pipe"
        os.mkfifo(path)

    with pytest.raises(DatasetError, match="it is a device or a pipe"):
        FileFingerprint.of(path) if streamed else separated.read_text(path)
    with pytest.raises(DatasetError, match="it is a device or a pipe"):
        separated.header_of_file(path, None, header=None)


def test_a_first_line_without_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GNBBENCH_MAX_MIB", "16")
    (tmp_path / "a.csv").write_bytes(b"a" * 2**21)

    with pytest.raises(DatasetError, match=r"line 1 is longer than 1 MiB.*MAX_MIB=32"):
        separated.header_of_file(tmp_path / "a.csv", None, header=None, n_bytes=2**16)

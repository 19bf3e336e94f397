from collections.abc import Callable
from pathlib import Path

import pytest

from gnbbench.data.texts import read_text
from gnbbench.errors import DatasetError

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

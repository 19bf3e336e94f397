"""What SQLite would not complain of is found before it is opened."""

import sqlite3
from pathlib import Path

import pytest

from gnbbench.studies.inspection import inspect
from gnbbench.studies.store import Store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Give the file of a store."""
    with Store(tmp_path / "runs.sqlite") as store:
        store.add({}, {"plan": "x" * 10_000})
    return tmp_path / "runs.sqlite"


def test_a_whole_file_and_no_file_pass(path: Path) -> None:
    inspect(path)
    inspect(path.with_name("nothing"))


def test_one_missing_byte_is_found(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])

    with pytest.raises(sqlite3.DatabaseError, match="its end is missing"):
        inspect(path)


def test_sqlite_itself_would_take_the_missing_byte_for_zero(path: Path) -> None:
    """Why it is looked for at all."""
    path.write_bytes(path.read_bytes()[:-1])
    connection = sqlite3.connect(path)

    found = connection.execute("PRAGMA integrity_check").fetchone()

    connection.close()
    assert found == ("ok",)


def test_with_a_log_the_file_may_be_shorter(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])
    path.with_name(f"{path.name}-wal").write_bytes(b"x")

    inspect(path)


def test_a_log_without_its_file_is_found(path: Path) -> None:
    path.with_name(f"{path.name}-wal").write_bytes(b"x")
    path.write_bytes(b"")

    with pytest.raises(sqlite3.DatabaseError, match=r"runs\.sqlite-wal beside it is not"):
        inspect(path)


@pytest.mark.parametrize(
    ("pages", "size", "complete"), [(2, 131_072, True), (3, 131_072, False)]
)
def test_pages_of_65536_bytes_are_written_as_1(
    pages: int, size: int, complete: bool, tmp_path: Path
) -> None:
    header = bytearray(size)
    header[:16] = b"SQLite format 3\x00"
    header[16:18] = (1).to_bytes(2, "big")
    header[28:32] = pages.to_bytes(4, "big")
    (tmp_path / "a").write_bytes(header)

    if complete:
        inspect(tmp_path / "a")
    else:
        with pytest.raises(sqlite3.DatabaseError):
            inspect(tmp_path / "a")

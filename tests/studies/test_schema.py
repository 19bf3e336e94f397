"""A store's file: tables read back, faults seen before SQLite, failures in words."""

import sqlite3
from pathlib import Path

import pytest

from gnbbench.records import TABLES
from gnbbench.studies.schema import creation, inspect, is_locked, kind, selection, unusable
from gnbbench.studies.store import Store


@pytest.mark.parametrize("name", TABLES)
def test_rows_come_back_by_point_whatever_their_order(name: str) -> None:
    """The same rows in two orders, beside rows of another point."""
    found = []
    for order in ((1, 2, 3), (3, 1, 2)):
        connection = sqlite3.connect(":memory:")
        for statement in creation():
            connection.execute(statement)
        columns = TABLES[name]
        marks = ", ".join("?" * (1 + len(columns)))
        for point in (0, 5):
            for value in order:
                cells = [str(value) if kind(c) != "INTEGER" else value for c in columns]
                connection.execute(f"INSERT INTO {name} VALUES ({marks})", (point, *cells))  # noqa: S608  a name of ours
        found.append(connection.execute(selection(name), (5,)).fetchall())
        connection.close()

    assert found[0] == found[1]
    assert len(found[0]) == 3


def raised_by(path: Path, *statements: str) -> sqlite3.Error:
    connection = sqlite3.connect(path, timeout=0, isolation_level=None)
    try:
        for statement in statements:
            connection.execute(statement)
    except sqlite3.Error as error:
        return error
    finally:
        connection.close()
    raise AssertionError("nothing was raised")


def test_a_lock_asks_for_patience(tmp_path: Path) -> None:
    holder = sqlite3.connect(tmp_path / "a", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")

    error = raised_by(tmp_path / "a", "BEGIN EXCLUSIVE")

    holder.close()
    assert is_locked(error)
    assert "another process is working on it" in str(unusable("a", error))
    assert "Wait until it is done" in str(unusable("a", error))


@pytest.mark.parametrize(
    ("statements", "words"),
    [
        (("PRAGMA max_page_count = 1", "CREATE TABLE t (x)"), "Make room"),
        (("PRAGMA query_only = ON", "CREATE TABLE t (x)"), "it cannot be written"),
        (("SELECT nonsense",), "no such column: nonsense. Choose another"),
    ],
)
def test_every_failure_says_what_to_do(
    statements: tuple[str, ...], words: str, tmp_path: Path
) -> None:
    error = raised_by(tmp_path / "a", *statements)

    assert not is_locked(error)
    assert words in str(unusable("a", error))


def test_what_is_no_database_can_be_overwritten(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"text" * 100)

    error = raised_by(tmp_path / "a", "SELECT * FROM sqlite_master")

    assert "start anew with --overwrite" in str(unusable("a", error))


def test_permission_is_not_damage() -> None:
    assert "it cannot be written" in str(unusable("a", PermissionError()))


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

"""Errors of SQLite, provoked for real, in words that say what to do."""

import sqlite3
from pathlib import Path

import pytest

from gnbbench.studies.failures import is_locked, unusable


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

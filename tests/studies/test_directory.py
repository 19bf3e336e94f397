"""A results directory is made, resumed, cleared or refused; nobody else's files suffer."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from gnbbench.errors import ResultsError
from gnbbench.report.files import UNFINISHED
from gnbbench.studies.directory import (
    clear,
    opened,
    other_plan,
    refuse_other_study,
    stored,
    write_report,
)
from gnbbench.studies.store import FILE_NAME


def names(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir()}


def test_records_of_zero_length_are_new_only_where_nothing_was_made_of_them(
    tmp_path: Path,
) -> None:
    (tmp_path / FILE_NAME).touch()
    opened(tmp_path).close()
    (tmp_path / FILE_NAME).write_bytes(b"")
    (tmp_path / "index.html").write_text("a report on what was there")

    with pytest.raises(ResultsError, match="but no runs"):
        opened(tmp_path)

    assert (tmp_path / FILE_NAME).read_bytes() == b""


def test_overwriting_takes_the_report_along_with_its_records(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.add({}, {"plan": 1})
    write_report(tmp_path, {"figures/fit.png": b"1", "index.html": b"2"})
    for name in ("runs.csv", "mine.txt", "figures/mine.png"):
        (tmp_path / name).write_text("mine")

    assert clear(tmp_path) == [tmp_path / "runs.csv.bak"]

    left = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*")}
    assert left == {"runs.csv.bak", "mine.txt", "figures/mine.png"}


def other_program(path: Path) -> bytes:
    """Write a database of another program, and return the file."""
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("CREATE TABLE mine (value)")
    connection.close()
    return path.read_bytes()


@pytest.mark.parametrize("taken", [FILE_NAME, "index.html", "runs.csv", "figures/fit.png"])
def test_what_is_not_of_a_study_is_never_cleared(taken: str, tmp_path: Path) -> None:
    (tmp_path / "figures").mkdir()
    content = other_program(tmp_path / taken)

    if taken == FILE_NAME:
        with pytest.raises(ResultsError, match=r"another program\. Use another"):
            clear(tmp_path)
    else:
        assert clear(tmp_path) == []

    assert (tmp_path / taken).read_bytes() == content


def test_a_killed_study_is_known_by_its_log(tmp_path: Path) -> None:
    """As an earlier version left it, which wrote its mark into the log first."""
    script = (
        "import os, sqlite3; from gnbbench.studies.schema import creation\n"
        f"made = sqlite3.connect({str(tmp_path / FILE_NAME)!r}, isolation_level=None)\n"
        "for text in ('PRAGMA journal_mode = WAL', *creation()): made.execute(text)\n"
        "os._exit(9)"
    )
    subprocess.run([sys.executable, "-c", script], check=False)
    assert (
        len((tmp_path / FILE_NAME).read_bytes())
        < 10_000
        < ((tmp_path / f"{FILE_NAME}-wal").stat().st_size)
    )

    assert clear(tmp_path) == []

    assert names(tmp_path) == set()


def test_a_file_in_the_place_of_the_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")

    with pytest.raises(ResultsError, match="cannot be written"):
        opened(tmp_path / "file")

    assert (tmp_path / "file").read_text() == "mine"


def test_a_directory_in_the_place_of_the_records_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).mkdir()

    for of in (opened, clear):
        with pytest.raises(ResultsError):
            of(tmp_path)


def test_what_a_killed_report_left_is_swept_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "figures").mkdir()
    left = [tmp_path / f"{name}{UNFINISHED}" for name in (".a.json.1", "figures/.b.png.2")]
    kept = [tmp_path / name for name in (".notes.csv.20260101", ".page.html.original")]
    for path in (*left, *kept):
        path.write_text("half")
        os.utime(path, (0, 0))
    under_way = tmp_path / f".index.html.1{UNFINISHED}"
    under_way.write_text("another process is at it")

    opened(tmp_path).close()

    assert not any(path.exists() for path in left)
    assert all(path.exists() for path in (*kept, under_way))


def test_stored_records_are_read_and_not_touched(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.add({}, {"plan": 1})
    before = (tmp_path / FILE_NAME).read_bytes()

    with stored(tmp_path) as found:
        found.add({}, {"more": 2})

    assert (tmp_path / FILE_NAME).read_bytes() == before
    assert names(tmp_path) == {FILE_NAME}


@pytest.mark.parametrize("path", ["", "nothing"])
def test_no_records_are_none_to_read(path: str, tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match=r"there is no runs\.sqlite"):
        stored(tmp_path / path)


def test_a_report_goes_nowhere_where_another_study_is(tmp_path: Path) -> None:
    refuse_other_study(tmp_path / "new")
    opened(tmp_path / "old").close()

    with pytest.raises(ResultsError, match="records of something else"):
        refuse_other_study(tmp_path / "old")


def test_a_refusal_of_another_plan_says_what_differs() -> None:
    kept = {"study": "compare", "runs": 100, "sha256": "a", "digests": {"GNB": "1"}}
    asked = {
        **{"study": "compare", "runs": 20, "sha256": "a", "digests": {"GNB": "2"}},
        "specifications": {"GNB": "my_gnb.py:GNB"},
    }

    assert str(other_plan(Path("out"), kept, asked)) == (
        "out: this directory holds a study with other settings (runs: 100, now 20, "
        "my_gnb.py changed). Use --overwrite or another --out."
    )

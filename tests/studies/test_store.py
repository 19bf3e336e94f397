"""The store keeps whole batches, gives them back in one order, and refuses strangers."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gnbbench.errors import ResultsError
from gnbbench.records import TABLES
from gnbbench.studies import schema
from gnbbench.studies.store import FILE_NAME, Store, discard

Tables = dict[str, list[tuple[Any, ...]]]


def batch(first: int, n_runs: int = 2) -> Tables:
    """Return made-up rows of some runs."""
    runs = range(first, first + n_runs)
    metrics = (0.5,) * 9 + (None, None)
    return {
        "runs": [(run, name, "ok", "", 7, 3, 2, *metrics) for run in runs for name in "ab"],
        "confusion": [(first, "a", 0, 1, 10 + first), (first, "a", 1, -1, 1)],
        "probability_differences": [(first, "b", None, 5), (first, "b", -3, 1)],
    }


NOTES = {"plan": {"study": "compare"}, "environment": {}, "dataset": {}, "timing_notes": {}}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Give the file of a store with one batch."""
    with Store(tmp_path / FILE_NAME) as store:
        store.add(batch(0), {**NOTES, "long": "x" * 10_000})
    return tmp_path / FILE_NAME


@pytest.mark.parametrize("order", [(4, 0), (0, 4)])
def test_counts_are_added_and_rows_come_back_in_one_order(order: tuple[int, ...]) -> None:
    with Store() as store:
        store.add({}, NOTES)
        for first in order:
            store.add(batch(first))

        records = store.records()

    assert records.plan == {"study": "compare"}
    assert records.runs["run"].tolist() == [0, 0, 1, 1, 4, 4, 5, 5]
    assert np.isnan(records.runs["brier_score"]).all()
    assert records.confusion.to_dict("records") == [
        {"implementation": "a", "truth": 0, "label": 1, "count": 24},
        {"implementation": "a", "truth": 1, "label": -1, "count": 2},
    ]
    decades = records.probability_differences
    assert decades["decade"].isna().tolist() == [True, False]
    assert decades["count"].tolist() == [10, 2]


@pytest.mark.parametrize("name", TABLES)
def test_rows_come_back_by_point_whatever_their_order(name: str) -> None:
    """The same rows in two orders, beside rows of another point."""
    found = []
    for order in ((1, 2, 3), (3, 1, 2)):
        rows = [
            tuple(
                value if schema.kind(c) == "INTEGER" else str(value) for c in TABLES[name]
            )
            for value in order
        ]
        with Store() as store:
            for point in (0, 5):
                store.add({name: rows}, point=point)
            found.append(store._read(schema.selection(name), (5,)))

    pd.testing.assert_frame_equal(found[0], found[1])
    assert len(found[0]) == 3


def test_a_batch_that_breaks_leaves_nothing_behind(path: Path) -> None:
    broken = batch(2)
    broken["runs"].append(broken["runs"][0])
    with Store(path) as store:
        with pytest.raises(ResultsError, match="contradict"):
            store.add(broken)

        assert store.finished_runs() == {0, 1}
        assert store.records().confusion["count"].sum() == 11


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("CREATE TABLE songs (title TEXT)", "belongs to another program"),
        ("PRAGMA user_version = 7", "belongs to another program"),
        (
            f"PRAGMA application_id = {schema.APPLICATION_ID}; PRAGMA user_version = 99",
            "is 99",
        ),
    ],
)
def test_a_database_of_another_program_or_schema_is_refused_and_kept(
    statement: str, words: str, tmp_path: Path
) -> None:
    path = tmp_path / FILE_NAME
    with closing(sqlite3.connect(path)) as foreign:
        foreign.executescript(statement)
    before = path.read_bytes()

    with pytest.raises(ResultsError, match=words):
        Store(path)

    assert path.read_bytes() == before


DYING = """
import os, signal, sys
from pathlib import Path
from gnbbench.studies.store import Store

def rows():
    for run in range(1000):
        if run == 900:
            os.kill(os.getpid(), signal.SIGKILL)
        yield (run, "a", 0, 1, 1)

store = Store(Path("runs.sqlite"))
store.add({"confusion": [(0, "a", 0, 1, 5)]}, {"plan": 1})
# Pages leave the cache early, so that a part of the batch is on disk when the end comes.
store._connection.execute("PRAGMA cache_size = 1")
if "unsafe" in sys.argv:
    store._transaction = __import__("contextlib").nullcontext
store.add({"confusion": rows()})
"""


@pytest.mark.slow
@pytest.mark.parametrize(("way", "count"), [("safe", 5), ("unsafe", 905)])
def test_killed_within_a_batch_none_is_left(way: str, count: int, tmp_path: Path) -> None:
    """Without transactions ("unsafe", the negative control) a part of it would be."""
    done = subprocess.run([sys.executable, "-c", DYING, way], cwd=tmp_path, check=False)

    assert done.returncode == -signal.SIGKILL
    with Store(tmp_path / FILE_NAME) as store:
        store.add({}, {"environment": {}, "dataset": {}})
        assert store.records().confusion["count"].sum() == count


READS: dict[str, Callable[[Store], Any]] = {
    "records": lambda store: store.records(),
    "finished_runs": lambda store: store.finished_runs(),
    "note": lambda store: store.note("plan"),
    "add": lambda store: store.add(batch(7)),
    "in_memory": lambda store: store.in_memory().records(),
}


@pytest.mark.parametrize("read", READS)
def test_damage_while_the_store_is_open_is_an_error_of_ours(read: str, path: Path) -> None:
    with Store(path) as store:
        store._connection.execute("PRAGMA cache_size = 0")
        pages = path.stat().st_size // 4096
        with path.open("r+b") as file:
            file.seek(4096)
            file.write(b"\xa5" * 4096 * (pages - 1))

        with pytest.raises(ResultsError, match="it is damaged"):
            READS[read](store)


def test_a_copy_in_memory_leaves_the_file_and_makes_another(path: Path) -> None:
    with Store(path) as store:
        copy = store.in_memory()
    before = path.read_bytes()

    copy.add(batch(2))

    assert path.read_bytes() == before
    assert [left.name for left in path.parent.iterdir()] == [FILE_NAME]
    path.with_name("again.sqlite").write_bytes(copy.serialized())
    with Store(path.with_name("again.sqlite")) as again:
        assert again.finished_runs() == {0, 1, 2, 3}
        pd.testing.assert_frame_equal(again.records().runs, copy.records().runs)


@pytest.mark.slow
def test_a_discarded_store_is_gone_unless_it_is_in_use(path: Path) -> None:
    with Store(path) as store:
        with pytest.raises(ResultsError, match="another process"):
            discard(path)
        assert store.finished_runs() == {0, 1}

    discard(path)
    discard(path)

    assert list(path.parent.iterdir()) == []


def raised_by(path: Path, *statements: str) -> sqlite3.Error:
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as connection:
        try:
            for statement in statements:
                connection.execute(statement)
        except sqlite3.Error as error:
            return error
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize(
    ("content", "statements", "words"),
    [
        (b"", ["PRAGMA max_page_count = 1", "CREATE TABLE t (x)"], "Free some space"),
        (b"", ["PRAGMA query_only = ON", "CREATE TABLE t (x)"], "it cannot be written"),
        (b"", ["SELECT nonsense"], "no such column: nonsense. Use --overwrite"),
        (b"text" * 100, ["SELECT * FROM sqlite_master"], "Use another --out"),
    ],
)
def test_every_failure_says_what_to_do(
    content: bytes, statements: list[str], words: str, tmp_path: Path
) -> None:
    (tmp_path / "a").write_bytes(content)

    error = raised_by(tmp_path / "a", *statements)

    assert not schema.is_locked(error)
    assert words in str(schema.unusable("a", error))
    assert "it cannot be written" in str(schema.unusable("a", PermissionError()))


def test_one_missing_byte_is_found_unless_a_log_may_hold_it(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])

    with closing(sqlite3.connect(path)) as connection:
        with pytest.raises(sqlite3.DatabaseError, match="its end is missing"):
            schema.inspect_end(path, connection)
        verdict = connection.execute("PRAGMA integrity_check").fetchone()
        path.with_name(f"{path.name}-wal").write_bytes(b"x")
        schema.inspect_end(path, connection)

    # Why it is looked for at all: SQLite itself takes the missing byte for zero.
    assert verdict == ("ok",)


def test_opening_keeps_the_lock(path: Path) -> None:
    """A file that is opened and closed once more in the process would free it."""
    reading = "sqlite3.connect(sys.argv[1], timeout=0).execute('SELECT * FROM runs')"
    program = [sys.executable, "-c", f"import sqlite3, sys; {reading}", str(path)]
    with Store(path):
        second = subprocess.run(program, capture_output=True, check=False)

    assert b"database is locked" in second.stderr


def test_a_pipe_and_a_log_without_its_file_are_no_store(path: Path) -> None:
    os.mkfifo(path.with_name("a"))
    with pytest.raises(sqlite3.DatabaseError, match="belongs to another program"):
        schema.inspect(path.with_name("a"))
    path.with_name(f"{path.name}-wal").write_bytes(b"x")
    path.write_bytes(b"")

    with pytest.raises(sqlite3.DatabaseError, match=r"runs\.sqlite-wal beside it is not"):
        schema.inspect(path)


@pytest.mark.parametrize("suffix", ["-wal", "-journal"])
def test_a_folder_beside_the_file_is_not_a_failing_disk(suffix: str, path: Path) -> None:
    Store(path).close()
    path.with_name(path.name + suffix).mkdir()

    with pytest.raises(OSError, match=suffix):
        discard(path)
    assert path.exists()
    with pytest.raises(
        ResultsError, match=f"{suffix} beside it is a folder or a device. U"
    ):
        Store(path)

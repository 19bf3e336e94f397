"""The store keeps whole batches, gives them back in one order, and refuses strangers."""

import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gnbbench.errors import ResultsError
from gnbbench.records import TABLES
from gnbbench.studies.store import FILE_NAME, Store, discard

Tables = dict[str, list[tuple[Any, ...]]]


def batch(first: int, n_runs: int = 2) -> Tables:
    """Return made-up rows of some runs."""
    runs = range(first, first + n_runs)
    metrics = (0.5,) * 9 + (None,)
    return {
        "runs": [(run, name, "ok", "", 7, 3, 2, *metrics) for run in runs for name in "ab"],
        "confusion": [(first, "a", 0, 1, 10 + first), (first, "a", 1, -1, 1)],
        "probability_differences": [(first, "b", None, 5), (first, "b", -3, 1)],
    }


NOTES = {"plan": {"study": "compare"}, "environment": {}, "dataset": {}, "timing_notes": {}}


def test_counts_are_added_up_over_batches_and_rows_come_back_in_order() -> None:
    with Store() as store:
        store.add(batch(4), NOTES)
        store.add(batch(0))

        records = store.records()

    assert records.plan == {"study": "compare"}
    assert records.runs["run"].tolist() == [0, 0, 1, 1, 4, 4, 5, 5]
    assert records.confusion.to_dict("records") == [
        {"implementation": "a", "truth": 0, "label": 1, "count": 24},
        {"implementation": "a", "truth": 1, "label": -1, "count": 2},
    ]
    decades = records.probability_differences
    assert decades["decade"].isna().tolist() == [True, False]
    assert decades["count"].tolist() == [10, 2]


def test_records_do_not_depend_on_the_order_of_batches() -> None:
    found = []
    for order in ((0, 2, 4), (4, 0, 2)):
        with Store() as store:
            store.add({}, NOTES)
            for first in order:
                store.add(batch(first))
            found.append(store.records())

    for name in TABLES:
        pd.testing.assert_frame_equal(getattr(found[0], name), getattr(found[1], name))


def test_missing_numbers_come_back_as_nan() -> None:
    with Store() as store:
        store.add(batch(0), NOTES)

        assert np.isnan(store.records().runs["brier_score"]).all()


def test_points_are_kept_apart() -> None:
    with Store() as store:
        store.add(batch(0), NOTES)
        store.add(batch(0, 1), point=3)

        assert store.finished_runs() == {0, 1}
        assert store.finished_runs(3) == {0}
        assert len(store.records(3).runs) == 2
        assert store.records(3).confusion["count"].sum() == 11


def test_a_batch_that_breaks_leaves_nothing_behind(tmp_path: Path) -> None:
    broken = batch(2)
    broken["runs"].append(broken["runs"][0])
    with Store(tmp_path / FILE_NAME) as store:
        store.add(batch(0), NOTES)

        with pytest.raises(ResultsError, match="UNIQUE"):
            store.add(broken)

        assert store.finished_runs() == {0, 1}
        assert store.records().confusion["count"].sum() == 11


def test_what_was_added_is_there_for_the_next_process(tmp_path: Path) -> None:
    with Store(tmp_path / FILE_NAME) as store:
        store.add(batch(0), NOTES)

    with Store(tmp_path / FILE_NAME) as again:
        assert again.finished_runs() == {0, 1}
        assert again.note("plan") == {"study": "compare"}
        assert again.note("nothing") is None


def test_the_serialized_store_is_a_file_that_opens(tmp_path: Path) -> None:
    with Store() as store:
        store.add(batch(0), NOTES)
        (tmp_path / FILE_NAME).write_bytes(store.serialized())

    with Store(tmp_path / FILE_NAME) as copy:
        assert copy.finished_runs() == {0, 1}


def test_a_second_writer_is_refused_and_the_first_goes_on(tmp_path: Path) -> None:
    with Store(tmp_path / FILE_NAME) as first:
        first.add(batch(0), NOTES)

        with pytest.raises(ResultsError, match="locked"):
            Store(tmp_path / FILE_NAME, patience_seconds=0.1)

        first.add(batch(2))
        assert first.finished_runs() == {0, 1, 2, 3}


def test_a_database_of_another_program_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    with sqlite3.connect(path) as foreign:
        foreign.execute("CREATE TABLE songs (title TEXT)")
    foreign.close()
    before = path.read_bytes()

    with pytest.raises(ResultsError, match="belongs to another program"):
        Store(path)

    assert path.read_bytes() == before


def test_a_store_of_another_schema_is_refused(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    with Store(path) as store:
        store.add(batch(0), NOTES)
    with sqlite3.connect(path) as newer:
        newer.execute("PRAGMA user_version = 99")
    newer.close()

    with pytest.raises(ResultsError, match="its schema is 99"):
        Store(path)


def test_an_empty_database_that_another_program_marked_is_refused(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    with sqlite3.connect(path) as foreign:
        foreign.execute("PRAGMA user_version = 7")
    foreign.close()

    with pytest.raises(ResultsError, match="belongs to another program"):
        Store(path)


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


@pytest.mark.parametrize(("way", "count"), [("safe", 5), ("unsafe", 905)])
def test_killed_within_a_batch_nothing_of_it_is_left(
    way: str, count: int, tmp_path: Path
) -> None:
    """Without transactions ("unsafe", the negative control) a part of it would be."""
    done = subprocess.run([sys.executable, "-c", DYING, way], cwd=tmp_path, check=False)

    assert done.returncode == -signal.SIGKILL
    with Store(tmp_path / FILE_NAME) as store:
        store.add({}, {"environment": {}, "dataset": {}})
        assert store.records().confusion["count"].sum() == count


HOLDING = """
import sys, time
from pathlib import Path
from gnbbench.errors import GnbBenchError
from gnbbench.studies.store import Store

time.sleep(max(0, float(sys.argv[1]) - time.time()))
try:
    store = Store(Path("runs.sqlite"), patience_seconds=0.2)
except GnbBenchError as error:
    print(error)
else:
    time.sleep(1.0)
    store.add({}, {"plan": 1})
    print("kept")
"""


@pytest.mark.slow
@pytest.mark.parametrize("attempt", range(3))
def test_of_several_that_start_at_once_one_gets_the_store(
    attempt: int, tmp_path: Path
) -> None:
    moment = str(time.time() + 2.5 + attempt / 10)
    command = [sys.executable, "-c", HOLDING, moment]
    processes = [
        subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]

    said = [process.communicate()[0].strip() for process in processes]

    assert said.count("kept") == 1
    assert sum("another process is working on it" in line for line in said) == 3


READS: dict[str, Callable[[Store], Any]] = {
    "records": lambda store: store.records(),
    "finished_runs": lambda store: store.finished_runs(),
    "note": lambda store: store.note("plan"),
    "add": lambda store: store.add(batch(7)),
    "in_memory": lambda store: store.in_memory().records(),
}


@pytest.mark.parametrize("read", READS)
def test_damage_that_comes_while_the_store_is_open_is_an_error_of_ours(
    read: str, tmp_path: Path
) -> None:
    path = tmp_path / FILE_NAME
    with Store(path) as store:
        store.add(batch(0), NOTES)
    with Store(path) as store:
        store._connection.execute("PRAGMA cache_size = 0")
        pages = path.stat().st_size // 4096
        with path.open("r+b") as file:
            file.seek(4096)
            file.write(b"\xa5" * 4096 * (pages - 1))

        with pytest.raises(ResultsError, match="it is damaged"):
            READS[read](store)


def test_a_note_that_is_no_json_is_an_error_of_ours(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    with Store(path) as store:
        store.add(batch(0), NOTES)
        store._connection.execute("UPDATE study SET value = '{' WHERE key = 'plan'")

        with pytest.raises(ResultsError, match="it is damaged"):
            store.note("plan")


def test_a_directory_that_is_not_there_is_an_error_of_ours(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match="cannot be opened"):
        Store(tmp_path / "nothing" / FILE_NAME)


def test_a_copy_in_memory_keeps_what_the_file_holds_and_leaves_it(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    with Store(path) as store:
        store.add(batch(0), NOTES)
        copy = store.in_memory()
    before = path.read_bytes()

    copy.add(batch(2))

    assert copy.finished_runs() == {0, 1, 2, 3}
    assert path.read_bytes() == before
    assert [left.name for left in tmp_path.iterdir()] == [FILE_NAME]
    (tmp_path / "again.sqlite").write_bytes(copy.serialized())
    with Store(tmp_path / "again.sqlite") as again:
        assert again.finished_runs() == {0, 1, 2, 3}


@pytest.mark.slow
def test_what_is_discarded_is_gone_unless_it_is_held(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    with Store(path) as store:
        store.add(batch(0), NOTES)
        with pytest.raises(ResultsError, match="another process"):
            discard(path)
        assert store.finished_runs() == {0, 1}

    discard(path)
    discard(path)

    assert list(tmp_path.iterdir()) == []

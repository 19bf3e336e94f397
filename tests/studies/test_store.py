"""The store keeps whole batches, gives them back in one order, and refuses strangers."""

import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gnbbench.errors import ResultsError
from gnbbench.records import TABLES
from gnbbench.studies.store import FILE_NAME, Store

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

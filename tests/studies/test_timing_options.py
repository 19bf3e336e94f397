"""Options of the timing from the call to the report, and what does not depend on them."""

import json
import re
import shutil
import sqlite3
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any
from unittest.mock import Mock

import pandas as pd
import pytest
from faults.studies import prepared

import gnbbench
from gnbbench.errors import ImplementationError, ResultsError
from gnbbench.implementations import Implementation
from gnbbench.statistics.timing import recorded
from gnbbench.studies.compare import Compare
from gnbbench.studies.configuration import config_text, configuration
from gnbbench.studies.reports import note_changes
from gnbbench.studies.store import Store
from gnbbench.studies.stored import draw_again

# Both load at once, as scikit-learn does not.
PAIR = {"reference": "numpy", "against": "density-product"}
QUICK: dict[str, Any] = {"runs": 3, "jobs": 1, **PAIR}


@pytest.fixture(scope="module")
def repeated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of a study that was timed in two processes."""
    out = tmp_path_factory.mktemp("repeated") / "here"
    timed: dict[str, Any] = {"processes": 2, "precision": 0.2, "budget_seconds": 1.5}
    gnbbench.compare("iris", out=out, **timed, **QUICK)
    return out


@pytest.mark.slow
def test_times_of_two_processes_reach_the_report(repeated: Path) -> None:
    document = json.loads((repeated / "summary.json").read_text())

    assert document["timing_plan"]["processes"] == 2
    assert {row["processes"] for row in document["ratios"]} == {2}
    for row in document["ratios"]:
        assert row["low"] <= row["process_low"] <= row["ratio"]
        assert row["ratio"] <= row["process_high"] <= row["high"]
    assert "Repeated in 2 fresh processes." in document["timing_regime"]
    page = (repeated / "index.html").read_text()
    assert "over processes" in page
    assert "Peak memory of one call" in page


@pytest.mark.slow
def test_times_of_other_options_are_taken_anew(repeated: Path, tmp_path: Path) -> None:
    shutil.copytree(repeated, tmp_path, dirs_exist_ok=True)
    before = (tmp_path / "summary.json").read_bytes()

    gnbbench.compare("iris", out=tmp_path, **QUICK)
    assert (tmp_path / "summary.json").read_bytes() == before
    study = gnbbench.compare("iris", out=tmp_path, threads=2, budget="50ms", **QUICK)

    assert "limited to 2 threads" in study.details.timing_regime
    change = study.details.details["last_study"]
    assert change["environment"] == ["Timing, threads: was 1, now 2."]


@pytest.mark.parametrize(("changed", "compared"), [("digests", True), ("seed", False)])
def test_only_the_code_compared_may_have_changed(changed: str, *, compared: bool) -> None:
    replaced, store = Store(), Store()
    for value, records in (("then", replaced), ("now", store)):
        plan = {"reference": "sklearn", changed: {"my_gnb": value}}
        records.add({}, {"timing_notes": {"taken": value}, "plan": plan})
    summarize = Mock(side_effect=ResultsError("", "it is unfinished", ""))

    with suppress(ResultsError):
        note_changes(summarize, store, Path(), replaced)

    assert summarize.called == compared


@pytest.mark.slow
def test_a_store_of_an_earlier_version_is_read(repeated: Path, tmp_path: Path) -> None:
    """It knows no memory and no processes; what it holds is then of one."""
    shutil.copyfile(repeated / "runs.sqlite", tmp_path / "runs.sqlite")
    with sqlite3.connect(tmp_path / "runs.sqlite") as connection:
        connection.execute("DELETE FROM study WHERE key = 'memory'")
        query = "SELECT value FROM study WHERE key = 'timing_notes'"
        notes = json.loads(connection.execute(query).fetchone()[0])
        for key in ("processes", "is_precise"):
            notes.pop(key, None)
        notes["plan"].pop("precision")
        update = "UPDATE study SET value = ? WHERE key = 'timing_notes'"
        connection.execute(update, (json.dumps(notes),))
    connection.close()

    found, now = draw_again(tmp_path).details, draw_again(repeated).details

    assert found.memory.empty
    assert set(found.ratios["processes"]) == {1}
    assert found.ratios["process_low"].isna().all()
    assert len(found.timing_rounds) == len(now.timing_rounds)
    assert not now.memory.empty


@pytest.mark.slow
def test_times_are_taken_again_on_request_and_all_else_is_kept(tmp_path: Path) -> None:
    def study(**options: Any) -> Any:
        out = tmp_path / "here"
        return gnbbench.compare("iris", out=out, budget_seconds=0.05, **QUICK, **options)

    first, rerun = study(), study()
    again = study(remeasure=True)

    assert first.recorded == again.recorded == ""
    assert re.fullmatch(
        r"Nothing was measured\. Times are from \d+ \w+ \d{4}, \d\d:\d\d"
        r"( \(load \d+\.\d\))?; --remeasure repeats the timing\.",  # Unless it was high
        rerun.recorded,
    )
    pd.testing.assert_frame_equal(first.runs, again.runs)
    pd.testing.assert_frame_equal(first.details.timing, rerun.details.timing)
    assert not first.details.timing.equals(again.details.timing)
    stored = draw_again(tmp_path / "here")
    pd.testing.assert_frame_equal(stored.details.timing, again.details.timing)


def test_times_of_an_earlier_version_have_no_date() -> None:
    loads = {"fit": 1.0, "predict": 3.96, "predict_proba": None}
    noise = {operation: {"load": load} for operation, load in loads.items()}

    assert "from an earlier call (load 4.0); " in recorded({"noise": noise})
    assert "remeasure" not in recorded(None)


def test_a_file_repeats_them() -> None:
    made = prepared("iris", runs=3, precision=0.02, processes=2, threads=2)

    wanted = configuration(config_text(made))

    again = prepared("iris", **wanted.options)
    assert {**made.options.changed(), "against": ("numpy",)} == again.options.changed()
    assert again.plan == made.plan


def test_implementations_that_cannot_be_sent_are_refused_before_evaluation() -> None:
    class Holding:
        def __init__(self) -> None:
            self.lock = Lock()

        def __call__(self) -> Any:
            raise AssertionError("is not to be made")

    made = prepared("iris", against={"holding": "numpy"}, runs=3, processes=2, jobs=1)
    entries = (made.entries[0], Implementation("holding", Holding()))

    with pytest.raises(ImplementationError, match="cannot be sent to another process"):
        Compare().run(replace(made, entries=entries))

"""Stored studies are drawn as they were, and compared only with their like."""

import gzip
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from faults.listeners import Listener
from reading.commands import assert_refused, call, left_out

import gnbbench
from gnbbench.errors import ResultsError
from gnbbench.report.blocks import Fold, Snippet
from gnbbench.studies.directory import reading
from gnbbench.studies.store import FILE_NAME
from gnbbench.studies.stored import compare_stored, draw_again

pytestmark = pytest.mark.slow

Directories = dict[str, Path]


def carried_out(out: Path, **options: Any) -> Path:
    gnbbench.compare("iris", out=out, budget_seconds=0.05, **options)
    return out


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> Directories:
    """Give two studies on the same splits, and a sweep."""
    root = tmp_path_factory.mktemp("studies")
    smooth = {"numpy": gnbbench.GaussianNB(var_smoothing=0.5)}
    found = {
        "plain": carried_out(root / "plain", runs=12),
        "smooth": carried_out(root / "smooth", runs=12, against=smooth),
        "sweep": root / "sweep",
    }
    gnbbench.sweep_split(
        "iris",
        runs=3,
        train_fractions=(0.01, 0.5, 0.8),
        out=found["sweep"],
        budget_seconds=0.05,
    )
    return found


def test_a_study_that_was_interrupted_is_not_drawn(tmp_path: Path) -> None:
    progress = Listener("runs")
    with pytest.raises(KeyboardInterrupt):
        gnbbench.compare("iris", runs=60, out=tmp_path, progress=progress)

    assert progress.told == [("runs", 60, 0), 8, ("runs", 60, 8)]
    with pytest.raises(ResultsError, match=r"not finished \(8 of 60 runs\). Finish it"):
        draw_again(tmp_path)


def test_the_same_splits_are_paired(studies: Directories) -> None:
    comparison = compare_stored(studies["plain"], studies["smooth"])

    assert comparison.paired
    # They are called the same; what "numpy" does has changed.
    assert set(comparison.regressions["implementation"]) == {"numpy"}
    changes = comparison.changes.set_index(["implementation", "metric"])
    old, new = (
        draw_again(studies[name]).runs.query("implementation == 'numpy'")["test_accuracy"]
        for name in ("plain", "smooth")
    )
    difference = changes.loc[("numpy", "test_accuracy"), "difference"]
    assert difference == pytest.approx(new.mean() - old.mean())


def test_a_sweep_is_compared_at_every_fraction(studies: Directories) -> None:
    comparison = compare_stored(studies["sweep"], studies["sweep"])

    assert {"0.5", "0.8"} <= set(comparison.changes["point"])
    assert set(comparison.changes["change"]) == {"same"}


OTHERS = {"study": "its study differs", "dataset": "iris and wine", "sha256": "other val"}


@pytest.mark.parametrize(("field", "words"), OTHERS.items())
def test_other_kinds_and_data_are_refused(
    field: str, words: str, studies: Directories, tmp_path: Path
) -> None:
    other = studies["sweep"]
    if field != "study":
        other = tmp_path / FILE_NAME
        shutil.copy(studies["plain"] / FILE_NAME, other)
        connection = sqlite3.connect(other)
        with connection:
            connection.execute(
                f"UPDATE study SET value = json_set(value, '$.{field}', 'wine') "  # noqa: S608  our own names
                "WHERE key = 'plan'"
            )
        connection.close()

    with pytest.raises(ResultsError, match=words):
        compare_stored(studies["plain"], other)


def test_the_lines_of_python_show_a_disputed_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    golden = Path(__file__).parents[1] / "golden" / "compare" / "runs.sqlite.gz"
    (tmp_path / "runs.sqlite").write_bytes(gzip.decompress(golden.read_bytes()))
    study = draw_again(tmp_path)
    section = next(part for part in study.document.sections if part.anchor == "disputed")
    (fold,) = (block for block in section.blocks if isinstance(block, Fold))
    (lines,) = (block.text for block in fold.blocks if isinstance(block, Snippet))

    exec(lines, {})  # noqa: S102  the lines are what is tested

    (ours, label), (theirs, other) = map(str.split, capsys.readouterr().out.splitlines())
    assert (ours, theirs) == ("sklearn", "study-b")
    assert label != other


# What is done to a store -> the message.
EDITS = (
    ("DROP TABLE votes", "no such table: votes"),
    ("ALTER TABLE runs RENAME COLUMN status TO state", "no such column: status"),
    ("DELETE FROM study", "the note 'plan' in its table 'study' is damaged or missing"),
    ("UPDATE study SET value = '[]' WHERE key = 'plan'", "the note 'plan' in its table"),
    ("UPDATE study SET value = 'null'", "the note 'plan' in its table 'study' is damaged"),
    ("UPDATE study SET value = '3' WHERE key = 'environment'", "the note 'environment' in"),
    ("DELETE FROM study WHERE key = 'dataset'", "the note 'dataset' in its table 'study'"),
    ("UPDATE study SET value = replace(hex(zeroblob(50000)), '0', '[')", "it is damaged"),
    ("PRAGMA application_id = 5", "it belongs to another program"),
)


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the records of a small study, without a report."""
    here = tmp_path_factory.mktemp("records")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gnbbench.report.blocks.draw_figure", left_out)
        return carried_out(here, runs=3) / FILE_NAME


@pytest.mark.parametrize(("statement", "words"), EDITS)
def test_records_that_were_edited_are_refused_in_one_line(
    statement: str, words: str, records: Path, tmp_path: Path
) -> None:
    shutil.copy(records, tmp_path)
    connection = sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)
    connection.execute(statement)
    connection.close()

    assert_refused(("report", tmp_path), words, tmp_path)


# Of records without a seal: what was done to them. The last changes nothing.
EDITED = {
    "runs": "UPDATE runs SET test_accuracy = 'text'",
    "times": "UPDATE timings SET seconds = 'text' WHERE rowid = 1",
    "plan": "UPDATE study SET value = json_set(value, '$.runs', 'x') WHERE key = 'plan'",
    "machine": "UPDATE study SET value = json_set(value, '$.versions', 5) "
    "WHERE key = 'environment'",
    "classes": "UPDATE study SET value = json_set(value, '$.class_names', 5) "
    "WHERE key = 'dataset'",
    "": "UPDATE runs SET run = run",
}


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("part", EDITED)
def test_records_that_were_edited_are_refused_where_they_cannot_be_used(
    part: str, studies: Directories, tmp_path: Path
) -> None:
    shutil.copy(studies["plain"] / FILE_NAME, tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as connection:
        connection.execute(EDITED[part])
    before = (tmp_path / FILE_NAME).read_bytes()

    if part:
        words = ("report", tmp_path), ("diff", studies["plain"], tmp_path)
        for command in words:
            assert_refused(command, "damaged or", tmp_path)
        assert (tmp_path / FILE_NAME).read_bytes() == before
    else:
        assert call("report", tmp_path)[0] == 0


def test_faults_of_sealed_records_are_ours(studies: Directories, tmp_path: Path) -> None:
    shutil.copy(studies["plain"] / FILE_NAME, tmp_path)

    for directory, is_trusted, kind in (
        (studies["plain"], None, TypeError),
        (tmp_path, None, ResultsError),
        (tmp_path, True, TypeError),
    ):
        with pytest.raises(kind), reading(directory, is_trusted=is_trusted):
            raise TypeError


@pytest.mark.usefixtures("undrawn")
def test_records_that_somebody_removes_meanwhile_are_written_again(tmp_path: Path) -> None:
    listener, begin = Listener(), Listener.begin

    def removing(stage: str, total: int | None = None, done: int = 0) -> None:
        begin(listener, stage, total, done)
        if stage == "report":
            shutil.rmtree(tmp_path / "out")

    vars(listener)["begin"] = removing
    options = {"runs": 3, "budget_seconds": 0.05, "out": tmp_path / "out"}
    study = gnbbench.compare("iris", progress=listener, **options)

    again = draw_again(tmp_path / "out")
    assert again.runs.equals(study.runs)

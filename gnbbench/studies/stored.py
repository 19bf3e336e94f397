"""Stored studies, drawn again or compared with each other."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gnbbench.errors import ResultsError
from gnbbench.report.files import SUMMARY_NAME, runs_format, stored_document
from gnbbench.statistics.comparison import Comparison, Side, compare_sides
from gnbbench.statistics.documents import MATRIX_SCHEMA
from gnbbench.statistics.matrix import Entry, Matrix
from gnbbench.statistics.summary import Summary
from gnbbench.studies.directory import GIVE_STUDY, is_sealed, reading, stored
from gnbbench.studies.kinds import STUDIES, kind_named
from gnbbench.studies.matrix import CompareMany, MatrixStudy
from gnbbench.studies.schema import require_notes
from gnbbench.studies.store import FILE_NAME, Store
from gnbbench.studies.study import Study


def draw_again(directory: str | Path) -> Study:
    """Rebuild a study from its records, without measuring anything."""
    document = stored_document(Path(directory))
    if document.get("schema") == MATRIX_SCHEMA:
        return _matrix(Path(directory), document)
    with stored(Path(directory)) as store, reading(Path(directory)):
        study = _study(store)
    study.runs_format = runs_format(Path(directory))
    return study


def _study(store: Store) -> Study:
    name = require_notes(store.name, store.notes(""))["study"]
    if name not in {kind.name for kind in STUDIES}:
        what = f"it holds an unknown kind of study ({name})"
        raise ResultsError(str(store.name), what, GIVE_STUDY)
    kind = kind_named(name).load()
    return Study(kind, kind.summarize(store), store.serialized())


def _matrix(directory: Path, document: Mapping[str, Any]) -> MatrixStudy:
    """Rebuild a matrix from the records of each dataset's study."""
    try:
        listed = [(str(e["name"]), str(e["folder"])) for e in document["datasets"]]
        command, left_out = str(document["command"]), document["left_out"]
        sentences = tuple(map(str, left_out if isinstance(left_out, list) else ()))
    except (KeyError, TypeError) as error:
        what = f"{SUMMARY_NAME} is damaged ({type(error).__name__}: {error})"
        raise ResultsError(str(directory), what, "Run the study again.") from error
    studies = {folder: draw_again(directory / folder) for _, folder in listed}
    entries = [Entry(name, folder, studies[folder].details) for name, folder in listed]
    if len({entry.summary.implementations for entry in entries}) != 1:
        what = "its studies compare different implementations"
        raise ResultsError(str(directory), what, "Run the study again.")
    return MatrixStudy(CompareMany(), Matrix(tuple(entries), command, sentences), studies)


def compare_stored(
    old: str | Path, new: str | Path, *, tolerance: float | None = None
) -> Comparison:
    """Return how a stored study differs from an earlier one."""
    sides = [_side(Path(path)) for path in (old, new)]
    trusted = all(map(is_sealed, map(_directory, (old, new))))
    for what, values in (
        ("study", [side.summary.study for side in sides]),
        ("dataset", [side.summary.plan.get("dataset") for side in sides]),
        ("data", [side.summary.plan.get("sha256") for side in sides]),
    ):
        if values[0] != values[1]:
            other = "other values" if what == "data" else f"{values[0]} and {values[1]}"
            fault = f"its {what} differs from that of {old} ({other})"
            remedy = "Compare studies of one kind on the same data."
            raise ResultsError(str(new), fault, remedy)
    with reading(Path(new), is_trusted=trusted):
        return compare_sides(*sides, tolerance=tolerance)


def _directory(path: str | Path) -> Path:
    """Return the directory of a study, of which its records may be given."""
    return Path(path).parent if Path(path).name == FILE_NAME else Path(path)


def _side(path: Path) -> Side:
    with stored(_directory(path)) as store, reading(_directory(path)):
        summary = _study(store).details
    if not isinstance(summary, Summary) or "metrics" not in summary.tables:
        what = f"a study of kind {summary.study} cannot be compared"
        raise ResultsError(str(path), what, "Give studies made by compare or sweep-split.")
    return Side(str(path), summary)

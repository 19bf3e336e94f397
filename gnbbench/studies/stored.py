"""Stored studies: drawn again, or compared with each other."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gnbbench.errors import ResultsError
from gnbbench.files import json_of
from gnbbench.records import METRICS
from gnbbench.report.files import SUMMARY_NAME, runs_format, stored_document
from gnbbench.statistics.comparison import Comparison, Side, compare_sides, side
from gnbbench.statistics.documents import MATRIX_SCHEMA, document
from gnbbench.statistics.matrix import Entry, Matrix
from gnbbench.statistics.schema import TABLES, ColumnSchema
from gnbbench.statistics.summary import Summary
from gnbbench.studies.directory import stored
from gnbbench.studies.kinds import STUDIES, kind_named
from gnbbench.studies.matrix import CompareMany, MatrixStudy
from gnbbench.studies.schema import require_notes
from gnbbench.studies.store import FILE_NAME, Store
from gnbbench.studies.study import Study

_READ_ONE = "Give the directory of a study, or its summary.json."


def draw_again(directory: str | Path) -> Study:
    """Return a study made from its records, without measuring anything."""
    document = stored_document(Path(directory))
    if document.get("schema") == MATRIX_SCHEMA:
        return _matrix(Path(directory), document)
    with stored(Path(directory)) as store:
        study = _study(store)
    study.runs_format = runs_format(Path(directory))
    return study


def _study(store: Store) -> Study:
    name = require_notes(store.name, store.notes(""))["study"]
    if name not in {kind.name for kind in STUDIES}:
        raise ResultsError(
            str(store.name),
            f"it holds an unknown kind of study ({name})",
            "Give the directory of a study, such as one in reports/.",
        )
    kind = kind_named(name).load()
    return Study(kind, kind.summarize(store), store.serialized())


def _matrix(directory: Path, document: Mapping[str, Any]) -> MatrixStudy:
    """Return a matrix from the records of its datasets' studies."""
    try:
        listed = [(str(e["name"]), str(e["folder"])) for e in document["datasets"]]
        command, left_out = str(document["command"]), document["left_out"]
        sentences = tuple(map(str, left_out if isinstance(left_out, list) else ()))
    except (KeyError, TypeError) as error:
        what = f"{SUMMARY_NAME} is damaged ({type(error).__name__}: {error})"
        raise ResultsError(str(directory), what, "Run the study again.") from error
    studies = {folder: draw_again(directory / folder) for _, folder in listed}
    entries = [Entry(name, folder, studies[folder].details) for name, folder in listed]
    return MatrixStudy(CompareMany(), Matrix(tuple(entries), command, sentences), studies)


def compare_stored(
    old: str | Path, new: str | Path, *, tolerance: float | None = None
) -> Comparison:
    """Return how a stored study differs from an earlier one."""
    sides = [_side(Path(path)) for path in (old, new)]
    for what, values in (
        ("study", [study.study for study in sides]),
        ("dataset", [study.plan.get("dataset") for study in sides]),
        ("data", [study.plan.get("sha256") for study in sides]),
    ):
        if values[0] != values[1]:
            other = "other values" if what == "data" else f"{values[0]} and {values[1]}"
            raise ResultsError(
                str(new),
                f"its {what} differs from that of {old} ({other})",
                "Compare studies of one kind on the same data.",
            )
    return compare_sides(*sides, tolerance=tolerance)


def _side(path: Path) -> Side:
    directory = path.parent if path.name == FILE_NAME else path
    if (directory / FILE_NAME).exists():
        with stored(directory) as store:
            summary = _study(store).details
        if not isinstance(summary, Summary) or "metrics" not in summary.tables:
            what = f"a study of kind {summary.study} cannot be compared"
            raise ResultsError(
                str(path), what, "Give studies made by compare or sweep-split."
            )
        return side(str(path), document(summary), summary.runs)
    file = path / SUMMARY_NAME if path.is_dir() else path
    try:
        saved = json_of(file)
        _refuse_edited(file, saved)
        return side(str(path), saved)
    except OSError as error:
        what = f"it cannot be read ({error.strerror or error})"
        raise ResultsError(str(file), what, _READ_ONE) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        what = "it is not the summary of a study"
        raise ResultsError(str(file), what, _READ_ONE) from error


# Entry of a summary that is compared, besides tables -> its type.
_ENTRIES = {"plan": dict, "environment": dict, "implementations": list, "n_runs": int}
_COMPARED = ("metrics", "agreement", "timing", "ratios")


def _refuse_edited(file: Path, document: Mapping[str, Any]) -> None:
    """Raise at the first entry or number that no study writes into a summary."""
    if not str(document["schema"]).startswith("gnbbench "):
        raise ValueError
    for name, kind in {**_ENTRIES, **dict.fromkeys(_COMPARED, list)}.items():
        if not isinstance(document.get(name), kind):
            what = f"its '{name}' is missing or of another kind"
            raise ResultsError(str(file), what, _READ_ONE)
    for name, column in ((n, c) for n in _COMPARED for c in TABLES["compare"][n].columns):
        for row in document[name]:
            expected = _expected(column, row)
            if expected:
                what = f"'{column.name}' in '{name}' is {row.get(column.name)!r}"
                raise ResultsError(str(file), f"{what}, not {expected}", _READ_ONE)


SHARES = {name for name, metric in METRICS.items() if metric.high == 1.0}


def _expected(column: ColumnSchema, row: Mapping[str, Any]) -> str:
    """Return what a row should hold where it holds something else; else nothing."""
    value = row.get(column.name)
    if column.dtype == "str":
        return "" if isinstance(value, str) else "text"
    if value is None or value in ("Infinity", "-Infinity"):
        return ""
    if not isinstance(value, int | float):
        return "a number"
    is_share = column.name == "mean" and row["metric"] in SHARES
    return "a share" if is_share and not 0 <= value <= 1 + 1e-9 else ""

"""What stands in ``summary.json`` of a summary of each kind, and tables by their columns.

Statistics make their tables by `gnbbench.statistics.columns`, documents and CSV files take
their columns from there, and a column that a table lacks is an error.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from gnbbench.statistics.columns import (
    CHECK_TABLES,
    CONFORMANCE_TABLES,
    EXPLAIN_TABLES,
    POINTED,
    RUN_TABLES,
    SCALE_TABLES,
    SWEEP,
    SWEEP_TABLES,
    TABLES,
    Column,
)

# What stands in ``summary.json`` beside tables.
FIELDS: Mapping[str, str] = {
    "study": "Kind of study",
    "command": "Command line that repeats it",
    "headline": "The finding, in a sentence",
    "detail": "What belongs to it",
    "timing_regime": "How it was timed, in a sentence",
    "plan": "Object, as the study recorded it",
    "environment": "Object: versions, machine, threads",
    "dataset": "Object: name, sizes, origin, classes, features",
    "reference": "Name of the implementation that the others are compared with",
    "implementations": "Names, the reference first",
    "n_runs": "Runs (at each point)",
    "n_train": "Training samples of each run",
    "n_test": "Test samples of each run",
    "fractions": "Train fractions, in the order of points",
    "margin": "Largest difference that does not matter, a share of accuracy",
    "verdicts": "Objects with implementation, outcome, sentence and detail",
    "timing_plan": "Object: regime, threads, processes, ...; empty: nothing was timed",
    "warnings": "Remarks, one sentence each",
    "notes": "Likewise",
    "correlation": '"pearson" or "spearman": that of the heat maps',
    "feature_names": "In the order of features and contributions",
    "class_names": "In the order of posteriors",
    "decision_regions": "null, or an object that counts points of the grid",
    "streamed": "null, or an object with the tables passes and parameters",
    "expected_failures": "Ids of the checks whose failure is known",
    "counts": "Object: verdict -> number of claims",
    "remarks": "Remarks, one sentence each",
}

# The fields of each document, in order, after its name and its version, which grows
# whenever a field is renamed, removed or changes its meaning.
_HEAD = ("study", "command", "headline", "timing_regime", "plan", "environment")
_FOUND = (*_HEAD[:3], *_HEAD[4:])
_WHO = ("reference", "implementations")
_RUN_TABLES = tuple(
    name for name in RUN_TABLES if name not in ("points", "timing_rounds", "features")
)


@dataclass(frozen=True)
class Document:
    """What stands in ``summary.json`` of a kind of study."""

    schema: str
    version: int
    fields: tuple[str, ...]


_EXPLAIN = (
    *(*_FOUND, "dataset", "feature_names", "class_names"),
    *("reference", "n_runs", "n_train", "n_test"),
    *(column.name for column in EXPLAIN_TABLES["diagnoses"].columns),
)
_COMPARE = Document(
    "gnbbench summary",
    1,
    (
        *(*_HEAD, "dataset", *_WHO, "n_runs", "n_train", "n_test", "margin", "verdicts"),
        *(*_RUN_TABLES, "timing_plan", "warnings", "decision_regions", "streamed"),
    ),
)
DOCUMENTS: Mapping[str, Document] = {
    "compare": _COMPARE,
    "stream": _COMPARE,
    SWEEP: Document(
        "gnbbench sweep summary",
        2,
        (
            *(*_HEAD, "dataset", *_WHO, "n_runs", "fractions", "margin", "verdicts"),
            *("points", *SWEEP_TABLES, *_RUN_TABLES, "timing_plan", "warnings"),
        ),
    ),
    "scale": Document(
        "gnbbench scale",
        1,
        (*_HEAD[:3], "detail", *_HEAD[3:], *_WHO, *SCALE_TABLES, "warnings"),
    ),
    "conformance": Document(
        "gnbbench conformance",
        1,
        (
            *(*_FOUND, "expected_failures"),
            *(column.name for column in CONFORMANCE_TABLES["implementations"].columns),
            *("results", "remarks"),
        ),
    ),
    "conformance scoreboard": Document(
        "gnbbench conformance scoreboard",
        1,
        (*_FOUND, "expected_failures", "implementations", "remarks"),
    ),
    "check": Document(
        "gnbbench check",
        1,
        (*_FOUND, "reference", *CHECK_TABLES, "ratios", "results", "remarks"),
    ),
    "reproduce": Document(
        "gnbbench reproduce", 1, (*_FOUND, "counts", "sources", "claims", "remarks")
    ),
    "explain": Document("gnbbench explain", 1, (*_EXPLAIN, "remarks")),
    # The fields of a diagnosis are those of the first one, and stand in the list again.
    "explain several": Document(
        "gnbbench explain", 1, (*_EXPLAIN, "implementations", "remarks")
    ),
    "assumptions": Document(
        "gnbbench assumptions",
        1,
        (
            *(*_HEAD[:3], "correlation", *_HEAD[4:], "dataset"),
            *("n_runs", "n_train", "n_test", "margin", "verdicts"),
            *("independence", "largest_correlations", "normality", "costs", "differences"),
            "notes",
        ),
    ),
}


def columns_of(study: str, name: str) -> list[str]:
    """Return the columns of a table in order; in a sweep the point leads them."""
    names = [column.name for column in _columns(study, name)]
    return ["point", *names] if study == SWEEP and name in POINTED else names


def fields_of(study: str, name: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return of a row what the schema lists, in its order."""
    return {column: row[column] for column in columns_of(study, name)}


def table_of(name: str, rows: Iterable[Any], study: str = "compare") -> pd.DataFrame:
    """Return rows of one point as a table with its columns and types, without the point."""
    columns = _columns(study, name)
    table = pd.DataFrame(rows, columns=[column.name for column in columns])
    types = {
        column.name: column.dtype
        for column in columns
        if column.dtype and table[column.name].dtype != column.dtype
    }
    return table.astype(types) if types else table


def _columns(study: str, name: str) -> list[Column]:
    columns = TABLES[study][name].columns
    return [column for column in columns if study == SWEEP or not column.in_sweep]


def empty_table(study: str, name: str) -> pd.DataFrame:
    """Return a table without rows; an error where the kind of study has no such table."""
    if name not in TABLES.get(study, {}):
        raise AttributeError(f"a study of {study} has no table '{name}'")
    return table_of(name, (), study)

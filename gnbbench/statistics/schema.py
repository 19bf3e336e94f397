"""What stands in the tables of a summary of each kind, and in its ``summary.json``.

Every column is named and described once. Statistics make their tables by it, documents
and CSV files take their columns from it, and a column that a table lacks is an error.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from gnbbench.statistics.columns import (
    BYTES,
    HIGH,
    IMPLEMENTATION,
    LOW,
    OPERATION,
    POINT,
    POINTED,
    RUN_TABLES,
    STREAM_TABLES,
    SWEEP_TABLES,
    Column,
    Table,
)

SIZES = (
    Column("axis", '"samples", "features" or "classes"'),
    Column("size", "Along that axis"),
    Column("n_samples", "Samples"),
    Column("n_features", "Features"),
    Column("n_classes", "Classes"),
)

# The sizes of a point stand in its rows, and in the place of its number.
SCALE_TABLES: Mapping[str, Table] = {
    "exponents": Table(
        "How time grows along each axis.",
        (
            SIZES[0],
            OPERATION,
            IMPLEMENTATION,
            Column("exponent", "p of time ~ size^p over the upper sizes"),
            LOW,
            HIGH,
            Column("first", "Smallest size it was taken from; 0 for none"),
            Column("last", "Largest size it was taken from; 0 for none"),
            Column("points", "Number of sizes"),
        ),
    ),
    "times": Table(
        "One row per point, operation and implementation.",
        (
            *SIZES,
            OPERATION,
            IMPLEMENTATION,
            Column("seconds", "Median of the processes' medians"),
            Column("low_seconds", "Smallest median of a process"),
            Column("high_seconds", "Largest median of a process"),
            Column("processes", "Processes"),
            Column("rounds", "Rounds"),
            Column("ratio", "Over the reference's time"),
            Column("ratio_low", "Lower end of its interval"),
            Column("ratio_high", "Upper end of its interval"),
            Column("floor_low", "Of the reference against itself"),
            Column("floor_high", "Of the reference against itself"),
            Column("speed", '"faster", "slower", "not separated", or empty'),
            Column("rows_per_second", "Rows of X"),
            Column("bytes_per_second", "Bytes of X"),
            Column("share_of_read", "Time of one read of X over its time"),
        ),
    ),
    "reads": Table(
        "The physical limit: one read of X.",
        (
            *SIZES,
            OPERATION,
            Column("seconds", "Median of the processes' medians"),
            Column("bytes_per_second", "Bytes of X"),
        ),
    ),
    "agreement": Table(
        "Labels at each point; NaN where there was nothing to compare with.",
        (
            *SIZES,
            IMPLEMENTATION,
            Column("status", '"ok", "error", "timeout", "crash" or "budget"'),
            Column("message", "Of a failure, or a warning"),
            Column("n_test", "Labels compared"),
            Column("disagreements", "Labels other than the reference's"),
            Column("agreement", "Share of equal labels"),
        ),
    ),
    "memory": Table(
        "Peaks, also as multiples of the size of X.",
        (
            *SIZES,
            OPERATION,
            IMPLEMENTATION,
            *BYTES,
            Column("traced_multiple", "Of the size of X"),
            Column("resident_multiple", "Of the size of X"),
        ),
    ),
    "stops": Table(
        "What was left out, and why.",
        (
            SIZES[0],
            IMPLEMENTATION,
            Column("status", "What became of it"),
            Column("size", "The last reached, NaN where none"),
            Column("sentence", "Says so"),
        ),
    ),
}

SWEEP = "sweep-split"
TABLES: Mapping[str, Mapping[str, Table]] = {
    "compare": RUN_TABLES,
    "stream": {**RUN_TABLES, **STREAM_TABLES},
    SWEEP: {**RUN_TABLES, **SWEEP_TABLES},
    "scale": SCALE_TABLES,
}

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
    "reference": "Name of the implementation that the others are held against",
    "implementations": "Names, the reference first",
    "n_runs": "Runs (at each point)",
    "n_train": "Training samples of each run",
    "n_test": "Test samples of each run",
    "fractions": "Train fractions, in the order of points",
    "margin": "Largest difference that does not matter, a share of accuracy",
    "verdicts": "Objects with implementation, outcome, sentence and detail",
    "timing_plan": "Object: regime, threads, processes, ...; empty: nothing was timed",
    "warnings": "Remarks, one sentence each",
    "decision_regions": "null, or an object that counts points of the grid",
    "streamed": "null, or an object with the tables passes and parameters",
}

# The fields of each document, in order, after its name and its version, which grows
# whenever a field is renamed, removed or changes its meaning.
_HEAD = ("study", "command", "headline", "timing_regime", "plan", "environment")
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
}


def columns_of(study: str, name: str) -> list[str]:
    """Return the columns of a table in order; in a sweep the point leads them."""
    names = [column.name for column in _columns(study, name)]
    return [POINT.name, *names] if study == SWEEP and name in POINTED else names


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

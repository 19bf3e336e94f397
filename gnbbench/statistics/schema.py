"""The columns of every table of a summary, and the fields of its ``summary.json``.

``columns.toml`` beside this module names and describes every column once,
``documents.toml`` the fields of each document. Statistics build their tables from them,
documents and CSV files take their columns from them, and a missing column is an error.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import pandas as pd

from gnbbench.files import toml_beside


@dataclass(frozen=True)
class ColumnSchema:
    """A column of a table."""

    name: str
    dtype: str  # Empty leaves it to the values
    description: str
    in_sweep: bool = False  # Only in a study with several points

    @classmethod
    def of(cls, name: str, dtype: str, description: str, where: str = "") -> Self:
        """Return a column from its entry in ``columns.toml``."""
        return cls(name, dtype, description, where == "sweep")


@dataclass(frozen=True)
class TableSchema:
    """A table of a summary."""

    description: str
    columns: tuple[ColumnSchema, ...]


_ENTRIES = toml_beside(__file__, "columns.toml")
_SHARED = {entry[0]: ColumnSchema.of(*entry) for entry in _ENTRIES["shared"]["columns"]}


def _tables(entries: Mapping[str, Mapping[str, Any]]) -> dict[str, TableSchema]:
    """Return the tables of a group by name."""
    tables: dict[str, TableSchema] = {}
    for name, entry in entries.items():
        columns: list[ColumnSchema] = []
        for column in entry["columns"]:
            if isinstance(column, list):
                columns.append(ColumnSchema.of(*column))
            elif column in tables:
                columns += tables[column].columns
            else:
                columns.append(_SHARED[column])
        tables[name] = TableSchema(entry["description"], tuple(columns))
    return tables


GROUPS = {name: _tables(entries) for name, entries in _ENTRIES["tables"].items()}
SWEEP = "sweep-split"


def _of_kind(entries: Iterable[str]) -> Iterator[tuple[str, TableSchema]]:
    """Yield the tables of a kind of study by name: of groups, single or renamed ones."""
    for entry in entries:
        name, _, place = entry.rpartition(" = ")
        group, _, table = place.partition(".")
        yield from (
            [(name or table, GROUPS[group][table])] if table else GROUPS[group].items()
        )


TABLES: Mapping[str, Mapping[str, TableSchema]] = {
    kind: dict(_of_kind(entries)) for kind, entries in _ENTRIES["kinds"].items()
}
# The number of the point leads their rows.
POINTED = frozenset({*GROUPS["runs"], "mismatch_counts"} - {"features"})
# The fields of ``summary.json`` other than tables.
FIELDS = {entry[0]: ColumnSchema.of(*entry) for entry in _ENTRIES["fields"]["columns"]}


@dataclass(frozen=True)
class DocumentSchema:
    """The fields of ``summary.json`` for a kind of study."""

    schema: str
    version: int
    fields: tuple[str, ...]


def _fields(entries: Iterable[str | Mapping[str, Any]]) -> Iterator[str]:
    for entry in entries:
        if isinstance(entry, str):
            yield entry
        elif "columns" in entry:
            group, _, table = entry["columns"].partition(".")
            yield from (column.name for column in GROUPS[group][table].columns)
        else:
            left_out: Sequence[str] = entry.get("without", ())
            yield from (name for name in GROUPS[entry["tables"]] if name not in left_out)


DOCUMENTS: Mapping[str, DocumentSchema] = {
    name: DocumentSchema(entry["schema"], entry["version"], tuple(_fields(entry["fields"])))
    for first, entry in toml_beside(__file__, "documents.toml").items()
    for name in (first, *entry.get("also", ()))
}


def columns_of(study: str, name: str) -> list[str]:
    """Return the columns of a table in order; in a sweep the point leads them."""
    names = [column.name for column in _columns(study, name)]
    return ["point", *names] if study == SWEEP and name in POINTED else names


def fields_of(study: str, name: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a row that the schema lists, in its order."""
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


def _columns(study: str, name: str) -> list[ColumnSchema]:
    columns = TABLES[study][name].columns
    return [column for column in columns if study == SWEEP or not column.in_sweep]


def empty_table(study: str, name: str) -> pd.DataFrame:
    """Return a table without rows; raise if the kind of study has no such table."""
    if name not in TABLES.get(study, {}):
        raise AttributeError(f"a study of {study} has no table '{name}'")
    return table_of(name, (), study)

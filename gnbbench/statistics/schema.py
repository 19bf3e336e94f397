"""Tables of a summary of each kind by their columns, and what its ``summary.json`` holds.

``columns.txt`` beside this module names and describes every column once, ``documents.txt``
the fields of each document. Statistics make their tables by them, documents and CSV files
take their columns from them, and a column that a table lacks is an error.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    name: str
    description: str
    dtype: str | None = None  # None leaves it to the values
    in_sweep: bool = False  # Only where a study has several points


@dataclass(frozen=True)
class Table:
    """A table of a summary."""

    description: str
    columns: tuple[Column, ...] = ()


def _column(line: str) -> Column:
    name, dtype, description = line.split(maxsplit=2)
    kind = dtype.rstrip("*")
    return Column(name, description, None if kind == "-" else kind, dtype.endswith("*"))


def _groups(text: str) -> dict[str, dict[str, Table]]:
    """Return the tables of each group by name, as the first lines of the text say."""
    groups: dict[str, dict[str, Table]] = {}
    shared: dict[str, Column] = {}
    name = ""
    for line in text.splitlines():
        if line.startswith("["):
            tables = groups[line.strip("[]")] = {}
        elif line and line[0] not in " #":
            name, _, description = line.partition(": ")
            tables[name] = Table(description)
        elif line.startswith(" "):
            words = line.split()
            if words[0] == "+":
                columns = tables[words[1]].columns
            elif shared.keys() >= set(words):
                columns = tuple(shared[word] for word in words)
            else:
                columns = (_column(line),)
            if [*groups] == ["shared"]:
                shared[words[0]] = columns[0]
            tables[name] = Table(tables[name].description, tables[name].columns + columns)
    return groups


def _text(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


_GROUPS = _groups(_text("columns.txt"))
_RUNS, _SWEEP, _CONFORMANCE = (_GROUPS[name] for name in ("runs", "sweep", "conformance"))

SWEEP = "sweep-split"
TABLES: Mapping[str, Mapping[str, Table]] = {
    "compare": _RUNS,
    "stream": {**_RUNS, **_GROUPS["stream"]},
    SWEEP: {**_RUNS, **_SWEEP},
    "scale": _GROUPS["scale"],
    "conformance": _CONFORMANCE,
    "check": {
        **_GROUPS["check"],
        "results": _CONFORMANCE["results"],
        "ratios": _RUNS["ratios"],
    },
    "reproduce": _GROUPS["reproduce"],
    "explain": _GROUPS["explain"],
    "assumptions": {
        "costs": _RUNS["metrics"],
        "differences": _RUNS["differences"],
        **_GROUPS["assumptions"],
    },
}
# The number of the point leads their rows.
POINTED = frozenset({*_RUNS, "mismatch_counts"} - {"features"})
# What stands in ``summary.json`` beside tables.
FIELDS = {column.name: column for column in _GROUPS["fields"]["fields"].columns}


@dataclass(frozen=True)
class Document:
    """What stands in ``summary.json`` of a kind of study."""

    schema: str
    version: int
    fields: tuple[str, ...]


def _documents(text: str) -> Iterator[tuple[str, Document]]:
    for entry in re.findall(r"^\w.*(?:\n +.*)+", text, re.MULTILINE):
        names, _, title = entry.partition("\n")[0].partition(": ")
        fields: list[str] = []
        for word in entry.partition("\n")[2].split():
            group, _, table = word.lstrip("+-").partition(".")
            if word.startswith("-"):
                # A table that is named for itself stands before those of its group.
                del fields[len(fields) - 1 - fields[::-1].index(group)]
            elif not word.startswith("+"):
                fields.append(word)
            else:
                tables = _GROUPS[group]
                fields += [c.name for c in tables[table].columns] if table else tables
        schema, _, version = title.rpartition(" ")
        for name in names.split(", "):
            yield name, Document(schema, int(version), tuple(fields))


DOCUMENTS: Mapping[str, Document] = dict(_documents(_text("documents.txt")))


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

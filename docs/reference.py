"""Document ``summary.json``, as a page and as a JSON Schema.

Both are made of the tables in ``gnbbench/statistics`` that name and describe every field::

    python docs/reference.py  # writes docs/json.md and docs/summary.schema.json
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gnbbench.statistics.documents import MATRIX_SCHEMA
from gnbbench.statistics.matrix import MATRIX_SCHEMA_VERSION
from gnbbench.statistics.schema import DOCUMENTS, FIELDS, GROUPS, TABLES, ColumnSchema

HERE = Path(__file__).parent
SCHEMA, PAGE = HERE / "summary.schema.json", HERE / "json.md"
# Type of a column -> its JSON types. Numbers may be missing or infinite.
NUMBER = {"anyOf": [{"type": ["number", "null"]}, {"enum": ["Infinity", "-Infinity"]}]}
TYPES = {
    "str": {"type": ["string", "null"]},
    "bool": {"type": "boolean"},
    "int64": {"type": "integer"},
    "float64": NUMBER,
    "": {},
}
# For a document about one implementation, or with lists of objects: the table it shows.
SHOWN = {("conformance", "results"): "outcomes", ("reproduce", "claims"): "results"}
DETAILS = ColumnSchema("details", "", "Object, or null: scores and what each feature says")
MATRIX = {
    "command": "string",
    "headline": "string",
    "plan": "object",
    "reference": "string",
    "implementations": "array",
    "left_out": "array object",
    "cells": "array",
    "datasets": "array",
}
NOTES = """# The fields of `summary.json`

`--json` prints this document, and every report holds it as `summary.json`.
[summary.schema.json](summary.schema.json) is the same as a JSON Schema (draft 2020-12).

Times are in seconds, shares between 0 and 1, and differences are implementation minus
reference; `low` and `high` are the ends of 95 % intervals unless a line says otherwise. A
table is a list of objects, one per row. Undefined numbers are `null`, and an
infinite number is the text `"Infinity"` or `"-Infinity"`. `schema` names the document;
`schema_version` grows whenever a field is renamed, removed or changes its meaning.
"""


def main() -> None:
    """Write both files."""
    SCHEMA.write_text(schema_text(), encoding="utf-8")
    PAGE.write_text(page_text(), encoding="utf-8")


def schema_text() -> str:
    """Return the JSON Schema of every document, each on a line of its own."""
    kinds = [_document(name) for name in DOCUMENTS if name != "stream"]
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "summary.json of gnbbench",
        "$defs": {"number": NUMBER},
    }
    lines = ",\n".join(map(json.dumps, [*kinds, _matrix()]))
    return f'{json.dumps(schema)[:-1]},\n"oneOf": [\n{lines}\n]}}\n'


def page_text() -> str:
    """Return the page that describes every field."""
    return NOTES + "\n" + "\n".join(_page())


def _document(name: str) -> dict[str, Any]:
    document, study = DOCUMENTS[name], name.split(" several", maxsplit=1)[0]
    fields = {field: _field(study, field) for field in document.fields}
    return _named(document.schema, document.version, fields)


def _matrix() -> dict[str, Any]:
    fields = {name: {"type": types.split()} for name, types in MATRIX.items()}
    return _named(MATRIX_SCHEMA, MATRIX_SCHEMA_VERSION, fields)


def _named(schema: str, version: int, fields: dict[str, Any]) -> dict[str, Any]:
    named = {"schema": {"const": schema}, "schema_version": {"const": version}, **fields}
    return _object(named, list(named))


def _field(study: str, name: str) -> dict[str, Any]:
    """Return the schema of a field: a plain one, a table, or a column of the only row."""
    if name in FIELDS:
        kinds = FIELDS[name].dtype.split()
        return {"type": kinds, "description": FIELDS[name].description}
    if name not in TABLES.get(study, {}):
        return _column(_alone(name))
    columns = {column.name: _column(column) for column in _columns(study, name)}
    columns = {"point": {}, **columns} if study == "sweep-split" else columns
    always = [column.name for column in _columns(study, name) if not column.in_sweep]
    return {
        "type": "array",
        "description": TABLES[study][name].description,
        "items": _object(columns, always),
    }


def _columns(study: str, name: str) -> tuple[ColumnSchema, ...]:
    """Return the columns of a table in a document."""
    columns = TABLES[study][SHOWN.get((study, name), name)].columns
    if (study, name) != ("explain", "disagreements"):
        return columns
    return (*(c for c in columns if c.name != "implementation"), DETAILS)


def _alone(name: str) -> ColumnSchema:
    """Return a column as a field, for a document about one thing."""
    tables = (GROUPS["explain"]["diagnoses"], GROUPS["conformance"]["implementations"])
    return next(c for table in tables for c in table.columns if c.name == name)


def _column(column: ColumnSchema) -> dict[str, Any]:
    return {**TYPES[column.dtype], "description": column.description}


def _object(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _page() -> Iterator[str]:
    for study, document in DOCUMENTS.items():
        if study in {"stream", "explain several"}:  # As compare and explain
            continue
        yield f"## {study}\n"
        yield f'`"schema": "{document.schema}", "schema_version": {document.version}`\n'
        yield "| field | contents |"
        yield "|---|---|"
        tables = [field for field in document.fields if field in TABLES.get(study, {})]
        for field in document.fields:
            yield f"| `{field}` | {_field(study, field)['description']} |"
        yield ""
        if study == "explain":
            yield "Of several implementations these are the fields of the first, and"
            yield "`implementations` lists them for each.\n"
        for table in tables:
            yield from _table(study, table)
    yield "## matrix\n"
    yield f'`"schema": "{MATRIX_SCHEMA}", "schema_version": {MATRIX_SCHEMA_VERSION}`\n'
    yield "Several datasets: `datasets` holds the fields of `compare` for each of them, and"
    yield "`cells` a row for each implementation and dataset."


def _table(study: str, name: str) -> Iterator[str]:
    yield f"### {study}: {name}\n"
    yield "| column | contents |"
    yield "|---|---|"
    for column in _columns(study, name):
        yield f"| `{column.name}` | {column.description} |"
    yield ""


if __name__ == "__main__":
    main()

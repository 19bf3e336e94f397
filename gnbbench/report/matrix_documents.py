"""What stands in the ``summary.json`` of a matrix, and its schema.

The document is one JSON object. Its fields, in order:

``schema``
    Always ``"gnbbench matrix"``.
``schema_version``
    Whole number; it grows whenever a field is renamed, removed or changes its meaning.
``command``, ``headline``
    Text: the command line that repeats the study, the sentence over all datasets.
``plan``
    Object: the options that all datasets share, and ``datasets``, a list of objects with
    ``name``, ``sha256`` and ``options`` (whatever loads the data again).
``reference``, ``implementations``, ``left_out``
    Text; list of text, the reference first; list of sentences on what is not installed.
``cells``
    List of objects, one for each implementation and dataset, with the columns of
    ``matrix.csv``; see `gnbbench.statistics.matrix.Matrix.cells`.
``datasets``
    List of objects, one a dataset: ``name`` and ``folder``, then the fields of that
    study's own summary (see `gnbbench.report.documents`) up to ``verdicts`` but for the
    features of the data, the tables named in `TABLES`, and ``warnings``.

Units and missing numbers are as in `gnbbench.report.documents`.
"""

from collections.abc import Mapping
from typing import Any

from gnbbench.report.documents import TABLES as ALL_TABLES
from gnbbench.report.plain_values import as_text, plain, rows, study_fields, table_fields
from gnbbench.statistics.matrix import MATRIX_SCHEMA_VERSION, Entry, Matrix

MATRIX_SCHEMA = "gnbbench matrix"

TABLES: Mapping[str, tuple[str, ...]] = {
    name: ALL_TABLES[name]
    for name in ("agreement", "metrics", "differences", "timing", "ratios")
}
# What the data say of themselves in each plan.
_OF_DATA = ("dataset", "sha256", "dataset_options")


def matrix_document(matrix: Matrix) -> dict[str, Any]:
    """Return the matrix as plain values that JSON can hold."""
    fields = {
        "schema": MATRIX_SCHEMA,
        "schema_version": MATRIX_SCHEMA_VERSION,
        "command": matrix.command,
        "headline": matrix.headline,
        "plan": shared_plan(matrix),
        "reference": matrix.reference,
        "implementations": matrix.implementations,
        "left_out": matrix.left_out,
        "cells": rows(matrix.cells),
        "datasets": [_dataset(entry) for entry in matrix.entries],
    }
    return {key: plain(value) for key, value in fields.items()}


def matrix_json_text(matrix: Matrix) -> str:
    """Return the document as indented JSON text that ends in a newline."""
    return as_text(matrix_document(matrix))


def shared_plan(matrix: Matrix) -> dict[str, Any]:
    """Return what all datasets are done with, and what tells the datasets apart."""
    plans = [entry.summary.plan for entry in matrix.entries]
    apart = (*_OF_DATA, "command")
    shared = {key: value for key, value in plans[0].items() if key not in apart}
    datasets = [
        {
            "name": entry.name,
            "sha256": plan.get("sha256"),
            "options": plan.get("dataset_options", {}),
        }
        for entry, plan in zip(matrix.entries, plans, strict=True)
    ]
    return {**shared, "datasets": datasets}


def _dataset(entry: Entry) -> dict[str, Any]:
    summary = entry.summary
    fields = study_fields(summary, n_train=summary.n_train, n_test=summary.n_test)
    fields["dataset"].pop("features")
    return {
        "name": entry.name,
        "folder": entry.folder,
        **fields,
        **table_fields(summary, TABLES),
        "warnings": summary.warnings,
    }

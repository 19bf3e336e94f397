"""The contents of ``summary.json`` for every kind of study, and of ``timings.pyperf.json``.

Fields come in the order of `gnbbench.statistics.schema.DOCUMENTS`, after ``schema`` and
``schema_version``. A table is a list of objects, one per row, with exactly the columns of
the schema. A missing number is null; an infinite number is the text
``"Infinity"`` or ``"-Infinity"``. ``decision_regions`` counts the points of the grid, and
those whose label differs from the reference's; the grid itself is only drawn.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any

import numpy as np
import pandas as pd

from gnbbench.statistics.matrix import MATRIX_SCHEMA_VERSION, Entry, Matrix
from gnbbench.statistics.schema import DOCUMENTS, TABLES, columns_of
from gnbbench.statistics.summary import DecisionRegions, Summary
from gnbbench.words import printable

MATRIX_SCHEMA = "gnbbench matrix"
# For each dataset of a matrix: the fields up to the verdicts, and these tables.
MATRIX_TABLES = ("agreement", "metrics", "differences", "timing", "ratios")
# The fields of a plan that describe its data.
_OF_DATA = ("dataset", "sha256", "dataset_options")
PYPERF_VERSION = "1.0"
# Name in a machine's description -> pyperf's name.
_MACHINE = {"cpu": "cpu_model_name", "cores": "cpu_count", "system": "platform"}
_SYNONYMS = {"remarks": "warnings", "notes": "warnings"}


def document(summary: Summary) -> dict[str, Any]:
    """Return the summary as plain values that JSON can hold."""
    kind = DOCUMENTS[summary.details.get("document", summary.study)]
    return {
        "schema": kind.schema,
        "schema_version": kind.version,
        **{name: plain(_field(summary, name)) for name in kind.fields},
    }


def _field(summary: Summary, name: str) -> Any:
    """Return one field: a detail, a table by the schema, or else an attribute."""
    if name == "decision_regions":
        return _regions(summary.decision_regions, summary.reference)
    if name == "streamed":
        parts = ("passes", "parameters") if summary.is_streamed else ()
        return {part: summary.table(part) for part in parts} or None
    if name in summary.details:
        return summary.details[name]
    if name not in TABLES[summary.study]:
        return getattr(summary, _SYNONYMS.get(name, name))
    columns = columns_of(summary.study, name)
    if not summary.is_sweep:
        return summary.table(name)[columns]
    return summary.tables.get(name, pd.DataFrame(columns=columns))[columns]


def _regions(regions: DecisionRegions | None, reference: str) -> dict[str, Any] | None:
    if regions is None:
        return None
    reference_codes = regions.codes.get(reference)
    return {
        "axis_names": regions.axis_names,
        "extent": regions.extent,
        "caption": regions.caption,
        "grid_points": max((codes.size for codes in regions.codes.values()), default=0),
        "differing_points": {
            name: int((codes != reference_codes).sum())
            for name, codes in regions.codes.items()
            if reference_codes is not None and name != reference
        },
    }


def matrix_document(matrix: Matrix) -> dict[str, Any]:
    """Return the summaries of several datasets, and the table over them."""
    return {
        "schema": MATRIX_SCHEMA,
        "schema_version": MATRIX_SCHEMA_VERSION,
        "command": matrix.command,
        "headline": matrix.headline,
        "plan": plain(shared_plan(matrix)),
        "reference": matrix.reference,
        "implementations": plain(matrix.implementations),
        "left_out": plain(matrix.left_out),
        "cells": plain(matrix.cells),
        "datasets": [_dataset(entry) for entry in matrix.entries],
    }


def shared_plan(matrix: Matrix) -> dict[str, Any]:
    """Return the plan that all datasets share, and what identifies each dataset."""
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
    fields = document(entry.summary)
    names = list(fields)
    kept = names[names.index("study") : names.index("verdicts") + 1]
    fields["dataset"].pop("features")
    chosen = (*kept, *MATRIX_TABLES, "warnings")
    return {"name": entry.name, "folder": entry.folder, **{n: fields[n] for n in chosen}}


def as_text(value: Mapping[str, Any]) -> str:
    """Return a document as indented JSON text that ends in a newline."""
    return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def plain(value: Any) -> Any:
    """Return a value made only of dict, list, str, int, float, bool and None.

    A table becomes the list of its rows, a frozen type the mapping of its fields.
    """
    if isinstance(value, pd.DataFrame):
        return [plain(row) for row in value.to_dict("records")]
    if isinstance(value, Mapping) or is_dataclass(value):
        fields = value if isinstance(value, Mapping) else vars(value)
        return {str(key): plain(item) for key, item in fields.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(item) for item in value]
    return _scalar(value.item() if isinstance(value, np.generic) else value)


def _scalar(value: Any) -> str | bool | float | None:
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if not isinstance(value, float):
        return None if pd.isna(value) else str(value)
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return None if math.isnan(value) else value


def pyperf_text(summary: Summary) -> str | None:
    """Return the timings as a benchmark suite of pyperf's format 1.0; None without any.

    One benchmark for each operation and implementation ("fit numpy"), in it one run for
    each process, in it the seconds of one call in each round, in their order. So ``pyperf
    stats``, ``pyperf hist`` and ``pyperf compare_to OTHER`` work on it. Rounds are paired:
    the n-th values of two benchmarks of one operation were taken side by side, which pyperf
    does not know, and which the ratios of this report are based on.
    """
    rounds = summary.timing_rounds
    benchmarks = [
        _benchmark(f"{operation} {printable(str(name))}", rows)
        for (operation, name), rows in rounds.groupby(
            ["operation", "implementation"], sort=False
        )
    ]
    fields = {"metadata": _metadata(summary), "version": PYPERF_VERSION}
    return as_text({"benchmarks": benchmarks, **fields}) if benchmarks else None


def _benchmark(name: str, rows: pd.DataFrame) -> dict[str, Any]:
    return {
        "metadata": {"name": name},
        "runs": [
            {
                "metadata": {"loops": int(np.asarray(part["loops"])[0])},
                "values": [float(value) for value in part["seconds"]],
            }
            for _, part in rows.sort_values("round").groupby("process")
        ],
    }


def _metadata(summary: Summary) -> dict[str, Any]:
    """Return metadata of all benchmarks; pyperf accepts no empty or foreign values."""
    versions, machine = summary.environment["versions"], summary.environment["machine"]
    metadata = {
        "unit": "second",
        "description": printable(f"{summary.study} {summary.dataset.name}"),
        "command": printable(summary.command),
        "timing_regime": printable(summary.timing_regime),
        "python_version": versions.get("python"),
        **{f"{name}_version".replace("-", "_"): versions.get(name) for name in versions},
        **{theirs: machine.get(ours) for ours, theirs in _MACHINE.items()},
    }
    return {
        key: value if isinstance(value, int) else str(value).strip()
        for key, value in metadata.items()
        if value not in {None, ""}
    }

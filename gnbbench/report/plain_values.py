"""Values as JSON can hold them, and what every kind of document says of its study."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

from gnbbench.report.summaries import AnySummary


def study_fields(summary: AnySummary, **sizes: Any) -> dict[str, Any]:
    """Return what stands in the document of every kind of study."""
    dataset = {
        **{key: value for key, value in vars(summary.dataset).items() if key != "features"},
        "features": rows(summary.dataset.features),
    }
    return {
        "study": summary.study,
        "command": summary.command,
        "headline": summary.headline,
        "timing_regime": summary.timing_regime,
        "plan": summary.plan,
        "environment": summary.environment,
        "dataset": dataset,
        "reference": summary.reference,
        "implementations": summary.implementations,
        "n_runs": summary.n_runs,
        **sizes,
        "margin": summary.margin,
        "verdicts": [asdict(verdict) for verdict in summary.verdicts],
    }


def table_fields(
    summary: AnySummary, tables: Mapping[str, tuple[str, ...]]
) -> dict[str, list[dict[str, Any]]]:
    """Return each table as a list of objects with exactly these columns."""
    return {
        name: rows(getattr(summary, name)[list(columns)])
        for name, columns in tables.items()
    }


def rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table as objects."""
    return [
        {str(key): value for key, value in row.items()} for row in table.to_dict("records")
    ]


def as_text(document: Mapping[str, Any]) -> str:
    """Return a document as indented JSON text that ends in a newline."""
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def plain(value: Any) -> Any:
    """Return a value made of dict, list, str, int, float, bool and None alone."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return _number(value)
    return None if pd.isna(value) else str(value)


def _number(value: float) -> float | str | None:
    if math.isnan(value):
        return None
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value

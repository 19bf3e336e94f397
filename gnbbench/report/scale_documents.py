"""What stands in ``summary.json`` of a scale study, and its schema.

The document is one JSON object. Its fields, in order:

``schema``
    ``"gnbbench scale"``.
``schema_version``
    Whole number; it grows whenever a field is renamed, removed or changes its meaning.
``study``, ``command``, ``headline``, ``detail``, ``timing_regime``
    Text.
``plan``, ``environment``
    Objects as the study recorded them.
``reference``, ``implementations``
    Text; list of text, the reference first.
the names in `TABLES`
    Each a list of objects, one per row of the table of that name in
    `gnbbench.statistics.scale_summary.ScaleSummary`, with all its columns.
``warnings``
    List of text.

Times are in seconds, shares between 0 and 1. What there is no number for is null.
"""

from typing import Any

from gnbbench.report.plain_values import as_text, plain, rows
from gnbbench.statistics.scale_summary import SCALE_SCHEMA_VERSION, ScaleSummary

SCHEMA = "gnbbench scale"
TABLES = ("exponents", "times", "reads", "agreement", "memory", "stops")


def scale_document(summary: ScaleSummary) -> dict[str, Any]:
    """Return the summary as plain values that JSON can hold."""
    fields = {
        "schema": SCHEMA,
        "schema_version": SCALE_SCHEMA_VERSION,
        "study": summary.study,
        "command": summary.command,
        "headline": summary.headline,
        "detail": summary.detail,
        "timing_regime": summary.regime,
        "plan": summary.plan,
        "environment": summary.environment,
        "reference": summary.reference,
        "implementations": summary.implementations,
        **{name: rows(getattr(summary, name)) for name in TABLES},
        "warnings": summary.warnings,
    }
    return {key: plain(value) for key, value in fields.items()}


def scale_json_text(summary: ScaleSummary) -> str:
    """Return the document as indented JSON text that ends in a newline."""
    return as_text(scale_document(summary))

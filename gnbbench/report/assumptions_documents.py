"""What stands in ``summary.json`` of the assumptions, and its schema.

The document is one JSON object. Its fields, in order:

``schema``
    Always ``"gnbbench assumptions"``.
``schema_version``
    Whole number; it grows whenever a field is renamed, removed or changes its meaning.
``study``, ``command``, ``headline``, ``correlation``
    Text.
``plan``, ``environment``, ``dataset``
    Objects, as in the document of a compare study.
``n_runs``, ``n_train``, ``n_test``, ``margin``
    Numbers.
``verdicts``
    List of objects with ``assumption``, ``grade``, ``sentence``, ``detail``.
``independence``, ``largest_correlations``, ``normality``, ``costs``, ``differences``
    Each a list of objects, one per row of the table of that name in
    `gnbbench.assumptions.findings.Assumptions`.
``notes``
    List of text.

The correlations of all pairs are in ``correlations.csv``. Differences are model minus GNB.
What there is no number for is null; an infinite number is the text ``"Infinity"`` or
``"-Infinity"``.
"""

from dataclasses import asdict
from typing import Any

from gnbbench.report.assumptions_summary import AssumptionsSummary
from gnbbench.statistics.documents import as_text, plain

SCHEMA = "gnbbench assumptions"
SCHEMA_VERSION = 1
TABLES = ("independence", "largest_correlations", "normality", "costs", "differences")


def assumptions_document(summary: AssumptionsSummary) -> dict[str, Any]:
    """Return the summary as plain values that JSON can hold."""
    found = summary.findings
    fields = {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "study": summary.study,
        "command": summary.command,
        "headline": summary.headline,
        "correlation": summary.correlation,
        "plan": summary.plan,
        "environment": summary.environment,
        "dataset": summary.dataset,
        "n_runs": found.n_runs,
        "n_train": found.n_train,
        "n_test": found.n_test,
        "margin": summary.margin,
        "verdicts": [asdict(verdict) for verdict in found.verdicts],
        **{name: getattr(found, name) for name in TABLES},
        "notes": found.notes,
    }
    return {key: plain(value) for key, value in fields.items()}


def assumptions_json_text(summary: AssumptionsSummary) -> str:
    """Return the document as indented JSON text that ends in a newline."""
    return as_text(assumptions_document(summary))

"""What stands in ``summary.json`` of a sweep, and its schema.

The document is one JSON object. Its fields, in order:

``schema``
    Always ``"gnbbench sweep summary"``.
``schema_version``
    Whole number; it grows whenever a field is renamed, removed or changes its meaning.
``study``, ``command``, ``headline``, ``timing_regime``
    Text: "sweep-split", the command line that repeats it, the verdict, how was timed.
``plan``, ``environment``
    Objects as the study recorded them; ``environment`` has ``versions``, ``machine`` and
    ``threads``.
``dataset``
    Object: the fields of `gnbbench.statistics.summary.DatasetDescription`, ``features`` as
    a list of objects.
``reference``, ``implementations``
    Text; list of text, the reference first.
``n_runs``, ``fractions``, ``margin``
    Runs at each train fraction, the fractions, and a share of accuracy.
``verdicts``
    List of objects with ``implementation``, ``outcome``, ``sentence``, ``detail``.
the names in `TABLES`
    Each a list of objects, one per row of the table of that name in
    `gnbbench.statistics.sweep_summary.SweepSummary`, with exactly the columns given here.
``warnings``
    List of text.

Times are in seconds, shares between 0 and 1, differences implementation minus reference,
``low`` and ``high`` the ends of 95 % intervals. What there is no number for is null;
an infinite number is the text ``"Infinity"`` or ``"-Infinity"``.
"""

from collections.abc import Mapping
from typing import Any

from gnbbench.report.documents import TABLES as COMPARE_TABLES
from gnbbench.report.plain_values import as_text, plain, study_fields, table_fields
from gnbbench.statistics.sweep_summary import SWEEP_SCHEMA_VERSION, SweepSummary

SCHEMA = "gnbbench sweep summary"

COMPARED = (
    "exact_runs",
    "exact_share",
    "mismatches_mean",
    "mismatches_median",
    "mismatches_max",
    "max_probability_difference",
)

TABLES: Mapping[str, tuple[str, ...]] = {
    "overall": ("implementation", "runs", *COMPARED, "test_accuracy", "failed_runs"),
    "fractions_table": (
        "fraction",
        "n_train",
        "n_test",
        "runs",
        "thin_runs",
        "impossible_runs",
        "conservative",
    ),
    "accuracy": (
        "fraction",
        "implementation",
        "metric",
        "mean",
        "spread",
        "low",
        "high",
        "p5",
        "p95",
        "runs",
    ),
    "differences": ("fraction", "implementation", "mean", "low", "high", "p", "outcome"),
    "agreement": ("fraction", "implementation", "compared_runs", *COMPARED),
    "mismatch_counts": ("fraction", "implementation", "disagreements", "runs"),
    "slopes": ("implementation", "from_fraction", "to_fraction", "slope", "low", "high"),
    "timing": COMPARE_TABLES["timing"],
    "ratios": COMPARE_TABLES["ratios"],
}


def sweep_document(summary: SweepSummary) -> dict[str, Any]:
    """Return the summary of a sweep as plain values that JSON can hold."""
    fields = {
        "schema": SCHEMA,
        "schema_version": SWEEP_SCHEMA_VERSION,
        **study_fields(summary, fractions=summary.fractions),
        **table_fields(summary, TABLES),
        "warnings": summary.warnings,
    }
    return {key: plain(value) for key, value in fields.items()}


def sweep_json_text(summary: SweepSummary) -> str:
    """Return the document as indented JSON text that ends in a newline."""
    return as_text(sweep_document(summary))

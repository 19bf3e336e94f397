"""What stands in ``summary.json``, and its schema.

The document is one JSON object. Its fields, in order:

``schema``
    Always ``"gnbbench summary"``.
``schema_version``
    Whole number; it grows whenever a field is renamed, removed or changes its meaning.
``study``, ``command``, ``headline``, ``timing_regime``
    Text: kind of study, the command line that repeats it, the verdict, how was timed.
``plan``, ``environment``
    Objects as the study recorded them; ``environment`` has ``versions``, ``machine`` and
    ``threads``.
``dataset``
    Object: the fields of `gnbbench.statistics.summary.DatasetDescription`, ``features`` as
    a list of objects.
``reference``, ``implementations``
    Text; list of text, the reference first.
``n_runs``, ``n_train``, ``n_test``, ``margin``
    Numbers: runs, samples on each side of a split, share of accuracy.
``verdicts``
    List of objects with ``implementation``, ``outcome``, ``sentence``, ``detail``.
the names in `TABLES`
    Each a list of objects, one per row of the table of that name in
    `gnbbench.statistics.summary.Summary`, with exactly the columns given here.
``timing_plan``
    Object: ``regime``, ``threads``, ``processes``, ``precision``, ``budget_seconds`` and
    further values of the plan that times were taken by; empty where nothing was timed.
``warnings``
    List of text.
``decision_regions``
    null, or an object with ``axis_names``, ``extent``, ``caption``, ``grid_points`` and
    ``differing_points`` (per competitor: grid points with another label than the
    reference's). The grid itself is only drawn.
``streamed``
    null, or an object with ``passes`` and ``parameters``: lists of objects, one per row of
    the table of that name in `gnbbench.statistics.streamed.Streamed`.

Times are in seconds, shares between 0 and 1, differences implementation minus reference,
``low`` and ``high`` the ends of 95 % intervals. What there is no number for is null;
an infinite number is the text ``"Infinity"`` or ``"-Infinity"``.
"""

from collections.abc import Mapping
from typing import Any

from gnbbench.report.plain_values import as_text, plain, rows, study_fields, table_fields
from gnbbench.statistics.streamed import Streamed
from gnbbench.statistics.summary import SCHEMA_VERSION, DecisionRegions, Summary

SCHEMA = "gnbbench summary"

TABLES: Mapping[str, tuple[str, ...]] = {
    "agreement": (
        "implementation",
        "predictions",
        "disagreements",
        "agreement",
        "exact_runs",
        "compared_runs",
        "row_bound",
        "disputed_rows",
        "max_probability_difference",
        "mean_probability_difference",
        "max_joint_log_likelihood_difference",
        "mean_joint_log_likelihood_difference",
        "kappa",
        "mcnemar_p",
    ),
    "metrics": ("implementation", "metric", "mean", "spread", "low", "high", "runs"),
    "differences": (
        "implementation",
        "metric",
        "runs",
        "mean",
        "low",
        "high",
        "p",
        "outcome",
    ),
    "timing": (
        "implementation",
        "operation",
        "median_seconds",
        "p5_seconds",
        "p95_seconds",
        "minimum_seconds",
        "mean_seconds",
        "standard_deviation_seconds",
        "cold_seconds",
        "rounds",
    ),
    "ratios": (
        "implementation",
        "operation",
        "ratio",
        "low",
        "high",
        "floor_low",
        "floor_high",
        "speed",
        "outliers",
        "ties",
        "autocorrelation",
        "processes",
        "process_low",
        "process_high",
    ),
    "memory": ("implementation", "operation", "traced_bytes", "resident_bytes"),
    "label_pairs": ("implementation", "reference_label", "label", "count"),
    "probability_differences": ("implementation", "low", "high", "count"),
    "disputed_rows": (
        "implementation",
        "row",
        "truth",
        "tested",
        "disputed",
        "votes",
        "reference_votes",
        "smallest_margin",
    ),
    "class_scores": (
        "implementation",
        "class_name",
        "precision",
        "recall",
        "f1",
        "support",
    ),
    "confusion": ("implementation", "truth", "label", "count", "share"),
    "reliability": (
        "implementation",
        "low",
        "high",
        "count",
        "mean_confidence",
        "accuracy",
        "accuracy_low",
        "accuracy_high",
    ),
}


def document(summary: Summary) -> dict[str, Any]:
    """Return the summary as plain values that JSON can hold."""
    fields = {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        **study_fields(summary, n_train=summary.n_train, n_test=summary.n_test),
        **table_fields(summary, TABLES),
        "timing_plan": summary.timing_plan,
        "warnings": summary.warnings,
        "decision_regions": _regions(summary.decision_regions, summary.reference),
        "streamed": _streamed(summary.streamed),
    }
    return {key: plain(value) for key, value in fields.items()}


def json_text(summary: Summary) -> str:
    """Return the document as indented JSON text that ends in a newline."""
    return as_text(document(summary))


def _streamed(found: Streamed | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {"passes": rows(found.passes), "parameters": rows(found.parameters)}


def _regions(regions: DecisionRegions | None, reference: str) -> dict[str, Any] | None:
    if regions is None:
        return None
    held_against = regions.codes.get(reference)
    return {
        "axis_names": regions.axis_names,
        "extent": regions.extent,
        "caption": regions.caption,
        "grid_points": max((codes.size for codes in regions.codes.values()), default=0),
        "differing_points": {
            name: int((codes != held_against).sum())
            for name, codes in regions.codes.items()
            if held_against is not None and name != reference
        },
    }

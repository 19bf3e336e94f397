"""What stands in ``summary.json`` of conformance, and its schema.

The document of one implementation is one JSON object. Its fields, in order:

``schema``
    ``"gnbbench conformance"``.
``schema_version``
    Whole number; it grows whenever a field is renamed, removed or changes its meaning.
``study``, ``command``, ``headline``
    Text.
``plan``, ``environment``
    Objects: what was asked for; versions and machine as in the document of a compare
    study.
``expected_failures``
    List of ids of checks.
``implementation``, ``description``, ``version``
    Text; the version is empty where none is known.
``n_checks``, ``n_applicable``, ``n_passed``, ``n_failed``
    Whole numbers; crashes and time-outs are among the failed.
``results``
    List of objects with ``id``, ``family``, ``outcome`` (``"pass"``, ``"fail"``,
    ``"crash"``, ``"timeout"`` or ``"not applicable"``), ``expected_failure``,
    ``measured``, ``tolerance``, ``unit``, ``seconds``, ``message``, ``statement``,
    ``source``; in the order of the battery.
``remarks``
    List of text.

A scoreboard has the schema ``"gnbbench conformance scoreboard"``; the fields from
``implementation`` to ``results`` stand once for each implementation in the list
``implementations``. What there is no number for is null; an infinite number is the text
``"Infinity"`` or ``"-Infinity"``.
"""

from collections.abc import Sequence
from typing import Any

from gnbbench.conformance.result import Check, Conformance
from gnbbench.report.conformance_summary import ConformanceSummary, result_fields
from gnbbench.statistics.documents import as_text, plain
from gnbbench.words import printable

SCHEMA = "gnbbench conformance"
SCOREBOARD_SCHEMA = f"{SCHEMA} scoreboard"
SCHEMA_VERSION = 1


def conformance_document(summary: ConformanceSummary) -> dict[str, Any]:
    """Return the summary as plain values that JSON can hold."""
    each = [_fields(one, summary.expected) for one in summary.examined]
    fields = {
        "schema": SCOREBOARD_SCHEMA if summary.is_scoreboard else SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "study": summary.study,
        "command": summary.command,
        "headline": summary.headline,
        "plan": summary.plan,
        "environment": summary.environment,
        "expected_failures": summary.expected,
        **({"implementations": each} if summary.is_scoreboard else each[0]),
        "remarks": summary.warnings,
    }
    return {key: plain(value) for key, value in fields.items()}


def conformance_json_text(summary: ConformanceSummary) -> str:
    """Return the document as indented JSON text that ends in a newline."""
    return as_text(conformance_document(summary))


def checks_json_text(checks: Sequence[Check]) -> str:
    """Return the battery as indented JSON text that ends in a newline."""
    fields = ("id", "family", "statement", "tolerance", "unit", "source")
    listed = [{name: plain(getattr(check, name)) for name in fields} for check in checks]
    document = {"schema": f"{SCHEMA} checks", "schema_version": SCHEMA_VERSION}
    return as_text({**document, "checks": listed})


def _fields(one: Conformance, expected: tuple[str, ...]) -> dict[str, Any]:
    return {
        "implementation": printable(one.implementation),
        "description": printable(one.description),
        "version": printable(one.version),
        "n_checks": len(one.results),
        "n_applicable": one.n_applicable,
        "n_passed": one.n_passed,
        "n_failed": len(one.failed),
        "results": [result_fields(result, expected) for result in one.results],
    }

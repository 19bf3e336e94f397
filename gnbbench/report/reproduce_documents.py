"""What stands in ``summary.json`` of published figures, and its schema.

The document is one JSON object. Its fields, in order:

``schema``
    ``"gnbbench reproduce"``.
``schema_version``
    Whole number; it grows whenever a field is renamed, removed or changes its meaning.
``study``, ``command``, ``headline``
    Text.
``plan``, ``environment``
    Objects: what was asked for; versions and machine as in the document of a compare
    study.
``counts``
    Object: verdict -> number of claims.
``sources``
    List of objects with ``key``, ``title``, ``year``, ``where``, ``note``.
``claims``
    List of objects with ``id``, ``source``, ``metric``, ``implementation``, ``protocol``,
    ``published`` (text), ``verdict``, ``expected``, ``lost``, ``cut``, ``explanation``,
    ``note``, ``seconds``; ``measured``, a list of objects, one for each reading of the
    protocol, with ``dataset``, ``reading``, ``value``, ``share_reached``, ``n_repeats``,
    ``resampled``, ``low`` and ``high`` (central 95 % of the values, or the interval of a
    time), ``spread``, ``message``; and ``contrasts``, a list of objects with
    ``implementation``, ``value``, ``is_published``.
``remarks``
    List of text.

Shares are between 0 and 1, times in seconds. What there is no number for is null.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from gnbbench.claims.claim import Claim, ClaimResult, Measured, Published
from gnbbench.claims.verdicts import central_range, share_reached
from gnbbench.report.reproduce_summary import ReproduceSummary
from gnbbench.statistics.documents import as_text, plain

SCHEMA = "gnbbench reproduce"
SCHEMA_VERSION = 1


def reproduce_document(summary: ReproduceSummary) -> dict[str, Any]:
    """Return the summary as plain values that JSON can hold."""
    fields = {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "study": summary.study,
        "command": summary.command,
        "headline": summary.headline,
        "plan": summary.plan,
        "environment": summary.environment,
        "counts": summary.counts,
        "sources": [
            {
                name: getattr(source, name)
                for name in ("key", "title", "year", "where", "note")
            }
            for source in summary.sources
        ],
        "claims": [_claim(result) for result in summary.results],
        "remarks": summary.warnings,
    }
    return {key: plain(value) for key, value in fields.items()}


def reproduce_json_text(summary: ReproduceSummary) -> str:
    """Return the document as indented JSON text that ends in a newline."""
    return as_text(reproduce_document(summary))


def claims_json_text(claims: Sequence[Claim]) -> str:
    """Return claims, nothing measured, as indented JSON text that ends in a newline."""
    listed = [plain(_stated(claim)) for claim in claims]
    document = {"schema": f"{SCHEMA} claims", "schema_version": SCHEMA_VERSION}
    return as_text({**document, "claims": listed})


def _stated(claim: Claim) -> dict[str, Any]:
    return {
        "id": claim.id,
        "source": claim.source.key,
        "metric": claim.metric,
        "implementation": claim.implementation,
        "protocol": claim.protocol.readings[0].description,
        "published": claim.published.text,
        "expected": claim.expected,
        "note": claim.note,
    }


def _claim(result: ClaimResult) -> dict[str, Any]:
    return {
        **_stated(result.claim),
        "verdict": result.verdict,
        "lost": result.is_lost,
        "cut": result.is_cut,
        "explanation": result.explanation,
        "seconds": result.seconds,
        "measured": [_measured(result.claim.published, one) for one in result.measured],
        "contrasts": [asdict(one) for one in result.contrasts],
    }


def _measured(published: Published, measured: Measured) -> dict[str, Any]:
    has_values = measured.repeats is not None
    low, high = central_range(measured) if has_values else (measured.low, measured.high)
    return {
        "dataset": measured.reading.dataset,
        "reading": measured.reading.words,
        "value": measured.value,
        "share_reached": share_reached(published, measured),
        "n_repeats": 1 if measured.repeats is None else len(measured.repeats),
        "resampled": measured.is_resampled,
        "low": low,
        "high": high,
        "spread": measured.spread,
        "message": measured.message,
    }

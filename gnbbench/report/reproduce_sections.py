"""The tables of the page of published figures."""

from collections.abc import Sequence

from gnbbench.claims.claim import VERDICTS, ClaimResult, Source
from gnbbench.claims.metrics import METRICS
from gnbbench.report.conformance_sections import MarkedCell, anchor
from gnbbench.report.reproduce_summary import datasets_of
from gnbbench.report.reproduce_wording import (
    SIGNS,
    TONES,
    measured_text,
    sort_key,
)
from gnbbench.report.tables import Cell, Table, build, number_cell, text_cell
from gnbbench.words import printable


def claim_table(results: Sequence[ClaimResult]) -> Table:
    """Every claim: published beside measured, the verdict, and what explains it."""
    columns = ("claim", "study", "published", "measured", "verdict", "explanation")
    rows = []
    for result in results:
        claim = result.claim
        rows.append(
            [
                MarkedCell(printable(claim.id), claim.id, anchor=anchor("claim", claim.id)),
                MarkedCell(
                    printable(claim.source.key),
                    claim.source.key,
                    link=f"#{anchor('source', claim.source.key)}",
                ),
                number_cell(claim.published.value, printable(claim.published.text)),
                number_cell(sort_key(result), measured_text(result)),
                _verdict_cell(result),
                text_cell(result.explanation),
            ]
        )
    return build("Published beside measured", columns, rows)


def source_table(source: Source, results: Sequence[ClaimResult]) -> Table:
    """Return what each claim of a source is of: metric, data, implementation, protocol."""
    columns = ("claim", "what", "data", "implementation", "protocol", "note")
    rows = [
        [
            MarkedCell(
                printable(result.claim.id),
                result.claim.id,
                link=f"#{anchor('claim', result.claim.id)}",
            ),
            text_cell(METRICS[result.claim.metric].words),
            text_cell(datasets_of(result)),
            text_cell(result.claim.implementation),
            text_cell(result.claim.protocol.readings[0].description),
            text_cell(result.claim.note),
        ]
        for result in results
    ]
    return build(f"What the figures of {printable(source.key)} are of", columns, rows)


def _verdict_cell(result: ClaimResult) -> Cell:
    words = f"{result.verdict}, was {result.claim.expected}" * result.is_lost
    words = words or result.verdict
    return MarkedCell(
        f"{SIGNS[result.verdict]} {words}",
        f"{VERDICTS.index(result.verdict)} {words}",
        tone="bad" if result.is_lost else TONES[result.verdict],
    )

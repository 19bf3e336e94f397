"""The page of published figures: one self-contained HTML text."""

from collections.abc import Mapping, Sequence
from typing import Any

from gnbbench.claims.claim import ClaimResult, Source
from gnbbench.report.conformance_sections import anchor
from gnbbench.report.figures.catalogue import draw_figures
from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.page_parts import named_values, shown_figure, template
from gnbbench.report.reproduce_sections import claim_table, source_table
from gnbbench.report.reproduce_summary import ReproduceSummary
from gnbbench.report.reproduce_tiles import reproduce_tiles
from gnbbench.words import plural, printable

CONTENTS = (
    ("verdict", "Verdict"),
    ("claims", "Every figure"),
    ("sources", "By study"),
    ("method", "Method"),
    ("files", "Files"),
)


def reproduce_page(
    summary: ReproduceSummary,
    drawings: Sequence[Drawing | Absence] | None = None,
    svg_texts: Mapping[str, str] | None = None,
) -> str:
    """Return the report of published figures as one HTML text that needs no other files."""
    drawn = draw_figures("reproduce", summary) if drawings is None else drawings
    figures = {drawing.name: shown_figure(drawing, svg_texts or {}) for drawing in drawn}
    environment = summary.environment
    return template("reproduce.html").render(
        summary=summary,
        headline=printable(summary.headline),
        dataset_name=plural(len(summary.results), "published figure"),
        tone=_tone(summary),
        verdicts=[{"detail": summary.detail}],
        setting=_setting(summary),
        tiles=reproduce_tiles(summary),
        contents=CONTENTS,
        warnings=[printable(warning) for warning in summary.warnings],
        telling=[_told(result) for result in summary.results if _is_telling(result)],
        claims=claim_table(summary.results),
        sources=[
            _source(source, results, figures) for source, results in summary.sources.items()
        ],
        figures=figures,
        command=printable(summary.command),
        plan=named_values(summary.plan),
        machine=named_values(environment["machine"]),
        versions=named_values(environment["versions"]),
    )


def _source(
    source: Source, results: Sequence[ClaimResult], figures: Mapping[str, Any]
) -> dict[str, Any]:
    names = [f"claim-{result.claim.id}" for result in results]
    return {
        "anchor": source_anchor(source),
        "key": printable(source.key),
        "title": printable(source.title),
        "citation": printable(source.citation),
        "note": printable(source.note),
        "table": source_table(source, results),
        "figures": [figures[name] for name in names if name in figures],
    }


def source_anchor(source: Source) -> str:
    """Return the name of the place of a source on the page."""
    return anchor("source", source.key)


def _is_telling(result: ClaimResult) -> bool:
    """Tell whether a result belongs above the table: lost, refuted, or with a cause."""
    differs = any(not one.is_published for one in result.contrasts)
    caused = bool(result.claim.cause) and differs
    open_ended = result.verdict in {"not reproduced", "protocol not stated"}
    return result.is_lost or open_ended or caused


def _told(result: ClaimResult) -> dict[str, str]:
    from_tone = {"not reproduced": "bad", "protocol not stated": "unsure"}
    return {
        "id": printable(result.claim.id),
        "outcome": result.verdict,
        "published": printable(result.claim.published.text),
        "tone": "bad" if result.is_lost else from_tone.get(result.verdict, "good"),
        "explanation": printable(result.explanation),
    }


def _tone(summary: ReproduceSummary) -> str:
    if summary.lost:
        return "bad"
    return "unsure" if summary.counts["not reproduced"] else "good"


def _setting(summary: ReproduceSummary) -> str:
    sources = plural(len(summary.sources), "source")
    return (
        f"Published beside measured, from {sources}; equal means at the published digits."
    )

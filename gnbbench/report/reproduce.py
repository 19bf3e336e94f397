"""Published figures beside measured ones, with the verdict on each."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gnbbench.claims.claim import VERDICTS, Claim, ClaimResult, ClaimVerdict, Publication
from gnbbench.claims.protocols import METRICS
from gnbbench.claims.verdicts import by_source, row_of, stated
from gnbbench.report import blocks
from gnbbench.report.figures.drawing import TITLES
from gnbbench.report.sections import anchor, method_section, remarks, study_document
from gnbbench.statistics.summary import Summary
from gnbbench.words import SPACE, count, plural, printable, with_ends

# Verdict -> a sign that says the same as the word beside it, and its tone.
MARKS: Mapping[str, Any] = TITLES["marks"]
LONGEST = 32  # Letters of a value in a terminal
EXPLAINED = ("within run-to-run spread", "not reproduced", "protocol not stated")


def report(summary: Summary) -> blocks.Document:
    """Return the verdicts on the published figures, for every renderer."""
    results: Sequence[ClaimResult] = summary.details["results"]
    counts: Mapping[ClaimVerdict, int] = summary.details["counts"]
    n_lost = sum(result.is_lost for result in results)
    sources = plural(len(by_source(results)), "source")
    notes = remarks(summary.warnings)
    attention = [
        blocks.VerdictLine(
            printable(result.claim.id),
            f"{printable(result.claim.published.text)} · {result.verdict}",
            "bad" if result.is_lost else MARKS[result.verdict][1],
            printable(result.explanation),
        )
        for result in results
        if result.is_lost or result.verdict in ("not reproduced", "protocol not stated")
    ]
    told = {verdict.name for verdict in attention}
    rows = [
        {**row, "explanation": "see above"} if row["id"] in told else row
        for row in _rows(results)
    ]
    claims = blocks.Table.named("claims", rows, second=_second)
    plan = summary.details["plan"]
    return study_document(
        summary,
        subject=plural(len(results), "published figure"),
        tone="bad" if n_lost else "unsure" if counts["not reproduced"] else "good",
        band=(blocks.Text(summary.detail),),
        setting=(
            f"Published and measured figures of {sources}, compared at the published "
            "digits."
        ),
        tiles=_tiles(counts, n_lost),
        terminal=(*_terminal(summary, results), *notes),
        sections=(
            blocks.Section.of(
                "Verdict", (*([blocks.Verdicts(attention)] if attention else ()), *notes)
            ),
            blocks.Section.of("Every figure", claims, "claims"),
            blocks.Section.of("By study", _sources(summary, results), "sources"),
            method_section(summary, blocks.Prose("reproduce"), plan=plan),
        ),
    )


def _rows(results: Sequence[ClaimResult]) -> list[blocks.Row]:
    """Return the rows of results, with the values of every table."""
    return [
        {
            **row_of(result),
            "anchor": anchor("claim", claim.id),
            "linked": _linked(claim.id, "claim"),
            "study": _linked(claim.source.key, "source"),
            "what": ", ".join(filter(None, (metric, claim.label, claim.feature))),
            "published_value": claim.published.value,
            "measured_value": result.measured[0].value if result.measured else math.nan,
            "mark": _verdict_cell(result),
        }
        for result in results
        for claim, metric in [(result.claim, METRICS[result.claim.metric].words)]
    ]


def _linked(text: str, kind: str) -> blocks.Cell:
    """Return a cell that links to what the page has of that name."""
    shown = blocks.visible(text)
    return blocks.Cell(shown, shown, link=f"#{anchor(kind, text)}")


def _second(_: float, text: str) -> str:
    """Return the text of a value that sorts by a number."""
    return printable(text).replace(" s", f"{SPACE}s")


def _brief(text: str) -> str:
    """Return a value, or how many numbers a long table has."""
    return printable(text) if len(text) <= LONGEST else f"{len(text.split())} numbers"


def _verdict_cell(result: ClaimResult) -> blocks.Cell:
    sign, tone = MARKS[result.verdict]
    expected = f"expected: {result.claim.expected}" if result.is_lost else ""
    words = with_ends(result.verdict, expected)
    key = f"{VERDICTS.index(result.verdict)} {words}"
    return blocks.Cell(f"{sign} {words}", key, "bad" if result.is_lost else tone)


def _sources(summary: Summary, results: Sequence[ClaimResult]) -> Iterator[blocks.Block]:
    for source, claims in by_source(results).items():
        table = blocks.Table.named(
            "claims_of_source", _rows(claims), source=printable(source.key)
        )
        figures = [
            blocks.Figure.of("claim-{0.claim.id}", summary, result)
            for result in claims
            if len({value for of in result.spreads for value in of.figures}) > 1
        ]
        contents = [
            blocks.Text(source.citation, "muted"),
            *([blocks.Text(source.note)] if source.note else []),
            blocks.Fold.of(table),
            blocks.Fold(f"Under many seeds ({len(figures)})", figures),
        ][: None if figures else -1]
        yield blocks.Section(anchor("source", source.key), _title(source), contents)


def _title(source: Publication) -> str:
    return f"{printable(source.key)}: {printable(source.title)}"


def _tiles(counts: Mapping[ClaimVerdict, int], n_lost: int) -> Iterator[blocks.Tile]:
    good, spread, bad = (
        counts[name]
        for name in ("reproduced", "within run-to-run spread", "not reproduced")
    )
    named = [
        (counts["protocol not stated"], "protocol not stated"),
        (counts["measured here"], "times"),
        (counts["not available"], "data not given"),
    ]
    kinds = ", ".join(f"{count(number)} {word}" for number, word in named if number)
    others = sum(number for number, _ in named)
    of = f"{good}{SPACE}of{SPACE}{count(good + spread + bad)}"
    seeds = "seeds are not stated; some give the figure" if spread else ""
    lost = plural(n_lost, "verdict") if n_lost else "none"
    lost = f"{lost} worse than expected" if bad or n_lost else ""
    yield blocks.Tile.fact("Reproduced", of, "equal at the published digits")
    yield blocks.Tile.fact("Within run-to-run spread", count(spread), seeds)
    yield blocks.Tile.fact("Not reproduced", count(bad), lost)
    yield blocks.Tile.fact("Not judged", count(others), kinds or "none")


def _terminal(summary: Summary, results: Sequence[ClaimResult]) -> Iterator[blocks.Block]:
    """Yield the count, a row per claim by source, and explanations."""
    yield blocks.Text(summary.headline, "strong")
    if summary.detail:
        yield blocks.Text(summary.detail)
    for source, claims in by_source(results).items():
        yield blocks.Heading(_title(source))
        yield blocks.Table.named("claims_in_short", _rows(claims), brief=_brief)
        for result in claims:
            # Whether only some implementations give the figure, and why
            is_caused = result.claim.cause and any(
                not contrast.is_published for contrast in result.contrasts
            )
            if result.explanation and (result.verdict in EXPLAINED or is_caused):
                yield blocks.Text(f"{result.claim.id}: {result.explanation}", "muted")


def claim_list(claims: Sequence[Claim]) -> blocks.Table:
    """Return the claims for a terminal: id, what it is, published value."""

    def of_what(metric: str, implementation: str) -> str:
        return f"{METRICS[metric].words}, {implementation}"

    rows = [stated(claim) for claim in claims]
    return blocks.Table.named("claims_listed", rows, of_what=of_what, brief=_brief)

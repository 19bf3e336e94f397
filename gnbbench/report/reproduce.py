"""The report of published figures beside measured ones."""

import math
from collections.abc import Iterator, Mapping, Sequence

from gnbbench.claims.claim import VERDICTS, Claim, ClaimResult, Source
from gnbbench.claims.claim import Verdict as Outcome
from gnbbench.claims.metrics import METRICS
from gnbbench.report.blocks import (
    Attachment,
    Block,
    Cell,
    Column,
    Document,
    Figure,
    Fold,
    Heading,
    Prose,
    Row,
    Section,
    Table,
    Terminal,
    Text,
    Tile,
    Verdict,
    Verdicts,
)
from gnbbench.report.reproduce_summary import by_source, row_of, stated, varies
from gnbbench.report.sections import (
    FILES,
    anchor,
    method_section,
    plan_facts,
    remarks,
)
from gnbbench.statistics.documents import document
from gnbbench.statistics.summary import Summary
from gnbbench.words import DASH, SPACE, count, plural, printable

# Verdict -> a sign that says the same as the word beside it, and its tone.
MARKS: Mapping[Outcome, tuple[str, str]] = {
    "reproduced": ("✓", "good"),
    "within run-to-run spread": ("≈", "good"),
    "not reproduced": ("✗", "bad"),
    "protocol not stated": ("?", "unsure"),
    "measured here": ("·", "none"),
    "not available": (DASH, "none"),
}
# Verdicts whose explanation stands in the terminal; of all others it is on the page.
EXPLAINED = ("within run-to-run spread", "not reproduced", "protocol not stated")


def report(summary: Summary) -> Document:
    """Return what became of the published figures, for every renderer."""
    results: Sequence[ClaimResult] = summary.details["results"]
    counts: Mapping[Outcome, int] = summary.details["counts"]
    n_lost = sum(result.is_lost for result in results)
    sources = plural(len(by_source(results)), "source")
    plan, prose = plan_facts(summary.details["plan"]), (Prose("reproduce"),)
    notes = remarks(summary.warnings)
    return Document(
        study=summary.study,
        subject=plural(len(results), "published figure"),
        headline=summary.headline,
        tone="bad" if n_lost else "unsure" if counts["not reproduced"] else "good",
        band=(Text(summary.detail),),
        setting=(
            f"Published beside measured, from {sources}; equal means at the published "
            "digits."
        ),
        tiles=_tiles(counts, n_lost),
        blocks=(
            Terminal((*_terminal(summary, results), *notes)),
            Section("verdict", "Verdict", (*_verdict(results), *notes)),
            Section("claims", "Every figure", _claims(results)),
            Section("sources", "By study", tuple(_sources(summary, results))),
            method_section(summary.command, prose, plan, summary.environment, ""),
            FILES,
        ),
        payload=document(summary),
        attachments=(
            Attachment(
                "claims.csv", summary.table("claims"), "one row per published figure"
            ),
        ),
    )


def _verdict(results: Sequence[ClaimResult]) -> Iterator[Block]:
    """Return what is lost, refuted or open."""
    told = {"not reproduced", "protocol not stated"}
    found = [_told(one) for one in results if one.is_lost or one.verdict in told]
    if found:
        yield Verdicts(found)


def _is_caused(result: ClaimResult) -> bool:
    """Tell whether a figure comes with one kind of implementation only, and why."""
    differs = any(not one.is_published for one in result.contrasts)
    return bool(result.claim.cause) and differs


def _told(result: ClaimResult) -> Verdict:
    tones = {"not reproduced": "bad", "protocol not stated": "unsure"}
    published = printable(result.claim.published.text)
    return Verdict(
        printable(result.claim.id),
        f"{published} · {result.verdict}",
        "bad" if result.is_lost else tones.get(result.verdict, "good"),
        printable(result.explanation),
    )


def _claims(results: Sequence[ClaimResult]) -> tuple[Block, ...]:
    columns = (
        Column("claim", "id"),
        Column("study", "source", link=lambda row: f"#{anchor('source', row['source'])}"),
        Column("published", ("published_value", "published"), _second),
        Column("measured", ("measured_value", "measured"), _second),
        Column("verdict", "mark"),
        Column("explanation"),
    )
    caption, rows = "Published beside measured", _rows(results)
    return (Table(caption, rows, columns, style="claims", anchor="anchor"),)


def _rows(results: Sequence[ClaimResult]) -> list[Row]:
    """Return all that tables show of results."""
    return [
        {
            **row_of(result),
            "anchor": anchor("claim", result.claim.id),
            "what": METRICS[result.claim.metric].words,
            "published_value": result.claim.published.value,
            "measured_value": result.measured[0].value if result.measured else math.nan,
            "mark": _verdict_cell(result),
        }
        for result in results
    ]


def _second(_: float, text: str) -> str:
    """Return the text of a value that sorts by a number."""
    return printable(text)


def _verdict_cell(result: ClaimResult) -> Cell:
    sign, tone = MARKS[result.verdict]
    words = result.verdict + f", was {result.claim.expected}" * result.is_lost
    key = f"{VERDICTS.index(result.verdict)} {words}"
    return Cell(f"{sign} {words}", key, "bad" if result.is_lost else tone)


def _sources(summary: Summary, results: Sequence[ClaimResult]) -> Iterator[Block]:
    for source, claims in by_source(results).items():
        blocks: list[Block] = [Text(source.citation, "muted")]
        if source.note:
            blocks.append(Text(source.note))
        blocks.append(Fold.of(_source_table(source, claims)))
        blocks += [
            Figure.of("claim-{0.claim.id}", summary, result)
            for result in claims
            if varies(result)
        ]
        key = printable(source.key)
        title = f"{key}: {printable(source.title)}"
        yield Section(anchor("source", source.key), title, blocks)


def _source_table(source: Source, results: Sequence[ClaimResult]) -> Table:
    """Return what each claim of a source is of: metric, data, implementation, protocol."""
    columns = (
        Column("claim", "id", link=lambda row: f"#{row['anchor']}"),
        Column("what"),
        Column("data", "dataset"),
        *(Column(name) for name in ("implementation", "protocol", "note")),
    )
    caption = f"What the figures of {printable(source.key)} are of"
    return Table(caption, _rows(results), columns, style="narrow")


def _tiles(counts: Mapping[Outcome, int], n_lost: int) -> tuple[Tile, ...]:
    judged: tuple[Outcome, ...] = (
        "reproduced",
        "within run-to-run spread",
        "not reproduced",
    )
    of = f"{SPACE}of{SPACE}{count(sum(counts[name] for name in judged))}"
    named = [
        (counts["protocol not stated"], "protocol not stated"),
        (counts["measured here"], "times"),
        (counts["not available"], "data not given"),
    ]
    kinds = ", ".join(f"{count(number)} {word}" for number, word in named if number)
    lost = count(n_lost) if n_lost else "none"
    facts = (
        ("Reproduced", f"{counts['reproduced']}{of}", "equal at the published digits"),
        (
            "Within run-to-run spread",
            count(counts["within run-to-run spread"]),
            "seeds are not stated; some give the figure",
        ),
        ("Not reproduced", count(counts["not reproduced"]), f"{lost} of them held before"),
        ("Not judged", count(sum(number for number, _ in named)), kinds or "none"),
    )
    return tuple(Tile.one(*fact) for fact in facts)


def _terminal(summary: Summary, results: Sequence[ClaimResult]) -> Iterator[Block]:
    """Return the count, a row a claim by source, and what needs a word."""
    yield Text(summary.headline, "strong")
    if summary.detail:
        yield Text(summary.detail)
    for source, claims in by_source(results).items():
        yield Heading(f"{printable(source.key)}: {printable(source.title)}")
        yield _claims_in_short(claims)
        for result in claims:
            if result.verdict in EXPLAINED or _is_caused(result):
                yield Text(f"{result.claim.id}: {result.explanation}", "muted")


def _claims_in_short(results: Sequence[ClaimResult]) -> Table:
    columns = (
        Column("claim", "id"),
        Column("published", show=printable),
        Column("measured", show=printable),
        Column("verdict", "mark"),
    )
    return Table("", _rows(results), columns)


def claim_list(claims: Sequence[Claim]) -> Table:
    """Return the claims for a terminal: id, what it is, published value."""
    columns = (
        Column("claim", "id"),
        Column("what", ("metric", "implementation"), _of_what),
        Column("published", show=printable),
    )
    return Table("", [stated(claim) for claim in claims], columns)


def _of_what(metric: str, implementation: str) -> str:
    return f"{METRICS[metric].words}, {implementation}"

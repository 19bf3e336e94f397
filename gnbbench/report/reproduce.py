"""What became of published figures: counted, put into words, and shown beside them."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gnbbench.claims.claim import VERDICTS, Claim, ClaimResult, Measured, Source
from gnbbench.claims.claim import Verdict as Outcome
from gnbbench.claims.metrics import METRICS
from gnbbench.claims.verdicts import (
    central_range,
    figure,
    finer,
    share_reached,
    table_text,
)
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
    Text,
    Tile,
    Verdict,
    Verdicts,
)
from gnbbench.report.sections import anchor, method_section, remarks, study_document
from gnbbench.statistics.schema import fields_of, table_of
from gnbbench.statistics.summary import Summary
from gnbbench.words import DASH, SPACE, count, decimal, plural, printable

# Verdict -> a sign that says the same as the word beside it, its tone, and what is said of
# its number beside the reproduced.
MARKS: Mapping[Outcome, tuple[str, str, str]] = {
    "reproduced": ("✓", "good", ""),
    "within run-to-run spread": ("≈", "good", "within run-to-run spread"),
    "not reproduced": ("✗", "bad", "not reproduced"),
    "protocol not stated": ("?", "unsure", "without a stated protocol"),
    "measured here": ("·", "none", ""),
    "not available": (DASH, "none", "without their data"),
}
# Verdicts whose explanation stands in the terminal; of all others it is on the page.
CHECKED: tuple[Outcome, ...] = VERDICTS[:3]
LONGEST = 32  # Letters of a value in a terminal
EXPLAINED = ("within run-to-run spread", "not reproduced", "protocol not stated")


def summarize_claims(
    results: Sequence[ClaimResult],
    plan: Mapping[str, Any],
    environment: Mapping[str, Any],
    command: str,
    asked: Mapping[str, Any],
) -> Summary:
    """Return the summary of at least one result; reports read the results besides."""
    verdicts = [result.verdict for result in results]
    counts = {verdict: verdicts.count(verdict) for verdict in VERDICTS}
    # What became of a single figure is said in the headline.
    said = CHECKED if sum(counts[n] for n in CHECKED) == 1 else ()
    told = [
        f"{counts[n]} {words}"
        for n, (*_, words) in MARKS.items()
        if words and counts[n] and n not in said
    ]
    rows = [row_of(result) for result in results]
    return Summary(
        study="reproduce",
        command=command,
        headline=_headline(counts),
        plan=plan,
        environment=environment,
        reference="",
        implementations=tuple(dict.fromkeys(row["implementation"] for row in rows)),
        tables={"claims": table_of("claims", rows, "reproduce")},
        warnings=_remarks(results, asked["runs"]),
        details={
            "plan": asked,
            "detail": f"The others: {'; '.join(told)}." if told else "",
            "counts": counts,
            "sources": [
                fields_of("reproduce", "sources", vars(source))
                for source in by_source(results)
            ],
            "claims": [
                fields_of("reproduce", "results", {**row, **_nested(result)})
                for row, result in zip(rows, results, strict=True)
            ],
            "results": results,
        },
    )


def _headline(counts: Mapping[Outcome, int]) -> str:
    """Return how many figures are reproduced, of those that can be checked."""
    good, timings = counts["reproduced"], counts["measured here"]
    n = sum(counts[name] for name in CHECKED)
    which = "" if n == sum(counts.values()) else " that can be checked"
    figures = f"{plural(n, 'published figure')}{which}"
    verb = "is" if good == 1 else "are"
    said = f"{count(good)} of {figures} {verb} reproduced"
    if n == 0:
        said = "No published figure can be checked"
    elif n == 1:
        verdict = next(name for name in CHECKED if counts[name])
        said = f"The {'only ' * bool(which)}published figure{which} is {verdict}"
    elif good == n:
        said = f"All {figures} are reproduced"
    if timings:
        verb = "is" if timings == 1 else "are"
        said += f"; {plural(timings, 'timing')} {verb} shown, not judged"
    return f"{said}."


def by_source(results: Sequence[ClaimResult]) -> dict[Source, list[ClaimResult]]:
    """Return the results of each source, in the order of the tables."""
    found: dict[Source, list[ClaimResult]] = {}
    for result in results:
        found.setdefault(result.claim.source, []).append(result)
    return found


def _remarks(results: Sequence[ClaimResult], most_runs: int | None) -> tuple[str, ...]:
    """Return what a reader must see, one sentence each."""
    remarks = [
        f"{result.claim.id} is {result.verdict}; its table expects "
        f'"{result.claim.expected}".'
        for result in results
        if result.is_lost
    ]
    n_cut = sum(result.is_cut for result in results)
    if n_cut:
        remarks.append(
            f"{plural(n_cut, 'claim')} had fewer runs than the table asks for "
            f"({count(most_runs or math.nan)} at most), so they are not compared "
            "with what was expected."
        )
    return tuple(remarks)


def stated(claim: Any) -> dict[str, Any]:
    """Return what a claim says, nothing measured, by the columns of the schema."""
    return {
        **vars(claim),
        "source": claim.source.key,
        "protocol": claim.protocol.readings[0].description,
        "published": claim.published.text,
    }


def row_of(result: ClaimResult) -> dict[str, Any]:
    """Return all single values of a result, by the columns of the schema."""
    readings = result.claim.protocol.readings
    return {
        **stated(result.claim),
        "dataset": ", ".join(dict.fromkeys(r.dataset for r in readings)),
        "measured": measured_text(result),
        "verdict": result.verdict,
        "lost": result.is_lost,
        "cut": result.is_cut,
        "explanation": result.explanation,
        "seconds": result.seconds,
    }


def _nested(result: ClaimResult) -> dict[str, Any]:
    """Return what the document has in the place of single values."""
    readings = []
    for found in result.measured:
        ends = (found.low, found.high) if found.repeats is None else central_range(found)
        row = {
            **vars(found),
            "dataset": found.reading.dataset,
            "reading": found.reading.words,
            "share_reached": share_reached(result.claim.published, found),
            "n_repeats": len(found.figures),
            "resampled": found.is_resampled,
            "low": ends[0],
            "high": ends[1],
        }
        readings.append(fields_of("reproduce", "readings", row))
    contrasts = (vars(one) for one in result.contrasts)
    return {
        "measured": readings,
        "contrasts": [fields_of("reproduce", "contrasts", one) for one in contrasts],
    }


def _varies(result: ClaimResult) -> bool:
    """Return whether the figure is not the same under all of many seeds."""
    repeats = [found.figures for found in result.measured if found.repeats is not None]
    return len({value for values in repeats for value in values}) > 1


def measured_text(result: ClaimResult) -> str:
    """Return what was measured, in the unit and with the digits of the published figure."""
    found = [one for one in result.measured if not math.isnan(one.value)]
    if not found:
        return DASH
    first, published = found[0], result.claim.published
    if result.claim.protocol.kind == "times":
        return _time_text(result, first)
    if first.repeats is not None:
        values = [one.value for one in found]
        low, high = (_finer(result, end) for end in (min(values), max(values)))
        text = low if low == high else f"{low} to {high}"
        return text if first.is_resampled else f"mean {text}"
    if first.rows and (published.rows or len(first.rows[0]) > 1):
        return table_text(published, first)
    text = figure(published, first.value)
    return f"{text} of {first.total}" if published.total else text


def _finer(result: ClaimResult, value: float) -> str:
    """Return a value with a digit more than published; a mean of counts with two."""
    published = result.claim.published
    is_mean_of_counts = published.decimals == 0 and published.scale == 1.0
    if is_mean_of_counts and not result.measured[0].is_resampled:
        return decimal(value, 2)
    return finer(published, value)


def _time_text(result: ClaimResult, found: Measured) -> str:
    """Return a mean time with its spread, or a ratio with its interval."""
    digits = result.claim.published.decimals
    if result.claim.metric == "fit_ratio":
        value, *ends = (
            decimal(number, digits + 1) for number in (found.value, found.low, found.high)
        )
        return f"{value} ({' to '.join(ends)})"
    return f"{decimal(found.value, digits)} ± {decimal(found.spread, digits)} s"


def report(summary: Summary) -> Document:
    """Return what became of the published figures, for every renderer."""
    results: Sequence[ClaimResult] = summary.details["results"]
    counts: Mapping[Outcome, int] = summary.details["counts"]
    n_lost = sum(result.is_lost for result in results)
    sources = plural(len(by_source(results)), "source")
    notes = remarks(summary.warnings)
    open_ones = ("not reproduced", "protocol not stated")
    told = [_told(one) for one in results if one.is_lost or one.verdict in open_ones]
    claims = Table(
        "Published beside measured",
        _rows(results),
        (
            Column("claim", "id"),
            Column(
                "study", "source", link=lambda row: f"#{anchor('source', row['source'])}"
            ),
            Column("published", ("published_value", "published"), _second),
            Column("measured", ("measured_value", "measured"), _second),
            Column("verdict", "mark"),
            Column("explanation"),
        ),
        style="claims",
        anchor="anchor",
    )
    plan = summary.details["plan"]
    return study_document(
        summary,
        subject=plural(len(results), "published figure"),
        tone="bad" if n_lost else "unsure" if counts["not reproduced"] else "good",
        band=(Text(summary.detail),),
        setting=(
            f"Published beside measured, from {sources}; equal means at the published "
            "digits."
        ),
        tiles=_tiles(counts, n_lost),
        terminal=(*_terminal(summary, results), *notes),
        sections=(
            Section("verdict", "Verdict", (*([Verdicts(told)] if told else ()), *notes)),
            Section("claims", "Every figure", (claims,)),
            Section("sources", "By study", tuple(_sources(summary, results))),
            method_section(summary, Prose("reproduce"), plan=plan),
        ),
        attachments=(
            Attachment(
                "claims.csv", summary.table("claims"), "one row per published figure"
            ),
        ),
    )


def _told(result: ClaimResult) -> Verdict:
    return Verdict(
        printable(result.claim.id),
        f"{printable(result.claim.published.text)} · {result.verdict}",
        "bad" if result.is_lost else MARKS[result.verdict][1],
        printable(result.explanation),
    )


def _rows(results: Sequence[ClaimResult]) -> list[Row]:
    """Return all that tables show of results."""
    return [
        {
            **row_of(result),
            "anchor": anchor("claim", result.claim.id),
            "what": ", ".join(
                filter(None, (METRICS[result.claim.metric].words, result.claim.part))
            ),
            "published_value": result.claim.published.value,
            "measured_value": result.measured[0].value if result.measured else math.nan,
            "mark": _verdict_cell(result),
        }
        for result in results
    ]


def _second(_: float, text: str) -> str:
    """Return the text of a value that sorts by a number."""
    return printable(text)


def _brief(text: str) -> str:
    """Return a value, or of a long table how many numbers it has."""
    return printable(text) if len(text) <= LONGEST else f"{len(text.split())} numbers"


def _verdict_cell(result: ClaimResult) -> Cell:
    sign, tone, _ = MARKS[result.verdict]
    words = result.verdict + f" (expected: {result.claim.expected})" * result.is_lost
    key = f"{VERDICTS.index(result.verdict)} {words}"
    return Cell(f"{sign} {words}", key, "bad" if result.is_lost else tone)


def _sources(summary: Summary, results: Sequence[ClaimResult]) -> Iterator[Block]:
    columns = (
        Column("claim", "id", link=lambda row: f"#{row['anchor']}"),
        Column("what"),
        Column("data", "dataset"),
        *Column.each("implementation", "protocol", "note"),
    )
    for source, claims in by_source(results).items():
        caption = f"Figures of {printable(source.key)}, and what was measured"
        blocks = [
            Text(source.citation, "muted"),
            *([Text(source.note)] if source.note else []),
            Fold.of(Table(caption, _rows(claims), columns, style="narrow")),
            *(
                Figure.of("claim-{0.claim.id}", summary, result)
                for result in claims
                if _varies(result)
            ),
        ]
        yield Section(anchor("source", source.key), _title(source), blocks)


def _title(source: Source) -> str:
    return f"{printable(source.key)}: {printable(source.title)}"


def _tiles(counts: Mapping[Outcome, int], n_lost: int) -> Iterator[Tile]:
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
    seeds = "seeds are not stated; some give the figure"
    lost = f"{count(n_lost) if n_lost else 'none'} of them unexpectedly"
    yield Tile.one("Reproduced", of, "equal at the published digits")
    yield Tile.one("Within run-to-run spread", count(spread), seeds)
    yield Tile.one("Not reproduced", count(bad), lost)
    yield Tile.one("Not judged", count(others), kinds or "none")


def _terminal(summary: Summary, results: Sequence[ClaimResult]) -> Iterator[Block]:
    """Return the count, a row a claim by source, and what needs a word."""
    columns = (
        Column("claim", "id"),
        *Column.each("published", "measured", show=_brief),
        Column("verdict", "mark"),
    )
    yield Text(summary.headline, "strong")
    if summary.detail:
        yield Text(summary.detail)
    for source, claims in by_source(results).items():
        yield Heading(_title(source))
        yield Table("", _rows(claims), columns)
        for result in claims:
            # Whether it comes with one kind of implementation only, and why
            is_caused = result.claim.cause and any(
                not one.is_published for one in result.contrasts
            )
            if result.explanation and (result.verdict in EXPLAINED or is_caused):
                yield Text(f"{result.claim.id}: {result.explanation}", "muted")


def claim_list(claims: Sequence[Claim]) -> Table:
    """Return the claims for a terminal: id, what it is, published value."""

    def of_what(metric: str, implementation: str) -> str:
        return f"{METRICS[metric].words}, {implementation}"

    columns = (
        Column("claim", "id"),
        Column("what", ("metric", "implementation"), of_what),
        Column("published", show=_brief),
    )
    return Table("", [stated(claim) for claim in claims], columns)

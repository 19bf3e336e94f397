"""The report of conformance: one implementation, or a scoreboard of several."""

import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TypeAlias

from gnbbench.conformance.contract import HardCase
from gnbbench.report.blocks import (
    Block,
    Cell,
    Column,
    Document,
    Fold,
    Prose,
    Row,
    Section,
    Table,
    Text,
    Tile,
)
from gnbbench.report.sections import (
    anchor,
    method_section,
    remarks,
    study_document,
    worst_tone,
)
from gnbbench.statistics.conformance import OUTCOMES, failures, n_passed, number_text, score
from gnbbench.statistics.summary import Summary
from gnbbench.words import DASH, SPACE, count, listing, plural, printable, shorten

MOST_NAMES = 4  # Implementations in a tile
MOST_LETTERS = 34
# In a terminal, of 80 columns and 30 lines.
MOST_FAMILIES, MOST_SHOWN, MOST_FOUND = 2, 14, 36
WORDS = {"fail": "wrong", "crash": "crashed", "timeout": "out of time"}
# Outcome -> a sign that says the same as the word beside it.
SIGNS = {"pass": "✓", "fail": "✗", "crash": "!", "timeout": "…", "not applicable": DASH}

_Parts: TypeAlias = tuple[Iterator[Block], Sequence[Tile], Sequence[Section]]


def report(summary: Summary) -> Document:
    """Return the report on conformance, for every renderer."""
    ranked: Sequence[Row] = summary.details["ranked"]
    several, first = len(ranked) > 1, ranked[0]
    checks = first["results"]
    parts = _scoreboard if several else _single
    terminal, tiles, sections = parts(summary.headline, ranked)
    notes = remarks((*summary.warnings, *summary.details["surprises"]))
    sources = sorted({check["source"] for check in checks} - {""})
    what = _version(first)
    if several:
        what = listing([shorten(name, 24) for name in summary.implementations], 7)
    return study_document(
        summary,
        subject=plural(len(ranked), "implementation") if several else first["name"],
        tone=worst_tone(entry["tone"] for entry in ranked),
        setting=(
            f"{what}: {plural(len(checks), 'check')} in "
            f"{plural(len(_families(checks)), 'family', 'families')}."
        ),
        tiles=tiles,
        terminal=(*terminal, *notes),
        sections=(
            Section.of("Verdict", (*_scores(ranked), *notes)),
            *sections,
            method_section(
                summary,
                Prose("conformance", {"sources": sources}),
                plan=summary.details["plan"],
            ),
        ),
    )


def _version(entry: Row) -> str:
    """Return the description and the version of an implementation."""
    version = f"version {entry['version']}" if entry["version"] else "version unknown"
    text = entry["description"]
    return f"{text}, {version}" if text else version.capitalize()


def _families(results: Sequence[Row]) -> dict[str, list[Row]]:
    """Return the results of each family, families in the order of the battery."""
    families: dict[str, list[Row]] = {}
    for row in results:
        families.setdefault(row["family"], []).append(row)
    return families


def _mark(row: Row, words: str, link: str = "") -> Cell:
    """Return an outcome as its sign and words; the worst sorts first."""
    outcome = row["outcome"]
    key = f"{OUTCOMES.index(outcome)} {words or outcome}"
    return Cell(f"{SIGNS[outcome]} {words}".rstrip(), key, row["tone"], link)


def _passed(results: Sequence[Row], tone: str = "") -> Cell:
    """Return how many applicable checks pass, sorted by their share."""
    passed, applicable = n_passed(results)
    return Cell(score(results), str(passed / applicable) if applicable else "", tone)


def _result_rows(results: Sequence[Row], section: str = "") -> list[Row]:
    """Return results, failures first, each with its mark and its anchor."""
    return [
        {**row, "result": _mark(row, row["words"]), "anchor": anchor(section, row["id"])}
        for row in sorted(results, key=lambda row: OUTCOMES.index(row["outcome"]))
    ]


def _single(headline: str, ranked: Sequence[Row]) -> _Parts:
    """Return the terminal text, tiles and sections on a single implementation."""
    (entry,) = ranked
    results = entry["results"]
    tally, known = entry["tally"], entry["n_failed"] - len(entry["unexpected"])
    kinds = [f"{tally[kind]} {word}" for kind, word in WORDS.items() if tally[kind]]
    failed = listing([] if tally["fail"] == entry["n_failed"] else kinds)
    failed = "; ".join(filter(None, (failed, f"{known} expected" if known else "")))
    asked = f"of {plural(len(results), 'check')}"
    asked += ": it lacks what they need" if tally["not applicable"] else ""
    passed = score(results, f"{SPACE}/{SPACE}")
    tiles = (
        Tile.fact("Passed", passed, "of the checks that apply"),
        Tile.fact("Failed", count(entry["n_failed"]), failed),
        Tile.fact("Not applicable", count(tally["not applicable"]), asked),
    )
    table = Table.named("results", _result_rows(results), number_text=number_text)
    sections = (
        Section.of("Failures", _failures(entry)),
        Section.of("Families", Fold.of(_family_table(results))),
        Section.of("Every check", Fold.of(table), "checks"),
    )
    return _single_in_short(headline, entry), tiles, sections


def _failures(entry: Row) -> Block:
    if failed := _result_rows(failures(entry["results"])):
        table = Table.named("wrong", failed)
        return Fold(table.caption, (table,), is_open=True)
    if entry["n_applicable"]:
        return Text("It passes every check that applies.", "note", "good")
    return Text("No check applies, so none can fail.", "note", "unsure")


def _family_table(results: Sequence[Row]) -> Table:
    """Return results by family, those with failures first."""
    rows: list[Row] = []
    for name, members in _families(results).items():
        n_failed = len(failures(members))
        tone = "bad" if n_failed else "good" if score(members) != DASH else "none"
        counts = Counter(row["outcome"] for row in members)
        passed = _passed(members, tone)
        tally = {kind: counts[kind] for kind in OUTCOMES}
        rows.append({"family": name, "passed": passed, "failed": n_failed, **tally})
    rows.sort(key=lambda row: -row["failed"])
    return Table.named("families", rows)


def _single_in_short(headline: str, entry: Row) -> Iterator[Block]:
    """Yield the score, the failures, and the families."""
    named = f"{entry['name']} {entry['version']}".rstrip()
    parts = (named, entry["description"], plural(entry["n_checks"], "check"))
    yield Text(" · ".join(part for part in parts if part), "muted")
    yield Text(headline, "strong", entry["tone"])

    if rows := _result_rows(failures(entry["results"])):
        yield Table.named("wrong_in_short", rows[:MOST_SHOWN], beginning=_beginning)
        more = len(rows) - MOST_SHOWN
        others = f"{plural(more, 'more failure')} on the page. " if more > 0 else ""
        yield Text(f"{others}What must hold: gnbbench conformance --list", "muted")
    by_outcome: dict[str, list[str]] = {"Passed": [], "In part": [], "Not applicable": []}
    for name, members in _families(entry["results"]).items():
        passed = score(members)
        if passed == DASH:
            by_outcome["Not applicable"].append(name)
        else:
            title = "In part" if failures(members) else "Passed"
            by_outcome[title].append(f"{name} {passed}")
    lines = (f"{title}: {', '.join(of)}." for title, of in by_outcome.items() if of)
    yield Text(" ".join(lines))


def _beginning(message: str) -> str:
    """Return the first clause of a message, on one line of a terminal."""
    return textwrap.shorten(re.split("[,;] ", message)[0], MOST_FOUND, placeholder=" …")


def _scoreboard(headline: str, ranked: Sequence[Row]) -> _Parts:
    """Return the terminal text, tiles and sections on several implementations."""
    implementations = [_implementation(entry, n) for n, entry in enumerate(ranked, 1)]
    checks = [{**row, "anchor": anchor("check", row["id"])} for row in ranked[0]["results"]]
    examined = Table.named("examined", checks, number_text=number_text)
    sections = (
        Section.of("Matrix", _matrix(ranked)),
        Section.of("Implementations", implementations),
        Section.of("Checks", Fold.of(examined)),
    )
    return _scoreboard_in_short(headline, ranked), _scoreboard_tiles(ranked), sections


def _scores(ranked: Sequence[Row]) -> Iterator[Block]:
    """Yield the table of scores of a scoreboard."""
    rows = [
        {
            **entry,
            **entry["tally"],
            "implementation": Cell(
                entry["name"], entry["name"], link=f"#{_section(place)}"
            ),
            "passed": _passed(entry["results"]),
        }
        for place, entry in enumerate(ranked, 1)
    ]
    if len(rows) > 1:
        yield Table.named("scores", rows)


def _section(place: int) -> str:
    """Return the anchor of the implementation at a rank, from 1."""
    return f"implementation-{place}"


def _matrix(ranked: Sequence[Row]) -> Iterator[Block]:
    """Yield checks by implementation; those without a failure are folded."""
    failed: list[Row] = []
    passed: list[Row] = []
    for of_check in zip(*(entry["results"] for entry in ranked), strict=True):
        name = of_check[0]["id"]
        row = {"check": Cell(name, name, link=f"#{anchor('check', name)}")}
        for place, result in enumerate(of_check, 1):
            words = {"pass": "", "not applicable": "n/a"}.get(result["outcome"])
            words = result["outcome"] if words is None else words
            link = f"#{anchor(_section(place), name)}" if words else ""
            row[str(place)] = _mark(result, words, link)
        (failed if failures(of_check) else passed).append(row)
    columns, totals = [Column("check")], [Cell("passed of those that apply", "")]
    for place, entry in enumerate(ranked, 1):
        columns.append(Column(entry["name"], str(place)))
        total = score(entry["results"])
        label = f"{total}: results of {entry['name']}"
        totals.append(Cell(total, label, link=f"#{_section(place)}"))
    if failed:
        caption, foot = "Checks with a failure", tuple(totals)
        yield Table(caption, failed, tuple(columns), style="marks", totals=foot)
    if passed:
        caption = f"Checks without a failure ({count(len(passed))})"
        yield Fold.of(Table(caption, passed, tuple(columns), style="marks"))


def _implementation(entry: Row, place: int) -> Section:
    """Return the section on one implementation of a scoreboard."""
    blocks: list[Block] = []
    if not_passed := [row for row in entry["results"] if row["outcome"] != "pass"]:
        rows = _result_rows(not_passed, _section(place))
        parts = {"name": entry["name"], "number_text": number_text}
        blocks.append(Fold.of(Table.named("not_passed", rows, **parts)))
    else:
        blocks.append(Text(entry["sentence"]))
    return Section(_section(place), entry["name"], blocks, entry["tone"])


def _scoreboard_tiles(ranked: Sequence[Row]) -> tuple[Tile, ...]:
    def names(chosen: Sequence[str]) -> str:
        return listing([_short(name) for name in chosen], MOST_NAMES) or "none"

    perfect = [entry["name"] for entry in ranked if entry["is_perfect"]]
    most = ranked[0]["n_passed"]
    best = [entry["name"] for entry in ranked if entry["n_passed"] == most]
    failed = Counter(row["id"] for entry in ranked for row in failures(entry["results"]))
    hardest, times = failed.most_common(1)[0] if failed else (DASH, 0)
    of = f"{SPACE}of{SPACE}{count(len(ranked))}"
    of_checks = f"of {ranked[0]['n_checks']}: {names(best)}"
    return (
        Tile.fact("Pass every check that applies", f"{len(perfect)}{of}", names(perfect)),
        Tile.fact("Most checks passed", count(most), of_checks),
        Tile.fact("Failed by most", f"{times}{of}", _short(hardest)),
    )


def _short(text: str) -> str:
    return shorten(text, MOST_LETTERS)


def _scoreboard_in_short(headline: str, ranked: Sequence[Row]) -> Iterator[Block]:
    yield Text(f"{len(ranked)} implementations · {ranked[0]['n_checks']} checks", "muted")
    is_perfect = all(entry["is_perfect"] for entry in ranked)
    yield Text(headline, "strong", "good" if is_perfect else "unsure")

    def where(results: Sequence[Row]) -> str:
        """Name the first few families with failures."""
        broken = list(_families(failures(results)))
        if len(broken) > MOST_FAMILIES and len(broken) == len(_families(results)):
            return f"all {len(broken)} families"
        return listing(broken, MOST_FAMILIES) or DASH

    rows = [
        {**entry, **entry["tally"], "n/a": entry["tally"][OUTCOMES[3]]} for entry in ranked
    ]
    absent = [kind for kind in ("crash", "timeout") if not any(r[kind] for r in rows)]
    show = {"short": partial(shorten, width=18), "score": score, "where": where}
    yield Table.named("scores_in_short", rows, without=absent, **show)


def check_list(checks: Sequence[HardCase]) -> Table:
    """Return the battery for a terminal: id, what must hold, tolerance, source."""

    def tolerance(value: float | None, unit: str) -> str:
        named = f" {unit}" if value is not None and unit else ""
        return printable(number_text(value) + named)

    rows = [vars(check) for check in checks]
    return Table.named("checks_listed", rows, lines="{}\n{}".format, tolerance=tolerance)

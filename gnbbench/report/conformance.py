"""The report of conformance: one implementation, or a scoreboard of several."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from gnbbench.conformance.result import Check, Conformance, Outcome, Result
from gnbbench.report.blocks import (
    Attachment,
    Block,
    Cell,
    Column,
    Document,
    Fact,
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
from gnbbench.report.conformance_documents import (
    conformance_document,
)
from gnbbench.report.conformance_summary import (
    FAILURES,
    OUTCOMES,
    SIGNS,
    ConformanceSummary,
    evidence,
    failures_first,
    families,
    number_text,
    outcome_words,
    passes_all,
    result_tone,
    score,
    sentence,
    setting,
)
from gnbbench.report.junit import conformance_junit
from gnbbench.report.sections import (
    FILES,
    anchor,
    method_section,
    plan_facts,
    remarks,
)
from gnbbench.words import (
    DASH,
    SPACE,
    count,
    listing,
    plural,
    printable,
    seconds,
    shorten,
)

MOST_NAMED = 5
MOST_NAMES = 4
MOST_LETTERS = 34
# In a terminal.
MOST_FAMILIES = 4
WIDEST_ID = 30
WORDS: Mapping[Outcome, str] = {
    "fail": "wrong",
    "crash": "crashed",
    "timeout": "out of time",
}


def report(summary: ConformanceSummary) -> Document:
    """Return what the checks found, for every renderer."""
    sections = _scoreboard(summary) if summary.is_scoreboard else _single(summary)
    verdicts = [_verdict(summary, one) for one in summary.ranked]
    first, *others = summary.names.values()
    return Document(
        study=summary.study,
        subject=plural(len(others) + 1, "implementation") if others else first,
        headline=summary.headline,
        tone=_tone(summary, summary.examined),
        band=tuple(Text(one.detail) for one in verdicts if len(verdicts) == 1),
        setting=_setting(summary),
        tiles=_scoreboard_tiles(summary) if summary.is_scoreboard else _tiles(summary),
        blocks=(
            Terminal(tuple(_terminal(summary))),
            *sections,
            _method(summary),
            FILES,
        ),
        payload=conformance_document(summary),
        attachments=(
            Attachment(
                "conformance.csv",
                summary.frame(),
                "one row per implementation and check",
            ),
            Attachment(
                "junit.xml", conformance_junit(summary), "for continuous integration"
            ),
        ),
    )


def _tone(summary: ConformanceSummary, examined: Sequence[Conformance]) -> str:
    """Return the tone of a verdict: bad only for a failure that nobody expected."""
    failed = [result for one in examined for result in one.failed]
    if any(result.check.id not in summary.expected for result in failed):
        return "bad"
    return "good" if all(passes_all(one) for one in examined) else "unsure"


def _verdict(summary: ConformanceSummary, one: Conformance) -> Verdict:
    name = summary.names[one.implementation]
    return Verdict(
        name,
        f"{score(one.results)} passed",
        _tone(summary, (one,)),
        sentence(one, name),
        _failed_by_name(summary, one),
    )


def _failed_by_name(summary: ConformanceSummary, one: Conformance) -> str:
    """Return which checks fail, the first few by name."""
    ids = [printable(result.check.id) for result in one.failed]
    shown = ids[:MOST_NAMED]
    beyond = len(ids) - len(shown)
    if not ids:
        return "Nothing that it offers fails." if one.n_applicable else ""
    named = listing(shown + ([f"{beyond} more"] if beyond else []))
    known = sum(result.check.id in summary.expected for result in one.failed)
    note = {0: "", len(ids): ", as expected"}.get(known, f"; {known} of them expected")
    return f"Fails {named}{note}."


def _setting(summary: ConformanceSummary) -> str:
    number = len({check.family for check in summary.checks})
    n_families = f"{count(number)} {'family' if number == 1 else 'families'}"
    battery = f"{plural(len(summary.checks), 'check')} in {n_families}"
    limit = f"each alone, for at most {summary.plan['timeout_seconds']:g} s"
    if not summary.is_scoreboard:
        return f"{setting(summary.examined[0])}: {battery}, {limit}."
    names = [shorten(name, 24) for name in summary.names.values()]
    shown = names if len(names) <= 8 else [*names[:7], f"{len(names) - 7} more"]
    return f"{listing(shown)}: {battery}, {limit}."


def _remarks(summary: ConformanceSummary) -> tuple[Text, ...]:
    return remarks((*summary.warnings, *summary.surprises))


def _single(summary: ConformanceSummary) -> tuple[Section, ...]:
    one = summary.examined[0]
    what = Text("What does it get wrong, and by how much?")
    verdict = Verdicts([_verdict(summary, one)])
    measured = Text("What was measured, against which tolerance?")
    return (
        Section("verdict", "Verdict", (verdict, *_remarks(summary))),
        Section("failures", "Failures", (what, _failures(summary, one))),
        Section(
            "families",
            "Families",
            (Text("On which subjects does it hold up?"), _family_table(one)),
        ),
        Section("checks", "Every check", (measured, _result_table(summary))),
    )


def _failures(summary: ConformanceSummary, one: Conformance) -> Block:
    failed = [result for result in failures_first(one) if result.outcome in FAILURES]
    if failed:
        return Verdicts([_failure(result, summary.expected) for result in failed])
    if one.n_applicable:
        return Text("Every check that applies is passed.", "note", "good")
    return Text("No check applies, so that none can fail.", "note", "unsure")


def _failure(result: Result, expected: Sequence[str]) -> Verdict:
    found, source = evidence(result), printable(result.check.source)
    return Verdict(
        printable(result.check.id),
        outcome_words(result, expected),
        result_tone(result, expected),
        printable(result.check.statement),
        f"Found: {found}" if found else "",
        (f"Source: {source}",) if source else (),
    )


def _family_table(one: Conformance) -> Table:
    """Return results by family, those with failures first."""
    kinds = ("pass", *OUTCOMES[:4])
    rows: list[dict[str, Any]] = []
    for name, results in families(one).items():
        tally: Counter[str] = Counter(result.outcome for result in results)
        failed = sum(tally[kind] for kind in FAILURES)
        applicable = failed + tally["pass"]
        tone = "bad" if failed else "good" if applicable else "none"
        share = tally["pass"] / applicable if applicable else math.nan
        passed = Cell(score(results), _key(share), tone)
        counts: dict[str, Any] = {kind: tally[kind] for kind in kinds}
        rows.append({"family": name, "passed": passed, "failed": failed, **counts})
    rows.sort(key=lambda row: -row["failed"])
    columns = (Column("family"), Column("passed"), *(Column(k, show=count) for k in kinds))
    return Table("Results by family", rows, columns)


def _key(share: float) -> str:
    return "" if math.isnan(share) else str(share)


_CHECK = (
    Column("measured", show=number_text),
    Column("tolerance", show=number_text),
    Column("unit"),
    Column("what must hold", "statement"),
    Column("what was found", "message"),
)


def _result_table(summary: ConformanceSummary) -> Table:
    """Return every result of one implementation, failures first."""
    columns = (
        Column("check", "id"),
        Column("result"),
        *_CHECK,
        Column("family"),
        Column("source"),
        Column("time", "seconds", seconds),
    )
    results = failures_first(summary.examined[0])
    rows = [_result_row(result, summary.expected) for result in results]
    return Table("Every check, failures first", rows, columns)


def _result_row(result: Result, expected: Sequence[str]) -> Row:
    words = outcome_words(result, expected)
    shown = Cell(
        f"{SIGNS[result.outcome]} {words}",
        f"{OUTCOMES.index(result.outcome)} {words}",
        result_tone(result, expected),
    )
    return {**vars(result.check), **vars(result), "result": shown}


def _scoreboard(summary: ConformanceSummary) -> tuple[Section, ...]:
    which = (
        "Which implementation passes which check? ✓ passes, ✗ fails, ! crashes, … takes "
        "too long, – (n/a) does not apply. A name leads to its check, a mark to what was "
        "found, a total to the implementation."
    )
    each = tuple(
        _implementation(summary, one, place) for place, one in enumerate(summary.ranked, 1)
    )
    checks = (
        Text("What must hold, within which tolerance, and who says so?"),
        _check_table(summary.checks),
    )
    wrong = Text("What does each get wrong, and by how much?")
    return (
        Section("verdict", "Verdict", (_score_table(summary), *_remarks(summary))),
        Section("matrix", "Matrix", (Text(which), _matrix(summary))),
        Section("implementations", "Implementations", (wrong, *each)),
        Section("checks", "Checks", checks),
    )


def _score_table(summary: ConformanceSummary) -> Table:
    rows: list[Row] = []
    for place, one in enumerate(summary.ranked, 1):
        tally: Counter[str] = Counter(result.outcome for result in one.results)
        share = one.n_passed / one.n_applicable if one.n_applicable else math.nan
        name = summary.names[one.implementation]
        rows.append(
            {
                "implementation": Cell(name, name, link=f"#{_section_name(place)}"),
                "passed": Cell(score(one.results), _key(share)),
                **{kind: tally[kind] for kind in OUTCOMES},
                "version": one.version,
                "what it is": one.description,
            }
        )
    columns = (
        Column("implementation"),
        Column("passed"),
        *(Column(kind, show=count) for kind in OUTCOMES[:4]),
        Column("version"),
        Column("what it is"),
    )
    return Table("Scores, most passes first", rows, columns)


def _section_name(place: int) -> str:
    """Return the name of the section of the implementation of a rank, from 1."""
    return f"implementation-{place}"


def _matrix(summary: ConformanceSummary) -> Table:
    """Return every check against every implementation, with its score at the foot."""
    ranked = list(enumerate(summary.ranked, 1))
    names = {place: summary.names[one.implementation] for place, one in ranked}
    rows = []
    for number, check in enumerate(summary.checks):
        marks = {
            str(place): _mark(one.results[number], place, summary.expected)
            for place, one in ranked
        }
        link = f"#{anchor('check', check.id)}"
        rows.append({"check": Cell(printable(check.id), check.id, link=link), **marks})
    columns = (
        Column("check"),
        *(Column(name, str(place)) for place, name in names.items()),
    )
    totals = [Cell("passed of those that apply", "")]
    for place, one in ranked:
        passed = score(one.results)
        label = f"{passed}: results of {names[place]}"
        totals.append(Cell(passed, label, link=f"#{_section_name(place)}"))
    return Table(
        "Check by implementation", rows, columns, style="marks", totals=tuple(totals)
    )


def _mark(result: Result, place: int, expected: Sequence[str]) -> Cell:
    word = "n/a" if result.outcome == "not applicable" else result.outcome
    named = anchor(_section_name(place), result.check.id)
    return Cell(
        f"{SIGNS[result.outcome]} {word}",
        f"{OUTCOMES.index(result.outcome)} {word}",
        result_tone(result, expected),
        "" if result.outcome == "pass" else f"#{named}",
    )


def _implementation(summary: ConformanceSummary, one: Conformance, place: int) -> Section:
    """Return what one implementation of a scoreboard does not pass."""
    name, section = summary.names[one.implementation], _section_name(place)
    words = Markup('{} <span class="muted">{}.</span>')
    blocks: list[Block] = [Text(words.format(sentence(one, name), setting(one)))]
    rows = [
        {
            **_result_row(result, summary.expected),
            "anchor": anchor(section, result.check.id),
        }
        for result in failures_first(one)
        if result.outcome != "pass"
    ]
    if rows:
        columns = (Column("check", "id"), Column("result"), *_CHECK)
        caption = f"What {name} does not pass"
        blocks.append(Table(caption, rows, columns, anchor="anchor"))
    else:
        words_of_none = "Nothing is left to tell: every check is passed."
        blocks.append(Text(words_of_none, "note", "good"))
    return Section(section, name, blocks, _tone(summary, (one,)))


def _check_table(checks: Sequence[Check]) -> Table:
    columns = (
        Column("check", "id"),
        Column("family"),
        Column("what must hold", "statement"),
        Column("tolerance", show=number_text),
        Column("unit"),
        Column("source"),
    )
    rows = [{**vars(check), "anchor": anchor("check", check.id)} for check in checks]
    return Table("What is examined", rows, columns, anchor="anchor")


def _method(summary: ConformanceSummary) -> Section:
    sources = {printable(check.source) for check in summary.checks} - {""}
    prose = (Prose("conformance", {"sources": sorted(sources)}),)
    plan = {key: value for key, value in summary.plan.items() if value != []}
    return method_section(summary.command, prose, plan_facts(plan), summary.environment, "")


def _tiles(summary: ConformanceSummary) -> tuple[Tile, ...]:
    one = summary.examined[0]
    n_left_out = len(one.results) - one.n_applicable
    asked = f"of {plural(len(one.results), 'check')}: asks for what is not offered"
    passed = score(one.results).replace("/", f"{SPACE}/{SPACE}")
    return (
        _tile("Passed", passed, "of the checks that apply"),
        _tile("Failed", count(len(one.failed)), _kinds(one, summary.expected)),
        _tile("Not applicable", count(n_left_out), asked),
        _slowest({"": one.results}),
    )


def _scoreboard_tiles(summary: ConformanceSummary) -> tuple[Tile, ...]:
    ranked, names = summary.ranked, summary.names
    perfect = [names[one.implementation] for one in ranked if passes_all(one)]
    most = ranked[0].n_passed
    best = [names[one.implementation] for one in ranked if one.n_passed == most]
    failed = Counter(result.check.id for one in ranked for result in one.failed)
    hardest, times = failed.most_common(1)[0] if failed else (DASH, 0)
    of = f"{SPACE}of{SPACE}{count(len(ranked))}"
    of_checks = f"of {len(summary.checks)}: {_first_names(best)}"
    return (
        _tile(
            "Pass every check that applies", f"{len(perfect)}{of}", _first_names(perfect)
        ),
        _tile("Most checks passed", count(most), of_checks),
        _tile("Failed by most", f"{times}{of}", _short(hardest)),
        _slowest({names[one.implementation]: one.results for one in ranked}),
    )


def _kinds(one: Conformance, expected: Sequence[str]) -> str:
    kinds = Counter(result.outcome for result in one.failed)
    if not kinds:
        return "no check"
    found = [f"{kinds[kind]} {word}" for kind, word in WORDS.items() if kinds[kind]]
    known = sum(result.check.id in expected for result in one.failed)
    return listing(found) + (f"; {known} expected" if known else "")


def _slowest(results: Mapping[str, Sequence[Result]]) -> Tile:
    timed = [
        (result.seconds, name, result) for name, each in results.items() for result in each
    ]
    longest, name, result = max(timed, key=lambda entry: entry[0])
    detail = _short(result.check.id) + (f", {name}" if name else "")
    return _tile("Slowest check", seconds(longest), detail)


def _first_names(names: Sequence[str]) -> str:
    shown = [_short(name) for name in names[:MOST_NAMES]]
    beyond = len(names) - len(shown)
    return listing(shown + ([f"{beyond} more"] if beyond > 0 else [])) or "none"


def _tile(title: str, value: str, detail: str) -> Tile:
    return Tile(title, (Fact("", value, detail),))


def _short(text: str) -> str:
    return shorten(printable(text), MOST_LETTERS)


def _terminal(summary: ConformanceSummary) -> Iterator[Block]:
    """Return the score, what fails in words, and families."""
    if summary.is_scoreboard:
        yield from _scoreboard_in_short(summary)
    else:
        yield from _single_in_short(summary)
    yield from _remarks(summary)


def _single_in_short(summary: ConformanceSummary) -> Iterator[Block]:
    one = summary.examined[0]
    name = summary.names[one.implementation]
    named = f"{name} {printable(one.version)}".rstrip()
    parts = (named, printable(one.description), plural(len(one.results), "check"))
    yield Text(" · ".join(part for part in parts if part), "muted")
    tone = _tone(summary, (one,))
    yield Text(sentence(one, name), "strong", tone)
    rows = [
        {
            "check": result.check.id,
            "result": outcome_words(result, summary.expected),
            "found": _found(result),
        }
        for result in failures_first(one)
        if result.outcome in FAILURES
    ]
    if rows:
        columns = (
            Column("check", width=_id_width([row["check"] for row in rows])),
            Column("result", width=9),
            Column("what must hold, what was found", "found"),
        )
        yield Table("", rows, columns)
    yield Text(family_line(one))


def _found(result: Result) -> str:
    found, statement = evidence(result), printable(result.check.statement)
    return f"{statement}\nFound: {found}" if found else statement


def family_line(one: Conformance) -> str:
    """Return the score of each family that has no failure, and of those that have.

    Examples are "Passed: offsets 9/9, weights 4/4. In part: ties 1/2."
    """
    whole, part, none = [], [], []
    for name, results in families(one).items():
        words = f"{printable(name)} {score(results)}"
        if any(result.outcome in FAILURES for result in results):
            part.append(words)
        elif score(results) == DASH:
            none.append(printable(name))
        else:
            whole.append(words)
    parts = (("Passed", whole), ("In part", part), ("Not applicable", none))
    return " ".join(f"{title}: {', '.join(words)}." for title, words in parts if words)


def _scoreboard_in_short(summary: ConformanceSummary) -> Iterator[Block]:
    n_examined = len(summary.examined)
    yield Text(f"{n_examined} implementations · {len(summary.checks)} checks", "muted")
    is_perfect = all(passes_all(one) for one in summary.examined)
    yield Text(summary.headline, "strong", "good" if is_perfect else "unsure")
    rows = [
        {
            "implementation": shorten(summary.names[one.implementation], 18),
            "passed": score(one.results),
            **_tally(one),
            "where": _where(one),
        }
        for one in summary.ranked
    ]
    columns = (
        Column("implementation", width=18),
        Column("passed", width=7),
        Column("fail", width=4),
        Column("crash", width=5),
        Column("time", "timeout", width=4),
        Column("n/a", "not applicable", width=4),
        Column("where it fails", "where"),
    )
    yield Table("", rows, columns)


def _tally(one: Conformance) -> dict[str, str]:
    tally = Counter(result.outcome for result in one.results)
    return {kind: count(tally[kind]) for kind in OUTCOMES[:4]}


def _where(one: Conformance) -> str:
    """Return the families that have failures, the first few by name."""
    broken = list(dict.fromkeys(printable(result.check.family) for result in one.failed))
    beyond = len(broken) - MOST_FAMILIES
    if beyond <= 0:
        return listing(broken) or DASH
    if len(broken) == len(families(one)):
        return f"all {len(broken)} families"
    return f"{', '.join(broken[:MOST_FAMILIES])} and {beyond} more"


def check_list(checks: Sequence[Check]) -> Table:
    """Return the battery for a terminal: id, what must hold, tolerance, source."""

    def statement(text: str, source: str) -> str:
        return f"{printable(text)}\n{printable(source)}" if source else printable(text)

    def tolerance(value: float | None, unit: str) -> str:
        named = f" {unit}" if value is not None and unit else ""
        return printable(number_text(value) + named)

    columns = (
        Column("check", "id", width=_id_width([check.id for check in checks])),
        Column("what must hold, and source", ("statement", "source"), statement),
        Column("tolerance", ("tolerance", "unit"), tolerance, width=14),
    )
    return Table("", [vars(check) for check in checks], columns)


def _id_width(ids: Sequence[str]) -> int:
    """Return the width of a column of ids, which are cut where they are very long."""
    return min(max(map(len, ids), default=5), WIDEST_ID)

"""The report of conformance: one implementation, or a scoreboard of several."""

from collections import Counter
from collections.abc import Iterator, Sequence

from markupsafe import Markup

from gnbbench.conformance.result import Check
from gnbbench.report.blocks import (
    Attachment,
    Block,
    Cell,
    Column,
    Document,
    Fold,
    Prose,
    Row,
    Section,
    Table,
    Terminal,
    Text,
    Tile,
)
from gnbbench.report.conformance_summary import (
    OUTCOMES,
    failures,
    number_text,
    score,
)
from gnbbench.report.junit import conformance_junit
from gnbbench.report.sections import (
    FILES,
    anchor,
    method_section,
    plan_facts,
    remarks,
    worst_tone,
)
from gnbbench.statistics.documents import document
from gnbbench.statistics.summary import Summary
from gnbbench.words import DASH, SPACE, count, listing, plural, printable, seconds, shorten

MOST_NAMED = 5
MOST_NAMES = 4
MOST_LETTERS = 34
# In a terminal.
MOST_FAMILIES = 4
WORDS = {"fail": "wrong", "crash": "crashed", "timeout": "out of time"}
# Outcome -> a sign that says the same as the word beside it.
SIGNS = {"pass": "✓", "fail": "✗", "crash": "!", "timeout": "…", "not applicable": DASH}


def report(summary: Summary) -> Document:
    """Return what the checks found, for every renderer."""
    ranked: Sequence[Row] = summary.details["ranked"]
    several, first = len(ranked) > 1, ranked[0]
    parts = _scoreboard if several else _single
    terminal, tiles, sections = parts(summary.headline, ranked)
    notes = _remarks(summary)
    scores = (_score_table(ranked),) if several else ()
    return Document(
        study=summary.study,
        subject=plural(len(ranked), "implementation") if several else first["name"],
        headline=summary.headline,
        tone=worst_tone([one["tone"] for one in ranked]),
        band=() if several else (Text(_failed_by_name(first)),),
        setting=_setting(summary, ranked),
        tiles=tiles,
        blocks=(
            Terminal((*terminal, *notes)),
            Section("verdict", "Verdict", (*scores, *notes)),
            *sections,
            _method(summary, first["results"]),
            FILES,
        ),
        payload=document(summary),
        attachments=(
            Attachment(
                "conformance.csv",
                summary.table("results"),
                "one row per implementation and check",
            ),
            Attachment(
                "junit.xml", conformance_junit(summary), "for continuous integration"
            ),
        ),
    )


def _remarks(summary: Summary) -> tuple[Text, ...]:
    return remarks((*summary.warnings, *summary.details["surprises"]))


def _failed_by_name(one: Row) -> str:
    """Return which checks fail, the first few by name."""
    failed = failures(one["results"])
    if not failed:
        return "Nothing that it offers fails." if one["n_applicable"] else ""
    named = _first([row["id"] for row in failed], MOST_NAMED)
    known = len(failed) - len(one["unexpected"])
    note = {0: "", len(failed): ", as expected"}.get(known, f"; {known} of them expected")
    return f"Fails {named}{note}."


def _first(names: Sequence[str], most: int) -> str:
    """Return the first few names, and how many there are besides."""
    beyond = len(names) - most
    return listing([*names[:most], *([f"{beyond} more"] if beyond > 0 else [])])


def _setting(summary: Summary, ranked: Sequence[Row]) -> str:
    results = ranked[0]["results"]
    number = len(_families(results))
    n_families = f"{count(number)} {'family' if number == 1 else 'families'}"
    battery = f"{plural(len(results), 'check')} in {n_families}"
    limit = f"each alone, for at most {summary.plan['timeout_seconds']:g} s"
    what = _version(ranked[0])
    if len(ranked) > 1:
        names = [shorten(name, 24) for name in summary.implementations]
        what = _first(names, 8 if len(names) == 8 else 7)
    return f"{what}: {battery}, {limit}."


def _version(one: Row) -> str:
    """Return what was examined: description and version."""
    version = f"version {one['version']}" if one["version"] else "version unknown"
    text = one["description"]
    return f"{text}, {version}" if text else version.capitalize()


def _families(results: Sequence[Row]) -> dict[str, list[Row]]:
    """Return the results of each family, families in the order of the battery."""
    found: dict[str, list[Row]] = {}
    for row in results:
        found.setdefault(row["family"], []).append(row)
    return found


def _failures_first(results: Sequence[Row]) -> list[Row]:
    return sorted(results, key=lambda row: OUTCOMES.index(row["outcome"]))


def _mark(row: Row, words: str, link: str = "") -> Cell:
    """Return an outcome by its sign and words, sorted by how much attention it asks for."""
    outcome = row["outcome"]
    key = f"{OUTCOMES.index(outcome)} {words}"
    return Cell(f"{SIGNS[outcome]} {words}", key, row["tone"], link)


def _single(
    headline: str, ranked: Sequence[Row]
) -> tuple[Iterator[Block], tuple[Tile, ...], tuple[Section, ...]]:
    """Return what a terminal, the tiles and the page say of one implementation."""
    (one,) = ranked
    results = one["results"]
    n_left_out = len(results) - one["n_applicable"]
    asked = f"of {plural(len(results), 'check')}: asks for what is not offered"
    passed = score(results).replace("/", f"{SPACE}/{SPACE}")
    tiles = (
        Tile.one("Passed", passed, "of the checks that apply"),
        Tile.one("Failed", count(one["n_failed"]), _kinds(one)),
        Tile.one("Not applicable", count(n_left_out), asked),
        _slowest(ranked),
    )
    columns = (
        Column("check", "id"),
        Column("result"),
        *_CHECK,
        Column("family"),
        Column("source"),
        Column("time", "seconds", seconds),
    )
    table = Table("Every check, failures first", _result_rows(results), columns)
    sections = (
        Section("failures", "Failures", (_failures(one),)),
        Section("families", "Families", (_family_table(results),)),
        Section("checks", "Every check", (Fold.of(table),)),
    )
    return _single_in_short(headline, one), tiles, sections


def _failures(one: Row) -> Block:
    failed = _result_rows(failures(one["results"]))
    if failed:
        columns = (
            Column("check", "id"),
            Column("result"),
            Column("what was found", "found"),
            Column("what must hold", "statement"),
            Column("source"),
        )
        return Table("What it gets wrong", failed, columns)
    if one["n_applicable"]:
        return Text("Every check that applies is passed.", "note", "good")
    return Text("No check applies, so that none can fail.", "note", "unsure")


def _family_table(results: Sequence[Row]) -> Table:
    """Return results by family, those with failures first."""
    kinds = ("pass", *OUTCOMES[:4])
    rows: list[Row] = []
    for name, members in _families(results).items():
        n_failed = len(failures(members))
        tone = "bad" if n_failed else "good" if score(members) != DASH else "none"
        counts = Counter(row["outcome"] for row in members)
        tally = {kind: counts[kind] for kind in kinds}
        passed = _passed(members, tone)
        rows.append({"family": name, "passed": passed, "failed": n_failed, **tally})
    rows.sort(key=lambda row: -row["failed"])
    columns = (Column("family"), Column("passed"), *(Column(k, show=count) for k in kinds))
    return Table("Results by family", rows, columns)


def _passed(results: Sequence[Row], tone: str = "") -> Cell:
    """Return how many of the results that apply are passes, sorted by their share."""
    passed, _, applicable = score(results).partition("/")
    share = str(int(passed) / int(applicable)) if applicable else ""
    return Cell(score(results), share, tone)


_CHECK = (
    Column("measured", show=number_text),
    Column("tolerance", show=number_text),
    Column("unit"),
    Column("what must hold", "statement"),
    Column("what was found", "message"),
)


def _result_rows(results: Sequence[Row], section: str = "") -> list[Row]:
    """Return results, failures first, each with its mark and its name on the page."""
    return [
        {**row, "result": _mark(row, row["words"]), "anchor": anchor(section, row["id"])}
        for row in _failures_first(results)
    ]


def _scoreboard(
    headline: str, ranked: Sequence[Row]
) -> tuple[Iterator[Block], tuple[Tile, ...], tuple[Section, ...]]:
    """Return what a terminal, the tiles and the page say of several implementations."""
    each = [_implementation(one, place) for place, one in enumerate(ranked, 1)]
    checks = Fold.of(_check_table(ranked[0]["results"]))
    sections = (
        Section("matrix", "Matrix", tuple(_matrix(ranked))),
        Section("implementations", "Implementations", each),
        Section("checks", "Checks", (checks,)),
    )
    return _scoreboard_in_short(headline, ranked), _scoreboard_tiles(ranked), sections


def _score_table(ranked: Sequence[Row]) -> Table:
    rows = [
        {
            **one,
            **one["tally"],
            "implementation": Cell(one["name"], one["name"], link=f"#{_section(place)}"),
            "passed": _passed(one["results"]),
        }
        for place, one in enumerate(ranked, 1)
    ]
    columns = (
        Column("implementation"),
        Column("passed"),
        *(Column(kind, show=count) for kind in OUTCOMES[:4]),
        Column("version"),
        Column("what it is", "description"),
    )
    return Table("Scores, most passes first", rows, columns)


def _section(place: int) -> str:
    """Return the name of the section of the implementation of a rank, from 1."""
    return f"implementation-{place}"


def _matrix(ranked: Sequence[Row]) -> Iterator[Block]:
    """Return every check against every implementation; those that none fails are folded."""
    failed: list[Row] = []
    passed: list[Row] = []
    for of_check in zip(*(one["results"] for one in ranked), strict=True):
        name = of_check[0]["id"]
        row = {"check": Cell(name, name, link=f"#{anchor('check', name)}")}
        for place, result in enumerate(of_check, 1):
            words = result["outcome"].replace("not applicable", "n/a")
            link = "" if words == "pass" else f"#{anchor(_section(place), name)}"
            row[str(place)] = _mark(result, words, link)
        (failed if failures(of_check) else passed).append(row)
    columns, totals = [Column("check")], [Cell("passed of those that apply", "")]
    for place, one in enumerate(ranked, 1):
        columns.append(Column(one["name"], str(place)))
        total = score(one["results"])
        label = f"{total}: results of {one['name']}"
        totals.append(Cell(total, label, link=f"#{_section(place)}"))
    if failed:
        caption, foot = "Checks that some fail", tuple(totals)
        yield Table(caption, failed, tuple(columns), style="marks", totals=foot)
    if passed:
        caption = f"Checks that none fails ({count(len(passed))})"
        yield Fold.of(Table(caption, passed, tuple(columns), style="marks"))


def _implementation(one: Row, place: int) -> Section:
    """Return what one implementation of a scoreboard does not pass."""
    words = Markup('{} <span class="muted">{}.</span>')
    blocks: list[Block] = [Text(words.format(one["sentence"], _version(one)))]
    rest = [row for row in one["results"] if row["outcome"] != "pass"]
    if rest:
        rows = _result_rows(rest, _section(place))
        columns = (Column("check", "id"), Column("result"), *_CHECK)
        caption = f"What {one['name']} does not pass"
        blocks.append(Fold.of(Table(caption, rows, columns, anchor="anchor")))
    return Section(_section(place), one["name"], blocks, one["tone"])


def _check_table(checks: Sequence[Row]) -> Table:
    columns = (
        Column("check", "id"),
        Column("family"),
        Column("what must hold", "statement"),
        Column("tolerance", show=number_text),
        Column("unit"),
        Column("source"),
    )
    rows = [{**check, "anchor": anchor("check", check["id"])} for check in checks]
    return Table("What is examined", rows, columns, anchor="anchor")


def _method(summary: Summary, checks: Sequence[Row]) -> Section:
    sources = {check["source"] for check in checks} - {""}
    prose = (Prose("conformance", {"sources": sorted(sources)}),)
    plan = {key: value for key, value in summary.details["plan"].items() if value != []}
    return method_section(summary.command, prose, plan_facts(plan), summary.environment, "")


def _scoreboard_tiles(ranked: Sequence[Row]) -> tuple[Tile, ...]:
    perfect = [one["name"] for one in ranked if one["is_perfect"]]
    most = ranked[0]["n_passed"]
    best = [one["name"] for one in ranked if one["n_passed"] == most]
    failed = Counter(row["id"] for one in ranked for row in failures(one["results"]))
    hardest, times = failed.most_common(1)[0] if failed else (DASH, 0)
    of = f"{SPACE}of{SPACE}{count(len(ranked))}"
    of_checks = f"of {ranked[0]['n_checks']}: {_names(best)}"
    return (
        Tile.one("Pass every check that applies", f"{len(perfect)}{of}", _names(perfect)),
        Tile.one("Most checks passed", count(most), of_checks),
        Tile.one("Failed by most", f"{times}{of}", _short(hardest)),
        _slowest(ranked),
    )


def _kinds(one: Row) -> str:
    tally, known = one["tally"], one["n_failed"] - len(one["unexpected"])
    found = [f"{tally[kind]} {word}" for kind, word in WORDS.items() if tally[kind]]
    return (listing(found) or "no check") + (f"; {known} expected" if known else "")


def _slowest(ranked: Sequence[Row]) -> Tile:
    results = (row for one in ranked for row in one["results"])
    slowest = max(results, key=lambda row: row["seconds"])
    whose = f", {slowest['name']}" if len(ranked) > 1 else ""
    detail = f"{_short(slowest['id'])}{whose}"
    return Tile.one("Slowest check", seconds(slowest["seconds"]), detail)


def _names(names: Sequence[str]) -> str:
    return _first([_short(name) for name in names], MOST_NAMES) or "none"


def _short(text: str) -> str:
    return shorten(text, MOST_LETTERS)


def _single_in_short(headline: str, one: Row) -> Iterator[Block]:
    """Return the score, what fails in words, and families."""
    named = f"{one['name']} {one['version']}".rstrip()
    parts = (named, one["description"], plural(one["n_checks"], "check"))
    yield Text(" · ".join(part for part in parts if part), "muted")
    yield Text(headline, "strong", one["tone"])
    rows = failures(_failures_first(one["results"]))
    if rows:
        columns = (
            Column("check", "id"),
            Column("result", "words"),
            Column("what must hold, what was found", ("statement", "found"), _with_found),
        )
        yield Table("", rows, columns)
    yield Text(_family_line(one["results"]))


def _with_found(statement: str, found: str) -> str:
    return f"{statement}\nFound: {found}" if found else statement


def _family_line(results: Sequence[Row]) -> str:
    """Return the score of each family that has no failure, and of those that have.

    Examples are "Passed: offsets 9/9, weights 4/4. In part: ties 1/2."
    """
    told: dict[str, list[str]] = {"Passed": [], "In part": [], "Not applicable": []}
    for name, members in _families(results).items():
        passed = score(members)
        if failures(members):
            told["In part"].append(f"{name} {passed}")
        elif passed == DASH:
            told["Not applicable"].append(name)
        else:
            told["Passed"].append(f"{name} {passed}")
    return " ".join(
        f"{title}: {', '.join(names)}." for title, names in told.items() if names
    )


def _scoreboard_in_short(headline: str, ranked: Sequence[Row]) -> Iterator[Block]:
    yield Text(f"{len(ranked)} implementations · {ranked[0]['n_checks']} checks", "muted")
    is_perfect = all(one["is_perfect"] for one in ranked)
    yield Text(headline, "strong", "good" if is_perfect else "unsure")
    rows = [
        {
            **{kind: count(number) for kind, number in one["tally"].items()},
            "implementation": shorten(one["name"], 18),
            "passed": score(one["results"]),
            "where": _where(one["results"]),
        }
        for one in ranked
    ]
    columns = (
        Column("implementation"),
        Column("passed"),
        Column("fail"),
        Column("crash"),
        Column("time", "timeout"),
        Column("n/a", "not applicable"),
        Column("where it fails", "where"),
    )
    yield Table("", rows, columns)


def _where(results: Sequence[Row]) -> str:
    """Return the families that have failures, the first few by name."""
    broken = list(_families(failures(results)))
    beyond = len(broken) - MOST_FAMILIES
    if beyond <= 0:
        return listing(broken) or DASH
    if len(broken) == len(_families(results)):
        return f"all {len(broken)} families"
    return f"{', '.join(broken[:MOST_FAMILIES])} and {beyond} more"


def check_list(checks: Sequence[Check]) -> Table:
    """Return the battery for a terminal: id, what must hold, tolerance, source."""

    def tolerance(value: float | None, unit: str) -> str:
        named = f" {unit}" if value is not None and unit else ""
        return printable(number_text(value) + named)

    columns = (
        Column("check", "id"),
        Column("what must hold, and source", ("statement", "source"), "{}\n{}".format),
        Column("tolerance", ("tolerance", "unit"), tolerance),
    )
    return Table("", [vars(check) for check in checks], columns)

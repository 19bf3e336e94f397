"""The report of a check: is the code in each file right, and if not, what to change?"""

from collections.abc import Iterator, Sequence

import pandas as pd

from gnbbench.report.blocks import (
    Attachment,
    Block,
    Column,
    Document,
    Fact,
    Fold,
    Heading,
    Items,
    Prose,
    Row,
    Section,
    Table,
    Terminal,
    Text,
    Tile,
)
from gnbbench.report.check_summary import (
    DIFFERS,
    FAILED,
    MADE,
    SAME,
    FileFindings,
    families_failed,
)
from gnbbench.report.conformance_summary import FAILURES
from gnbbench.report.lookup import Lookup
from gnbbench.report.sections import FILES, method_section, plan_facts, worst_tone
from gnbbench.statistics.documents import document
from gnbbench.statistics.summary import Summary
from gnbbench.statistics.timing import speed_text
from gnbbench.words import DASH, ELLIPSIS, count, listing, plural, printable

TONES = {SAME: "good", DIFFERS: "bad", FAILED: "bad"}
TIMED = ("fit", "predict")
LONGEST_WHY = 80  # In a terminal


def report(summary: Summary) -> Document:
    """Return what was found on each file, for every renderer."""
    findings: Sequence[FileFindings] = summary.details["findings"]
    several = len(findings) > 1
    if several:
        each = (_file(summary, found, place) for place, found in enumerate(findings, 1))
        sections = (Section("files-checked", "All files", (_files_table(summary),)), *each)
    else:
        sections = tuple(_parts(summary, findings[0]))
    in_short = _table_in_short(summary) if several else _in_short(summary, findings[0])
    return Document(
        study=summary.study,
        subject=plural(len(findings), "file") if several else findings[0].name,
        headline=summary.headline,
        tone=worst_tone([TONES[found.status] for found in findings]),
        setting=_setting(summary),
        tiles=() if several else tuple(_tiles(summary, findings[0])),
        blocks=(Terminal(tuple(in_short)), *sections, _method(summary), FILES),
        payload=document(summary),
        attachments=(
            Attachment("check.csv", summary.table("files"), "one row per file"),
            Attachment("causes.csv", summary.table("causes"), "one row per file and cause"),
            Attachment(
                "conformance.csv", summary.table("results"), "one row per file and check"
            ),
        ),
    )


def _setting(summary: Summary) -> str:
    """Return against what and on what data."""
    plan = summary.plan
    version = summary.environment["versions"].get("scikit-learn", "")
    names = [printable(name) for name in plan["datasets"]]
    return (
        f"Against scikit-learn {version} on {listing(names)}, "
        f"{plural(plan['runs'], 'random split')} of each, and on made data."
    )


def _of(table: pd.DataFrame, found: FileFindings) -> list[Row]:
    """Return the rows of one file."""
    return list(table[table["implementation"] == found.name].to_dict("records"))


def _in_short(summary: Summary, found: FileFindings) -> Iterator[Block]:
    """Return what a terminal says of the only file, in at most 25 lines."""
    yield Text(_setting(summary), "muted")
    yield Text(summary.headline, "strong", TONES[found.status])
    if found.status == FAILED:
        return
    for number, cause in enumerate(_of(summary.table("causes"), found), 1):
        yield Text(f"{number}. {_cause_text(cause)}")
        if cause["remedy"]:
            yield Text(f"   To agree: {cause['remedy']}")
    if found.unexplained:
        yield Text(_unexplained_text(found))
    labels = _of(summary.table("labels"), found)
    yield Text(_labels_text(labels), lead="Labels that differ:")
    for lead, text in _further(summary, found):
        yield Text(text, lead=f"{lead}:")


def _cause_text(cause: Row) -> str:
    """Return what a file does otherwise, with how many labels differ because of it."""
    n, where = cause["explained"], cause["datasets"].split(", ")
    shown = f"no label differs; seen on {where[0]}"
    if n:
        shown = f"{plural(n, 'label')}, {'most ' * (len(where) > 1)}on {where[0]}"
    return f"{cause['summary']} ({shown})."


def _labels_text(labels: Sequence[Row]) -> str:
    """Return how many labels differ on each dataset, on made ones together."""
    totals: dict[str, list[int]] = {}
    for row in labels:
        name = "made data" if row["dataset"].startswith(MADE) else row["dataset"]
        total = totals.setdefault(name, [0, 0])
        total[0] += row["n_disagreements"]
        total[1] += row["n_predictions"]
    texts = (f"{name} {count(n)} of {count(of)}" for name, (n, of) in totals.items())
    return "; ".join(texts) + "."


def _further(summary: Summary, found: FileFindings) -> Iterator[tuple[str, str]]:
    """Return the lines on checks, calls and times, each with its lead."""
    row = _of(summary.table("files"), found)[0]
    passed, applicable = row["n_passed"], row["n_applicable"]
    failed = families_failed(found)
    checks = f"{count(passed)} of the {count(applicable)} that apply pass"
    yield "Hard cases", f"{checks}{f'; it fails {failed}' if failed else ''}."
    yield "Called", row["adaptations"] or "fit(X, y), then predict(X)."
    times = _of(summary.ratios, found)
    if times and found.times:
        told = [f"{one['operation']} {_speed(one)}" for one in times]
        yield (
            "Time",
            f"against scikit-learn on {found.times['dataset']}: {'; '.join(told)}.",
        )
    elif found.times:
        (why,) = found.times["notes"]["skipped"].values()
        yield "Time", f"not measured: {printable(why)}."


def _speed(row: Row) -> str:
    return speed_text(row["ratio"], row["low"], row["high"], row["speed"])


def _table_in_short(summary: Summary) -> Iterator[Block]:
    yield Text(_setting(summary), "muted")
    yield Text(summary.headline, "strong")
    yield _files_table(summary, short=True)


def _files_table(summary: Summary, *, short: bool = False) -> Table:
    """Return one row per file, the sections of the page behind their names."""
    files = summary.table("files").to_dict("records")
    rows = [
        {
            **row,
            **dict(_factors(summary, row["implementation"])),
            "link": f"#file-{place}",
            "why": _why(row, LONGEST_WHY if short else None),
            "checks": _checks(row),
        }
        for place, row in enumerate(files, 1)
    ]
    counts = ("n_disagreements", "n_predictions")
    columns = [
        Column("file", "implementation", printable, link=lambda row: row["link"]),
        Column("labels that differ", counts, _differing),
        Column("why"),
        Column("hard cases", "checks"),
    ]
    if short:
        columns.append(Column("time", TIMED, _both))
    else:
        columns.insert(1, Column("result", "status", tone=lambda row: TONES[row["status"]]))
        columns += [Column(f"time of {name}", name) for name in TIMED]
    return Table("" if short else "Every file", rows, tuple(columns))


def _both(fit: str, predict: str) -> str:
    return DASH if fit == predict == DASH else f"fit {fit}\npredict {predict}"


def _factors(summary: Summary, name: str) -> Iterator[tuple[str, str]]:
    """Return by what factor a file is faster or slower, where that can be told."""
    times = Lookup(summary.ratios, "implementation", "operation")
    for operation in TIMED:
        ratio = times.number("ratio", name, operation)
        speed = times.text("speed", name, operation)
        yield operation, speed_text(ratio, float("nan"), float("nan"), speed)


def _why(row: Row, longest: int | None) -> str:
    """Return the names of the causes, or why there are no labels; the beginning of it."""
    text = str(row["error"] or row["causes"] or DASH)
    return (
        text if longest is None or len(text) <= longest else f"{text[:longest]}{ELLIPSIS}"
    )


def _checks(row: Row) -> str:
    return f"{row['n_passed']}/{row['n_applicable']}" if row["n_applicable"] else DASH


def _differing(differing: int, predictions: int) -> str:
    return f"{count(differing)} of {count(predictions)}" if predictions else DASH


def _file(summary: Summary, found: FileFindings, place: int) -> Section:
    """Return all that the page says of one of several files."""
    verdict = summary.verdicts[place - 1]
    blocks: list[Block] = [Text(verdict.sentence, "strong", TONES[found.status])]
    for part in _parts(summary, found):
        blocks += (Heading(part.title), *part.blocks)
    return Section(f"file-{place}", found.name, blocks)


def _parts(summary: Summary, found: FileFindings) -> Iterator[Section]:
    """Return what is said of a file that could be run, part by part."""
    causes = tuple(_causes(summary, found))
    if causes:
        yield Section("causes", "Why, and what to change", causes)
    if found.status == FAILED:
        return
    columns = (
        Column("data", "dataset", printable),
        Column("random splits", "n_runs", count),
        Column("labels", "n_predictions", count),
        Column("that differ", "n_disagreements", count),
        Column("why", "causes", lambda text: text or DASH),
    )
    labels = _of(summary.table("labels"), found)
    caption = f"Labels of {found.name} against scikit-learn's"
    yield Section("labels", "Labels", (Table(caption, labels, columns),))
    further = dict(_further(summary, found))
    cases = Text(further.pop("Hard cases"))
    yield Section("hard-cases", "Hard cases", (cases, *_failed_checks(summary, found)))
    lines = tuple(f"{lead}: {text}" for lead, text in further.items())
    yield Section("calls", "Calls and times", (Items(lines),))


def _causes(summary: Summary, found: FileFindings) -> Iterator[Block]:
    """Return each cause with what to change, and how many labels have none."""
    for number, cause in enumerate(_of(summary.table("causes"), found), 1):
        yield Text(_cause_text(cause), lead=f"{number}.")
        if cause["remedy"]:
            yield Text(cause["remedy"], "note", lead="To agree with scikit-learn:")
    if found.unexplained:
        yield Text(_unexplained_text(found), "note", "unsure")


def _unexplained_text(found: FileFindings) -> str:
    n = found.unexplained
    verb = "has" if n == 1 else "have"
    total = plural(found.n_disagreements, "label")
    return f"{count(n)} of the {total} that differ {verb} no cause that could be proved."


def _failed_checks(summary: Summary, found: FileFindings) -> Iterator[Block]:
    results = _of(summary.table("results"), found)
    failed = [row for row in results if row["outcome"] in FAILURES]
    if failed:
        columns = (
            Column("check", "id"),
            Column("result", "outcome"),
            Column("what must hold", "statement"),
            Column("what was found", "message"),
            Column("source"),
        )
        yield Fold.of(Table(f"Hard cases that {found.name} fails", failed, columns))


def _tiles(summary: Summary, found: FileFindings) -> Iterator[Tile]:
    """Return the numbers that stand under the headline of the only file."""
    if found.status == FAILED:
        return
    row = _of(summary.table("files"), found)[0]
    n, total = found.n_disagreements, found.n_predictions
    tiles = [("Labels that differ", count(n), f"of {plural(total, 'prediction')}")]
    tiles.append(("Hard cases", _checks(row), "of those that apply pass"))
    detail = f"against scikit-learn's, on {found.times['dataset']}" if found.times else ""
    for operation, factor in _factors(summary, found.name):
        tiles.append((f"Time of {operation}", factor, detail))
    yield from (Tile(title, (Fact("", value, detail),)) for title, value, detail in tiles)


def _method(summary: Summary) -> Section:
    plan = {name: value for name, value in summary.plan.items() if value}
    return method_section(
        summary.command, (Prose("check"),), plan_facts(plan), summary.environment, ""
    )

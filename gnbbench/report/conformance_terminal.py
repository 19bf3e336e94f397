"""The report of conformance for a terminal: failures first, in 80 columns."""

from collections.abc import Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from gnbbench.conformance.result import Check, Conformance
from gnbbench.report.compare_terminal import WIDTH
from gnbbench.report.conformance_summary import (
    FAILURES,
    OUTCOMES,
    ConformanceSummary,
    failures_first,
    families,
    passes_all,
    sentence,
)
from gnbbench.report.conformance_wording import (
    evidence,
    number_text,
    outcome_words,
    score,
)
from gnbbench.words import DASH, count, listing, plural, printable, shorten

MOST_FAMILIES = 4
WIDEST_ID = 30
STYLES = {"good": "bold green", "unsure": "bold yellow", "bad": "bold red"}


def conformance_table(summary: ConformanceSummary) -> RenderableType:
    """Return what a terminal shows: the score, what fails in words, families."""
    parts = _scoreboard(summary) if summary.is_scoreboard else _single(summary)
    remarks = (*summary.warnings, *summary.surprises)
    parts += [_remark(f"Remark: {remark}") for remark in remarks]
    return Group(*parts)


def check_list(checks: Sequence[Check]) -> RenderableType:
    """Return the battery as a table: id, what must hold, tolerance, source."""
    width = _id_width([check.id for check in checks])
    block = _block(
        ("check", width), ("what must hold, and source", None), ("tolerance", 14)
    )
    for check in checks:
        tolerance = number_text(check.tolerance)
        unit = f" {check.unit}" if check.tolerance is not None and check.unit else ""
        told = _cell(check.statement)
        if check.source:
            told.append(f"\n{printable(check.source)}", style="dim")
        block.add_row(_cell(check.id), told, _cell(tolerance + unit))
    return block


def failure_rows(one: Conformance, expected: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return check, outcome in words, and what must hold with what was found."""
    rows = []
    for result in failures_first(one):
        if result.outcome in FAILURES:
            found = evidence(result)
            told = printable(result.check.statement) + (
                f"\nFound: {found}" if found else ""
            )
            words = outcome_words(result, expected)
            rows.append((printable(result.check.id), words, told))
    return rows


def family_line(one: Conformance) -> str:
    """Return the score of each family that has no failure, and of those that have.

    Examples are "Passed: offsets 9/9, weights 4/4. In part: ties 1/2."
    """
    whole, part, none = [], [], []
    for name, results in families(one).items():
        told = f"{printable(name)} {score(results)}"
        if any(result.outcome in FAILURES for result in results):
            part.append(told)
        elif score(results) == DASH:
            none.append(printable(name))
        else:
            whole.append(told)
    parts = (("Passed", whole), ("In part", part), ("Not applicable", none))
    return " ".join(f"{title}: {', '.join(told)}." for title, told in parts if told)


def _single(summary: ConformanceSummary) -> list[RenderableType]:
    one = summary.examined[0]
    name = summary.names[one.implementation]
    parts: list[RenderableType] = [
        _line(_setting(one, name), "dim"),
        _line(sentence(one, name), _style(summary, one)),
    ]
    rows = failure_rows(one, summary.expected)
    if rows:
        width = _id_width([check for check, _, _ in rows])
        block = _block(
            ("check", width), ("result", 9), ("what must hold, what was found", None)
        )
        for row in rows:
            block.add_row(*(Text(text, overflow="fold") for text in row))
        parts.append(block)
    parts.append(_line(family_line(one), ""))
    return parts


def _setting(one: Conformance, name: str) -> str:
    named = f"{name} {printable(one.version)}".rstrip()
    parts = (named, printable(one.description), plural(len(one.results), "check"))
    return " · ".join(part for part in parts if part)


def _scoreboard(summary: ConformanceSummary) -> list[RenderableType]:
    block = _block(
        ("implementation", 18),
        ("passed", 7),
        ("fail", 4),
        ("crash", 5),
        ("time", 4),
        ("n/a", 4),
        ("where it fails", None),
    )
    for one in summary.ranked:
        outcomes = [result.outcome for result in one.results]
        numbers = [count(outcomes.count(kind)) for kind in OUTCOMES[:4]]
        name = shorten(summary.names[one.implementation], 18)
        block.add_row(*map(_cell, (name, score(one.results), *numbers, _where(one))))
    setting_line = f"{len(summary.examined)} implementations · {len(summary.checks)} checks"
    is_perfect = all(passes_all(one) for one in summary.examined)
    style = STYLES["good" if is_perfect else "unsure"]
    return [_line(setting_line, "dim"), _line(summary.headline, style), block]


def _where(one: Conformance) -> str:
    """Return the families that have failures, the first few by name."""
    broken = list(dict.fromkeys(printable(result.check.family) for result in one.failed))
    beyond = len(broken) - MOST_FAMILIES
    if beyond <= 0:
        return listing(broken) or DASH
    if len(broken) == len(families(one)):
        return f"all {len(broken)} families"
    return f"{', '.join(broken[:MOST_FAMILIES])} and {beyond} more"


def _id_width(ids: Sequence[str]) -> int:
    """Return the width of a column of ids, which are cut where they are very long."""
    return min(max(map(len, ids), default=5), WIDEST_ID)


def _style(summary: ConformanceSummary, one: Conformance) -> str:
    if summary.unexpected_failures:
        return STYLES["bad"]
    return STYLES["good" if passes_all(one) else "unsure"]


def _block(*columns: tuple[str, int | None]) -> Table:
    """Return a table of 80 columns without rows; a column without a width has the rest."""
    block = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), width=WIDTH)
    for heading, width in columns:
        ratio = 1 if width is None else None
        block.add_column(Text(heading), width=width, ratio=ratio, overflow="fold")
    return block


def _cell(text: str) -> Text:
    return Text(printable(text), overflow="fold")


def _line(text: str, style: str) -> Text:
    return Text(text, style=style, overflow="fold")


def _remark(text: str) -> Text:
    return Text(printable(text), style="yellow", overflow="fold")

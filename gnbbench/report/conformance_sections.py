"""The tables of the pages of conformance, section by section."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from gnbbench.conformance.result import Check, Conformance, Result
from gnbbench.report.conformance_summary import (
    OUTCOMES,
    ConformanceSummary,
    failures_first,
    families,
)
from gnbbench.report.conformance_wording import (
    SIGNS,
    number_text,
    outcome_words,
    result_tone,
    score,
)
from gnbbench.report.tables import Cell, Table, build, number_cell, text_cell
from gnbbench.words import count, printable, seconds


@dataclass(frozen=True)
class MarkedCell(Cell):
    """A cell with a tone, a place that it leads to, or both."""

    tone: str = ""  # "good", "unsure", "bad" or "none": the colour that repeats its words
    link: str = ""  # Where the text leads to, such as "#check-offset-1e9"
    anchor: str = ""  # Name under which the row can be reached


def anchor(*parts: str) -> str:
    """Return a name for a place of the page, free of spaces."""
    return re.sub(r"[^\w-]+", "-", "-".join(parts))


def result_table(summary: ConformanceSummary) -> Table:
    """Every result of one implementation, failures first."""
    columns = (
        "check",
        "result",
        "measured",
        "tolerance",
        "unit",
        "what must hold",
        "what was found",
        "family",
        "source",
        "time",
    )
    rows = [
        [
            text_cell(result.check.id),
            _outcome_cell(result, summary.expected),
            _number(result.measured),
            _number(result.check.tolerance),
            text_cell(result.check.unit),
            text_cell(result.check.statement),
            text_cell(result.message),
            text_cell(result.check.family),
            text_cell(result.check.source),
            number_cell(result.seconds, seconds(result.seconds)),
        ]
        for result in failures_first(summary.examined[0])
    ]
    return build("Every check, failures first", columns, rows)


def family_table(one: Conformance) -> Table:
    """Results of one implementation by family, those with failures first."""
    columns = ("family", "passed", "pass", "fail", "crash", "timeout", "not applicable")
    tallies = [
        (name, results, [result.outcome for result in results])
        for name, results in families(one).items()
    ]
    tallies.sort(key=lambda tally: -sum(tally[2].count(kind) for kind in OUTCOMES[:3]))
    rows = []
    for name, results, outcomes in tallies:
        numbers = [outcomes.count(kind) for kind in ("pass", *OUTCOMES[:4])]
        failed, applicable = sum(numbers[1:4]), sum(numbers[:4])
        tone = "bad" if failed else "good" if applicable else "none"
        passed = str(numbers[0] / applicable) if applicable else ""
        rows.append(
            [
                text_cell(name),
                MarkedCell(score(results), passed, tone=tone),
                *(number_cell(number, count(number)) for number in numbers),
            ]
        )
    return build("Results by family", columns, rows)


def score_table(summary: ConformanceSummary) -> Table:
    """Scores of all implementations, a row an implementation."""
    columns = (
        "implementation",
        "passed",
        "fail",
        "crash",
        "timeout",
        "not applicable",
        "version",
        "what it is",
    )
    rows = []
    for place, one in enumerate(summary.ranked, 1):
        outcomes = [result.outcome for result in one.results]
        share = one.n_passed / one.n_applicable if one.n_applicable else math.nan
        name = summary.names[one.implementation]
        rows.append(
            [
                MarkedCell(name, name, link=f"#{section_name(place)}"),
                number_cell(share, score(one.results)),
                *(
                    number_cell(outcomes.count(kind), count(outcomes.count(kind)))
                    for kind in OUTCOMES[:4]
                ),
                text_cell(one.version),
                text_cell(one.description),
            ]
        )
    return build("Scores, most passes first", columns, rows)


def section_name(place: int) -> str:
    """Return the name of the section of the implementation of a rank, from 1."""
    return f"implementation-{place}"


def matrix(summary: ConformanceSummary) -> Table:
    """Every check against every implementation; totals are the template's."""
    ranked = summary.ranked
    columns = ("check", *(summary.names[one.implementation] for one in ranked))
    rows = []
    for number, check in enumerate(summary.checks):
        link = f"#{anchor('check', check.id)}"
        rows.append(
            [
                MarkedCell(printable(check.id), check.id, link=link),
                *(
                    _matrix_cell(one.results[number], place, summary.expected)
                    for place, one in enumerate(ranked, 1)
                ),
            ]
        )
    return build("Check by implementation", columns, rows)


def failure_table(
    one: Conformance, place: int, name: str, expected: Sequence[str]
) -> Table:
    """Results of one implementation of a scoreboard that are no passes."""
    columns = (
        "check",
        "result",
        "measured",
        "tolerance",
        "unit",
        "what must hold",
        "what was found",
    )
    rows = [
        [
            MarkedCell(
                printable(result.check.id),
                result.check.id,
                anchor=anchor(section_name(place), result.check.id),
            ),
            _outcome_cell(result, expected),
            _number(result.measured),
            _number(result.check.tolerance),
            text_cell(result.check.unit),
            text_cell(result.check.statement),
            text_cell(result.message),
        ]
        for result in failures_first(one)
        if result.outcome != "pass"
    ]
    return build(f"What {name} does not pass", columns, rows)


def check_table(checks: Sequence[Check]) -> Table:
    """Every check of the battery: what must hold, tolerance, source."""
    columns = ("check", "family", "what must hold", "tolerance", "unit", "source")
    rows = [
        [
            MarkedCell(printable(check.id), check.id, anchor=anchor("check", check.id)),
            text_cell(check.family),
            text_cell(check.statement),
            _number(check.tolerance),
            text_cell(check.unit),
            text_cell(check.source),
        ]
        for check in checks
    ]
    return build("What is examined", columns, rows)


def _matrix_cell(result: Result, place: int, expected: Sequence[str]) -> MarkedCell:
    word = "n/a" if result.outcome == "not applicable" else result.outcome
    named = anchor(section_name(place), result.check.id)
    return MarkedCell(
        f"{SIGNS[result.outcome]} {word}",
        f"{OUTCOMES.index(result.outcome)} {word}",
        tone=result_tone(result, expected),
        link="" if result.outcome == "pass" else f"#{named}",
    )


def _outcome_cell(result: Result, expected: Sequence[str]) -> MarkedCell:
    words = outcome_words(result, expected)
    return MarkedCell(
        f"{SIGNS[result.outcome]} {words}",
        f"{OUTCOMES.index(result.outcome)} {words}",
        tone=result_tone(result, expected),
    )


def _number(value: float | None) -> Cell:
    return number_cell(math.nan if value is None else value, number_text(value))

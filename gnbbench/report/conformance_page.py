"""The pages of conformance: one implementation's, and the scoreboard of several."""

from collections.abc import Mapping
from typing import Any

from gnbbench.conformance.result import Conformance
from gnbbench.report import conformance_sections as sections
from gnbbench.report.conformance_summary import (
    FAILURES,
    ConformanceSummary,
    failures_first,
    passes_all,
    sentence,
)
from gnbbench.report.conformance_tiles import conformance_tiles
from gnbbench.report.conformance_wording import (
    evidence,
    outcome_words,
    result_tone,
    score,
    setting,
)
from gnbbench.report.page_parts import named_values, template
from gnbbench.words import count, listing, plural, printable, shorten

CONTENTS = (
    ("verdict", "Verdict"),
    ("failures", "Failures"),
    ("families", "Families"),
    ("checks", "Every check"),
    ("method", "Method"),
    ("files", "Files"),
)
SCOREBOARD_CONTENTS = (
    ("verdict", "Verdict"),
    ("matrix", "Matrix"),
    ("implementations", "Implementations"),
    ("checks", "Checks"),
    ("method", "Method"),
    ("files", "Files"),
)
MOST_NAMED = 5


def conformance_page(
    summary: ConformanceSummary, badges: Mapping[str, str] | None = None
) -> str:
    """Return the report of conformance as one HTML text that needs no other files."""
    parts = _shared_parts(summary, badges or {})
    if summary.is_scoreboard:
        return template("conformance_scoreboard.html").render(
            **parts, **_scoreboard_parts(summary)
        )
    return template("conformance.html").render(**parts, **_single_parts(summary))


def _shared_parts(summary: ConformanceSummary, badges: Mapping[str, str]) -> dict[str, Any]:
    environment = summary.environment
    names = summary.names
    sources = dict.fromkeys(printable(check.source) for check in summary.checks)
    return {
        "summary": summary,
        "headline": summary.headline,
        "dataset_name": _subject(summary),
        "tiles": conformance_tiles(summary),
        "tone": _tone(summary, summary.examined),
        "verdicts": [_verdict(summary, one) for one in summary.ranked],
        "setting": _setting(summary),
        "warnings": [
            printable(warning) for warning in (*summary.warnings, *summary.surprises)
        ],
        "command": printable(summary.command),
        "plan": named_values({k: v for k, v in summary.plan.items() if v != []}),
        "machine": named_values(environment["machine"]),
        "versions": named_values(environment["versions"]),
        "sources": sorted(filter(None, sources)),
        "badges": [
            (names[name], target) for name, target in badges.items() if name in names
        ],
    }


def _single_parts(summary: ConformanceSummary) -> dict[str, Any]:
    one = summary.examined[0]
    return {
        "contents": CONTENTS,
        "failures": [
            {
                "id": printable(result.check.id),
                "family": printable(result.check.family),
                "words": outcome_words(result, summary.expected),
                "tone": result_tone(result, summary.expected),
                "statement": printable(result.check.statement),
                "evidence": evidence(result),
                "source": printable(result.check.source),
            }
            for result in failures_first(one)
            if result.outcome in FAILURES
        ],
        "any_applicable": one.n_applicable > 0,
        "families": sections.family_table(one),
        "results": sections.result_table(summary),
    }


def _scoreboard_parts(summary: ConformanceSummary) -> dict[str, Any]:
    names = summary.names
    ranked = list(enumerate(summary.ranked, 1))
    return {
        "contents": SCOREBOARD_CONTENTS,
        "scores": sections.score_table(summary),
        "matrix": sections.matrix(summary),
        "totals": [
            (
                score(one.results),
                f"#{sections.section_name(place)}",
                names[one.implementation],
            )
            for place, one in ranked
        ],
        "implementations": [
            {
                "anchor": sections.section_name(place),
                "name": names[one.implementation],
                "setting": setting(one),
                "sentence": sentence(one, names[one.implementation]),
                "tone": _tone(summary, (one,)),
                "table": sections.failure_table(
                    one, place, names[one.implementation], summary.expected
                ),
            }
            for place, one in ranked
        ],
        "checks": sections.check_table(summary.checks),
    }


def _tone(summary: ConformanceSummary, examined: tuple[Conformance, ...]) -> str:
    """Return the tone of a verdict: bad only for a failure that nobody expected."""
    failed = [result for one in examined for result in one.failed]
    if any(result.check.id not in summary.expected for result in failed):
        return "bad"
    return "good" if all(passes_all(one) for one in examined) else "unsure"


def _verdict(summary: ConformanceSummary, one: Conformance) -> dict[str, str]:
    name = summary.names[one.implementation]
    return {
        "name": name,
        "outcome": f"{score(one.results)} passed",
        "tone": _tone(summary, (one,)),
        "sentence": sentence(one, name),
        "detail": _detail(summary, one),
    }


def _detail(summary: ConformanceSummary, one: Conformance) -> str:
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


def _subject(summary: ConformanceSummary) -> str:
    first, *others = summary.names.values()
    return plural(len(others) + 1, "implementation") if others else first


def _setting(summary: ConformanceSummary) -> str:
    battery = f"{plural(len(summary.checks), 'check')} in {_n_families(summary)}"
    limit = f"each alone, for at most {summary.plan['timeout_seconds']:g} s"
    if not summary.is_scoreboard:
        return f"{setting(summary.examined[0])}: {battery}, {limit}."
    names = [shorten(name, 24) for name in summary.names.values()]
    shown = names if len(names) <= 8 else [*names[:7], f"{len(names) - 7} more"]
    return f"{listing(shown)}: {battery}, {limit}."


def _n_families(summary: ConformanceSummary) -> str:
    number = len({check.family for check in summary.checks})
    return f"{count(number)} {'family' if number == 1 else 'families'}"

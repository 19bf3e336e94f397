"""Summarise the results of the battery's checks."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from gnbbench.statistics.schema import fields_of, table_of
from gnbbench.statistics.summary import StudyNotes, Summary
from gnbbench.words import DASH, count, listing, plural, printable, short_names, significant

Row: TypeAlias = Mapping[str, Any]

# The worst come first.
OUTCOMES = ("fail", "crash", "timeout", "not applicable", "pass")
FAILURES = OUTCOMES[:3]


def summarize_conformance(
    examined: Sequence[Row], notes: StudyNotes, asked: Row
) -> Summary:
    """Return the summary of examinations of one implementation, or of several.

    An examination has the fields of `gnbbench.conformance.contract.Conformance`. Rows of
    results and of implementations have further fields that reports show.
    """
    several, expected = len(examined) > 1, notes.plan["expected"]
    names = short_names((entry["implementation"] for entry in examined), 40)
    entries = [_implementation(e, names[e["implementation"]], expected) for e in examined]
    objects = [
        {
            **fields_of("conformance", "implementations", entry),
            "results": [
                fields_of("conformance", "outcomes", result) for result in entry["results"]
            ],
        }
        for entry in entries
    ]
    rows = [result for entry in entries for result in entry["results"]]
    passed: dict[str, list[str]] = {}  # Passes of checks that were expected to fail
    for row in rows:
        if row["outcome"] == "pass" and row["expected_failure"]:
            passed.setdefault(printable(row["id"]), []).append(row["name"])
    surprises = tuple(
        f"{check} unexpectedly passes{f' on {listing(whose)}' if several else ''}."
        for check, whose in passed.items()
    )
    ranked = sorted(entries, key=lambda entry: (-entry["n_passed"], entry["n_failed"]))
    return Summary(
        study="conformance",
        headline=_headline(ranked) if several else entries[0]["sentence"],
        **vars(notes),
        reference="",
        implementations=tuple(names.values()),
        tables={"results": table_of("results", rows, "conformance")},
        warnings=tuple(_remarks(notes.plan)),
        details={
            "document": "conformance scoreboard" if several else "conformance",
            "plan": asked,
            "expected_failures": expected,
            "examined": entries,
            "ranked": ranked,
            "surprises": surprises,
            **({"implementations": objects} if several else objects[0]),
        },
    )


def _implementation(entry: Row, name: str, expected: Sequence[str]) -> dict[str, Any]:
    known = {field: printable(entry[field]) for field in ("implementation", "version")}
    results = [_result({**known, "name": name, **r}, expected) for r in entry["results"]]
    tally = Counter(row["outcome"] for row in results)
    n_applicable = len(results) - tally["not applicable"]
    n_failed = sum(tally[outcome] for outcome in FAILURES)
    is_perfect = n_failed == 0 < n_applicable
    unexpected = [row["id"] for row in failures(results) if not row["expected_failure"]]
    counts = {
        "n_checks": len(results),
        "n_applicable": n_applicable,
        "n_passed": tally["pass"],
        "n_failed": n_failed,
    }
    return {
        **known,
        **counts,
        "description": printable(entry["description"]),
        "name": name,
        "results": results,
        "tally": {outcome: tally[outcome] for outcome in OUTCOMES},
        "is_perfect": is_perfect,
        "unexpected": unexpected,
        "tone": "bad" if unexpected else "good" if is_perfect else "unsure",
        "sentence": _sentence(name, **counts),
    }


def _result(row: Row, expected: Sequence[str]) -> dict[str, Any]:
    flat = {**row, **row["check"], "message": printable(row["message"])}
    outcome, is_expected = row["outcome"], flat["id"] in expected
    words, tone = outcome, {"pass": "good", "not applicable": "none"}.get(outcome, "bad")
    if is_expected and outcome != "not applicable":
        words = "unexpectedly passes" if outcome == "pass" else f"{outcome}, expected"
        tone = "unsure"
    message = "; ".join(filter(None, (_compared_with_tolerance(flat), flat["message"])))
    shown = {"words": words, "tone": tone, "found": message}
    return {**flat, "expected_failure": is_expected, **shown}


def failures(results: Sequence[Row]) -> list[Row]:
    """Return the results that fail, crash or take too long."""
    return [row for row in results if row["outcome"] in FAILURES]


def n_passed(results: Sequence[Row]) -> tuple[int, int]:
    """Return how many results are passes, and how many apply."""
    outcomes = [row["outcome"] for row in results if row["outcome"] != "not applicable"]
    return outcomes.count("pass"), len(outcomes)


def score(results: Sequence[Row], slash: str = "/") -> str:
    """Return how many of the applicable checks pass; a dash if none applies."""
    passed, applicable = n_passed(results)
    return f"{passed}{slash}{applicable}" if applicable else DASH


def number_text(value: float | None) -> str:
    """Return a measured number or a tolerance: a dash for none, NaN for no number."""
    if value is None or math.isnan(value):
        return DASH if value is None else "NaN"
    if value.is_integer() and abs(value) < 1e6:
        return count(value)
    for digits in (1, 2):
        if float(f"{value:.{digits - 1}e}") == value:
            return significant(value, digits)
    return significant(value)


def _compared_with_tolerance(row: Row) -> str:
    """Return the number and the tolerance; empty if nothing is measured."""
    if row["measured"] is None:
        return ""
    number = number_text(row["measured"])
    measured = f"{printable(row['unit']) or 'measured'} {number}"
    if row["unit"] == "labels":  # the message may say of how many
        counted = row["message"].startswith(f"{number} ")
        return "" if counted else f"{number} {'label' if number == '1' else 'labels'} wrong"
    if row["tolerance"] is None:
        return measured
    return f"{measured}, at most {number_text(row['tolerance'])} allowed"


def _sentence(
    name: str, *, n_checks: int, n_applicable: int, n_passed: int, n_failed: int
) -> str:
    """Return how many checks an implementation passes and fails."""
    if not n_applicable:
        return f"None of {plural(n_checks, 'check')} applies to {name}."
    if n_failed:
        of = f"{count(n_passed)} of {plural(n_applicable, 'check')}"
        return f"{name} passes {of} and fails {count(n_failed)}."
    is_only = n_applicable == 1
    which = "the only check" if is_only else f"all {plural(n_applicable, 'check')}"
    apply = " that applies" if is_only else " that apply"
    return f"{name} passes {which}{apply if n_applicable < n_checks else ''}."


def _headline(ranked: Sequence[Row]) -> str:
    """Return how many of several implementations pass every check that applies."""
    perfect = [entry["name"] for entry in ranked if entry["is_perfect"]]
    total, best = plural(len(ranked), "implementation"), ranked[0]
    if len(perfect) == len(ranked):
        return f"All {total} pass every check that applies to them."
    if not perfect:
        most = f"{count(best['n_passed'])} of {count(best['n_applicable'])}"
        none = "Neither implementation" if len(ranked) == 2 else f"None of {total}"
        return f"{none} passes every check; {best['name']} passes most, {most}."
    verb = "passes" if len(perfect) == 1 else "pass"
    named = f": {listing(perfect)}" if len(perfect) <= 3 else ""
    return f"{len(perfect)} of {total} {verb} every check that applies{named}."


def _remarks(plan: Row) -> Iterator[str]:
    """Yield what was left out, one sentence each."""
    if plan["only"]:
        number, total = plural(plan["n_checks"], "check"), plan["n_checks_of_battery"]
        yield f"Only {listing(plan['only'])}: {number} of the battery's {total}."
    if plan["left_out"]:
        names = listing(plan["left_out"])
        yield f"Not installed: {names}. See: gnbbench list implementations"

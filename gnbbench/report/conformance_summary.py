"""What a report of conformance is made of, and its words."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import pandas as pd

from gnbbench.conformance.result import Check, Conformance, Outcome, Result
from gnbbench.words import (
    DASH,
    count,
    listing,
    plural,
    printable,
    short_names,
    significant,
)

# The order in which results are told: what asks for attention comes first.
OUTCOMES: tuple[Outcome, ...] = ("fail", "crash", "timeout", "not applicable", "pass")
FAILURES: frozenset[Outcome] = frozenset({"fail", "crash", "timeout"})
# Outcome -> a sign that says the same as the word beside it.
SIGNS: Mapping[Outcome, str] = {
    "pass": "✓",
    "fail": "✗",
    "crash": "!",
    "timeout": "…",
    "not applicable": DASH,
}
TONES: Mapping[Outcome, str] = {
    "pass": "good",
    "fail": "bad",
    "crash": "bad",
    "timeout": "bad",
    "not applicable": "none",
}


@dataclass(frozen=True, eq=False)
class ConformanceSummary:
    """Everything a report may show of conformance; a report reads nothing else."""

    study: ClassVar[str] = "conformance"

    # One for each implementation, all of the same checks; several make a scoreboard
    examined: tuple[Conformance, ...]
    # JSON-able; the environment as in `gnbbench.statistics.summary.Summary`
    plan: Mapping[str, Any]
    # JSON-able; the environment as in `gnbbench.statistics.summary.Summary`
    environment: Mapping[str, Any]
    command: str  # What repeats the study
    expected: tuple[str, ...] = ()  # Ids of the checks whose failure is known
    warnings: tuple[str, ...] = ()  # What a reader must know besides, one sentence each

    @property
    def is_scoreboard(self) -> bool:
        """Whether there are several implementations."""
        return len(self.examined) > 1

    @property
    def checks(self) -> tuple[Check, ...]:
        """The checks, in the order of the battery."""
        return tuple(result.check for result in self.examined[0].results)

    @cached_property
    def names(self) -> dict[str, str]:
        """Name of an implementation -> its short printable form; all different."""
        return short_names((one.implementation for one in self.examined), 40)

    @property
    def ranked(self) -> tuple[Conformance, ...]:
        """The implementations, the one that passes most checks first."""
        order = sorted(self.examined, key=lambda one: (-one.n_passed, len(one.failed)))
        return tuple(order)

    @property
    def unexpected_failures(self) -> tuple[tuple[str, Result], ...]:
        """Implementation and result of each failure that was not expected."""
        return tuple(
            (one.implementation, result)
            for one in self.examined
            for result in one.failed
            if result.check.id not in self.expected
        )

    @property
    def surprises(self) -> tuple[str, ...]:
        """What passes though it was to fail, one sentence a check."""
        passed: dict[str, list[str]] = {}
        for one in self.examined:
            for result in one.results:
                if result.outcome == "pass" and result.check.id in self.expected:
                    name = self.names[one.implementation]
                    passed.setdefault(printable(result.check.id), []).append(name)
        return tuple(
            f"{check} unexpectedly passes{self._where(names)}."
            for check, names in passed.items()
        )

    @property
    def headline(self) -> str:
        """How many checks are passed, in one sentence."""
        if self.is_scoreboard:
            return self._scoreboard_headline()
        return sentence(self.examined[0], self.names[self.examined[0].implementation])

    def frame(self) -> pd.DataFrame:
        """Return one row for each implementation and check, for a notebook."""
        table = pd.DataFrame(
            [
                {
                    "implementation": printable(one.implementation),
                    "version": printable(one.version),
                    **result_fields(result, self.expected),
                }
                for one in self.examined
                for result in one.results
            ]
        )
        numbers = dict.fromkeys(("measured", "tolerance", "seconds"), "float64")
        return table.astype(numbers)

    def _where(self, names: list[str]) -> str:
        return f" on {listing(names)}" if self.is_scoreboard else ""

    def _scoreboard_headline(self) -> str:
        perfect = [one for one in self.ranked if passes_all(one)]
        total = plural(len(self.examined), "implementation")
        if len(perfect) == len(self.examined):
            return f"All {total} pass every check that applies to them."
        if not perfect:
            best = self.ranked[0]
            score = f"{count(best.n_passed)} of {count(best.n_applicable)}"
            name = self.names[best.implementation]
            return f"None of {total} passes every check; {name} passes most, {score}."
        verb = "passes" if len(perfect) == 1 else "pass"
        who = listing([self.names[one.implementation] for one in perfect])
        named = f": {who}" if len(perfect) <= 3 else ""
        return f"{len(perfect)} of {total} {verb} every check that applies{named}."


def passes_all(one: Conformance) -> bool:
    """Return whether every check that applies is passed, and any applies."""
    return not one.failed and one.n_applicable > 0


def sentence(one: Conformance, name: str) -> str:
    """Return how many checks an implementation passes and fails."""
    n_checks = len(one.results)
    if not one.n_applicable:
        return f"None of {plural(n_checks, 'check')} applies to {name}."
    if one.failed:
        of = f"{count(one.n_passed)} of {plural(one.n_applicable, 'check')}"
        return f"{name} passes {of} and fails {count(len(one.failed))}."
    every = (
        "the only check" if n_checks == 1 else f"all {plural(one.n_applicable, 'check')}"
    )
    apply = "" if one.n_applicable == n_checks else " that apply"
    if apply and one.n_applicable == 1:
        every, apply = "the only check", " that applies"
    return f"{name} passes {every}{apply}."


def result_fields(result: Result, expected: tuple[str, ...]) -> dict[str, Any]:
    """Return a result as one flat row."""
    check = result.check
    return {
        "id": check.id,
        "family": check.family,
        "outcome": result.outcome,
        "expected_failure": check.id in expected,
        "measured": result.measured,
        "tolerance": check.tolerance,
        "unit": check.unit,
        "seconds": result.seconds,
        "message": printable(result.message),
        "statement": check.statement,
        "source": check.source,
    }


def failures_first(one: Conformance) -> tuple[Result, ...]:
    """Return the results by `OUTCOMES`, in the order of the battery within each."""
    return tuple(sorted(one.results, key=lambda result: OUTCOMES.index(result.outcome)))


def families(one: Conformance) -> dict[str, tuple[Result, ...]]:
    """Return the results of each family, families in the order of the battery."""
    found: dict[str, tuple[Result, ...]] = {}
    for result in one.results:
        found[result.check.family] = (*found.get(result.check.family, ()), result)
    return found


def outcome_words(result: Result, expected: Sequence[str]) -> str:
    """Return the outcome, and whether it was expected where that was said."""
    if result.check.id not in expected or result.outcome == "not applicable":
        return result.outcome
    return (
        "unexpectedly passes" if result.outcome == "pass" else f"{result.outcome}, expected"
    )


def result_tone(result: Result, expected: Sequence[str]) -> str:
    """Return the tone of a result; what differs from what was expected is unsure."""
    if result.check.id in expected and result.outcome != "not applicable":
        return "unsure"
    return TONES[result.outcome]


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


def held_against(result: Result) -> str:
    """Return the number measured against the tolerance; empty where nothing is measured."""
    check = result.check
    if result.measured is None:
        return ""
    unit = f" ({printable(check.unit)})" if check.unit else ""
    measured = f"measured {number_text(result.measured)}"
    if check.tolerance is None:
        return measured + unit
    return f"{measured}, at most {number_text(check.tolerance)} allowed{unit}"


def evidence(result: Result) -> str:
    """Return what was found, in one line: the number, then the message."""
    parts = (held_against(result), printable(result.message))
    return "; ".join(part for part in parts if part)


def score(results: Sequence[Result]) -> str:
    """Return how many of the results that apply are passes; a dash where none applies."""
    applicable = [result for result in results if result.outcome != "not applicable"]
    passed = sum(result.outcome == "pass" for result in applicable)
    return f"{passed}/{len(applicable)}" if applicable else DASH


def setting(one: Conformance) -> str:
    """Return what was examined: description and version."""
    version = f"version {printable(one.version)}" if one.version else "version unknown"
    description = printable(one.description)
    return f"{description}, {version}" if description else version.capitalize()


def directory_name(names: tuple[str, ...]) -> str:
    """Return the usual name of the directory of a study."""
    return f"conformance-{'scoreboard' if len(names) > 1 else file_stem(names[0])}"


def file_stem(name: str) -> str:
    """Return a name as a file can have it on any system."""
    return re.sub(r"[^A-Za-z0-9._+]+", "-", name).strip(".-")[:80] or "unnamed"

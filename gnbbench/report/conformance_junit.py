"""Results of checks as JUnit XML, which continuous integration shows test by test."""

from collections.abc import Mapping
from typing import Literal

from gnbbench.conformance.result import Conformance, Outcome, Result
from gnbbench.report.conformance_summary import ConformanceSummary
from gnbbench.report.conformance_wording import evidence, outcome_words
from gnbbench.report.junit import Case, Suite, document

ELEMENTS: Mapping[Outcome, Literal["failure", "error", "skipped"]] = {
    "fail": "failure",
    "crash": "error",
    "timeout": "error",
    "not applicable": "skipped",
}


def junit(summary: ConformanceSummary) -> str:
    """Return the results as JUnit XML: a suite for each implementation.

    A failure that was expected counts as skipped, as pytest's ``xfail`` does, so that
    the file and the exit code say the same. In a scoreboard, a test's name has its
    implementation in brackets: names stay unique.
    """
    suites = [_suite(one, summary) for one in summary.examined]
    return document("gnbbench conformance", suites)


def _suite(one: Conformance, summary: ConformanceSummary) -> Suite:
    where = f" [{one.implementation}]" if summary.is_scoreboard else ""
    return Suite(
        one.implementation,
        [_case(result, where, summary.expected) for result in one.results],
        {"description": one.description, "version": one.version},
    )


def _case(result: Result, where: str, expected: tuple[str, ...]) -> Case:
    check, element = result.check, ELEMENTS.get(result.outcome)
    is_expected = check.id in expected
    if element is not None and is_expected:
        element = "skipped"
    told = outcome_words(result, expected)
    words = evidence(result) or told
    explains = element is not None and element != "skipped"
    return Case(
        f"gnbbench.conformance.{check.family}",
        check.id + where,
        element,
        message=words,
        kind=told,
        text=f"{check.statement}\n{words}\nSource: {check.source}" if explains else "",
        output=told if element is None and is_expected else "",
        seconds=result.seconds,
    )

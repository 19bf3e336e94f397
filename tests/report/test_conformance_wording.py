"""Results of checks in words."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from gnbbench.conformance.result import Result
from gnbbench.report.conformance_summary import (
    ConformanceSummary,
    evidence,
    held_against,
    number_text,
    outcome_words,
    result_tone,
    score,
    setting,
)

Give = Callable[..., ConformanceSummary]


@pytest.fixture
def results(conformance_of: Give) -> dict[str, Result]:
    """Give the results of the faulty implementation by id."""
    return {
        result.check.id: result for result in conformance_of("faulty").examined[0].results
    }


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (float("nan"), "NaN"),
        (float("inf"), "infinite"),
        (0.0, "0"),
        (12.0, "12"),
        (-3.0, "−3"),
        (1e-9, "1 × 10⁻⁹"),
        (2.5e-16, "2.5 × 10⁻¹⁶"),
        (0.04521, "0.0452"),
    ],
)
def test_numbers_are_as_short_as_they_can_be(value: float | None, text: str) -> None:
    assert number_text(value).replace("\N{NO-BREAK SPACE}", " ") == text


def test_a_number_is_held_against_its_tolerance(results: dict[str, Result]) -> None:
    assert held_against(results["offsets-1"]) == (
        "measured 0.0452, at most 0 allowed (labels)"
    )
    assert held_against(results["offsets-4"]) == ""
    assert evidence(results["offsets-4"]) == "the process ended with signal 11"


def test_what_is_not_a_number_is_said_to_be_none(results: dict[str, Result]) -> None:
    result = replace(results["offsets-1"], measured=float("nan"), message="")

    assert evidence(result) == "measured NaN, at most 0 allowed (labels)"


@pytest.mark.parametrize(
    ("check", "expected", "words", "tone"),
    [
        ("offsets-0", (), "pass", "good"),
        ("offsets-0", ("offsets-0",), "unexpectedly passes", "unsure"),
        ("offsets-1", (), "fail", "bad"),
        ("offsets-1", ("offsets-1",), "fail, expected", "unsure"),
        ("offsets-4", (), "crash", "bad"),
        ("one-row-in-a-class-1", (), "timeout", "bad"),
        ("weights-0", ("weights-0",), "not applicable", "none"),
    ],
)
def test_an_outcome_says_whether_it_was_expected(
    results: dict[str, Result], check: str, expected: tuple[str, ...], words: str, tone: str
) -> None:
    assert outcome_words(results[check], expected) == words
    assert result_tone(results[check], expected) == tone


def test_a_score_counts_what_applies(conformance_of: Give) -> None:
    assert score(conformance_of("faulty").examined[0].results) == "7/11"
    assert score(conformance_of("nothing").examined[0].results) == "–"


def test_a_version_that_is_unknown_is_not_made_up(conformance_of: Give) -> None:
    one = conformance_of("perfect").examined[0]

    assert setting(one) == "A GNB that is perfect, version 1.9.1"
    assert setting(replace(one, version="")) == "A GNB that is perfect, version unknown"
    assert setting(replace(one, version="", description="")) == "Version unknown"

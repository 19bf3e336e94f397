"""What stands in ``summary.json`` of conformance."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from gnbbench.report.conformance_documents import (
    checks_json_text,
    conformance_document,
    conformance_json_text,
)
from gnbbench.report.conformance_summary import ConformanceSummary

Give = Callable[..., ConformanceSummary]


def test_every_document_is_json_without_nan(any_conformance: ConformanceSummary) -> None:
    text = conformance_json_text(any_conformance)

    assert text.encode().endswith(b"}\n")
    json.loads(text, parse_constant=pytest.fail)


def test_the_document_of_one_has_every_result(conformance_of: Give) -> None:
    document = conformance_document(conformance_of("faulty", expected=("offsets-1",)))

    assert list(document)[:8] == [
        "schema",
        "schema_version",
        "study",
        "command",
        "headline",
        "plan",
        "environment",
        "expected_failures",
    ]
    assert document["implementation"] == "faulty"
    assert document["version"] == "1.9.1"
    assert (document["n_checks"], document["n_applicable"]) == (12, 11)
    assert (document["n_passed"], document["n_failed"]) == (7, 4)
    failed = document["results"][1]
    assert failed["outcome"] == "fail"
    assert failed["expected_failure"] is True
    assert (failed["measured"], failed["tolerance"]) == (0.0452, 0.0)
    assert document["results"][2]["measured"] is None


def test_a_scoreboard_lists_its_implementations(conformance_of: Give) -> None:
    document = conformance_document(conformance_of("perfect", "faulty"))

    assert document["schema"] == "gnbbench conformance scoreboard"
    assert [one["implementation"] for one in document["implementations"]] == [
        "perfect",
        "faulty",
    ]
    assert "results" not in document


def test_numbers_that_json_cannot_hold_are_told_otherwise(conformance_of: Give) -> None:
    summary = conformance_of("faulty")
    one = summary.examined[0]
    odd = (
        replace(one.results[0], measured=float("inf")),
        replace(one.results[1], measured=float("nan")),
    )

    document = conformance_document(replace(summary, examined=(replace(one, results=odd),)))

    assert [row["measured"] for row in document["results"]] == ["Infinity", None]


def test_the_battery_is_json_too(conformance_of: Give) -> None:
    document = json.loads(checks_json_text(conformance_of("perfect").checks))

    assert len(document["checks"]) == 12
    assert set(document["checks"][0]) == {
        "id",
        "family",
        "statement",
        "tolerance",
        "unit",
        "source",
    }

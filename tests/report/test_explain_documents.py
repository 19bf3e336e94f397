"""The document of a study of causes."""

import json
from collections.abc import Callable

import pytest

from gnbbench.report.explain_documents import explain_document, explain_json_text
from gnbbench.report.explain_summary import ExplainSummary

Give = Callable[..., ExplainSummary]


def test_the_promised_keys_are_there(any_explain: ExplainSummary) -> None:
    document = json.loads(explain_json_text(any_explain))

    assert document["schema"] == "gnbbench explain"
    assert document["schema_version"] == 1
    assert {"verdict", "causes", "unexplained", "disagreements"} <= set(document)
    for cause in document["causes"]:
        assert list(cause) == ["cause", "explained", "estimate", "evidence"]


def test_values_are_those_of_the_diagnosis(explain_of: Give) -> None:
    document = explain_document(explain_of("mixed"))

    assert document["verdict"] == "mixed: no-smoothing; prior; density-floor"
    assert [(one["cause"], one["explained"]) for one in document["causes"]] == [
        ("no-smoothing", 14),
        ("prior", 2),
        ("density-floor", 1),
    ]
    assert document["causes"][2]["estimate"] == 1e-9
    assert document["reproduced_share"] == 1.0
    assert len(document["disagreements"]) == 17
    first = {k: v for k, v in document["disagreements"][0].items() if k != "details"}
    assert first == {
        "run": 0,
        "row": 50,
        "truth": 1,
        "reference_label": 1,
        "label": 2,
        "cause": "no-smoothing",
        "margin": 1.5,
        "reference_confidence": 0.8175,
        "confidence": 0.75,
    }


def test_vectors_are_given_for_those_shown_in_full(explain_of: Give) -> None:
    document = explain_document(explain_of("unsmoothed"))

    details = [one["details"] for one in document["disagreements"]]
    assert [one is not None for one in details] == [True] * 10 + [False] * 4
    assert details[0] == {
        "features": [5.9, 3.0, 4.2, 1.5],
        "reference_posterior": [0.0, 0.8175, 0.1825],
        "posterior": [0.0, 0.25, 0.75],
        "reference_contributions": [0.5, -0.25, 1.0, 0.25],
        "contributions": [0.5, -0.75, -1.0, 0.375],
    }
    assert len(document["feature_names"]) == 4
    assert document["class_names"][1] == "versicolor"


def test_what_nothing_explains_has_no_cause(explain_of: Give) -> None:
    document = explain_document(explain_of("left"))

    assert document["unexplained"] == 2
    assert [one["cause"] for one in document["disagreements"]][-2:] == [None, None]
    assert document["largest_remaining_difference"] is None


def test_several_stand_in_a_list_beside_the_first(explain_of: Give) -> None:
    document = explain_document(explain_of("unsmoothed", "divisor"))
    alone = explain_document(explain_of("unsmoothed"))

    names = [one["implementation"] for one in document["implementations"]]
    assert names == ["unsmoothed", "divisor"]
    assert document["implementations"][1]["causes"][0]["cause"] == "variance-divisor"
    assert all(
        document[key] == value for key, value in document["implementations"][0].items()
    )
    assert "implementations" not in alone


@pytest.mark.parametrize(("name", "same"), [("same", True), ("uncompared", False)])
def test_nothing_compared_is_not_the_same(explain_of: Give, name: str, same: bool) -> None:
    assert explain_document(explain_of(name))["same"] is same

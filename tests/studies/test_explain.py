"""The study of causes, on made-up diagnoses and real implementations."""

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from faults.studies import prepared
from sklearn.model_selection import train_test_split

from gnbbench.data.dataset import describe
from gnbbench.data.loading import load
from gnbbench.diagnosis import Diagnosis
from gnbbench.implementations import Implementation
from gnbbench.splits import sample_of
from gnbbench.statistics.summary import Summary
from gnbbench.studies.explain import explain, rule_of
from gnbbench.studies.options import ExplainOptions
from gnbbench.studies.schema import decoded, encoded

Give = Callable[..., Summary]


@pytest.fixture
def diagnosed(monkeypatch: pytest.MonkeyPatch, explain_of: Give) -> list[Any]:
    """Put a made diagnosis in place of every real one; gives the calls."""
    calls: list[Any] = []

    def diagnose(
        entry: Implementation, reference: Implementation, *arrays: Any, classes: Any
    ) -> Diagnosis:
        calls.append((entry.name, reference.name, len(arrays[2]), list(classes)))
        found: Diagnosis = explain_of("tied").details["diagnoses"]["tied"]
        return found

    monkeypatch.setattr("gnbbench.studies.explain.diagnose", diagnose)
    return calls


def test_arrays_and_labels_of_any_kind_are_taken(diagnosed: list[Any]) -> None:
    random = np.random.default_rng(0)
    X, y = random.normal(size=(40, 4)), np.repeat(["a", "b"], 20)

    explanation = explain(X, y, against="study-b", runs=3)

    assert diagnosed == [("study-b", "sklearn", 3, ["a", "b"])]
    assert explanation.details.details["classes"].tolist() == ["a", "b"]


@pytest.mark.usefixtures("diagnosed")
def test_the_page_repeats_the_call() -> None:
    assert explain("iris", against="study-b", runs=2).details.command == (
        "gnbbench.explain('iris', runs=2, against=['study-b'])"
    )


def test_a_diagnosis_is_kept_to_the_last_digit(explain_of: Give) -> None:
    summary = explain_of("mixed", "same", "crashed", "invents")

    for found in summary.details["diagnoses"].values():
        text = json.dumps(encoded(found))
        kept = decoded(Diagnosis, json.loads(text))

        assert json.dumps(encoded(kept)) == text
        np.testing.assert_equal(asdict(kept), asdict(found))
    described = describe(load("iris"))
    assert json.loads(json.dumps(described)) == described


@pytest.mark.parametrize("stratify", [True, False])
def test_splits_equal_those_of_a_comparison_and_of_one_line(stratify: bool) -> None:
    data = load("iris")
    options: dict[str, Any] = {"runs": 3, "seed": 5, "test_size": 0.4}

    given = ExplainOptions(data=data, against="study-b", **options, stratify=stratify)
    cuts = rule_of(given).cuts(sample_of(data), range(3))

    compared = prepared(data, against="study-b", **options, stratify=stratify)
    for run, cut in enumerate(cuts):
        other = compared.rules[0].cut(compared.sample, run)
        train, test = train_test_split(
            np.arange(150),
            test_size=0.4,
            random_state=5 + run,
            stratify=data.y if stratify else None,
        )
        assert cut.train.tolist() == other.train.tolist() == train.tolist()
        assert cut.test.tolist() == other.test.tolist() == test.tolist()

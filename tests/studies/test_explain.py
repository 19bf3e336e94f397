"""The Python interface to causes, on made-up diagnoses and real implementations."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import gnbbench
from gnbbench.diagnosis import Diagnosis
from gnbbench.errors import GnbBenchError, ResultsError
from gnbbench.implementations import Implementation
from gnbbench.implementations.textbook import TextbookGaussianNB
from gnbbench.report.explain_documents import explain_document
from gnbbench.report.explain_summary import Diagnosed, ExplainSummary
from gnbbench.studies.explain import explain
from gnbbench.studies.schema import decoded, encoded
from gnbbench.studies.stored import draw_again
from gnbbench.studies.study import Study

Give = Callable[..., ExplainSummary]


class Progress:
    """A listener that keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[Any] = []

    def begin(self, stage: str, total: int | None = None, done: int = 0) -> None:
        self.told.append((stage, total, done))

    def advance(self, steps: int) -> None:
        self.told.append(steps)


@pytest.fixture
def diagnosed(monkeypatch: pytest.MonkeyPatch, explain_of: Give) -> list[Any]:
    """Put a made diagnosis in place of every real one; gives the calls."""
    calls: list[Any] = []

    def diagnose(
        entry: Implementation, reference: Implementation, *arrays: Any, classes: Any
    ) -> Diagnosis:
        calls.append((entry.name, reference.name, len(arrays[2]), list(classes)))
        return explain_of("tied").diagnosed[0].diagnosis

    monkeypatch.setattr("gnbbench.studies.explain.diagnose", diagnose)
    return calls


def _causes(explanation: Study) -> list[str]:
    return [cause.cause for cause in explanation.details.diagnosed[0].diagnosis.causes]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("data", "against", "cause"),
    [
        ("breast_cancer", "study-b", "no-smoothing"),
        ("breast_cancer", "study-c", "prior"),
        (
            "iris",
            TextbookGaussianNB(divisor="n-1", relative_smoothing=1e-9),
            "variance-divisor",
        ),
    ],
)
def test_real_causes_are_shown_from_the_public_name(
    data: str, against: Any, cause: str, tmp_path: Path
) -> None:
    explanation = gnbbench.explain(data, against=against, runs=2, out=tmp_path / "here")

    document = json.loads((tmp_path / "here" / "summary.json").read_text())
    assert [one["cause"] for one in document["causes"]] == [cause] == _causes(explanation)
    assert document["unexplained"] == 0
    assert cause in (tmp_path / "here" / "index.html").read_text()
    frame = explanation.frame()
    assert len(frame) == document["n_disagreements"]
    assert set(frame["cause"]) <= {cause}
    assert (cause == "variance-divisor") == frame.empty


def test_the_same_answers_have_no_cause() -> None:
    explanation = explain("iris", against=["numpy", GaussianNB], runs=3)

    assert [one.diagnosis.causes for one in explanation.details.diagnosed] == [(), ()]
    assert repr(explanation) == "<Study: numpy and GaussianNB do what sklearn does.>"
    assert len(explanation.figures) == 0


@pytest.mark.slow
def test_disagreements_are_those_of_a_comparison() -> None:
    explanation = explain("breast_cancer", against="study-b", runs=4)

    compared = gnbbench.compare(
        "breast_cancer", against="study-b", runs=4, budget_seconds=0.01
    )
    counted = compared.details.agreement["disagreements"].iloc[0]
    assert len(explanation.frame()) == counted > 0


def test_arrays_and_labels_of_any_kind_are_taken(diagnosed: list[Any]) -> None:
    random = np.random.default_rng(0)
    X, y = random.normal(size=(40, 2)), np.repeat(["a", "b"], 20)

    explanation = explain(X, y, against="study-b", runs=3)

    assert diagnosed == [("study-b", "sklearn", 3, ["a", "b"])]
    assert explanation.details.label_name("b") == "b"


def test_a_listener_hears_of_every_implementation(diagnosed: list[Any]) -> None:
    progress = Progress()

    explain("iris", against=["study-b", "study-c"], progress=progress)

    assert progress.told == [("explain", 2, 0), 1, 1, ("report", None, 0)]
    assert [call[0] for call in diagnosed] == ["study-b", "study-c"]
    assert diagnosed[0][2] == 20


@pytest.mark.usefixtures("diagnosed")
def test_the_page_repeats_the_call(tmp_path: Path) -> None:
    explain("iris", against="study-b", runs=2, out=tmp_path)

    document = json.loads((tmp_path / "summary.json").read_text())
    assert document["command"] == (
        "gnbbench.explain('iris', against=['study-b'], reference='sklearn', runs=2, "
        "test_size=0.3, stratify=True, seed=42, timeout_seconds=None)"
    )


class Interrupting(Progress):
    """A listener that interrupts after the first step."""

    def advance(self, steps: int) -> None:
        super().advance(steps)
        raise KeyboardInterrupt


def test_what_was_diagnosed_is_kept_and_drawn_again(
    diagnosed: list[Any], tmp_path: Path
) -> None:
    names = ["study-b", "study-c"]
    with pytest.raises(KeyboardInterrupt):
        explain("iris", against=names, out=tmp_path, progress=Interrupting())
    with pytest.raises(ResultsError, match=r"not finished \(1 of 2\)"):
        draw_again(tmp_path)

    study = explain("iris", against=names, out=tmp_path)
    again = draw_again(tmp_path)

    assert [call[0] for call in diagnosed] == names
    assert {path.name for path in tmp_path.iterdir()} == {
        "index.html",
        "summary.json",
        "runs.sqlite",
        "disagreements.csv",
        "contributions.csv",
    }
    assert study.page() == again.page() == (tmp_path / "index.html").read_text()


def test_a_diagnosis_is_kept_to_the_last_digit(explain_of: Give) -> None:
    summary = explain_of("mixed", "same", "crashed", "invents")

    for one in summary.diagnosed:
        text = json.dumps(encoded(one.diagnosis))
        kept = decoded(Diagnosis, json.loads(text))

        assert json.dumps(encoded(kept)) == text
        again = replace(summary, diagnosed=(Diagnosed(one.implementation, kept),))
        alone = replace(summary, diagnosed=(one,))
        assert explain_document(again) == explain_document(alone)


@pytest.mark.parametrize(
    ("data", "options", "words"),
    [
        ("irsi", {}, "Did you mean 'iris'"),
        ("iris", {"against": "study-z"}, "Unknown implementation 'study-z'"),
        ("iris", {"against": "sklearn"}, "named twice"),
        ("iris", {"against": []}, "nothing to compare"),
        ("iris", {"runs": 0}, "--runs"),
        ("iris", {"test_size": 2.0}, "--test-size"),
        ("iris", {"test_size": 0.001}, "--test-size"),
        ("iris", {"timeout_seconds": -1.0}, "--timeout"),
    ],
)
def test_what_cannot_be_used_is_refused_and_nothing_written(
    diagnosed: list[Any], tmp_path: Path, data: str, options: dict[str, Any], words: str
) -> None:
    given = {"against": "study-b", **options}

    with pytest.raises(GnbBenchError, match=words):
        explain(data, out=tmp_path / "here", **given)

    assert diagnosed == []
    assert not (tmp_path / "here").exists()


@pytest.mark.slow
def test_a_report_of_another_plan_is_kept(diagnosed: list[Any], tmp_path: Path) -> None:
    explain("iris", against="study-b", out=tmp_path)
    before = (tmp_path / "summary.json").read_bytes()

    with pytest.raises(ResultsError, match="another plan"):
        explain("iris", against="study-c", out=tmp_path)
    explain("iris", against="study-b", out=tmp_path)

    assert len(diagnosed) == 1
    assert (tmp_path / "summary.json").read_bytes() == before


@pytest.mark.slow
def test_code_of_others_is_called_within_its_time_in_a_process_of_its_own(
    tmp_path: Path,
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "import os\n"
        f"assert os.getpid() != {__import__('os').getpid()}\n"
        "from sklearn.naive_bayes import GaussianNB\n"
        "class Mine(GaussianNB):\n    pass\n"
    )

    explanation = explain("iris", against=f"{file}:Mine", runs=2, timeout_seconds=30.0)

    assert _causes(explanation) == []
    assert explanation.details.plan["digests"].keys() == {"Mine"}

"""The Python function: tables, figures and files of a study, on any kind of data."""

import socket
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB as ScikitLearnGaussianNB

import gnbbench
from gnbbench import Study
from gnbbench.studies.store import Store


@pytest.fixture(scope="module")
def iris_study() -> Study:
    """Give one study for all tests that only look at it."""
    study: Study = gnbbench.compare("iris", runs=12, budget_seconds=0.05)
    return study


def value(study: Study, implementation: str, metric: str) -> float:
    """Return one number of the summary."""
    table = study.summary
    rows = table[(table["implementation"] == implementation) & (table["metric"] == metric)]
    assert len(rows) == 1
    return float(rows["mean"].iloc[0])


def test_no_connection_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("a connection")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)

    gnbbench.compare("iris", runs=2, jobs=1, budget_seconds=0.02)

    with pytest.raises(AssertionError, match="a connection"):
        gnbbench.compare("openml:iris", runs=2, jobs=1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "figures"),
    [
        ("iris", (0.9810, 0.9111, 0.9698, 0.9800, 0.8656)),
        ("breast_cancer", (0.9447, 0.9474, 0.9871, 0.9906, 0.9240)),
    ],
)
def test_one_run_gives_study_a_s_figures_to_four_digits(
    name: str, figures: tuple[float, ...]
) -> None:
    study = gnbbench.compare(name, runs=1, seed=42, budget_seconds=0.02)

    metrics = ["train_accuracy", "test_accuracy", "mean_confidence"]
    metrics += ["mean_confidence_right", "mean_confidence_wrong"]
    for implementation in ("sklearn", "numpy"):
        found = tuple(round(value(study, implementation, metric), 4) for metric in metrics)
        assert found == figures


@pytest.mark.slow
def test_another_seed_gives_other_figures() -> None:
    """Negative control for the test above."""
    study = gnbbench.compare("iris", runs=1, seed=43, budget_seconds=0.02)

    assert round(value(study, "sklearn", "test_accuracy"), 4) != 0.9111


@pytest.mark.slow
def test_figures_are_drawn_by_name(iris_study: Study) -> None:
    assert isinstance(iris_study.figures["accuracy"], Figure)
    assert {"accuracy", "confusion", "timing", "decision_regions"} <= set(
        iris_study.figures
    )
    with pytest.raises(KeyError):
        iris_study.figures["nothing"]


@pytest.mark.slow
def test_arrays_and_own_estimators_are_compared() -> None:
    X, y = load_breast_cancer(return_X_y=True)

    smoothed = ScikitLearnGaussianNB(var_smoothing=0.1)
    study = gnbbench.compare(X, y, against=[smoothed], runs=20, budget_seconds=0.02)

    assert study.details.implementations == ("sklearn", "GaussianNB")
    assert value(study, "GaussianNB", "disagreements") > 0
    assert study.details.verdicts[0].outcome != "identical"


class Doubled(ScikitLearnGaussianNB):  # type: ignore[misc]
    """Gives probabilities that are none, in the first calls."""

    calls, last = 0, 0

    def predict_proba(self, X: Any) -> Any:
        Doubled.calls += 1
        return super().predict_proba(X) * (2 if Doubled.calls <= Doubled.last else 1)


@pytest.mark.parametrize(
    ("last", "where"), [(1_000, "compared in no run"), (2, "not compared in some runs")]
)
def test_labels_are_compared_where_probabilities_are_invalid(
    last: int, where: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(Doubled, "last", last)
    monkeypatch.setattr(Doubled, "calls", 0)

    matrix = gnbbench.compare(
        ["wine", "iris"], against=[Doubled], runs=4, jobs=1, budget_seconds=0.02
    )

    study = matrix.parts[0]
    (verdict,) = study.details.verdicts
    assert verdict.sentence == f"Same labels; probabilities were {where}."
    assert "gave values above 1 in 54 of 54 rows" in verdict.detail
    assert ("cover the others" in verdict.detail) is ("some" in where)
    accuracies = {value(study, name, "test_accuracy") for name in ("sklearn", "Doubled")}
    assert len(accuracies) == 1
    page = study.save(tmp_path).read_text(encoding="utf-8")
    assert "Runs with invalid probabilities" in page
    assert "Runs that ended in an error" not in page
    assert np.isnan(matrix.details.cells["max_probability_difference"].iloc[0])
    path = tmp_path / "runs.sqlite"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE runs SET test_accuracy = NULL WHERE status = 'invalid'")
    with closing(Store(path)) as store:
        assert set(store.records().runs["status"]) <= {"ok", "error"}


class Broken:
    """Fits nothing."""

    def fit(self, X: Any, y: Any) -> None:
        raise RuntimeError(f"nothing works with {len(X)} samples and {len(y)} labels")

    def predict(self, X: Any) -> Any:
        raise AssertionError(X)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "outcomes"),
    [
        ({"against": {"bad": Broken(), "good": "numpy"}}, {"failed", "identical"}),
        # Nothing is left to compare with.
        ({"reference": Broken()}, {"failed"}),
    ],
)
def test_an_implementation_that_always_fails_is_shown_as_failed(
    options: dict[str, Any], outcomes: set[str], tmp_path: Path
) -> None:
    study = gnbbench.compare("iris", **options, runs=3, budget_seconds=0.05)

    assert {v.outcome for v in study.details.verdicts} == outcomes
    assert "nothing works" in study.save(tmp_path).read_text(encoding="utf-8")


@pytest.mark.slow
def test_data_of_any_shape_go_through(tmp_path: Path) -> None:
    """One feature; two; constant columns; a class of two rows; thirty classes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    X[:, 2] = 1.0
    cases = {
        "one feature": (X[:, :1], np.arange(90) % 2),
        "two features": (X[:, :2], np.arange(90) % 3),
        "constant column": (X, np.arange(90) % 2),
        "small class": (X, (np.arange(90) >= 88).astype(int)),
        "many classes": (X.repeat(2, axis=0)[:, :2], np.arange(180) % 30),
        "text": (X, np.array(["<b>", "$x_1$", "日本"])[np.arange(90) % 3]),
    }
    for name, (samples, labels) in cases.items():
        study = gnbbench.compare(samples, labels, runs=3, budget_seconds=0.05)

        assert study.details.verdicts[0].outcome == "identical", name
        assert study.save(tmp_path / name).is_file()

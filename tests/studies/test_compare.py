"""The Python function: tables, figures and files of a study, on any kind of data."""

import socket
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB as ScikitLearnGaussianNB

import gnbbench
from gnbbench import Study
from gnbbench.studies.store import Store


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


class Doubled(ScikitLearnGaussianNB):  # type: ignore[misc]
    """Gives probabilities that are none, in the first calls on test rows of wine."""

    calls, last = 0, 0

    def predict_proba(self, X: Any) -> Any:
        Doubled.calls += len(X) == 54
        return super().predict_proba(X) * (2 if Doubled.calls <= Doubled.last else 1)


@pytest.mark.parametrize(
    ("last", "where"), [(1_000, "compared in no run"), (2, "not compared in some runs")]
)
def test_labels_are_compared_where_probabilities_are_invalid(
    last: int, where: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(Doubled, "last", last)
    monkeypatch.setattr(Doubled, "calls", 0)

    options = {"runs": 4, "jobs": 1, "budget_seconds": 0.02}
    matrix = gnbbench.compare(["wine", "iris"], against=[Doubled], **options)

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
        "one feature, many classes": (X.repeat(2, axis=0)[:, :1], np.arange(180) % 30),
        "two features, small class": (X[:, :2], (np.arange(90) >= 88).astype(int)),
        "constant, text": (X, np.array(["<b>", "$x_1$", "日本"])[np.arange(90) % 3]),
    }
    for name, (samples, labels) in cases.items():
        study = gnbbench.compare(samples, labels, runs=3, budget_seconds=0.05)

        assert study.details.verdicts[0].outcome == "identical", name
        assert study.save(tmp_path / name).is_file()

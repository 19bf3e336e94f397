"""Where labels cannot tell causes apart, both are told; else one alone."""

from typing import Any

import numpy as np
import pytest
from faults import planted
from sklearn.datasets import load_breast_cancer, load_wine

from gnbbench.diagnosis import Diagnosis, diagnose, identification
from gnbbench.diagnosis.identification import alternatives
from gnbbench.implementations import implementation
from gnbbench.splits import split


class LabelsAlone:
    """Keeps all that a model offers but its labels."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def fit(self, X: Any, y: Any) -> "LabelsAlone":
        self.model.fit(X, y)
        return self

    def predict(self, X: Any) -> Any:
        return self.model.predict(X)


def diagnosed(model: Any, data: Any, runs: int) -> Diagnosis:
    X, y = data
    splits = [(one.train, one.test) for one in (split(y, run) for run in range(runs))]
    return diagnose(implementation(model), implementation("sklearn"), X, y, splits)


@pytest.mark.slow
def test_one_label_that_two_causes_would_change_names_both() -> None:
    found = diagnosed(LabelsAlone(planted.SwappedPrior()), load_wine(return_X_y=True), 20)

    assert found.n_disagreements == 1
    assert [cause.cause for cause in found.causes] == ["prior"]
    assert found.rivals == ("smoothing-rule",)
    assert found.verdict.endswith(
        "These labels alone could come from smoothing-rule as well."
    )


@pytest.mark.slow
def test_many_labels_name_one_cause() -> None:
    data = load_breast_cancer(return_X_y=True)

    found = diagnosed(LabelsAlone(planted.UniformPrior()), data, 8)

    assert [cause.cause for cause in found.causes] == ["prior"]
    assert found.rivals == ()


@pytest.mark.slow
def test_probabilities_leave_no_rival_and_are_not_searched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def counted(*given: Any) -> tuple[str, ...]:
        asked.append(alternatives(*given))
        return asked[-1]

    monkeypatch.setattr(identification, "alternatives", counted)
    found = diagnosed(planted.SwappedPrior(), load_wine(return_X_y=True), 20)

    assert [cause.cause for cause in found.causes] == ["prior"]
    assert asked
    assert not any(asked)
    assert found.rivals == ()


def test_what_reproduces_worse_is_no_rival() -> None:
    """Negative control: as many samples, and a prior that no smoothing could stand for."""
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(1, 2)), 60, axis=0) + rng.normal(size=(60, 2))
    y = np.repeat([0, 1], [50, 10])

    found = diagnosed(LabelsAlone(planted.UniformPrior()), (X, y), 6)

    assert [cause.cause for cause in found.causes] == ["prior"]
    assert found.rivals == ()

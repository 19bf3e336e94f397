"""Where labels cannot tell causes apart, both are named; else one alone."""

from typing import Any

import numpy as np
import pytest
from faults import planted
from faults.planted import LabelsOnly
from sklearn.datasets import load_breast_cancer, load_wine

from gnbbench.diagnosis import Diagnosis, diagnose
from gnbbench.implementations import implementation
from gnbbench.splits import split


def diagnosed(model: Any, data: Any, runs: int) -> Diagnosis:
    X, y = data
    splits = [(one.train, one.test) for one in (split(y, run) for run in range(runs))]
    return diagnose(implementation(model), implementation("sklearn"), X, y, splits)


@pytest.mark.slow
def test_one_label_that_two_causes_would_change_is_undecided_and_names_both() -> None:
    found = diagnosed(LabelsOnly(planted.SwappedPrior()), load_wine(return_X_y=True), 20)

    assert found.n_disagreements == 1
    assert [cause.cause for cause in found.causes] == ["undecided"]
    assert "smoothing-rule" in found.rivals
    assert found.causes[0].summary == (
        "1 label is too few to tell; perhaps classes have another prior, perhaps variances "
        "are smoothed by another amount or rule."
    )


@pytest.mark.slow
def test_many_labels_name_one_cause() -> None:
    data = load_breast_cancer(return_X_y=True)

    found = diagnosed(LabelsOnly(planted.UniformPrior()), data, 8)

    assert [cause.cause for cause in found.causes] == ["prior"]
    assert found.rivals == ()


@pytest.mark.slow
def test_probabilities_leave_no_alternative() -> None:
    found = diagnosed(planted.SwappedPrior(), load_wine(return_X_y=True), 20)

    assert [cause.cause for cause in found.causes] == ["prior"]
    assert found.rivals == ()


def test_what_reproduces_worse_is_no_alternative() -> None:
    """Negative control: as many samples, and a prior that no smoothing could stand for."""
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(1, 2)), 60, axis=0) + rng.normal(size=(60, 2))
    y = np.repeat([0, 1], [50, 10])

    found = diagnosed(LabelsOnly(planted.UniformPrior()), (X, y), 6)

    assert [cause.cause for cause in found.causes] == ["prior"]
    assert found.rivals == ()

"""Answers are read as they are offered, and failures are answers."""

from typing import Any

import numpy as np
import pytest
from faults import planted
from faults.planted import LabelsOnly, PlainGNB

from gnbbench.diagnosis.observations import UNSEEN, Observation, observe
from gnbbench.implementations import Implementation

X = np.array([[0.0], [1.0], [5.0], [6.0], [2.0]])
Y = np.array(["a", "a", "b", "b", "a"])
SPLITS = [(np.arange(4), np.array([4, 0]))]


def observed(make: Any) -> Observation:
    return observe(Implementation("mine", make), X, Y, SPLITS, np.unique(Y))[0]


def test_labels_probabilities_and_parameters_are_read() -> None:
    found = observed(PlainGNB)

    assert found.labels.tolist() == [0, 0]
    assert found.log_posterior is not None
    assert np.exp(found.log_posterior).sum(axis=1) == pytest.approx(1.0)
    assert found.parameters["theta"].tolist() == [[0.5], [5.5]]


def test_what_is_not_offered_is_not_guessed() -> None:
    found = observed(lambda: LabelsOnly(PlainGNB()))

    assert found.log_posterior is None
    assert not found.parameters


def test_an_exception_is_told_and_a_label_never_seen_has_no_code() -> None:
    found = observed(planted.RaisesInFit)

    assert found.failure.startswith("RuntimeError: no memory of this (planted.py, line ")
    assert (found.labels == UNSEEN).all()
    assert (observed(planted.OtherLabel).labels == UNSEEN).all()


def test_an_implementation_cannot_change_the_samples() -> None:
    before = X.copy()
    observed(planted.ChangesItsInput)

    assert np.array_equal(X, before)

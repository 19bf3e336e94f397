"""Posteriors are bit for bit what the estimators' own ``predict_proba`` gives."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_wine
from sklearn.naive_bayes import GaussianNB as ScikitLearnGaussianNB

from gnbbench import GaussianNB
from gnbbench.implementations.catalogue import core_posterior, sklearn_posterior

ESTIMATORS = [(GaussianNB, core_posterior), (ScikitLearnGaussianNB, sklearn_posterior)]
TIES = (np.array([[-1.0], [-3.0], [1.0], [3.0]]), np.array([0, 0, 1, 1]))


@pytest.mark.parametrize(("make", "posterior"), ESTIMATORS)
@pytest.mark.parametrize(
    ("X", "y"),
    [load_wine(return_X_y=True), load_digits(return_X_y=True), TIES],
    ids=["wine", "digits", "ties"],
)
def test_a_posterior_has_the_bits_of_predict_proba(
    make: Callable[[], Any], posterior: Callable[[Any], Any], X: Any, y: Any
) -> None:
    model = make().fit(X, y)
    rows = np.vstack((X, np.zeros((1, X.shape[1]))))

    shares = posterior(model.predict_joint_log_proba(rows))

    assert np.array_equal(shares, model.predict_proba(rows))


def test_the_two_differ_in_their_last_digits() -> None:
    """Negative control: the comparison tells the two formulas apart."""
    X, y = load_digits(return_X_y=True)
    scores = GaussianNB().fit(X, y).predict_joint_log_proba(X)

    assert not np.array_equal(core_posterior(scores), sklearn_posterior(scores))

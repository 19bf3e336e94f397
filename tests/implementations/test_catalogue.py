"""The catalogue: distinct names, each with a description and a model or a reason."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_wine
from sklearn.naive_bayes import GaussianNB as ScikitLearnGaussianNB

from gnbbench.core import GaussianNB
from gnbbench.errors import MissingLibraryError
from gnbbench.implementations.catalogue import (
    IMPLEMENTATIONS,
    LIBRARIES,
    Implementation,
    Library,
    core_posterior,
    sklearn_posterior,
)

ESTIMATORS = [(GaussianNB, core_posterior), (ScikitLearnGaussianNB, sklearn_posterior)]
TIES = (np.array([[-1.0], [-3.0], [1.0], [3.0]]), np.array([0, 0, 1, 1]))


def test_names_are_distinct_and_every_library_has_one() -> None:
    names = [entry.name for entry in IMPLEMENTATIONS]

    assert len(set(names)) == len(names)
    assert {"numpy", "sklearn", *(library.name for library in LIBRARIES)} < set(names)


@pytest.mark.parametrize("entry", IMPLEMENTATIONS, ids=lambda entry: entry.name)
def test_an_entry_is_described_and_makes_a_new_model_or_says_what_is_missing(
    entry: Implementation,
) -> None:
    assert entry.description

    if isinstance(entry.make, Library) and entry.make.version is None:
        with pytest.raises(MissingLibraryError, match="pip install"):
            entry.make()
    else:
        model = entry.make()
        assert callable(model.fit)
        assert callable(model.predict)
        assert pickle.loads(pickle.dumps(entry)).make() is not model  # noqa: S301  made here


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
    """Negative control: the comparison distinguishes the two formulas."""
    X, y = load_digits(return_X_y=True)
    scores = GaussianNB().fit(X, y).predict_joint_log_proba(X)

    assert not np.array_equal(core_posterior(scores), sklearn_posterior(scores))

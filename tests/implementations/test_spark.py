"""Spark's numbers, in one session that is kept."""

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB

from gnbbench.implementations.library_adapters import SparkGaussianNB

pytest.importorskip("pyspark", reason='not installed: pip install "gnbbench[spark]"')

pytestmark = [
    pytest.mark.slow,  # it takes seconds to start
    # Spark says so of every release of pandas from 3; no pandas is used with it here.
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
]


X, Y = load_breast_cancer(return_X_y=True)


def test_all_numbers_are_those_of_sklearn() -> None:
    model, reference = SparkGaussianNB().fit(X, Y), GaussianNB().fit(X, Y)

    scores = model.predict_joint_log_proba(X)

    assert np.allclose(model.theta_, reference.theta_, rtol=1e-12)
    assert np.allclose(model.var_, reference.var_, rtol=1e-9)
    assert np.allclose(model.class_prior_, reference.class_prior_, rtol=1e-14)
    assert np.allclose(scores, reference.predict_joint_log_proba(X), rtol=1e-7)
    assert np.allclose(model.predict_proba(X), reference.predict_proba(X), atol=1e-7)
    assert model.predict(X).tolist() == reference.predict(X).tolist()


def test_an_offset_cancels_the_variances() -> None:
    model = SparkGaussianNB().fit(X + 1e7, Y)

    error = np.abs(model.var_ / GaussianNB().fit(X + 1e7, Y).var_ - 1.0)

    assert error.max() > 0.01


def test_rows_keep_their_order() -> None:
    order = np.random.default_rng(1).permutation(len(X))
    model = SparkGaussianNB().fit(X, Y)

    assert np.array_equal(model.predict(X[order]), model.predict(X)[order])


def test_a_session_that_is_active_is_used_and_left_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from pyspark.sql import SparkSession

    SparkGaussianNB().fit(X, Y)
    mine = SparkSession.getActiveSession()

    def refuse() -> Any:
        raise AssertionError("a second session was started")

    monkeypatch.setattr("gnbbench.implementations.library_adapters._own_session", refuse)
    SparkGaussianNB().fit(X, Y).predict(X)

    assert mine is not None
    assert mine.range(3).count() == 3

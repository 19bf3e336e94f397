"""river's floor under the density, without smoothing, one sample at a time."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from gnbbench.implementations.library_adapters import RiverGaussianNB

pytest.importorskip("river", reason='not installed: pip install "gnbbench[river]"')


X, Y = load_breast_cancer(return_X_y=True)


def test_joint_log_likelihoods_are_sums_of_floored_log_densities() -> None:
    model = RiverGaussianNB().fit(X, Y)

    scores = model.predict_joint_log_proba(X[:20])

    for code in (0, 1):
        rows = X[code == Y]
        mean, var = rows.mean(axis=0), rows.var(axis=0)
        density = np.exp(-0.5 * (X[:20] - mean) ** 2 / var) / np.sqrt(2.0 * np.pi * var)
        expected = np.log(len(rows) / len(X)) + np.log(density + 1e-9).sum(axis=1)
        assert np.allclose(scores[:, code], expected, rtol=1e-9)
    assert (density < 1e-9).any()


def test_variances_have_divisor_n_and_no_smoothing() -> None:
    model = RiverGaussianNB().fit(X, Y)

    assert np.allclose(model.var_[1], X[Y == 1].var(axis=0), rtol=1e-12)


def test_far_from_all_classes_the_class_seen_first_wins_a_tie() -> None:
    model = RiverGaussianNB().fit([[3.0], [4.0], [1.0], [0.0]], ["b", "b", "a", "a"])

    shares = model.predict_proba([[1e6]])

    assert np.allclose(shares, 0.5)
    assert model.predict([[1e6]]).tolist() == ["b"]


def test_no_samples_have_no_labels() -> None:
    model = RiverGaussianNB().fit(X, Y)

    assert model.predict(X[:0]).shape == (0,)
    assert model.predict_proba(X[:0]).shape == (0, 2)

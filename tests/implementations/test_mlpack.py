"""mlpack's variances, and its columns in the order of first appearance."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from gnbbench.implementations.library_adapters import MlpackGaussianNB

pytest.importorskip("mlpack", reason='not installed: pip install "gnbbench[mlpack]"')


X, Y = load_iris(return_X_y=True)
# All orders in which three classes can be seen first.
ORDERS = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]


def test_variances_have_divisor_n_minus_1_and_1e_10_added() -> None:
    model = MlpackGaussianNB().fit(X * 1e-5, Y)

    expected = (X[Y == 2] * 1e-5).var(axis=0, ddof=1) + 1e-10

    assert np.allclose(model.var_[2], expected, rtol=1e-12)


def test_a_class_with_one_sample_has_no_variance_but_that() -> None:
    model = MlpackGaussianNB().fit([[1.0], [2.0], [7.0]], ["a", "a", "b"])

    assert model.var_.ravel().tolist() == [0.5 + 1e-10, 1e-10]


@pytest.mark.parametrize("order", ORDERS)
def test_the_order_in_which_classes_are_seen_does_not_show(order: list[int]) -> None:
    rows = np.concatenate([np.flatnonzero(code == Y) for code in order])
    sizes = [50, 40, 30]
    rows = np.concatenate([rows[50 * n : 50 * n + sizes[n]] for n in range(3)])

    model = MlpackGaussianNB().fit(X[rows], Y[rows])

    shares = model.predict_proba(X)
    assert model._model.get_cpp_params()["NBCModel"]["mappings"].ravel().tolist() == order
    assert shares.argmax(axis=1).tolist() == model.predict(X).tolist()
    assert np.allclose(model.class_prior_[order], np.divide(sizes, 120))
    means = [X[rows][Y[rows] == code].mean(axis=0) for code in range(3)]
    assert np.allclose(model.theta_, means, rtol=1e-13)

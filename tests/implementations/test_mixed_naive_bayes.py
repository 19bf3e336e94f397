"""mixed-naive-bayes multiplies densities, smoothed in a way of its own."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from gnbbench.implementations.library_adapters import MixedGaussianNB

pytest.importorskip(
    "mixed_naive_bayes", reason='not installed: pip install "gnbbench[mixed-naive-bayes]"'
)


X, Y = load_breast_cancer(return_X_y=True)


def test_smoothing_is_a_share_of_the_largest_variance_with_divisor_n_minus_1() -> None:
    model = MixedGaussianNB().fit(X, Y)

    expected = X[Y == 0].var(axis=0) + 1e-9 * X.var(axis=0, ddof=1).max()

    assert np.allclose(model.var_[0], expected, rtol=1e-13)
    assert not np.allclose(
        model.var_[0], X[Y == 0].var(axis=0) + 1e-9 * X.var(axis=0).max(), rtol=1e-5
    )


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_densities_underflow_far_from_all_classes() -> None:
    model = MixedGaussianNB().fit(X, Y)

    shares = model.predict_proba(X[:2] * 1e6)

    assert np.isnan(shares).all()
    assert model.predict(X[:2] * 1e6).tolist() == [0, 0]


def test_a_single_sample_to_predict_is_its_axis_error() -> None:
    model = MixedGaussianNB().fit(X, Y)

    with pytest.raises(np.exceptions.AxisError):
        model.predict(X[:1])


def test_a_single_class_is_refused() -> None:
    with pytest.raises(ValueError, match="only 1 class"):
        MixedGaussianNB().fit(X, np.zeros(len(X)))

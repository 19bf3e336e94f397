"""pomegranate computes in float32, by E[x²] − E[x]²."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from gnbbench.implementations.torch_adapters import PomegranateGaussianNB

pytest.importorskip(
    "pomegranate", reason='not installed: pip install "gnbbench[pomegranate]"'
)

pytestmark = pytest.mark.slow  # it takes seconds to import


X, Y = load_iris(return_X_y=True)


def test_all_of_it_is_float32() -> None:
    model = PomegranateGaussianNB().fit(X, Y)

    scores = model.predict_joint_log_proba(X)

    assert scores.dtype == model.theta_.dtype == model.var_.dtype == np.float32
    assert model.predict_proba(X).dtype == np.float32


def test_an_offset_cancels_the_variances() -> None:
    model = PomegranateGaussianNB().fit(X + 100.0, Y)

    error = np.abs(model.var_[0] / X[Y == 0].var(axis=0) - 1.0)

    assert error.max() > 0.01


def test_a_negative_variance_is_its_value_error() -> None:
    with pytest.raises(ValueError, match="Variances must be positive"):
        PomegranateGaussianNB().fit(X + 1e6, Y)

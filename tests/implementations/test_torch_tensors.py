"""The formulas in PyTorch give scikit-learn's numbers to rounding."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.naive_bayes import GaussianNB

from gnbbench.implementations.torch_adapters import TorchGaussianNB

pytest.importorskip("torch", reason='not installed: pip install "gnbbench[torch]"')


X, Y = load_digits(return_X_y=True)


@pytest.mark.parametrize("var_smoothing", [1e-9, 1e-2])
def test_all_numbers_are_those_of_sklearn(var_smoothing: float) -> None:
    model = TorchGaussianNB(var_smoothing=var_smoothing).fit(X, Y)
    reference = GaussianNB(var_smoothing=var_smoothing).fit(X, Y)

    scores = model.predict_joint_log_proba(X)

    assert np.allclose(model.theta_, reference.theta_, rtol=1e-13)
    assert np.allclose(model.var_, reference.var_, rtol=1e-13)
    assert np.allclose(model.class_prior_, reference.class_prior_, rtol=1e-15)
    assert np.allclose(scores, reference.predict_joint_log_proba(X), rtol=1e-12)
    assert np.allclose(model.predict_proba(X), reference.predict_proba(X), atol=1e-9)
    assert model.predict(X).tolist() == reference.predict(X).tolist()


def test_float32_stays_float32() -> None:
    model = TorchGaussianNB().fit(X.astype(np.float32), Y)

    assert model.theta_.dtype == model.var_.dtype == np.float32
    assert model.predict_proba(X.astype(np.float32)).dtype == np.float32


def test_its_parameter_is_known() -> None:
    assert repr(TorchGaussianNB(var_smoothing=0.5)) == "TorchGaussianNB(var_smoothing=0.5)"

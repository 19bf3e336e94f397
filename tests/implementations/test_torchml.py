"""torchml's scores are in float64, whatever the samples are."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB

from gnbbench.implementations.torch_adapters import TorchMLGaussianNB

pytest.importorskip("torchml", reason='not installed: pip install "gnbbench[torchml]"')

pytestmark = pytest.mark.slow  # it takes seconds to import


X, Y = load_breast_cancer(return_X_y=True)


def test_parameters_and_labels_are_those_of_sklearn() -> None:
    model, reference = TorchMLGaussianNB().fit(X, Y), GaussianNB().fit(X, Y)

    assert np.allclose(model.theta_, reference.theta_, rtol=1e-13)
    assert np.allclose(model.var_, reference.var_, rtol=1e-12)
    assert model.predict(X).tolist() == reference.predict(X).tolist()


def test_moments_have_the_precision_of_the_samples() -> None:
    model = TorchMLGaussianNB().fit(X.astype(np.float32), Y)

    assert model.theta_.dtype == np.float64
    assert np.array_equal(model.theta_, model.theta_.astype(np.float32))


def test_it_offers_labels_alone() -> None:
    assert not hasattr(TorchMLGaussianNB(), "predict_proba")

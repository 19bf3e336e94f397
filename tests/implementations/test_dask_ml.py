"""dask-ml's parameters are computed once, and it has no smoothing."""

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from gnbbench.implementations.library_adapters import DaskMLGaussianNB

pytest.importorskip("dask_ml", reason='not installed: pip install "gnbbench[dask-ml]"')


X, Y = load_breast_cancer(return_X_y=True)


def test_variances_have_no_smoothing() -> None:
    model = DaskMLGaussianNB().fit(X, Y)

    assert np.allclose(model.var_[0], X[Y == 0].var(axis=0), rtol=1e-12)
    assert model.class_prior_.tolist() == [212 / 569, 357 / 569]


def test_predictions_do_not_learn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    model = DaskMLGaussianNB().fit(X, Y)
    expected = model.predict(X[:20]).tolist()

    def refuse(*given: Any, **options: Any) -> None:
        raise AssertionError(given, options)

    monkeypatch.setattr("dask.array.Array.mean", refuse)
    monkeypatch.setattr("dask.array.Array.var", refuse)

    assert model.predict(X[:20]).tolist() == expected
    assert model.predict_proba(X[:20]).argmax(axis=1).tolist() == expected
    assert all(len(part.dask) == 1 for part in (model._model.theta_, model._model.sigma_))


def test_more_classes_than_features_are_its_index_error() -> None:
    model = DaskMLGaussianNB().fit([[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1])

    with pytest.raises(IndexError):
        model.predict([[0.0]])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_constant_feature_is_its_nan() -> None:
    X = np.array([[0.0, 1.0], [2.0, 1.0], [5.0, 1.0], [8.0, 1.0]])

    shares = DaskMLGaussianNB().fit(X, [0, 0, 1, 1]).predict_proba(X)

    assert np.isnan(shares).all()

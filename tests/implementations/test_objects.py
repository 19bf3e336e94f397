"""Objects, classes and functions become implementations; a function offers labels alone."""

from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from gnbbench.errors import OptionError
from gnbbench.implementations import implementation


class Plain:
    """Says the first label it saw; without parameters to copy."""

    def fit(self, X: Any, y: Any) -> None:
        del X
        self.first = y[0]

    def predict(self, X: Any) -> list[Any]:
        return [self.first] * len(X)


def nearest(X_train: Any, y_train: Any, X_test: Any, power: int = 1) -> Any:
    """Return the label of the nearest sample; spoil whatever was given."""
    labels = y_train[abs(X_train[:, 0] - X_test**power).argmin(axis=1)]
    X_train[:], y_train[:], X_test[:] = -9.0, -9, -9.0
    return labels


def test_a_function_offers_labels_alone_and_its_arguments_stay_as_they_were() -> None:
    X, y = np.array([[0.0], [4.0]]), np.array([5, 6])
    model = implementation(nearest).make().fit(X, y)

    answers = [model.predict(X).tolist() for _ in range(3)]

    assert answers == [[5, 6]] * 3
    assert (X.tolist(), y.tolist()) == ([[0.0], [4.0]], [5, 6])
    for name in ("predict_proba", "predict_joint_log_proba", "theta_", "var_", "classes_"):
        assert not hasattr(model, name)
    with pytest.raises(ValueError, match="call fit before predict"):
        implementation(nearest).make().predict([[1.0]])


def test_a_class_is_called_and_an_object_copied_unfitted_for_every_model() -> None:
    given, plain = GaussianNB(var_smoothing=0.5).fit([[0.0], [1.0]], [0, 1]), Plain()

    made, copied = implementation(given).make(), implementation(plain).make()

    assert made.var_smoothing == 0.5
    assert not hasattr(made, "theta_")
    assert isinstance(copied, Plain)
    assert copied is not plain
    assert isinstance(implementation(Plain).make(), Plain)


@pytest.mark.parametrize("given", [3, object(), "".join, divmod])
def test_what_cannot_fit_and_predict_is_refused(given: Any) -> None:
    with pytest.raises(OptionError, match="has no fit and no predict"):
        implementation(given)

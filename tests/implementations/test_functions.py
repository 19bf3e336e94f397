"""A fit_predict function is an estimator of labels alone."""

from typing import Any

import numpy as np
import pytest

from gnbbench.errors import ImplementationError
from gnbbench.implementations import implementation


def nearest(X_train: Any, y_train: Any, X_test: Any, power: int = 1) -> Any:
    """Return the label of the nearest sample; spoil whatever was given."""
    labels = y_train[abs(X_train[:, 0] - X_test**power).argmin(axis=1)]
    X_train[:], y_train[:], X_test[:] = -9.0, -9, -9.0
    return labels


def test_labels_come_from_the_train_side() -> None:
    model = implementation(nearest).make().fit([[0.0], [4.0]], [5, 6])

    assert model.predict([[1.0], [3.0]]).tolist() == [5, 6]


def test_what_a_function_does_to_its_arguments_stays_with_it() -> None:
    X, y = np.array([[0.0], [4.0]]), np.array([5, 6])
    model = implementation(nearest).make().fit(X, y)

    answers = [model.predict(X).tolist() for _ in range(3)]

    assert answers == [[5, 6]] * 3
    assert X.tolist() == [[0.0], [4.0]]
    assert y.tolist() == [5, 6]


def test_nothing_is_offered_but_labels() -> None:
    model = implementation(nearest).make().fit([[0.0], [4.0]], [5, 6])

    for name in ("predict_proba", "predict_joint_log_proba", "theta_", "var_", "classes_"):
        assert not hasattr(model, name)


def test_predicting_before_fitting_is_refused() -> None:
    with pytest.raises(ValueError, match="call fit before predict"):
        implementation(nearest).make().predict([[1.0]])


def test_a_function_of_other_arguments_is_refused() -> None:
    with pytest.raises(ImplementationError, match="has no fit and no predict"):
        implementation(divmod)

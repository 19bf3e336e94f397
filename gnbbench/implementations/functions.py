"""A function that fits and predicts at once, as an estimator."""

from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np


class FunctionEstimator:
    """Offers ``fit`` and ``predict`` by one function, and nothing that it does not.

    Every call gets arrays of its own, so that a function which changes them does not
    change what the next call sees.

    Parameters
    ----------
    function : callable
        ``function(X_train, y_train, X_test) -> labels``.
    parameters : mapping of str to object, default=None
        Keyword arguments besides.

    Examples
    --------
    >>> def first(X_train, y_train, X_test):
    ...     return np.full(len(X_test), y_train[0])
    >>> FunctionEstimator(first).fit([[1.0], [2.0]], [7, 8]).predict([[3.0]])
    array([7])
    """

    def __init__(
        self, function: Callable[..., Any], parameters: Mapping[str, Any] | None = None
    ) -> None:
        self.function = function
        self.parameters = dict(parameters or {})

    def fit(self, X: Any, y: Any) -> Self:
        """Return the estimator with its train side kept.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        self._train_side = np.array(X), np.array(y)
        return self

    def predict(self, X: Any) -> Any:
        """Return what the function says of these samples after the train side.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        object
            Whatever the function returned.

        Raises
        ------
        ValueError
            Before `fit`.
        """
        if not hasattr(self, "_train_side"):
            raise ValueError("call fit before predict")
        X_train, y_train = self._train_side
        return self.function(X_train.copy(), y_train.copy(), np.array(X), **self.parameters)

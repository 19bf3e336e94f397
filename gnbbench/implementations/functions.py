"""A function that fits and predicts at once, as an estimator."""

from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np


class FunctionEstimator:
    """Offers ``fit`` and ``predict`` by one function, and nothing that it does not.

    Every call gets arrays of its own, so that a function which changes them does not
    change what the next call sees.
    """

    def __init__(
        self, function: Callable[..., Any], parameters: Mapping[str, Any] | None = None
    ) -> None:
        self.function = function
        self.parameters = dict(parameters or {})

    def fit(self, X: Any, y: Any) -> Self:
        """Return the estimator with its train side kept."""
        self._train_side = np.array(X), np.array(y)
        return self

    def predict(self, X: Any) -> Any:
        """Return what the function says of these samples after the train side."""
        if not hasattr(self, "_train_side"):
            raise ValueError("call fit before predict")
        X_train, y_train = self._train_side
        return self.function(X_train.copy(), y_train.copy(), np.array(X), **self.parameters)

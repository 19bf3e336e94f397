"""What every adapter of a library shares: labels become codes 0, 1, … and come back."""

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnbbench.core.classifier import Classifier

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


class LibraryClassifier(Classifier, ABC):
    """scikit-learn's contract around a library that wants classes numbered from 0.

    Nothing of the library's numbers, defaults or checks is changed; what it cannot do, it
    cannot do here. `predict_proba`, `theta_` and the like exist only in adapters of
    libraries that give them. Samples that are not floating point become float64.
    """

    # (n_classes,): The distinct labels, sorted; a code is a position among them
    classes_: NDArray[Any]

    def __init__(self) -> None:
        super().__init__()

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Return the estimator, with the library's model of the samples learned."""
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        self._fit_codes(as_floats(X), codes)
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the label that the library gives to each sample."""
        labels: NDArray[Any] = self.classes_[self._predict_codes(as_floats(X))]
        return labels

    @abstractmethod
    def _fit_codes(self, X: NDArray[Any], codes: Codes) -> None:
        """Make and fit the library's own model."""

    @abstractmethod
    def _predict_codes(self, X: NDArray[Any]) -> Codes:
        """Return the code of the library's label for each row."""


def as_floats(X: ArrayLike) -> NDArray[Any]:
    """samples in the floating point precision they have, float64 if they have none."""
    samples = np.asarray(X)
    return samples if samples.dtype.kind == "f" else samples.astype(np.float64)

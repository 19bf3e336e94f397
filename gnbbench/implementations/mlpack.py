"""mlpack: a C++ program behind one function."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnbbench.implementations.library_classifier import (
    Array,
    Codes,
    LibraryClassifier,
    as_floats,
)


class MlpackGaussianNB(LibraryClassifier):
    """``mlpack.nbc`` with its two-pass variances.

    Unlike scikit-learn's it divides variances by n - 1 (by 1 where a class has one sample)
    and adds 1e-10 to each, whatever the scale of the data. Of equal classes it predicts the
    one seen first.
    """

    _model: Any

    def _fit_codes(self, X: NDArray[Any], codes: Codes) -> None:
        from mlpack import nbc

        self._model = nbc(training=X, labels=codes)["output_model"]
        first_rows = np.unique(codes, return_index=True)[1]
        self._columns = first_rows.argsort().argsort()

    def _predict_codes(self, X: NDArray[Any]) -> Codes:
        codes: Codes = self._scored(X)["predictions"]
        return codes

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the posterior probability of each class."""
        shares: Array = self._scored(as_floats(X))["probabilities"]
        return shares[:, self._columns]

    @property
    def theta_(self) -> Array:
        """Means, of shape (n_classes, n_features)."""
        return self._parameter("means")

    @property
    def var_(self) -> Array:
        """Variances, of shape (n_classes, n_features), with 1e-10 added."""
        return self._parameter("variances")

    @property
    def class_prior_(self) -> Array:
        """Share of each class among the training samples."""
        return self._parameter("probabilities").ravel()

    def _scored(self, X: NDArray[Any]) -> dict[str, Any]:
        from mlpack import nbc

        scored: dict[str, Any] = nbc(input_model=self._model, test=X)
        return scored

    def _parameter(self, name: str) -> Array:
        """Return a parameter, one row a class, whose order is that of first appearance."""
        values = self._model.get_cpp_params()["NBCModel"]["nbc"][name]
        rows: Array = values.reshape(len(self.classes_), -1)[self._columns]
        return rows

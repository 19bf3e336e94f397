"""torchml: scikit-learn's estimators written with PyTorch."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.implementations.library_classifier import Array, Codes, LibraryClassifier


class TorchMLGaussianNB(LibraryClassifier):
    """``torchml.naive_bayes.GaussianNB`` on tensors of the samples' own precision.

    Formulas and smoothing are scikit-learn's, moments in the precision of the samples and
    scores in float64. It offers labels alone.
    """

    _model: Any

    def _fit_codes(self, X: NDArray[Any], codes: Codes) -> None:
        import torch
        from torchml.naive_bayes import GaussianNB

        self._model = GaussianNB()
        self._model.fit(torch.tensor(X), torch.tensor(codes))

    def _predict_codes(self, X: NDArray[Any]) -> Codes:
        import torch

        codes: Codes = self._model.predict(torch.tensor(X)).numpy()
        return codes

    @property
    def theta_(self) -> Array:
        """Means, of shape (n_classes, n_features)."""
        return np.asarray(self._model.theta)

    @property
    def var_(self) -> Array:
        """Variances, of shape (n_classes, n_features), smoothing included."""
        return np.asarray(self._model.var)

    @property
    def class_prior_(self) -> Array:
        """Share of each class among the training samples."""
        return np.asarray(self._model.class_prior)

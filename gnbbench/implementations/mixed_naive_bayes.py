"""mixed-naive-bayes: densities are multiplied."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnbbench.implementations.library_classifier import (
    Array,
    Codes,
    LibraryClassifier,
    as_floats,
)


class MixedGaussianNB(LibraryClassifier):
    """``mixed_naive_bayes.MixedNB`` without categorical features.

    Unlike scikit-learn's it multiplies densities: with many features, or far from all
    classes, every product is 0, the posterior 0/0 and the label that of the first class.
    Its smoothing is 1e-9 of the largest feature variance with divisor n - 1. It refuses a
    single class, and ends in an AxisError for a single sample to predict.
    """

    _model: Any

    def _fit_codes(self, X: NDArray[Any], codes: Codes) -> None:
        from mixed_naive_bayes import MixedNB

        self._model = MixedNB().fit(X, codes)

    def _predict_codes(self, X: NDArray[Any]) -> Codes:
        codes: Codes = self._model.predict(X)
        return codes

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the posterior probability of each class."""
        shares: Array = self._model.predict_proba(as_floats(X))
        return shares

    @property
    def theta_(self) -> Array:
        """Means, of shape (n_classes, n_features)."""
        return np.asarray(self._model.theta)

    @property
    def var_(self) -> Array:
        """Variances as the densities use them: smoothing included."""
        return np.asarray(self._model.sigma + self._model.epsilon)

    @property
    def class_prior_(self) -> Array:
        """Share of each class among the training samples."""
        return np.asarray(self._model.priors)

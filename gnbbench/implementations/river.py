"""river: learns and predicts one sample after another."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnbbench.implementations.library_classifier import (
    Array,
    Codes,
    LibraryClassifier,
    as_floats,
)


class RiverGaussianNB(LibraryClassifier):
    """``river.naive_bayes.GaussianNB``, by ``learn_one`` and ``predict_one``.

    Unlike scikit-learn's it has no smoothing, and sums log(density + 1e-9) over features,
    taking the density of a feature without variance for 0. Far from all classes only the
    priors count, and of equal classes the one seen first is predicted. Variances are
    updated with every sample, by Welford's rule.
    """

    _model: Any

    def _fit_codes(self, X: NDArray[Any], codes: Codes) -> None:
        from river.naive_bayes import GaussianNB

        self._model = GaussianNB()
        self._n_features = X.shape[1]
        for sample, code in zip(_samples(X), codes.tolist(), strict=True):
            self._model.learn_one(sample, code)

    def _predict_codes(self, X: NDArray[Any]) -> Codes:
        best = [self._model.predict_one(sample) for sample in _samples(X)]
        return np.array(best, dtype=np.intp)

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the posterior probability of each class."""
        return self._table(map(self._model.predict_proba_one, _samples(as_floats(X))))

    def predict_joint_log_proba(self, X: ArrayLike) -> Array:
        """Return ``log P(c)`` plus the sum of ``log(p(x_j | c) + 1e-9)``."""
        return self._table(map(self._model.joint_log_likelihood, _samples(as_floats(X))))

    @property
    def theta_(self) -> Array:
        """Means, of shape (n_classes, n_features)."""
        return np.array([[gaussian.mu for gaussian in row] for row in self._gaussians])

    @property
    def var_(self) -> Array:
        """Variances, of shape (n_classes, n_features)."""
        return np.array(
            [[gaussian.sigma**2 for gaussian in row] for row in self._gaussians]
        )

    @property
    def class_prior_(self) -> Array:
        """Share of each class among the training samples."""
        return np.array([self._model.p_class(code) for code in range(len(self.classes_))])

    @property
    def _gaussians(self) -> list[list[Any]]:
        of_class = self._model.gaussians
        return [
            [of_class[code][feature] for feature in range(self._n_features)]
            for code in range(len(self.classes_))
        ]

    def _table(self, scores: Iterable[Mapping[int, float]]) -> Array:
        """Return scores by code, whose order is that of first appearance, as columns."""
        n_classes = len(self.classes_)
        rows = [[score[code] for code in range(n_classes)] for score in scores]
        return np.array(rows, dtype=np.float64).reshape(-1, n_classes)


def _samples(X: NDArray[Any]) -> Iterator[dict[int, float]]:
    """Yield each row as river takes it: a value by the number of its column."""
    return (dict(enumerate(row)) for row in X.tolist())

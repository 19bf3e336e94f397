"""pomegranate: a Bayes classifier over diagonal normal distributions, in PyTorch."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnbbench.implementations.library_classifier import (
    Codes,
    LibraryClassifier,
    as_floats,
)


class PomegranateGaussianNB(LibraryClassifier):
    """``pomegranate.bayes_classifier.BayesClassifier`` of ``Normal`` distributions.

    Unlike scikit-learn's it computes in float32, takes variances as E[x²] − E[x]², which
    cancel under an offset (a negative one is a ValueError), and has no smoothing.
    """

    _model: Any

    def _fit_codes(self, X: NDArray[Any], codes: Codes) -> None:
        from pomegranate.bayes_classifier import BayesClassifier
        from pomegranate.distributions import Normal

        normals = [Normal(covariance_type="diag") for _ in self.classes_]
        self._model = BayesClassifier(normals).fit(X, codes)

    def _predict_codes(self, X: NDArray[Any]) -> Codes:
        codes: Codes = self._model.predict(X).numpy()
        return codes

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float32]:
        """Return the posterior probability of each class."""
        shares: NDArray[np.float32] = self._model.predict_proba(as_floats(X)).numpy()
        return shares

    def predict_joint_log_proba(self, X: ArrayLike) -> NDArray[np.float32]:
        """Return ``log P(c)`` plus each distribution's log-probability."""
        samples = as_floats(X)
        normals = self._model.distributions
        densities = [normal.log_probability(samples).numpy() for normal in normals]
        log_priors = self._model.priors.log().numpy()
        scores: NDArray[np.float32] = np.stack(densities, axis=1) + log_priors
        return scores

    @property
    def theta_(self) -> NDArray[np.float32]:
        """Means, of shape (n_classes, n_features)."""
        return np.array([normal.means.numpy() for normal in self._model.distributions])

    @property
    def var_(self) -> NDArray[np.float32]:
        """Variances, of shape (n_classes, n_features)."""
        return np.array([normal.covs.numpy() for normal in self._model.distributions])

    @property
    def class_prior_(self) -> NDArray[np.float32]:
        """Share of each class among the training samples."""
        return np.asarray(self._model.priors)

"""Libraries and formulas in PyTorch, behind scikit-learn's contract."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnbbench.implementations.library_adapters import (
    Codes,
    LibraryClassifier,
    as_floats,
)


class PomegranateGaussianNB(LibraryClassifier):
    """``pomegranate.bayes_classifier.BayesClassifier`` of ``Normal`` distributions.

    Unlike scikit-learn's it computes in float32, takes variances as E[x²] − E[x]², which
    cancel under an offset (a negative one is a ValueError), and has no smoothing.
    """

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


class TorchGaussianNB(LibraryClassifier):
    """Means, variances and scores as PyTorch's functions give them.

    For whoever has PyTorch without torchml and what that needs. Everything stays in the
    samples' own precision.
    """

    def __init__(self, *, var_smoothing: float = 1e-9) -> None:
        self.var_smoothing = var_smoothing

    def _fit_codes(self, X: NDArray[Any], codes: Codes) -> None:
        import torch

        samples, labels = torch.tensor(X), torch.tensor(codes)
        of_each_class = [samples[labels == code] for code in range(len(self.classes_))]
        counts = samples.new_tensor([len(rows) for rows in of_each_class])
        epsilon = self.var_smoothing * torch.var(samples, dim=0, unbiased=False).max()
        variances = [torch.var(rows, dim=0, unbiased=False) for rows in of_each_class]
        self._prior = counts / counts.sum()
        self._theta = torch.stack([torch.mean(rows, dim=0) for rows in of_each_class])
        self._var = torch.stack(variances) + epsilon

    def _predict_codes(self, X: NDArray[Any]) -> Codes:
        codes: Codes = self._joint_log_likelihood(X).argmax(dim=1).numpy()
        return codes

    def predict_proba(self, X: ArrayLike) -> NDArray[Any]:
        """Return the posterior probability of each class."""
        shares: NDArray[Any] = self._joint_log_likelihood(X).softmax(dim=1).numpy()
        return shares

    def predict_joint_log_proba(self, X: ArrayLike) -> NDArray[Any]:
        """Return ``log P(c) + log p(x | c)``."""
        scores: NDArray[Any] = self._joint_log_likelihood(X).numpy()
        return scores

    @property
    def theta_(self) -> NDArray[Any]:
        """Means, of shape (n_classes, n_features)."""
        return np.asarray(self._theta)

    @property
    def var_(self) -> NDArray[Any]:
        """Variances, of shape (n_classes, n_features), smoothing included."""
        return np.asarray(self._var)

    @property
    def class_prior_(self) -> NDArray[Any]:
        """Share of each class among the training samples."""
        return np.asarray(self._prior)

    def _joint_log_likelihood(self, X: ArrayLike) -> Any:
        import torch

        samples = torch.tensor(as_floats(X))
        scores = [
            torch.log(prior)
            - 0.5 * torch.log(2.0 * math.pi * var).sum()
            - 0.5 * ((samples - theta) ** 2 / var).sum(dim=1)
            for prior, theta, var in zip(self._prior, self._theta, self._var, strict=True)
        ]
        return torch.stack(scores, dim=1)


class TorchMLGaussianNB(LibraryClassifier):
    """``torchml.naive_bayes.GaussianNB`` on tensors of the samples' own precision.

    Formulas and smoothing are scikit-learn's, moments in the precision of the samples and
    scores in float64. It offers labels alone.
    """

    parameter_names = ("theta", "var", "class_prior")

    def _fit_codes(self, X: NDArray[Any], codes: Codes) -> None:
        import torch
        from torchml.naive_bayes import GaussianNB

        self._model = GaussianNB()
        self._model.fit(torch.tensor(X), torch.tensor(codes))

    def _predict_codes(self, X: NDArray[Any]) -> Codes:
        import torch

        codes: Codes = self._model.predict(torch.tensor(X)).numpy()
        return codes

"""Gaussian naive Bayes in a few lines of PyTorch, as torchml has it."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnbbench.implementations.library_classifier import (
    Codes,
    LibraryClassifier,
    as_floats,
)


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

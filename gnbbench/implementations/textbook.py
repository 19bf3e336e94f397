"""Gaussian naive Bayes as a student writes it, with a knob for each published variation.

Each preset of the catalogue is such a version. The numerics are deliberately those of a
first attempt; `gnbbench.core` is the implementation to use.
"""

import math
from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnbbench.core.classifier import Classifier
from gnbbench.core.labels import as_labels
from gnbbench.core.validation import check_lengths

Array = NDArray[np.floating[Any]]

KNOBS: dict[str, tuple[str, ...]] = {
    "divisor": ("n", "n-1"),
    "variance": ("two-pass", "one-pass"),
    "space": ("log", "density"),
    "dtype": ("float32", "float64"),
}


class TextbookGaussianNB(Classifier):
    """Gaussian naive Bayes, short and plain, with a knob for each way versions differ.

    Its arithmetic never warns. A feature that is constant in a class, without smoothing,
    makes the class's likelihood 0/0: NaN, which NumPy's argmax, and so `predict`, counts as
    largest.
    """

    classes_: NDArray[Any]  # (n_classes,)
    class_count_: Array  # (n_classes,)
    class_prior_: Array  # (n_classes,)
    theta_: Array  # (n_classes, n_features): Means and variances, smoothing included
    var_: Array  # (n_classes, n_features): Means and variances, smoothing included
    epsilon_: float  # What was added to every variance

    def __init__(
        self,
        *,
        divisor: Literal["n", "n-1"] = "n",
        variance: Literal["two-pass", "one-pass"] = "two-pass",
        relative_smoothing: float = 0.0,
        absolute_smoothing: float = 0.0,
        log_floor: float | None = None,
        priors: ArrayLike | Literal["uniform"] | None = None,
        space: Literal["log", "density"] = "log",
        dtype: Literal["float64", "float32"] = "float64",
    ) -> None:
        self.divisor = divisor
        self.variance = variance
        self.relative_smoothing = relative_smoothing
        self.absolute_smoothing = absolute_smoothing
        self.log_floor = log_floor
        self.priors = priors
        self.space = space
        self.dtype = dtype

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn means, variances and priors."""
        self._check_knobs()
        samples = self._samples(X, against_fitted=False)
        labels = as_labels(y, self._name)
        check_lengths(len(samples), len(labels))
        self.n_features_in_ = samples.shape[1]
        self.classes_, counts = np.unique(labels, return_counts=True)
        self.class_count_ = counts.astype(self.dtype)
        self.class_prior_ = self._priors()
        of_each_class = [samples[labels == label] for label in self.classes_]
        with np.errstate(all="ignore"):
            self.epsilon_ = float(
                self.absolute_smoothing
                + self.relative_smoothing * samples.var(axis=0).max()
            )
            self.theta_ = np.array([rows.mean(axis=0) for rows in of_each_class])
            self.var_ = np.array([self._variances(rows) for rows in of_each_class])
            self.var_ += self.epsilon_
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the label with the largest score; the first one among equals."""
        best = self._scores(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the posterior probability of each class.

        A row whose scores cannot be normalised (all densities 0, or a NaN or infinity among
        them) has equal shares for the classes with the largest score, NaN counting as
        larger than all: what `predict`, through argmax, takes it for.
        """
        scores = self._scores(X)
        with np.errstate(all="ignore"):
            largest = scores.max(axis=1, keepdims=True)
            log = self.space == "log"
            weights = np.exp(scores - largest) if log else scores / largest
            shares: Array = weights / weights.sum(axis=1, keepdims=True)
        broken = np.isnan(shares).any(axis=1)
        shares[broken] = _equal_shares(scores[broken])
        return shares

    @property
    def predict_joint_log_proba(self) -> Callable[[ArrayLike], Array]:
        """``log P(c) + log p(x | c)`` of samples; an attribute in log space only.

        NaN (0/0) becomes plus infinity, as argmax treats it.
        """
        if self.space == "density":
            raise AttributeError("densities are multiplied: there is no log-likelihood")
        return self._joint_log_likelihood

    def _joint_log_likelihood(self, X: ArrayLike) -> Array:
        scores = self._scores(X)
        return np.where(np.isnan(scores), scores.dtype.type(np.inf), scores)

    def _scores(self, X: ArrayLike) -> Array:
        """Return joint log-likelihoods or densities, shape (n_samples, n_classes)."""
        self._check_fitted()
        samples = self._samples(X, against_fitted=True)
        with np.errstate(all="ignore"):
            likelihood = np.column_stack(
                [
                    self._likelihood(samples - theta, var)
                    for theta, var in zip(self.theta_, self.var_, strict=True)
                ]
            )
            if self.space == "log":
                return np.asarray(likelihood + np.log(self.class_prior_))
            return np.asarray(likelihood * self.class_prior_)

    def _likelihood(self, deviations: Array, var: Array) -> Array:
        """Return the log-density or the density of each row for one class."""
        quadratic = -0.5 * deviations**2 / var
        if self.space == "density":
            scale = (2.0 * math.pi) ** (-0.5 * len(var)) * np.prod(var) ** -0.5
            return np.asarray(scale * np.exp(quadratic.sum(axis=1)))
        if self.log_floor is not None:
            pdf = np.exp(quadratic) / np.sqrt(2.0 * math.pi * var)
            return np.asarray(np.log(pdf + self.log_floor).sum(axis=1))
        exact: Array = quadratic.sum(axis=1) - 0.5 * np.log(2.0 * math.pi * var).sum()
        return exact

    def _variances(self, rows: Array) -> Array:
        """Return the variance of each feature in the rows of one class."""
        if self.variance == "one-pass":
            var = (rows**2).mean(axis=0) - rows.mean(axis=0) ** 2
        else:
            var = ((rows - rows.mean(axis=0)) ** 2).mean(axis=0)
        if self.divisor == "n-1":
            var = var * len(rows) / np.array(len(rows) - 1, dtype=self.dtype)
        return np.asarray(var)

    def _priors(self) -> Array:
        n_classes = len(self.classes_)
        if self.priors is None:
            return np.asarray(self.class_count_ / self.class_count_.sum())
        if isinstance(self.priors, str):
            return np.full(n_classes, 1.0 / n_classes, dtype=self.dtype)
        priors = np.asarray(self.priors, dtype=self.dtype)
        if priors.shape != (n_classes,):
            raise ValueError(f"priors has shape {priors.shape}, expected {(n_classes,)}")
        return priors

    def _samples(self, X: ArrayLike, *, against_fitted: bool) -> Array:
        samples = self._checked_samples(X, against_fitted=against_fitted)
        with np.errstate(over="ignore"):
            result: Array = samples.astype(self.dtype, copy=False)
        return result

    def _check_knobs(self) -> None:
        for name, known in KNOBS.items():
            value = getattr(self, name)
            if value not in known:
                raise ValueError(f"{name} must be one of {known}, got {value!r}")
        if isinstance(self.priors, str) and self.priors != "uniform":
            raise ValueError(f"priors must be 'uniform' or numbers, got {self.priors!r}")
        if self.space == "density" and self.log_floor is not None:
            raise ValueError("log_floor needs space='log': densities have no logarithm")


def _equal_shares(scores: Array) -> Array:
    """Return equal shares for the largest scores of each row, NaN counting as largest."""
    nan = np.isnan(scores)
    largest = np.where(
        nan.any(axis=1, keepdims=True), nan, scores == scores.max(axis=1, keepdims=True)
    )
    return np.asarray(largest / largest.sum(axis=1, keepdims=True))

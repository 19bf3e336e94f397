"""A classifier fitted by the moments of its classes, whatever they were taken from."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnbbench.core import validation
from gnbbench.core.blocked_moments import blocked_moments
from gnbbench.core.classifier import Classifier
from gnbbench.core.labels import label_codes, label_groups, positions_among
from gnbbench.core.likelihood import ClassParameters
from gnbbench.core.moments import (
    Moments,
    block_moments,
    check_range,
    merged,
    narrowed,
    placed,
)
from gnbbench.core.row_blocks import FloatArray, Samples
from gnbbench.core.validation import (
    check_var_smoothing,
    checked_n_threads,
    feature_names_of,
    resolved_priors,
    takes_blocks,
)


class FittedMoments(Classifier):
    """Base of a classifier whose fitted attributes all come from moments."""

    classes_: NDArray[Any]
    class_count_: FloatArray
    class_prior_: Samples
    theta_: Samples
    var_: Samples
    epsilon_: float
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    _moments: Moments

    priors: Any
    var_smoothing: float
    solver: str
    n_threads: int

    def _works_in_blocks(self, samples: Samples, *, n_labels: int = 0) -> bool:
        """Return whether samples as many as these are worked on in blocks."""
        return takes_blocks(self.solver, samples.shape, self._name, n_labels=n_labels)

    def _learn(
        self,
        X: ArrayLike,
        labels: NDArray[Any],
        classes: NDArray[Any] | None,
        sample_weight: ArrayLike | None,
        *,
        restart: bool,
    ) -> Self:
        """Take in some samples; all checks come before the first change."""
        name = self._name
        check_var_smoothing(self.var_smoothing, name)
        samples = self._checked_samples(X, against_fitted=not restart)
        names = feature_names_of(X) if restart else getattr(self, "feature_names_in_", None)
        validation.check_lengths(len(samples), len(labels))
        weights = None
        if sample_weight is not None:
            weights = validation.as_weights(sample_weight, len(samples), name)
        found, moments = self._moments_of(samples, labels, weights)
        check_range(samples, moments, name)
        if classes is None:
            classes = found
        else:
            moments = placed(moments, positions_among(found, classes), len(classes))
        dtype = samples.dtype
        if not restart:
            moments = merged(self._moments, moments)
            dtype = self.theta_.dtype
        self._assign(classes, moments, dtype, names)
        return self

    def _moments_of(
        self, samples: Samples, labels: NDArray[Any], weights: FloatArray | None
    ) -> tuple[NDArray[Any], Moments]:
        """Return the labels that occur, and the moments of each and of all rows."""
        n_threads = checked_n_threads(self.n_threads, self._name)
        if self._works_in_blocks(samples):
            codes = label_codes(labels)
            moments = blocked_moments(samples, codes, weights, n_threads=n_threads)
            return codes.classes, moments
        groups = label_groups(labels)
        values = samples.astype(np.float64, copy=False)
        with np.errstate(over="ignore", invalid="ignore"):
            moments = block_moments(values, groups.order, groups.starts, weights)
        return groups.labels, moments

    def _assign(
        self,
        classes: NDArray[Any],
        moments: Moments,
        dtype: np.dtype[Any],
        feature_names: NDArray[np.object_] | None,
    ) -> None:
        """Set every fitted attribute from the moments."""
        count = moments.weight[:-1]
        priors = resolved_priors(self.priors, len(classes), self._name)
        if priors is None:
            priors = count / np.add.reduce(count)
        variance = moments.variance()
        epsilon = self.var_smoothing * variance[-1].max()
        self._moments = moments
        self.classes_ = classes
        self.class_count_ = count.copy()
        self.epsilon_ = epsilon
        self.class_prior_ = priors.astype(dtype, copy=False)
        self.theta_ = moments.mean[:-1].astype(dtype)
        self.var_ = narrowed(variance[:-1] + epsilon, dtype)
        self.n_features_in_ = moments.mean.shape[1]
        if feature_names is not None:
            self.feature_names_in_ = feature_names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _parameters(self) -> ClassParameters:
        """Return the parameters in float64; those of narrower input were rounded."""
        if self.theta_.dtype == np.float64:
            theta = self.theta_.astype(np.float64, copy=False)
            var = self.var_.astype(np.float64, copy=False)
        else:
            theta = self._moments.mean[:-1]
            var = self._moments.variance()[:-1] + self.epsilon_
        prior = self.class_prior_.astype(np.float64, copy=False)
        with np.errstate(divide="ignore"):
            log_prior = np.log(prior)
        log_prior[self.class_count_ == 0.0] = -np.inf
        return ClassParameters(log_prior, theta, var)

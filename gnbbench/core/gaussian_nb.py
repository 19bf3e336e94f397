"""The estimator: Gaussian naive Bayes with scikit-learn's interface, in NumPy alone."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnbbench.core import validation
from gnbbench.core.classifier import Classifier
from gnbbench.core.feature_names import check_feature_names, feature_names_of
from gnbbench.core.labels import as_labels, classes_of, label_groups, positions_among
from gnbbench.core.likelihood import (
    ClassParameters,
    careful_scores,
    joint_log_likelihood,
    log_posterior,
)
from gnbbench.core.moments import (
    Moments,
    block_moments,
    check_range,
    merged,
    narrowed,
    placed,
)
from gnbbench.core.parameters import check_var_smoothing, resolved_priors
from gnbbench.core.routing import MetadataRouting

FloatArray = NDArray[np.float64]


class GaussianNB(MetadataRouting, Classifier):
    """Gaussian naive Bayes with scikit-learn's answers, and better ones where it errs.

    Features are taken as independent and normal within each class. A label is the class
    with the largest ``log P(c) - 1/2 sum log(2 pi var) - 1/2 sum (x - theta)^2 / var``;
    means and variances are those of maximum likelihood, and every variance is raised by
    ``epsilon_ = var_smoothing * max(var(X))``.

    On float64 input without weights, all fitted attributes and the joint log-likelihood
    have the bits of scikit-learn's.

    Parameters
    ----------
    priors : None, "uniform" or array-like of shape (n_classes,), default=None
        Prior probability of each class; shares of the (weighted) rows when None.
    var_smoothing : float, default=1e-9
        Share of the largest variance of all features that is added to every variance.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    class_count_ : ndarray of shape (n_classes,)
        Rows, or sum of the weights, of each class.
    class_prior_ : ndarray of shape (n_classes,)
        Probability of each class.
    theta_, var_ : ndarray of shape (n_classes, n_features)
        Mean and smoothed variance of each feature in each class.
    epsilon_ : float
        What was added to every variance.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names; only where all of them are strings.

    Notes
    -----
    Differences to scikit-learn 1.9, all of them where its result is wrong or undefined:

    - Sums, counts and predictions are float64 whatever the type of `X`; `theta_`, `var_`
      and `class_prior_` still take the float type of `X`.
    - ``epsilon_`` of ``partial_fit`` comes from all rows seen so far, so that any sequence
      of calls gives the parameters of one ``fit``.
    - ``epsilon_`` respects `sample_weight`, so that a row of weight zero does not exist.
    - A class is empty only if its weights are all zero, and then it is never predicted,
      even if it has a prior.
    - The rounding error of a mean is taken out of mean and variance where it is more than
      5e-13 of the variance, as on data far from zero.
    - Negative weights are an error, and so is a variance that overflows or vanishes by
      underflow.
    - Zero variances (constant features without smoothing) are taken as the limit of ever
      smaller ones, with a warning, and rows so far away that all likelihoods vanish are
      told apart by their distances. There are no NaN probabilities.
    - Probabilities sum to one also where log-likelihoods are so large (1e8 on digits) that
      scikit-learn's are off by up to 1e-9.
    - `priors` may be "uniform".

    Examples
    --------
    >>> X = [[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]]
    >>> model = GaussianNB().fit(X, [1, 1, 1, 2, 2, 2])
    >>> model.predict([[-0.8, -1]])
    array([1])
    >>> model.theta_
    array([[-2.        , -1.33333333],
           [ 2.        ,  1.33333333]])
    """

    classes_: NDArray[Any]
    class_count_: FloatArray
    class_prior_: NDArray[np.floating[Any]]
    theta_: NDArray[np.floating[Any]]
    var_: NDArray[np.floating[Any]]
    epsilon_: float
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    _moments: Moments

    def __init__(self, priors: Any = None, var_smoothing: float = 1e-9) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Return the estimator fitted to these samples alone.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers.
        y : array-like of shape (n_samples,)
            Labels of any sortable type.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights, all one when None.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            If the input or a parameter cannot be used; nothing is changed then.
        """
        labels = as_labels(y, self._name)
        return self._learn(X, labels, None, sample_weight, restart=True)

    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Return the estimator fitted to all samples seen so far and these.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers.
        y : array-like of shape (n_samples,)
            Labels, each among the classes.
        classes : array-like of shape (n_classes,), default=None
            All labels that may ever come; needed in the first call only.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights, all one when None.

        Returns
        -------
        self
        """
        all_classes = classes_of(classes, getattr(self, "classes_", None), self._name)
        labels = as_labels(y, self._name)
        restart = not self.__sklearn_is_fitted__()
        return self._learn(X, labels, all_classes, sample_weight, restart=restart)

    def merge(self, other: "GaussianNB") -> Self:
        """Return a new estimator fitted to the samples of both, without seeing them again.

        Both operands stay as they are. Classes are joined; parameters that are set in
        ``__init__`` are those of this one.

        Parameters
        ----------
        other : GaussianNB
            Fitted on the same features.

        Returns
        -------
        GaussianNB
            Equal to one fitted on all rows at once, up to rounding.

        Raises
        ------
        ValueError
            If the features differ.
        sklearn.exceptions.NotFittedError
            If one of them is not fitted.

        Examples
        --------
        >>> left = GaussianNB().fit([[0.0], [2.0]], ["a", "a"])
        >>> right = GaussianNB().fit([[4.0], [8.0]], ["a", "b"])
        >>> left.merge(right).theta_.ravel()
        array([2., 8.])
        """
        for model in (self, other):
            model._check_fitted()
        validation.check_n_features(other.n_features_in_, self.n_features_in_, self._name)
        names = getattr(self, "feature_names_in_", None)
        check_feature_names(getattr(other, "feature_names_in_", None), names, self._name)
        classes = np.union1d(self.classes_, other.classes_)
        first, second = (
            placed(model._moments, positions_among(model.classes_, classes), len(classes))
            for model in (self, other)
        )
        result = type(self)(**self.get_params())
        dtype = np.result_type(self.theta_, other.theta_)
        result._assign(classes, merged(first, second), dtype, names)
        return result

    def predict_joint_log_proba(self, X: ArrayLike) -> FloatArray:
        """Return ``log P(c) + log p(x | c)`` for each sample and class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In nats; minus infinity where a likelihood is below the range of float64.

        Raises
        ------
        ValueError
            If `X` is not finite or has another number of features.
        """
        return self._scores(X, comparable=False).T

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the most probable label of each sample; the first one among equals.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self._scores(X)
        labels: NDArray[Any] = self.classes_.take(scores.argmax(axis=0))
        return labels

    def predict_log_proba(self, X: ArrayLike) -> FloatArray:
        """Return the logarithm of the posterior probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In nats, columns in the order of ``classes_``.
        """
        return log_posterior(self._scores(X)).T

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return the posterior probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Rows sum to one, columns in the order of ``classes_``.
        """
        return np.exp(log_posterior(self._scores(X))).T

    def loss(self, X: ArrayLike, y: ArrayLike) -> float:
        """Return the average negative log-likelihood of the true labels.

        ``-mean(log P(y_i | x_i))``, from log-probabilities: there is no floor under them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            True labels, each among ``classes_``.

        Returns
        -------
        float
            In nats.

        Raises
        ------
        ValueError
            If a label is none of the classes, or `X` cannot be used.

        Examples
        --------
        >>> model = GaussianNB().fit([[-1.0], [-2.0], [1.0], [2.0]], [0, 0, 1, 1])
        >>> round(model.loss([[0.0]], [1]), 4)
        0.6931
        """
        log_probabilities = log_posterior(self._scores(X))
        labels = as_labels(y, self._name)
        validation.check_lengths(log_probabilities.shape[1], len(labels))
        positions = positions_among(labels, self.classes_)
        return float(-np.mean(log_probabilities[positions, np.arange(len(labels))]))

    def _learn(
        self,
        X: ArrayLike,
        labels: NDArray[Any],
        classes: NDArray[Any] | None,
        sample_weight: ArrayLike | None,
        *,
        restart: bool,
    ) -> Self:
        """Take in one block; all checks come before the first change."""
        name = self._name
        check_var_smoothing(self.var_smoothing, name)
        samples = self._checked_samples(X, against_fitted=not restart)
        names = feature_names_of(X) if restart else getattr(self, "feature_names_in_", None)
        validation.check_lengths(len(samples), len(labels))
        weights = None
        if sample_weight is not None:
            weights = validation.as_weights(sample_weight, len(samples), name)
        groups = label_groups(labels)
        values = samples.astype(np.float64, copy=False)
        with np.errstate(over="ignore", invalid="ignore"):
            moments = block_moments(values, groups.order, groups.starts, weights)
        check_range(values, moments, name)
        if classes is None:
            classes = groups.labels
        else:
            moments = placed(moments, positions_among(groups.labels, classes), len(classes))
        dtype = samples.dtype
        if not restart:
            moments = merged(self._moments, moments)
            dtype = self.theta_.dtype
        self._assign(classes, moments, dtype, names)
        return self

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

    def _scores(self, X: ArrayLike, *, comparable: bool = True) -> FloatArray:
        """Return the joint log-likelihood, shape (n_classes, n_samples).

        Where `comparable`, rows without any finite score get differences instead.
        """
        self._check_fitted()
        samples = self._checked_samples(X, against_fitted=True)
        values = samples.astype(np.float64, copy=False)
        parameters = self._parameters()
        scores = joint_log_likelihood(values, parameters)
        if np.isfinite(np.add.reduce(scores, axis=None)):
            return scores
        validation.raise_for_non_finite(samples, "X", self._name)
        return careful_scores(values, parameters, comparable=comparable)

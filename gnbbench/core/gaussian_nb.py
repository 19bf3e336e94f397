"""The estimator: Gaussian naive Bayes with scikit-learn's interface, in NumPy alone."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnbbench.core import validation
from gnbbench.core.blocked import blocked_labels, blocked_moments, blocked_scores
from gnbbench.core.classifier import Classifier, MetadataRouting, unfitted_model
from gnbbench.core.labels import (
    as_labels,
    check_kinds,
    classes_of,
    label_codes,
    positions_among,
)
from gnbbench.core.likelihood import (
    ClassParameters,
    direct_scores,
    exact_log_posterior,
    exact_posterior,
    log_posterior,
    posterior,
    unchanged,
)
from gnbbench.core.moments import (
    ClassMoments,
    check_range,
    exact_moments,
    merged,
    placed,
    updated_mean_and_variance,
)
from gnbbench.core.row_blocks import FloatArray, Samples
from gnbbench.core.validation import (
    check_feature_names,
    check_var_smoothing,
    checked_n_jobs,
    feature_names_of,
    resolved_priors,
    takes_blocks,
)

# A variance so large that features do not discriminate.
VAST = 1e300


class GaussianNB(MetadataRouting, Classifier):
    """Gaussian naive Bayes with scikit-learn's results, or better ones where it is wrong.

    Features are assumed independent and normal within each class. The label is the class
    with the largest ``log P(c) - 1/2 sum log(2 pi var) - 1/2 sum (x - theta)^2 / var``;
    means and variances are maximum-likelihood estimates, and every variance is raised by
    ``epsilon_ = var_smoothing * max(var(X))``.

    A single ``fit`` to float64, integers or booleans without weights equals scikit-learn's
    bit for bit, and so does the joint log-likelihood: by default below 131,072 values or
    1,024 rows, at any size with ``solver="exact"``. Beyond, they are equal up to rounding:
    labels are those of the exact evaluation of the fitted model, and its joint
    log-likelihood is within 1e-10 times max(1, abs(value)) of that. Probabilities equal
    scikit-learn's bit for bit with ``solver="exact"``; by default they agree to about 15
    digits. Fitting copies no large part of `X`, whatever its type and memory order.

    Parameters
    ----------
    priors : None, "uniform" or array-like of shape (n_classes,), default=None
        Prior probability of each class; by default the (weighted) class frequencies.
    var_smoothing : float, default=1e-9
        Fraction of the largest feature variance that is added to every variance.
    solver : {"auto", "exact", "blocked"}, default="auto"
        "exact" adds in scikit-learn's order. "blocked" fits in one pass over blocks of rows
        and predicts by matrix products. "auto" is "blocked" from 131,072 values in at least
        1,024 rows, and earlier for labels, which are the same in both, and for
        probabilities of many classes.
    n_jobs : int, default=None
        Threads of the blocked solver; one by default, all processors for -1. Results are
        bit-for-bit equal for any number.

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
        Amount added to every variance.
    n_features_in_ : int
        Number of features in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.

    See Also
    --------
    sklearn.naive_bayes.GaussianNB : The original. `to_sklearn` and `from_sklearn` convert.
    gnbbench.many_splits : Many training sets of the same samples at once.

    Notes
    -----
    The attributes are the whole state: ``predict``, ``partial_fit`` and ``merge`` respect
    attributes set by hand.

    Differences from scikit-learn 1.9, most of them where its result is wrong or undefined:

    - Sums, attributes and probabilities are float64 whatever the type of `X`. scikit-learn
      keeps float32 since 1.8, and float16 sums: on digits as float16 its accuracy is 0.099,
      this one's 0.858.
    - ``epsilon_`` of ``partial_fit`` comes from all rows seen so far, so that any sequence
      of calls gives the parameters of one ``fit``.
    - ``epsilon_`` respects `sample_weight`, so that a row of weight zero has no effect.
    - A class is empty only if all its weights are zero; it is then not predicted as long as
      another class has both rows and a prior. Otherwise the priors alone decide.
    - The rounding error of a mean is removed from mean and variance where its square
      exceeds 5e-13 of the smoothed variance, as on data far from zero.
    - Negative weights are an error, and so is a variance that overflows or underflows.
    - Zero variances (constant features without smoothing) are treated as the limit of
      vanishing ones, with a warning, and rows so far away that all likelihoods underflow
      are classified by their distances. There are no NaN probabilities.
    - Probabilities sum to one even where log-likelihoods are so large (1e8 on digits) that
      scikit-learn's are off by up to 1e-9.
    - Labels of object dtype may be integers or dates as well as strings, and labels may be
      bytes, which scikit-learn refuses.
    - ``set_fit_request`` and the like can be called before metadata routing is enabled.
    - `priors` may be "uniform".

    References
    ----------
    .. [1] Chan, T. F., Golub, G. H. and LeVeque, R. J. (1983). Algorithms for computing
       the sample variance: analysis and recommendations. The American Statistician 37.
    .. [2] Higham, N. J. (2002). Accuracy and Stability of Numerical Algorithms, 2nd ed.

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
    class_prior_: FloatArray
    theta_: FloatArray
    var_: FloatArray
    epsilon_: float
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    _update_mean_variance = staticmethod(updated_mean_and_variance)
    # Means and their rounding errors, and variances with and without smoothing, as fitted
    _rounding: tuple[FloatArray, ...] | None = None

    def __init__(
        self,
        *,
        priors: Any = None,
        var_smoothing: float = 1e-9,
        solver: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing
        self.solver = solver
        self.n_jobs = n_jobs

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Fit to these samples; return the estimator.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers.
        y : array-like of shape (n_samples,)
            Labels of any sortable type.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights; by default all are one.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            If the input or a parameter is invalid; the estimator is then unchanged.
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
        """Fit to these samples in addition to all seen so far; return the estimator.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers.
        y : array-like of shape (n_samples,)
            Labels, each among the classes.
        classes : array-like of shape (n_classes,), default=None
            All possible labels; required only in the first call.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights; by default all are one.

        Returns
        -------
        self
        """
        all_classes = classes_of(classes, getattr(self, "classes_", None), self._name)
        labels = as_labels(y, self._name)
        restart = not self.__sklearn_is_fitted__()
        return self._learn(X, labels, all_classes, sample_weight, restart=restart)

    def merge(self, other: "GaussianNB") -> Self:
        """Return a new estimator fitted to the samples of both, without the samples.

        Neither operand changes. Classes are joined; the parameters of ``__init__`` are
        those of this estimator.

        Parameters
        ----------
        other : GaussianNB
            Fitted to the same features.

        Returns
        -------
        GaussianNB
            Equal to one fitted to all rows at once, up to rounding.

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
        check_kinds(self.classes_, other.classes_)
        classes = np.union1d(self.classes_, other.classes_)
        n_classes = len(classes)
        moments = merged(
            *(
                placed(
                    model._learned(), positions_among(model.classes_, classes), n_classes
                )
                for model in (self, other)
            )
        )
        result = type(self)(**self.get_params())
        result._assign(classes, moments, float(moments.overall_variance().max()), names)
        return result

    def to_sklearn(self) -> Any:
        """Return scikit-learn's ``GaussianNB`` with these parameters and attributes.

        For tools that know only scikit-learn's classes, such as converters to ONNX. The
        prior "uniform" becomes an array; `solver` and `n_jobs` are lost.

        Returns
        -------
        sklearn.naive_bayes.GaussianNB
            Fitted if this one is. It predicts the same, except for classes without rows and
            the differences in predicting listed in the Notes.

        Raises
        ------
        ValueError
            If the prior is "uniform" and the number of classes is unknown.

        Examples
        --------
        >>> model = GaussianNB().fit([[-1.0], [-2.0], [1.0], [2.0]], ["a", "a", "b", "b"])
        >>> model.to_sklearn().predict([[3.0]])
        array(['b'], dtype='<U1')
        """
        fitted, priors = self.__sklearn_is_fitted__(), self.priors
        if isinstance(priors, str):
            if not fitted:
                raise ValueError(f"priors={priors!r} has no length before fit.")
            priors = self.class_prior_.copy()
        model = unfitted_model(priors, self.var_smoothing)
        if fitted:
            _copy_attributes(self, model)
        return model

    @classmethod
    def from_sklearn(cls, model: Any) -> Self:
        """Return the estimator with the parameters and attributes of scikit-learn's.

        Parameters
        ----------
        model : sklearn.naive_bayes.GaussianNB
            Fitted or not.

        Returns
        -------
        GaussianNB
            Fitted if `model` is, with copies of its attributes in float64.

        Raises
        ------
        TypeError
            If `model` is not a Gaussian naive Bayes of scikit-learn.

        Examples
        --------
        >>> from sklearn.naive_bayes import GaussianNB as ScikitLearnGaussianNB
        >>> theirs = ScikitLearnGaussianNB().fit([[-1.0], [-2.0], [1.0]], [0, 0, 1])
        >>> GaussianNB.from_sklearn(theirs).partial_fit([[3.0]], [1]).theta_.ravel()
        array([-1.5,  2. ])
        """
        if not hasattr(model, "var_smoothing"):
            raise TypeError(f"{model!r} is not a GaussianNB of scikit-learn.")
        result = cls(priors=model.priors, var_smoothing=model.var_smoothing)
        if hasattr(model, "classes_"):
            _copy_attributes(model, result)
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
            If `X` is not finite or has a different number of features.
        """
        return self._scores(X, unchanged, comparable=False).T

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the most probable label of each sample; the first one in a tie.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        samples, parameters = self._ready(X)
        name = self._name
        if self._works_in_blocks(samples, n_labels=len(self.classes_)):
            n_threads = checked_n_jobs(self.n_jobs, name)
            return blocked_labels(
                samples, parameters, self.classes_, name, n_threads=n_threads
            )
        scores = direct_scores(samples, parameters, name, stacklevel=3)
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
        is_exact = self.solver == "exact"
        return self._scores(X, exact_log_posterior if is_exact else log_posterior).T

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
        return self._scores(X, exact_posterior if self.solver == "exact" else posterior).T

    def loss(self, X: ArrayLike, y: ArrayLike) -> float:
        """Return the average negative log-likelihood of the true labels.

        ``-mean(log P(y_i | x_i))``, from log-probabilities without clipping.

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
            If a label is unknown, or `X` is invalid.

        Examples
        --------
        >>> model = GaussianNB().fit([[-1.0], [-2.0], [1.0], [2.0]], [0, 0, 1, 1])
        >>> round(model.loss([[0.0]], [1]), 4)
        0.6931
        """
        log_probabilities = self._scores(X, log_posterior)
        labels = as_labels(y, self._name)
        validation.check_lengths(log_probabilities.shape[1], len(labels))
        positions = positions_among(labels, self.classes_)
        return float(-np.mean(log_probabilities[positions, np.arange(len(labels))]))

    def _scores(
        self,
        X: ArrayLike,
        finish: Callable[[FloatArray], FloatArray],
        *,
        comparable: bool = True,
    ) -> FloatArray:
        """Return `finish` applied to the scores, shape (n_classes, n_samples).

        If `comparable`, rows without a finite score get differences instead.
        """
        samples, parameters = self._ready(X)
        name = self._name
        n_probabilities = len(self.classes_) if comparable else 0
        if self._works_in_blocks(samples, n_probabilities=n_probabilities):
            return blocked_scores(
                samples,
                parameters,
                name,
                finish=finish,
                comparable=comparable,
                n_threads=checked_n_jobs(self.n_jobs, name),
            )
        return finish(
            direct_scores(samples, parameters, name, comparable=comparable, stacklevel=4)
        )

    def _ready(self, X: ArrayLike) -> tuple[Samples, ClassParameters]:
        """Return the validated samples and the fitted parameters."""
        self._check_fitted()
        return self._checked_samples(X, against_fitted=True), self._parameters()

    def _works_in_blocks(self, samples: Samples, **wanted: int) -> bool:
        """Return whether samples of this size are processed in blocks."""
        return takes_blocks(self.solver, samples.shape, self._name, **wanted)

    def _learn(
        self,
        X: ArrayLike,
        labels: NDArray[Any],
        classes: NDArray[Any] | None,
        sample_weight: ArrayLike | None,
        *,
        restart: bool,
    ) -> Self:
        """Learn from samples; every check precedes the first change."""
        name = self._name
        check_var_smoothing(self.var_smoothing, name)
        samples = self._checked_samples(X, against_fitted=not restart)
        names = feature_names_of(X) if restart else getattr(self, "feature_names_in_", None)
        validation.check_lengths(len(samples), len(labels))
        weights = None
        if sample_weight is not None:
            weights = validation.as_weights(sample_weight, len(samples), name)
        present, moments, largest = self._moments_of(samples, labels, weights)
        check_range(samples, weights, moments, largest, name)
        if classes is None:
            classes = present
        else:
            moments = placed(moments, positions_among(present, classes), len(classes))
        prior = None
        if not restart:
            moments = merged(self._learned(), moments)
            largest = float(moments.overall_variance().max())
            prior = self.class_prior_
        self._assign(classes, moments, largest, names, prior)
        return self

    def _moments_of(
        self, samples: Samples, labels: NDArray[Any], weights: FloatArray | None
    ) -> tuple[NDArray[Any], ClassMoments, float]:
        """Return the labels that occur, their moments, and the largest variance."""
        n_threads = checked_n_jobs(self.n_jobs, self._name)
        if not self._works_in_blocks(samples):
            return exact_moments(samples, labels, weights, var_smoothing=self.var_smoothing)
        classes, codes = label_codes(labels)
        moments = blocked_moments(samples, codes, weights, n_threads=n_threads)
        return classes, moments, float(moments.overall_variance().max())

    def _assign(
        self,
        classes: NDArray[Any],
        moments: ClassMoments,
        largest: float,
        feature_names: NDArray[np.object_] | None,
        given_prior: FloatArray | None = None,
    ) -> None:
        """Set every fitted attribute, keeping a prior that comes from the parameter."""
        prior = given_prior if self.priors is not None else None
        if prior is None:
            prior = resolved_priors(self.priors, len(classes), self._name)
        if prior is None:
            prior = moments.weight / sum(moments.weight.tolist())
        self.classes_ = classes
        self.class_count_ = moments.weight
        self.epsilon_ = np.float64(self.var_smoothing * largest)
        self.class_prior_ = prior
        self.theta_ = moments.mean
        self.var_ = moments.variance + self.epsilon_
        self.n_features_in_ = moments.mean.shape[1]
        self._rounding = (
            moments.mean.copy(),
            moments.rest,
            self.var_.copy(),
            moments.variance,
        )
        if feature_names is not None:
            self.feature_names_in_ = feature_names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _learned(self) -> ClassMoments:
        """Return the moments in the attributes, which may have been set by hand.

        The rounding error of a mean and the unsmoothed variance are used only while the
        attribute is unchanged.
        """
        weight, theta, var = (
            np.asarray(values, dtype=np.float64)
            for values in (self.class_count_, self.theta_, self.var_)
        )
        rest, variance = np.zeros_like(theta), np.maximum(var - self.epsilon_, 0.0)
        if self._rounding is not None and self._rounding[0].shape == theta.shape:
            rounded, left, smoothed, plain = self._rounding
            rest = np.where(rounded == theta, left, 0.0)
            variance = np.where(smoothed == var, plain, variance)
        return ClassMoments(weight, theta, rest, variance)

    def _parameters(self) -> ClassParameters:
        """Return the parameters to predict with; empty classes count only if all are."""
        theta, var, prior = (
            np.asarray(values, dtype=np.float64)
            for values in (self.theta_, self.var_, self.class_prior_)
        )
        with np.errstate(divide="ignore"):
            log_prior = np.log(prior)
        empty = np.asarray(self.class_count_) == 0.0
        if empty.any():
            if np.isneginf(log_prior[~empty]).all():
                return ClassParameters(log_prior, 0.0 * theta, np.full_like(var, VAST))
            log_prior[empty] = -np.inf
        return ClassParameters(log_prior, theta, var)


def _copy_attributes(source: Any, target: Any) -> None:
    """Copy the fitted attributes, tables as float64."""
    for name in ("class_count_", "class_prior_", "theta_", "var_"):
        setattr(target, name, np.array(getattr(source, name), dtype=np.float64))
    target.epsilon_ = np.float64(source.epsilon_)
    target.classes_, target.n_features_in_ = source.classes_.copy(), source.n_features_in_
    if hasattr(source, "feature_names_in_"):
        target.feature_names_in_ = source.feature_names_in_.copy()

"""The interface of a scikit-learn classifier: parameters, tags, score, routing."""

import importlib.util
import inspect
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnbbench.core import validation
from gnbbench.core.labels import as_labels, check_kinds
from gnbbench.core.row_blocks import Samples
from gnbbench.core.validation import check_feature_names, feature_names_of

CONSUMED = {
    "fit": ("sample_weight",),
    "partial_fit": ("classes", "sample_weight"),
    "score": ("sample_weight",),
}


class Classifier:
    """Base of a classifier whose parameters are the arguments of its ``__init__``."""

    n_features_in_: int
    feature_names_in_: NDArray[np.object_]

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return one label per sample; defined by the classifier."""
        raise NotImplementedError

    def score(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """Return the (weighted) fraction of samples labelled correctly.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            True labels.
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        float
            Between 0 and 1.
        """
        predicted = self.predict(X)
        labels = as_labels(y, self._name)
        validation.check_lengths(len(predicted), len(labels))
        check_kinds(labels, predicted)
        right = predicted == labels
        if sample_weight is None:
            return float(np.mean(right))
        weights = validation.as_weights(sample_weight, len(right), self._name)
        return float(np.average(right, weights=weights))

    def accuracy(self, X: ArrayLike, y: ArrayLike) -> float:
        """Return the fraction of samples labelled correctly.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            True labels.

        Returns
        -------
        float
            Between 0 and 1.
        """
        return self.score(X, y)

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002, FBT001, FBT002  scikit-learn's signature
        """Return the parameters of ``__init__`` by name.

        Parameters
        ----------
        deep : bool, default=True
            Has no effect, since no parameter is an estimator.

        Returns
        -------
        dict
        """
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **params: Any) -> Self:
        """Return the estimator with these parameters set.

        Parameters
        ----------
        **params : object
            Parameters of ``__init__``.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a name is unknown; then nothing is changed.
        """
        valid = self._parameter_names()
        for name in params:
            if name not in valid:
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {self}. "
                    f"Valid parameters are: {valid!r}."
                )
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        changed = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if repr(value) != repr(defaults[name].default)
        ]
        return f"{self._name}({', '.join(changed)})"

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "classes_")

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags of a dense classifier."""
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(),
        )

    def _repr_html_(self) -> str | None:
        """Return scikit-learn's diagram for notebooks, if scikit-learn is installed."""
        if importlib.util.find_spec("sklearn") is None:
            return None
        from sklearn.utils import estimator_html_repr

        html: str = estimator_html_repr(self)
        return html

    @classmethod
    def _parameter_names(cls) -> list[str]:
        return sorted(
            name for name in inspect.signature(cls.__init__).parameters if name != "self"
        )

    @property
    def _name(self) -> str:
        return type(self).__name__

    def _checked_samples(self, X: ArrayLike, *, against_fitted: bool) -> Samples:
        """Return the samples as an array; check their features if asked."""
        samples = validation.as_samples(X, self._name)
        if against_fitted:
            fitted_names = getattr(self, "feature_names_in_", None)
            if fitted_names is not None or type(X) is not np.ndarray:
                check_feature_names(feature_names_of(X), fitted_names, self._name)
            validation.check_n_features(samples.shape[1], self.n_features_in_, self._name)
        return samples

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise validation.not_fitted_error(self._name)


class MetadataRouting:
    """Requests for ``sample_weight`` in scikit-learn's metadata routing.

    By default nothing is requested, as for scikit-learn's own estimators.
    """

    def get_metadata_routing(self) -> Any:
        """Return the metadata that each method requests."""
        if not hasattr(self, "_metadata_request"):
            from sklearn.utils.metadata_routing import MetadataRequest

            # With nothing requested
            self._metadata_request = MetadataRequest(type(self).__name__)
            for method, names in CONSUMED.items():
                for name in names:
                    request = getattr(self._metadata_request, method)
                    request.add_request(param=name, alias=None)
        return self._metadata_request

    def set_fit_request(self, **requests: bool | str | None) -> Self:
        """Set the metadata that ``fit`` requests; return the estimator."""
        return self._requesting("fit", requests)

    def set_partial_fit_request(self, **requests: bool | str | None) -> Self:
        """Set the metadata that ``partial_fit`` requests; return the estimator."""
        return self._requesting("partial_fit", requests)

    def set_score_request(self, **requests: bool | str | None) -> Self:
        """Set the metadata that ``score`` requests; return the estimator."""
        return self._requesting("score", requests)

    def _requesting(self, method: str, requests: dict[str, Any]) -> Self:
        unknown = set(requests) - set(CONSUMED[method])
        if unknown:
            raise TypeError(
                f"Unexpected args: {unknown} in {method}. Accepted arguments are: "
                f"{set(CONSUMED[method])}"
            )
        routing = getattr(self.get_metadata_routing(), method)
        for parameter, alias in requests.items():
            routing.add_request(param=parameter, alias=alias)
        return self


def unfitted_model(priors: Any, var_smoothing: float) -> Any:
    """Return scikit-learn's own Gaussian naive Bayes."""
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB(priors=priors, var_smoothing=var_smoothing)

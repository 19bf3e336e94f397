"""dask-ml: the same formulas as lazy arrays in chunks."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnbbench.implementations.library_classifier import (
    Array,
    Codes,
    LibraryClassifier,
    as_floats,
)


class DaskMLGaussianNB(LibraryClassifier):
    """``dask_ml.naive_bayes.GaussianNB`` on Dask arrays in Dask's own chunks.

    Unlike scikit-learn's it has no smoothing: a feature that is constant within a class
    divides by zero. It declares as many priors as there are features, so that more classes
    than features end in an IndexError.

    Its fit only plans, and its predictions would learn again each time; the parameters are
    computed here at the end of `fit`, which changes where time is spent and no number.
    """

    _model: Any

    def _fit_codes(self, X: NDArray[Any], codes: Codes) -> None:
        import dask
        import dask.array as da
        from dask_ml.naive_bayes import GaussianNB

        model = GaussianNB().fit(da.from_array(X), da.from_array(codes))
        model.theta_, model.sigma_, model.class_count_, model.class_prior_ = dask.persist(
            model.theta_, model.sigma_, model.class_count_, model.class_prior_
        )
        self._model = model

    def fit_arrays(self, X: Any, codes: Any, classes: NDArray[Any]) -> Self:
        """Return the estimator, learned from Dask arrays where they lie."""
        import dask
        import dask.array as da
        from dask_ml.naive_bayes import GaussianNB

        model = GaussianNB(classes=np.arange(len(classes))).fit(X, codes)
        learned = ("theta_", "sigma_", "class_count_", "class_prior_")
        values = dask.compute(*(getattr(model, name) for name in learned))
        for name, value in zip(learned, values, strict=True):
            setattr(model, name, da.from_array(value))
        self.classes_, self._model = classes, model
        return self

    def _predict_codes(self, X: NDArray[Any]) -> Codes:
        import dask.array as da

        codes: Codes = self._model.predict(da.from_array(X)).compute()
        return codes

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the posterior probability of each class."""
        import dask.array as da

        shares: Array = self._model.predict_proba(da.from_array(as_floats(X))).compute()
        return shares

    @property
    def theta_(self) -> Array:
        """Means, of shape (n_classes, n_features)."""
        return np.asarray(self._model.theta_)

    @property
    def var_(self) -> Array:
        """Variances, of shape (n_classes, n_features), unsmoothed."""
        return np.asarray(self._model.sigma_)

    @property
    def class_prior_(self) -> Array:
        """Share of each class among the training samples."""
        return np.asarray(self._model.class_prior_)

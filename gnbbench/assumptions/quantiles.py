"""Features put through their own quantiles into normal ones, from any number of samples."""

from typing import Any, Self

from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import QuantileTransformer

from gnbbench.arrays import FloatArray

MOST_QUANTILES = 1000


class NormalQuantiles(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Scikit-learn's quantile transform to a normal distribution, sized by its samples.

    It takes as many quantiles as there are training samples, at most 1000: a pipeline that
    is made before its samples are known cannot say so beforehand, and more quantiles than
    samples are warned of. All samples count, so that nothing depends on chance.
    """

    def fit(self, X: FloatArray, y: Any = None) -> Self:  # noqa: ARG002  scikit-learn's signature
        """Learn the quantiles of each feature."""
        self.transformer_ = QuantileTransformer(
            n_quantiles=min(MOST_QUANTILES, len(X)),
            output_distribution="normal",
            subsample=None,
        ).fit(X)
        return self

    def transform(self, X: FloatArray) -> FloatArray:
        """Return each value's place among the training samples as a normal quantile."""
        transformed: FloatArray = self.transformer_.transform(X)
        return transformed

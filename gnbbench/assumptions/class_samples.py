"""The samples of each class, plain and standardised."""

from dataclasses import dataclass

import numpy as np

from gnbbench.arrays import BoolArray, FloatArray
from gnbbench.data.dataset import Dataset

# A range within this many roundings of the largest value counts as constant.
ROUNDINGS = 8


@dataclass(frozen=True, eq=False)
class ClassSample:
    """All samples of one class."""

    name: str  # Display name of the class
    X: FloatArray  # (n, n_features)
    # (n_features,): Maximum-likelihood estimates (divisor n), as the model fits them
    mean: FloatArray
    standard_deviation: FloatArray
    # (n_features,): False if the feature is constant in the class, up to rounding
    varies: BoolArray
    # (n, n_features): Deviations from the mean over the standard deviation; NaN if
    # constant
    standardised: FloatArray

    @property
    def n(self) -> int:
        """Number of samples."""
        return len(self.X)


def class_samples(dataset: Dataset) -> list[ClassSample]:
    """Return the samples of each class, in the order of the classes."""
    return [
        _class_sample(name, dataset.X[dataset.codes == code])
        for code, name in enumerate(dataset.class_names)
    ]


def _class_sample(name: str, X: FloatArray) -> ClassSample:
    # Scaling by the largest value keeps squares within the range of float64.
    largest = np.abs(X).max(axis=0)
    unit = np.where(largest > 0, largest, 1.0)
    scaled = X / unit
    varies = np.ptp(scaled, axis=0) > ROUNDINGS * np.finfo(np.float64).eps
    mean = scaled.mean(axis=0)
    deviations = scaled - mean
    spread = np.sqrt(np.square(deviations).mean(axis=0))
    standardised = np.full(X.shape, np.nan)
    standardised[:, varies] = deviations[:, varies] / spread[varies]
    deviation = np.where(varies, spread, 0.0) * unit
    return ClassSample(name, X, mean * unit, deviation, varies, standardised)

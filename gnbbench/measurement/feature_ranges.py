"""Range, mean and spread of each feature of a stream, block by block."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


class FeatureRanges:
    """What the table of features says, without what needs all rows at once.

    Means and sums of squares are merged as Chan, Golub and LeVeque (1983, eq. 2.1) do.
    """

    def __init__(self, n_features: int) -> None:
        self._n_rows = 0
        self._minimum = np.full(n_features, np.inf)
        self._maximum = np.full(n_features, -np.inf)
        self._mean = np.zeros(n_features)
        self._squares = np.zeros(n_features)

    def add(self, X: FloatArray) -> None:
        """Take in some more rows."""
        with np.errstate(over="ignore", invalid="ignore"):
            mean = X.mean(axis=0)
            distances = X - mean
            squares = np.einsum("ij,ij->j", distances, distances)
        self._join(len(X), X.min(axis=0), X.max(axis=0), mean, squares)

    def merge(self, other: Self) -> None:
        """Take in what another one saw."""
        if other._n_rows:
            self._join(
                other._n_rows, other._minimum, other._maximum, other._mean, other._squares
            )

    def _join(
        self,
        n_rows: int,
        minimum: FloatArray,
        maximum: FloatArray,
        mean: FloatArray,
        squares: FloatArray,
    ) -> None:
        self._minimum = np.minimum(self._minimum, minimum)
        self._maximum = np.maximum(self._maximum, maximum)
        total = self._n_rows + n_rows
        with np.errstate(over="ignore", invalid="ignore"):
            apart = mean - self._mean
            self._squares += squares + apart * apart * (self._n_rows * n_rows / total)
            self._mean += apart * (n_rows / total)
        self._n_rows = total

    def rows(self, names: list[str] | tuple[str, ...]) -> list[dict[str, Any]]:
        """Return one row a feature, ready for JSON."""
        spread = np.sqrt(self._squares / max(self._n_rows, 1))
        columns = {
            "minimum": self._minimum,
            "maximum": self._maximum,
            "mean": self._mean,
            "standard_deviation": spread,
        }
        return [
            {
                "feature": name,
                **{key: _number(values[place]) for key, values in columns.items()},
                "distinct": None,
            }
            for place, name in enumerate(names)
        ]


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None

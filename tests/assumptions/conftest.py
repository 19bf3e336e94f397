"""Small samples whose truth is known."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from gnbbench.data.dataset import Dataset

Make = Callable[[NDArray[np.float64], NDArray[np.int64]], Dataset]


@pytest.fixture(scope="session")
def dataset_of() -> Make:
    """Return a function from X and y to a Dataset with features x0, x1 ..."""

    def make(X: NDArray[np.float64], y: NDArray[np.int64]) -> Dataset:
        return Dataset(
            "toy",
            np.ascontiguousarray(X, dtype=np.float64),
            y,
            tuple(f"x{column}" for column in range(X.shape[1])),
            tuple(f"class {label}" for label in np.unique(y)),
        )

    return make


@pytest.fixture(scope="session")
def independent(dataset_of: Make) -> Dataset:
    """Return two classes of 300, one standard deviation apart in four normal features."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 300)
    return dataset_of(rng.normal(size=(600, 4)) + y[:, np.newaxis], y)


@pytest.fixture(scope="session")
def equicorrelated(dataset_of: Make) -> Dataset:
    """Return the same with a correlation of 0.6 between all features of a class."""
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1], 300)
    shared = rng.normal(size=(600, 1))
    X = np.sqrt(0.6) * shared + np.sqrt(0.4) * rng.normal(size=(600, 4))
    return dataset_of(X + y[:, np.newaxis] * [1.0, 1.0, -1.0, 1.0], y)


@pytest.fixture(scope="session")
def exponential(dataset_of: Make) -> Dataset:
    """Return independent features that are exponential within each class."""
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], 300)
    return dataset_of(rng.exponential(size=(600, 4)) * (1.0 + 2.0 * y[:, np.newaxis]), y)

"""Samples shared by the tests of the core."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

Sample = tuple[NDArray[np.float64], NDArray[Any]]


@pytest.fixture(params=[load_iris, load_wine, load_breast_cancer, load_digits])
def real_sample(request: pytest.FixtureRequest) -> Sample:
    """Give one of the four datasets that come with scikit-learn."""
    X, y = request.param(return_X_y=True)
    return X, y

"""Samples and faulty implementations shared by the tests of the core."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.naive_bayes import GaussianNB as ScikitLearnGaussianNB

Sample = tuple[NDArray[np.float64], NDArray[Any]]


@pytest.fixture(params=[load_iris, load_wine, load_breast_cancer, load_digits])
def real_sample(request: pytest.FixtureRequest) -> Sample:
    """Give one of the four datasets that come with scikit-learn."""
    X, y = request.param(return_X_y=True)
    return X, y


@pytest.fixture
def random_sample() -> Callable[[int], Sample]:
    """Make a small random sample of any shape, with ties and offsets, from a seed."""

    def make(seed: int) -> Sample:
        rng = np.random.default_rng(seed)
        n_features, n_classes = int(rng.integers(1, 40)), int(rng.integers(1, 6))
        n_samples = int(rng.integers(max(2, n_classes), 400))
        y = rng.permutation(np.arange(n_samples) % n_classes)
        X = rng.normal(size=(n_samples, n_features)) * 10.0 ** rng.integers(-3, 4)
        X += 10.0 ** rng.integers(-2, 7) + y[:, np.newaxis]
        if seed % 3 == 0:
            X = np.round(X, 1)
            X[0] += 1.0  # rounding may have left nothing that varies
        return np.asarray(X, order="F" if seed % 2 else "C"), y

    return make


def with_sample_variance(X: NDArray[np.float64], y: NDArray[Any]) -> ScikitLearnGaussianNB:
    """Fit with the divisor n - 1 instead of n."""
    model = ScikitLearnGaussianNB().fit(X, y)
    n = model.class_count_[:, np.newaxis]
    model.var_ = (model.var_ - model.epsilon_) * n / (n - 1.0) + model.epsilon_
    return model


def without_smoothing(X: NDArray[np.float64], y: NDArray[Any]) -> ScikitLearnGaussianNB:
    """Fit without raising the variances."""
    model = ScikitLearnGaussianNB().fit(X, y)
    model.var_ = model.var_ - model.epsilon_
    return model


def with_squares_of_sums(X: NDArray[np.float64], y: NDArray[Any]) -> ScikitLearnGaussianNB:
    """Fit with the one-pass variance E[x^2] - E[x]^2."""
    model = ScikitLearnGaussianNB().fit(X, y)
    rows = [X[y == label] for label in model.classes_]
    one_pass = [(np.square(x).mean(axis=0) - x.mean(axis=0) ** 2) for x in rows]
    model.var_ = np.array(one_pass) + model.epsilon_
    return model


def with_uniform_prior(X: NDArray[np.float64], y: NDArray[Any]) -> ScikitLearnGaussianNB:
    """Fit with equal priors whatever the class counts."""
    model = ScikitLearnGaussianNB().fit(X, y)
    model.class_prior_ = np.full(len(model.classes_), 1.0 / len(model.classes_))
    return model


FAULTS = (with_sample_variance, without_smoothing, with_squares_of_sums, with_uniform_prior)


@pytest.fixture(params=FAULTS, ids=lambda fault: str(fault.__name__))
def faulty_fit(request: pytest.FixtureRequest) -> Callable[..., ScikitLearnGaussianNB]:
    """Give a fit with one planted fault."""
    fit: Callable[..., ScikitLearnGaussianNB] = request.param
    return fit

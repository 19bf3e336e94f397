"""Datasets, splits and a shorthand for diagnosing a class."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from faults.planted import OFFERS
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from gnbbench.diagnosis import Diagnosis, Trial, diagnose_each
from gnbbench.implementations import Implementation, implementation
from gnbbench.splits import split

LOADERS = {
    "iris": load_iris,
    "wine": load_wine,
    "breast_cancer": load_breast_cancer,
    "digits": load_digits,
}


@cache
def dataset(name: str) -> tuple[Any, Any]:
    """Return X and y of "wine", or of "wine+1e6": with an offset."""
    name, _, offset = name.partition("+")
    X, y = LOADERS[name](return_X_y=True)
    return X + float(offset or 0.0), y


def diagnosis_of(
    make: Callable[[], Any],
    name: str,
    *,
    offers: str = "everything",
    runs: int = 4,
    seed: int = 42,
    reference: str = "sklearn",
) -> Diagnosis:
    entry = Implementation("mine", lambda: OFFERS[offers](make()))
    trial = trial_on(name, runs, seed, reference)
    (diagnosis,) = diagnose_each(entry, implementation(reference), [trial])
    return diagnosis


@cache
def trial_on(name: str, runs: int, seed: int, reference: str) -> Trial:
    """Return a trial whose answers of the reference are known already."""
    X, y = dataset(name)
    cuts = (split(y, run, seed=seed) for run in range(runs))
    trial = Trial(X, y, [(one.train, one.test) for one in cuts])
    return replace(trial, expected=trial.observed(implementation(reference)))


@pytest.fixture(name="diagnosis_of")
def _diagnosis_of() -> Callable[..., Diagnosis]:
    return diagnosis_of


@pytest.fixture
def two_blobs() -> tuple[np.ndarray, np.ndarray]:
    """Forty samples of two classes with two features."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    return rng.normal(size=(40, 2)) + 2.0 * y[:, np.newaxis], y

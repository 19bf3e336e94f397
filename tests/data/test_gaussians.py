from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from gnbbench.data.gaussians import TrueParameters, gaussians, true_parameters
from gnbbench.errors import OptionError

N_SAMPLES = 200_000


def largest_standardised_error(truth: TrueParameters, model: GaussianNB) -> float:
    """Return how many standard errors an estimate is off, at most."""
    counts = model.class_count_[:, None]
    theta = (model.theta_ - truth.theta) / np.sqrt(truth.var / counts)
    var = (model.var_ / truth.var - 1) / np.sqrt(2 / counts)
    share = np.sqrt(truth.priors * (1 - truth.priors) / N_SAMPLES)
    priors = (model.class_prior_ - truth.priors) / share
    return float(max(np.abs(theta).max(), np.abs(var).max(), np.abs(priors).max()))


def test_estimates_approach_the_true_parameters_and_none_that_are_shifted() -> None:
    dataset = gaussians(n_samples=N_SAMPLES, n_features=4, n_classes=3, seed=7)
    truth = true_parameters(n_features=4, n_classes=3, seed=7)
    model = GaussianNB().fit(dataset.X, dataset.y)

    assert largest_standardised_error(truth, model) < 5
    assert truth.priors.max() <= 2 * truth.priors.min()
    for field in ("theta", "var", "priors"):
        values = getattr(truth, field).copy()
        values[-1] *= 1.05
        assert largest_standardised_error(replace(truth, **{field: values}), model) > 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_samples": 1}, "n: 1 is not a whole number from 2"),
        ({"n_features": 0}, "d: 0 is not a whole number from 1"),
        ({"n_classes": 1}, "k: 1 is not a whole number from 2"),
        ({"n_classes": True}, "k: True is not a whole number"),
        ({"n_samples": 2.5}, "n: 2.5 is not a whole number"),
        ({"seed": -1}, "seed: -1 is not a whole number from 0"),
        ({"n_samples": 5, "n_classes": 5}, "left one of 5 classes empty"),
        ({"n_samples": 10**14}, "do not fit into memory"),
        ({"n_samples": 10**9, "n_features": 10**6}, "do not fit into memory"),
        ({"n_samples": 10**18, "n_features": 10**4}, "do not fit into memory"),
        ({"offset": float("inf")}, "offset: inf is not a finite number"),
        ({"offset": True}, "offset: True is not a finite number"),
        ({"offset": "1e6"}, "offset: '1e6' is not a finite number"),
    ],
)
def test_sizes_that_cannot_be_used_are_refused(options: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        gaussians(**options)


def test_an_offset_moves_every_feature_and_nothing_else() -> None:
    plain, moved = gaussians(), gaussians(offset=1024.0)

    assert np.allclose(moved.X - 1024.0, plain.X, rtol=0, atol=1e-12)
    assert not np.allclose(moved.X, plain.X)
    assert np.array_equal(moved.y, plain.y)
    assert np.array_equal(true_parameters(offset=8.0).theta, true_parameters().theta + 8)
    assert np.array_equal(true_parameters(offset=8.0).var, true_parameters().var)
    assert gaussians(offset=1e6).name == "gaussians, offset 1e6"
    assert gaussians(offset=1e6).parameters == {"source": "gaussians?offset=1e6"}
    assert gaussians(offset=0.0).name == plain.name == "gaussians"
    assert gaussians(offset=0.0).parameters == plain.parameters

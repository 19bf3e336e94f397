"""Leaving one out by downdating, held against fitting the estimator to all others."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from gnbbench.core import GaussianNB, centred_samples
from gnbbench.core import leave_one_out as module
from gnbbench.core.leave_one_out import leave_one_out

FloatArray = NDArray[np.float64]


def refitted(X: FloatArray, y: NDArray[Any], **options: Any) -> NDArray[Any]:
    """Return each sample's label by the estimator fitted to all others."""
    everything = np.arange(len(y))
    labels = [
        GaussianNB(**options)
        .fit(X[everything != row], y[everything != row])
        .predict(X[row : row + 1])[0]
        for row in everything
    ]
    return np.array(labels)


def left_out(X: FloatArray, y: NDArray[Any], **options: Any) -> NDArray[Any]:
    """Return each sample's label with that sample left out."""
    result = leave_one_out(X, y, **options)
    labels: NDArray[Any] = result.classes[result.labels]
    return labels


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_labels_of_real_data_are_proved_and_those_of_refitting(load: Any) -> None:
    X, y = load(return_X_y=True)

    result = leave_one_out(X, y)

    labels = result.classes[result.labels]
    assert result.fallback_rows == 0
    np.testing.assert_array_equal(labels, refitted(X, y))
    # Negative control: labels of a model that has seen the sample differ.
    assert (labels != GaussianNB().fit(X, y).predict(X)).any() or load is load_iris


@pytest.mark.filterwarnings("ignore:.*values of var_ are zero")
@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    offset=st.sampled_from([0.0, 1e6, 1e9]),
    decimals=st.sampled_from([0, 1, 12]),
    var_smoothing=st.sampled_from([0.0, 1e-9, 0.1]),
    priors=st.sampled_from([None, "uniform"]),
)
def test_labels_of_any_data_are_those_of_refitting(
    seed: int, offset: float, decimals: int, var_smoothing: float, priors: str | None
) -> None:
    rng = np.random.default_rng(seed)
    n_samples, n_features = int(rng.integers(2, 25)), int(rng.integers(1, 5))
    y = rng.integers(0, rng.integers(1, 6), n_samples)
    X = np.round(rng.normal(size=(n_samples, n_features)), decimals) + offset
    options = {"var_smoothing": var_smoothing, "priors": priors}

    np.testing.assert_array_equal(left_out(X, y, **options), refitted(X, y, **options))


def few_rows() -> tuple[FloatArray, NDArray[Any]]:
    """Make classes of one, two, three and nine rows."""
    y = np.repeat([0, 1, 2, 3], [1, 2, 3, 9])
    return np.random.default_rng(1).normal(size=(15, 2)) + y[:, np.newaxis], y


@pytest.mark.parametrize("tile_values", [None, 10])
def test_classes_of_few_rows_and_lonely_variation_are_handled(
    tile_values: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the last row a variance is zero, and downdating leaves only rounding."""
    X, y = few_rows()
    lonely = np.column_stack([X[:, 0], np.where(np.arange(15) == 14, 7.0, 0.1)])
    names = np.array(["d", "b", "a", "c"])[y]
    if tile_values is not None:
        monkeypatch.setattr(module, "BLOCK_VALUES", 10 * tile_values)
        monkeypatch.setattr(centred_samples, "BLOCK_VALUES", 10 * tile_values)
        monkeypatch.setattr(centred_samples, "TILE_VALUES", tile_values)

    narrow: Any = X.astype(np.float32)
    for samples, labels in ((X, y), (lonely, y), (narrow, names)):
        np.testing.assert_array_equal(left_out(samples, labels), refitted(samples, labels))
    assert left_out(X, y)[0] != 0


def test_given_priors_are_used_and_need_two_rows_of_every_class() -> None:
    X, y = few_rows()
    options = {"priors": [0.1, 0.1, 0.8]}
    shuffled = np.roll(np.arange(15), 4)

    labels = left_out(X[1:], y[1:], **options)

    np.testing.assert_array_equal(labels, refitted(X[1:], y[1:], **options))
    with pytest.raises(ValueError, match="Without sample 4: class 0 has no training row"):
        leave_one_out(X[shuffled], y[shuffled], priors=[0.25] * 4)
    with pytest.raises(ValueError, match="at least 2 samples, but X has 1"):
        leave_one_out([[1.0]], [0])


def test_exact_ties_get_the_label_of_refitting() -> None:
    half = np.array([[1.0], [2.0], [3.0]])
    X, y = np.concatenate([half, -half, [[0.0]]]), np.array([0, 0, 0, 1, 1, 1, 2])

    result = leave_one_out(X, y)

    assert result.fallback[6]
    np.testing.assert_array_equal(result.classes[result.labels], refitted(X, y))

"""Quantiles to a normal distribution: scikit-learn's, no more than there are samples."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.preprocessing import QuantileTransformer

from gnbbench.assumptions.quantiles import MOST_QUANTILES, NormalQuantiles


@pytest.mark.parametrize("n_samples", [2, 70, 999, 1000, 1500])
def test_values_are_scikit_learn_s_with_as_many_quantiles_as_it_can_use(
    n_samples: int,
) -> None:
    rng = np.random.default_rng(0)
    X, beyond = rng.exponential(size=(n_samples, 3)), 3.0 * rng.normal(size=(50, 3))
    expected = QuantileTransformer(
        output_distribution="normal", n_quantiles=min(1000, n_samples)
    ).fit(X)

    found = NormalQuantiles().fit(X)

    assert found.transformer_.n_quantiles_ == min(MOST_QUANTILES, n_samples)
    np.testing.assert_array_equal(found.transform(beyond), expected.transform(beyond))


def test_features_become_normal_and_keep_their_order() -> None:
    X = np.random.default_rng(1).exponential(size=(400, 1))

    found = NormalQuantiles().fit(X).transform(X)

    assert np.median(found) == pytest.approx(0.0, abs=1e-12)
    assert np.quantile(found, 0.841344746) == pytest.approx(1.0, abs=0.02)
    np.testing.assert_array_equal(np.argsort(found[:, 0]), np.argsort(X[:, 0]))


def test_what_lies_beyond_the_training_samples_stays_finite() -> None:
    found = NormalQuantiles().fit(np.array([[0.0], [1.0], [5.0]]))

    assert np.abs(found.transform(np.array([[-1e300], [1e300]]))).max() < 5.3


def test_of_many_samples_all_count_so_that_fits_do_not_differ() -> None:
    """Above 10,000 samples scikit-learn's own default would draw some at random."""
    X = np.random.default_rng(2).normal(size=(12_000, 1))

    first, second = (NormalQuantiles().fit(X).transform(X[:100]) for _ in range(2))

    np.testing.assert_array_equal(first, second)


def test_a_copy_for_a_pipeline_is_unfitted() -> None:
    fitted = NormalQuantiles().fit(np.array([[0.0], [1.0]]))

    assert not hasattr(clone(fitted), "transformer_")

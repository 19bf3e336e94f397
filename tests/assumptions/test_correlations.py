"""Correlation matrices of each class, and their largest entries."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gnbbench.assumptions.class_samples import class_samples
from gnbbench.assumptions.independence import (
    correlation_matrix,
    correlations,
    largest_correlations,
    rank_correlation_matrix,
)
from gnbbench.data.dataset import Dataset

Make = Callable[..., Dataset]
RNG = np.random.default_rng(5)
X = RNG.normal(size=(80, 4)) @ RNG.normal(size=(4, 4))
Y = np.repeat([0, 1], 40)


def matrix(dataset: Dataset, class_name: str, measure: str) -> np.ndarray:
    """Return one class's matrix out of the tidy table."""
    table = correlations(class_samples(dataset), dataset.feature_names)
    own = table[table["class_name"] == class_name]
    wide = own.pivot_table(index="feature", columns="other_feature", values=measure)
    return np.asarray(wide)


@pytest.mark.parametrize("code", [0, 1])
def test_they_are_those_of_numpy_and_scipy(dataset_of: Make, code: int) -> None:
    rows = np.round(X[code == Y], 1)  # with ties
    dataset = dataset_of(np.round(X, 1), Y)

    pearson = matrix(dataset, f"class {code}", "pearson")
    spearman = matrix(dataset, f"class {code}", "spearman")

    assert pearson == pytest.approx(np.corrcoef(rows.T), abs=1e-13)
    assert spearman == pytest.approx(stats.spearmanr(rows).statistic, abs=1e-13)


def test_they_are_not_those_of_the_classes_together(dataset_of: Make) -> None:
    """Negative control: classes far apart correlate all features when mixed."""
    dataset = dataset_of(X + 100.0 * Y[:, np.newaxis], Y)

    within = matrix(dataset, "class 0", "pearson")

    assert within != pytest.approx(np.corrcoef(dataset.X.T), abs=0.05)
    assert within == pytest.approx(np.corrcoef(X[Y == 0].T), abs=1e-10)


def test_a_constant_feature_has_no_correlation() -> None:
    z = np.array([[-1.0, np.nan], [1.0, np.nan]])

    R = correlation_matrix(z)

    assert R[0, 0] == 1.0
    assert np.isnan([R[0, 1], R[1, 0], R[1, 1]]).all()


def test_matrices_are_symmetric_with_ones_and_within_bounds(dataset_of: Make) -> None:
    twice = np.column_stack([X, 3.0 * X + 1.0])
    sample = class_samples(dataset_of(twice, Y))[0]

    for R in (correlation_matrix(sample.standardised), rank_correlation_matrix(sample)):
        assert (R.T == R).all()
        assert (np.diagonal(R) == 1.0).all()
        assert np.abs(R).max() == 1.0


@given(st.permutations(range(4)))
def test_the_order_of_features_permutes_the_matrix(order: Sequence[int]) -> None:
    z = stats.zscore(X)

    permuted = correlation_matrix(z[:, list(order)])

    assert permuted == pytest.approx(correlation_matrix(z)[np.ix_(order, order)], abs=1e-14)


def test_the_largest_are_listed_once_each_by_falling_size() -> None:
    cells = {("a", "b"): 0.2, ("a", "c"): -0.9, ("b", "c"): 0.5}
    table = pd.DataFrame(
        [
            (name, first, second, sign * r, 0.0)
            for name, sign in (("two", 1), ("one", -1))
            for (a, b), r in cells.items()
            for first, second in ((a, b), (b, a), (a, a))
        ],
        columns=["class_name", "feature", "other_feature", "pearson", "spearman"],
    )

    largest = largest_correlations(table, ("a", "b", "c"), n_largest=2)

    assert largest[["class_name", "feature", "other_feature"]].to_numpy().tolist() == [
        ["two", "a", "c"],
        ["two", "b", "c"],
        ["one", "a", "c"],
        ["one", "b", "c"],
    ]
    assert largest["pearson"].tolist() == [-0.9, 0.5, 0.9, -0.5]


def test_pairs_with_a_constant_feature_are_not_listed(dataset_of: Make) -> None:
    constant = X.copy()
    constant[:, 2] = 1.0
    dataset = dataset_of(constant, Y)
    table = correlations(class_samples(dataset), dataset.feature_names)

    largest = largest_correlations(table, dataset.feature_names, n_largest=10)

    assert len(largest) == 2 * 3
    assert "x2" not in set(largest["feature"]) | set(largest["other_feature"])

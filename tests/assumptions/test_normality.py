"""Effect sizes and tests of normality, against SciPy and statsmodels."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.diagnostic import normal_ad

from gnbbench.assumptions.class_samples import class_samples
from gnbbench.assumptions.normality import normality
from gnbbench.data.dataset import Dataset
from gnbbench.statistics.intervals import holm

Make = Callable[..., Dataset]


def table_of(dataset: Dataset) -> pd.DataFrame:
    return normality(class_samples(dataset), dataset.feature_names)


def row_of(values: np.ndarray) -> pd.Series:
    """Return the row of one class with one feature."""
    labels = np.zeros(len(values), dtype=int)
    X = np.array(values, dtype=float)[:, np.newaxis]
    return table_of(Dataset("toy", X, labels, ("x",), ("a",))).iloc[0]


@pytest.mark.parametrize("n", [8, 40, 1000])
def test_every_number_is_that_of_scipy_or_statsmodels(n: int) -> None:
    x = np.random.default_rng(n).gamma(3.0, size=n)

    row = row_of(x)

    assert row["mean"] == pytest.approx(x.mean(), rel=1e-12)
    assert row["standard_deviation"] == pytest.approx(x.std(), rel=1e-12)
    assert row["skewness"] == pytest.approx(stats.skew(x), rel=1e-10)
    assert row["excess_kurtosis"] == pytest.approx(stats.kurtosis(x), rel=1e-9, abs=1e-9)
    assert row["qq_correlation"] == pytest.approx(stats.probplot(x)[1][2], rel=1e-12)
    shapiro = stats.shapiro(x)
    assert row["shapiro_w"] == pytest.approx(shapiro.statistic, rel=1e-9)
    assert row["shapiro_p"] == pytest.approx(shapiro.pvalue, rel=1e-6)
    statistic, p = normal_ad(x)
    assert row["anderson_a2"] == pytest.approx(statistic, rel=1e-9)
    assert row["anderson_p"] == pytest.approx(p, rel=1e-7)
    assert (row["test"], row["p"]) == ("Shapiro–Wilk", row["shapiro_p"])


def test_moments_worked_out_by_hand() -> None:
    """Values 0, 0, 0, 4: mean 1, variance 3, third moment 6, fourth 21."""
    row = row_of(np.array([0.0, 0.0, 0.0, 4.0]))

    assert row["skewness"] == pytest.approx(6 / 3**1.5)
    assert row["excess_kurtosis"] == pytest.approx(21 / 9 - 3)


def test_normal_features_are_not_rejected(independent: Dataset) -> None:
    table = table_of(independent)

    assert (table["p_holm"] > 0.05).all()
    assert table["qq_correlation"].min() > 0.985


def test_exponential_features_are_rejected(exponential: Dataset) -> None:
    table = table_of(exponential)

    assert (table["p_holm"] < 1e-6).all()
    assert table["qq_correlation"].max() < 0.95
    assert table["skewness"].mean() == pytest.approx(2.0, abs=0.4)


def test_p_values_are_corrected_over_all_classes_and_features(exponential: Dataset) -> None:
    table = table_of(exponential)

    assert len(table) == 8
    assert table["p_holm"].to_numpy() == pytest.approx(holm(table["p"]))


@pytest.mark.parametrize("value", [0.0, 5.0, 0.1])
def test_a_constant_feature_is_not_called_normal(value: float) -> None:
    row = row_of(np.full(20, value))

    assert row["test"] == "none"
    assert np.isnan([row["p"], row["p_holm"], row["shapiro_p"], row["skewness"]]).all()
    assert row["note"].startswith("constant")


@pytest.mark.parametrize(
    ("n", "test"),
    [
        (1, "none"),
        (2, "none"),
        (3, "Shapiro–Wilk"),
        (7, "Shapiro–Wilk"),
        (5000, "Shapiro–Wilk"),
        (5001, "Anderson–Darling"),
    ],
)
def test_the_number_of_samples_chooses_the_test(n: int, test: str) -> None:
    row = row_of(np.random.default_rng(0).normal(size=n))

    assert row["test"] == test
    assert np.isnan(row["p"]) == (test == "none")
    assert np.isnan(row["anderson_p"]) == (n < 8)
    assert np.isnan(row["shapiro_p"]) == (n < 3 or n > 5000)
    assert ("fewer than 3" in row["note"]) == (n < 3)


def test_a_value_beyond_the_range_of_the_normal_tail_is_rejected() -> None:
    """One of 200 far out: its normal tail is 0 in float64, A² infinite."""
    x = np.append(np.random.default_rng(0).normal(size=199), 1e6)

    row = row_of(x)

    assert row["anderson_a2"] == np.inf
    assert row["anderson_p"] == 0.0
    assert row["p"] < 1e-20


def test_large_samples_far_from_normal_have_no_p_beyond_one() -> None:
    """The p value of several columns at once in statsmodels is above 1 here."""
    x = np.repeat([0.0, 1.0], 1000)

    row = row_of(x)

    assert normal_ad(np.column_stack([x, x]))[1][0] > 1.0
    assert row["anderson_a2"] > 300.0
    assert row["anderson_p"] == 0.0


@given(
    st.floats(1e-3, 1e3),
    st.floats(-1e3, 1e3),
    st.permutations(range(12)),
)
def test_scale_offset_and_order_change_nothing(
    scale: float, offset: float, order: list[int]
) -> None:
    x = np.array([0.3, 1.9, -0.4, 2.2, 5.1, 0.0, -1.2, 0.8, 3.3, 1.1, -0.7, 0.5])
    numbers = ["skewness", "excess_kurtosis", "qq_correlation", "shapiro_w", "anderson_a2"]

    moved = row_of(scale * x[list(order)] + offset)[numbers].astype(float)

    assert moved.to_numpy() == pytest.approx(
        row_of(x)[numbers].astype(float).to_numpy(), rel=1e-6
    )


def test_rows_follow_classes_and_features(dataset_of: Make) -> None:
    X = np.random.default_rng(2).normal(size=(20, 2))

    table = table_of(dataset_of(X, np.repeat([1, 0], 10)))

    assert table[["class_name", "feature"]].to_numpy().tolist() == [
        ["class 0", "x0"],
        ["class 0", "x1"],
        ["class 1", "x0"],
        ["class 1", "x1"],
    ]
    assert table["mean"][0] == pytest.approx(X[10:, 0].mean())

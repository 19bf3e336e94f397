"""The whole examination and its tests of normality, on data whose answer is known."""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from gnbbench.assumptions import examination
from gnbbench.assumptions.examination import (
    densities,
    histograms,
    normality,
    quantile_points,
)
from gnbbench.assumptions.findings import Assumptions, headline
from gnbbench.assumptions.independence import class_samples
from gnbbench.data.dataset import Dataset
from gnbbench.data.loading import load
from gnbbench.statistics.intervals import holm

Make = Callable[..., Dataset]


def examine(
    dataset: Dataset, n_runs: int, *, seed: int = 42, test_size: float = 0.3
) -> Assumptions:
    return examination.examine(dataset, n_runs=n_runs, seed=seed, test_size=test_size)


def grades(dataset: Dataset) -> list[str]:
    return [verdict.grade for verdict in examine(dataset, n_runs=2).verdicts]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("independent", ["not rejected", "not rejected"]),
        ("equicorrelated", ["strongly broken", "not rejected"]),
        # Kernels gain by what is not normal, which says nothing of dependence.
        ("exponential", ["unclear", "strongly broken"]),
    ],
)
def test_the_assumption_that_is_broken_is_called_so_and_no_other(
    request: pytest.FixtureRequest, name: str, expected: list[str]
) -> None:
    assert grades(request.getfixturevalue(name)) == expected


def test_correlations_of_classes_apart_are_not_dependence(independent: Dataset) -> None:
    """Shifting a class correlates features over all samples, not within a class."""
    apart = independent.X + 10.0 * independent.y[:, np.newaxis]
    shifted = dataclasses.replace(independent, X=apart)

    assert stats.pearsonr(shifted.X[:, 0], shifted.X[:, 1]).statistic > 0.9
    assert grades(shifted) == ["not rejected", "not rejected"]


def parity(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return three features that are pairwise independent but jointly dependent."""
    X = rng.normal(size=(400, 3))
    y = np.repeat([0, 1], 200)
    X[:, 2] = np.abs(X[:, 2]) * np.sign(X[:, 0] * X[:, 1]) * np.where(y, 1, -1)
    return X, y


def sine(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return a wave of 24 half waves, which no cosine of ranks follows."""
    x, y = rng.uniform(size=400), np.repeat([0, 1], 200)
    wave = np.sin(24 * np.pi * x + np.pi * y) + 0.1 * rng.normal(size=400)
    return np.column_stack([x, wave]), y


def four_rows(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return four rows per class, in which nothing can be seen."""
    return rng.normal(size=(8, 2)), np.repeat([0, 1], 4)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "words"),
    [
        (parity, "no dependence of pairs found in 200 rows per class"),
        (sine, "no dependence of pairs found in 200 rows per class"),
        (four_rows, "not tested"),
    ],
)
def test_dependence_beyond_pairs_does_not_make_the_assumption_right(
    make: Callable[..., Any], words: str, dataset_of: Make
) -> None:
    X, y = make(np.random.default_rng(0))

    examined = examine(dataset_of(X, y), n_runs=5, test_size=0.3)
    naive = examined.verdicts[0]
    text = headline(examined.verdicts, examined.differences, examined.costs)

    assert words in naive.sentence
    gains = examined.differences.query("outcome == 'different' and metric == 'log_loss'")
    has_gain = bool((gains["mean"] < 0).any())
    assert ("less log loss" in naive.sentence) == ("less log loss" in text) == has_gain
    assert (naive.grade == "unclear") == has_gain
    assert has_gain == (make is parity)


def upper_digits() -> Dataset:
    """Return three rows of eight pixels, some of which never vary within a class."""
    whole = load("digits")
    X = np.ascontiguousarray(whole.X[:, :24])
    return dataclasses.replace(whole, X=X, feature_names=whole.feature_names[:24])


@pytest.fixture(scope="module")
def of_digits() -> Assumptions:
    return examine(upper_digits(), n_runs=2)


@pytest.mark.slow
def test_many_classes_and_features_with_constant_ones(of_digits: Assumptions) -> None:
    """Warnings are errors here."""
    digits, tested = upper_digits(), of_digits.normality["p_holm"].notna()
    ranges = [np.ptp(digits.X[digits.codes == code], axis=0) for code in range(10)]
    n_constant = int((np.array(ranges) == 0).sum())

    assert len(of_digits.normality) == 240
    assert int((~tested).sum()) == n_constant > 30
    assert len(of_digits.correlations) == 10 * 24 * 24
    assert of_digits.largest_correlations.groupby("class_name").size().tolist() == [10] * 10
    assert of_digits.independence["p_holm"].notna().all()
    text = f"Not tested for normality: {n_constant} of 240 pairs"
    assert any(note.startswith(text) for note in of_digits.notes)
    assert [verdict.grade for verdict in of_digits.verdicts] == ["strongly broken"] * 2
    assert set(of_digits.runs["status"]) == {"ok"}
    assert set(of_digits.runs["message"]) == {""}


@pytest.mark.slow
def test_all_tables_have_a_plain_index_and_finite_curves(of_digits: Assumptions) -> None:
    tables = {
        field.name: getattr(of_digits, field.name)
        for field in dataclasses.fields(of_digits)
        if isinstance(getattr(of_digits, field.name), pd.DataFrame)
    }

    assert len(tables) == 10
    for name, table in tables.items():
        assert table.index.equals(pd.RangeIndex(len(table))), name
    for name in ("histograms", "densities", "quantile_points"):
        assert not tables[name].isna().any(axis=None), name


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_classes", "n_features", "n_each"),
    [(2, 1, 30), (30, 2, 10), (12, 16, 6), (2, 3, 2), (5, 10, 50)],
)
def test_any_size_works(
    dataset_of: Make, n_classes: int, n_features: int, n_each: int
) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_classes * n_each, n_features))
    dataset = dataset_of(X, np.repeat(np.arange(n_classes), n_each))

    examination = examine(dataset, n_runs=1, test_size=0.5)

    assert len(examination.independence) == n_classes
    assert len(examination.normality) == n_classes * n_features
    assert [verdict.assumption for verdict in examination.verdicts] == ["naive", "normal"]
    assert {one.grade for one in examination.verdicts} <= {"not rejected", "not tested"}


def test_data_of_only_constants_are_reported_not_judged(dataset_of: Make) -> None:
    dataset = dataset_of(np.ones((20, 2)), np.repeat([0, 1], 10))

    examination = examine(dataset, n_runs=2)

    assert [one.grade for one in examination.verdicts] == ["not tested", "not tested"]
    text = "GNB gave invalid probabilities in 2 of 2 runs"
    assert any(note.startswith(text) for note in examination.notes)


@pytest.mark.slow
def test_the_order_of_features_and_rows_changes_no_verdict() -> None:
    straight = load("iris")
    rows = np.random.default_rng(0).permutation(len(straight.y))
    turned = dataclasses.replace(
        straight,
        X=np.ascontiguousarray(straight.X[rows][:, ::-1]),
        y=straight.y[rows],
        feature_names=straight.feature_names[::-1],
    )

    first, second = examine(straight, n_runs=1), examine(turned, n_runs=1)

    for one, other in zip(first.verdicts, second.verdicts, strict=True):
        # What comes after depends on which rows a split draws.
        assert one.sentence.partition("), ")[0] == other.sentence.partition("), ")[0]
    key = ["class_name", "feature"]
    pd.testing.assert_frame_equal(
        first.normality.sort_values(key).reset_index(drop=True),
        second.normality.sort_values(key).reset_index(drop=True),
        rtol=1e-9,
    )


@pytest.mark.slow
def test_the_order_of_classes_turns_the_rows() -> None:
    straight = load("iris")
    names = straight.class_names[::-1]
    turned = dataclasses.replace(straight, y=2 - straight.y, class_names=names)

    first = examine(straight, n_runs=1).independence
    second = examine(turned, n_runs=1).independence

    pd.testing.assert_frame_equal(first, second.iloc[::-1].reset_index(drop=True))


def table_of(dataset: Dataset) -> pd.DataFrame:
    return normality(class_samples(dataset), dataset.feature_names)


def one_column(values: list[float] | np.ndarray) -> Dataset:
    X = np.array(values, dtype=float)[:, np.newaxis]
    return Dataset("toy", X, np.zeros(len(X), dtype=int), ("x",), ("a",))


def row_of(values: np.ndarray) -> pd.Series:
    """Return the row of one class with one feature."""
    return table_of(one_column(values)).iloc[0]


def normal_ad(x: np.ndarray) -> Any:
    """Return statsmodels' test, which takes a third of a second to import."""
    from statsmodels.stats import diagnostic

    return diagnostic.normal_ad(x)


@pytest.mark.parametrize("n", [8, 40, 1000])
def test_every_number_equals_that_of_scipy_or_statsmodels(n: int) -> None:
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


def test_exponential_features_are_rejected(exponential: Dataset) -> None:
    table = table_of(exponential)

    assert (table["p_holm"] < 1e-6).all()
    assert table["p_holm"].to_numpy() == pytest.approx(holm(table["p"]))
    assert table["qq_correlation"].max() < 0.95
    assert table["skewness"].mean() == pytest.approx(2.0, abs=0.4)


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
        (3, "none"),
        (4, "Shapiro–Wilk"),
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
    assert np.isnan(row["shapiro_p"]) == (n < 4 or n > 5000)
    assert ("fewer than 4" in row["note"]) == (n < 4)


def test_p_values_far_from_normal_are_within_range() -> None:
    """One of 200 far out: its normal tail is 0 in float64, A² infinite."""
    x = np.repeat([0.0, 1.0], 1000)

    far = row_of(np.append(np.random.default_rng(0).normal(size=199), 1e6))
    peaks = row_of(x)

    assert (far["anderson_a2"], far["anderson_p"]) == (np.inf, 0.0)
    assert far["p"] < 1e-20
    assert normal_ad(np.column_stack([x, x]))[1][0] > 1.0
    assert peaks["anderson_a2"] > 300.0
    assert peaks["anderson_p"] == 0.0


def cell(table: pd.DataFrame, class_name: str, feature: str) -> pd.DataFrame:
    return table[(table["class_name"] == class_name) & (table["feature"] == feature)]


def bins_of(dataset: Dataset) -> pd.DataFrame:
    return histograms(dataset, class_samples(dataset))


def test_bins_span_the_range_of_the_feature_in_the_class(exponential: Dataset) -> None:
    table = bins_of(exponential)

    for code, name in enumerate(exponential.class_names):
        values = exponential.X[exponential.codes == code, 1]
        own = cell(table, name, "x1")
        edges = [*own["low"], own["high"].iloc[-1]]
        density, _ = np.histogram(values, edges, density=True)
        assert (edges[0], edges[-1]) == (values.min(), values.max())
        assert own["count"].tolist() == np.histogram(values, edges)[0].tolist()
        assert own["density"].to_numpy() == pytest.approx(density)


def test_whole_numbers_have_a_bin_each() -> None:
    table = bins_of(one_column([0, 0, 1, 3]))

    assert table["low"].tolist() == [-0.5, 0.5, 1.5, 2.5]
    assert table["count"].tolist() == [2, 1, 0, 1]


@pytest.mark.parametrize(
    "values",
    [
        np.append(np.linspace(0, 1e-9, 999), 1e6),
        np.append(np.zeros(99), 0.5),
        1e16 + 2.0 * np.arange(3),
        np.full(5, 7.25),
        np.full(5, 1e300),
        np.array([0.5]),
    ],
    ids=["wide range", "no middle spread", "neighbours", "constant", "huge", "one value"],
)
def test_bins_are_few_and_have_a_width(values: np.ndarray) -> None:
    table = bins_of(one_column(values))

    assert 1 <= len(table) <= 40
    assert (table["high"] > table["low"]).all()
    assert table["count"].sum() == len(values)
    assert np.isfinite(table["density"]).all()


def test_densities_equal_those_of_scipy(exponential: Dataset) -> None:
    own = cell(densities(exponential, class_samples(exponential)), "class 1", "x3")
    x = exponential.X[exponential.y == 1, 3]

    expected = stats.norm(x.mean(), x.std()).pdf(own["x"])

    assert own["gaussian"].to_numpy() == pytest.approx(expected, rel=1e-9)
    kernel = stats.gaussian_kde(x)(own["x"])
    assert own["kernel"].to_numpy() == pytest.approx(kernel, rel=1e-9, abs=1e-12)
    # The two distinguish an exponential feature.
    assert np.abs(own["kernel"] - own["gaussian"]).max() > 0.05


def test_large_samples_are_thinned_without_a_visible_change() -> None:
    x = np.random.default_rng(0).gamma(2.0, size=20_000)
    dataset = one_column(x)

    table = densities(dataset, class_samples(dataset))
    points = quantile_points(class_samples(dataset), ("x",))

    # Scott's bandwidth is 1.6 times wider for 2000 values than for 20000.
    exact = stats.gaussian_kde(x)(table["x"])
    assert np.abs(table["kernel"] - exact).max() < 0.1 * exact.max()
    assert len(points) == 200
    assert points["observed"].iloc[-1] == pytest.approx((x.max() - x.mean()) / x.std())


def test_quantile_points_equal_those_of_scipy_standardised(exponential: Dataset) -> None:
    samples = class_samples(exponential)
    x = exponential.X[exponential.y == 0, 0][:150]
    small = one_column(x)

    points = quantile_points(class_samples(small), ("x",))

    theoretical, ordered = stats.probplot(x, fit=False)
    assert points["theoretical"].to_numpy() == pytest.approx(theoretical)
    assert points["observed"].to_numpy() == pytest.approx(stats.zscore(ordered))
    table = quantile_points(samples, exponential.feature_names)
    assert {*table["feature"]} == {*exponential.feature_names}


def test_a_class_far_narrower_than_all_has_no_density_elsewhere(dataset_of: Make) -> None:
    narrow = 1e-200 * np.arange(1.0, 6.0)
    X = np.append(narrow, 1.0 + np.arange(5.0))[:, np.newaxis]
    dataset = dataset_of(X, np.repeat([0, 1], 5))

    own = cell(densities(dataset, class_samples(dataset)), "class 0", "x0")

    assert own["gaussian"].tolist()[-1] == 0.0
    assert own["kernel"].tolist()[-1] == 0.0

"""Histograms, densities and Q–Q points as tables to be drawn."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from gnbbench.assumptions.class_samples import class_samples
from gnbbench.assumptions.normality import densities, histograms, quantile_points
from gnbbench.data.dataset import Dataset

Make = Callable[..., Dataset]


def cell(table: pd.DataFrame, class_name: str, feature: str) -> pd.DataFrame:
    return table[(table["class_name"] == class_name) & (table["feature"] == feature)]


def bins_of(dataset: Dataset) -> pd.DataFrame:
    return histograms(dataset, class_samples(dataset))


def one_column(values: list[float] | np.ndarray) -> Dataset:
    X = np.array(values, dtype=float)[:, np.newaxis]
    return Dataset("toy", X, np.zeros(len(X), dtype=int), ("x",), ("a",))


def test_every_sample_is_in_one_bin(exponential: Dataset) -> None:
    table = bins_of(exponential)

    counts = table.groupby(["class_name", "feature"])["count"].sum()
    areas = (table["density"] * (table["high"] - table["low"])).groupby(
        [table["class_name"], table["feature"]]
    )
    assert (counts == 300).all()
    assert areas.sum().to_numpy() == pytest.approx(np.ones(8))


def test_bins_span_the_range_of_the_feature_in_the_class(exponential: Dataset) -> None:
    table = bins_of(exponential)

    for code, name in enumerate(exponential.class_names):
        values = exponential.X[exponential.codes == code, 1]
        own = cell(table, name, "x1")
        assert own["low"].iloc[0] == values.min()
        assert own["high"].iloc[-1] == values.max()


def test_counts_are_those_of_numpy(exponential: Dataset) -> None:
    own = cell(bins_of(exponential), "class 1", "x2")
    edges = [*own["low"], own["high"].iloc[-1]]

    expected, _ = np.histogram(exponential.X[exponential.y == 1, 2], edges)

    assert own["count"].tolist() == expected.tolist()


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


def test_densities_are_those_of_scipy(exponential: Dataset) -> None:
    own = cell(densities(exponential, class_samples(exponential)), "class 1", "x3")
    x = exponential.X[exponential.y == 1, 3]

    expected = stats.norm(x.mean(), x.std()).pdf(own["x"])

    assert own["gaussian"].to_numpy() == pytest.approx(expected, rel=1e-9)
    assert own["kernel"].to_numpy() == pytest.approx(
        stats.gaussian_kde(x)(own["x"]), rel=1e-9, abs=1e-12
    )
    # The two tell an exponential feature apart.
    assert np.abs(own["kernel"] - own["gaussian"]).max() > 0.05


def test_the_grid_spans_all_classes_and_a_tenth_more(exponential: Dataset) -> None:
    table = densities(exponential, class_samples(exponential))
    column = exponential.X[:, 0]

    for name in exponential.class_names:
        x = cell(table, name, "x0")["x"]
        assert len(x) == 101
        assert x.min() == pytest.approx(column.min() - 0.1 * np.ptp(column))
        assert x.max() == pytest.approx(column.max() + 0.1 * np.ptp(column))


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


def test_quantile_points_are_those_of_scipy_standardised(exponential: Dataset) -> None:
    samples = class_samples(exponential)
    x = exponential.X[exponential.y == 0, 0][:150]
    small = one_column(x)

    points = quantile_points(class_samples(small), ("x",))

    theoretical, ordered = stats.probplot(x, fit=False)
    assert points["theoretical"].to_numpy() == pytest.approx(theoretical)
    assert points["observed"].to_numpy() == pytest.approx(stats.zscore(ordered))
    assert set(quantile_points(samples, exponential.feature_names)["feature"]) == set(
        exponential.feature_names
    )


def test_a_constant_feature_has_counts_but_no_density() -> None:
    dataset = one_column(np.full(9, 2.5))
    samples = class_samples(dataset)

    curves, points = densities(dataset, samples), quantile_points(samples, ("x",))

    assert bins_of(dataset)["count"].tolist() == [9]
    assert curves.empty
    assert list(curves.columns) == ["class_name", "feature", "x", "gaussian", "kernel"]
    assert points.empty
    assert list(points.columns) == ["class_name", "feature", "theoretical", "observed"]


def test_a_class_far_narrower_than_the_range_has_no_density_elsewhere(
    dataset_of: Make,
) -> None:
    narrow = 1e-200 * np.arange(1.0, 6.0)
    X = np.append(narrow, 1.0 + np.arange(5.0))[:, np.newaxis]
    dataset = dataset_of(X, np.repeat([0, 1], 5))

    own = cell(densities(dataset, class_samples(dataset)), "class 0", "x0")

    assert own["gaussian"].tolist()[-1] == 0.0
    assert own["kernel"].tolist()[-1] == 0.0

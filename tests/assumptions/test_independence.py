"""Samples of classes, and dependence within them: linear, singular, and of any kind."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from gnbbench.assumptions import independence as module
from gnbbench.assumptions.examination import examine
from gnbbench.assumptions.independence import (
    chance_total_correlation,
    class_samples,
    correlation_matrix,
    correlations,
    dependence,
    independence,
    largest_correlations,
    rank_correlation_matrix,
    total_correlation,
)
from gnbbench.data.dataset import Dataset

Make = Callable[..., Dataset]


def table_of(dataset: Dataset) -> pd.DataFrame:
    return independence(class_samples(dataset), dataset.feature_names)


def gaussians(n: int, d: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, d))


@pytest.mark.parametrize(
    ("r", "d", "determinant"),
    # In general (1 - r)^(d - 1) (1 + (d - 1) r).
    [(0.0, 2, 1.0), (0.3, 2, 0.91), (-0.8, 2, 0.36), (0.4, 5, 0.6**4 * 2.6)],
)
def test_total_correlation_of_an_equicorrelated_matrix_by_hand(
    r: float, d: int, determinant: float
) -> None:
    R = np.full((d, d), r) + (1.0 - r) * np.eye(d)

    assert total_correlation(R) == pytest.approx(-0.5 * np.log(determinant), abs=1e-14)


@pytest.mark.parametrize(("n", "d"), [(12, 4), (30, 10), (80, 64)])
def test_chance_total_correlation_is_the_mean_of_independent_samples(
    n: int, d: int
) -> None:
    """Within four standard errors for 300 samples, unlike the chi square."""
    samples = [np.corrcoef(gaussians(n, d, seed).T) for seed in range(300)]
    found = [total_correlation(R) for R in samples]
    error = np.std(found) / np.sqrt(len(found))

    assert abs(np.mean(found) - chance_total_correlation(n, d)) < 4 * error
    if n < 2 * d:
        chi_square_mean = d * (d - 1) / 4 / (n - 1 - (2 * d + 5) / 6)
        assert abs(np.mean(found) - chi_square_mean) > 4 * error


def test_the_test_is_bartlett_s(dataset_of: Make) -> None:
    X = gaussians(100, 4, 1) @ gaussians(4, 4, 2)
    dataset = dataset_of(X, np.zeros(100, dtype=int))
    statistic = -(100 - 1 - (2 * 4 + 5) / 6) * np.log(np.linalg.det(np.corrcoef(X.T)))

    row = table_of(dataset).iloc[0]

    assert row["statistic"] == pytest.approx(statistic, rel=1e-10)
    assert row["degrees_of_freedom"] == 6
    assert row["p"] == pytest.approx(stats.chi2.sf(statistic, 6), rel=1e-8)


def test_sizes_equal_those_of_the_matrix(dataset_of: Make) -> None:
    X = gaussians(90, 3, 3) @ np.array([[1.0, 0.2, -0.9], [0, 1, 0], [0, 0, 1.0]])
    R: Any = np.corrcoef(X.T)
    rho: Any = stats.spearmanr(X).statistic
    upper = np.triu_indices(3, 1)

    row = table_of(dataset_of(X, np.zeros(90, dtype=int))).iloc[0]

    assert (row["feature"], row["other_feature"]) == ("x0", "x2")
    assert row["max_abs_r"] == pytest.approx(np.abs(R[upper]).max(), rel=1e-12)
    assert row["mean_abs_r"] == pytest.approx(np.abs(R[upper]).mean(), rel=1e-12)
    assert row["max_abs_spearman"] == pytest.approx(np.abs(rho[upper]).max(), rel=1e-12)
    assert row["mean_abs_spearman"] == pytest.approx(np.abs(rho[upper]).mean(), rel=1e-12)


@pytest.mark.parametrize(("n", "d"), [(30, 3), (90, 30), (192, 64)])
def test_independent_features_are_seldom_rejected(dataset_of: Make, n: int, d: int) -> None:
    """At 5 %, of 200 samples: at most 12 %, the level from three samples per feature on."""
    X, y = gaussians(200 * n, d, 4), np.repeat(np.arange(200), n)

    p = table_of(dataset_of(X, y))["p"]

    assert p.notna().all()
    assert np.mean(p < 0.05) <= 0.12


def test_with_fewer_samples_they_would_be_rejected_often(
    dataset_of: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Negative control of the rule on samples per feature."""
    monkeypatch.setattr(module, "SAMPLES_PER_FEATURE", 1)
    X, y = gaussians(100 * 80, 64, 5), np.repeat(np.arange(100), 80)

    p = table_of(dataset_of(X, y))["p"]

    assert np.mean(p < 0.05) > 0.5


def test_dependence_is_rejected_and_p_values_are_corrected_over_classes(
    independent: Dataset, equicorrelated: Dataset
) -> None:
    table = table_of(independent)

    assert (table_of(equicorrelated)["p_holm"] < 1e-10).all()
    low, high = np.sort(table["p"])
    assert np.sort(table["p_holm"]) == pytest.approx(
        [min(1.0, 2 * low), min(1.0, max(2 * low, high))]
    )


@pytest.mark.parametrize(
    ("n", "d", "note"),
    [(50, 1, "fewer than two"), *((n, 4, "fewer than 3 samples") for n in (11, 3, 2))],
)
def test_untestable_classes_say_why(dataset_of: Make, n: int, d: int, note: str) -> None:
    row = table_of(dataset_of(gaussians(n, d, 6), np.zeros(n, dtype=int))).iloc[0]

    assert np.isnan(row["p"])
    assert np.isnan(row["p_holm"])
    assert note in row["note"]
    assert np.isnan(row["max_abs_r"]) == (d == 1 or n == 2)  # Two lie on a line
    assert np.isnan(row["total_correlation"]) == (d == 1 or n <= d)


def test_an_exact_combination_needs_no_test(dataset_of: Make) -> None:
    X = gaussians(100, 3, 7)
    X[:, 2] = X[:, 0] - X[:, 1]

    row = table_of(dataset_of(X, np.zeros(100, dtype=int))).iloc[0]

    assert (row["total_correlation"], row["p"]) == (np.inf, 0.0)
    assert "exact linear combinations" in row["note"]


def test_constant_features_are_left_out(dataset_of: Make) -> None:
    X, y = gaussians(100, 3, 8), np.zeros(100, dtype=int)
    padded = np.column_stack([X[:, :1], np.full(100, 3.3), X[:, 1:]])

    datasets = [dataset_of(values, y) for values in (padded, X)]

    with_constant, without = map(table_of, datasets)

    table = correlations(class_samples(datasets[0]), datasets[0].feature_names)
    largest = largest_correlations(table, datasets[0].feature_names, n_largest=10)
    assert len(largest) == 3
    assert "x1" not in set(largest["feature"]) | set(largest["other_feature"])
    numbers = ["features", "max_abs_r", "total_correlation", "statistic", "p"]
    assert with_constant[numbers].equals(without[numbers])


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
def test_they_equal_those_of_numpy_and_scipy(dataset_of: Make, code: int) -> None:
    rows = np.round(X[code == Y], 1)  # with ties
    dataset = dataset_of(np.round(X, 1), Y)

    pearson = matrix(dataset, f"class {code}", "pearson")
    spearman = matrix(dataset, f"class {code}", "spearman")

    assert pearson == pytest.approx(np.corrcoef(rows.T), abs=1e-13)
    assert spearman == pytest.approx(stats.spearmanr(rows).statistic, abs=1e-13)


def test_matrices_are_symmetric_with_ones_and_within_bounds(dataset_of: Make) -> None:
    twice = np.column_stack([X, 3.0 * X + 1.0])
    sample = class_samples(dataset_of(twice, Y))[0]

    for R in (correlation_matrix(sample.standardised), rank_correlation_matrix(sample)):
        assert (R.T == R).all()
        assert (np.diagonal(R) == 1.0).all()
        assert np.abs(R).max() == 1.0


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


def waves_of(dataset: Dataset, n_permutations: int = 199) -> pd.DataFrame:
    samples = class_samples(dataset)
    names = dataset.feature_names
    return dependence(samples, names, level=0.05, n_permutations=n_permutations)[0]


def circle(n: int, radius: float, rng: np.random.Generator) -> np.ndarray:
    angle = rng.uniform(0, 2 * np.pi, n)
    return radius * np.column_stack([np.cos(angle), np.sin(angle)])


@pytest.fixture(scope="module")
def rings(dataset_of: Make) -> Dataset:
    """Return two classes on rings of radius 1.0 and 1.15: dependent, not correlated."""
    rng = np.random.default_rng(0)
    X = np.concatenate([circle(150, 1.0, rng), circle(150, 1.15, rng)])
    return dataset_of(X, np.repeat([0, 1], 150))


@pytest.mark.slow
def test_rings_are_broken_and_cost_what_a_model_without_them_gains(rings: Dataset) -> None:
    examination = examine(rings, n_runs=10, seed=42, test_size=0.3)

    naive = examination.verdicts[0]
    assert (examination.independence["max_abs_r"] < 0.1).all()
    assert (examination.independence["p_holm"] > 0.05).all()
    assert naive.grade == "strongly broken"
    assert "max dependence 0.9" in naive.sentence
    assert naive.sentence.endswith("nats against Kernel logistic.")


@pytest.mark.parametrize(
    "of", [np.square, np.cos, np.abs], ids=["square", "cosine", "distance"]
)
def test_a_function_of_a_feature_is_found_where_no_correlation_is(
    of: Callable[[np.ndarray], np.ndarray], dataset_of: Make
) -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=300)
    X = np.column_stack([x, rng.normal(size=300), of(x) + 0.05 * rng.normal(size=300)])

    row = waves_of(dataset_of(X, np.zeros(300, dtype=int))).iloc[0]

    assert (row["dependent_feature"], row["dependent_other_feature"]) == ("x0", "x2")
    assert (row["pairs"], row["dependent_pairs"], row["p_permutation"]) == (3, 1, 1 / 200)
    assert row["max_dependence"] > 0.8


@pytest.mark.parametrize("r", [0.0, 0.4, -0.8])
def test_of_normal_features_it_is_about_the_correlation(r: float, dataset_of: Make) -> None:
    rng = np.random.default_rng(2)
    x, noise = rng.normal(size=(2, 1000))
    X = np.column_stack([x, r * x + np.sqrt(1 - r**2) * noise])

    row = waves_of(dataset_of(X, np.zeros(1000, dtype=int))).iloc[0]

    assert row["max_dependence"] == pytest.approx(abs(r), abs=0.06)
    assert bool(row["p_permutation"] < 0.05) == (r != 0)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["normal", "cauchy", "counts", "rare"])
def test_independent_features_seldom_look_dependent(kind: str, dataset_of: Make) -> None:
    """At 5 % over all classes and pairs; at most 12 of 120 is three standard errors."""
    draw: Callable[[np.random.Generator], np.ndarray] = {
        "normal": lambda rng: rng.normal(size=(120, 5)),
        "cauchy": lambda rng: rng.standard_cauchy(size=(120, 5)),
        "counts": lambda rng: rng.poisson(1.0, size=(120, 5)).astype(float),
        "rare": lambda rng: (rng.random(size=(120, 5)) < 0.15).astype(float),
    }[kind]
    y = np.repeat([0, 1, 2], [50, 40, 30])

    rngs = map(np.random.default_rng, range(120))
    tables = [waves_of(dataset_of(draw(rng), y), 59) for rng in rngs]

    assert sum((table["p_permutation"] < 0.05).any() for table in tables) <= 12


def test_a_value_that_is_nearly_everywhere_is_left_out(dataset_of: Make) -> None:
    """These two features agree only by chance."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(100, 4))
    X[:, 1:3] = 0
    X[:4, 1], X[:20, 2] = 1, np.arange(20)

    row = waves_of(dataset_of(X, np.zeros(100, dtype=int))).iloc[0]

    assert row["pairs"] == 3


def test_too_few_samples_are_not_tested(dataset_of: Make) -> None:
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1], [9, 40])

    table = waves_of(dataset_of(rng.normal(size=(49, 3)), y))
    alone = waves_of(dataset_of(rng.normal(size=(49, 1)), y))

    assert table["p_permutation"].isna().tolist() == [True, False]
    assert table["pairs"].tolist() == [0, 3]
    assert alone["p_permutation"].isna().all()


def test_omissions_are_reported(dataset_of: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ROWS", 60)
    monkeypatch.setattr(module, "MOST_FEATURES", 3)
    rng = np.random.default_rng(5)
    samples = class_samples(dataset_of(rng.normal(size=(90, 4)), np.repeat([0, 1], 45)))

    table, texts = dependence(samples, "abcd", level=0.05, n_permutations=19)

    assert table["pairs"].tolist() == [3, 3]
    assert texts == [
        "The test of dependence used 60 of 90 samples, drawn at random.",
        "The test of dependence used 3 of 4 features, drawn at random.",
    ]


@pytest.mark.parametrize("value", [0.0, 0.1, -7.3, 1e300])
def test_a_constant_feature_does_not_vary(dataset_of: Make, value: float) -> None:
    X = np.column_stack([np.full(7, value), np.arange(7.0)])

    one = class_samples(dataset_of(X, np.zeros(7, dtype=int)))[0]

    assert one.varies.tolist() == [False, True]
    assert one.standard_deviation[0] == 0.0
    assert np.isnan(one.standardised[:, 0]).all()


def test_rounding_is_not_variation(dataset_of: Make) -> None:
    X = np.array([[0.1 + 0.2], [0.3], [0.3]])

    one = class_samples(dataset_of(X, np.zeros(3, dtype=int)))[0]

    assert np.ptp(X) > 0
    assert not one.varies[0]


@pytest.mark.parametrize(("scale", "offset"), [(1e200, 0.0), (1e-200, 0.0), (1.0, 1e9)])
def test_scale_and_offset_never_show(dataset_of: Make, scale: float, offset: float) -> None:
    X = np.random.default_rng(0).normal(size=(50, 3))
    y = np.zeros(50, dtype=int)

    moved: Any = class_samples(dataset_of(scale * X + offset, y))[0].standardised

    assert moved == pytest.approx(class_samples(dataset_of(X, y))[0].standardised, abs=1e-6)

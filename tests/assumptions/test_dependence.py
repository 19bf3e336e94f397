"""Dependence of any kind is found, and independence seldom taken for it."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from gnbbench.assumptions import examine
from gnbbench.assumptions import independence as module
from gnbbench.assumptions.class_samples import class_samples
from gnbbench.assumptions.independence import dependence
from gnbbench.data.dataset import Dataset

Make = Callable[..., Dataset]


def table_of(dataset: Dataset, n_permutations: int = 199) -> pd.DataFrame:
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
def test_rings_are_broken_and_cost_what_a_model_without_assumptions_gains(
    rings: Dataset,
) -> None:
    found = examine(rings, n_runs=10, seed=42, test_size=0.3)

    naive = found.verdicts[0]
    assert (found.independence["max_abs_r"] < 0.1).all()
    assert (found.independence["p_holm"] > 0.05).all()
    assert naive.grade == "strongly broken"
    assert "max dependence 0.9" in naive.sentence
    assert naive.sentence.endswith("nats against Kernel logistic.")


@pytest.mark.parametrize(
    "of",
    [np.square, np.cos, np.abs],
    ids=["square", "cosine", "distance"],
)
def test_a_function_of_a_feature_is_found_where_no_correlation_is(
    of: Callable[[np.ndarray], np.ndarray], dataset_of: Make
) -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=300)
    X = np.column_stack([x, rng.normal(size=300), of(x) + 0.05 * rng.normal(size=300)])

    row = table_of(dataset_of(X, np.zeros(300, dtype=int))).iloc[0]

    assert (row["dependent_feature"], row["dependent_other_feature"]) == ("x0", "x2")
    assert (row["pairs"], row["dependent_pairs"], row["p_permutation"]) == (3, 1, 1 / 200)
    assert row["max_dependence"] > 0.8


@pytest.mark.parametrize("r", [0.0, 0.4, -0.8])
def test_of_normal_features_it_is_about_the_correlation(r: float, dataset_of: Make) -> None:
    rng = np.random.default_rng(2)
    x, noise = rng.normal(size=(2, 1000))
    X = np.column_stack([x, r * x + np.sqrt(1 - r**2) * noise])

    row = table_of(dataset_of(X, np.zeros(1000, dtype=int))).iloc[0]

    assert row["max_dependence"] == pytest.approx(abs(r), abs=0.06)
    assert bool(row["p_permutation"] < 0.05) == (r != 0)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["normal", "cauchy", "counts", "rare"])
def test_independent_features_are_seldom_called_dependent(
    kind: str, dataset_of: Make
) -> None:
    """At 5 % over all classes and pairs; at most 12 of 120 is three standard errors."""
    draw: Callable[[np.random.Generator], np.ndarray] = {
        "normal": lambda rng: rng.normal(size=(120, 5)),
        "cauchy": lambda rng: rng.standard_cauchy(size=(120, 5)),
        "counts": lambda rng: rng.poisson(1.0, size=(120, 5)).astype(float),
        "rare": lambda rng: (rng.random(size=(120, 5)) < 0.15).astype(float),
    }[kind]
    y = np.repeat([0, 1, 2], [50, 40, 30])

    tables = [
        table_of(dataset_of(draw(np.random.default_rng(seed)), y), 59)
        for seed in range(120)
    ]

    assert sum((table["p_permutation"] < 0.05).any() for table in tables) <= 12


def test_a_value_that_is_nearly_everywhere_is_left_out(dataset_of: Make) -> None:
    """Two such features agree by chance alone."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(100, 4))
    X[:, 1:3] = 0
    X[:4, 1], X[:20, 2] = 1, np.arange(20)

    row = table_of(dataset_of(X, np.zeros(100, dtype=int))).iloc[0]

    assert row["pairs"] == 3


def test_what_is_too_few_is_not_tested(dataset_of: Make) -> None:
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1], [9, 40])

    table = table_of(dataset_of(rng.normal(size=(49, 3)), y))
    alone = table_of(dataset_of(rng.normal(size=(49, 1)), y))

    assert table["p_permutation"].isna().tolist() == [True, False]
    assert table["pairs"].tolist() == [0, 3]
    assert alone["p_permutation"].isna().all()


def test_what_is_left_out_is_told(
    dataset_of: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_ROWS", 60)
    monkeypatch.setattr(module, "MOST_FEATURES", 3)
    rng = np.random.default_rng(5)
    samples = class_samples(dataset_of(rng.normal(size=(90, 4)), np.repeat([0, 1], 45)))

    table, told = dependence(samples, "abcd", level=0.05, n_permutations=19)

    assert table["pairs"].tolist() == [3, 3]
    assert told == [
        "The test of dependence looked at 60 of 90 samples, drawn at random.",
        "The test of dependence looked at 3 of 4 features, drawn at random.",
    ]

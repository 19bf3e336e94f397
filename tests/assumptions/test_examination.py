"""The whole examination, on data whose answer is known and on the awkward."""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from gnbbench.assumptions import Assumptions, examination
from gnbbench.assumptions.examination import require_possible
from gnbbench.assumptions.findings import headline
from gnbbench.data.dataset import Dataset
from gnbbench.data.loading import load
from gnbbench.errors import DatasetError

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


def test_correlations_of_classes_apart_are_not_taken_for_dependence(
    independent: Dataset,
) -> None:
    """Shifting a class correlates features over all samples, not within a class."""
    shifted = dataclasses.replace(
        independent, X=independent.X + 10.0 * independent.y[:, np.newaxis]
    )

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
    assert any(
        note.startswith(f"Not tested for normality: {n_constant} of 240 pairs")
        for note in of_digits.notes
    )
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
    assert {verdict.grade for verdict in examination.verdicts} <= {
        "not rejected",
        "not tested",
    }


def test_data_of_only_constants_are_reported_not_judged(dataset_of: Make) -> None:
    dataset = dataset_of(np.ones((20, 2)), np.repeat([0, 1], 10))

    examination = examine(dataset, n_runs=2)

    assert [verdict.grade for verdict in examination.verdicts] == [
        "not tested",
        "not tested",
    ]
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
    turned = dataclasses.replace(
        straight, y=2 - straight.y, class_names=straight.class_names[::-1]
    )

    first = examine(straight, n_runs=1).independence
    second = examine(turned, n_runs=1).independence

    pd.testing.assert_frame_equal(first, second.iloc[::-1].reset_index(drop=True))


def test_one_class_is_refused(dataset_of: Make) -> None:
    with pytest.raises(DatasetError, match="only one class"):
        require_possible(
            dataset_of(np.eye(4), np.zeros(4, dtype=int)), seed=42, test_size=0.3
        )

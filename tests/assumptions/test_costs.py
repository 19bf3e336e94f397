"""What models without one assumption gain, on the splits of every study."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from gnbbench.assumptions.findings import (
    DESCRIPTIONS,
    GNB,
    LDA,
    QDA,
    QUANTILES,
    YEO_JOHNSON,
    costs,
    model_of,
)
from gnbbench.data.dataset import Dataset
from gnbbench.data.loading import load
from gnbbench.statistics.intervals import corrected_estimate

Make = Callable[..., Dataset]
Costs = dict[str, Any]


def change(found: Costs, model: str, metric: str = "log_loss") -> Any:
    table = found["differences"]
    rows = table[(table["implementation"] == model) & (table["metric"] == metric)]
    assert len(rows) == 1
    return rows.iloc[0]


def own_runs(found: Costs, model: str) -> pd.DataFrame:
    runs: pd.DataFrame = found["runs"]
    return runs[runs["implementation"] == model]


@pytest.fixture(scope="module")
def on_wine() -> Costs:
    return costs(load("wine"), n_runs=6, seed=42, test_size=0.3)


@pytest.mark.slow
@pytest.mark.parametrize("model", [GNB, QDA, LDA, YEO_JOHNSON, QUANTILES])
def test_every_run_is_one_line_of_scikit_learn(on_wine: Costs, model: str) -> None:
    X, y = load_wine(return_X_y=True)
    expected = []
    for run in range(6):
        X_train, X_test, y_train, y_test = train_test_split(
            X, y, test_size=0.3, random_state=42 + run, stratify=y
        )
        fitted = model_of(model, len(X_train)).fit(X_train, y_train)
        loss = log_loss(y_test, fitted.predict_proba(X_test))
        expected.append([fitted.score(X_test, y_test), loss])

    found = own_runs(on_wine, model)[["test_accuracy", "log_loss"]].to_numpy()

    assert found == pytest.approx(np.array(expected), rel=1e-9)


def test_differences_are_paired_and_their_intervals_corrected(on_wine: Costs) -> None:
    losses = {name: own_runs(on_wine, name)["log_loss"].to_numpy() for name in (GNB, QDA)}
    estimate = corrected_estimate(
        losses[QDA] - losses[GNB], n_train=on_wine["n_train"], n_test=on_wine["n_test"]
    )

    row = change(on_wine, QDA)

    assert (on_wine["n_train"], on_wine["n_test"]) == (124, 54)
    assert row["mean"] == pytest.approx(estimate.mean, rel=1e-12)
    assert (row["low"], row["high"]) == pytest.approx(estimate.interval(), rel=1e-12)
    assert row["runs"] == 6
    assert len(on_wine["costs"]) == 2 * len(DESCRIPTIONS)
    assert len(on_wine["differences"]) == 2 * (len(DESCRIPTIONS) - 1)
    assert on_wine["notes"] == ()
    assert set(on_wine["runs"]["message"]) == {""}


Y = np.repeat([0, 1], 300)[:, np.newaxis]
COSTS_OF: dict[Any, Costs] = {}  # By the dataset, each computed once


def skewed() -> Any:
    return np.exp(1.5 * np.random.default_rng(0).normal(size=(600, 3)) + Y)


def two_peaks() -> Any:
    """On either side of zero: a power moves them and leaves two peaks."""
    rng = np.random.default_rng(0)
    peaks = rng.choice([-4.0, 4.0], size=(600, 3)) * (1 + Y)
    return peaks + rng.normal(size=(600, 3))


def twelve_correlated() -> Any:
    """Normal features: why their verdict uses only Yeo–Johnson."""
    rng = np.random.default_rng(2)
    shared = rng.normal(size=(600, 1))
    return np.sqrt(0.6) * shared + np.sqrt(0.4) * rng.normal(size=(600, 12)) + Y


@pytest.mark.slow
@pytest.mark.parametrize(
    ("data", "model", "outcome", "least", "most"),
    [
        (skewed, YEO_JOHNSON, "different", -np.inf, -0.05),
        (skewed, QUANTILES, "different", -np.inf, -0.05),
        (two_peaks, QUANTILES, "different", -np.inf, -0.05),
        (two_peaks, YEO_JOHNSON, "equivalent", -0.01, 0.01),
        ("equicorrelated", QDA, "different", -np.inf, -0.05),
        (twelve_correlated, QUANTILES, "different", -np.inf, -0.05),
        (twelve_correlated, YEO_JOHNSON, "", -0.02, 0.02),
        # Negative controls, where both assumptions hold: shrinkage leaves QDA next to GNB.
        ("independent", QDA, "", -0.01, 0.01),
        ("independent", YEO_JOHNSON, "", -0.02, 0.02),
        ("independent", QUANTILES, "", -0.02, 0.02),
    ],
)
def test_a_model_gains_where_the_assumption_that_it_drops_is_broken(
    request: pytest.FixtureRequest,
    dataset_of: Make,
    *,
    data: Any,
    model: str,
    outcome: str,
    least: float,
    most: float,
) -> None:
    if data not in COSTS_OF:
        known = isinstance(data, str)
        dataset = request.getfixturevalue(data) if known else dataset_of(data(), Y.ravel())
        COSTS_OF[data] = costs(dataset, n_runs=10, seed=0, test_size=0.3)

    row = change(COSTS_OF[data], model)

    assert least < row["mean"] < most
    assert row["outcome"] == (outcome or row["outcome"])
    gained = row["outcome"] == "different" and row["mean"] < 0
    assert gained == (outcome == "different") or data is twelve_correlated


@pytest.mark.slow
def test_more_features_than_samples_are_shrunk_not_refused(dataset_of: Make) -> None:
    X = np.random.default_rng(1).normal(size=(60, 25))

    table = costs(dataset_of(X, np.repeat([0, 1, 2], 20)), n_runs=2, seed=0, test_size=0.3)

    assert set(table["runs"]["status"]) == {"ok"}


def test_a_failing_model_is_counted_and_reported(dataset_of: Make) -> None:
    """One training sample in class 2 leaves QDA without a covariance."""
    X = np.random.default_rng(2).normal(size=(42, 2))
    y = np.repeat([0, 1, 2], [20, 20, 2])

    table = costs(dataset_of(X, y), n_runs=3, seed=0, test_size=0.5)

    assert change(table, QDA)["runs"] == 0
    assert change(table, QDA)["outcome"] == "failed"
    assert any(note.startswith("QDA failed in 3 of 3 runs") for note in table["notes"])
    assert set(own_runs(table, GNB)["status"]) == {"ok"}


@pytest.mark.parametrize("n_samples", [2, 999, 1500, 12_000])
def test_quantiles_are_one_per_train_sample_up_to_1000_of_all(n_samples: int) -> None:
    """Above 10,000 samples scikit-learn's own default would draw some at random."""
    X = np.random.default_rng(2).exponential(size=(n_samples, 1))

    transformer, _ = model_of(QUANTILES, n_samples).fit(X, np.arange(n_samples) % 2)

    shares = np.linspace(0, 1, min(1000, n_samples))
    np.testing.assert_allclose(transformer.quantiles_, np.quantile(X, shares, axis=0))

"""Means over runs, differences from the reference, and what they are called."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from faults.invented import random_study, records_of

from gnbbench.records import RUN_METRICS
from gnbbench.statistics import metrics
from gnbbench.statistics.intervals import Estimate

SIZES = metrics.SplitSizes(n_train=70, n_test=30)


def test_failed_runs_are_rows_of_nan() -> None:
    failed = {"numpy": [1, 3], "x": range(5)}
    study = random_study(n_runs=5, changed={"numpy": 0, "x": 0})
    records = records_of(study, failed=failed)

    values = metrics.run_values(records.runs, ["sklearn", "numpy", "x"])

    assert values["numpy"].shape == (5, len(RUN_METRICS))
    assert np.flatnonzero(np.isnan(values["numpy"]).all(axis=1)).tolist() == [1, 3]
    assert not np.isnan(values["sklearn"]).all(axis=1).any()
    assert np.isnan(values["x"]).all()


@pytest.mark.parametrize("values", [[0.9], [0.9, np.nan]])
def test_one_value_has_no_interval_and_none_no_mean(values: list[float]) -> None:
    mean = metrics.run_mean(np.array(values), SIZES)
    none = metrics.run_mean(np.array([np.nan, np.nan]), SIZES)

    assert (mean.mean, mean.runs, mean.estimate) == (0.9, 1, None)
    assert np.isnan([mean.spread, mean.low, mean.high, none.mean]).all()
    assert none.runs == 0


def test_an_infinite_value_makes_the_mean_infinite_and_leaves_no_interval() -> None:
    mean = metrics.run_mean(np.array([0.5, np.inf, 0.6]), SIZES)

    assert mean.mean == np.inf
    assert mean.estimate is None
    assert np.isnan(metrics.run_mean(np.array([np.inf, -np.inf]), SIZES).mean)


IRIS_SIZES = metrics.SplitSizes(105, 45)


ACCURACY = RUN_METRICS.index("test_accuracy")
LOG_LOSS = RUN_METRICS.index("log_loss")


def _reference(n_runs: int = 30, seed: int = 0) -> np.ndarray:
    counts = np.random.default_rng(seed).integers(35, 46, size=(n_runs, len(RUN_METRICS)))
    return counts / 45


def _table(others: dict[str, np.ndarray], reference: np.ndarray, **options: Any) -> Any:
    counts = options.get("disagreements", dict.fromkeys(others, 9))
    # So many rows that only the intervals decide.
    disputes = {n: metrics.Disputes(k, 10 * k, 10_000) for n, k in counts.items()}
    values = {"sklearn": reference, **others}
    compared = {"reference": "sklearn", "margin": options.get("margin", 0.01)}
    table = metrics.differences(values, disputes, IRIS_SIZES, **compared)
    return metrics.corrected(table).set_index(["implementation", "metric"])


def test_p_values_are_holm_corrected_over_competitors_that_were_tested() -> None:
    reference = _reference()
    near, far = _reference(seed=1), _reference(seed=2) - 0.3
    same = reference.copy()
    counts = {"near": 9, "far": 9, "same": 0}

    both = _table({"near": near, "far": far, "same": same}, reference, disagreements=counts)
    alone = _table({"far": far}, reference)

    column = "test_accuracy"
    assert np.isnan(both.loc[("same", column), "p"])
    twice = pytest.approx(2 * alone.loc[("far", column), "p"], rel=1e-9)
    assert both.loc[("far", column), "p"] == twice


def test_nothing_is_tested_where_all_differences_are_zero() -> None:
    reference = _reference()

    table = _table({"numpy": reference.copy()}, reference, disagreements={"numpy": 0})

    assert (table["outcome"] == "identical").all()
    assert (table["mean"] == 0).all()
    assert table[["low", "high"]].isna().all(axis=None)
    assert table["p"].isna().all()


@pytest.mark.parametrize(("n_runs", "expected"), [(2, "cannot tell"), (100, "equivalent")])
def test_equal_accuracies_from_differing_labels_are_not_called_identical(
    n_runs: int, expected: str
) -> None:
    reference = _reference(n_runs)

    table = _table({"numpy": reference.copy()}, reference, disagreements={"numpy": 3})

    row = table.loc[("numpy", "test_accuracy")]
    assert row["outcome"] == expected
    assert row["low"] < 0 < row["high"]
    assert np.isnan(row["p"])


@pytest.mark.parametrize(("n_runs", "expected"), [(2, "cannot tell"), (100, "different")])
def test_a_constant_difference_in_few_runs_is_uncertain(n_runs: int, expected: str) -> None:
    reference = _reference(n_runs)

    table = _table({"numpy": reference - 3 / 45}, reference)

    row = table.loc[("numpy", "test_accuracy")]
    assert row["outcome"] == expected
    assert row["p"] > 0


def test_differences_of_rounding_are_equivalent() -> None:
    reference = _reference()
    noise = np.random.default_rng(5).normal(0, 1e-16, size=reference.shape)
    noise[:, ACCURACY] = 0

    table = _table({"numpy": reference + noise}, reference, disagreements={"numpy": 0})

    assert table.loc[("numpy", "test_accuracy"), "outcome"] == "identical"
    assert table.loc[("numpy", "log_loss"), "outcome"] == "equivalent"


def test_a_metric_that_is_not_offered_is_nan_and_undecided() -> None:
    reference, other = _reference(), _reference(seed=1)
    other[:, LOG_LOSS] = np.nan

    row = _table({"numpy": other}, reference).loc[("numpy", "log_loss")]

    assert row["runs"] == 0
    assert np.isnan(row[["mean", "low", "high", "p"]].astype(float)).all()
    assert row["outcome"] == "cannot tell"


def test_infinite_losses_give_no_warning_and_no_p_value() -> None:
    reference, other = _reference(), _reference(seed=1)
    other[[0, 1], LOG_LOSS] = np.inf
    reference[1, LOG_LOSS] = np.inf

    row = _table({"numpy": other}, reference).loc[("numpy", "log_loss")]

    assert (row["mean"], row["runs"]) == (np.inf, 29)
    assert np.isnan(row["p"])


@pytest.mark.parametrize(
    ("mean", "error", "is_within"),
    [
        (0.000, 0.001, True),
        (0.005, 0.001, True),  # real, but within the margin
        (0.050, 0.001, False),
        (0.005, 0.010, False),
        (0.020, 0.000, False),  # the same in every run: nothing to test
        (1e-17, 0.000, True),  # nothing but rounding
    ],
)
@pytest.mark.parametrize("sign", [1, -1])
def test_intervals_decide(mean: float, error: float, is_within: bool, sign: int) -> None:
    estimate = Estimate(sign * mean, error, 99)

    few = metrics.Disputes(1, 1, 10_000)
    found = metrics.equivalence_margin("f1", estimate, few, level=0.05)

    assert (found <= 0.01) is is_within


def test_a_small_p_value_makes_different_only_what_nothing_else_decided() -> None:
    outcomes = ["identical", "equivalent", "cannot tell", "failed"]
    table = pd.DataFrame({"metric": "f1", "p": 1e-9, "outcome": outcomes})

    found = metrics.corrected(table)["outcome"].tolist()

    assert found == ["identical", "equivalent", "different", "failed"]
    assert metrics.corrected(table.assign(p=0.5))["outcome"].tolist() == outcomes


def test_without_an_estimate_or_a_margin_the_outcome_is_undecided() -> None:
    reference = _reference()
    other = reference.copy()
    other[0, ACCURACY] += 1 / 45

    one_run = _table({"numpy": other[:1]}, reference[:1])
    no_margin = _table({"numpy": other}, reference, margin=0.0)

    for table in (one_run, no_margin):
        assert table.loc[("numpy", "test_accuracy"), "outcome"] == "cannot tell"

from typing import Any

import numpy as np
import pytest

from gnbbench.records import RUN_METRICS
from gnbbench.statistics.intervals import corrected_estimate
from gnbbench.statistics.metrics import SplitSizes, differences

SIZES = SplitSizes(105, 45)
ACCURACY = RUN_METRICS.index("test_accuracy")
LOG_LOSS = RUN_METRICS.index("log_loss")


def _reference(n_runs: int = 30, seed: int = 0) -> np.ndarray:
    counts = np.random.default_rng(seed).integers(35, 46, size=(n_runs, len(RUN_METRICS)))
    return counts / 45


def _table(others: dict[str, np.ndarray], reference: np.ndarray, **options: Any) -> Any:
    arguments: dict[str, Any] = {"disagreements": dict.fromkeys(others, 9), "margin": 0.01}
    arguments.update(options)
    table = differences(
        {"sklearn": reference, **others},
        arguments["disagreements"],
        SIZES,
        reference="sklearn",
        margin=arguments["margin"],
    )
    return table.set_index(["implementation", "metric"])


def test_difference_is_implementation_minus_reference() -> None:
    reference = _reference()

    table = _table({"numpy": reference - 0.02}, reference)

    assert table["mean"].to_numpy() == pytest.approx(-0.02)


def test_only_runs_in_which_both_succeeded_are_paired() -> None:
    reference, other = _reference(), _reference(seed=1)
    reference[3] = np.nan
    other[[5, 6]] = np.nan
    both = np.setdiff1d(np.arange(30), [3, 5, 6])

    row = _table({"numpy": other}, reference).loc[("numpy", "test_accuracy")]

    expected = (other - reference)[both, ACCURACY]
    assert row["runs"] == 27
    assert row["mean"] == pytest.approx(expected.mean())
    estimate = corrected_estimate(expected, n_train=105, n_test=45)
    assert (row["low"], row["high"]) == pytest.approx(estimate.interval())
    assert row["p"] == pytest.approx(estimate.p_value())


def test_p_values_are_holm_corrected_over_competitors_that_were_tested() -> None:
    reference = _reference()
    near, far = _reference(seed=1), _reference(seed=2) - 0.3
    same = reference.copy()
    counts = {"near": 9, "far": 9, "same": 0}

    both = _table({"near": near, "far": far, "same": same}, reference, disagreements=counts)
    alone = _table({"far": far}, reference)

    column = "test_accuracy"
    assert np.isnan(both.loc[("same", column), "p"])
    assert both.loc[("far", column), "p"] == pytest.approx(
        2 * alone.loc[("far", column), "p"], rel=1e-9
    )


def test_nothing_is_tested_where_all_differences_are_zero() -> None:
    reference = _reference()

    table = _table({"numpy": reference.copy()}, reference, disagreements={"numpy": 0})

    assert (table["outcome"] == "identical").all()
    assert (table[["mean", "low", "high"]] == 0).all(axis=None)
    assert table["p"].isna().all()


def test_equal_accuracies_from_differing_labels_are_not_called_identical() -> None:
    reference = _reference(n_runs=100)

    table = _table({"numpy": reference.copy()}, reference, disagreements={"numpy": 3})

    row = table.loc[("numpy", "test_accuracy")]
    assert row["outcome"] == "equivalent"
    assert row["low"] < 0 < row["high"]
    assert np.isnan(row["p"])


def test_equal_accuracies_in_two_runs_only_cannot_be_told() -> None:
    reference = _reference(n_runs=2)

    table = _table({"numpy": reference.copy()}, reference, disagreements={"numpy": 3})

    assert table.loc[("numpy", "test_accuracy"), "outcome"] == "cannot tell"


@pytest.mark.parametrize(("n_runs", "expected"), [(2, "cannot tell"), (100, "different")])
def test_a_constant_difference_is_no_certainty_in_few_runs(
    n_runs: int, expected: str
) -> None:
    reference = _reference(n_runs)

    table = _table({"numpy": reference - 3 / 45}, reference)

    row = table.loc[("numpy", "test_accuracy")]
    assert row["outcome"] == expected
    assert row["p"] > 0


def test_a_constant_difference_without_a_known_step_is_not_tested() -> None:
    reference = _reference()

    row = _table({"numpy": reference + 0.25}, reference).loc[("numpy", "log_loss")]

    assert row["outcome"] == "cannot tell"
    assert np.isnan(row["p"])


def test_differences_of_rounding_are_equivalent() -> None:
    reference = _reference()
    noise = np.random.default_rng(5).normal(0, 1e-16, size=reference.shape)
    noise[:, ACCURACY] = 0

    table = _table({"numpy": reference + noise}, reference, disagreements={"numpy": 0})

    assert table.loc[("numpy", "test_accuracy"), "outcome"] == "identical"
    assert table.loc[("numpy", "log_loss"), "outcome"] == "equivalent"


def test_a_metric_that_is_not_offered_is_nan_and_cannot_be_told() -> None:
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


def test_no_common_run_means_failed() -> None:
    reference = _reference()

    table = _table({"numpy": np.full_like(reference, np.nan)}, reference)

    assert (table["outcome"] == "failed").all()
    assert (table["runs"] == 0).all()


def test_the_margin_decides_what_is_equivalent() -> None:
    reference = _reference(n_runs=100)
    other = reference.copy()
    other[::4, ACCURACY] -= 1 / 45

    strict = _table({"numpy": other}, reference, margin=0.001)
    lenient = _table({"numpy": other}, reference, margin=0.05)

    assert strict.loc[("numpy", "test_accuracy"), "outcome"] != "equivalent"
    assert lenient.loc[("numpy", "test_accuracy"), "outcome"] == "equivalent"

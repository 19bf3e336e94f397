from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from faults.invented import random_study, records_of
from sklearn.calibration import calibration_curve

from gnbbench.statistics.intervals import wilson_interval
from gnbbench.statistics.labels import expected_calibration_error, reliability
from gnbbench.statistics.metrics import SplitSizes

SIZES = SplitSizes(105, 45)


def _bins(**columns: list[int]) -> pd.DataFrame:
    return pd.DataFrame({"implementation": "numpy", **columns})


def _by_hand(confidence: np.ndarray, right: np.ndarray) -> float:
    """Return the error as its definition reads: a loop over bins."""
    edges = np.arange(16) / 15
    total = 0.0
    for low, high in pairwise(edges):
        inside = (confidence > low) & (confidence <= high)
        if inside.any():
            total += inside.sum() * abs(confidence[inside].mean() - right[inside].mean())
    return total / confidence.size


def test_error_is_that_of_the_definition() -> None:
    study = random_study(changed={"numpy": 0.2})
    confidence = study.probabilities["numpy"].max(axis=2).ravel()
    right = (study.labels["numpy"] == study.truth).ravel()

    table = reliability(records_of(study).reliability, ["numpy"], SIZES, n_rows=149)

    error = expected_calibration_error(table, "numpy")
    assert error == pytest.approx(_by_hand(confidence, right), abs=1e-8)
    assert error != pytest.approx(abs(confidence.mean() - right.mean()), abs=1e-4)


def test_curve_is_that_of_scikit_learn() -> None:
    study = random_study(changed={"numpy": 0.2})
    confidence = study.probabilities["numpy"].max(axis=2).ravel()
    right = (study.labels["numpy"] == study.truth).ravel()

    table = reliability(records_of(study).reliability, ["numpy"], SIZES, n_rows=149)

    accuracy, mean_confidence = calibration_curve(right, confidence, n_bins=15)
    assert table["accuracy"].to_numpy() == pytest.approx(accuracy)
    assert table["mean_confidence"].to_numpy() == pytest.approx(mean_confidence)


def test_band_does_not_narrow_with_more_splits_of_the_same_rows() -> None:
    bins = _bins(bin=[14], count=[45000], right=[40000], confidence_nano=[44000 * 10**9])

    row = reliability(bins, ["numpy"], SIZES, n_rows=150).iloc[0]

    assert (row["accuracy_low"], row["accuracy_high"]) == wilson_interval(133, 150)
    narrow_low, narrow_high = wilson_interval(40000, 45000)
    assert row["accuracy_high"] - row["accuracy_low"] > 10 * (narrow_high - narrow_low)


@pytest.mark.parametrize("count", [1, 3, 500, 44_999])
def test_band_holds_the_accuracy(count: int) -> None:
    for right in (0, 1, count // 2, count):
        bins = _bins(
            bin=[9, 14],
            count=[count, 45_000 - count],
            right=[right, 0],
            confidence_nano=[count * 630_000_000, 0],
        )

        row = reliability(bins, ["numpy"], SIZES, n_rows=150).iloc[0]

        assert row["accuracy_low"] <= row["accuracy"] <= row["accuracy_high"]

"""A study is the same side of a comparison from its tables and from its document."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from gnbbench.statistics.comparison_sides import METRIC_COLUMNS, side

COMMON: dict[str, Any] = {
    "plan": {},
    "environment": {},
    "reference": "a",
    "implementations": ["a", "b"],
    "margin": 0.01,
    "n_runs": 4,
    "timing": [],
    "ratios": [],
}
COMPARE: dict[str, Any] = {
    **COMMON,
    "study": "compare",
    "n_train": 70,
    "n_test": 30,
    "metrics": [
        {"implementation": "b", "metric": "test_accuracy", "mean": 0.9, "low": 0.8}
        | {"high": 1.0, "runs": 3},
        {"implementation": "b", "metric": "log_loss", "mean": "Infinity", "low": None}
        | {"high": None, "runs": 3},
    ],
    "agreement": [{"implementation": "b", "agreement": 0.75, "compared_runs": 3}],
}
SWEEP: dict[str, Any] = {
    **COMMON,
    "study": "sweep-split",
    "points": [
        {"point": 0, "fraction": 0.01, "n_train": 0, "n_test": 0},
        {"point": 1, "fraction": 0.5, "n_train": 50, "n_test": 50},
    ],
    "metrics": [
        {"point": 1, "implementation": "b", "metric": name, "mean": 0.9}
        | {"low": 0.8, "high": 1.0, "runs": 4}
        for name in ("test_accuracy", "log_loss")
    ],
    "agreement": [
        {"point": 1, "implementation": "b", "compared_runs": 4, "agreement": 0.9},
    ],
}


def means(metrics: pd.DataFrame) -> dict[str, float]:
    return dict(zip(metrics["metric"], metrics["mean"], strict=True))


def test_a_compare_study_has_one_point() -> None:
    found = side("x", COMPARE)

    assert means(found.metrics) == {
        "test_accuracy": 0.9,
        "log_loss": np.inf,
        "agreement": 0.75,
        "evaluated_runs": 0.75,
    }
    assert tuple(found.metrics) == METRIC_COLUMNS
    assert set(found.metrics["point"]) == {"all"}
    assert found.sizes["all"].n_test == 30


def test_a_sweep_has_a_point_for_every_fraction() -> None:
    found = side("x", SWEEP)

    assert means(found.metrics) == {
        "test_accuracy": 0.9,
        "agreement": 0.9,
        "evaluated_runs": 1.0,
    }
    assert set(found.metrics["point"]) == {"0.5"}
    assert (found.sizes["0.01"].n_test, found.sizes["0.5"].n_test) == (0, 50)


def test_what_is_no_summary_is_an_error() -> None:
    with pytest.raises(KeyError):
        side("x", {**COMMON, "study": "compare"})

import json
from dataclasses import fields

import numpy as np
import pytest

from gnbbench.data.bundled import iris
from gnbbench.data.dataset import describe, from_arrays
from gnbbench.statistics.summary import DatasetDescription


def test_it_has_the_fields_that_reports_show() -> None:
    assert set(describe(iris())) == {field.name for field in fields(DatasetDescription)}


def test_it_can_be_written_as_json() -> None:
    description = describe(iris())

    assert json.loads(json.dumps(description, allow_nan=False)) == description


def test_values_are_those_worked_out_by_hand() -> None:
    X = [[1, 5], [3, 5], [1, 5], [1, 5]]

    description = describe(from_arrays(X, ["a", "b", "a", "b"], name="toy"))

    assert description["n_samples"] == 4
    assert description["n_features"] == 2
    assert description["n_duplicates"] == 1
    assert description["class_names"] == ["a", "b"]
    assert description["class_counts"] == [2, 2]
    assert description["features"][0] == {
        "feature": "x0",
        "minimum": 1.0,
        "maximum": 3.0,
        "mean": 1.5,
        "standard_deviation": pytest.approx(np.sqrt(0.75)),
        "distinct": 2,
    }
    assert description["features"][1]["standard_deviation"] == 0.0


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1.0, 1e150, 1e307])
def test_very_large_and_small_values_stay_finite(scale: float) -> None:
    X = np.array([[1.0], [3.0], [-1.0], [1.0]]) * scale

    feature = describe(from_arrays(X, [0, 1, 0, 1]))["features"][0]

    assert feature["mean"] == pytest.approx(scale, rel=1e-12)
    assert feature["standard_deviation"] == pytest.approx(np.sqrt(2) * scale, rel=1e-12)


def test_a_feature_of_zeros_has_no_spread() -> None:
    feature = describe(from_arrays(np.zeros((4, 1)), [0, 1, 0, 1]))["features"][0]

    assert (feature["mean"], feature["standard_deviation"], feature["distinct"]) == (
        0,
        0,
        1,
    )

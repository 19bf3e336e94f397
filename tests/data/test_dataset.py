import json
import pickle
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gnbbench.data.dataset import Dataset, describe, from_arrays, from_bunch
from gnbbench.data.loading import load
from gnbbench.errors import DatasetError
from gnbbench.statistics.summary import DatasetDescription


@pytest.fixture
def dataset() -> Dataset:
    y = np.array(["b", "a", "b"])
    return Dataset("toy", np.arange(6.0).reshape(3, 2), y, ("x0", "x1"), ("a", "b"))


X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]])
Y = np.array([0, 1, 0])


def test_codes_point_into_sorted_classes_in_another_process_too(dataset: Dataset) -> None:
    for same in (dataset, pickle.loads(pickle.dumps(dataset))):  # noqa: S301  our own bytes
        assert same.classes.tolist() == ["a", "b"]
        assert same.codes.tolist() == [1, 0, 1]
        assert same.sha256 == dataset.sha256
        assert same.parameters == {}


def test_another_value_label_or_shape_alone_has_another_digest(dataset: Dataset) -> None:
    same = replace(dataset, name="other", X=np.asfortranarray(dataset.X))
    others = [
        replace(dataset, X=dataset.X + np.array([[0, 0], [0, 1e-12], [0, 0]])),
        replace(dataset, y=np.array(["b", "a", "a"])),
        replace(dataset, X=dataset.X.reshape(2, 3)),
    ]

    assert same.sha256 == dataset.sha256
    assert len({dataset.sha256, *(other.sha256 for other in others)}) == 4


class Sparse:
    """Stands for a matrix of scipy.sparse."""

    def toarray(self) -> Any:
        return X


@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float32, bool, object])
def test_arrays_of_any_numeric_kind_become_copies_in_float64(dtype: Any) -> None:
    values, labels = np.asfortranarray(X.astype(dtype)), Y.copy()
    expected = values.astype(float)

    dataset = from_arrays(values, labels, name="mine")
    values[0, 0], labels[0] = 0, 1

    assert dataset.X.dtype == np.float64
    assert dataset.X.flags.c_contiguous
    assert np.array_equal(dataset.X, expected)
    assert (dataset.name, dataset.y.tolist()) == ("mine", [0, 1, 0])


def test_names_of_a_table_are_kept() -> None:
    frame = pd.DataFrame({"a": [1, 2, 3], 5: [4, 5, 7]})

    dataset = from_arrays(frame, pd.Series(["u", "v", "u"], name="kind"))
    categories = from_arrays(frame, pd.Categorical(["u", "v", "u"]))

    assert dataset.feature_names == ("a", "5")
    assert (dataset.target_name, categories.target_name) == ("kind", "target")
    assert dataset.class_names == categories.class_names == ("u", "v")


@pytest.mark.parametrize(
    ("values", "labels", "message"),
    [
        (Sparse(), Y, "X is a sparse matrix. Pass X.toarray()"),
        (X[:, 0], Y, "X has 1 dimension, not 2"),
        (X[None], Y, "X has 3 dimensions, not 2"),
        (X[:0], Y[:0], "X has 0 rows and 2 columns"),
        (X[:, :0], Y, "X has 3 rows and 0 columns"),
        ([[1], [1, 2]], [0, 1], "rows have different lengths"),
        (X, Y[:2], "X has 3 rows and y has 2 labels"),
        (X, Y[:, None], "y has shape (3, 1), not one dimension"),
        (np.where(X == 4, np.nan, X), Y, "first in row 1, column 'x1'"),
        (np.ma.masked_equal(X, 4), Y, "first in row 1, column 'x1'"),
        (np.where(X == 4, np.inf, X), Y, "infinite or too large, first in row 1"),
        (X.astype(str).astype(object) + "cm", Y, "no numeric column is left"),
        (X + 1j, Y, "no numeric column is left"),
        (pd.DataFrame(X, columns=["a", "a"]), Y, "two columns are called 'a'"),
        (X, Y * 0, "only one class"),
        (X, Y + 0.5, "is continuous"),
        (X, ["a", 1, "a"], "mix text with other values"),
        (X, ["a", None, "b"], "1 labels are missing"),
    ],
)
def test_unusable_arrays_are_refused(values: Any, labels: Any, message: str) -> None:
    with pytest.raises(DatasetError) as refusal:
        from_arrays(values, labels)

    assert message in str(refusal.value)
    assert str(refusal.value).startswith("data: ")


def test_it_has_the_fields_that_reports_show_and_can_be_written_as_json() -> None:
    description = describe(load("iris"))

    shown = {field.name for field in fields(DatasetDescription)}
    assert set(description) == {*shown, "repeats"}
    assert description["repeats"] == {"142": 101}
    assert json.loads(json.dumps(description, allow_nan=False)) == description


def test_values_are_those_worked_out_by_hand() -> None:
    X = [[1, 5], [3, 5], [1, 5], [1, 5]]

    description = describe(from_arrays(X, ["a", "b", "a", "b"], name="toy"))

    assert description["n_samples"] == 4
    assert description["n_features"] == 2
    assert description["n_duplicates"] == 1
    assert description["n_distinct"] == 2  # Whatever labels they have
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


@pytest.mark.parametrize("scale", [0.0, 1e-300, 1e-150, 1.0, 1e150, 1e307])
def test_very_large_and_small_values_stay_finite(scale: float) -> None:
    X = np.array([[1.0], [3.0], [-1.0], [1.0]]) * scale

    feature = describe(from_arrays(X, [0, 1, 0, 1]))["features"][0]

    assert feature["mean"] == pytest.approx(scale, rel=1e-12)
    assert feature["standard_deviation"] == pytest.approx(np.sqrt(2) * scale, rel=1e-12)
    assert feature["distinct"] == (3 if scale else 1)


@pytest.mark.parametrize(
    ("bunch", "features", "classes"),
    [
        # As load_iris, with as_frame=True, and as fetch_openml, which names the target.
        ({"target": [0, 1], "target_names": ["no", "yes"]}, ("x0",), ("no", "yes")),
        ({"target": ["b", "a"], "target_names": ["class"]}, ("x0",), ("a", "b")),
        ({"target": [0, 2], "target_names": ["no", "yes"]}, ("x0",), ("0", "2")),
        ({"target": [0, 1], "feature_names": ["width"]}, ("width",), ("0", "1")),
        ({"target": [0, 1], "feature_names": ["a", "b"]}, ("x0",), ("0", "1")),
        ({"target": [0, 1], "target_names": None}, ("x0",), ("0", "1")),
    ],
)
def test_names_of_a_bunch_are_taken_where_they_fit(
    bunch: dict[str, Any], features: tuple[str, ...], classes: tuple[str, ...]
) -> None:
    dataset = from_bunch({"data": [[1.0], [2.0]], **bunch})

    assert (dataset.feature_names, dataset.class_names) == (features, classes)

import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from gnbbench.data.dataset import Dataset


@pytest.fixture
def dataset() -> Dataset:
    y = np.array(["b", "a", "b"])
    return Dataset("toy", np.arange(6.0).reshape(3, 2), y, ("x0", "x1"), ("a", "b"))


def test_codes_point_into_the_sorted_classes(dataset: Dataset) -> None:
    assert dataset.classes.tolist() == ["a", "b"]
    assert dataset.codes.tolist() == [1, 0, 1]
    assert dataset.classes[dataset.codes].tolist() == dataset.y.tolist()


def test_it_survives_the_way_to_another_process(dataset: Dataset) -> None:
    copy = pickle.loads(pickle.dumps(dataset))  # noqa: S301 -- its own bytes

    assert copy.sha256 == dataset.sha256
    assert copy.feature_names == dataset.feature_names
    assert copy.parameters == {}


def test_it_is_frozen(dataset: Dataset) -> None:
    with pytest.raises(FrozenInstanceError):
        dataset.name = "other"  # type: ignore[misc]  # the very thing that must fail


def test_equal_values_and_labels_have_one_digest(dataset: Dataset) -> None:
    fortran = replace(dataset, name="other", X=np.asfortranarray(dataset.X))

    assert fortran.sha256 == dataset.sha256


def test_another_value_label_or_shape_has_another_digest(dataset: Dataset) -> None:
    others = [
        replace(dataset, X=dataset.X + np.array([[0, 0], [0, 1e-12], [0, 0]])),
        replace(dataset, y=np.array(["b", "a", "a"])),
        replace(dataset, X=dataset.X.reshape(2, 3)),
    ]

    assert len({dataset.sha256, *(other.sha256 for other in others)}) == 4

from collections.abc import Callable

import numpy as np
import pytest
from sklearn import datasets as sklearn_datasets

from gnbbench.data import bundled
from gnbbench.data.dataset import Dataset


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "digits"])
def test_values_and_labels_are_those_of_scikit_learn(name: str) -> None:
    loader: Callable[[], Dataset] = getattr(bundled, name)
    X, y = getattr(sklearn_datasets, f"load_{name}")(return_X_y=True)

    dataset = loader()

    assert np.array_equal(dataset.X, X)
    assert np.array_equal(dataset.y, y)
    assert dataset.X.flags.c_contiguous
    assert dataset.X.dtype == np.float64
    assert len(dataset.feature_names) == X.shape[1]
    assert dataset.origin
    assert dataset.licence


def test_class_names_stand_in_the_order_of_the_codes() -> None:
    dataset = bundled.breast_cancer()

    assert dataset.class_names == ("malignant", "benign")
    assert np.bincount(dataset.codes).tolist() == [212, 357]

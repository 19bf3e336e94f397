from typing import Any

import numpy as np
import pandas as pd
import pytest

from gnbbench.data.dataset import from_arrays
from gnbbench.errors import DatasetError

X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]])
Y = np.array([0, 1, 0])


class Sparse:
    """Stands for a matrix of scipy.sparse."""

    def toarray(self) -> Any:
        return X


def test_arrays_are_copied() -> None:
    values, labels = X.copy(), Y.copy()

    dataset = from_arrays(values, labels, name="mine")
    values[0, 0], labels[0] = 99, 1

    assert (dataset.X[0, 0], dataset.y[0]) == (1.0, 0)
    assert dataset.name == "mine"


def test_names_of_a_table_are_kept() -> None:
    frame = pd.DataFrame({"a": [1, 2, 3], 5: [4, 5, 7]})
    labels = pd.Series(["u", "v", "u"], name="kind")

    dataset = from_arrays(frame, labels)

    assert dataset.feature_names == ("a", "5")
    assert dataset.target_name == "kind"
    assert dataset.class_names == ("u", "v")


@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float32, bool, object])
def test_any_numeric_kind_becomes_float64_in_c_order(dtype: Any) -> None:
    values = np.asfortranarray(X.astype(dtype))

    dataset = from_arrays(values, pd.Categorical(["u", "v", "u"]))

    assert dataset.X.dtype == np.float64
    assert dataset.X.flags.c_contiguous
    assert np.array_equal(dataset.X, values.astype(float))


@pytest.mark.parametrize(
    ("values", "labels", "message"),
    [
        (Sparse(), Y, "X is a sparse matrix. Give X.toarray()"),
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
        (X, Y * 0, "one class only"),
        (X, Y + 0.5, "is continuous"),
        (X, ["a", 1, "a"], "mix text with other values"),
        (X, ["a", None, "b"], "1 labels are missing"),
    ],
)
def test_arrays_that_cannot_serve_are_refused(
    values: Any, labels: Any, message: str
) -> None:
    with pytest.raises(DatasetError) as refusal:
        from_arrays(values, labels)

    assert message in str(refusal.value)
    assert str(refusal.value).startswith("data: ")

"""Labels become codes of the classes, whatever their type."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from gnbbench.core import labels as module
from gnbbench.core.labels import label_codes

LARGEST = np.iinfo(np.uint64).max


@pytest.mark.parametrize(
    "names",
    [
        np.array(["setosa", "virginica", "versicolor"]),
        np.array(["a", "c", "b"], dtype=object),
        np.array([-128, 127, 0], dtype=np.int8),
        np.array([LARGEST, LARGEST - 1, LARGEST - 60_000], dtype=np.uint64),
        np.array([0, LARGEST, 7], dtype=np.uint64),
        np.array([-(2**63), 2**63 - 1, 0]),
        np.array([2.0, 300.0, -1.0]),
        np.array([True, False, True]),
        np.array(["2020-01-01", "2022-01-01", "2021-01-01"], dtype="datetime64[D]"),
    ],
)
def test_codes_are_positions_among_the_sorted_classes(
    names: NDArray[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ROWS_AT_ONCE", 7)
    y = names[np.random.default_rng(0).integers(0, 3, 100)]

    codes = label_codes(y)

    classes, positions = np.unique(y, return_inverse=True)
    np.testing.assert_array_equal(codes.classes, classes)
    assert codes.classes.dtype == y.dtype
    np.testing.assert_array_equal(codes.of(slice(None)), positions)
    np.testing.assert_array_equal(codes.of(slice(3, 90, 4)), positions[3:90:4])


def test_first_rows_are_those_of_positive_weight(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ROWS_AT_ONCE", 3)
    codes = label_codes(np.array([5, 5, 7, 7, 5, 9, 7]))
    weights = np.array([0.0, 0.0, 2.0, 1.0, 1.0, 0.0, 1.0])

    assert codes.first_rows().tolist() == [0, 2, 5]
    assert codes.first_rows(weights).tolist() == [4, 2, -1]


def test_labels_that_cannot_be_sorted_are_refused() -> None:
    with pytest.raises(ValueError, match="labels cannot be sorted"):
        label_codes(np.array([(1,), "a", None], dtype=object))

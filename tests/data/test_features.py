from typing import Any

import numpy as np
import pandas as pd
import pytest

from gnbbench.data.features import numbers_of, refuse_infinite
from gnbbench.data.sources import ArraySource
from gnbbench.errors import DatasetError

SOURCE = ArraySource("data")


@pytest.mark.parametrize(
    ("column", "numbers"),
    [
        ([1, 2], [1.0, 2.0]),
        ([True, False], [1.0, 0.0]),
        ([True, None], [1.0, np.nan]),
        ([" 1.5 ", "?"], [1.5, np.nan]),
        (["-2e3", " NA "], [-2000.0, np.nan]),
        ([10**30, 1], [1e30, 1.0]),
        (pd.array([1, None], dtype="Int64"), [1.0, np.nan]),
        (np.array([1.5, 2.5], dtype=np.float32), [1.5, 2.5]),
    ],
)
def test_columns_become_float64(column: Any, numbers: list[float]) -> None:
    X = numbers_of(pd.DataFrame({"a": column, "b": [0, 0]}), SOURCE)

    assert X.dtype == np.float64
    assert X.flags.c_contiguous
    assert np.array_equal(X[:, 0], numbers, equal_nan=True)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"a": ["x", "1"]}, "column 'a' holds text, 1 value .first 'x' in row 0"),
        ({"a": ["1_0", "1"]}, "column 'a' holds text, 1 value .first '1_0' in row 0"),
        ({"a": ["1,5", "1"]}, "'1,5' in row 0.*Write decimal points, not commas"),
        ({"a": ["x", "y"]}, "no numeric column is left"),
        ({"a": ["1", "x"], "b": ["y", "z"], "c": [1, 2]}, "columns 'a', 'b' hold text"),
        ({"a": [1j, 2j], "c": [1, 2]}, "column 'a' holds text"),
        ({"a": pd.to_datetime(["2020-01-01"] * 2), "c": [1, 2]}, "column 'a' holds text"),
    ],
)
def test_text_is_refused_with_its_place(columns: Any, message: str) -> None:
    with pytest.raises(DatasetError, match=message):
        numbers_of(pd.DataFrame(columns), SOURCE)


def test_the_first_infinite_value_is_named() -> None:
    X = np.array([[0.0, np.nan], [1.0, -np.inf], [np.inf, 1.0]])

    with pytest.raises(DatasetError, match=r"2 values infinite.* in row 1, column 'b'"):
        refuse_infinite(X, ["a", "b"], SOURCE)


def test_finite_and_missing_values_are_no_matter() -> None:
    refuse_infinite(np.array([[1e308, np.nan]]), ["a", "b"], SOURCE)

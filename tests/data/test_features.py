from typing import Any

import numpy as np
import pandas as pd
import pytest

from gnbbench.data.features import (
    MOST_LEVELS,
    complete_rows,
    encoded,
    numbers_of,
    refuse_infinite,
    text_columns,
)
from gnbbench.data.sources import Source
from gnbbench.errors import DatasetError

SOURCE = Source("data")


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


SOURCE = Source("data")
MISSING = np.array([[False, False], [True, False], [True, True]])


def test_incomplete_rows_go_when_asked() -> None:
    assert complete_rows(MISSING, ("a", "b"), "drop", SOURCE).tolist() == [
        True,
        False,
        False,
    ]


@pytest.mark.parametrize("rule", ["error", "drop"])
def test_complete_rows_all_stay(rule: str) -> None:
    assert complete_rows(np.zeros((3, 2), bool), ("a", "b"), rule, SOURCE).all()


def test_missing_values_are_counted_and_the_first_is_named() -> None:
    with pytest.raises(DatasetError) as refusal:
        complete_rows(MISSING, ("a", "b"), "error", SOURCE)

    assert "3 missing values in 2 of 3 rows, first in row 1, column 'a'" in str(
        refusal.value
    )


def test_no_row_left_names_the_empty_column() -> None:
    with pytest.raises(DatasetError, match="no row is complete; 'a' has no value"):
        complete_rows(MISSING[1:], ("a", "b"), "drop", SOURCE)


def test_no_row_left_names_the_worst_column() -> None:
    missing = np.array([[True, False], [True, False], [False, True]])

    with pytest.raises(DatasetError, match="'a' has the most missing"):
        complete_rows(missing, ("a", "b"), "drop", SOURCE)


SOURCE = Source("data")


def encode(values: list[str]) -> tuple[tuple[str, ...], np.ndarray]:
    """Return one column encoded, all its rows kept."""
    texts = text_columns(pd.DataFrame({"a": values}))
    return encoded({}, texts, ["a"], np.arange(len(values)), SOURCE)


def test_columns_are_those_of_pandas() -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {name: rng.choice(["b", "a", "B", "é", "10"], 50) for name in ("u", "v")}
    )

    names, X = encoded({}, text_columns(table), ["u", "v"], np.arange(50), SOURCE)

    wanted = pd.get_dummies(table, prefix_sep="=", dtype=float)
    assert names == tuple(wanted.columns)
    assert np.array_equal(X, wanted.to_numpy())
    assert X.flags.c_contiguous


def test_only_columns_with_text_are_taken() -> None:
    frame = pd.DataFrame(
        {"a": ["1", "2.5"], "b": ["?", "NA"], "c": ["1", "x"], "d": [True, False]}
    )

    assert list(text_columns(frame)) == ["c"]


def test_a_missing_text_is_known_as_missing() -> None:
    column = text_columns(pd.DataFrame({"a": ["x", "?", None, " y ", " NA"]}))["a"]

    assert column.isna().tolist() == [False, True, True, False, True]
    assert column.dropna().tolist() == ["x", "y"]


def test_levels_of_rows_left_out_have_no_column() -> None:
    texts = text_columns(pd.DataFrame({"a": ["x", "y", "z"]}))

    names, X = encoded({}, texts, ["a"], np.array([0, 2]), SOURCE)

    assert names == ("a=x", "a=z")
    assert X.tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_an_identifier_is_refused() -> None:
    values = [f"id{number}" for number in range(MOST_LEVELS + 1)]

    with pytest.raises(DatasetError, match=r"'a' has 257 levels in 257 rows"):
        encode(values)

    assert encode(values[:-1])[1].shape == (MOST_LEVELS, MOST_LEVELS)


def test_numbers_with_a_mistake_are_refused() -> None:
    values = [str(number) for number in range(30)]
    values[7] = "1,5"

    with pytest.raises(DatasetError, match=r"but for 1 value \(first '1,5' in row 7\)"):
        encode(values)


def test_few_levels_may_look_like_numbers() -> None:
    assert encode(["0", "1", "2", "3+"] * 9)[0] == ("a=0", "a=1", "a=2", "a=3+")


def test_a_level_called_like_a_column_is_refused() -> None:
    texts = text_columns(pd.DataFrame({"a": ["x", "y"]}))

    with pytest.raises(DatasetError, match="both called 'a=x'"):
        encoded({"a=x": np.zeros(2)}, texts, ["a=x", "a"], np.arange(2), SOURCE)

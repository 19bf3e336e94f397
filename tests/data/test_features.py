import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gnbbench.data.columns import Columns
from gnbbench.data.samples import (
    MOST_LEVELS,
    complete_rows,
    encoded,
    numbers_of,
    refuse_infinite,
    text_columns,
)
from gnbbench.data.sources import ErrorContext
from gnbbench.errors import DatasetError

SOURCE = ErrorContext("data")


def columns_named(*features: str) -> Columns:
    return Columns("data", features, "y", (), "error")


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
        (
            {"a": ["1,5", "1"]},
            "numbers in column 'a' have commas .such as '1,5' in row 0.*1,5 as 1.5",
        ),
        ({"a": ["1,000"], "b": ["2,5"]}, "numbers in columns 'a', 'b' have commas"),
        ({"a": ["1.000,5"]}, r"column 'a' have commas .*1\.000,5 as 1000\.5"),
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
    refuse_infinite(np.array([[1e308, np.nan]]), ["a", "b"], SOURCE)


@pytest.mark.parametrize(
    ("missing", "rule", "expected"),
    [
        ([[0, 0], [1, 0], [1, 1]], "drop", [True, False, False]),
        ([[0, 0], [0, 0]], "drop", [True, True]),
        ([[0, 0], [0, 0]], "error", [True, True]),
        (
            [[0, 0], [1, 0], [1, 1]],
            "error",
            "3 missing values in 2 of 3 rows, first in row 1, column 'a'",
        ),
        ([[1, 0], [1, 1]], "drop", "no row is complete; 'a' has no value"),
        ([[1, 0], [1, 0], [0, 1]], "drop", "'a' has the most missing"),
    ],
)
def test_incomplete_rows_go_on_request_or_are_refused(
    missing: list[list[int]], rule: str, expected: Any
) -> None:
    gaps = np.array(missing, dtype=bool)
    if isinstance(expected, list):
        assert complete_rows(gaps, ("a", "b"), rule, SOURCE).tolist() == expected
        return

    with pytest.raises(DatasetError, match=expected):
        complete_rows(gaps, ("a", "b"), rule, SOURCE)


def test_columns_equal_those_of_pandas() -> None:
    rng = np.random.default_rng(0)
    levels = ["b", "a", "B", "é", "10"]
    table = pd.DataFrame({name: rng.choice(levels, 50) for name in ("u", "v")})

    texts = text_columns(table)
    columns, X = encoded(columns_named("u", "v"), {}, texts, np.arange(50), SOURCE)

    wanted = pd.get_dummies(table, prefix_sep="=", dtype=float)
    assert columns.names == tuple(wanted.columns)
    assert np.array_equal(X, wanted.to_numpy())
    assert X.flags.c_contiguous


def test_only_columns_with_text_are_taken_and_a_missing_text_is_known_as_missing() -> None:
    columns = {"a": ["1", "2.5"] * 2, "b": ["?", "NA"] * 2}
    frame = pd.DataFrame({**columns, "c": ["x", "?", None, " y "]})

    texts = text_columns(frame.assign(d=True))
    kept, X = encoded(columns_named("c"), {}, texts, np.array([0, 3]), SOURCE)

    assert list(texts) == ["c"]
    assert texts["c"].isna().tolist() == [False, True, True, False]
    assert kept.names == ("c=x", "c=y")
    assert X.tolist() == [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["0", "1", "2", "3+"] * 9, ("a=0", "a=1", "a=2", "a=3+")),
        ([*"xyzx"], ("a=x", "a=y", "a=z")),
        ([f"id{n}" for n in range(MOST_LEVELS)], MOST_LEVELS),
        ([f"id{n}" for n in range(MOST_LEVELS + 1)], "'a' has 257 categories in 257 rows"),
        (
            [*map(str, range(7)), "1,5", *map(str, range(22))],
            "but for 1 value (first '1,5' in row 7)",
        ),
        (["x", "y" * 1001], "'a' has a category of 1,001 characters; 1,000"),
    ],
)
def test_an_identifier_and_numbers_with_a_mistake_are_not_levels(
    values: list[str], expected: Any
) -> None:
    texts = text_columns(pd.DataFrame({"a": values}))
    request: Any = columns_named("a"), {}, texts, np.arange(len(values)), SOURCE
    if not isinstance(expected, str):
        names = encoded(*request)[0].names
        assert expected in {names, len(names)}
        return

    with pytest.raises(DatasetError, match=re.escape(expected)):
        encoded(*request)


def test_a_level_called_like_a_column_is_refused() -> None:
    texts, both = text_columns(pd.DataFrame({"a": ["x", "y"]})), columns_named("a=x", "a")

    with pytest.raises(DatasetError, match="both called 'a=x'"):
        encoded(both, {"a=x": np.zeros(2)}, texts, np.arange(2), SOURCE)

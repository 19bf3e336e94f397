import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gnbbench.data.columns import Columns, comparison_in
from gnbbench.data.samples import (
    MOST_LEVELS,
    complete_rows,
    encoded,
    labels_from_array,
    labels_from_comparison,
    labels_from_text,
    numbers_of,
    refuse_infinite,
    text_columns,
)
from gnbbench.data.sources import ErrorContext
from gnbbench.errors import DatasetError, GnbBenchError

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


@pytest.mark.parametrize(
    ("labels_of", "values", "labels", "kind"),
    [
        (labels_from_text, ["1", "2"], [1, 2], "i"),
        (labels_from_text, ["-1", "1.0"], [-1, 1], "i"),
        (labels_from_text, ["True", "false"], [True, False], "b"),
        (labels_from_text, ["1", "b"], ["1", "b"], "U"),
        (labels_from_text, [" a ", "b"], ["a", "b"], "U"),
        (labels_from_text, ["<script>", "é"], ["<script>", "é"], "U"),
        (labels_from_array, np.array([1, 0], dtype=np.int8), [1, 0], "i"),
        (labels_from_array, np.array([1.0, 0.0], dtype=np.float32), [1, 0], "i"),
        (labels_from_array, np.array([True, False]), [True, False], "b"),
        (labels_from_array, np.array(["b", "a"], dtype=object), ["b", "a"], "U"),
        (labels_from_array, np.array([1, 2.0], dtype=object), [1, 2], "i"),
        (labels_from_array, np.array([True, False], dtype=object), [True, False], "b"),
        (labels_from_array, np.array([b"x", b"y"]), ["x", "y"], "U"),
    ],
)
def test_labels_become_the_simplest_kind(
    labels_of: Any, values: Any, labels: Any, kind: str
) -> None:
    y = labels_of(values, "y", SOURCE)

    assert y.tolist() == labels
    assert y.dtype.kind == kind
    assert not np.shares_memory(y, np.asarray(values))


@pytest.mark.parametrize(
    ("text", "values", "labels"),
    [
        ("x>=10", ["9", "10", "10.0", "-1e2"], [0, 1, 1, 0]),
        ("x<0.1", ["0.1", "0.09999999999999999", ".1"], [0, 1, 0]),
        ("x==2", ["2.0", "2", "2.5"], [1, 1, 0]),
        ("x!=0", ["-0", "inf"], [0, 1]),
        ("x=='b'", ["a", "b", "B"], [0, 1, 0]),
        ("x<'b'", ["a", "b", "10"], [1, 0, 1]),
        ("x=='1'", ["1", "3+", "1.0"], [1, 0, 0]),
    ],
)
def test_rows_are_on_the_side_where_they_belong(
    text: str, values: list[str], labels: list[int]
) -> None:
    assert labels_from_comparison(comparison_in(text), values, SOURCE).tolist() == labels


def by(comparison: str) -> Any:
    """Return what parts rows by a comparison."""
    return lambda values, _, source: labels_from_comparison(
        comparison_in(comparison), values, source
    )


CONTINUOUS = "target 'y' is continuous"
LARGE = r"target 'y' has a whole number of 2\*\*53 or more in size, first"
MISSING = "1 labels are missing"


@pytest.mark.parametrize(
    ("labels_of", "values", "message"),
    [
        (
            labels_from_text,
            ["1", "0.5"],
            f"{CONTINUOUS}: 2 distinct numbers, first 0.5 in row 1",
        ),
        (labels_from_text, ["1", "inf"], CONTINUOUS),
        (labels_from_text, ["1", "9007199254740993"], f"{LARGE} in row 1. Number the"),
        (labels_from_text, ["1e300", "1.5"], CONTINUOUS),
        (labels_from_array, np.array([1, 2**70], dtype=object), f"{LARGE} in row 1"),
        (labels_from_array, np.array([-1, 2**63], dtype=object), f"{LARGE} in row 1"),
        (labels_from_text, ["a", "a"], "target 'y' has only one class, 'a'"),
        (labels_from_text, ["a", "b" * 1001], "row 1 has 1,001 characters in 'y'"),
        (labels_from_array, np.array([1.5, 2.0]), CONTINUOUS),
        (labels_from_array, np.array([1.0, np.nan]), f"{MISSING}, first in row 1"),
        (labels_from_array, np.array(["a", None], dtype=object), MISSING),
        (labels_from_array, np.array(["a", 1], dtype=object), "mix text with other values"),
        (labels_from_array, np.array([1j, 2j]), "labels of dtype complex128 cannot be"),
        (labels_from_array, np.array([3, 3]), "only one class, '3'"),
        (by("x>1"), ["2", "GP"], r"holds text \(first 'GP' in row 1\).*== 'GP'"),
        (by("x>1"), ["1_0", "2"], "first '1_0' in row 0"),
        (by("x>'10'"), ["9", "100"], "'x' holds numbers.*without quotes, such as > 9"),
        (by("x>=100"), ["9", "20"], "'x >= 100' holds in no row of data, whose values run"),
        (by("x<100"), ["9", "20"], "'x < 100' holds in every row of data"),
        (by("x=='c'"), ["a", "b"], r"holds in no row of data\."),
    ],
)
def test_unusable_labels_are_refused(labels_of: Any, values: Any, message: str) -> None:
    with pytest.raises(GnbBenchError, match=message):
        labels_of(values, "y", SOURCE)

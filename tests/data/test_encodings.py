"""Text becomes columns of 0 and 1, as pandas makes them, or is refused."""

import numpy as np
import pandas as pd
import pytest

from gnbbench.data.encodings import MOST_LEVELS, encoded, text_columns
from gnbbench.data.sources import ArraySource
from gnbbench.errors import DatasetError

SOURCE = ArraySource("data")


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

    assert column.missing.tolist() == [False, True, True, False, True]
    levels = column.levels(np.array([0, 3]), SOURCE)
    assert {name: holds.tolist() for name, holds in levels.items()} == {
        "a=x": [True, False],
        "a=y": [False, True],
    }


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

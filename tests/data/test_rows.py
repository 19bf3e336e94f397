import numpy as np
import pytest

from gnbbench.data.rows import complete_rows
from gnbbench.data.sources import ArraySource
from gnbbench.errors import DatasetError, OptionError

SOURCE = ArraySource("data")
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


def test_another_rule_is_refused() -> None:
    with pytest.raises(OptionError, match="--missing: 'fill' is no choice"):
        complete_rows(MISSING, ("a", "b"), "fill", SOURCE)

"""Labels of a comparison: both sides occur, and like is compared with like."""

import pytest

from gnbbench.data.compared_labels import labels_from_comparison
from gnbbench.data.comparisons import Comparison, comparison_in
from gnbbench.data.sources import ArraySource
from gnbbench.errors import DatasetError, OptionError

SOURCE = ArraySource("data")


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


def test_text_is_not_compared_as_a_number() -> None:
    with pytest.raises(DatasetError, match=r"holds text \(first 'GP' in row 1\).*== 'GP'"):
        labels_from_comparison(Comparison("school", ">", 1.0), ["2", "GP"], SOURCE)
    with pytest.raises(DatasetError, match="first '1_0' in row 0"):
        labels_from_comparison(Comparison("school", ">", 1.0), ["1_0", "2"], SOURCE)


def test_numbers_are_not_compared_as_text() -> None:
    with pytest.raises(
        DatasetError, match=r"'x' holds numbers.*without quotes, such as > 9"
    ):
        labels_from_comparison(Comparison("x", ">", "10"), ["9", "100"], SOURCE)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x>=100", "'x >= 100' holds in no row of data, whose values run from 9 to 20"),
        ("x<100", "'x < 100' holds in every row of data"),
    ],
)
def test_rows_all_on_one_side_are_refused(text: str, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        labels_from_comparison(comparison_in(text), ["9", "20"], SOURCE)


def test_text_all_on_one_side_is_refused_without_a_range() -> None:
    with pytest.raises(OptionError, match=r"holds in no row of data\."):
        labels_from_comparison(comparison_in("x=='c'"), ["a", "b"], SOURCE)

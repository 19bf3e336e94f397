from typing import Any

import numpy as np
import pytest

from gnbbench.data.columns import comparison_in
from gnbbench.data.samples import (
    labels_from_array,
    labels_from_comparison,
    labels_from_text,
)
from gnbbench.data.sources import ErrorContext
from gnbbench.errors import GnbBenchError

SOURCE = ErrorContext("data")


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

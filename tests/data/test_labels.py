from typing import Any

import numpy as np
import pytest

from gnbbench.data.labels import labels_from_array, labels_from_text
from gnbbench.data.sources import ArraySource
from gnbbench.errors import DatasetError

SOURCE = ArraySource("data")


@pytest.mark.parametrize(
    ("texts", "labels", "kind"),
    [
        (["1", "2"], [1, 2], "i"),
        (["-1", "1.0"], [-1, 1], "i"),
        (["True", "false"], [True, False], "b"),
        (["1", "b"], ["1", "b"], "U"),
        ([" a ", "b"], ["a", "b"], "U"),
        (["<script>", "é"], ["<script>", "é"], "U"),
    ],
)
def test_text_becomes_the_simplest_kind(texts: list[str], labels: Any, kind: str) -> None:
    y = labels_from_text(texts, "y", SOURCE)

    assert y.tolist() == labels
    assert y.dtype.kind == kind


@pytest.mark.parametrize(
    ("values", "labels", "kind"),
    [
        (np.array([1, 0], dtype=np.int8), [1, 0], "i"),
        (np.array([1.0, 0.0], dtype=np.float32), [1, 0], "i"),
        (np.array([True, False]), [True, False], "b"),
        (np.array(["b", "a"], dtype=object), ["b", "a"], "U"),
        (np.array([1, 2.0], dtype=object), [1, 2], "i"),
        (np.array([True, False], dtype=object), [True, False], "b"),
        (np.array([b"x", b"y"]), ["x", "y"], "U"),
    ],
)
def test_arrays_become_the_simplest_kind(values: Any, labels: Any, kind: str) -> None:
    y = labels_from_array(values, "y", SOURCE)

    assert y.tolist() == labels
    assert y.dtype.kind == kind
    assert not np.shares_memory(y, values)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["1", "0.5"], "target 'y' is continuous: 2 distinct numbers, first 0.5 in row 1"),
        (["1", "inf"], "target 'y' is continuous"),
        (["9007199254740993", "1"], "target 'y' is continuous"),
        (["a", "a"], "target 'y' has one class only, 'a'"),
    ],
)
def test_texts_that_are_no_labels_are_refused(texts: list[str], message: str) -> None:
    with pytest.raises(DatasetError, match=message):
        labels_from_text(texts, "y", SOURCE)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.array([1.5, 2.0]), "target 'y' is continuous"),
        (np.array([1.0, np.nan]), "1 labels are missing, first in row 1"),
        (np.array(["a", None], dtype=object), "1 labels are missing"),
        (np.array(["a", 1], dtype=object), "mix text with other values"),
        (np.array([1j, 2j]), "labels of dtype complex128 cannot serve"),
        (np.array([3, 3]), "one class only, '3'"),
    ],
)
def test_arrays_that_are_no_labels_are_refused(values: Any, message: str) -> None:
    with pytest.raises(DatasetError, match=message):
        labels_from_array(values, "y", SOURCE)

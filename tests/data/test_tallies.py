from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from gnbbench.data import tallies
from gnbbench.data.chunks import Chunk
from gnbbench.data.labels import labels_from_text
from gnbbench.data.sources import ArraySource
from gnbbench.data.tallies import LabelTally, labels_from_values
from gnbbench.errors import DatasetError


class Lines:
    """A stretch that only knows its places."""

    def place(self, row: int) -> str:
        return f"line {row + 1}"

    def chunks(self, block_rows: int, *, labels_only: bool) -> Any:
        raise NotImplementedError


def tally_of(labels: Sequence[Any], sizes: Sequence[int]) -> LabelTally:
    tally = LabelTally("a", "y")
    start = 0
    for size in sizes:
        piece = labels[start : start + size]
        values = sorted(set(piece) | {"nobody's"}, key=str, reverse=True)
        indices = np.array([values.index(label) for label in piece], dtype=np.intp)
        chunk = Chunk(start, values, indices, np.empty((len(piece), 0)))
        tally.add(chunk, Lines(), np.arange(len(piece)))
        start += size
    return tally


def test_labels_are_sorted_and_counted() -> None:
    labels = tally_of(["b", "a", "c", "b", "b"], [2, 3]).labels(labels_from_text)

    assert labels.classes.tolist() == ["a", "b", "c"]
    assert labels.counts.tolist() == [1, 3, 1]
    assert labels.codes == {"a": 0, "b": 1, "c": 2}


def test_spellings_of_one_label_are_one_class() -> None:
    labels = tally_of(["1", "2", "1.0", "1"], [4]).labels(labels_from_text)

    assert labels.classes.tolist() == [1, 2]
    assert labels.counts.tolist() == [3, 1]
    assert labels.codes == {"1": 0, "1.0": 0, "2": 1}


@pytest.mark.parametrize("sizes", [[1] * 6, [2, 4], [5, 1]])
def test_the_digest_does_not_know_how_rows_were_cut(sizes: list[int]) -> None:
    given = ["b", "a", "c", "b", "b", "a"]
    whole = tally_of(given, [6]).labels(labels_from_text)

    assert tally_of(given, sizes).labels(labels_from_text).sha256 == whole.sha256


@pytest.mark.parametrize(
    "other",
    [
        ["b", "a", "c", "b", "a", "b"],
        ["b", "a", "c", "b", "b"],
        ["a", "b", "c", "a", "a", "b"],
        ["x", "a", "c", "x", "x", "a"],
    ],
)
def test_other_labels_have_another_digest(other: list[str]) -> None:
    given = tally_of(["b", "a", "c", "b", "b", "a"], [6]).labels(labels_from_text)

    assert tally_of(other, [6]).labels(labels_from_text).sha256 != given.sha256


def test_rows_left_out_count_nowhere() -> None:
    tally = LabelTally("a", "y")
    chunk = Chunk(0, ["a", "b", "c"], np.array([2, 0, -1, 1]), np.empty((4, 0)))
    tally.add(chunk, Lines(), np.array([1, 3]))

    labels = tally.labels(labels_from_text)

    assert labels.classes.tolist() == ["a", "b"]
    assert labels.counts.tolist() == [1, 1]


def test_a_label_that_cannot_serve_is_found_where_it_was_first_seen() -> None:
    tally = tally_of(["1", "2", "1", "2.5", "3.5"], [2, 3])

    with pytest.raises(DatasetError, match=r"first 2.5 in line 4"):
        tally.labels(labels_from_text)


def test_more_labels_than_classes_can_be_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tallies, "MOST_LABELS", 3)

    tally_of(["a", "b", "c"], [3])
    with pytest.raises(DatasetError, match=r"target 'y' has more than 3 labels. Cut it"):
        tally_of(["a", "b", "c", "d"], [3, 1])


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, -1], "i"),
        ([2**63, 1], "u"),
        ([1.0, 2.0], "i"),
        ([True, False], "b"),
        (["a", "b"], "U"),
    ],
)
def test_values_become_labels_of_their_kind(values: list[Any], kind: str) -> None:
    labels = labels_from_values(values, "y", ArraySource("a"))

    assert labels.tolist() == values
    assert labels.dtype.kind == kind

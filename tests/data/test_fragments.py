import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gnbbench.data import fragments
from gnbbench.data.columns import Columns
from gnbbench.data.fragments import (
    FileFingerprint,
    FileFragment,
    LabelTally,
    RawBatch,
    batch_length,
    first_look,
    labels_from_values,
)
from gnbbench.data.labels import labels_from_text
from gnbbench.data.sources import Source
from gnbbench.errors import DatasetError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a"
    path.write_text("12")
    return path


def test_a_file_left_alone_is_the_same(path: Path) -> None:
    mark = FileFingerprint.of(path)
    path.read_text()

    mark.refuse_changed()


def test_another_size_is_a_change_even_at_the_same_time(path: Path) -> None:
    mark = FileFingerprint.of(path)
    path.write_text("123")
    os.utime(path, ns=(mark.modified_ns, mark.modified_ns))

    with pytest.raises(DatasetError, match="a: it changed since it was first looked at"):
        mark.refuse_changed()


def test_another_time_is_a_change_even_at_the_same_size(path: Path) -> None:
    mark = FileFingerprint.of(path)
    os.utime(path, ns=(mark.modified_ns, mark.modified_ns + 1000))

    with pytest.raises(DatasetError, match="it changed since"):
        mark.refuse_changed()


def test_a_file_that_is_gone_is_a_change(path: Path) -> None:
    mark = FileFingerprint.of(path)
    path.unlink()

    with pytest.raises(DatasetError, match="it is gone since"):
        mark.refuse_changed()


def test_a_file_that_never_was_cannot_be_marked(path: Path) -> None:
    with pytest.raises(DatasetError, match="there is no such file"):
        FileFingerprint.of(path.with_name("b"))


def test_messages_show_the_path_as_it_was_given(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(path.parent)
    mark = FileFingerprint.of(Path("a"))
    path.unlink()

    assert mark.path == path
    with pytest.raises(DatasetError, match=r"^a: it is gone"):
        mark.refuse_changed()


COLUMNS = Columns("a", ("x", "z"), "y", (), "error")


@dataclass(frozen=True)
class Rows:
    """A stretch of rows that are known: (x, z, label)."""

    rows: tuple[tuple[float, float, str], ...]

    def place(self, row: int) -> str:
        return f"row {row}"

    def raw_batches(self, block_rows: int, *, labels_only: bool) -> Iterator[RawBatch]:
        values = sorted({label for _, _, label in self.rows} - {""})
        for start in range(0, len(self.rows), block_rows):
            rows = self.rows[start : start + block_rows]
            X = np.array([row[:2] for row in rows])[:, : 0 if labels_only else 2]
            indices = [values.index(row[2]) if row[2] else -1 for row in rows]
            yield RawBatch(start, values, np.array(indices), X)


GOOD = Rows(((1, 2, "a"), (3, 4, "b"), (5, 6, "a")))
GAPPY = Rows(((1, np.nan, "a"), (3, 4, "c"), (np.nan, 6, "b"), (np.nan, 8, "")))


def part_of(first: Rows, /, **changed: Any) -> FileFragment:
    part = first_look([first], COLUMNS, labels_from_text, 2)[1][0]
    assert isinstance(part, FileFragment)
    return replace(part, **changed)


def test_parts_are_numbered_one_after_the_other() -> None:
    labels, fragments = first_look(
        [GOOD, GOOD, Rows(()), GOOD], COLUMNS, labels_from_text, 2
    )

    assert [(part.first_row, part.n_rows) for part in fragments] == [
        (0, 3),
        (3, 3),
        (6, 3),
    ]
    assert labels.counts.tolist() == [6, 3]
    firsts = [block.first_row for part in fragments for block in part.batches()]
    assert firsts == [0, 2, 3, 5, 6, 8]


def test_rows_left_out_have_no_number() -> None:
    columns = replace(COLUMNS, missing="drop")

    labels, fragments = first_look([GAPPY, GOOD], columns, labels_from_text, 3)

    assert labels.classes.tolist() == ["a", "b", "c"]
    assert labels.counts.tolist() == [2, 1, 1]
    blocks = [block for part in fragments for block in part.batches()]
    assert [block.first_row for block in blocks] == [0, 1]
    assert [block.codes.tolist() for block in blocks] == [[2], [0, 1, 0]]
    assert blocks[0].X.tolist() == [[3, 4]]


def test_a_missing_label_is_an_error_at_the_first_look() -> None:
    with pytest.raises(DatasetError, match="missing values, first in row 3, column 'y'"):
        first_look([GAPPY], COLUMNS, labels_from_text, 2)


def test_a_missing_feature_is_an_error_when_it_is_read() -> None:
    part = part_of(Rows(GAPPY.rows[:3]))

    with pytest.raises(DatasetError, match="missing values, first in row 0, column 'z'"):
        list(part.batches())


def test_an_infinite_value_matters_only_in_a_row_that_is_kept() -> None:
    columns = replace(COLUMNS, missing="drop")
    dropped = Rows(((np.inf, np.nan, "a"), *GOOD.rows))
    kept = Rows((*GOOD.rows, (1, -np.inf, "a")))

    assert first_look([dropped], columns, labels_from_text, 9)[0].counts.sum() == 3
    with pytest.raises(
        DatasetError, match=r"infinite or too large, first in row 3, col.* 'z'"
    ):
        first_look([kept], columns, labels_from_text, 9)


@pytest.mark.parametrize(
    "now",
    [Rows(GOOD.rows[:2]), Rows(GOOD.rows * 2), Rows(()), Rows((*GOOD.rows, (0, 0, "a")))],
)
def test_another_number_of_rows_is_an_error(now: Rows) -> None:
    part = part_of(GOOD, reader=now)

    with pytest.raises(DatasetError, match="its rows from row 0 changed in number since"):
        list(part.batches())


def test_a_label_never_seen_is_an_error() -> None:
    part = part_of(GOOD, reader=Rows((*GOOD.rows[:2], (5, 6, "z"))))

    with pytest.raises(DatasetError, match="labels after row 2 changed since"):
        list(part.batches())


def test_no_row_is_an_error() -> None:
    with pytest.raises(DatasetError, match="it has no row"):
        first_look([], COLUMNS, labels_from_text, 2)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (((np.nan, 1, "a"), (np.nan, 2, "b")), "'x' has no value. Leave out: --drop x"),
        (((np.nan, 1, "a"), (1, np.nan, "b"), (1, np.nan, "")), "'z' has the most missing"),
    ],
)
def test_no_complete_row_names_the_worst_column(rows: Any, message: str) -> None:
    columns = replace(COLUMNS, missing="drop")

    with pytest.raises(DatasetError, match=f"no row is complete; {message}"):
        first_look([Rows(rows)], columns, labels_from_text, 2)


@pytest.mark.parametrize("n_features", [1, 20, 784, 2**21])
def test_a_block_has_sixteen_mebibytes_or_one_row(n_features: int) -> None:
    n_rows = batch_length(n_features)

    assert n_rows >= 1
    assert n_rows == 1 or n_rows * n_features * 8 <= 2**24
    assert (n_rows + 1) * n_features * 8 > 2**24


class Lines:
    """A stretch that only knows its places."""

    def place(self, row: int) -> str:
        return f"line {row + 1}"

    def raw_batches(self, block_rows: int, *, labels_only: bool) -> Any:
        raise NotImplementedError


def tally_of(labels: Sequence[Any], sizes: Sequence[int]) -> LabelTally:
    tally = LabelTally("a", "y")
    start = 0
    for size in sizes:
        piece = labels[start : start + size]
        values = sorted(set(piece) | {"nobody's"}, key=str, reverse=True)
        indices = np.array([values.index(label) for label in piece], dtype=np.intp)
        chunk = RawBatch(start, values, indices, np.empty((len(piece), 0)))
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
    chunk = RawBatch(0, ["a", "b", "c"], np.array([2, 0, -1, 1]), np.empty((4, 0)))
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
    monkeypatch.setattr(fragments, "MOST_LABELS", 3)

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
    labels = labels_from_values(values, "y", Source("a"))

    assert labels.tolist() == values
    assert labels.dtype.kind == kind

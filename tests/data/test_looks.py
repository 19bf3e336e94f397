from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from gnbbench.data.chunks import Chunk
from gnbbench.data.labels import labels_from_text
from gnbbench.data.looks import StretchFragment, block_length, first_look
from gnbbench.data.stream_columns import Columns
from gnbbench.errors import DatasetError

COLUMNS = Columns("a", ("x", "z"), "y", (), "error")


@dataclass(frozen=True)
class Rows:
    """A stretch of rows that are known: (x, z, label)."""

    rows: tuple[tuple[float, float, str], ...]

    def place(self, row: int) -> str:
        return f"row {row}"

    def chunks(self, block_rows: int, *, labels_only: bool) -> Iterator[Chunk]:
        values = sorted({label for _, _, label in self.rows} - {""})
        for start in range(0, len(self.rows), block_rows):
            rows = self.rows[start : start + block_rows]
            X = np.array([row[:2] for row in rows])[:, : 0 if labels_only else 2]
            indices = [values.index(row[2]) if row[2] else -1 for row in rows]
            yield Chunk(start, values, np.array(indices), X)


GOOD = Rows(((1, 2, "a"), (3, 4, "b"), (5, 6, "a")))
GAPPY = Rows(((1, np.nan, "a"), (3, 4, "c"), (np.nan, 6, "b"), (np.nan, 8, "")))


def part_of(first: Rows, /, **changed: Any) -> StretchFragment:
    part = first_look([first], COLUMNS, labels_from_text, 2).fragments[0]
    assert isinstance(part, StretchFragment)
    return replace(part, **changed)


def test_parts_are_numbered_one_after_the_other() -> None:
    look = first_look([GOOD, GOOD, Rows(()), GOOD], COLUMNS, labels_from_text, 2)

    assert [(part.first_row, part.n_rows) for part in look.fragments] == [
        (0, 3),
        (3, 3),
        (6, 3),
    ]
    assert look.class_counts.tolist() == [6, 3]
    firsts = [block.first_row for part in look.fragments for block in part.batches()]
    assert firsts == [0, 2, 3, 5, 6, 8]


def test_rows_left_out_have_no_number() -> None:
    columns = replace(COLUMNS, missing="drop")

    look = first_look([GAPPY, GOOD], columns, labels_from_text, 3)

    assert look.classes.tolist() == ["a", "b", "c"]
    assert look.class_counts.tolist() == [2, 1, 1]
    blocks = [block for part in look.fragments for block in part.batches()]
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

    assert first_look([dropped], columns, labels_from_text, 9).class_counts.sum() == 3
    with pytest.raises(
        DatasetError, match=r"infinite or too large, first in row 3, col.* 'z'"
    ):
        first_look([kept], columns, labels_from_text, 9)


@pytest.mark.parametrize(
    "now",
    [Rows(GOOD.rows[:2]), Rows(GOOD.rows * 2), Rows(()), Rows((*GOOD.rows, (0, 0, "a")))],
)
def test_another_number_of_rows_is_an_error(now: Rows) -> None:
    part = part_of(GOOD, stretch=now)

    with pytest.raises(DatasetError, match="its rows from row 0 changed in number since"):
        list(part.batches())


def test_a_label_never_seen_is_an_error() -> None:
    part = part_of(GOOD, stretch=Rows((*GOOD.rows[:2], (5, 6, "z"))))

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
    n_rows = block_length(n_features)

    assert n_rows >= 1
    assert n_rows == 1 or n_rows * n_features * 8 <= 2**24
    assert (n_rows + 1) * n_features * 8 > 2**24

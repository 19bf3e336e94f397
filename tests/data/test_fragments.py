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
    Labels,
    RawBatch,
    batch_length,
    first_look,
)
from gnbbench.data.samples import labels_from_text
from gnbbench.errors import DatasetError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a"
    path.write_text("12")
    return path


@pytest.mark.parametrize(
    ("content", "later_ns", "message"),
    [
        ("12", 0, ""),
        ("123", 0, "it changed during the study"),
        ("12", 1000, "it changed during the study"),
        (None, 0, "it disappeared during the study"),
    ],
)
def test_a_file_is_the_same_while_size_and_time_are(
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    content: str | None,
    later_ns: int,
    message: str,
) -> None:
    """Messages show the path as it was given, wherever the file is read."""
    monkeypatch.chdir(path.parent)
    fingerprint = FileFingerprint.of(Path("a"))
    monkeypatch.chdir("/")
    path.unlink()
    if content is not None:
        path.write_text(content)
        os.utime(path, ns=(0, fingerprint.modified_ns + later_ns))

    assert fingerprint.path == path
    if not message:
        fingerprint.refuse_changed()
        return
    with pytest.raises(DatasetError, match=f"^a: {message}"):
        fingerprint.refuse_changed()


def test_a_file_that_never_was_has_no_fingerprint(path: Path) -> None:
    with pytest.raises(DatasetError, match="there is no such file"):
        FileFingerprint.of(path.with_name("b"))


COLUMNS = Columns("a", ("x", "z"), "y", (), "error")


@dataclass(frozen=True)
class Rows:
    """Reads rows that are known: (x, z, label)."""

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


def test_fragments_are_numbered_one_after_another() -> None:
    readers = [GOOD, GOOD, Rows(()), GOOD]

    labels, fragments = first_look(readers, COLUMNS, labels_from_text, 2)

    numbers = [(fragment.first_row, fragment.n_rows) for fragment in fragments]
    assert numbers == [(0, 3), (3, 3), (6, 3)]
    assert labels.counts.tolist() == [6, 3]
    firsts = [batch.first_row for fragment in fragments for batch in fragment.batches()]
    assert firsts == [0, 2, 3, 5, 6, 8]


@pytest.mark.parametrize(
    ("readers", "missing", "message"),
    [
        ([], "error", "it has no row. Add rows."),
        ([GAPPY], "error", "missing values, first in row 3, column 'y'"),
        (
            [Rows((*GOOD.rows, (1, -np.inf, "a")))],
            *("drop", "values infinite or too large, first in row 3, column 'z'"),
        ),
        (
            [Rows(((np.nan, 1, "a"), (np.nan, 2, "b")))],
            *("drop", "no row is complete; 'x' has no value. Leave out: --drop x"),
        ),
        (
            [Rows(((np.nan, 1, "a"), (1, np.nan, "b"), (1, np.nan, "")))],
            *("drop", "no row is complete; 'z' has the most missing. Leave out: --drop z"),
        ),
    ],
)
def test_the_first_look_names_what_is_wrong(
    readers: list[Rows], missing: str, message: str
) -> None:
    with pytest.raises(DatasetError, match=message):
        first_look(readers, replace(COLUMNS, missing=missing), labels_from_text, 2)


@pytest.mark.parametrize(
    ("first", "now", "message"),
    [
        (GAPPY.rows[:3], GAPPY.rows[:3], "missing values, first in row 0, column 'z'"),
        (GOOD.rows, GOOD.rows[:2], "its rows from row 0 changed in number during"),
        (GOOD.rows, GOOD.rows * 2, "its rows from row 0 changed in number during"),
        (GOOD.rows, (), "its rows from row 0 changed in number during"),
        (GOOD.rows, (*GOOD.rows, (0, 0, "a")), "its rows from row 0 changed in number"),
        (GOOD.rows, (*GOOD.rows[:2], (5, 6, "z")), "labels after row 2 changed during"),
    ],
)
def test_reading_names_what_is_wrong(first: Any, now: Any, message: str) -> None:
    _, (fragment,) = first_look([Rows(first)], COLUMNS, labels_from_text, 2)
    assert isinstance(fragment, FileFragment)

    with pytest.raises(DatasetError, match=message):
        list(replace(fragment, reader=Rows(now)).batches())


@pytest.mark.parametrize("n_features", [1, 20, 784, 2**21])
def test_a_batch_has_sixteen_mebibytes_or_one_row(n_features: int) -> None:
    n_rows = batch_length(n_features)

    assert n_rows >= 1
    assert n_rows == 1 or n_rows * n_features * 8 <= 2**24
    assert (n_rows + 1) * n_features * 8 > 2**24


def labels_of(labels: Sequence[str], block_rows: int = 9) -> Labels:
    rows = Rows(tuple((0.0, 0.0, label) for label in labels))
    return first_look([rows], COLUMNS, labels_from_text, block_rows)[0]


def test_the_digest_knows_all_labels_but_not_how_rows_were_cut() -> None:
    digest = labels_of("bacbba").sha256

    assert {labels_of("bacbba", size).sha256 for size in (1, 2, 5)} == {digest}
    for other in ("bacbab", "bacbb", "abcaab", "xacxxa"):
        assert labels_of(other).sha256 != digest


def test_labels_too_many_for_classes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fragments, "MOST_LABELS", 3)

    labels_of("abc")
    with pytest.raises(DatasetError, match=r"target 'y' has more than 3 labels. Cut it"):
        labels_of("abcd", 3)

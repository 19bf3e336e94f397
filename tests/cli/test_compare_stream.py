"""``gnbbench compare --stream``: what it leaves behind, and what it refuses in one line."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from faults.streams import stream_of_arrays
from reading.commands import assert_refused, call, left_out
from sklearn.datasets import load_wine

from gnbbench.data.stream import Stream
from gnbbench.errors import DatasetError
from gnbbench.measurement import streaming
from gnbbench.studies import stream as interface


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Open wine in place of any file, in an empty directory; list the requests."""
    X, y = load_wine(return_X_y=True)
    asked: list[dict[str, Any]] = []

    def open_stream(source: str, **given: Any) -> Stream:
        asked.append({"source": source, **given})
        if "torn" in str(source):
            raise DatasetError(str(source), "it ends in row 7", "Fetch it again.")
        block_rows = given.get("block_rows", 32)
        rows = np.tile(X, (3, 1)), np.tile(y, 3)
        stream: Stream = stream_of_arrays(*rows, block_rows=block_rows)
        return stream

    monkeypatch.setattr("gnbbench.report.blocks.draw_figure", left_out)
    monkeypatch.setattr(interface, "open_stream", open_stream)
    monkeypatch.setattr("gnbbench.studies.kinds.check", lambda *_, **__: None)
    monkeypatch.chdir(tmp_path)
    return asked


@pytest.mark.parametrize(("block_rows", "few"), [(1000, True), (40, False)])
def test_options_reach_the_stream_and_too_few_blocks_to_time_are_a_remark(
    opened: list[dict[str, Any]], block_rows: int, *, few: bool
) -> None:
    arguments = ["compare", "big.parquet", "--target", "y", "--stream", "--drop", "id"]

    code, out, _ = call(*arguments, "--block-rows", str(block_rows), "--json")

    document = json.loads(out)
    assert (code, document["plan"]["block_rows"]) == (0, block_rows)
    asked = {"target": "y", "drop": ("id",), "block_rows": block_rows}
    assert opened == [{"source": "big.parquet", **asked}]
    remarks = [text for text in document["warnings"] if text.startswith("Too few blocks")]
    assert remarks == few * [
        "Too few blocks to time: a pass had 0 after the first two, and an interval needs "
        "at least 6. Try smaller ones: --block-rows 44."
    ]


@pytest.mark.parametrize(("typed", "runs"), [([], 1), (["--runs", "100"], 100)])
@pytest.mark.usefixtures("opened")
def test_a_stream_has_one_run_unless_more_are_asked_for(
    typed: list[str], runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """100 is the default of other comparisons, and can be requested here."""
    asked: list[int] = []

    def passes(*_: Any, **given: Any) -> None:
        asked.append(given["runs"])
        raise DatasetError("big.parquet", "stop", "Here.")

    monkeypatch.setattr(streaming, "passes", passes)

    call("compare", "big.parquet", "--target", "y", "--stream", *typed)

    assert asked == [runs]


REFUSED = [
    (["--runs", "0"], "--runs: 0 is out of range"),
    (["--no-stratify"], "--no-stratify: it cannot be combined with --stream"),
    (["--features", "pca"], "--features: it cannot be combined with --stream"),
    (["--jobs", "2"], "--jobs: one process reads a stream"),
    (["--against", "river-faulty"], "Unknown implementation"),
    (["--test-size", "0"], "--test-size: 0 is out of range"),
    (["--seed", "-1"], "--seed: -1 is out of range"),
]


@pytest.mark.parametrize(("more", "words"), REFUSED, ids=str)
@pytest.mark.usefixtures("opened")
def test_options_incompatible_with_a_stream_exit_2_with_one_line(
    more: list[str], words: str, tmp_path: Path
) -> None:
    command = ["compare", "big.parquet", *more, "--target", "y", "--stream"]

    assert_refused(command, words, tmp_path)


@pytest.mark.usefixtures("opened")
@pytest.mark.parametrize(
    ("name", "more", "message"),
    [
        ("torn.parquet", ["--stream"], "it ends in row 7. Fetch it again."),
        ("a.parquet", [], "only --stream reads such a file. Add --stream."),
        ("A.NPY", [], "only --stream reads such a file. Add --stream."),
    ],
)
def test_a_file_that_cannot_be_read_exits_2(
    name: str, more: list[str], message: str, tmp_path: Path
) -> None:
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    (tmp_path / "A.NPY").write_bytes(b"PAR1")

    command = ["compare", name, "--target", "y", *more]

    assert_refused(command, f"gnbbench: {name}: {message}", tmp_path)

"""Files of a scale study: all there, readable, and linked from the page."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest
from faults.scale import made_records

from gnbbench.errors import ResultsError
from gnbbench.report.scale_documents import TABLES, scale_document
from gnbbench.report.scale_files import write_scale
from gnbbench.statistics.scale import summarize_scale


def test_what_is_written_is_the_summary(tmp_path: Path) -> None:
    summary = summarize_scale(made_records())

    index = write_scale(summary, tmp_path)

    document = json.loads((tmp_path / "summary.json").read_text())
    assert document == scale_document(summary)
    for name in TABLES:
        table = getattr(summary, name)
        read = pd.read_csv(tmp_path / f"{name}.csv")
        assert list(read) == list(table)
        assert len(read) == len(table) == len(document[name])
    for target in re.findall(r'href="([^"#:]+)"', index.read_text()):
        if target != "runs.sqlite":
            assert (tmp_path / target).is_file(), target


def test_a_figure_that_is_no_longer_drawn_is_removed(tmp_path: Path) -> None:
    write_scale(summarize_scale(made_records()), tmp_path)
    records = made_records()
    without = type(records)(**{**vars(records), "memory": records.memory.head(0)})

    write_scale(summarize_scale(without), tmp_path)

    left = {path.stem for path in (tmp_path / "figures").iterdir()}
    assert left == {"scale_samples", "scale_features", "scale_throughput"}


def test_a_directory_that_cannot_be_written_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(ResultsError, match="cannot be written"):
        write_scale(summarize_scale(made_records()), tmp_path / "file")

"""Studies saved by an earlier version are drawn again, with the same words and numbers.

``tests/golden/KIND`` holds the records of a study and what was made of them. A difference
is looked at, then written down by ``pytest --rewrite tests/test_golden.py tests/report``.
"""

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
from reading import Kept
from reading.documents import folded
from typer.testing import CliRunner

from gnbbench.cli.app import app

GOLDEN = Path(__file__).parent / "golden"
KINDS = sorted(path.name for path in GOLDEN.iterdir())
NAMES = ("table.txt", "summary.json", "files.txt")


def drawn_again(kind: str, directory: Path) -> tuple[str, str, str]:
    """Return the table, the summary and the names of the files of a stored study."""
    records = directory / "study" / "runs.sqlite"
    records.parent.mkdir(parents=True)
    records.write_bytes(gzip.decompress((GOLDEN / kind / "runs.sqlite.gz").read_bytes()))
    report = directory / "report"
    command = ["report", str(records.parent), "--out", str(report)]

    done = CliRunner().invoke(app, command, env={"COLUMNS": "80", "NO_COLOR": "1"})

    assert done.exit_code == 0, done.output
    table = done.stdout.partition("\nReport: ")[0]
    summary = json.loads((report / "summary.json").read_text(encoding="utf-8"))
    files = sorted(path.relative_to(report).as_posix() for path in report.rglob("*.*"))
    return table, folded(summary), "\n".join(files)


@pytest.mark.slow
@pytest.mark.usefixtures("unpainted", "texts_as_usual")
@pytest.mark.parametrize("kind", KINDS)
def test_a_stored_study_is_drawn_again_with_the_same_words_and_numbers(
    kind: str, tmp_path: Path, kept: Kept
) -> None:
    texts = drawn_again(kind, tmp_path)

    for name, text in zip(NAMES, texts, strict=True):
        kept(GOLDEN / kind / name, text)


def test_another_number_is_another_summary_and_rows_of_a_table_stand_on_a_line() -> None:
    rows: list[Any] = [{"name": "a" * 200, "value": 0.1}, {"name": "b", "value": None}]

    text = folded({"rows": rows, "command": "c"})

    assert text != folded({"rows": [{**rows[0], "value": 0.2}, rows[1]], "command": "c"})
    lines = ['  "rows": [', f'   ["{"a" * 200}", 0.1],', '   ["b", null]']
    assert text.splitlines()[3:6] == lines
    assert folded([{"a": 1}, {"b": 2}]) == '[{"a": 1}, {"b": 2}]'


def factors_below_one(text: str) -> list[str]:
    """Return factors of "faster" or "slower" below 1."""
    return re.findall(r"(?<![\d.,])0(?:\.\d+)?\s*×?\s*(?:times\s*)?(?:faster|slower)", text)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_a_fraction_of_a_time_faster(kind: str) -> None:
    for name in NAMES:
        text = (GOLDEN / kind / name).read_text(encoding="utf-8")
        assert factors_below_one(text) == []
    assert len(factors_below_one("0.0950 × faster, fit 0.5× slower, 0.2\nfaster")) == 3

"""Studies saved by an earlier version are drawn again, with the same words and numbers.

``tests/golden/KIND`` holds the records of a study, what the terminal showed and
``summary.json``. A difference is looked at, then written down by
``python tests/test_golden.py``.
"""

import gzip
import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gnbbench.cli.app import app

GOLDEN = Path(__file__).parent / "golden"
KINDS = sorted(path.name for path in GOLDEN.iterdir())


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
    return table, json.dumps(summary, indent=1, ensure_ascii=False), "\n".join(files)


def golden_files(kind: str) -> tuple[Path, Path, Path]:
    """Return where the table, the summary and the names of the files are kept."""
    table, summary, files = (
        GOLDEN / kind / name for name in ("table.txt", "summary.json", "files.txt")
    )
    return table, summary, files


@pytest.mark.usefixtures("unpainted")
@pytest.mark.parametrize("kind", KINDS)
def test_a_stored_study_is_drawn_again_with_the_same_words_and_numbers(
    kind: str, tmp_path: Path
) -> None:
    expected = [path.read_text(encoding="utf-8") for path in golden_files(kind)]

    found = drawn_again(kind, tmp_path)

    assert [text + "\n" for text in found] == expected


def factors_below_one(text: str) -> list[str]:
    """Return what is called so many times faster or slower, and is less than once."""
    return re.findall(r"(?<![\d.,])0(?:\.\d+)?\s*×?\s*(?:times\s*)?(?:faster|slower)", text)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_a_fraction_of_a_time_faster(kind: str) -> None:
    for path in golden_files(kind):
        assert factors_below_one(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("text", ["0.0950 × faster", "fit 0.5× slower", "0.2\nfaster"])
def test_a_fraction_of_a_time_faster_is_found(text: str) -> None:
    assert factors_below_one(text)


if __name__ == "__main__":
    import tempfile

    for name in KINDS:
        with tempfile.TemporaryDirectory() as scratch:
            texts = drawn_again(name, Path(scratch))
        for path, text in zip(golden_files(name), texts, strict=True):
            path.write_text(text + "\n", encoding="utf-8")

"""Blocks: cells of tables, rows of frames, figures that are drawn once."""

import re
import tomllib
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

import gnbbench.report.blocks
from gnbbench.data.dataset import describe, from_arrays
from gnbbench.report import blocks
from gnbbench.report.figures.drawing import Absence
from gnbbench.report.files import page
from gnbbench.report.sections import data_section
from gnbbench.report.terminal import terminal
from gnbbench.statistics.summary import DatasetDescription
from gnbbench.words import count, span


def test_a_column_shows_values_of_a_row_and_sorts_by_the_first() -> None:
    column = blocks.Column("95 %", ("low", "high"), span)

    assert column.cell({"low": 1.0, "high": 2.0}) == blocks.Cell("1.00 to 2.00", "1")


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("a\x1bb", blocks.Cell("a�b", "a�b")),
        ("", blocks.Cell("", "")),
        (float("nan"), blocks.Cell("nan", "")),
        (None, blocks.Cell("None", "")),
        (3, blocks.Cell("3", "3")),
        (True, blocks.Cell("True", "True")),
        (blocks.Cell("✗ no", "2", "bad"), blocks.Cell("✗ no", "2", "bad")),
    ],
)
def test_numbers_sort_by_size_text_is_printable(value: object, cell: blocks.Cell) -> None:
    assert blocks.Column("what").cell({"what": value}) == cell


def test_columns_of_numbers_are_numeric_and_the_first_never_is() -> None:
    columns = (blocks.Column("row"), blocks.Column("n", show=count), blocks.Column("word"))

    table = blocks.Table("t", [{"row": 1, "n": 2, "word": "a"}], columns)

    assert table.numeric == (False, True, False)


def test_values_of_a_frame_are_written_as_fits_their_kind() -> None:
    frame = pd.DataFrame(
        {"name": ["a", "b"], "value": [0.5, float("nan")], "n_rows": [1000, 2]}
    )

    table = blocks.frame_table("t", frame)

    assert [column.heading for column in table.columns] == ["name", "value", "n rows"]
    texts = [[cell.text for cell in row] for row in table.cells]
    assert texts == [["a", "0.50000", "1,000"], ["b", "–", "2"]]


def test_a_figure_is_drawn_once() -> None:
    drawn = []

    def draw() -> Absence:
        drawn.append(1)
        return Absence("a", "A", "Why.")

    figure = blocks.Figure("a", draw)

    assert drawn == []
    assert figure.drawing is figure.drawing
    assert drawn == [1]


def test_of_many_features_the_first_hundred_are_listed_with_a_remark() -> None:
    rng = np.random.default_rng(0)
    dataset = from_arrays(rng.normal(size=(6, 101)), [0, 1, 0, 1, 0, 1])

    section = data_section(DatasetDescription.of(describe(dataset)))

    (fold,) = (block for block in section.blocks if isinstance(block, blocks.Fold))
    *_, features, note = fold.blocks
    assert isinstance(features, blocks.Table)
    assert isinstance(note, blocks.Text)
    assert len(features) == 100
    assert note.text.startswith("These are the first 100; all are in ")


def test_backticks_become_code_and_foreign_text_stays_text() -> None:
    block = blocks.Text("Write `x < 1` and ` <b>.")
    parts = (blocks.Section("a", "A", (block,)),)
    document = blocks.Document(study="check", subject="a", headline="b", parts=parts)

    assert "Write <code>x &lt; 1</code> and ` &lt;b&gt;." in page(document)


def test_a_command_is_not_broken_however_narrow_the_terminal() -> None:
    command = "gnbbench explain wine --against density-product --test-size 0.9"
    console = Console(width=40, file=StringIO())

    console.print(terminal([blocks.Snippet(command), blocks.Text(command)]), crop=False)

    first, *others = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert first == command
    assert max(map(len, others)) <= 40


def test_every_note_is_used_and_a_value_that_it_lacks_is_an_error() -> None:
    report = Path(gnbbench.report.blocks.__file__).parent
    text = (report / "prose" / "notes.toml").read_text(encoding="utf-8")
    sources = "".join(path.read_text(encoding="utf-8") for path in report.rglob("*.py"))
    used = re.findall(r"""note\(\s*["']([^"']+)["']""", sources)

    assert set(tomllib.loads(text)) == set(used)
    assert "{" not in blocks.note("timing")
    with pytest.raises(KeyError):
        blocks.note("matrix")

"""The report of several datasets: its cells, its tiles, its terminal, its files."""

import re
from collections.abc import Callable

import pytest
from reading import shown, tables

from gnbbench.report.blocks import Cell, Figure
from gnbbench.report.compare import report as compare_report
from gnbbench.report.figures.drawing import Drawing
from gnbbench.report.html import page
from gnbbench.report.matrix import report, tiles
from gnbbench.report.terminal import WIDTH
from gnbbench.statistics.documents import MATRIX_TABLES
from gnbbench.statistics.matrix import Matrix

pytestmark = pytest.mark.slow

Give = Callable[..., Matrix]


@pytest.fixture(scope="module")
def several(matrix_of: Give) -> Matrix:
    return matrix_of("several", "iris", "wine", left_out=("spark is not installed.",))


@pytest.fixture(scope="module")
def text(several: Matrix) -> str:
    return page(report(several))


def cell_of(matrix: Matrix, implementation: str, dataset: str) -> Cell:
    (table,) = tables(report(matrix), "matrix").values()
    row = next(row for row in table.cells if row[0].text == implementation)
    cell: Cell = row[[column.heading for column in table.columns].index(dataset)]
    return cell


def test_a_cell_says_verdict_agreement_accuracy_and_ratios(several: Matrix) -> None:
    cell = cell_of(several, "density", "wine")
    good, bad = cell_of(several, "numpy", "iris"), cell_of(several, "broken", "iris")

    facts = {what: value for what, value, _ in cell.facts}
    assert (cell.text, cell.label) == ("✗ different", "✗ different: density on wine")
    assert facts["labels"].endswith("% equal")
    assert facts["fit"].startswith("2.")
    assert facts["predict"].endswith("slower")
    assert "accuracy" in facts
    assert (good.text, good.tone, good.message) == ("✓ identical", "good", "")
    assert (bad.text, bad.tone) == ("! failed", "bad")
    assert "made to fail" in bad.message
    assert {what: value for what, value, _ in bad.facts}["labels"] == "–"


def test_a_cell_leads_to_the_verdict_and_a_section_to_the_page_of_its_dataset(
    text: str,
) -> None:
    links = set(re.findall(r'href="([^"]+)"', text))

    assert {"#dataset-1", "#dataset-2", "#dataset-2-5"} <= links
    assert {"data-1/index.html", "data-0/figures/timing.png"} <= links
    assert text.count('<li class="tone-bad" id="dataset-2-5">') == 1
    assert "spark is not installed." in text
    cell = re.search(r'<td [^>]*><a href="#dataset-1-5".*?</td>', text, re.DOTALL)
    assert cell is not None
    assert re.search(r"! failed</a>\s*<dl>.*</dl><p>.*made to fail", cell[0], re.DOTALL)


def test_data_of_a_figure_are_those_of_the_page_of_its_dataset(several: Matrix) -> None:
    entry = several.entries[0]
    part = compare_report(entry.summary)
    document = report(several, {entry.folder: part})
    shown_again = [
        block for block in document.sections[1].blocks if isinstance(block, Figure)
    ]

    drawings = [figure.drawing for figure in shown_again]

    own = {d.name: d for d in part.drawings if isinstance(d, Drawing)}
    for drawing, name in zip(drawings, ("accuracy", "timing"), strict=True):
        assert isinstance(drawing, Drawing)
        assert drawing.name == f"{entry.folder}-{name}"
        assert drawing.frame is own[name].frame
    assert [figure.name for figure in document.figures] == ["matrix"]


@pytest.mark.parametrize("name", ["failed", "no_probabilities_at_all", "single"])
def test_every_study_has_tiles_and_a_terminal_of_80_columns(
    name: str, matrix_of: Give
) -> None:
    document = report(matrix_of(name, "one", "another", "the third"))

    lines = shown(document).splitlines()

    assert len(document.tiles) == 4
    assert max(map(len, lines)) <= WIDTH
    assert "</html>" in page(document)


def test_tiles_name_the_extremes(several: Matrix) -> None:
    same, furthest, accuracy, speed = tiles(several)

    assert "numpy" in same.facts[0].detail
    assert furthest.facts[0].detail.startswith("density on ")
    assert accuracy.facts[0].detail.startswith("density on ")
    assert [fact.detail.split(" on ")[0] for fact in speed.facts] == ["numpy", "river"]


def test_table_and_summary_have_the_numbers_of_every_dataset(several: Matrix) -> None:
    document = report(several)
    (attachment,) = document.attachments

    table, found = several.cells, document.payload
    assert attachment.content is table
    assert len(table) == 5 * 2
    failed = table[table["implementation"] == "broken"]
    assert failed["agreement"].isna().all()
    assert failed["message"].str.contains("made to fail").all()
    assert (found["schema"], found["schema_version"]) == ("gnbbench matrix", 1)
    assert [one["name"] for one in found["datasets"]] == ["iris", "wine"]
    assert [one["n_runs"] for one in found["datasets"]] == [100, 20]
    for name in MATRIX_TABLES:
        expected = len(getattr(several.entries[1].summary, name))
        assert len(found["datasets"][1][name]) == expected

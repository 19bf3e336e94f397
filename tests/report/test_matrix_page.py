"""The page, the tables, the tiles and the text of a matrix."""

import re
from collections.abc import Callable
from io import StringIO

import pytest
from rich.console import Console

from gnbbench.report.matrix_page import matrix_page
from gnbbench.report.matrix_sections import MatrixCell, matrix_table
from gnbbench.report.matrix_terminal import matrix_text
from gnbbench.report.matrix_tiles import matrix_tiles
from gnbbench.statistics.matrix import Matrix

pytestmark = pytest.mark.slow

Give = Callable[..., Matrix]
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def several(matrix_of: Give) -> Matrix:
    return matrix_of("several", "iris", "wine", left_out=("spark is not installed.",))


@pytest.fixture(scope="module")
def text(several: Matrix) -> str:
    return matrix_page(several)


def cell_of(matrix: Matrix, implementation: str, dataset: str) -> MatrixCell:
    table = matrix_table(matrix)
    row = next(row for row in table.rows if row[0].text == implementation)
    cell = row[table.columns.index(dataset)]
    assert isinstance(cell, MatrixCell)
    return cell


def test_a_cell_says_verdict_agreement_accuracy_and_ratios(several: Matrix) -> None:
    facts = {what: value for what, value, _ in cell_of(several, "river", "wine").facts}

    assert cell_of(several, "river", "wine").text == "✗ different"
    assert facts["labels"].endswith("% equal")
    assert facts["fit"].startswith("40.0 ×")
    assert facts["predict"].endswith("slower")
    assert "accuracy" in facts


def test_an_identical_cell_is_good_and_a_failing_one_bad_with_its_message(
    several: Matrix,
) -> None:
    good, bad = cell_of(several, "numpy", "iris"), cell_of(several, "broken", "iris")

    assert (good.text, good.tone, good.message) == ("✓ identical", "good", "")
    assert (bad.text, bad.tone) == ("! failed", "bad")
    assert "covariance is singular" in bad.message
    assert {what: value for what, value, _ in bad.facts}["labels"] == "–"


def test_every_link_within_the_page_has_one_target(text: str) -> None:
    anchors = re.findall(r'\bid="([^"]+)"', text)
    links = re.findall(r'href="#([^"]+)"', text)

    assert len(anchors) == len(set(anchors))
    assert {"dataset-1", "dataset-2", "dataset-2-5"} <= set(links)
    assert set(links) - {""} <= set(anchors)


def test_the_page_asks_for_nothing_and_links_beside_itself_alone(text: str) -> None:
    outside = [link for link in re.findall(r'(?:src|href)="([^"#]+)"', text) if ":" in link]

    assert set(outside) <= {"data:,"}
    assert 'href="data-1/index.html"' in text
    assert 'href="data-0/figures/timing.png"' in text
    assert "spark is not installed." in text


def test_the_same_matrix_gives_the_same_page(several: Matrix, text: str) -> None:
    assert matrix_page(several) == text
    assert len(text) < 1_000_000


def test_names_of_users_cannot_become_markup(matrix_of: Give) -> None:
    text = matrix_page(matrix_of("hostile", HOSTILE, "x\n\x00[bold]"))

    assert HOSTILE not in text
    assert "alert(1)" in text


@pytest.mark.parametrize(
    "name", ["usual", "failed", "no_probabilities_at_all", "single", "several", "hostile"]
)
def test_every_kind_of_study_has_page_tiles_and_text(name: str, matrix_of: Give) -> None:
    matrix = matrix_of(name, "one", "another", "the third")
    shown = StringIO()

    Console(file=shown, width=80).print(matrix_text(matrix))

    assert len(matrix_tiles(matrix)) == 4
    assert "</html>" in matrix_page(matrix)
    lines = shown.getvalue().splitlines()
    assert max(map(len, lines)) <= 80


def test_tiles_name_the_extremes(several: Matrix) -> None:
    same, furthest, accuracy, speed = matrix_tiles(several)

    assert "numpy" in same.facts[0].detail
    assert furthest.facts[0].detail.startswith("density on ")
    assert accuracy.facts[0].detail.startswith("density on ")
    assert [fact.detail.split(" on ")[0] for fact in speed.facts] == ["numpy", "river"]

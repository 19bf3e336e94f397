"""The report of several datasets: its figures and its files."""

from collections.abc import Callable

import pytest

from gnbbench.report.blocks import Figure, Fold
from gnbbench.report.compare import report as compare_report
from gnbbench.report.figures.drawing import Drawing
from gnbbench.report.matrix import report
from gnbbench.statistics.documents import MATRIX_TABLES
from gnbbench.statistics.matrix import Matrix

pytestmark = pytest.mark.slow

Give = Callable[..., Matrix]


@pytest.fixture(scope="module")
def several(matrix_of: Give) -> Matrix:
    return matrix_of("several", "iris", "wine")


def test_data_of_a_figure_equal_those_of_the_page_of_its_dataset(several: Matrix) -> None:
    entry = several.entries[0]
    part = compare_report(entry.summary)
    document = report(several, {entry.folder: part})
    fold = document.sections[1].blocks[-1]
    assert isinstance(fold, Fold)
    shown_again = [block for block in fold.blocks if isinstance(block, Figure)]

    drawings = [figure.drawing for figure in shown_again]

    own = {d.name: d for d in part.drawings if isinstance(d, Drawing)}
    for drawing, name in zip(drawings, ("accuracy", "timing"), strict=True):
        assert isinstance(drawing, Drawing)
        assert drawing.name == f"{entry.folder}-{name}"
        assert drawing.frame is own[name].frame
    assert [figure.name for figure in document.figures] == ["matrix"]


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

"""The heat map of implementations and datasets: its data, its words, its absence."""

from collections.abc import Callable

import numpy as np
import pytest

from gnbbench.report.figures.drawing import Drawing
from gnbbench.report.pictures import svg
from gnbbench.statistics.matrix import Matrix

Give = Callable[..., Matrix]


@pytest.fixture(scope="module")
def drawing(draw: Callable[..., Drawing], matrix_of: Give) -> Drawing:
    return draw("matrix", matrix_of("several", "iris", "wine"))


def test_the_data_are_shares_and_nan_where_no_run_gave_labels(drawing: Drawing) -> None:
    rows = {
        (row["implementation"], row["dataset"]): row
        for row in drawing.frame.to_dict("records")
    }

    numbers = rows["density", "wine"]
    assert numbers["share_differing"] == numbers["disagreements"] / numbers["predictions"]
    assert rows["numpy", "iris"]["share_differing"] == 0
    assert np.isnan(rows["broken", "iris"]["share_differing"])


def test_the_title_states_who_is_furthest_off(drawing: Drawing) -> None:
    assert drawing.finding.startswith("4 of 8 pairs of implementation and dataset agree")
    assert "furthest off is density on" in drawing.finding
    assert "2 pairs gave no labels" in drawing.alt


def test_every_cell_is_written_out(drawing: Drawing) -> None:
    text = svg(drawing)

    assert text.count(">no labels<") == 2
    assert text.count(">0 %<") + text.count(">0\N{NO-BREAK SPACE}%<") == 4


def test_where_nothing_differs_the_title_says_so(
    draw: Callable[..., Drawing], matrix_of: Give
) -> None:
    found = draw("matrix", matrix_of("usual", "iris", "wine"))

    assert found.finding.startswith("Not one label differs")

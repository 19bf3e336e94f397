"""What several figures are made of."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from numpy.typing import NDArray

from gnbbench.report.figures import parts
from gnbbench.report.style import INK, MUTED, ON_DARK_CELL, line_styles

NAN = float("nan")
STYLES = line_styles(["sklearn", "numpy"])
SCALE = parts.Scale(0.0, 1.0)


def test_measures_are_rows_of_the_table_and_words_where_there_is_none() -> None:
    table = pd.DataFrame(
        {
            "implementation": ["a", "b", "c"],
            "metric": "accuracy",
            "mean": [0.5, NAN, 0.5],
            "low": [0.4, NAN, 0.5],
            "high": [0.6, NAN, 0.5],
            "outcome": ["different", "failed", "identical"],
        }
    )

    first, second, third = parts.measures(table, ["a", "b", "c"], "accuracy", none="failed")

    assert first == parts.Measure("a", 0.5, 0.4, 0.6, "0.500 (0.40 to 0.60)")
    assert (second.text, third.text) == ("failed", "identical")


def test_words_on_participants_and_ranges_of_values() -> None:
    frame = pd.DataFrame({"implementation": ["b", "a", "b"]})

    assert list(parts.styles_present(line_styles(["a", "b", "c"]), frame)) == ["a", "b"]
    assert parts.ends([0.5, NAN, 0.25], 2) == "from 0.25 to 0.50"


def test_the_first_stands_on_top() -> None:
    axes = Figure().subplots()

    parts.points(axes, [parts.Measure(n, 1, NAN, NAN, n) for n in STYLES], STYLES)

    bottom, top = axes.get_ylim()
    assert bottom > 2
    assert top <= 0
    heights = [float(np.asarray(line.get_ydata())[0]) for line in axes.lines]
    assert heights == sorted(heights)


def test_text_on_strong_cells_is_light_and_on_pale_ones_that_of_the_page() -> None:
    assert SCALE.contrast(1.0) == ON_DARK_CELL
    assert SCALE.contrast(0.0) == INK
    assert SCALE.contrast(NAN) == MUTED


def test_small_values_let_the_paper_through_whatever_its_colour() -> None:
    both = parts.Scale(-1.0, 1.0, parts.DIVERGING)

    assert [round(SCALE.palette(value)[3], 2) for value in (0.0, 0.5, 1.0)] == [0, 0.5, 1]
    assert [round(both.palette(value)[3], 1) for value in (0.0, 0.5, 1.0)] == [1, 0, 1]
    assert both.palette(0.0)[:3] != both.palette(1.0)[:3]


@pytest.mark.parametrize(("n", "rasterised"), [(3, False), (30, True)])
def test_values_are_drawn_and_blank_cells_left_out(n: int, *, rasterised: bool) -> None:
    axes = Figure().subplots()
    values = np.where(np.eye(n) > 0, 0.9, np.nan)
    names = [f"class {i}" for i in range(n)]

    blank = "".format
    panel = parts.map_panel(
        "", names, values, SCALE, axis_names=("", ""), text=blank, tip=blank
    )
    panel.draw(axes)

    (mesh,) = [item for item in axes.collections if isinstance(item, QuadMesh)]
    drawn: NDArray[np.float64] = np.ma.asarray(mesh.get_array()).reshape(n, n)
    assert np.array_equal(np.ma.getmaskarray(drawn), np.isnan(values))
    assert bool(mesh.get_rasterized()) is rasterised
    assert len(axes.get_xticks()) <= 12

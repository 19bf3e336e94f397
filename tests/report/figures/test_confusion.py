"""Confusion matrices."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from numpy.typing import NDArray

from gnbbench.report.figures.drawing import Drawing
from gnbbench.statistics.summary import Summary

Draw = Callable[..., Drawing]
Give = Callable[[str], Summary]


def _panels(drawing: Drawing) -> list[Axes]:
    return [axes for axes in drawing.figure.axes if axes.get_xlabel() == "predicted label"]


def _mesh(axes: Axes) -> QuadMesh:
    return next(item for item in axes.collections if isinstance(item, QuadMesh))


def _values(axes: Axes) -> NDArray[np.float64]:
    return np.ma.filled(np.ma.asarray(_mesh(axes).get_array()).ravel(), 0.0)


def _shares(summary: Summary, name: str) -> NDArray[np.float64]:
    rows = summary.confusion.loc[summary.confusion["implementation"] == name]
    return rows["share"].to_numpy()


def test_colours_are_row_shares_on_one_scale(draw: Draw, summary_of: Give) -> None:
    summary = summary_of("different")

    first, second, _ = _panels(draw("confusion", summary))

    assert _values(first) == pytest.approx(_shares(summary, "sklearn"))
    assert _values(second) == pytest.approx(_shares(summary, "density"))
    assert _mesh(first).get_clim() == _mesh(second).get_clim() == (0, 1)


@pytest.mark.slow
def test_difference_is_competitor_minus_reference_on_a_symmetric_scale(
    draw: Draw,
    summary_of: Give,
) -> None:
    summary = summary_of("different")

    panel = _panels(draw("confusion", summary))[2]

    expected = _shares(summary, "density") - _shares(summary, "sklearn")
    low, high = _mesh(panel).get_clim()
    assert _values(panel) == pytest.approx(expected)
    assert low == -high == pytest.approx(-np.abs(expected).max())


def test_cells_hold_counts_and_shares_where_there_is_room(
    draw: Draw, summary_of: Give
) -> None:
    summary = summary_of("usual")
    count = int(summary.confusion["count"].iloc[0])

    texts = [text.get_text() for text in _panels(draw("confusion", summary))[0].texts]

    assert f"{count:,}\n100\N{NO-BREAK SPACE}%" in texts


def test_cells_too_small_to_read_hold_nothing(draw: Draw, summary_of: Give) -> None:
    panels = _panels(draw("confusion", summary_of("thirty_classes")))

    assert not any(panel.texts for panel in panels)


def test_no_difference_is_said(draw: Draw, summary_of: Give) -> None:
    drawing = draw("confusion", summary_of("usual"))

    assert _panels(drawing)[2].texts[0].get_text() == "no difference\nin any cell"
    assert "No cell differs." in drawing.caption


def test_every_competitor_with_labels_has_both_panels(draw: Draw, summary_of: Give) -> None:
    panels = _panels(draw("confusion", summary_of("several")))

    assert len(panels) == 5 + 4


def test_a_label_that_is_no_class_has_a_column(draw: Draw, summary_of: Give) -> None:
    summary = summary_of("single")
    stray = pd.DataFrame(
        {
            "implementation": ["numpy"],
            "truth": ["setosa"],
            "label": ["none of them"],
            "count": [3],
            "share": [0.1],
        }
    )
    table = pd.concat([summary.confusion, stray], ignore_index=True)

    panel = _panels(draw("confusion", summary.with_tables(confusion=table)))[1]

    assert _values(panel).reshape(3, 4)[0, 3] > 0
    assert [label.get_text() for label in panel.get_xticklabels()][-1] == "none of them"


def test_finding_names_the_largest_confusion(draw: Draw, summary_of: Give) -> None:
    summary = summary_of("usual")
    rows = summary.confusion.query("implementation == 'sklearn' and truth != label")
    worst = rows.iloc[int(rows["count"].to_numpy().argmax())]

    finding = draw("confusion", summary).finding

    assert finding.startswith(
        f"Every implementation most often takes {worst['truth']} for {worst['label']}"
    )

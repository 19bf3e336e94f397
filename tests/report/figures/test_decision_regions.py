"""Decision regions."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.contour import QuadContourSet

from gnbbench.report.figures.drawing import Drawing
from gnbbench.statistics.summary import Summary

Draw = Callable[..., Drawing]
Give = Callable[[str], Summary]


def test_one_panel_each_with_one_colour_per_class(draw: Draw, summary_of: Give) -> None:
    summary = summary_of("different")
    assert summary.decision_regions is not None

    panels = draw("decision_regions", summary).figure.axes

    assert len(panels) == 2
    for axes, codes in zip(panels, summary.decision_regions.codes.values(), strict=True):
        pixels = np.asarray(axes.images[0].get_array())
        for code in range(3):
            assert len(np.unique(pixels[codes == code], axis=0)) == 1
        assert len(np.unique(pixels.reshape(-1, 4), axis=0)) == 3
        drawn = sum(len(np.asarray(line.get_xdata())) for line in axes.lines)
        assert drawn == len(summary.decision_regions.points)


def test_only_places_that_differ_are_hatched(draw: Draw, summary_of: Give) -> None:
    reference, other = draw("decision_regions", summary_of("different")).figure.axes
    same = draw("decision_regions", summary_of("usual")).figure.axes

    hatched = [item for item in other.collections if isinstance(item, QuadContourSet)]
    assert any(item.hatches != [None] for item in hatched)
    assert not any(isinstance(item, QuadContourSet) for item in reference.collections)
    assert not any(isinstance(i, QuadContourSet) for axes in same for i in axes.collections)


def test_titles_and_frame_tell_how_much_differs(draw: Draw, summary_of: Give) -> None:
    summary = summary_of("different")
    assert summary.decision_regions is not None
    codes = summary.decision_regions.codes
    differing = int((codes["density"] != codes["sklearn"]).sum())

    drawing = draw("decision_regions", summary)

    frame = drawing.frame.query("implementation == 'density'")
    assert frame["differing_points"].sum() == differing
    assert frame["grid_points"].sum() == codes["density"].size
    assert drawing.figure.axes[1].get_title("left").startswith("density: differs on ")


def test_a_label_that_is_no_class_stays_blank(draw: Draw, summary_of: Give) -> None:
    summary = summary_of("usual")
    regions = summary.decision_regions
    assert regions is not None
    codes = {name: array.copy() for name, array in regions.codes.items()}
    codes["numpy"][:5, :5] = -1

    drawing = draw(
        "decision_regions",
        replace(summary, details={"decision_regions": replace(regions, codes=codes)}),
    )

    pixels = np.asarray(drawing.figure.axes[1].images[0].get_array())
    assert not pixels[:5, :5].any()
    assert drawing.frame["differing_points"].sum() == 0
    assert "0.2" in drawing.figure.axes[1].get_title("left")


@pytest.mark.slow
def test_classes_are_named_unless_there_are_too_many(draw: Draw, summary_of: Give) -> None:
    few = draw("decision_regions", summary_of("usual"))
    many = draw("decision_regions", summary_of("thirty_classes"))

    assert [t.get_text() for t in few.figure.legends[0].get_texts()] == [
        "setosa",
        "versicolor",
        "virginica",
    ]
    assert not many.figure.legends
    assert "the others are not used." in few.caption
    assert "too many classes" in many.caption

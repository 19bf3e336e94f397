"""Decision regions."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.contour import QuadContourSet
from reading import Draw, Give, panels


def test_one_panel_each_with_one_colour_per_class(draw: Draw, summary_of: Give) -> None:
    summary = summary_of("different")
    assert summary.decision_regions is not None

    shown = panels(draw("decision_regions", summary))

    assert len(shown) == 2
    for axes, codes in zip(shown, summary.decision_regions.codes.values(), strict=True):
        pixels = np.asarray(axes.images[0].get_array())
        for code in range(3):
            assert len(np.unique(pixels[codes == code], axis=0)) == 1
        assert len(np.unique(pixels.reshape(-1, 4), axis=0)) == 3
        *classes, ringed = [np.asarray(line.get_xydata()) for line in axes.lines]
        assert sum(map(len, classes)) == len(summary.decision_regions.points)
        disputed = set(summary.disputed_rows["row"])
        assert len(ringed) == len(disputed) > 0
        left, right, bottom, top = axes.images[0].get_extent()
        # The points of the grid are the centres of its cells.
        n_rows, n_columns = pixels.shape[:2]
        assert left + (right - left) / n_columns / 2 == pytest.approx(0)
        assert top - (top - bottom) / n_rows / 2 == pytest.approx(1)


def test_only_places_that_differ_are_hatched(draw: Draw, summary_of: Give) -> None:
    reference, other = panels(draw("decision_regions", summary_of("different")))
    same = panels(draw("decision_regions", summary_of("usual")))

    hatched = [item for item in other.collections if isinstance(item, QuadContourSet)]
    assert any(item.hatches != [None] for item in hatched)
    assert not any(isinstance(item, QuadContourSet) for item in reference.collections)
    assert not any(isinstance(i, QuadContourSet) for i in same[0].collections)
    assert [axes.get_title("left") for axes in same] == ["sklearn and numpy"]


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

    legend = few.figure.axes[-1].get_legend()
    assert legend is not None
    classes = [text.get_text() for text in legend.get_texts()]
    assert classes == ["setosa", "versicolor", "virginica"]
    assert len(many.figure.axes) == len(panels(many))
    assert "the others are not used." in few.caption
    assert "too many classes" in many.caption

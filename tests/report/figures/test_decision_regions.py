"""Decision regions."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.contour import QuadContourSet
from reading import Draw, Give, panels

from gnbbench.report.figures.decision_regions import FINER, refined
from gnbbench.statistics.summary import DecisionRegions


def test_one_panel_each_with_one_colour_per_class_and_marks_on_samples(
    draw: Draw, summary_of: Give
) -> None:
    summary = summary_of("different")
    regions = summary.decision_regions
    assert regions is not None

    shown = panels(draw("decision_regions", summary))

    assert len(shown) == 2
    for axes, (name, codes) in zip(shown, regions.codes.items(), strict=True):
        pixels = np.asarray(axes.images[0].get_array())
        at_points = pixels[::FINER, ::FINER]
        for code in range(3):
            assert len(np.unique(at_points[codes == code], axis=0)) == 1
        assert len(np.unique(pixels.reshape(-1, 4), axis=0)) == 3
        *classes, wrong = [np.asarray(line.get_xydata()) for line in axes.lines]
        assert sum(map(len, classes)) == len(regions.points)
        is_wrong = regions.point_labels[name] != regions.point_codes
        assert wrong.tolist() == regions.points[is_wrong].tolist() != []
        left, right, bottom, top = axes.images[0].get_extent()
        # The points of the grid are the centres of its cells.
        n_rows, n_columns = pixels.shape[:2]
        assert left + (right - left) / n_columns / 2 == pytest.approx(0)
        assert top - (top - bottom) / n_rows / 2 == pytest.approx(1)


def test_a_boundary_is_where_scores_are_equal(draw: Draw, summary_of: Give) -> None:
    summary = summary_of("exact")
    regions = summary.decision_regions
    assert regions is not None
    lead = np.add.outer(np.linspace(0, 0.2, 11), np.linspace(0, 1, 11)) - 0.47
    names, codes = ("sklearn", "numpy"), (lead > 0).astype(int)
    margins = dict.fromkeys(names, np.abs(lead))
    both = replace(regions, codes=dict.fromkeys(names, codes), margins=margins)

    alone = replace(both, margins={}, point_labels={})

    def drawn(of: DecisionRegions) -> list[QuadContourSet]:
        details = {"decision_regions": of}
        (axes,) = panels(draw("decision_regions", replace(summary, details=details)))
        return [item for item in axes.collections if isinstance(item, QuadContourSet)]

    (contour,) = drawn(both)
    (x, y) = np.concatenate([path.vertices for path in contour.get_paths()]).T
    assert x + 0.2 * y == pytest.approx(0.47)
    assert drawn(alone) == []
    fine = np.add.outer(np.linspace(0, 0.2, 31), np.linspace(0, 1, 31)) > 0.47
    smooth, stairs = (refined(of, "numpy") for of in (both, alone))
    assert smooth.tolist() == fine.astype(int).tolist() != stairs.tolist()
    assert stairs[::FINER, ::FINER].tolist() == codes.tolist()


def test_only_places_that_differ_are_hatched(draw: Draw, summary_of: Give) -> None:
    shown = panels(draw("decision_regions", summary_of("different")))
    same = panels(draw("decision_regions", summary_of("usual")))

    hatched = [
        any(isinstance(i, QuadContourSet) and any(i.hatches) for i in axes.collections)
        for axes in (*shown, *same)
    ]
    assert hatched == [False, True, False]
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
    assert drawing.figure.axes[1].get_title("left").endswith("\N{NO-BREAK SPACE}% hatched")


def test_a_label_that_is_not_a_class_stays_blank(draw: Draw, summary_of: Give) -> None:
    summary = summary_of("no_probabilities")
    regions = summary.decision_regions
    assert regions is not None
    codes = {name: array.copy() for name, array in regions.codes.items()}
    codes["labels_only"][:5, :5] = -1
    changed = replace(regions, codes=codes)

    summary = replace(summary, details={"decision_regions": changed})
    drawing = draw("decision_regions", summary)

    pixels = np.asarray(drawing.figure.axes[1].images[0].get_array())
    assert not pixels[: 5 * FINER - 2, : 5 * FINER - 2].any()
    assert drawing.frame["differing_points"].sum() == 0
    assert "0.2" in drawing.figure.axes[1].get_title("left")


@pytest.mark.slow
def test_classes_are_named_unless_there_are_too_many(draw: Draw, summary_of: Give) -> None:
    few = draw("decision_regions", summary_of("usual"))
    many = draw("decision_regions", summary_of("thirty_classes"))

    legend = few.figure.axes[-1].get_legend()
    assert legend is not None
    classes = [text.get_text() for text in legend.get_texts()]
    assert classes == ["setosa", "versicolor", "virginica", "wrong label"]
    marked = many.figure.axes[-1].get_legend()
    assert marked is not None
    assert [text.get_text() for text in marked.get_texts()] == ["wrong label"]
    assert "the others are not used." in few.caption
    assert "too many classes" in many.caption

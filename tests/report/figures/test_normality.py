"""Histograms and Q–Q plots of features within a class."""

from collections.abc import Callable

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import StepPatch

from gnbbench.report.assumptions_choices import worst_cells
from gnbbench.report.assumptions_summary import AssumptionsSummary
from gnbbench.report.figures.drawing import Drawing
from gnbbench.report.figures.normality import (
    choice,
    grid,
    label_edges,
    lead,
    named_cells,
    of_cells,
)

Draw = Callable[..., Drawing]
Give = Callable[[str], AssumptionsSummary]


def _steps(axes: Axes) -> StepPatch:
    return next(patch for patch in axes.patches if isinstance(patch, StepPatch))


def test_bars_and_curves_have_the_area_one(draw: Draw, assumptions_of: Give) -> None:
    drawing = draw("normality_histograms", assumptions_of("wine"))

    for axes in drawing.figure.axes:
        heights, edges, _ = _steps(axes).get_data()
        bars = float(np.sum(heights * np.diff(edges)))
        assert bars == pytest.approx(1.0)
        for line in axes.lines:
            x, y = (np.asarray(values, dtype=float) for values in line.get_data())
            assert 0.7 < float(np.trapezoid(y, x)) < 1.01


def test_the_normal_one_is_solid_and_the_kernel_dashed(
    draw: Draw, assumptions_of: Give
) -> None:
    for axes in draw("normality_histograms", assumptions_of("iris")).figure.axes:
        assert [line.get_linestyle() for line in axes.lines] == ["-", "--"]


def test_every_sample_is_in_sight(draw: Draw, assumptions_of: Give) -> None:
    drawing = draw("normality_histograms", assumptions_of("digits"))

    cells = drawing.frame.groupby(["class_name", "feature"], sort=False)
    for axes, (_, bins) in zip(drawing.figure.axes, cells, strict=True):
        filled = bins[bins["count"] > 0]
        low, high = axes.get_xlim()
        assert low <= filled["low"].min()
        assert filled["high"].max() <= high


def test_the_table_has_both_densities_of_each_bin(draw: Draw, assumptions_of: Give) -> None:
    summary = assumptions_of("iris")
    frame = draw("normality_histograms", summary).frame

    first = frame.iloc[3]
    cell = summary.findings.normality.iloc[0]
    z = ((first["low"] + first["high"]) / 2 - cell["mean"]) / cell["standard_deviation"]
    expected = np.exp(-z * z / 2) / np.sqrt(2 * np.pi) / cell["standard_deviation"]
    assert first["gaussian_at_middle"] == pytest.approx(expected, rel=0.02)
    assert not np.allclose(
        frame["gaussian_at_middle"], frame["kernel_at_middle"], rtol=0.02
    )
    assert frame["count"].sum() == 12 * 50


def test_the_finding_is_the_least_normal_one(draw: Draw, assumptions_of: Give) -> None:
    assert draw("normality_histograms", assumptions_of("iris")).finding == (
        "Farthest from normal: petal width (cm) in setosa, skewness 1.22, excess kurtosis "
        "1.43"
    )


def test_points_are_those_of_the_statistics(draw: Draw, assumptions_of: Give) -> None:
    summary = assumptions_of("iris")

    first = draw("normality_quantiles", summary).figure.axes[0]

    x, y = (np.asarray(values, dtype=float) for values in first.lines[1].get_data())
    assert len(x) == 50
    correlation = summary.findings.normality["qq_correlation"].iloc[0]
    assert np.corrcoef(x, y)[0, 1] == pytest.approx(correlation)
    assert [text.get_text() for text in first.texts] == ["0.991"]


def test_the_dashed_line_is_the_diagonal(draw: Draw, assumptions_of: Give) -> None:
    for axes in draw("normality_quantiles", assumptions_of("iris")).figure.axes:
        x, y = axes.lines[0].get_data()
        assert np.array_equal(np.asarray(x), np.asarray(y))


def test_many_points_become_a_picture(draw: Draw, assumptions_of: Give) -> None:
    for name, many in (("iris", False), ("digits", True)):
        points = draw("normality_quantiles", assumptions_of(name)).figure.axes[0].lines[1]
        assert bool(points.get_rasterized()) is many


def test_the_finding_counts_the_tests(draw: Draw, assumptions_of: Give) -> None:
    assert draw("normality_quantiles", assumptions_of("iris")).finding == (
        "1 of 12 pairs of class and feature is not normal by test; the lowest Q–Q "
        "correlation is 0.891 (petal width (cm), setosa)"
    )
    assert "are not normal" in draw("normality_quantiles", assumptions_of("wine")).finding


@pytest.mark.parametrize(("n_panels", "shape"), [(1, (1, 1)), (5, (2, 3)), (12, (3, 4))])
def test_panels_stand_in_even_rows(n_panels: int, shape: tuple[int, int]) -> None:
    figure = Figure()

    panels = grid(figure, n_panels)

    place = panels[0].get_subplotspec()
    assert place is not None
    assert place.get_gridspec().get_geometry() == shape
    assert len(panels) == n_panels
    assert len(figure.axes) == shape[0] * shape[1]


def test_axes_are_named_at_the_edges_alone() -> None:
    panels = grid(Figure(), 12)

    label_edges(panels, "below", "beside")

    assert [axes.get_xlabel() for axes in panels] == [""] * 8 + ["below"] * 4
    assert [axes.get_ylabel() for axes in panels] == ["beside", "", "", ""] * 3


def test_titles_name_class_and_feature(assumptions_of: Give) -> None:
    cells = list(named_cells(assumptions_of("digits")))

    assert len(cells) == len({title for _, _, title in cells}) == 12
    assert all(title.startswith("class ") for _, _, title in cells)


def test_rows_of_the_drawn_cells_keep_their_order(assumptions_of: Give) -> None:
    summary = assumptions_of("wine")

    rows = of_cells(summary.findings.normality, summary)

    assert rows["feature"].tolist() == worst_cells(summary)["feature"].tolist()


def test_a_choice_is_told_where_one_was_made(assumptions_of: Give) -> None:
    assert choice(assumptions_of("iris")) == ""
    assert "Of 39 pairs" in choice(assumptions_of("wine"))
    assert "besides" not in choice(assumptions_of("wine"))
    assert "Of 517 pairs" in choice(assumptions_of("digits"))
    assert "besides" in choice(assumptions_of("digits"))


def test_the_worst_of_all_is_claimed_only_where_it_is_drawn(assumptions_of: Give) -> None:
    assert lead(assumptions_of("wine"), "Worst") == "Worst"
    assert lead(assumptions_of("digits"), "Worst") == "Worst of these"

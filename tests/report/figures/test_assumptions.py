"""Heat maps of correlations, distributions within a class, and models beside GNB."""

from dataclasses import replace

import numpy as np
import pytest
from faults.invented import with_tables
from matplotlib.axes import Axes
from reading import Draw, Give, panels

from gnbbench.report.figures.assumptions import nearly_constant, worst_cells
from gnbbench.report.figures.drawing import Drawing


@pytest.mark.slow
def test_of_many_the_most_correlated_are_shown_in_the_order_of_the_data(
    draw: Draw, assumptions_of: Give
) -> None:
    many = assumptions_of("many")
    drawing, names = draw("correlations", many), list(many.details["feature_names"])

    frame = drawing.frame
    shown = set(frame["feature"]) | set(frame["other_feature"])
    labels = [label.get_text() for label in panels(drawing)[0].get_yticklabels()]
    assert {cells.size for cells in _maps(drawing)} == {144}
    assert len(_maps(drawing)) == frame["class_name"].nunique() == len(shown) == 12
    assert len(frame) == 12 * 66
    ends = [name[-2:] for name in sorted(shown, key=names.index)]
    rows = [f"{end}  {number}" for number, end in enumerate(ends, 1)]
    assert [label[-len(row) :] for label, row in zip(labels, rows, strict=True)] == rows
    assert "12 of 14 features and 12 of 13 classes" in drawing.caption
    iris = draw("correlations", assumptions_of("iris"))
    assert {cells.size for cells in _maps(iris)} == {16}
    assert "Shown are" not in iris.caption


@pytest.mark.slow
def test_nearly_constant_features_are_drawn_last(assumptions_of: Give) -> None:
    summary = assumptions_of("digits")
    dull = nearly_constant(summary)

    cells = worst_cells(summary)

    assert ("3", "pixel_0_7") in dull
    assert ("0", "pixel_3_2") not in dull
    assert nearly_constant(assumptions_of("iris")) == set()
    drawn = set(zip(cells["class_name"], cells["feature"], strict=True))
    assert len(drawn) == 12
    assert not drawn & dull
    table = summary.table("normality").dropna(subset="qq_correlation")
    keys = zip(table["class_name"], table["feature"], strict=True)
    telling = table[[key not in dull for key in keys]]
    assert cells["qq_correlation"].max() == telling["qq_correlation"].nsmallest(12).max()


def _maps(
    drawing: Drawing,
) -> list[np.ma.MaskedArray[tuple[int, ...], np.dtype[np.float64]]]:
    return [np.ma.asarray(axes.collections[0].get_array()) for axes in panels(drawing)]


def test_cells_are_the_correlations_and_the_diagonal_is_blank(
    draw: Draw, assumptions_of: Give
) -> None:
    summary = assumptions_of("iris")
    ranks = replace(summary, details={**summary.details, "correlation": "spearman"})

    maps, of_ranks = _maps(draw("correlations", summary)), draw("correlations", ranks)

    assert len(maps) == 3
    cells = maps[2].reshape(4, 4)
    assert cells[0, 2] == pytest.approx(0.864225, abs=1e-6)
    assert np.ma.getmaskarray(cells).tolist() == np.eye(4, dtype=bool).tolist()
    assert "ρ = 0.82" in of_ranks.finding
    assert of_ranks.figure.axes[-1].get_xlabel() == "Spearman's ρ"
    assert _maps(of_ranks)[2].reshape(4, 4)[0, 2] == pytest.approx(0.824323, abs=1e-6)


@pytest.mark.slow
def test_all_classes_have_one_symmetric_scale(draw: Draw, assumptions_of: Give) -> None:
    drawing = draw("correlations", assumptions_of("digits"))

    assert len(panels(drawing)) == 10
    assert {axes.collections[0].get_clim() for axes in panels(drawing)} == {(-1.0, 1.0)}
    assert any(np.ma.getmaskarray(cells).sum() > 12 for cells in _maps(drawing))
    assert drawing.finding.startswith("Most correlated of these:")
    wine = draw("correlations", assumptions_of("wine"))
    assert wine.finding.startswith("Most correlated: ")


def _area(axes: Axes) -> float:
    """Return the area of the bars, by the shoelace formula of their outline."""
    (outline,) = axes.collections[0].get_paths()
    x, y = np.asarray(outline.vertices, dtype=float).T
    return abs(float(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1)))) / 2


@pytest.mark.slow
def test_bars_and_curves_have_the_area_one(draw: Draw, assumptions_of: Give) -> None:
    drawing = draw("normality_histograms", assumptions_of("wine"))

    for axes in panels(drawing):
        assert _area(axes) == pytest.approx(1.0)
        assert [line.get_linestyle() for line in axes.lines] == ["-", "--"]
        for line in axes.lines:
            x, y = (np.asarray(values, dtype=float) for values in line.get_data())
            assert 0.7 < float(np.trapezoid(y, x)) < 1.01


@pytest.mark.slow
def test_every_sample_is_in_sight(draw: Draw, assumptions_of: Give) -> None:
    drawing = draw("normality_histograms", assumptions_of("digits"))

    cells = drawing.frame.groupby(["class_name", "feature"], sort=False)
    for axes, (_, bins) in zip(panels(drawing), cells, strict=True):
        filled = bins[bins["count"] > 0]
        low, high = axes.get_xlim()
        assert low <= filled["low"].min()
        assert filled["high"].max() <= high


def test_the_table_has_both_densities_of_each_bin(draw: Draw, assumptions_of: Give) -> None:
    summary = assumptions_of("iris")
    drawing = draw("normality_histograms", summary)
    frame = drawing.frame

    first = frame.iloc[3]
    cell = summary.table("normality").iloc[0]
    z = ((first["low"] + first["high"]) / 2 - cell["mean"]) / cell["standard_deviation"]
    expected = np.exp(-z * z / 2) / np.sqrt(2 * np.pi) / cell["standard_deviation"]
    assert first["gaussian_at_middle"] == pytest.approx(expected, rel=0.02)
    gaussian, kernel = frame["gaussian_at_middle"], frame["kernel_at_middle"]
    assert not np.allclose(gaussian, kernel, rtol=0.02)
    assert frame["count"].sum() == 12 * 50
    assert drawing.finding == (
        "Farthest from normal: petal width (cm) in setosa, skewness 1.22, excess kurtosis "
        "1.43"
    )


def test_points_equal_those_of_the_statistics(draw: Draw, assumptions_of: Give) -> None:
    summary = assumptions_of("iris")
    drawing = draw("normality_quantiles", summary)

    first = drawing.figure.axes[0]

    x, y = (np.asarray(values, dtype=float) for values in first.lines[1].get_data())
    assert len(x) == 50
    correlation = summary.table("normality")["qq_correlation"].iloc[0]
    assert np.corrcoef(x, y)[0, 1] == pytest.approx(correlation)
    assert [text.get_text() for text in first.texts] == ["0.991"]
    for axes in drawing.figure.axes:
        x, y = (np.asarray(values, dtype=float) for values in axes.lines[0].get_data())
        assert x.tolist() == y.tolist()
    assert drawing.finding == (
        "A test rejects normality in 1 of 12 pairs of class and feature; the lowest Q–Q "
        "correlation is 0.891 (petal width (cm), setosa)"
    )
    # What was not tested is not the lowest either.
    table = summary.table("normality")
    untested = table["qq_correlation"] < 0.9
    table = table.assign(p_holm=table["p_holm"].mask(untested))
    fewer = replace(summary, tables={**summary.tables, "normality": table})
    lowest = table["qq_correlation"][~untested].min()
    assert f" 0 of {12 - untested.sum()} pairs " in (
        said := draw("normality_quantiles", fewer).finding
    )
    assert f"correlation is {lowest:.3f} (" in said


@pytest.mark.slow
def test_many_points_become_a_picture(draw: Draw, assumptions_of: Give) -> None:
    for name, many in (("iris", False), ("digits", True)):
        points = draw("normality_quantiles", assumptions_of(name)).figure.axes[0].lines[1]
        assert bool(points.get_rasterized()) is many


def test_bars_start_at_zero_and_have_the_means(draw: Draw, assumptions_of: Give) -> None:
    summary = assumptions_of("iris")
    drawing = draw("costs", summary)

    accuracy, _, *differences = drawing.figure.axes[:4]

    table = summary.table("costs")
    means = table.loc[table["metric"] == "test_accuracy", "mean"].tolist()
    assert [bar.get_width() for bar in accuracy.patches] == means
    assert accuracy.get_xlim()[0] == 0.0
    for axes in differences:
        low, high = axes.get_xlim()
        assert low == -high
    frame = drawing.frame
    row = frame[(frame["model"] == "QDA") & (frame["metric"] == "log_loss")].iloc[0]
    assert row["mean"] == pytest.approx(0.0510, abs=1e-4)
    assert row["difference_mean"] == pytest.approx(-0.1413, abs=1e-4)
    assert len(frame) == 12


def test_the_finding_names_the_best(draw: Draw, assumptions_of: Give) -> None:
    summary = assumptions_of("iris")
    table = summary.table("costs")
    is_loss = (table["implementation"] == "GNB") & (table["metric"] == "log_loss")
    better = with_tables(summary, costs=table.assign(mean=table["mean"].mask(is_loss, 0.0)))

    assert draw("costs", summary).finding == (
        "QDA has the lowest log loss, 0.051 nats; GNB has 0.192"
    )
    assert draw("costs", better).finding.startswith("No model has a lower log loss than")

"""Histograms under the fitted normal and a kernel density."""

from collections.abc import Callable

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.patches import StepPatch

from gnbbench.report.assumptions_summary import AssumptionsSummary
from gnbbench.report.figures.drawing import Drawing
from gnbbench.report.figures.normality_histograms import normality_histograms

Give = Callable[[str], AssumptionsSummary]


def _drawn(summary: AssumptionsSummary) -> Drawing:
    drawing = normality_histograms(summary)
    assert isinstance(drawing, Drawing)
    return drawing


def _steps(axes: Axes) -> StepPatch:
    return next(patch for patch in axes.patches if isinstance(patch, StepPatch))


def test_bars_and_curves_have_the_area_one(assumptions_of: Give) -> None:
    drawing = _drawn(assumptions_of("wine"))

    for axes in drawing.figure.axes:
        heights, edges, _ = _steps(axes).get_data()
        bars = float(np.sum(heights * np.diff(edges)))
        assert bars == pytest.approx(1.0)
        for line in axes.lines:
            x, y = (np.asarray(values, dtype=float) for values in line.get_data())
            assert 0.7 < float(np.trapezoid(y, x)) < 1.01


def test_the_normal_one_is_solid_and_the_kernel_dashed(assumptions_of: Give) -> None:
    for axes in _drawn(assumptions_of("iris")).figure.axes:
        assert [line.get_linestyle() for line in axes.lines] == ["-", "--"]


def test_every_sample_is_in_sight(assumptions_of: Give) -> None:
    drawing = _drawn(assumptions_of("digits"))

    cells = drawing.frame.groupby(["class_name", "feature"], sort=False)
    for axes, (_, bins) in zip(drawing.figure.axes, cells, strict=True):
        filled = bins[bins["count"] > 0]
        low, high = axes.get_xlim()
        assert low <= filled["low"].min()
        assert filled["high"].max() <= high


def test_the_table_has_both_densities_of_each_bin(assumptions_of: Give) -> None:
    summary = assumptions_of("iris")
    frame = _drawn(summary).frame

    first = frame.iloc[3]
    cell = summary.findings.normality.iloc[0]
    z = ((first["low"] + first["high"]) / 2 - cell["mean"]) / cell["standard_deviation"]
    expected = np.exp(-z * z / 2) / np.sqrt(2 * np.pi) / cell["standard_deviation"]
    assert first["gaussian_at_middle"] == pytest.approx(expected, rel=0.02)
    assert not np.allclose(
        frame["gaussian_at_middle"], frame["kernel_at_middle"], rtol=0.02
    )
    assert frame["count"].sum() == 12 * 50


def test_the_finding_is_the_least_normal_one(assumptions_of: Give) -> None:
    assert _drawn(assumptions_of("iris")).finding == (
        "Farthest from normal: petal width (cm) in setosa, skewness 1.22, excess kurtosis "
        "1.43"
    )

"""Q–Q plots."""

from collections.abc import Callable

import numpy as np
import pytest

from gnbbench.report.assumptions_summary import AssumptionsSummary
from gnbbench.report.figures.drawing import Drawing
from gnbbench.report.figures.normality_quantiles import normality_quantiles

Give = Callable[[str], AssumptionsSummary]


def _drawn(summary: AssumptionsSummary) -> Drawing:
    drawing = normality_quantiles(summary)
    assert isinstance(drawing, Drawing)
    return drawing


def test_points_are_those_of_the_statistics(assumptions_of: Give) -> None:
    summary = assumptions_of("iris")

    first = _drawn(summary).figure.axes[0]

    x, y = (np.asarray(values, dtype=float) for values in first.lines[1].get_data())
    assert len(x) == 50
    correlation = summary.findings.normality["qq_correlation"].iloc[0]
    assert np.corrcoef(x, y)[0, 1] == pytest.approx(correlation)
    assert [text.get_text() for text in first.texts] == ["0.991"]


def test_the_dashed_line_is_the_diagonal(assumptions_of: Give) -> None:
    for axes in _drawn(assumptions_of("iris")).figure.axes:
        x, y = axes.lines[0].get_data()
        assert np.array_equal(np.asarray(x), np.asarray(y))


def test_many_points_become_a_picture(assumptions_of: Give) -> None:
    few, many = _drawn(assumptions_of("iris")), _drawn(assumptions_of("digits"))

    assert not few.figure.axes[0].lines[1].get_rasterized()
    assert many.figure.axes[0].lines[1].get_rasterized()


def test_the_finding_counts_the_tests(assumptions_of: Give) -> None:
    assert _drawn(assumptions_of("iris")).finding == (
        "1 of 12 pairs of class and feature is not normal by test; the lowest Q–Q "
        "correlation is 0.891 (petal width (cm), setosa)"
    )
    assert "are not normal" in _drawn(assumptions_of("wine")).finding

"""Train minus test accuracy."""

from collections.abc import Callable

import numpy as np

from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.figures.sweep_gap import sweep_gap
from gnbbench.statistics.sweep_summary import SweepSummary
from gnbbench.words import decimal

Give = Callable[[str], SweepSummary]


def _drawing(summary: SweepSummary) -> Drawing:
    drawing = sweep_gap(summary)
    assert isinstance(drawing, Drawing)
    return drawing


def test_curves_are_the_gaps_of_the_summary(sweep_of: Give) -> None:
    summary = sweep_of("density")
    own = summary.accuracy.query("metric == 'gap' and implementation == 'sklearn'")

    (axes,) = _drawing(summary).figure.axes

    (line,) = [line for line in axes.lines if line.get_label() == "sklearn"]
    assert np.asarray(line.get_ydata()).tolist() == own["mean"].tolist()
    assert axes.get_ylim()[0] < 0 < axes.get_ylim()[1]


def test_the_largest_gap_is_named(sweep_of: Give) -> None:
    summary = sweep_of("density")
    gaps = summary.accuracy.query("metric == 'gap'")

    finding = _drawing(summary).finding

    assert f"The gap is largest, {decimal(gaps['mean'].max())}" in finding


def test_nobody_is_blamed_for_a_gap_that_all_have(sweep_of: Give) -> None:
    assert "(numpy)" not in _drawing(sweep_of("identical")).finding


def test_nothing_to_draw_is_an_absence(sweep_of: Give) -> None:
    assert isinstance(sweep_gap(sweep_of("all_failed")), Absence)

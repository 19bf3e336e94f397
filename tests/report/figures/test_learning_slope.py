"""Slope of the learning curve."""

from collections.abc import Callable

import numpy as np
import pytest

from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.figures.learning_slope import learning_slope
from gnbbench.statistics.sweep_summary import SweepSummary

Give = Callable[[str], SweepSummary]


def _drawing(summary: SweepSummary) -> Drawing:
    drawing = learning_slope(summary)
    assert isinstance(drawing, Drawing)
    return drawing


def test_slopes_stand_half_way_and_in_points(sweep_of: Give) -> None:
    summary = sweep_of("density")
    own = summary.slopes.query("implementation == 'sklearn'")

    (axes,) = _drawing(summary).figure.axes

    (line,) = [line for line in axes.lines if line.get_label() == "sklearn"]
    assert np.asarray(line.get_xdata()) == pytest.approx(np.arange(0.15, 0.9, 0.1))
    assert np.asarray(line.get_ydata()) == pytest.approx(100 * own["slope"].to_numpy())


def test_intervals_are_dotted_by_the_smaller_fraction(sweep_of: Give) -> None:
    (axes,) = _drawing(sweep_of("density")).figure.axes

    numbers = {
        label: [len(c.get_paths()) for c in axes.collections if c.get_label() == label]
        for label in ("_conservative", "_interval")
    }
    assert numbers == {"_conservative": [4, 4], "_interval": [4, 4]}


def test_one_fraction_has_no_slope(sweep_of: Give) -> None:
    absence = learning_slope(sweep_of("one_fraction"))

    assert isinstance(absence, Absence)
    assert "two train fractions" in absence.reason


def test_one_run_has_no_intervals(sweep_of: Give) -> None:
    drawing = _drawing(sweep_of("one_run"))

    assert len(drawing.figure.axes[0].collections) == 0
    assert "no intervals" in drawing.caption

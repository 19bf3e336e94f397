"""Accuracy by run."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnbbench.report.figures.accuracy_spread import accuracy_spread, piled
from gnbbench.report.figures.drawing import Drawing
from gnbbench.statistics.summary import Summary

Give = Callable[[str], Summary]


def _drawing(summary: Summary) -> Drawing:
    drawing = accuracy_spread(summary)
    assert isinstance(drawing, Drawing)
    return drawing


def test_every_run_is_a_dot(summary_of: Give) -> None:
    summary = summary_of("different")

    left = _drawing(summary).figure.axes[0]

    for name, group in summary.runs.groupby("implementation"):
        (dots,) = [line for line in left.lines if line.get_label() == name]
        assert np.asarray(dots.get_xdata()).tolist() == group["test_accuracy"].tolist()


def test_the_band_is_the_margin_on_both_sides(summary_of: Give) -> None:
    summary = summary_of("different")

    right = _drawing(summary).figure.axes[1]

    (band,) = [patch for patch in right.patches if patch.get_label() == "margin"]
    assert band.get_extents().transformed(
        right.transData.inverted()
    ).intervalx == pytest.approx([-summary.margin, summary.margin])


def test_difference_and_interval_are_those_of_the_summary(summary_of: Give) -> None:
    summary = summary_of("different")
    row = summary.differences.set_index("metric").loc["test_accuracy"]

    right = _drawing(summary).figure.axes[1]

    (point,) = [line for line in right.lines if line.get_label() == "density"]
    (interval,) = [line for line in right.lines if line.get_label() == "_interval"]
    assert np.asarray(point.get_xdata()).tolist() == [row["mean"]]
    assert np.asarray(interval.get_xdata()).tolist() == [row["low"], row["high"]]


def test_identical_runs_are_called_so_and_drawn_at_zero(summary_of: Give) -> None:
    drawing = _drawing(summary_of("usual"))

    assert drawing.finding == "numpy has the reference's test accuracy in all 1,000 runs"
    assert [text.get_text() for text in drawing.figure.axes[1].texts] == ["identical"]


def test_many_dots_are_a_picture_and_few_are_shapes(summary_of: Give) -> None:
    many, few = _drawing(summary_of("usual")), _drawing(summary_of("cannot_tell"))

    assert many.figure.axes[0].lines[0].get_rasterized()
    assert not few.figure.axes[0].lines[0].get_rasterized()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=60))
def test_piles_stay_within_the_row_and_are_centred(values: list[float]) -> None:
    array = np.array(values)

    offsets = piled(array, array.min(), array.max())

    assert np.abs(offsets).max() <= 1
    assert offsets.sum() == pytest.approx(0, abs=1e-9)


def test_equal_values_do_not_hide_each_other() -> None:
    offsets = piled(np.full(20, 0.9), 0.5, 1.0)

    assert len(set(offsets)) == 20

"""Time and ratios."""

from collections.abc import Callable

import numpy as np
import pytest
from matplotlib.patches import Rectangle

from gnbbench.report.figures.catalogue import draw_figure
from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.statistics.summary import Summary

Draw = Callable[..., Drawing]
Give = Callable[[str], Summary]


def test_bars_are_medians_in_the_unit_of_the_axis(draw: Draw, summary_of: Give) -> None:
    summary = summary_of("usual")
    medians = summary.timing.query("operation == 'fit'")["median_seconds"]

    axes = draw("timing", summary).figure.axes[0]

    assert axes.get_xlabel() == "time of one call (µs)"
    assert [bar.get_width() for bar in axes.patches] == pytest.approx(medians * 1e6)  # type: ignore[attr-defined]  # bars are rectangles


def test_lines_run_from_p5_to_p95(draw: Draw, summary_of: Give) -> None:
    summary = summary_of("usual")
    row = summary.timing.iloc[0]

    line = draw("timing", summary).figure.axes[0].lines[0]

    assert np.asarray(line.get_xdata()).tolist() == pytest.approx(
        [row["p5_seconds"] * 1e6, row["p95_seconds"] * 1e6]
    )


def test_ratio_interval_and_floor_are_those_of_the_summary(
    draw: Draw, summary_of: Give
) -> None:
    summary = summary_of("usual")
    row = summary.ratios.iloc[0]

    axes = draw("timing", summary).figure.axes[-1]

    floor = next(patch for patch in axes.patches if isinstance(patch, Rectangle))
    interval = next(line for line in axes.lines if line.get_label() == "_interval")
    point = next(line for line in axes.lines if line.get_label() == "numpy")
    assert (floor.get_x(), floor.get_x() + floor.get_width()) == pytest.approx(
        (row["floor_low"], row["floor_high"])
    )
    assert np.asarray(interval.get_xdata()).tolist() == [row["low"], row["high"]]
    assert np.asarray(point.get_xdata()).tolist() == [row["ratio"]]
    assert axes.get_xscale() == "log"
    assert axes.get_xlim()[0] < 1 < axes.get_xlim()[1]


def test_within_the_floor_is_never_called_faster(draw: Draw, summary_of: Give) -> None:
    drawing = draw("timing", summary_of("cannot_tell"))

    assert "not separated" in drawing.finding
    assert "faster" not in drawing.finding
    assert all("not separated" in t.get_text() for t in drawing.figure.axes[-1].texts)


def test_what_was_not_timed_is_named(draw: Draw, summary_of: Give) -> None:
    drawing = draw("timing", summary_of("several"))

    texts = [text.get_text() for text in drawing.figure.axes[2].texts]
    assert texts.count("not timed") == 2


def test_times_without_ratios_are_drawn_alone(draw: Draw, summary_of: Give) -> None:
    summary = summary_of("failed")

    drawing = draw("timing", summary)

    assert len(drawing.figure.axes) == 3
    assert drawing.finding == "No implementation was timed against the reference"


def test_nothing_timed_is_an_absence(summary_of: Give) -> None:
    summary = summary_of("usual")

    empty = summary.with_tables(
        timing=summary.timing.iloc[:0], ratios=summary.ratios.iloc[:0]
    )

    assert isinstance(draw_figure("timing", empty), Absence)

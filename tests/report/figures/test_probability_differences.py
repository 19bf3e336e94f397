"""Histogram of probability differences."""

from collections.abc import Callable

import numpy as np
import pytest
from matplotlib.patches import Rectangle

from gnbbench.report.figures.drawing import Drawing
from gnbbench.statistics.summary import Summary

Draw = Callable[..., Drawing]
Give = Callable[[str], Summary]


def test_shares_of_all_bars_add_up_to_one(draw: Draw, summary_of: Give) -> None:
    (axes,) = draw("probability_differences", summary_of("usual")).figure.axes

    heights = [bar.get_height() for bar in axes.patches if isinstance(bar, Rectangle)]
    assert sum(heights) == pytest.approx(1)


def test_exact_zeros_have_their_own_bar_left_of_all_others(
    draw: Draw, summary_of: Give
) -> None:
    summary = summary_of("usual")
    table = summary.probability_differences

    (axes,) = draw("probability_differences", summary).figure.axes

    bars = sorted(
        (bar for bar in axes.patches if isinstance(bar, Rectangle)), key=Rectangle.get_x
    )
    assert bars[0].get_height() == pytest.approx(
        table["count"].iloc[0] / table["count"].sum()
    )
    assert bars[0].get_x() + bars[0].get_width() < bars[1].get_x()
    assert axes.get_xticklabels()[0].get_text() == "exactly 0"


def test_machine_epsilon_is_drawn_at_its_place(draw: Draw, summary_of: Give) -> None:
    (axes,) = draw("probability_differences", summary_of("usual")).figure.axes

    positions = [float(np.asarray(line.get_xdata())[0]) for line in axes.lines]
    assert positions == pytest.approx([np.log10(np.finfo(float).eps)])


def test_bars_lie_where_their_bins_do(draw: Draw, summary_of: Give) -> None:
    summary = summary_of("digits")
    table = summary.probability_differences.query("high > 0")

    (axes,) = draw("probability_differences", summary).figure.axes

    starts = [bar.get_x() for bar in axes.patches if isinstance(bar, Rectangle)]
    for low in table["low"]:
        assert min(abs(start - np.log10(low)) for start in starts) < 1e-9


def test_equal_to_the_last_bit_is_said(draw: Draw, summary_of: Give) -> None:
    assert draw("probability_differences", summary_of("exact")).finding.endswith(
        "are equal to the last bit"
    )
    assert "equal" not in draw("probability_differences", summary_of("usual")).finding


def test_who_has_no_probabilities_is_named(draw: Draw, summary_of: Give) -> None:
    drawing = draw("probability_differences", summary_of("several"))

    assert len(drawing.figure.axes) == 3
    assert "Without probabilities: labels_only and broken." in drawing.alt

"""Bars and points."""

import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from gnbbench.report.figures.panels import Measure, bars, points, right_end
from gnbbench.report.style import line_styles

NAN = float("nan")
LOOKS = line_styles(["sklearn", "numpy"])


def test_bars_start_at_zero_and_end_at_the_value() -> None:
    axes = Figure().subplots()

    bars(axes, [Measure("sklearn", 0.5, 0.4, 0.6, "half")], LOOKS)

    (bar,) = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    assert bar.get_x() == 0
    assert bar.get_width() == 0.5
    assert axes.get_xlim()[0] == 0
    assert axes.lines[0].get_xdata() == pytest.approx([0.4, 0.6])


@pytest.mark.parametrize("draw", [bars, points])
def test_what_has_no_value_has_a_name_and_a_text_only(draw: object) -> None:
    axes = Figure().subplots()
    assert callable(draw)

    draw(axes, [Measure("numpy", NAN, NAN, NAN, "failed")], LOOKS)

    assert not axes.patches
    assert not axes.lines
    assert [text.get_text() for text in axes.texts] == ["failed"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["numpy"]


def test_one_run_has_no_interval() -> None:
    axes = Figure().subplots()

    bars(axes, [Measure("numpy", 0.9, NAN, NAN, "0.9")], LOOKS)

    assert not axes.lines
    assert len(axes.patches) == 1


def test_the_first_stands_on_top() -> None:
    axes = Figure().subplots()

    points(axes, [Measure(n, 1, NAN, NAN, n) for n in ("sklearn", "numpy")], LOOKS)

    bottom, top = axes.get_ylim()
    assert top < 0
    assert bottom > 1


def test_shares_end_at_one_unless_an_interval_passes_it() -> None:
    assert right_end([Measure("a", 0.9, 0.8, 0.95, "")]) == 1.0
    assert right_end([Measure("a", 0.9, 0.8, 1.05, "")]) > 1.05

"""Differences of probabilities, and the reliability of confidence."""

import numpy as np
import pytest
from matplotlib.patches import Rectangle
from reading import Draw, Give

from gnbbench.report.figures.drawing import Absence, draw_figure


@pytest.mark.parametrize("name", ["usual", "different"])
def test_bars_are_shares_of_all_at_their_bins_with_zeros_apart(
    draw: Draw, summary_of: Give, name: str
) -> None:
    summary = summary_of(name)
    table = summary.probability_differences
    shares = table["count"] / table["count"].sum()

    (axes,) = draw("probability_differences", summary).figure.axes

    bars = [bar for bar in axes.patches if isinstance(bar, Rectangle)]
    zero, *others = sorted(bars, key=Rectangle.get_x)
    assert sum(bar.get_height() for bar in bars) == pytest.approx(1)
    assert zero.get_height() == pytest.approx(shares[table["high"] == 0].sum())
    assert zero.get_x() + zero.get_width() < others[0].get_x()
    lows = table.loc[(table["high"] > 0) & (table["count"] > 0), "low"]
    assert [bar.get_x() for bar in others] == pytest.approx(sorted(np.log10(lows)))
    assert axes.get_xticklabels()[0].get_text() == "0"
    (epsilon,) = [float(np.asarray(line.get_xdata())[0]) for line in axes.lines]
    assert epsilon == pytest.approx(np.log10(np.finfo(float).eps))


def test_equality_to_the_last_bit_is_reported(draw: Draw, summary_of: Give) -> None:
    exact = draw_figure("probability_differences", summary_of("exact"))
    usual = draw("probability_differences", summary_of("usual"))

    assert isinstance(exact, Absence), "zeros alone are no histogram"
    assert exact.reason.endswith("are equal to the last bit.")
    assert "equal" not in usual.finding


def test_points_are_confidence_and_accuracy_of_the_bins_beside_their_samples(
    draw: Draw, summary_of: Give
) -> None:
    summary = summary_of("different")
    rows = summary.reliability.query("implementation == 'density'")

    curves, volumes, *_ = draw("reliability", summary).figure.axes
    assert curves.get_xlim() == volumes.get_xlim()

    (line,) = [line for line in curves.lines if line.get_label() == "density"]
    assert np.asarray(line.get_xdata()).tolist() == rows["mean_confidence"].tolist()
    assert np.asarray(line.get_ydata()).tolist() == rows["accuracy"].tolist()
    heights = [bar.get_height() for bar in volumes.patches if isinstance(bar, Rectangle)]
    assert heights == summary.reliability["count"].tolist()

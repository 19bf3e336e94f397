"""Reliability curves."""

from collections.abc import Callable

import numpy as np

from gnbbench.report.figures.drawing import Drawing
from gnbbench.statistics.summary import Summary

Draw = Callable[..., Drawing]
Give = Callable[[str], Summary]


def test_points_are_confidence_and_accuracy_of_the_bins(
    draw: Draw, summary_of: Give
) -> None:
    summary = summary_of("different")
    rows = summary.reliability.query("implementation == 'density'")

    curves = draw("reliability", summary).figure.axes[0]

    (line,) = [line for line in curves.lines if line.get_label() == "density"]
    assert np.asarray(line.get_xdata()).tolist() == rows["mean_confidence"].tolist()
    assert np.asarray(line.get_ydata()).tolist() == rows["accuracy"].tolist()


def test_samples_per_bin_are_below(draw: Draw, summary_of: Give) -> None:
    summary = summary_of("different")

    volumes = draw("reliability", summary).figure.axes[1]

    heights = [bar.get_height() for bar in volumes.patches]  # type: ignore[attr-defined]  # bars are rectangles
    assert heights == summary.reliability["count"].tolist()


def test_legend_names_all_and_stands_beside_the_curves(
    draw: Draw, summary_of: Give
) -> None:
    figure = draw("reliability", summary_of("several")).figure

    legend = figure.axes[2].get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == [
        "as stated",
        "sklearn",
        "numpy",
        "density",
        "river",
    ]
    assert figure.axes[0].get_legend() is None


def test_alt_names_the_widest_gap_and_the_absent(draw: Draw, summary_of: Give) -> None:
    alt = draw("reliability", summary_of("several")).alt

    assert "Widest gap:" in alt
    assert "Without probabilities: labels_only and broken." in alt

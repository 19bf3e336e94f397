"""Accuracy against the train fraction."""

from collections.abc import Callable

import numpy as np

from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.figures.sweep_accuracy import sweep_accuracy
from gnbbench.statistics.sweep_summary import SweepSummary

Give = Callable[[str], SweepSummary]


def _drawing(summary: SweepSummary) -> Drawing:
    drawing = sweep_accuracy(summary)
    assert isinstance(drawing, Drawing)
    return drawing


def test_curves_are_the_means_of_the_summary(sweep_of: Give) -> None:
    summary = sweep_of("density")
    table = summary.accuracy

    panels = _drawing(summary).figure.axes

    for axes, metric in zip(panels, ("test_accuracy", "train_accuracy"), strict=True):
        for name in summary.implementations:
            (line,) = [line for line in axes.lines if line.get_label() == name]
            own = table[(table["implementation"] == name) & (table["metric"] == metric)]
            assert np.asarray(line.get_xdata()).tolist() == list(summary.fractions)
            assert np.asarray(line.get_ydata()).tolist() == own["mean"].tolist()


def test_bands_are_the_middle_of_single_runs(sweep_of: Give) -> None:
    summary = sweep_of("density")
    table = summary.accuracy.query("metric == 'test_accuracy' and fraction == 0.5")

    axes = _drawing(summary).figure.axes[0]

    bands = [
        one.get_paths()[0].vertices for one in axes.collections if len(one.get_paths()) == 1
    ]
    at_half = [
        sorted(set(np.asarray(b)[np.isclose(np.asarray(b)[:, 0], 0.5), 1])) for b in bands
    ]
    assert at_half == [sorted([row["p5"], row["p95"]]) for _, row in table.iterrows()]


def test_conservative_fractions_are_dotted(sweep_of: Give) -> None:
    axes = _drawing(sweep_of("density")).figure.axes[0]

    numbers = [
        len(one.get_paths())
        for one in axes.collections
        if one.get_label() == "_conservative"
    ]
    assert numbers == [4, 4]
    assert "conservative" in _drawing(sweep_of("density")).caption
    assert "conservative" not in _drawing(sweep_of("one_fraction")).caption


def test_coinciding_curves_are_said_to_coincide(sweep_of: Give) -> None:
    assert _drawing(sweep_of("identical")).finding.endswith("; the curves coincide")
    assert "apart" in _drawing(sweep_of("density")).finding


def test_nothing_to_draw_is_an_absence(sweep_of: Give) -> None:
    assert isinstance(sweep_accuracy(sweep_of("all_failed")), Absence)

"""Disagreements against the train fraction."""

from collections.abc import Callable

import numpy as np

from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.figures.sweep_disagreements import PANELS, sweep_disagreements
from gnbbench.statistics.sweep_summary import SweepSummary

Give = Callable[[str], SweepSummary]


def _drawing(summary: SweepSummary) -> Drawing:
    drawing = sweep_disagreements(summary)
    assert isinstance(drawing, Drawing)
    return drawing


def test_panels_are_columns_of_the_agreement_table(sweep_of: Give) -> None:
    summary = sweep_of("density")

    panels = _drawing(summary).figure.axes

    for axes, column in zip(panels, PANELS, strict=True):
        (line,) = axes.lines
        assert np.asarray(line.get_ydata()).tolist() == summary.agreement[column].tolist()
        low, high = axes.get_ylim()
        assert low <= summary.agreement[column].min()
        assert summary.agreement[column].max() <= high


def test_the_reference_has_no_line(sweep_of: Give) -> None:
    for axes in _drawing(sweep_of("several")).figure.axes:
        labels = {str(line.get_label()) for line in axes.lines}
        assert labels == {"numpy", "density-product", "shuffled"}


def test_exact_runs_are_said_to_be_so(sweep_of: Give) -> None:
    finding = _drawing(sweep_of("identical")).finding

    assert finding == "All 360 runs match the reference entirely"
    assert "fewest" in _drawing(sweep_of("density")).finding


def test_nothing_to_compare_is_an_absence(sweep_of: Give) -> None:
    assert isinstance(sweep_disagreements(sweep_of("all_failed")), Absence)

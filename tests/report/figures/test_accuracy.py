"""Accuracy bars."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from gnbbench.report.figures.accuracy import accuracy
from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.statistics.summary import Summary

Give = Callable[[str], Summary]


def _drawing(summary: Summary) -> Drawing:
    drawing = accuracy(summary)
    assert isinstance(drawing, Drawing)
    return drawing


def test_bars_are_the_means_and_lines_the_intervals(summary_of: Give) -> None:
    summary = summary_of("different")
    metrics = summary.metrics.set_index(["metric", "implementation"])

    drawing = _drawing(summary)

    for axes, metric in zip(
        drawing.figure.axes, ("train_accuracy", "test_accuracy"), strict=True
    ):
        rows = metrics.loc[metric]
        assert [bar.get_width() for bar in axes.patches] == rows["mean"].tolist()  # type: ignore[attr-defined]  # bars are rectangles
        ends = np.array([line.get_xdata() for line in axes.lines])
        assert ends == pytest.approx(rows[["low", "high"]].to_numpy())


def test_one_run_has_bars_without_lines(summary_of: Give) -> None:
    drawing = _drawing(summary_of("single"))

    assert all(len(axes.patches) == 2 for axes in drawing.figure.axes)
    assert not any(axes.lines for axes in drawing.figure.axes)
    assert drawing.caption.startswith("One run")


def test_a_failed_implementation_is_named_and_has_no_bar(summary_of: Give) -> None:
    drawing = _drawing(summary_of("failed"))

    assert [len(axes.patches) for axes in drawing.figure.axes] == [1, 1]
    assert "failed in every run" in [t.get_text() for t in drawing.figure.axes[1].texts]
    assert "No bar for broken." in drawing.alt


def test_finding_tells_equal_from_equal_to_four_digits(summary_of: Give) -> None:
    summary = summary_of("usual")
    metrics = summary.metrics.copy()
    chosen = (metrics["metric"] == "test_accuracy") & (metrics["implementation"] == "numpy")
    metrics.loc[chosen, "mean"] += 1e-7

    assert _drawing(summary).finding.startswith("All have the same test accuracy")
    assert "to four digits" in _drawing(replace(summary, metrics=metrics)).finding


def test_frame_is_train_and_test_accuracy(summary_of: Give) -> None:
    frame = _drawing(summary_of("several")).frame

    assert set(frame["metric"]) == {"train_accuracy", "test_accuracy"}
    assert len(frame) == 12


def test_nothing_to_draw_without_labels(summary_of: Give) -> None:
    summary = summary_of("failed")
    metrics = summary.metrics.assign(mean=float("nan"))

    assert isinstance(accuracy(replace(summary, metrics=metrics)), Absence)

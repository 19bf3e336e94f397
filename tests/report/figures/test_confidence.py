"""Confidence bars."""

from collections.abc import Callable
from dataclasses import replace

from gnbbench.report.figures.confidence import confidence
from gnbbench.report.figures.drawing import Drawing
from gnbbench.statistics.summary import Summary

Give = Callable[[str], Summary]


def _drawing(summary: Summary) -> Drawing:
    drawing = confidence(summary)
    assert isinstance(drawing, Drawing)
    return drawing


def test_right_and_wrong_are_the_means_of_the_summary(summary_of: Give) -> None:
    summary = summary_of("different")
    metrics = summary.metrics.set_index(["metric", "implementation"])["mean"]

    right, wrong = _drawing(summary).figure.axes

    for axes, metric in (
        (right, "mean_confidence_right"),
        (wrong, "mean_confidence_wrong"),
    ):
        widths = [bar.get_width() for bar in axes.patches]  # type: ignore[attr-defined]  # bars are rectangles
        assert widths == metrics[metric].tolist()


def test_who_offers_none_is_named_without_a_bar(summary_of: Give) -> None:
    drawing = _drawing(summary_of("no_probabilities"))

    assert [len(axes.patches) for axes in drawing.figure.axes] == [1, 1]
    assert "No value for labels_only." in drawing.alt


def test_finding_names_who_is_surest_where_wrong(summary_of: Give) -> None:
    assert _drawing(summary_of("several")).finding.startswith("Surest where wrong: density")


def test_a_difference_beyond_four_digits_makes_no_finding(summary_of: Give) -> None:
    summary = summary_of("usual")
    metrics = summary.metrics.copy()
    metrics.loc[metrics["implementation"] == "numpy", "mean"] += 1e-11

    finding = _drawing(replace(summary, metrics=metrics)).finding

    assert finding.startswith("All are 0.9800 sure where right")

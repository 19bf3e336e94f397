"""Accuracy and confidence as bars, and test accuracy run by run."""

from collections.abc import Callable

import numpy as np
import pytest

from gnbbench.report.figures.accuracy import piled
from gnbbench.report.figures.catalogue import draw_figure
from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.statistics.summary import Summary

Draw = Callable[..., Drawing]
Give = Callable[[str], Summary]


def test_bars_are_the_means_and_lines_the_intervals(draw: Draw, summary_of: Give) -> None:
    summary = summary_of("different")
    metrics = summary.metrics.set_index(["metric", "implementation"])

    drawing = draw("accuracy", summary)

    for axes, metric in zip(
        drawing.figure.axes, ("train_accuracy", "test_accuracy"), strict=True
    ):
        rows = metrics.loc[metric]
        assert [bar.get_width() for bar in axes.patches] == rows["mean"].tolist()  # type: ignore[attr-defined]  # bars are rectangles
        ends = np.array([line.get_xdata() for line in axes.lines])
        assert ends == pytest.approx(rows[["low", "high"]].to_numpy())


def test_one_run_has_bars_without_lines(draw: Draw, summary_of: Give) -> None:
    drawing = draw("accuracy", summary_of("single"))

    assert all(len(axes.patches) == 2 for axes in drawing.figure.axes)
    assert not any(axes.lines for axes in drawing.figure.axes)
    assert drawing.caption.startswith("One run")


def test_a_failed_implementation_is_named_and_has_no_bar(
    draw: Draw, summary_of: Give
) -> None:
    drawing = draw("accuracy", summary_of("failed"))

    assert [len(axes.patches) for axes in drawing.figure.axes] == [1, 1]
    assert "failed in every run" in [t.get_text() for t in drawing.figure.axes[1].texts]
    assert "No bar for broken." in drawing.alt


def test_finding_tells_equal_from_equal_to_four_digits(
    draw: Draw, summary_of: Give
) -> None:
    summary = summary_of("usual")
    metrics = summary.metrics.copy()
    chosen = (metrics["metric"] == "test_accuracy") & (metrics["implementation"] == "numpy")
    metrics.loc[chosen, "mean"] += 1e-7

    assert draw("accuracy", summary).finding.startswith("All have the same test accuracy")
    assert (
        "to four digits" in draw("accuracy", summary.with_tables(metrics=metrics)).finding
    )


def test_frame_is_train_and_test_accuracy(draw: Draw, summary_of: Give) -> None:
    frame = draw("accuracy", summary_of("several")).frame

    assert set(frame["metric"]) == {"train_accuracy", "test_accuracy"}
    assert len(frame) == 12


def test_nothing_to_draw_without_labels(summary_of: Give) -> None:
    summary = summary_of("failed")
    metrics = summary.metrics.assign(mean=float("nan"))

    assert isinstance(
        draw_figure("accuracy", summary.with_tables(metrics=metrics)), Absence
    )


def test_every_run_is_a_dot(draw: Draw, summary_of: Give) -> None:
    summary = summary_of("different")

    left = draw("accuracy_spread", summary).figure.axes[0]

    clouds = [line for line in left.lines if line.get_label() == "_runs"]
    for name, dots in zip(summary.implementations, clouds, strict=True):
        group = summary.runs.loc[summary.runs["implementation"] == name]
        assert np.asarray(dots.get_xdata()).tolist() == group["test_accuracy"].tolist()


def test_the_band_is_the_margin_on_both_sides(draw: Draw, summary_of: Give) -> None:
    summary = summary_of("different")

    right = draw("accuracy_spread", summary).figure.axes[1]

    (band,) = [patch for patch in right.patches if patch.get_label() == "margin"]
    assert band.get_extents().transformed(
        right.transData.inverted()
    ).intervalx == pytest.approx([-summary.margin, summary.margin])


def test_difference_and_interval_are_those_of_the_summary(
    draw: Draw, summary_of: Give
) -> None:
    summary = summary_of("different")
    row = summary.differences.set_index("metric").loc["test_accuracy"]

    right = draw("accuracy_spread", summary).figure.axes[1]

    (point,) = [line for line in right.lines if line.get_label() == "density"]
    (interval,) = [line for line in right.lines if line.get_label() == "_interval"]
    assert np.asarray(point.get_xdata()).tolist() == [row["mean"]]
    assert np.asarray(interval.get_xdata()).tolist() == [row["low"], row["high"]]


def test_identical_runs_are_called_so_and_drawn_at_zero(
    draw: Draw, summary_of: Give
) -> None:
    drawing = draw("accuracy_spread", summary_of("usual"))

    assert drawing.finding == "numpy has the reference's test accuracy in all 1,000 runs"
    assert [text.get_text() for text in drawing.figure.axes[1].texts] == ["identical"]


def test_many_dots_are_a_picture_and_few_are_shapes(draw: Draw, summary_of: Give) -> None:
    for name, many in (("usual", True), ("cannot_tell", False)):
        dots = draw("accuracy_spread", summary_of(name)).figure.axes[0].lines[0]
        assert bool(dots.get_rasterized()) is many


@pytest.mark.parametrize("number", [1, 2, 7, 60, 500])
def test_piles_stay_within_the_row_and_are_centred(number: int) -> None:
    values = np.random.default_rng(number).integers(0, 50, number) / 49

    offsets = piled(values, values.min(), values.max())

    assert np.abs(offsets).max() <= 1
    assert offsets.sum() == pytest.approx(0, abs=1e-9)


def test_equal_values_do_not_hide_each_other() -> None:
    offsets = piled(np.full(20, 0.9), 0.5, 1.0)

    assert len(set(offsets)) == 20


def test_right_and_wrong_are_the_means_of_the_summary(draw: Draw, summary_of: Give) -> None:
    summary = summary_of("different")
    metrics = summary.metrics.set_index(["metric", "implementation"])["mean"]

    right, wrong = draw("confidence", summary).figure.axes

    for axes, metric in (
        (right, "mean_confidence_right"),
        (wrong, "mean_confidence_wrong"),
    ):
        widths = [bar.get_width() for bar in axes.patches]  # type: ignore[attr-defined]  # bars are rectangles
        assert widths == metrics[metric].tolist()


def test_who_offers_none_is_named_without_a_bar(draw: Draw, summary_of: Give) -> None:
    drawing = draw("confidence", summary_of("no_probabilities"))

    assert [len(axes.patches) for axes in drawing.figure.axes] == [1, 1]
    assert "No value for labels_only." in drawing.alt


def test_finding_names_who_is_surest_where_wrong(draw: Draw, summary_of: Give) -> None:
    assert draw("confidence", summary_of("several")).finding.startswith(
        "Surest where wrong: density"
    )


def test_a_difference_beyond_four_digits_makes_no_finding(
    draw: Draw, summary_of: Give
) -> None:
    summary = summary_of("usual")
    metrics = summary.metrics.copy()
    metrics.loc[metrics["implementation"] == "numpy", "mean"] += 1e-11

    finding = draw("confidence", summary.with_tables(metrics=metrics)).finding

    assert finding.startswith("All are 0.9800 sure where right")

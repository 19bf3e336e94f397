"""GNB beside models without one assumption."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from gnbbench.report.assumptions_summary import AssumptionsSummary
from gnbbench.report.figures.drawing import Absence, Drawing, draw_figure

Draw = Callable[..., Drawing]
Give = Callable[[str], AssumptionsSummary]


def test_bars_start_at_zero_and_have_the_means(draw: Draw, assumptions_of: Give) -> None:
    summary = assumptions_of("iris")

    accuracy = draw("costs", summary).figure.axes[0]

    table = summary.findings.costs
    means = table.loc[table["metric"] == "test_accuracy", "mean"].tolist()
    assert [bar.get_width() for bar in accuracy.patches] == means  # type: ignore[attr-defined]  # they are rectangles
    assert accuracy.get_xlim()[0] == 0.0


def test_differences_are_drawn_about_zero(draw: Draw, assumptions_of: Give) -> None:
    for axes in draw("costs", assumptions_of("iris")).figure.axes[2:4]:
        low, high = axes.get_xlim()
        assert low == -high


def test_the_table_has_means_and_differences(draw: Draw, assumptions_of: Give) -> None:
    frame = draw("costs", assumptions_of("iris")).frame

    row = frame[(frame["model"] == "QDA") & (frame["metric"] == "log_loss")].iloc[0]
    assert row["mean"] == pytest.approx(0.0491, abs=1e-4)
    assert row["difference_mean"] == pytest.approx(-0.1087, abs=1e-4)
    assert len(frame) == 10


def test_the_finding_names_the_best(draw: Draw, assumptions_of: Give) -> None:
    assert draw("costs", assumptions_of("iris")).finding == (
        "QDA has the lowest log loss, 0.049 nats; GNB has 0.158"
    )


@pytest.mark.slow
def test_gnb_may_be_the_best(draw: Draw, assumptions_of: Give) -> None:
    summary = assumptions_of("iris")
    table = summary.findings.costs.copy()
    table.loc[
        (table["implementation"] == "GNB") & (table["metric"] == "log_loss"), "mean"
    ] = 0
    better = replace(summary, findings=replace(summary.findings, costs=table))

    assert draw("costs", better).finding.startswith(
        "No model has a lower log loss than GNB"
    )


def test_a_model_that_failed_has_no_bar_and_is_named(
    draw: Draw, assumptions_of: Give
) -> None:
    drawing = draw("costs", assumptions_of("few"))

    assert len(drawing.figure.axes[0].patches) == 4
    assert "Failed in every run: QDA." in drawing.alt
    assert "One run" in drawing.caption


def test_nothing_is_drawn_where_every_model_failed(assumptions_of: Give) -> None:
    summary = assumptions_of("iris")
    table = summary.findings.costs.assign(mean=float("nan"))

    failed = replace(summary, findings=replace(summary.findings, costs=table))

    assert isinstance(draw_figure("costs", failed), Absence)

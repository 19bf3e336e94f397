"""Accuracy, confidence and times as bars, and test accuracy run by run."""

import numpy as np
import pandas as pd
import pytest
from faults.invented import random_study, records_of, with_tables
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from reading import Draw, Give

from gnbbench.report.figures.accuracy import piled
from gnbbench.report.figures.drawing import Absence, draw_figure
from gnbbench.statistics.summarize import summarize

TIMES = ("median_seconds", "p5_seconds", "p95_seconds")


def widths(axes: Axes) -> list[float]:
    return [bar.get_width() for bar in axes.patches if isinstance(bar, Rectangle)]


def texts(axes: Axes) -> list[str]:
    return [text.get_text() for text in axes.texts]


@pytest.mark.parametrize(
    ("figure", "metrics"),
    [
        ("accuracy", ("train_accuracy", "test_accuracy")),
        ("confidence", ("mean_confidence_right", "mean_confidence_wrong")),
    ],
)
def test_bars_are_the_means_and_lines_the_intervals(
    draw: Draw, summary_of: Give, figure: str, metrics: tuple[str, ...]
) -> None:
    summary = summary_of("different")
    table = summary.metrics.set_index(["metric", "implementation"])

    drawing = draw(figure, summary)

    for axes, metric in zip(drawing.figure.axes, metrics, strict=True):
        rows = table.loc[metric]
        assert widths(axes) == rows["mean"].tolist()
        ends = np.array([line.get_xdata() for line in axes.lines])
        assert ends == pytest.approx(rows[["low", "high"]].to_numpy())
        assert axes.get_xlim()[0] == 0
    assert set(metrics) <= set(drawing.frame["metric"])


def test_one_run_has_bars_without_lines(draw: Draw, summary_of: Give) -> None:
    drawing = draw("accuracy", summary_of("single"))

    assert [len(widths(axes)) for axes in drawing.figure.axes] == [1, 1]
    assert not any(axes.lines for axes in drawing.figure.axes)
    assert drawing.caption.startswith("One run")


@pytest.mark.parametrize(
    ("metric", "change", "words"),
    [
        ("accuracy", 0.0, "All have the same test accuracy"),
        ("accuracy", 1e-7, "Test accuracy is "),
        ("wrong", 1e-11, "Mean confidence is 0.61 when right"),
        ("right", 0.1, "Mean confidence when right lies between 0.61 (sk"),
        ("wrong", -0.1, "Mean confidence when wrong lies between 0.62 (nu"),
    ],
)
def test_a_difference_beyond_the_digits_makes_no_finding(
    draw: Draw, summary_of: Give, metric: str, change: float, words: str
) -> None:
    summary = summary_of("usual")
    metrics = summary.metrics.copy()
    of_numpy = metrics["implementation"] == "numpy"
    metrics.loc[of_numpy & metrics["metric"].str.endswith(metric), "mean"] += change
    figure = metric if metric == "accuracy" else "confidence"

    finding = draw(figure, with_tables(summary, metrics=metrics)).finding

    assert finding.startswith(words)


def test_nothing_to_draw_without_labels_or_times(summary_of: Give) -> None:
    failed, usual = summary_of("failed"), summary_of("usual")
    metrics = failed.metrics.assign(mean=float("nan"))
    empty = {"timing": usual.timing.iloc[:0], "ratios": usual.ratios.iloc[:0]}

    assert isinstance(
        draw_figure("accuracy", with_tables(failed, metrics=metrics)), Absence
    )
    assert isinstance(draw_figure("timing", with_tables(usual, **empty)), Absence)


def test_every_run_is_a_dot_where_runs_are_few_and_counted_where_they_are_many(
    draw: Draw, summary_of: Give
) -> None:
    many, few = summary_of("different"), summary_of("cannot_tell")

    *panels, _ = draw("accuracy_spread", many).figure.axes
    left = draw("accuracy_spread", few).figure.axes[0]

    for name, axes in zip(many.implementations, panels, strict=True):
        values = many.runs.loc[many.runs["implementation"] == name, "test_accuracy"]
        heights = [bar.get_height() for bar in axes.patches if isinstance(bar, Rectangle)]
        assert sum(heights) == len(values) > 60
        assert np.asarray(axes.lines[0].get_xdata())[0] == pytest.approx(values.mean())
    clouds = [line for line in left.lines if line.get_label() == "_runs"]
    for name, dots in zip(few.implementations, clouds, strict=True):
        group = few.runs[few.runs["implementation"] == name]
        assert np.asarray(dots.get_xdata()).tolist() == group["test_accuracy"].tolist()


def test_difference_interval_and_margin_equal_those_of_the_summary(
    draw: Draw, summary_of: Give
) -> None:
    summary = summary_of("different")
    row = summary.differences.set_index("metric").loc["test_accuracy"]

    right = draw("accuracy_spread", summary).figure.axes[-1]

    (point,) = [line for line in right.lines if line.get_label() == "density"]
    (interval,) = [line for line in right.lines if line.get_label() == "_interval"]
    (band,) = [patch for patch in right.patches if patch.get_label() == "margin"]
    ends = band.get_extents().transformed(right.transData.inverted()).intervalx
    assert np.asarray(point.get_xdata()).tolist() == [row["mean"]]
    assert np.asarray(interval.get_xdata()).tolist() == [row["low"], row["high"]]
    assert ends == pytest.approx([-summary.margin, summary.margin])


@pytest.mark.parametrize("number", [1, 2, 7, 60, 500])
def test_piles_stay_within_the_row_and_are_centred(number: int) -> None:
    values = np.random.default_rng(number).integers(0, 50, number) / 49

    offsets = piled(values, values.min(), values.max())

    assert np.abs(offsets).max() <= 1
    assert offsets.sum() == pytest.approx(0, abs=1e-9)
    assert len(set(piled(np.full(20, 0.9), 0.5, 1.0))) == 20


def test_medians_and_percentiles_are_on_a_log_axis(draw: Draw, summary_of: Give) -> None:
    summary = summary_of("usual")

    axes = draw("timing", summary).figure.axes[0]

    assert axes.get_xlabel() == "time of one call (log scale)"
    assert axes.get_xscale() == "log"
    lines = [np.asarray(line.get_xdata()) for line in axes.lines]
    medians = [line[0] for line in lines if len(line) == 1]
    assert medians == summary.timing["median_seconds"].tolist()
    ends = np.array([line for line in lines if len(line) == 2])
    assert (ends == summary.timing[["p5_seconds", "p95_seconds"]].to_numpy()).all()
    assert texts(axes)[0].startswith("sklearn: fit ")


def test_ratio_interval_and_floor_are_of_the_summary(draw: Draw, summary_of: Give) -> None:
    summary = summary_of("usual")
    row = summary.ratios.iloc[0]

    axes = draw("timing", summary).figure.axes[-1]

    floor = next(patch for patch in axes.patches if isinstance(patch, Rectangle))
    interval = next(line for line in axes.lines if line.get_label() == "_interval")
    point = next(line for line in axes.lines if line.get_label() == "numpy")
    assert (floor.get_x(), floor.get_x() + floor.get_width()) == pytest.approx(
        (row["floor_low"], row["floor_high"])
    )
    assert np.asarray(interval.get_xdata()).tolist() == [row["low"], row["high"]]
    assert np.asarray(point.get_xdata()).tolist() == [row["ratio"]]
    assert axes.get_xscale() == "log"
    assert axes.get_xlim()[0] < 1 < axes.get_xlim()[1]


def test_runs_that_failed_are_not_among_those_compared(draw: Draw) -> None:
    summary = summarize(records_of(random_study(), failed={"numpy": [3]}))

    assert draw("accuracy_spread", summary).finding.endswith("in the 19 runs compared")
    assert draw("accuracy", summary).caption.startswith("Means over up to 20 runs,")


@pytest.mark.parametrize(
    ("ratios", "finding"),
    [
        ((3.0, 2.0), "sklearn fits faster than all others; b comes next, 2.00× slower"),
        ((0.1, 0.2), "Fastest: a fits 10.0× faster (9.9 to 10.1)"),
        ((0.1, 0.1005), "Among the fastest: a fits 10.0× faster"),
    ],
)
def test_the_fastest_is_named_only_if_it_is(
    draw: Draw, ratios: tuple[float, float], finding: str
) -> None:
    summary = summarize(records_of(random_study(changed={"a": 0.0, "b": 0.0})))
    rows = [
        {
            "implementation": name,
            "operation": "fit",
            "ratio": ratio,
            "low": 0.99 * ratio,
            "high": 1.01 * ratio,
            "floor_low": 0.99,
            "floor_high": 1.01,
            "speed": "slower" if ratio > 1 else "faster",
        }
        for name, ratio in zip("ab", ratios, strict=True)
    ]
    timing = pd.DataFrame(
        [(name, "fit", 1e-3, 1e-3, 1e-3) for name in ("sklearn", "a", "b")],
        columns=["implementation", "operation", *TIMES],
    )

    drawing = draw("timing", with_tables(summary, ratios=pd.DataFrame(rows), timing=timing))

    assert drawing.finding.startswith(finding)

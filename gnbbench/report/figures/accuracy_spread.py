"""Test accuracy of single runs, and the paired difference against the margin."""

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray

from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.figures.panels import Measure, points, rows_named
from gnbbench.report.lookup import Lookup
from gnbbench.report.style import (
    INK,
    MUTED,
    RULE,
    LineStyle,
    drawing_style,
    freeze,
    line_styles,
    new_figure,
)
from gnbbench.statistics.summary import Summary
from gnbbench.words import decimal, interval, listing, plural

NAME = "accuracy_spread"
TITLE = "Test accuracy by run, and the difference from the reference"
BINS = 45
MOST_VECTOR_DOTS = 400


@drawing_style()
def accuracy_spread(summary: Summary) -> Drawing | Absence:
    """One dot per run at the left; mean difference with the margin band at the right."""
    frame = _frame(summary)
    if frame.empty:
        return Absence(NAME, TITLE, "No implementation gave labels in any run.")
    styles = line_styles(summary.implementations)
    measures = _measures(summary)
    finding = _finding(summary, measures, styles)
    figure = new_figure(1.0 + 0.52 * len(summary.implementations), finding)
    left, right = figure.subplots(1, 2, width_ratios=(1.15, 1))
    _dots(left, summary, frame, styles)
    _differences(right, summary, frame, measures, styles)
    return Drawing(
        NAME,
        TITLE,
        finding,
        _caption(summary),
        _alt(summary, frame, finding),
        freeze(figure),
        frame,
    )


def piled(values: NDArray[np.float64], low: float, high: float) -> NDArray[np.float64]:
    """Return offsets in [-1, 1] that spread dots of about equal value side by side.

    Values are put into bins; the fullest bin takes the whole width, others their
    share of it. No random numbers, so that a picture drawn twice is the same.
    """
    width = (high - low) or 1.0
    bins = np.minimum((values - low) / width * BINS, BINS - 1).astype(np.intp)
    counts = np.bincount(bins)
    offsets = np.zeros(len(values))
    for number in np.flatnonzero(counts > 1):
        reach = counts[number] / counts.max()
        offsets[bins == number] = np.linspace(-reach, reach, counts[number])
    return offsets


def _dots(
    axes: Axes, summary: Summary, frame: pd.DataFrame, styles: Mapping[str, LineStyle]
) -> None:
    low, high = frame["test_accuracy"].min(), frame["test_accuracy"].max()
    for row, name in enumerate(summary.implementations):
        values = frame.loc[frame["implementation"] == name, "test_accuracy"].to_numpy()
        if len(values):
            style = styles[name]
            _cloud(axes, values, row + 0.36 * piled(values, low, high), style, len(frame))
            axes.plot(
                [values.mean()] * 2, [row - 0.42, row + 0.42], color=INK, linewidth=1.4
            )
    rows_named(axes, [styles[name].label for name in summary.implementations])
    axes.set(xlabel="test accuracy (share of samples)", title="Each run, and their mean")


def _cloud(
    axes: Axes,
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    style: LineStyle,
    n_all: int,
) -> None:
    axes.plot(
        x,
        y,
        style.marker,
        color=style.colour,
        markersize=3.2 if n_all > MOST_VECTOR_DOTS else 4.5,
        markeredgewidth=0,
        alpha=0.75,
        rasterized=n_all > MOST_VECTOR_DOTS,
        label=style.label,
    )


def _differences(
    axes: Axes,
    summary: Summary,
    frame: pd.DataFrame,
    measures: list[Measure],
    styles: Mapping[str, LineStyle],
) -> None:
    margin = summary.margin
    axes.axvspan(-margin, margin, color=RULE, alpha=0.6, linewidth=0, label="margin")
    axes.axvline(0, color=MUTED, linewidth=0.9)
    points(axes, measures, styles)
    axes.set_ylim(len(measures) - 0.3, -0.7)
    differences = _by_run(summary, frame)
    reach = max(
        [2 * margin]
        + [
            1.15 * abs(v)
            for m in measures
            for v in (m.value, m.low, m.high)
            if np.isfinite(v)
        ]
    )
    for row, measure in enumerate(measures):
        values = differences.get(measure.implementation)
        if values is not None and np.any(values != 0):
            inside = values[np.abs(values) <= reach]
            axes.plot(
                inside,
                row + 0.3 + 0.1 * piled(inside, -reach, reach),
                styles[measure.implementation].marker,
                color=styles[measure.implementation].colour,
                markersize=2.6,
                markeredgewidth=0,
                alpha=0.5,
                rasterized=len(inside) > MOST_VECTOR_DOTS,
                label="_runs",
            )
    axes.set_xlim(-reach, reach)
    axes.locator_params(axis="x", nbins=5)
    axes.set(
        xlabel="difference in test accuracy (share of samples)",
        title=f"Minus {styles[summary.reference].label} (band: ±{decimal(margin, 3)})",
    )


def _by_run(summary: Summary, frame: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    wide = frame.pivot_table(index="run", columns="implementation", values="test_accuracy")
    if summary.reference not in wide:
        return {}
    reference = wide[summary.reference]
    return {
        name: (wide[name] - reference).dropna().to_numpy()
        for name in summary.implementations[1:]
        if name in wide
    }


def _measures(summary: Summary) -> list[Measure]:
    lookup = Lookup(summary.differences, "implementation", "metric")
    measures = []
    for name in summary.implementations[1:]:
        value, low, high = lookup.triple("mean", name, "test_accuracy")
        text = interval(value, low, high, signed=True)
        if lookup.text("outcome", name, "test_accuracy") == "identical":
            text = "identical"
        measures.append(Measure(name, value, low, high, text))
    return measures


def _finding(
    summary: Summary, measures: list[Measure], styles: Mapping[str, LineStyle]
) -> str:
    known = [measure for measure in measures if math.isfinite(measure.value)]
    if not known:
        return "No implementation can be held against the reference"
    if all(measure.text == "identical" for measure in known):
        verb = "has" if len(known) == 1 else "have"
        names = listing([styles[m.implementation].label for m in known])
        where = (
            "the one run" if summary.n_runs == 1 else f"all {plural(summary.n_runs, 'run')}"
        )
        return f"{names} {verb} the reference's test accuracy in {where}"
    worst = max(known, key=lambda measure: abs(measure.value))
    label = styles[worst.implementation].label
    return f"Largest mean difference in test accuracy: {label} {worst.text}"


def _caption(summary: Summary) -> str:
    return (
        "Left: one dot per run, piled where runs agree; the upright line is the mean. This "
        "is the spread over splits, not a confidence interval. Right: mean paired "
        f"difference{'' if summary.n_runs == 1 else ' with its corrected 95 % interval'}; "
        "small dots are single runs (those beyond the axis are left to the table). "
        f"The grey band is the margin, {decimal(summary.margin, 3)} on either side."
    )


def _alt(summary: Summary, frame: pd.DataFrame, finding: str) -> str:
    values = frame["test_accuracy"]
    failed = int((summary.runs["status"] != "ok").sum())
    exception = f" {plural(failed, 'run')} with an error left out." if failed else ""
    return (
        f"Dots of test accuracy for {plural(summary.n_runs, 'run')} of "
        f"{plural(len(summary.implementations), 'implementation')}, from "
        f"{decimal(values.min())} to {decimal(values.max())}, beside the paired difference "
        f"with a margin of {decimal(summary.margin, 3)}. {finding}.{exception}"
    )


def _frame(summary: Summary) -> pd.DataFrame:
    chosen = summary.runs.loc[:, ["run", "implementation", "test_accuracy"]]
    return chosen.dropna().reset_index(drop=True)

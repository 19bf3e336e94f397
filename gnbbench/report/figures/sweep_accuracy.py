"""Train and test accuracy of every implementation against the train fraction."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from gnbbench.report.figures import curves
from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.style import LineStyle, drawing_style, freeze, line_styles, new_figure
from gnbbench.statistics.sweep_summary import SweepSummary
from gnbbench.words import decimal, listing, percent, percent_span, plural

NAME = "sweep_accuracy"
TITLE = "Accuracy against the train fraction"
SIDES = {"test_accuracy": "Test", "train_accuracy": "Train"}


@drawing_style()
def sweep_accuracy(summary: SweepSummary) -> Drawing | Absence:
    """Mean with corrected interval, and band of single runs, one panel per side."""
    frame = curve_frame(summary, tuple(SIDES))
    if frame.empty:
        return Absence(NAME, TITLE, "No implementation gave labels in any run.")
    styles = line_styles(summary.implementations)
    finding = _finding(frame, styles)
    figure = new_figure(curves.PANEL_INCHES + 0.3, finding)
    panels = figure.subplots(1, 2, sharey=True, width_ratios=(1.25, 1))
    dotted = curves.conservative_fractions(summary)
    for axes, (metric, side) in zip(panels, SIDES.items(), strict=True):
        draw_curves(axes, summary, frame.loc[frame["metric"] == metric], styles)
        axes.set_title(side)
    panels[0].set_ylabel("accuracy (share of samples)")
    panels[0].set_ylim(curves.reach(frame, dotted, summary.reference, at_most=1.0))
    curves.key(figure, summary.implementations, styles, curves.dotted_entries(dotted))
    return Drawing(
        NAME,
        TITLE,
        finding,
        curve_caption(summary, "accuracy"),
        _alt(summary, frame, styles, finding),
        freeze(figure),
        frame,
    )


def curve_frame(summary: SweepSummary, metrics: tuple[str, ...]) -> pd.DataFrame:
    """Rows of the accuracy table with a mean, for these metrics."""
    table = summary.accuracy
    chosen = table["metric"].isin(metrics) & table["mean"].notna()
    return table.loc[chosen].reset_index(drop=True)


def draw_curves(
    axes: Axes, summary: SweepSummary, frame: pd.DataFrame, styles: Mapping[str, LineStyle]
) -> None:
    """Draw one metric of all implementations over the train fractions."""
    dotted = curves.conservative_fractions(summary)
    offsets = curves.shifts(len(summary.implementations), summary.fractions)
    for place, name in enumerate(summary.implementations):
        rows, style = frame.loc[frame["implementation"] == name], styles[name]
        x = rows["fraction"].to_numpy()
        curves.band(axes, x, rows["p5"].to_numpy(), rows["p95"].to_numpy(), style)
        wide = np.isin(x, list(dotted))
        curves.intervals(axes, rows, x + offsets[place], style, wide)
        curves.line(axes, x, rows["mean"].to_numpy(), style, first=place == 0)
    curves.fraction_axis(axes, summary.fractions)


def curve_caption(summary: SweepSummary, what: str) -> str:
    """How to read the curves of a metric."""
    if summary.n_runs == 1:
        return "One run at each train fraction, so there are no intervals."
    text = (
        f"Lines: mean {what} over {plural(summary.n_runs, 'run')} at each train fraction. "
        "Bands: the middle 90 % of single runs. Upright lines: 95 % intervals of the mean, "
        "corrected for the samples that the runs share (Nadeau and Bengio 2003)"
    )
    if curves.conservative_fractions(summary):
        text += (
            "; dotted where more than half of the samples are tested, which makes them "
            "conservative. There, what leaves the picture is cut"
        )
    return f"{text}."


def _finding(frame: pd.DataFrame, styles: Mapping[str, LineStyle]) -> str:
    test = frame.loc[frame["metric"] == "test_accuracy"]
    if test.empty:
        return "No implementation has a test accuracy"
    wide = test.pivot_table(index="fraction", columns="implementation", values="mean")
    shown = wide[test["implementation"].iloc[0]].dropna()
    first, best = float(shown.index.min()), float(str(shown.idxmax()))
    text = f"Test accuracy is {decimal(shown[first])} at {percent(first)}"
    if best > first:
        text += f", at best {decimal(shown[best])} at {percent(best)}"
    if len(wide.columns) < 2:
        return f"{text} ({styles[str(wide.columns[0])].label})"
    apart = wide.max(axis=1) - wide.min(axis=1)
    if decimal(apart.max()) == decimal(0.0):
        return f"{text}; the curves coincide"
    where = percent(float(str(apart.idxmax())))
    return f"{text}; the curves are at most {decimal(apart.max())} apart, at {where}"


def _alt(
    summary: SweepSummary,
    frame: pd.DataFrame,
    styles: Mapping[str, LineStyle],
    finding: str,
) -> str:
    spread = frame.loc[frame["metric"] == "test_accuracy", ["fraction", "spread"]].dropna()
    widest = ""
    if len(spread):
        row = spread.sort_values("spread").iloc[-1]
        widest = (
            f" Widest spread of test accuracy {decimal(row['spread'], 3)} at "
            f"{percent(row['fraction'])}."
        )
    return (
        f"Train and test accuracy of {listing([style.label for style in styles.values()])} "
        f"by train fraction, {percent_span(summary.fractions)}, means from "
        f"{decimal(frame['mean'].min())} to {decimal(frame['mean'].max())}. {finding}."
        f"{widest}{curves.exception(summary)}"
    )

"""Train minus test accuracy against the train fraction: how much is learned by heart."""

from collections.abc import Mapping

import pandas as pd

from gnbbench.report.figures import curves
from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.figures.sweep_accuracy import curve_caption, curve_frame, draw_curves
from gnbbench.report.style import (
    MUTED,
    LineStyle,
    drawing_style,
    freeze,
    line_styles,
    new_figure,
)
from gnbbench.statistics.sweep_summary import SweepSummary
from gnbbench.words import decimal, listing, percent, percent_span

NAME = "sweep_gap"
TITLE = "Train minus test accuracy against the train fraction"


@drawing_style()
def sweep_gap(summary: SweepSummary) -> Drawing | Absence:
    """Mean gap with corrected interval, and band of single runs."""
    frame = curve_frame(summary, ("gap",))
    if frame.empty:
        return Absence(NAME, TITLE, "No implementation gave labels in any run.")
    styles = line_styles(summary.implementations)
    finding = _finding(frame, styles)
    figure = new_figure(curves.PANEL_INCHES, finding)
    axes = figure.subplots()
    axes.axhline(0, color=MUTED, linewidth=0.9)
    draw_curves(axes, summary, frame, styles)
    dotted = curves.conservative_fractions(summary)
    low, high = curves.reach(frame, dotted, summary.reference)
    axes.set_ylim(min(low, -0.1 * high), high)
    axes.set_ylabel("train minus test accuracy\n(share of samples)")
    curves.key(figure, summary.implementations, styles, curves.dotted_entries(dotted))
    return Drawing(
        NAME,
        TITLE,
        finding,
        f"{curve_caption(summary, 'gap, taken run by run,')} A gap above zero is accuracy "
        "that new samples do not get.",
        _alt(summary, frame, styles, finding),
        freeze(figure),
        frame,
    )


def _finding(frame: pd.DataFrame, styles: Mapping[str, LineStyle]) -> str:
    worst = frame.sort_values("mean", kind="stable").iloc[-1]
    last = frame.loc[frame["fraction"] == frame["fraction"].max(), "mean"]
    where = f"{decimal(worst['mean'])} at {percent(worst['fraction'])}"
    others = frame.loc[frame["fraction"] == worst["fraction"], "mean"]
    if decimal(others.min()) != decimal(worst["mean"]):
        where += f" ({styles[str(worst['implementation'])].label})"
    if frame["fraction"].min() == frame["fraction"].max():
        return f"Train accuracy exceeds test accuracy by {where}"
    low, high = decimal(last.min()), decimal(last.max())
    ends = low if low == high else f"{low} to {high}"
    at_the_end = percent(frame["fraction"].max())
    return f"The gap is largest, {where}; at {at_the_end} it is {ends}"


def _alt(
    summary: SweepSummary,
    frame: pd.DataFrame,
    styles: Mapping[str, LineStyle],
    finding: str,
) -> str:
    return (
        "Train minus test accuracy of "
        f"{listing([style.label for style in styles.values()])} by train fraction, "
        f"{percent_span(summary.fractions)}, means from {decimal(frame['mean'].min())} "
        f"to {decimal(frame['mean'].max())}. {finding}.{curves.exception(summary)}"
    )

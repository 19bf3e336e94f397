"""Gain in test accuracy from each train fraction to the next."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from gnbbench.report.figures import curves
from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.style import (
    MUTED,
    LineStyle,
    drawing_style,
    freeze,
    line_styles,
    new_figure,
)
from gnbbench.statistics.sweep_summary import SweepSummary
from gnbbench.words import decimal, listing, percent_span, plural

NAME = "learning_slope"
TITLE = "Slope of the learning curve"
POINTS = 100.0


@drawing_style()
def learning_slope(summary: SweepSummary) -> Drawing | Absence:
    """Points of accuracy gained per ten points of train fraction, with intervals."""
    frame = summary.slopes.loc[summary.slopes["slope"].notna()].reset_index(drop=True)
    if frame.empty:
        reason = "A slope needs two train fractions at which labels were given."
        return Absence(NAME, TITLE, reason)
    styles = line_styles(summary.implementations)
    finding = _finding(frame, styles)
    figure = new_figure(curves.PANEL_INCHES, finding)
    axes = figure.subplots()
    axes.axhline(0, color=MUTED, linewidth=0.9)
    dotted = curves.conservative_fractions(summary)
    drawn = _in_points(frame)
    _draw(axes, summary, drawn, styles)
    low, high = curves.reach(drawn, dotted, summary.reference)
    axes.set_ylim(min(low, -0.1 * high), max(high, -0.1 * low))
    axes.set_ylabel("gain in test accuracy (points per\nten points of train fraction)")
    curves.key(figure, summary.implementations, styles, curves.dotted_entries(dotted))
    return Drawing(
        NAME,
        TITLE,
        finding,
        _caption(summary),
        _alt(summary, frame, styles, finding),
        freeze(figure),
        frame,
    )


def _in_points(frame: pd.DataFrame) -> pd.DataFrame:
    """Slopes in points; the fraction of a row is the one its interval goes by."""
    points = frame[["slope", "low", "high"]] * POINTS
    return points.rename(columns={"slope": "mean"}).assign(
        fraction=frame["from_fraction"],
        to_fraction=frame["to_fraction"],
        implementation=frame["implementation"],
    )


def _draw(
    axes: Axes, summary: SweepSummary, frame: pd.DataFrame, styles: Mapping[str, LineStyle]
) -> None:
    offsets = curves.shifts(len(summary.implementations), summary.fractions)
    dotted = curves.conservative_fractions(summary)
    for place, name in enumerate(summary.implementations):
        rows, style = frame.loc[frame["implementation"] == name], styles[name]
        start, end = rows["fraction"].to_numpy(), rows["to_fraction"].to_numpy()
        middle, slopes = (start + end) / 2, rows["mean"].to_numpy()
        wide = np.isin(start, list(dotted))
        curves.intervals(axes, rows, middle + offsets[place], style, wide)
        curves.line(axes, middle, slopes, style, first=place == 0)
    curves.fraction_axis(axes, summary.fractions)


def _finding(frame: pd.DataFrame, styles: Mapping[str, LineStyle]) -> str:
    steep = frame.sort_values("slope", kind="stable").iloc[-1]
    gain = f"{decimal(POINTS * steep['slope'], 2)} points"
    step = f"from {percent_span([steep['from_fraction'], steep['to_fraction']])}"
    others = frame.loc[frame["from_fraction"] == steep["from_fraction"], "slope"]
    who = ""
    if decimal(POINTS * others.min(), 2) != decimal(POINTS * steep["slope"], 2):
        who = f" ({styles[str(steep['implementation'])].label})"
    return f"Ten points more of training samples gain at most {gain}, {step}{who}"


def _caption(summary: SweepSummary) -> str:
    text = (
        "Mean gain in test accuracy between neighbouring train fractions, drawn half way "
        "between them. A run is paired with the run of the same number at the next "
        "fraction."
    )
    if summary.n_runs == 1:
        return f"{text} One run, so there are no intervals."
    text += (
        f" Upright lines: 95 % intervals over {plural(summary.n_runs, 'run')}, with the "
        "correction that the smaller of the two train sides asks for"
    )
    if curves.conservative_fractions(summary):
        text += (
            "; dotted where more than half of the samples are tested there, which makes "
            "them conservative, and cut where they leave the picture"
        )
    return f"{text}."


def _alt(
    summary: SweepSummary,
    frame: pd.DataFrame,
    styles: Mapping[str, LineStyle],
    finding: str,
) -> str:
    low, high = (
        decimal(POINTS * end, 2) for end in (frame["slope"].min(), frame["slope"].max())
    )
    return (
        "Gain in test accuracy per ten points of train fraction for "
        f"{listing([style.label for style in styles.values()])}, "
        f"{percent_span(summary.fractions)}, from {low} to {high} points. "
        f"{finding}.{curves.exception(summary)}"
    )

"""Share of exact runs, and disagreements per run, against the train fraction."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from gnbbench.report.figures import curves
from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.style import LineStyle, drawing_style, freeze, line_styles, new_figure
from gnbbench.statistics.sweep_summary import SweepSummary
from gnbbench.words import count, decimal, listing, percent, percent_span, plural, share

NAME = "sweep_disagreements"
TITLE = "Disagreements with the reference against the train fraction"
PANELS = {
    "exact_share": "Runs that match entirely",
    "mismatches_mean": "Disagreements per run: mean",
    "mismatches_max": "Disagreements per run: most",
}


@drawing_style()
def sweep_disagreements(summary: SweepSummary) -> Drawing | Absence:
    """Share of runs without a disagreement; mean and largest number of them in a run."""
    compared = summary.agreement["compared_runs"] > 0
    frame = summary.agreement.loc[compared].reset_index(drop=True)
    if frame.empty:
        return Absence(NAME, TITLE, "No run gave labels to compare.")
    styles = line_styles(summary.implementations)
    finding = _finding(frame, styles)
    figure = new_figure(curves.PANEL_INCHES - 0.2, finding)
    panels = figure.subplots(1, 3)
    for axes, (column, title) in zip(panels, PANELS.items(), strict=True):
        _draw(axes, summary, frame, column, styles)
        axes.set_title(title)
    _scale_shares(panels[0], float(frame["exact_share"].min()))
    for axes, column in zip(panels[1:], list(PANELS)[1:], strict=True):
        largest = float(frame[column].max())
        axes.set_ylim(-0.05 * (largest or 1.0), 1.08 * (largest or 1.0))
        axes.yaxis.set_major_locator(MaxNLocator(5, integer=column == "mismatches_max"))
    curves.key(figure, _drawn(summary, frame), styles)
    return Drawing(
        NAME,
        TITLE,
        finding,
        f"Each of the {plural(summary.n_runs, 'run')} at a train fraction is held against "
        f"{styles[summary.reference].label} on the same test samples; a run matches "
        "entirely when no label differs. The axis of the first panel ends at 100 % and "
        "need not start at zero.",
        _alt(summary, frame, styles, finding),
        freeze(figure),
        frame,
    )


def _drawn(summary: SweepSummary, frame: pd.DataFrame) -> list[str]:
    present = set(frame["implementation"])
    return [name for name in summary.implementations[1:] if name in present]


def _draw(
    axes: Axes,
    summary: SweepSummary,
    frame: pd.DataFrame,
    column: str,
    styles: Mapping[str, LineStyle],
) -> None:
    for name in _drawn(summary, frame):
        rows = frame.loc[frame["implementation"] == name]
        x, y = rows["fraction"].to_numpy(), rows[column].to_numpy(np.float64)
        curves.line(axes, x, y, styles[name], first=False)
    curves.fraction_axis(axes, summary.fractions)


def _scale_shares(axes: Axes, lowest: float) -> None:
    span = max(1 - lowest, 0.02)
    axes.set_ylim(max(1 - 1.15 * span, -0.03), 1 + 0.08 * span)
    axes.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.4g} %"))


def _finding(frame: pd.DataFrame, styles: Mapping[str, LineStyle]) -> str:
    runs, exact = frame["compared_runs"].sum(), frame["exact_runs"].sum()
    if exact == runs:
        return f"All {plural(int(runs), 'run')} match the reference entirely"
    worst = frame.sort_values("exact_share", kind="stable").iloc[0]
    who = "The fewest"
    if len(styles) > 2:
        who = f"{styles[str(worst['implementation'])].label}: the fewest"
    where = percent(worst["fraction"])
    return (
        f"{who} runs match entirely at {where}, {share(worst['exact_share'])}; a run "
        f"there has {decimal(worst['mismatches_mean'], 2)} disagreements on average, at "
        f"most {count(worst['mismatches_max'])}"
    )


def _alt(
    summary: SweepSummary,
    frame: pd.DataFrame,
    styles: Mapping[str, LineStyle],
    finding: str,
) -> str:
    names = listing([styles[name].label for name in _drawn(summary, frame)])
    low, high = frame["exact_share"].min(), frame["exact_share"].max()
    return (
        f"Agreement of {names} with {styles[summary.reference].label} by train fraction, "
        f"{percent_span(summary.fractions)}: from {share(low)} to {share(high)} of "
        f"runs match entirely, at most {count(frame['mismatches_max'].max())} labels "
        f"differ in a run. {finding}.{curves.exception(summary)}"
    )

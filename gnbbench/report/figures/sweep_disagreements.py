"""Share of exact runs, and disagreements per run, against the train fraction."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from gnbbench.report.figures.drawing import Plot
from gnbbench.report.figures.parts import Styles, key, line, present
from gnbbench.report.figures.sweep import PANEL_INCHES, exception, fraction_axis
from gnbbench.report.style import line_styles
from gnbbench.statistics.summary import Summary
from gnbbench.words import count, decimal, listing, percent, percent_span, plural, share

PANELS = {
    "exact_share": "Runs that match entirely",
    "mismatches_mean": "Disagreements per run: mean",
    "mismatches_max": "Disagreements per run: most",
}


COLUMNS = [
    *("fraction", "implementation", "compared_runs", "exact_runs", "exact_share"),
    *("mismatches_mean", "mismatches_median", "mismatches_max"),
    "max_probability_difference",
]


def sweep_disagreements(summary: Summary) -> Plot | str:
    """Share of runs without a disagreement; mean and largest number of them in a run."""
    agreement = summary.agreement[COLUMNS]
    frame = agreement.loc[agreement["compared_runs"] > 0].reset_index(drop=True)
    if frame.empty:
        return "No run gave labels to compare."
    styles = line_styles(summary.implementations)
    finding = _finding(frame, styles)
    names = present(summary.implementations[1:], frame)

    def draw(figure: Figure) -> None:
        panels = figure.subplots(1, 3)
        for axes, (column, title) in zip(panels, PANELS.items(), strict=True):
            for name in names:
                rows = frame.loc[frame["implementation"] == name]
                x, y = rows["fraction"].to_numpy(), rows[column].to_numpy(np.float64)
                line(axes, x, y, styles[name], first=False)
            fraction_axis(axes, summary.fractions)
            axes.set_title(title)
            if column == "exact_share":
                _scale_shares(axes, float(frame[column].min()))
            else:
                _scale_counts(axes, float(frame[column].max()), whole="max" in column)
        key(figure, [styles[name] for name in names])

    reference = styles[summary.reference].label
    low, high = frame["exact_share"].min(), frame["exact_share"].max()
    return Plot(
        finding=finding,
        caption=f"Each of the {plural(summary.n_runs, 'run')} at a train fraction is held "
        f"against {reference} on the same test samples; a run matches entirely when no "
        "label differs. The axis of the first panel ends at 100 % and need not start at "
        "zero.",
        alt=f"Agreement of {listing([styles[name].label for name in names])} with "
        f"{reference} by train fraction, {percent_span(summary.fractions)}: from "
        f"{share(low)} to {share(high)} of runs match entirely, at most "
        f"{count(frame['mismatches_max'].max())} labels differ in a run. "
        f"{finding}.{exception(summary)}",
        frame=frame,
        inches=PANEL_INCHES - 0.2,
        draw=draw,
    )


def _scale_shares(axes: Axes, lowest: float) -> None:
    span = max(1 - lowest, 0.02)
    axes.set_ylim(max(1 - 1.15 * span, -0.03), 1 + 0.08 * span)
    axes.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.4g} %"))


def _scale_counts(axes: Axes, largest: float, *, whole: bool) -> None:
    axes.set_ylim(-0.05 * (largest or 1.0), 1.08 * (largest or 1.0))
    axes.yaxis.set_major_locator(MaxNLocator(5, integer=whole))


def _finding(frame: pd.DataFrame, styles: Styles) -> str:
    runs, exact = frame["compared_runs"].sum(), frame["exact_runs"].sum()
    if exact == runs:
        return f"All {plural(int(runs), 'run')} match the reference entirely"
    worst = frame.sort_values("exact_share", kind="stable").iloc[0]
    who = "The fewest"
    if len(styles) > 2:
        who = f"{styles[str(worst['implementation'])].label}: the fewest"
    return (
        f"{who} runs match entirely at {percent(worst['fraction'])}, "
        f"{share(worst['exact_share'])}; a run there has "
        f"{decimal(worst['mismatches_mean'], 2)} disagreements on average, at most "
        f"{count(worst['mismatches_max'])}"
    )

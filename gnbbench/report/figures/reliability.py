"""Whether a confidence of 0.9 is right nine times out of ten."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.lookup import Lookup
from gnbbench.report.style import (
    MUTED,
    PAPER,
    LineStyle,
    drawing_style,
    freeze,
    line_styles,
    new_figure,
)
from gnbbench.statistics.summary import Summary
from gnbbench.words import count, decimal, listing, plural

NAME = "reliability"
TITLE = "Reliability of the confidence"


@drawing_style()
def reliability(summary: Summary) -> Drawing | Absence:
    """Accuracy against confidence per bin, with bands, above the samples in each bin."""
    frame = summary.reliability.reset_index(drop=True)
    if frame.empty:
        return Absence(NAME, TITLE, "No implementation offers probabilities.")
    styles = line_styles(summary.implementations)
    names = [
        name for name in summary.implementations if name in set(frame["implementation"])
    ]
    finding = _finding(summary, names, styles)
    figure = new_figure(3.9, finding)
    grid = figure.add_gridspec(2, 2, height_ratios=(3.6, 1), width_ratios=(3, 1))
    curves = figure.add_subplot(grid[0, 0])
    volumes = figure.add_subplot(grid[1, 0], sharex=curves)
    key = figure.add_subplot(grid[:, 1])
    _curves(curves, frame, names, styles)
    _volumes(volumes, frame, names, styles)
    _key(key, curves)
    return Drawing(
        NAME,
        TITLE,
        finding,
        _caption(),
        _alt(summary, frame, names, finding, styles),
        freeze(figure),
        frame,
    )


def _curves(
    axes: Axes, frame: pd.DataFrame, names: list[str], styles: Mapping[str, LineStyle]
) -> None:
    axes.plot(
        [0, 1], [0, 1], color=MUTED, linewidth=1, linestyle=(0, (4, 3)), label="as stated"
    )
    for position, name in enumerate(names):
        rows, style = frame.loc[frame["implementation"] == name], styles[name]
        axes.fill_between(
            rows["mean_confidence"],
            rows["accuracy_low"],
            rows["accuracy_high"],
            color=style.colour,
            alpha=0.14,
            linewidth=0,
        )
        axes.plot(
            rows["mean_confidence"],
            rows["accuracy"],
            color=style.colour,
            marker=style.marker,
            markersize=9 if position == 0 else 5.5,
            linewidth=3.2 if position == 0 else 1.4,
            markeredgecolor=PAPER,
            markeredgewidth=0.8,
            alpha=0.75 if position == 0 else 1.0,
            label=style.label,
        )
    axes.set(xlim=_range(frame), ylim=(0, 1.03), ylabel="accuracy (share right)")
    axes.grid(visible=True, axis="both")
    axes.tick_params(labelbottom=False)


def _volumes(
    axes: Axes, frame: pd.DataFrame, names: list[str], styles: Mapping[str, LineStyle]
) -> None:
    for position, name in enumerate(names):
        rows, style = frame.loc[frame["implementation"] == name], styles[name]
        width = (rows["high"] - rows["low"]) * 0.86 / len(names)
        start = rows["low"] + (rows["high"] - rows["low"]) * 0.07 + position * width
        axes.bar(
            start,
            rows["count"],
            width=width,
            align="edge",
            color=style.colour,
            hatch=style.hatch,
            edgecolor=PAPER,
            linewidth=0,
        )
    axes.set_yscale("log")
    axes.set_ylim(bottom=0.8)
    axes.yaxis.set_major_formatter(lambda value, _: count(value) if value >= 1 else "")
    axes.minorticks_off()
    axes.set(xlabel="confidence (largest probability)", ylabel="samples (log)")


def _key(axes: Axes, curves: Axes) -> None:
    """Legend in a panel of its own, where it covers no data."""
    axes.set_axis_off()
    handles, labels = curves.get_legend_handles_labels()
    axes.legend(handles, labels, loc="upper left", borderaxespad=0)


def _range(frame: pd.DataFrame) -> tuple[float, float]:
    return max(0.0, float(frame["low"].min()) - 0.02), 1.01


def _finding(summary: Summary, names: list[str], styles: Mapping[str, LineStyle]) -> str:
    lookup = Lookup(summary.metrics, "implementation", "metric")
    errors = {
        name: lookup.number("mean", name, "expected_calibration_error") for name in names
    }
    known = {name: error for name, error in errors.items() if np.isfinite(error)}
    if not known:
        return "Accuracy against stated confidence"
    worst = max(known, key=known.__getitem__)
    if len({decimal(error, 3) for error in known.values()}) == 1:
        who = "every implementation" if len(known) > 1 else styles[worst].label
        miss = decimal(known[worst], 3)
        return f"Confidence of {who} misses the accuracy by {miss} on average"
    best = min(known, key=known.__getitem__)
    return (
        f"Confidence misses the accuracy by {decimal(known[best], 3)} "
        f"({styles[best].label}) to {decimal(known[worst], 3)} "
        f"({styles[worst].label}) on average"
    )


def _caption() -> str:
    return (
        "Test samples of all runs, sorted into bins of equal width by confidence; a point "
        "on the dashed line is as often right as it says. Bands are 95 % intervals of the "
        "accuracy within a bin. Below: samples per bin. The average miss is the expected "
        "calibration error."
    )


def _alt(
    summary: Summary,
    frame: pd.DataFrame,
    names: list[str],
    finding: str,
    styles: Mapping[str, LineStyle],
) -> str:
    gap = frame["mean_confidence"] - frame["accuracy"]
    worst = frame.iloc[int(gap.abs().to_numpy().argmax())]
    absent = [styles[n].label for n in summary.implementations if n not in names]
    exception = f" Without probabilities: {listing(absent)}." if absent else ""
    return (
        f"Accuracy against confidence in {plural(len(frame), 'bin')}, accuracy from "
        f"{decimal(frame['accuracy'].min(), 2)} to {decimal(frame['accuracy'].max(), 2)}. "
        f"{finding}. Widest gap: {decimal(worst['accuracy'], 2)} right at a confidence of "
        f"{decimal(worst['mean_confidence'], 2)} ({styles[worst['implementation']].label})."
        f"{exception}"
    )

"""How far the probabilities of an implementation lie from the reference's."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.lookup import Lookup
from gnbbench.report.style import (
    INK,
    MUTED,
    PAPER,
    LineStyle,
    drawing_style,
    freeze,
    line_styles,
    new_figure,
)
from gnbbench.statistics.summary import Summary
from gnbbench.words import EPSILON, count, listing, power_of_ten, share, significant

NAME = "probability_differences"
TITLE = "Differences of probabilities from the reference"


@drawing_style()
def probability_differences(summary: Summary) -> Drawing | Absence:
    """Histogram on a log axis per competitor; exact zeros are a bar of their own."""
    frame = _frame(summary)
    names = [
        name for name in summary.implementations if name in set(frame["implementation"])
    ]
    if not names:
        reason = "No competitor and the reference both offer probabilities."
        return Absence(NAME, TITLE, reason)
    styles = line_styles(summary.implementations)
    finding = _finding(summary, frame, styles)
    figure = new_figure(0.75 + 1.25 * len(names), finding)
    panels = list(figure.subplots(len(names), 1, sharex=True, squeeze=False)[:, 0])
    edges = _decades(frame)
    for axes, name in zip(panels, names, strict=True):
        _histogram(axes, frame.loc[frame["implementation"] == name], edges, styles[name])
    panels[-1].set_xlabel("absolute difference in probability (log scale)")
    return Drawing(
        NAME,
        TITLE,
        finding,
        _caption(),
        _alt(summary, frame, finding, styles),
        freeze(figure),
        frame,
    )


def _histogram(
    axes: Axes, rows: pd.DataFrame, decades: tuple[int, int], style: LineStyle
) -> None:
    first, last = decades
    zero = rows["high"] == 0
    total = rows["count"].sum()
    zero_width = max(1.0, (last - first) / 12)
    below = first - 0.8 - zero_width
    low = np.log10(rows.loc[~zero, "low"].clip(lower=10.0**first))
    width = np.log10(rows.loc[~zero, "high"]) - low
    bar: dict[str, Any] = {
        "color": style.colour,
        "edgecolor": PAPER,
        "linewidth": 0.8,
        "hatch": style.hatch,
    }
    axes.bar(low, rows.loc[~zero, "count"] / total, width=width, align="edge", **bar)
    zeros = rows.loc[zero, "count"].sum() / total
    axes.bar([below], [zeros], width=zero_width, align="edge", **bar)
    axes.text(
        below + zero_width / 2, zeros, share(zeros), ha="center", va="bottom", size=8.5
    )
    axes.axvline(np.log10(EPSILON), color=INK, linewidth=1.1, linestyle=(0, (4, 3)))
    axes.text(
        np.log10(EPSILON) + 0.12, 1.13, "machine epsilon", ha="left", va="top", size=8.5
    )
    axes.set(ylim=(0, 1.18), yticks=(0, 0.5, 1), ylabel="share", title=style.label)
    axes.set_yticks((0, 0.5, 1), ("0", "50 %", "100 %"))
    axes.set_xlim(below - 0.4, last + 0.3)
    step = 1 if last - first <= 10 else 2
    ticks = list(range(last, first - 1, -step))
    axes.set_xticks(
        [below + zero_width / 2, *ticks],
        ["exactly 0", *(power_of_ten(tick) for tick in ticks)],
    )
    axes.grid(visible=True, axis="y")
    axes.grid(visible=False, axis="x")
    axes.spines["bottom"].set_color(MUTED)


def _decades(frame: pd.DataFrame) -> tuple[int, int]:
    """Whole powers of ten around all differences and machine epsilon."""
    present = frame.loc[(frame["high"] > 0) & (frame["count"] > 0)]
    lows = [np.log10(value) for value in present["low"] if value > 0]
    highs = [np.log10(value) for value in present["high"]]
    return int(np.floor(min([*lows, -17]))), int(np.ceil(max([*highs, -13])))


def _finding(summary: Summary, frame: pd.DataFrame, styles: Mapping[str, LineStyle]) -> str:
    agreement = Lookup(summary.agreement, "implementation")
    names = list(dict.fromkeys(frame["implementation"]))
    largest = {name: agreement.number("max_probability_difference", name) for name in names}
    worst = max(names, key=lambda name: np.nan_to_num(largest[name], nan=-1.0))
    total = int(frame["count"].sum())
    if not frame.loc[frame["high"] > 0, "count"].any():
        return f"All {count(total)} probabilities are equal to the last bit"
    epsilons = largest[worst] / EPSILON
    near = f", {significant(epsilons, 2)} × machine epsilon" if epsilons < 1000 else ""
    return (
        f"Probabilities differ by at most {significant(largest[worst])} "
        f"({styles[worst].label}){near}"
    )


def _caption() -> str:
    return (
        "Absolute difference of every class probability of every test sample, in shares of "
        "all. Exact zeros cannot stand on a log axis and have a bar of their own at the "
        f"left. Dashed: machine epsilon, {significant(EPSILON)}, the spacing of "
        "floating-point numbers at 1."
    )


def _alt(
    summary: Summary, frame: pd.DataFrame, finding: str, styles: Mapping[str, LineStyle]
) -> str:
    present = frame.loc[(frame["high"] > 0) & (frame["count"] > 0)]
    reach = (
        f"from {significant(present['low'].min())} to {significant(present['high'].max())}"
        if len(present)
        else "none above zero"
    )
    zeros = frame.loc[frame["high"] == 0, "count"].sum()
    drawn = set(frame["implementation"])
    absent = [styles[n].label for n in summary.implementations[1:] if n not in drawn]
    exception = f" Without probabilities: {listing(absent)}." if absent else ""
    total = frame["count"].sum()
    return (
        f"Histogram of {count(total)} absolute differences in probability, {reach}; "
        f"{share(zeros / total)} are exactly zero. {finding}.{exception}"
    )


def _frame(summary: Summary) -> pd.DataFrame:
    table = summary.probability_differences
    totals = table.groupby("implementation")["count"].transform("sum")
    return table.loc[totals > 0].reset_index(drop=True)

"""How far the probabilities of an implementation lie from the reference's."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gnbbench.report.figures.drawing import Plot
from gnbbench.report.figures.parts import Styles, present
from gnbbench.report.lookup import Lookup
from gnbbench.report.style import INK, MUTED, PAPER, LineStyle, line_styles
from gnbbench.statistics.summary import Summary
from gnbbench.words import EPSILON, count, listing, power_of_ten, share, significant


def probability_differences(summary: Summary) -> Plot | str:
    """Histogram on a log axis per competitor; exact zeros are a bar of their own."""
    table = summary.probability_differences
    totals = table.groupby("implementation")["count"].transform("sum")
    frame = table.loc[totals > 0].reset_index(drop=True)
    names = present(summary.implementations, frame)
    if not names:
        return "No competitor and the reference both offer probabilities."
    styles = line_styles(summary.implementations)
    finding = _finding(summary, frame, styles)

    def draw(figure: Figure) -> None:
        panels = figure.subplots(len(names), 1, sharex=True, squeeze=False)[:, 0]
        decades = _decades(frame)
        for axes, name in zip(panels, names, strict=True):
            rows = frame.loc[frame["implementation"] == name]
            _histogram(axes, rows, decades, styles[name])
        panels[-1].set_xlabel("absolute difference in probability (log scale)")

    return Plot(
        finding=finding,
        caption="Absolute difference of every class probability of every test sample, in "
        "shares of all. Exact zeros cannot stand on a log axis and have a bar of their own "
        f"at the left. Dashed: machine epsilon, {significant(EPSILON)}, the spacing of "
        "floating-point numbers at 1.",
        alt=_alt(summary, frame, finding, styles),
        frame=frame,
        inches=0.75 + 1.25 * len(names),
        draw=draw,
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
        "align": "edge",
        "color": style.colour,
        "edgecolor": PAPER,
        "linewidth": 0.8,
        "hatch": style.hatch,
    }
    axes.bar(low, rows.loc[~zero, "count"] / total, width=width, **bar)
    zeros = rows.loc[zero, "count"].sum() / total
    axes.bar([below], [zeros], width=zero_width, **bar)
    middle = below + zero_width / 2
    axes.text(middle, zeros, share(zeros), ha="center", va="bottom", size=8.5)
    epsilon = np.log10(EPSILON)
    axes.axvline(epsilon, color=INK, linewidth=1.1, linestyle=(0, (4, 3)))
    axes.text(epsilon + 0.12, 1.13, "machine epsilon", ha="left", va="top", size=8.5)
    axes.set(ylim=(0, 1.18), ylabel="share", title=style.label)
    axes.set_yticks((0, 0.5, 1), ("0", "50 %", "100 %"))
    axes.set_xlim(below - 0.4, last + 0.3)
    ticks = list(range(last, first - 1, -1 if last - first <= 10 else -2))
    axes.set_xticks([middle, *ticks], ["exactly 0", *map(power_of_ten, ticks)])
    axes.grid(visible=True, axis="y")
    axes.grid(visible=False, axis="x")
    axes.spines["bottom"].set_color(MUTED)


def _decades(frame: pd.DataFrame) -> tuple[int, int]:
    """Whole powers of ten around all differences and machine epsilon."""
    there = frame.loc[(frame["high"] > 0) & (frame["count"] > 0)]
    lows = [np.log10(value) for value in there["low"] if value > 0]
    highs = [np.log10(value) for value in there["high"]]
    return int(np.floor(min([*lows, -17]))), int(np.ceil(max([*highs, -13])))


def _finding(summary: Summary, frame: pd.DataFrame, styles: Styles) -> str:
    agreement = Lookup(summary.agreement, "implementation")
    names = list(dict.fromkeys(frame["implementation"]))
    largest = {name: agreement.number("max_probability_difference", name) for name in names}
    worst = max(names, key=lambda name: np.nan_to_num(largest[name], nan=-1.0))
    if not frame.loc[frame["high"] > 0, "count"].any():
        total = int(frame["count"].sum())
        return f"All {count(total)} probabilities are equal to the last bit"
    epsilons = largest[worst] / EPSILON
    near = f", {significant(epsilons, 2)} × machine epsilon" if epsilons < 1000 else ""
    return (
        f"Probabilities differ by at most {significant(largest[worst])} "
        f"({styles[worst].label}){near}"
    )


def _alt(summary: Summary, frame: pd.DataFrame, finding: str, styles: Styles) -> str:
    there = frame.loc[(frame["high"] > 0) & (frame["count"] > 0)]
    reach = (
        f"from {significant(there['low'].min())} to {significant(there['high'].max())}"
        if len(there)
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

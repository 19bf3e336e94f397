"""How far probabilities are from the reference's, and how well calibrated they are."""

from collections.abc import Collection
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from gnbbench.report.blocks import note
from gnbbench.report.figures import parts
from gnbbench.report.figures.drawing import Plot, tip
from gnbbench.report.style import HALF, INK, MUTED, THIRD, LineStyle, Panel, line_styles
from gnbbench.statistics.summary import Summary
from gnbbench.words import (
    EPSILON,
    count,
    decimal,
    listing,
    plural,
    power_of_ten,
    share,
    significant,
    span,
    two_decimals,
    two_digits,
)

DASHED: dict[str, Any] = {"color": MUTED, "linewidth": 1, "linestyle": (0, (4, 3))}


def probability_differences(summary: Summary, whole: Summary | None = None) -> Plot | str:
    """A histogram on a log axis per competitor; exact zeros have a separate bar.

    If the summary is a part of a whole, the axis fits the differences of the whole.
    """
    table = summary.probability_differences
    totals = table.groupby("implementation")["count"].transform("sum")
    frame = table[(totals > 0) & (table["count"] > 0)].reset_index(drop=True)
    if frame.empty:
        return "There are no probabilities to compare."
    styles = line_styles(summary.implementations)
    finding = _finding(summary, frame, styles)
    nonzero = frame[frame["high"] > 0]
    if nonzero.empty:
        return f"{finding}."
    drawn = parts.styles_present(styles, frame)
    shown = {name: drawn[name] for name in parts.small(whole, drawn)}
    total, zeros = frame["count"].sum(), frame.loc[frame["high"] == 0, "count"].sum()
    low, high = significant(nonzero["low"].min()), significant(nonzero["high"].max())
    # Whole powers of ten around all differences and machine epsilon.
    every = table if whole is None else whole.probability_differences
    every = every[(every["low"] > 0) & (every["count"] > 0)]
    first, last = min([*np.log10(every["low"]), -17]), max([*np.log10(every["high"]), -13])
    decades = int(np.floor(first)), int(np.ceil(last))
    width = HALF if whole is None else THIRD

    def draw(place: tuple[LineStyle, pd.DataFrame], axes: Axes) -> None:
        _histogram(axes, place[1], decades, place[0], is_small=whole is not None)

    return Plot(
        finding=finding,
        caption=note("probability_differences"),
        shows=f"Histogram of {count(total)} absolute differences in probability, "
        f"from {low} to {high}; {share(zeros / total)} are exactly zero",
        exception=_without(styles, [summary.reference, *drawn]),
        frame=frame,
        panels=parts.panels(draw, parts.styled_rows(frame, shown), 2.3, width),
    )


def _histogram(
    axes: Axes,
    rows: pd.DataFrame,
    decades: tuple[int, int],
    style: LineStyle,
    *,
    is_small: bool,
) -> None:
    first, last = decades
    zero, total = rows["high"] == 0, rows["count"].sum()
    zero_width = max(1.0, (last - first) / 12)
    below = first - 0.8 - zero_width
    bar = {**parts.filled(style), "align": "edge", "linewidth": 0.8}
    positive = rows[~zero]
    low = np.log10(positive["low"].clip(lower=10.0**first))
    width = np.log10(positive["high"]) - low
    bars = axes.bar(low, positive["count"] / total, width=width, **bar)
    spans = map(span, positive["low"], positive["high"])
    for part, ends_, number in zip(bars, spans, positive["count"], strict=True):
        part.set_gid(tip(f"{ends_}: {count(number)} of {count(total)}"))
    zeros = rows.loc[zero, "count"].sum() / total
    exact = tip(f"exactly 0: {share(zeros)} of {count(total)}")
    axes.bar([below], [zeros], width=zero_width, gid=exact, **bar)
    middle = below + zero_width / 2
    if not is_small:
        axes.text(middle, zeros, share(zeros), ha="center", va="bottom")
    epsilon = np.log10(EPSILON)
    axes.axvline(epsilon, color=INK, linewidth=1.1, linestyle=(0, (4, 3)))
    side, gap = ("left", 0.12) if epsilon < (below + last) / 2 else ("right", -0.12)
    axes.text(epsilon + gap, 1.2, "machine epsilon", ha=side, va="top")
    axes.set(ylim=(0, 1.22), ylabel="share", title=style.label)
    axes.set_xlabel("difference in probability (log)")
    axes.set_yticks((0, 0.5, 1), ("0", "50 %", "100 %"))
    axes.set_xlim(below - 0.7 * zero_width, last + 0.3)
    most_ticks = 3 if is_small else 6
    step = 1 if last - first <= most_ticks else 1 + (last - first) // most_ticks
    ticks = list(range(last, first - 1, -step))
    axes.set_xticks([middle, *ticks], ["0", *map(power_of_ten, ticks)])
    axes.grid(visible=True, axis="y")
    axes.grid(visible=False, axis="x")
    axes.spines["bottom"].set_color(MUTED)


def _finding(summary: Summary, frame: pd.DataFrame, styles: parts.Styles) -> str:
    agreement = summary.lookup("agreement")
    names = list(dict.fromkeys(frame["implementation"]))
    largest = {name: agreement.number("max_probability_difference", name) for name in names}
    worst = max(names, key=lambda name: np.nan_to_num(largest[name], nan=-1.0))
    if not frame.loc[frame["high"] > 0, "count"].any():
        total = int(frame["count"].sum())
        return f"All {count(total)} compared probabilities are equal to the last bit"
    epsilons = largest[worst] / EPSILON
    near = f", {significant(epsilons, 2)} × machine epsilon" if epsilons < 1000 else ""
    return (
        f"Probabilities differ by at most {significant(largest[worst], 2)} "
        f"({styles[worst].label}){near}"
    )


def reliability(summary: Summary) -> Plot | str:
    """Accuracy against confidence per bin, with bands, beside the samples in each bin."""
    frame = summary.reliability.reset_index(drop=True)
    if frame.empty:
        return "No implementation gave valid probabilities."
    styles = line_styles(summary.implementations)
    drawn = parts.styles_present(styles, frame)
    shown = parts.merged(frame, drawn)
    gap = frame["mean_confidence"] - frame["accuracy"]
    worst = frame.iloc[int(gap.abs().to_numpy().argmax())]
    stated, whose = worst["mean_confidence"], styles[worst["implementation"]].label
    widest = (
        f"Widest gap: {two_decimals(worst['accuracy'])} right at a confidence of "
        f"{two_decimals(stated)} ({whose})."
    )

    # Bands over more than half of the axis say nothing.
    has_bands = bool((frame["accuracy_high"] - frame["accuracy_low"]).median() <= 0.5)
    bands = f" {note('reliability: bands')}" if has_bands else ""

    curves = Panel(partial(_curves, frame=frame, styles=shown, has_bands=has_bands), 3.0)
    volumes = Panel(partial(_volumes, frame=frame, styles=shown), 3.0)
    diagonal = Line2D([], [], label="equal to accuracy", **DASHED)
    return Plot(
        finding=_calibration_finding(summary, list(drawn), styles),
        caption=note("reliability", bands=bands),
        shows=f"Accuracy against confidence in {plural(len(frame), 'bin')}, accuracy "
        f"{parts.ends(frame['accuracy'], 2)}",
        exception=f"{widest} {_without(styles, drawn)}",
        frame=frame,
        panels=[curves, volumes, parts.key(shown.values(), [diagonal])],
    )


def _curves(
    axes: Axes, frame: pd.DataFrame, styles: parts.Styles, *, has_bands: bool
) -> None:
    def band(_: int, style: LineStyle, rows: pd.DataFrame) -> None:
        low, high = rows["accuracy_low"], rows["accuracy_high"]
        axes.fill_between(
            rows["mean_confidence"], low, high, color=style.colour, **parts.BAND
        )

    axes.plot([0, 1], [0, 1], **DASHED)
    parts.curves(
        axes,
        frame,
        styles,
        ("mean_confidence", "accuracy"),
        lambda stated, right: f"confidence {decimal(stated, 3)}: {decimal(right, 3)}",
        below=band if has_bands else None,
    )
    axes.set(ylim=(0, 1.03), ylabel="accuracy (share right)")
    _over_confidence(axes, frame)
    axes.grid(visible=True, axis="both")


def _volumes(axes: Axes, frame: pd.DataFrame, styles: parts.Styles) -> None:
    for position, (style, rows) in enumerate(parts.styled_rows(frame, styles)):
        width = (rows["high"] - rows["low"]) * 0.86 / len(styles)
        bars = axes.bar(
            rows["low"] + (rows["high"] - rows["low"]) * 0.07 + position * width,
            rows["count"],
            width=width,
            align="edge",
            **parts.filled(style),
        )
        for bar, number in zip(bars, rows["count"], strict=True):
            bar.set_gid(tip(f"{style.label}: {count(number)} samples"))
    axes.set_yscale("log")
    axes.set_ylim(bottom=0.8)
    axes.yaxis.set_major_formatter(lambda value, _: count(value) if value >= 1 else "")
    axes.minorticks_off()
    axes.set(ylabel="samples (log)")
    _over_confidence(axes, frame)


def _over_confidence(axes: Axes, frame: pd.DataFrame) -> None:
    """Let both panels show the same confidences."""
    axes.set_xlim(max(0.0, float(frame["low"].min()) - 0.02), 1.01)
    axes.set_xlabel("confidence (largest probability)")


def _calibration_finding(summary: Summary, names: list[str], styles: parts.Styles) -> str:
    measured = parts.measures(summary.metrics, names, "expected_calibration_error")
    errors = parts.known(measured)
    if not errors:
        return "Accuracy against stated confidence"
    best, worst = (of(errors, key=errors.__getitem__) for of in (min, max))
    low, high = two_digits(errors[best]), two_digits(errors[worst])
    if low == high:
        who = {1: styles[worst].label, 2: "both"}.get(len(errors), f"all {len(errors)}")
        if len(errors) < len(styles):
            who = listing([styles[name].label for name in errors], 3)
        return f"Calibration error is {low} for {who}"
    return (
        f"Calibration error lies between {low} ({styles[best].label}) "
        f"and {high} ({styles[worst].label})"
    )


def _without(styles: parts.Styles, names: Collection[str]) -> str:
    """Return a sentence on those without probabilities; empty if there are none."""
    absent = [style.label for name, style in styles.items() if name not in names]
    return f"Without valid probabilities: {listing(absent)}." if absent else ""

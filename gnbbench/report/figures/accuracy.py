"""Accuracy and confidence as bars, and the distribution of test accuracy over runs."""

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import seaborn
from matplotlib.axes import Axes

from gnbbench.arrays import FloatArray
from gnbbench.records import WITH_LABELS
from gnbbench.report.blocks import note
from gnbbench.report.comparisons import these
from gnbbench.report.figures import parts
from gnbbench.report.figures.drawing import Plot, tip
from gnbbench.report.style import INK, LineStyle, Panel, line_styles
from gnbbench.statistics.summary import Summary
from gnbbench.words import decimal, listing, plural, two_decimals

SIDES = {"train_accuracy": "Train", "test_accuracy": "Test"}
SITUATIONS = {"mean_confidence_right": "When right", "mean_confidence_wrong": "When wrong"}
BINS = 45
MOST_VECTOR_DOTS = 400
MOST_DOTS = 60  # Runs of an implementation; more are a histogram
HISTOGRAM_INCHES = 1.7
NO_LABELS = "No implementation gave labels in any run."

Measures = dict[str, list[parts.Measure]]


def accuracy(summary: Summary) -> Plot | str:
    """Bars from zero with corrected 95 % intervals, one panel per side."""
    names = summary.implementations
    measured = {
        side: parts.measures(summary.metrics, names, side, none="failed in every run")
        for side in SIDES
    }
    test = parts.known(measured["test_accuracy"])
    if not test:
        return NO_LABELS
    measured["train_accuracy"] = [
        replace(m, text="not measured")
        if math.isnan(m.value) and m.implementation in test
        else m
        for m in measured["train_accuracy"]
    ]
    styles = line_styles(names)
    failed = [styles[name].label for name in names if name not in test]
    tested = parts.metric_rows(summary, "test_accuracy").query("runs > 0")
    caption = note("accuracy", runs=parts.most_runs(tested, summary.n_runs))
    where = ", over different runs" if len({*tested["runs"]}) > 1 else ""
    return Plot(
        finding=_accuracy_finding(test, styles, where),
        caption=note("accuracy of one run") if summary.n_runs == 1 else caption,
        shows=f"Bars of train and test accuracy for {parts.labels(styles)}, "
        f"{_ends(measured)}",
        exception=f"No bar for {listing(failed)}." if failed else "",
        frame=parts.metric_rows(summary, *SIDES),
        panels=_shares(summary, measured, SIDES, "accuracy (share of samples)"),
    )


def confidence(summary: Summary) -> Plot | str:
    """Bars of mean confidence when right and when wrong, with 95 % intervals."""
    measure = partial(parts.measures, summary.metrics, summary.implementations)
    measured = {metric: measure(metric, none="none") for metric in SITUATIONS}
    right, wrong = (parts.known(measured[metric]) for metric in SITUATIONS)
    if not right and not wrong:
        return "No implementation gave valid probabilities."
    styles = line_styles(summary.implementations)
    absent = [styles[name].label for name in summary.implementations if name not in right]
    intervals = "" if summary.n_runs == 1 else ", with corrected 95 % intervals"
    return Plot(
        finding=_confidence_finding(right, wrong, styles),
        caption=note("confidence", intervals=intervals),
        shows="Bars of mean confidence when right and when wrong for "
        f"{parts.labels(styles)}, {_ends(measured)}",
        exception=f"No value for {listing(absent)}." if absent else "",
        frame=parts.metric_rows(summary, *SITUATIONS, "mean_confidence"),
        panels=_shares(summary, measured, SITUATIONS, "mean confidence (share)"),
    )


def _shares(
    summary: Summary, measured: Measures, titles: dict[str, str], label: str
) -> list[Panel]:
    """Return panels of bars on an axis from 0 to at least 1, stacked if all are equal."""
    styles = parts.merged(
        parts.metric_rows(summary, *titles), line_styles(summary.implementations)
    )

    def draw(metric: str, axes: Axes) -> None:
        own = [m for m in measured[metric] if m.implementation in styles]
        parts.bars(axes, own, styles)
        beyond = [m.high + 0.015 for m in measured[metric] if math.isfinite(m.high)]
        axes.set(xlim=(0, max([1.0, *beyond])), xlabel=label, title=titles[metric])

    drawn = parts.panels(draw, measured, parts.rows_inches(len(styles)))
    return [replace(panel, apart=len(styles) == 1) for panel in drawn]


def _ends(panels: Measures) -> str:
    return parts.ends(m.value for measured in panels.values() for m in measured)


def _accuracy_finding(test: dict[str, float], styles: parts.Styles, where: str) -> str:
    failed = len(styles) - len(test)
    tail = where + (f"; {plural(failed, 'implementation')} failed" if failed else "")
    low, high = min(test, key=test.__getitem__), max(test, key=test.__getitem__)
    if len(test) == 1:
        return f"{styles[low].label} has a test accuracy of {decimal(test[low])}{tail}"
    if test[low] == test[high]:
        return f"All have the same test accuracy, {decimal(test[low])}{tail}"
    if decimal(test[low]) == decimal(test[high]):
        return f"Test accuracy is {decimal(test[low])} for all, to four digits{tail}"
    return (
        f"Test accuracy lies between {decimal(test[low])} ({styles[low].label}) "
        f"and {decimal(test[high])} ({styles[high].label}){tail}"
    )


def _confidence_finding(
    right: dict[str, float], wrong: dict[str, float], styles: parts.Styles
) -> str:
    both = [name for name in right if name in wrong]
    if not both:
        return "Each implementation with probabilities is always right or always wrong"
    texts = {(two_decimals(right[name]), two_decimals(wrong[name])) for name in both}
    if len(texts) == 1:
        sure, unsure = texts.pop()
        own = [styles[name].label for name in both]
        whose = f" of {listing(own, 3)}" if len(own) < len(styles) else ""
        return f"Mean confidence{whose} is {sure} when right, {unsure} when wrong"
    ends = {}
    for when, values in (("right", right), ("wrong", wrong)):
        extremes = [of(both, key=values.__getitem__) for of in (min, max)]
        labels = {two_decimals(values[name]): styles[name].label for name in extremes}
        if len(labels) == 2:
            ends[when] = [f"{text} ({label})" for text, label in labels.items()]
    when, (low, high) = ends.popitem()
    return f"Mean confidence when {when} lies between {low} and {high}"


def accuracy_spread(summary: Summary) -> Plot | str:
    """Dots or histograms of runs; then the mean difference with the margin band."""
    columns = ["run", "implementation", "test_accuracy"]
    frame = summary.runs.loc[:, columns].dropna().reset_index(drop=True)
    if frame.empty:
        return NO_LABELS
    names, n_runs = summary.implementations, summary.n_runs
    styles = line_styles(names)
    compared = parts.measures(summary.differences, names[1:], "test_accuracy", signed=True)
    changes = [change for change in compared if math.isfinite(change.value)]
    drawn = parts.merged(frame, styles)
    if n_runs <= MOST_DOTS:
        form, caption = "Dots", note("accuracy_spread: dots")
        shown = [Panel(lambda ax: _dots(ax, frame, drawn), parts.rows_inches(len(drawn)))]
    else:
        form, caption = "Histograms", note("accuracy_spread: histograms")
        shown = _histograms(frame, drawn, summary.n_test)
    beside, about_changes = "", ""
    if any(change.text != "identical" for change in changes):
        draw = partial(_draw_changes, summary, frame, changes, styles)
        shown.append(Panel(draw, parts.rows_inches(len(changes) + 1)))
        beside = ", and the paired difference with its margin"
        interval = "" if n_runs == 1 else " with its corrected 95 % interval"
        about_changes = note("accuracy_spread: changes", interval=interval)
    failed = int((~summary.runs["status"].isin(WITH_LABELS)).sum())
    return Plot(
        finding=_spread_finding(_where(summary, changes), changes, styles),
        caption=f"{caption} {about_changes}".rstrip(),
        shows=f"{form} of test accuracy for {plural(n_runs, 'run')} of "
        f"{plural(len(names), 'implementation')}, "
        f"{parts.ends(frame['test_accuracy'])}{beside}",
        exception=f"{plural(failed, 'run')} with an error left out." if failed else "",
        frame=frame,
        panels=shown,
    )


def _draw_changes(
    summary: Summary,
    frame: pd.DataFrame,
    changes: list[parts.Measure],
    styles: parts.Styles,
    axes: Axes,
) -> None:
    """Draw mean differences with the margin band, single runs below unless all are 0."""
    reach = parts.differences(axes, changes, styles, summary.margin)
    wide = frame.pivot_table(index="run", columns="implementation", values="test_accuracy")
    for row, name in enumerate(change.implementation for change in changes):
        values = (wide[name] - wide[summary.reference]).dropna().to_numpy()
        if np.any(values != 0):
            inside = values[np.abs(values) <= reach]
            y = row + parts.MARK_PLACE + 0.24 + 0.06 * piled(inside, -reach, reach)
            tips = [f"one run: {decimal(value)}" for value in inside]
            raster = len(inside) > MOST_VECTOR_DOTS
            look: dict[str, Any] = {"alpha": 0.5, "rasterized": raster, "label": "_runs"}
            parts.marks(axes, inside, y, styles[name], tips, size=2.4, **look)
    title = f"Minus {styles[summary.reference].label}"
    axes.set(
        xlabel="difference in test accuracy (share)",
        title=f"{title}; band: margin, ±{decimal(summary.margin, 3)}",
    )


def piled(values: FloatArray, low: float, high: float) -> FloatArray:
    """Return offsets in [-1, 1] that spread dots of about equal value side by side.

    Values are binned; the fullest bin takes the whole width, others their share of it.
    Nothing is random, so that drawing twice gives the same picture.
    """
    width = (high - low) or 1.0
    bins = np.minimum((values - low) / width * BINS, BINS - 1).astype(np.intp)
    counts = np.bincount(bins)
    offsets = np.zeros(len(values))
    for number in np.flatnonzero(counts > 1):
        reach = counts[number] / counts.max()
        offsets[bins == number] = np.linspace(-reach, reach, counts[number])
    return offsets


def _dots(axes: Axes, frame: pd.DataFrame, styles: parts.Styles) -> None:
    low, high = frame["test_accuracy"].min(), frame["test_accuracy"].max()
    texts = []
    for row, (style, group) in enumerate(parts.styled_rows(frame, styles)):
        values = group["test_accuracy"].to_numpy()
        texts.append(f"{style.label}: no labels")
        if len(values):
            mean = float(values.mean())
            texts[-1] = f"{style.label}: mean {decimal(mean)}"
            y = row + parts.MARK_PLACE + 0.2 * piled(values, low, high)
            runs = zip(group["run"], values, strict=True)
            tips = [f"{style.label}, run {run}: {decimal(value)}" for run, value in runs]
            parts.marks(axes, values, y, style, tips, size=4.0, alpha=0.75, label="_runs")
            ends_ = [row + parts.MARK_PLACE - 0.24, row + parts.MARK_PLACE + 0.24]
            axes.plot([mean] * 2, ends_, color=INK, linewidth=1.4, gid=tip(texts[-1]))
    parts.write_rows(axes, texts)
    axes.set(xlabel="test accuracy (share of samples)", title="Each run, and their mean")


def _histograms(frame: pd.DataFrame, styles: parts.Styles, n_test: int) -> list[Panel]:
    """Return a histogram of test accuracies for each implementation, on a shared axis."""
    low, high = frame["test_accuracy"].min(), frame["test_accuracy"].max()
    # Accuracies are multiples of one over the number of test samples.
    step = max(1, math.ceil((high - low) * n_test / BINS)) / n_test
    edges = np.arange(low - step / 2, high + step, step)

    def draw(place: tuple[LineStyle, pd.DataFrame], axes: Axes) -> None:
        style, rows = place
        values = rows["test_accuracy"]
        axes.set_title(f"{style.label}: no labels")
        if len(values):
            seaborn.histplot(
                x=values, bins=edges.tolist(), ax=axes, alpha=1, **parts.filled(style)
            )
            counted: Any = axes.patches
            for bar in counted:
                middle, runs = bar.get_center()[0], plural(round(bar.get_height()), "run")
                bar.set_gid(tip(f"{style.label}, {decimal(middle)}: {runs}"))
            mean = float(values.mean())
            axes.axvline(mean, color=INK, linewidth=1.4)
            axes.set_title(f"{style.label}: mean {decimal(mean)}")
        axes.set(xlabel="test accuracy (share of samples)", ylabel="runs")
        axes.set_xlim(edges[0], edges[-1])
        axes.locator_params(axis="x", nbins=6)

    return parts.panels(draw, parts.styled_rows(frame, styles), HISTOGRAM_INCHES)


def _where(summary: Summary, changes: list[parts.Measure]) -> str:
    """Name the runs in which implementations were compared."""
    table = summary.lookup("differences")
    names = [change.implementation for change in changes]
    runs = {int(table.number("runs", name, "test_accuracy")) for name in names}
    checks = summary.plan.get("spot_checks")
    unit, planned = ("run", summary.n_runs) if checks is None else ("spot check", checks)
    return these(runs.pop(), planned, unit) if len(runs) == 1 else f"every {unit} compared"


def _spread_finding(where: str, changes: list[parts.Measure], styles: parts.Styles) -> str:
    if not changes:
        return "No implementation can be compared with the reference"
    if all(measure.text == "identical" for measure in changes):
        verb = "has" if len(changes) == 1 else "have"
        names = listing([styles[m.implementation].label for m in changes])
        return f"{names} {verb} the reference's test accuracy in {where}"
    worst = max(changes, key=lambda measure: abs(measure.value))
    equal = [m.implementation for m in changes if m.text == worst.text]
    who = listing([styles[name].label for name in equal], 3)
    return f"Largest mean difference in test accuracy: {who} {worst.text}"

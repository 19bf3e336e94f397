"""Train and test accuracy of every implementation."""

import math
from collections.abc import Mapping

import pandas as pd

from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.figures.panels import Measure, bars, right_end
from gnbbench.report.lookup import Lookup
from gnbbench.report.style import LineStyle, drawing_style, freeze, line_styles, new_figure
from gnbbench.statistics.summary import Summary
from gnbbench.words import decimal, interval, listing, plural

NAME = "accuracy"
TITLE = "Accuracy on the train and the test side"
SIDES = {"train_accuracy": "Train", "test_accuracy": "Test"}


@drawing_style()
def accuracy(summary: Summary) -> Drawing | Absence:
    """Bars from zero with corrected 95 % intervals, one panel per side."""
    lookup = Lookup(summary.metrics, "implementation", "metric")
    measures = {side: _measures(summary, lookup, side) for side in SIDES}
    if not any(math.isfinite(measure.value) for measure in measures["test_accuracy"]):
        return Absence(NAME, TITLE, "No implementation gave labels in any run.")
    styles = line_styles(summary.implementations)
    finding = _finding(measures["test_accuracy"], styles)
    figure = new_figure(0.75 + 0.34 * len(summary.implementations), finding)
    panels = figure.subplots(1, 2, sharey=True)
    for axes, (metric, side) in zip(panels, SIDES.items(), strict=True):
        bars(axes, measures[metric], styles)
        axes.set(
            xlim=(0, right_end(measures[metric])),
            xlabel="accuracy (share of samples)",
            title=side,
        )
    return Drawing(
        NAME,
        TITLE,
        finding,
        _caption(summary),
        _alt(measures, styles, finding),
        freeze(figure),
        _frame(summary),
    )


def _measures(summary: Summary, lookup: Lookup, metric: str) -> list[Measure]:
    measures = []
    for name in summary.implementations:
        value, low, high = lookup.triple("mean", name, metric)
        text = interval(value, low, high)
        if not math.isfinite(value):
            labelled = math.isfinite(lookup.number("mean", name, "test_accuracy"))
            text = "not measured" if labelled else "failed in every run"
        measures.append(Measure(name, value, low, high, text))
    return measures


def _finding(measures: list[Measure], styles: Mapping[str, LineStyle]) -> str:
    known = {m.implementation: m.value for m in measures if math.isfinite(m.value)}
    failed = len(measures) - len(known)
    tail = f"; {plural(failed, 'implementation')} failed" if failed else ""
    low, high = min(known, key=known.__getitem__), max(known, key=known.__getitem__)
    if len(known) == 1:
        return f"{styles[low].label} has a test accuracy of {decimal(known[low])}{tail}"
    if known[low] == known[high]:
        return f"All have the same test accuracy, {decimal(known[low])}{tail}"
    if decimal(known[low]) == decimal(known[high]):
        return f"Test accuracy is {decimal(known[low])} for all, to four digits{tail}"
    return (
        f"Test accuracy lies between {decimal(known[low])} ({styles[low].label}) "
        f"and {decimal(known[high])} ({styles[high].label}){tail}"
    )


def _caption(summary: Summary) -> str:
    if summary.n_runs == 1:
        return "One run, so there is no interval. Bars start at zero."
    return (
        f"Mean over {plural(summary.n_runs, 'run')}; bars start at zero. Lines are 95 % "
        "intervals of the mean, corrected for the samples that the runs share (Nadeau and "
        "Bengio 2003)."
    )


def _alt(
    measures: Mapping[str, list[Measure]], styles: Mapping[str, LineStyle], finding: str
) -> str:
    values = [m.value for side in measures.values() for m in side if math.isfinite(m.value)]
    test = measures["test_accuracy"]
    failed = [styles[m.implementation].label for m in test if math.isnan(m.value)]
    exception = f" No bar for {listing(failed)}." if failed else ""
    names = listing([style.label for style in styles.values()])
    return (
        f"Bars of train and test accuracy for {names}, "
        f"from {decimal(min(values))} to {decimal(max(values))}. {finding}.{exception}"
    )


def _frame(summary: Summary) -> pd.DataFrame:
    chosen = summary.metrics["metric"].isin(list(SIDES))
    return summary.metrics.loc[chosen].reset_index(drop=True)

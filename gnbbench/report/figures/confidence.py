"""How sure each implementation is where it is right and where it is wrong."""

import math
from collections.abc import Mapping

from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.figures.panels import Measure, bars, right_end
from gnbbench.report.lookup import Lookup
from gnbbench.report.style import LineStyle, drawing_style, freeze, line_styles, new_figure
from gnbbench.statistics.summary import Summary
from gnbbench.words import decimal, interval, listing

NAME = "confidence"
TITLE = "Confidence where right and where wrong"
SITUATIONS = {
    "mean_confidence_right": "Where right",
    "mean_confidence_wrong": "Where wrong",
}


@drawing_style()
def confidence(summary: Summary) -> Drawing | Absence:
    """Bars of mean confidence from zero, with corrected 95 % intervals."""
    lookup = Lookup(summary.metrics, "implementation", "metric")
    measures = {metric: _measures(summary, lookup, metric) for metric in SITUATIONS}
    if not any(math.isfinite(m.value) for side in measures.values() for m in side):
        return Absence(NAME, TITLE, "No implementation offers probabilities.")
    styles = line_styles(summary.implementations)
    finding = _finding(measures, styles)
    figure = new_figure(0.75 + 0.34 * len(summary.implementations), finding)
    panels = figure.subplots(1, 2, sharey=True)
    for axes, (metric, situation) in zip(panels, SITUATIONS.items(), strict=True):
        bars(axes, measures[metric], styles)
        axes.set(xlim=(0, right_end(measures[metric])), xlabel="mean confidence (share)")
        axes.set_title(situation)
    chosen = summary.metrics["metric"].isin([*SITUATIONS, "mean_confidence"])
    return Drawing(
        NAME,
        TITLE,
        finding,
        _caption(summary),
        _alt(measures, styles, finding),
        freeze(figure),
        summary.metrics.loc[chosen].reset_index(drop=True),
    )


def _measures(summary: Summary, lookup: Lookup, metric: str) -> list[Measure]:
    measures = []
    for name in summary.implementations:
        value, low, high = lookup.triple("mean", name, metric)
        text = interval(value, low, high) if math.isfinite(value) else "none"
        measures.append(Measure(name, value, low, high, text))
    return measures


def _finding(measures: Mapping[str, list[Measure]], styles: Mapping[str, LineStyle]) -> str:
    right, wrong = (
        {m.implementation: m.value for m in measures[metric] if math.isfinite(m.value)}
        for metric in SITUATIONS
    )
    both = [name for name in right if name in wrong]
    if not both:
        return "No implementation is both right and wrong somewhere"
    if len({(decimal(right[name]), decimal(wrong[name])) for name in both}) == 1:
        who = "All are" if len(both) > 1 else f"{styles[both[0]].label} is"
        name = both[0]
        sure, unsure = decimal(right[name]), decimal(wrong[name])
        return f"{who} {sure} sure where right, {unsure} where wrong"
    worst = max(both, key=wrong.__getitem__)
    sure = f"{decimal(wrong[worst])} ({decimal(right[worst])} where right)"
    return f"Surest where wrong: {styles[worst].label}, {sure}"


def _caption(summary: Summary) -> str:
    intervals = "" if summary.n_runs == 1 else " Lines are corrected 95 % intervals."
    return (
        "Mean of the largest class probability over the test samples of a run, parted by "
        f"whether the label was right, then averaged over runs.{intervals} A "
        "well-calibrated implementation is much less sure where it is wrong."
    )


def _alt(
    measures: Mapping[str, list[Measure]], styles: Mapping[str, LineStyle], finding: str
) -> str:
    values = [m.value for side in measures.values() for m in side if math.isfinite(m.value)]
    absent = [
        styles[m.implementation].label
        for m in measures["mean_confidence_right"]
        if math.isnan(m.value)
    ]
    exception = f" No value for {listing(absent)}." if absent else ""
    names = listing([style.label for style in styles.values()])
    return (
        f"Bars of mean confidence where right and where wrong for {names}, from "
        f"{decimal(min(values))} to {decimal(max(values))}. {finding}.{exception}"
    )

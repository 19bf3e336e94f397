"""What the assumptions cost: GNB beside models without one of them, on the same runs."""

import math
from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes

from gnbbench.assumptions.costs import GNB, LDA, MARGIN, QDA, QUANTILES, YEO_JOHNSON
from gnbbench.report.assumptions_summary import AssumptionsSummary
from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.figures.panels import Measure, bars, points
from gnbbench.report.lookup import Lookup
from gnbbench.report.style import (
    MUTED,
    RULE,
    LineStyle,
    drawing_style,
    freeze,
    line_styles,
    new_figure,
)
from gnbbench.words import decimal, interval, listing, plural

NAME = "costs"
TITLE = "GNB beside models without one assumption"
METRICS = {
    "test_accuracy": ("Test accuracy", "share of samples"),
    "log_loss": ("Log loss", "nats; less is better"),
}

Measures = Mapping[str, list[Measure]]


@drawing_style()
def costs(summary: AssumptionsSummary) -> Drawing | Absence:
    """Bars of accuracy and log loss above the paired differences from GNB."""
    table = summary.findings.costs
    names = list(dict.fromkeys(table["implementation"]))
    values = {metric: _values(table, names, metric) for metric in METRICS}
    known = [m for row in values.values() for m in row if math.isfinite(m.value)]
    if not known:
        return Absence(NAME, TITLE, "No model gave labels in any run.")
    styles = line_styles(names)
    finding = _finding(values["log_loss"])
    figure = new_figure(4.4, finding)
    grid = figure.subplots(2, 2, height_ratios=(len(names), len(names) - 1), sharey="row")
    changes = {metric: _changes(summary, names, metric) for metric in METRICS}
    for column, (metric, (title, unit)) in enumerate(METRICS.items()):
        bars(grid[0, column], values[metric], styles)
        grid[0, column].set(xlabel=f"{title.lower()} ({unit})", title=title)
        grid[0, column].set_xlim(0, _right_end(values[metric]))
        _differences(grid[1, column], changes[metric], styles)
        grid[1, column].set(
            xlabel=f"difference in {title.lower()}", title=f"Minus {GNB}, paired"
        )
    return Drawing(
        NAME,
        TITLE,
        finding,
        _caption(summary),
        _alt(values, finding),
        freeze(figure),
        _frame(summary),
    )


def _values(table: pd.DataFrame, names: list[str], metric: str) -> list[Measure]:
    lookup = Lookup(table, "implementation", "metric")
    measures = []
    for name in names:
        value, low, high = lookup.triple("mean", name, metric)
        text = interval(value, low, high) if math.isfinite(value) else "failed in every run"
        measures.append(Measure(name, value, low, high, text))
    return measures


def _changes(summary: AssumptionsSummary, names: list[str], metric: str) -> list[Measure]:
    lookup = Lookup(summary.findings.differences, "implementation", "metric")
    measures = []
    for name in names:
        if name == GNB:
            continue
        value, low, high = lookup.triple("mean", name, metric)
        text = interval(value, low, high, signed=True)
        if lookup.text("outcome", name, metric) == "identical":
            text = "identical"
        measures.append(Measure(name, value, low, high, text))
    return measures


def _differences(
    axes: Axes, measures: list[Measure], styles: Mapping[str, LineStyle]
) -> None:
    axes.axvspan(-MARGIN, MARGIN, color=RULE, alpha=0.6, linewidth=0)
    axes.axvline(0, color=MUTED, linewidth=0.9)
    points(axes, measures, styles)
    known = [
        abs(end) for m in measures for end in (m.value, m.low, m.high) if math.isfinite(end)
    ]
    reach = 1.1 * max([2 * MARGIN, *known])
    axes.set_xlim(-reach, reach)
    axes.locator_params(axis="x", nbins=4)


def _right_end(measures: list[Measure]) -> float:
    known = [
        end for m in measures for end in (m.value, m.high) if math.isfinite(end) and end > 0
    ]
    return 1.04 * max(known, default=1.0)


def _finding(losses: list[Measure]) -> str:
    known = {m.implementation: m.value for m in losses if math.isfinite(m.value)}
    if not known:
        return "No model gave probabilities in any run"
    best = min(known, key=known.__getitem__)
    if GNB not in known:
        return (
            f"{best} has the lowest log loss, {decimal(known[best], 3)} nats; {GNB} failed"
        )
    if best == GNB:
        return f"No model has a lower log loss than {GNB}, {decimal(known[GNB], 3)} nats"
    return (
        f"{best} has the lowest log loss, {decimal(known[best], 3)} nats; {GNB} has "
        f"{decimal(known[GNB], 3)}"
    )


def _caption(summary: AssumptionsSummary) -> str:
    n_runs = summary.findings.n_runs
    lines = (
        "One run, so there are no intervals."
        if n_runs == 1
        else f"Means over {plural(n_runs, 'run')}, the same splits for all; lines are 95 % "
        "intervals, corrected for the samples that runs share (Nadeau and Bengio 2003)."
    )
    return (
        f"{lines} {QDA} and {LDA} do without the naive assumption, Yeo–Johnson and "
        f"quantile transforms ease the normal one. Below, each minus {GNB} run by run: a "
        f"log loss to the left of zero is less than that of {GNB}. {QDA} measures what the "
        f"naive assumption costs and {YEO_JOHNSON} what the normal one does; {LDA} and "
        f"{QUANTILES} can gain by other means. The grey band, {decimal(MARGIN, 2)} to "
        "either side, does not matter."
    )


def _alt(values: Measures, finding: str) -> str:
    names = listing([m.implementation for m in values["log_loss"]])
    ranges = []
    for metric, (title, _) in METRICS.items():
        known = [m.value for m in values[metric] if math.isfinite(m.value)]
        if known:
            ends = f"{decimal(min(known), 3)} to {decimal(max(known), 3)}"
            ranges.append(f"{title.lower()} from {ends}")
    failed = [
        m.implementation for m in values["test_accuracy"] if not math.isfinite(m.value)
    ]
    exception = f" Failed in every run: {listing(failed)}." if failed else ""
    return f"Bars for {names}: {'; '.join(ranges)}. {finding}.{exception}"


def _frame(summary: AssumptionsSummary) -> pd.DataFrame:
    """Return means and differences side by side."""
    found, keys = summary.findings, ["implementation", "metric"]
    changes = found.differences.add_prefix("difference_").rename(
        columns={f"difference_{key}": key for key in keys}
    )
    table = found.costs.merge(changes, on=keys, how="left")
    return table.rename(columns={"implementation": "model"})

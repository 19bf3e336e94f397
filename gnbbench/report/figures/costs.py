"""What the assumptions cost: GNB beside models without one of them, on the same runs."""

import pandas as pd
from matplotlib.figure import Figure

from gnbbench.assumptions.costs import GNB, LDA, MARGIN, QDA, QUANTILES, YEO_JOHNSON
from gnbbench.report.assumptions_summary import AssumptionsSummary
from gnbbench.report.figures.drawing import Plot
from gnbbench.report.figures.parts import (
    Measure,
    bars,
    differences,
    ends,
    finite,
    known,
    measures,
)
from gnbbench.report.style import line_styles
from gnbbench.words import decimal, listing, plural

METRICS = {
    "test_accuracy": ("Test accuracy", "share of samples"),
    "log_loss": ("Log loss", "nats; less is better"),
}

Measures = dict[str, list[Measure]]


def costs(summary: AssumptionsSummary) -> Plot | str:
    """Bars of accuracy and log loss above the paired differences from GNB."""
    found = summary.findings
    names = list(dict.fromkeys(found.costs["implementation"]))
    others = [name for name in names if name != GNB]
    values = {
        metric: measures(found.costs, names, metric, none="failed in every run")
        for metric in METRICS
    }
    if not any(map(known, values.values())):
        return "No model gave labels in any run."
    styles = line_styles(names)
    finding = _finding(known(values["log_loss"]))

    def draw(figure: Figure) -> None:
        heights = (len(names), len(others))
        grid = figure.subplots(2, 2, height_ratios=heights, sharey="row")
        for (metric, (title, unit)), upper, lower in zip(
            METRICS.items(), *grid, strict=True
        ):
            bars(upper, values[metric], styles)
            upper.set(xlabel=f"{title.lower()} ({unit})", title=title)
            right = [end for m in values[metric] for end in (m.value, m.high) if end > 0]
            upper.set_xlim(0, 1.04 * max(finite(right), default=1.0))
            changes = measures(found.differences, others, metric, signed=True)
            differences(lower, changes, styles, MARGIN)
            lower.set(xlabel=f"difference in {title.lower()}", title=f"Minus {GNB}, paired")

    return Plot(
        finding=finding,
        caption=_caption(summary),
        alt=_alt(values, finding),
        frame=_frame(summary),
        inches=4.4,
        draw=draw,
    )


def _finding(losses: dict[str, float]) -> str:
    if not losses:
        return "No model gave probabilities in any run"
    best = min(losses, key=losses.__getitem__)
    if best == GNB:
        return f"No model has a lower log loss than {GNB}, {decimal(losses[GNB], 3)} nats"
    beside = f"has {decimal(losses[GNB], 3)}" if GNB in losses else "failed"
    lowest = decimal(losses[best], 3)
    return f"{best} has the lowest log loss, {lowest} nats; {GNB} {beside}"


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
    ranges = [
        f"{title.lower()} {ends(known(values[metric]).values(), 3)}"
        for metric, (title, _) in METRICS.items()
        if known(values[metric])
    ]
    names = [m.implementation for m in values["test_accuracy"]]
    failed = [name for name in names if name not in known(values["test_accuracy"])]
    exception = f" Failed in every run: {listing(failed)}." if failed else ""
    return f"Bars for {listing(names)}: {'; '.join(ranges)}. {finding}.{exception}"


def _frame(summary: AssumptionsSummary) -> pd.DataFrame:
    """Return means and differences side by side."""
    found, keys = summary.findings, ["implementation", "metric"]
    changes = found.differences.add_prefix("difference_").rename(
        columns={f"difference_{key}": key for key in keys}
    )
    table = found.costs.merge(changes, on=keys, how="left")
    return table.rename(columns={"implementation": "model"})

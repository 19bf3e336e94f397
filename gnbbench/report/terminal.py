"""The report for a terminal: the verdict in words, then the numbers in 80 columns."""

import math

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from gnbbench.records import OPERATIONS
from gnbbench.report.labels import printable, short_names
from gnbbench.report.lookup import Lookup
from gnbbench.report.numbers import (
    DASH,
    count,
    decimal,
    interval,
    plural,
    seconds,
    share,
    significant,
    span,
)
from gnbbench.statistics.summary import Outcome, Summary, Verdict

WIDTH = 80
NAME_WIDTH = 11

METRICS = {
    "train_accuracy": "Train accuracy",
    "test_accuracy": "Test accuracy",
    "mean_confidence_right": "Confidence, right",
    "mean_confidence_wrong": "Confidence, wrong",
    "log_loss": "Log loss (nats)",
}

_STYLES: dict[Outcome, str] = {
    "identical": "bold green",
    "equivalent": "bold green",
    "different": "bold red",
    "cannot tell": "bold yellow",
    "failed": "bold red",
}

Row = tuple[str, str, str, str]


def table(summary: Summary) -> RenderableType:
    """Return what a terminal shows of a study: verdicts, then a table per competitor.

    Parameters
    ----------
    summary : Summary

    Returns
    -------
    rich.console.RenderableType
        Nothing in it is wider than 80 columns.
    """
    parts: list[RenderableType] = [_setting(summary)]
    parts += [_verdict(summary, verdict) for verdict in summary.verdicts]
    parts += [_block(summary, name) for name in summary.implementations[1:]]
    parts += [
        Text(f"Remark: {printable(warning)}", style="yellow")
        for warning in summary.warnings
    ]
    return Group(*parts)


def rows(summary: Summary, implementation: str) -> list[Row]:
    """Return the lines of one competitor: what, reference's, its own, difference.

    Parameters
    ----------
    summary : Summary
    implementation : str
        A competitor.

    Returns
    -------
    list of tuple of four str
    """
    return [
        *_agreement_rows(summary, implementation),
        *_metric_rows(summary, implementation),
        *_time_rows(summary, implementation),
    ]


def _setting(summary: Summary) -> Text:
    line = (
        f"{printable(summary.dataset.name)} · {plural(summary.n_runs, 'run')} · "
        f"{count(summary.n_train)} train and {count(summary.n_test)} test samples each"
    )
    return Text(line, style="dim", overflow="fold")


def _verdict(summary: Summary, verdict: Verdict) -> Text:
    text = Text(overflow="fold")
    if len(summary.verdicts) > 1:
        names = short_names(summary.implementations, 40)
        text.append(f"{names[verdict.implementation]}  ")
    text.append(printable(verdict.sentence), style=_STYLES[verdict.outcome])
    if verdict.detail:
        text.append(f" {printable(verdict.detail)}")
    return text


def _block(summary: Summary, implementation: str) -> Table:
    names = short_names(summary.implementations, NAME_WIDTH)
    block = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), width=WIDTH)
    block.add_column("", width=17, no_wrap=True)
    block.add_column(Text(names[summary.reference]), justify="right", width=NAME_WIDTH)
    block.add_column(Text(names[implementation]), justify="right", width=NAME_WIDTH)
    block.add_column("difference (95 %) or ratio", ratio=1, overflow="fold")
    for row in rows(summary, implementation):
        block.add_row(*(Text(cell) for cell in row))
    return block


def _agreement_rows(summary: Summary, name: str) -> list[Row]:
    agreement = Lookup(summary.agreement, "implementation")
    predictions = agreement.number("predictions", name)
    if not predictions > 0:
        return [("Agreement", "", DASH, "no labels to compare")]
    differing = (
        f"{count(agreement.number('disagreements', name))} of {count(predictions)} differ"
    )
    exact = agreement.number("exact_runs", name)
    compared = agreement.number("compared_runs", name)
    largest = agreement.number("max_probability_difference", name)
    return [
        ("Agreement", "", share(agreement.number("agreement", name)), differing),
        ("Exact runs", "", count(exact), f"of {count(compared)}"),
        ("Largest |Δp|", "", DASH if math.isnan(largest) else significant(largest, 2), ""),
    ]


def _metric_rows(summary: Summary, name: str) -> list[Row]:
    values = Lookup(summary.metrics, "implementation", "metric")
    differences = Lookup(summary.differences, "implementation", "metric")
    lines = []
    for metric, title in METRICS.items():
        change = interval(*differences.triple("mean", name, metric), signed=True)
        if differences.text("outcome", name, metric) == "identical":
            change = "identical"
        own = decimal(values.number("mean", name, metric))
        reference = decimal(values.number("mean", summary.reference, metric))
        lines.append((title, reference, own, change))
    return lines


def _time_rows(summary: Summary, name: str) -> list[Row]:
    times = Lookup(summary.timing, "implementation", "operation")
    ratios = Lookup(summary.ratios, "implementation", "operation")
    lines = []
    for operation in OPERATIONS:
        reference = seconds(times.number("median_seconds", summary.reference, operation))
        own = seconds(times.number("median_seconds", name, operation))
        ratio, low, high = ratios.triple("ratio", name, operation)
        text = DASH
        if math.isfinite(ratio):
            text = f"{significant(ratio)} × ({span(low, high)})"
            text += f"\n{ratios.text('speed', name, operation)}; floor " + span(
                ratios.number("floor_low", name, operation),
                ratios.number("floor_high", name, operation),
            )
        lines.append((operation, reference, own, text))
    return lines

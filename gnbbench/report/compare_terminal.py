"""The report for a terminal: the verdict in words, then the numbers in 80 columns."""

import math
from typing import Literal

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from gnbbench.records import OPERATIONS
from gnbbench.report.lookup import Lookup
from gnbbench.report.streamed_sections import pass_block
from gnbbench.statistics.summary import Outcome, Summary, Verdict
from gnbbench.words import (
    DASH,
    count,
    decimal,
    interval,
    plural,
    printable,
    seconds,
    share,
    short_names,
    significant,
    span,
)

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
    """Return what a terminal shows of a study: verdicts, then a table per competitor."""
    parts: list[RenderableType] = [_setting(summary)]
    parts += [verdict_line(summary, verdict) for verdict in summary.verdicts]
    parts += [_block(summary, name) for name in summary.implementations[1:]]
    if summary.is_streamed:
        block = empty_block(("", 40), ("time", 10), ("rows/s", 13), last="× reading")
        parts.append(pass_block(summary, block))
    return Group(*parts, *remark_lines(summary))


def rows(summary: Summary, implementation: str) -> list[Row]:
    """Return the lines of one competitor: what, reference's, its own, difference."""
    return [
        *_agreement_rows(summary, implementation),
        *_metric_rows(summary, implementation),
        *time_rows(summary, implementation),
    ]


def remark_lines(summary: Summary) -> list[Text]:
    """Return the remarks, one line of text each."""
    return [
        Text(f"Remark: {printable(warning)}", style="yellow")
        for warning in summary.warnings
    ]


def empty_block(*columns: tuple[str, int], last: str) -> Table:
    """Return a table of 80 columns without rows: numbers, then one column of text."""
    block = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), width=WIDTH)
    for place, (heading, width) in enumerate(columns):
        justify: Literal["left", "right"] = "right" if place else "left"
        block.add_column(Text(heading), justify=justify, width=width, no_wrap=not place)
    block.add_column(Text(last), ratio=1, overflow="fold")
    return block


def _setting(summary: Summary) -> Text:
    line = (
        f"{printable(summary.dataset.name)} · {plural(summary.n_runs, 'run')} · "
        f"{count(summary.n_train)} train and {count(summary.n_test)} test samples each"
    )
    return Text(line, style="dim", overflow="fold")


def verdict_line(summary: Summary, verdict: Verdict) -> Text:
    """Return the two sentences of a verdict, named where there are several."""
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
    block = empty_block(
        ("", 17),
        (names[summary.reference], NAME_WIDTH),
        (names[implementation], NAME_WIDTH),
        last="difference (95 %) or ratio",
    )
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


def time_rows(summary: Summary, name: str) -> list[Row]:
    """Return the lines of the times of one competitor."""
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
            if ratios.number("processes", name, operation) > 1:
                low, high = (
                    ratios.number(f"process_{end}", name, operation)
                    for end in ("low", "high")
                )
                text += f"\nprocesses {span(low, high)}"
        lines.append((operation, reference, own, text))
    return lines

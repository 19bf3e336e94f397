"""The report of a sweep for a terminal: verdicts, the whole, then fraction by fraction."""

import math

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from gnbbench.report.compare_terminal import (
    NAME_WIDTH,
    Row,
    empty_block,
    remark_lines,
    time_rows,
    verdict_line,
)
from gnbbench.report.lookup import Lookup
from gnbbench.report.sweep_sections import MARK, median_text
from gnbbench.statistics.summary import Summary
from gnbbench.words import (
    DASH,
    count,
    decimal,
    interval,
    percent,
    percent_span,
    plural,
    printable,
    share,
    short_names,
    significant,
)

FRACTION_NAME_WIDTH = 9

FractionRow = tuple[str, str, str, str, str, str]


def sweep_table(summary: Summary) -> RenderableType:
    """Return what a terminal shows of a sweep: verdicts, then two tables per competitor."""
    parts: list[RenderableType] = [_setting(summary)]
    parts += [verdict_line(summary, verdict) for verdict in summary.verdicts]
    for name in summary.implementations[1:]:
        parts += [_whole(summary, name), _by_fraction(summary, name)]
    shown = [row for n in summary.implementations[1:] for row in fraction_rows(summary, n)]
    if any(row[-1].endswith(MARK) for row in shown):
        mark = "* conservative: more than half of the samples are tested"
        parts.append(Text(mark, style="dim"))
    return Group(*parts, *remark_lines(summary))


def whole_rows(summary: Summary, implementation: str) -> list[Row]:
    """Return the lines over all fractions: what, reference's, its own, remark."""
    overall = Lookup(summary.overall, "implementation")
    runs = overall.number("runs", implementation)
    if not runs > 0:
        return [("Exact runs", "", DASH, "no labels to compare")]
    mean, median, most, largest = (
        overall.number(column, implementation)
        for column in (
            "mismatches_mean",
            "mismatches_median",
            "mismatches_max",
            "max_probability_difference",
        )
    )
    exact = count(overall.number("exact_runs", implementation))
    reference, own = (
        decimal(overall.number("test_accuracy", name))
        for name in (summary.reference, implementation)
    )
    return [
        (
            "Exact runs",
            "",
            share(overall.number("exact_share", implementation)),
            f"{exact} of {count(runs)}",
        ),
        (
            "Labels per run",
            "",
            decimal(mean, 3) if mean else "0",
            f"differ on average; median {median_text(median)}, most {count(most)}",
        ),
        ("Largest |Δp|", "", DASH if math.isnan(largest) else significant(largest, 2), ""),
        ("Test accuracy", reference, own, "mean over all runs"),
        *time_rows(summary, implementation),
    ]


def fraction_rows(summary: Summary, implementation: str) -> list[FractionRow]:
    """Return a line per train fraction: agreement, both accuracies, their difference."""
    agreement = Lookup(summary.agreement, "fraction", "implementation")
    accuracy = Lookup(summary.metrics, "fraction", "implementation", "metric")
    changes = Lookup(summary.accuracy_differences, "fraction", "implementation")
    table = summary.points
    lines: list[FractionRow] = []
    for fraction, wide in zip(table["fraction"], table["conservative"], strict=True):
        change = interval(*changes.triple("mean", fraction, implementation), signed=True)
        change += MARK if wide and change != DASH else ""
        if changes.text("outcome", fraction, implementation) == "identical":
            change = "identical"
        reference, own = (
            decimal(accuracy.number("mean", fraction, name, "test_accuracy"))
            for name in (summary.reference, implementation)
        )
        exact = share(agreement.number("exact_share", fraction, implementation))
        most = count(agreement.number("mismatches_max", fraction, implementation))
        lines.append((percent(fraction), exact, most, reference, own, change))
    return lines


def _setting(summary: Summary) -> Text:
    line = (
        f"{printable(summary.dataset.name)} · {plural(summary.n_runs, 'run')} at each of "
        f"{plural(len(summary.fractions), 'train fraction')}, "
        f"{percent_span(summary.fractions)}"
    )
    return Text(line, style="dim", overflow="fold")


def _whole(summary: Summary, implementation: str) -> Table:
    names = short_names(summary.implementations, NAME_WIDTH)
    block = empty_block(
        ("", 17),
        (names[summary.reference], NAME_WIDTH),
        (names[implementation], NAME_WIDTH),
        last="remark or ratio (95 %)",
    )
    for row in whole_rows(summary, implementation):
        block.add_row(*(Text(cell) for cell in row))
    return block


def _by_fraction(summary: Summary, implementation: str) -> Table:
    names = short_names(summary.implementations, FRACTION_NAME_WIDTH)
    block = empty_block(
        ("train", 7),
        ("exact runs", 7),
        ("most differ", 6),
        (names[summary.reference], FRACTION_NAME_WIDTH),
        (names[implementation], FRACTION_NAME_WIDTH),
        last="difference (95 %)",
    )
    for row in fraction_rows(summary, implementation):
        block.add_row(*(Text(cell) for cell in row))
    return block

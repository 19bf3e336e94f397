"""The report of the assumptions for a terminal: verdicts, then tables of 80 columns."""

from collections.abc import Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from gnbbench.assumptions.costs import GNB
from gnbbench.report.assumptions_page import TONES
from gnbbench.report.assumptions_sections import correlation_text, p_text
from gnbbench.report.assumptions_summary import AssumptionsSummary
from gnbbench.report.compare_terminal import WIDTH
from gnbbench.report.lookup import Lookup
from gnbbench.words import DASH, count, decimal, interval, plural, printable, shorten

MOST_CLASSES = 10
MOST_CELLS = 5

_STYLES = {"good": "bold green", "unsure": "bold yellow", "bad": "bold red"}

Rows = list[tuple[str, ...]]


def assumptions_table(summary: AssumptionsSummary) -> RenderableType:
    """Return what a terminal shows: both verdicts, then costs, classes and features."""
    parts: list[RenderableType] = [_setting(summary)]
    for verdict in summary.findings.verdicts:
        style = _STYLES[TONES[verdict.grade]]
        parts.append(Text(printable(verdict.sentence), style=style, overflow="fold"))
    costs = ("model", "accuracy", "log loss", f"minus {GNB}, nats (95 %)")
    classes = ("class", "max |r|", "total, nats", "p (Holm)", "most correlated")
    features = ("feature", "class", "Q–Q", "skewness", "kurtosis", "p (Holm)")
    parts += [
        _block(costs, cost_rows(summary), (18, 8, 8, 37)),
        _block(classes, class_rows(summary), (14, 8, 11, 8, 28)),
        _block(features, feature_rows(summary), (22, 14, 6, 8, 8, 9)),
    ]
    parts += [
        Text(f"Remark: {printable(warning)}", style="yellow", overflow="fold")
        for warning in summary.warnings
    ]
    return Group(*parts)


def cost_rows(summary: AssumptionsSummary) -> Rows:
    """Return a line for each model: accuracy, log loss, difference of the log loss."""
    values = Lookup(summary.findings.costs, "implementation", "metric")
    changes = Lookup(summary.findings.differences, "implementation", "metric")
    rows: Rows = []
    for model in summary.implementations:
        change = ""
        if model != GNB:
            change = interval(*changes.triple("mean", model, "log_loss"), signed=True)
            outcome = changes.text("outcome", model, "log_loss")
            change = outcome if outcome == "identical" else f"{change} {outcome}"
        rows.append(
            (
                model,
                decimal(values.number("mean", model, "test_accuracy")),
                decimal(values.number("mean", model, "log_loss")),
                change,
            )
        )
    return rows


def class_rows(summary: AssumptionsSummary) -> Rows:
    """Return a line for each class, or for the ten with the largest correlation."""
    table = summary.findings.independence
    if len(table) > MOST_CLASSES:
        table = table.sort_values("max_abs_r", ascending=False, kind="stable")
    rows: Rows = []
    for row in table.head(MOST_CLASSES).to_dict("records"):
        names = [shorten(printable(row[c]), 13) for c in ("feature", "other_feature")]
        rows.append(
            (
                row["class_name"],
                correlation_text(row["max_abs_r"]),
                decimal(row["total_correlation"], 2),
                p_text(row["p_holm"]),
                ", ".join(filter(None, names)) or DASH,
            )
        )
    return rows


def feature_rows(summary: AssumptionsSummary) -> Rows:
    """Return a line for each of the five least normal classes and features."""
    table = summary.findings.normality.sort_values("qq_correlation", kind="stable")
    known = table[table["qq_correlation"].notna()].head(MOST_CELLS)
    return [
        (
            row["feature"],
            row["class_name"],
            decimal(row["qq_correlation"], 3),
            decimal(row["skewness"], 2),
            decimal(row["excess_kurtosis"], 2),
            p_text(row["p_holm"]),
        )
        for row in known.to_dict("records")
    ]


def _setting(summary: AssumptionsSummary) -> Text:
    found = summary.findings
    line = (
        f"{printable(summary.dataset.name)} · {plural(found.n_runs, 'run')} · "
        f"{count(found.n_train)} train and {count(found.n_test)} test samples each"
    )
    return Text(line, style="dim", overflow="fold")


def _block(columns: Sequence[str], rows: Rows, widths: Sequence[int]) -> Table:
    block = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), width=WIDTH)
    last = len(columns) - 1
    for place, (column, width) in enumerate(zip(columns, widths, strict=True)):
        block.add_column(
            Text(column),
            width=None if place == last else width,
            ratio=1 if place == last else None,
            no_wrap=True,
            justify="left" if place == 0 or width > 20 else "right",
        )
    for row in rows:
        cells = zip(row, widths, strict=True)
        block.add_row(*(Text(shorten(printable(text), width)) for text, width in cells))
    return block

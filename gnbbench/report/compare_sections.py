"""The tables of the page, section by section."""

import math
from collections.abc import Mapping
from typing import Any

from gnbbench.records import OPERATIONS
from gnbbench.report.lookup import Lookup
from gnbbench.report.tables import Cell, Table, build, number_cell, text_cell
from gnbbench.statistics.summary import Summary
from gnbbench.words import (
    count,
    data_size,
    decimal,
    interval,
    seconds,
    share,
    short_names,
    significant,
    span,
)

METRIC_NAMES = {
    "train_accuracy": "train accuracy",
    "test_accuracy": "test accuracy",
    "precision": "precision (macro)",
    "recall": "recall (macro)",
    "f1": "F1 (macro)",
    "mean_confidence": "mean confidence",
    "mean_confidence_right": "mean confidence where right",
    "mean_confidence_wrong": "mean confidence where wrong",
    "log_loss": "log loss (nats)",
    "brier_score": "Brier score",
    "expected_calibration_error": "expected calibration error",
}
ACCURACY_METRICS = ("train_accuracy", "test_accuracy", "precision", "recall", "f1")
CONFIDENCE_METRICS = tuple(name for name in METRIC_NAMES if name not in ACCURACY_METRICS)


def agreement_table(summary: Summary) -> Table:
    """Agreement of each competitor, in labels and in numbers."""
    columns = (
        "implementation",
        "agreement",
        "predictions that differ",
        "runs without a disagreement",
        "rows ever in dispute",
        "Cohen's kappa",
        "McNemar p (run 0)",
        "largest |Δp|",
        "mean |Δp|",
        "largest |Δ joint log-likelihood|",
    )
    rows = []
    for row in summary.agreement.to_dict("records"):
        differing = f"{count(row['disagreements'])} of {count(row['predictions'])}"
        runs = f"{count(row['exact_runs'])} of {count(row['compared_runs'])}"
        rows.append(
            [
                text_cell(row["implementation"]),
                number_cell(row["agreement"], share(row["agreement"])),
                number_cell(row["disagreements"], differing),
                number_cell(row["exact_runs"], runs),
                number_cell(row["disputed_rows"], count(row["disputed_rows"])),
                number_cell(row["kappa"], decimal(row["kappa"])),
                number_cell(row["mcnemar_p"], significant(row["mcnemar_p"])),
                *(
                    number_cell(row[column], significant(row[column]))
                    for column in (
                        "max_probability_difference",
                        "mean_probability_difference",
                        "max_joint_log_likelihood_difference",
                    )
                ),
            ]
        )
    return build("Agreement with the reference", columns, rows)


def label_tables(summary: Summary) -> tuple[Table, ...]:
    """Label against label, one table per competitor with labels."""
    labels = list(
        dict.fromkeys([*summary.dataset.class_names, *summary.label_pairs["label"]])
    )
    names = short_names(summary.implementations, 40)
    cells = Lookup(summary.label_pairs, "implementation", "reference_label", "label")
    tables = []
    for name in dict.fromkeys(summary.label_pairs["implementation"]):
        rows = []
        for first in labels:
            numbers = [cells.number("count", name, first, second) for second in labels]
            if all(map(math.isnan, numbers)):
                continue
            rows.append(
                [text_cell(first), *(number_cell(value, count(value)) for value in numbers)]
            )
        caption = (
            f"Labels of {names[summary.reference]} (rows) against those of {names[name]} "
            "(columns), all test predictions"
        )
        header = [f"{names[summary.reference]} says", *short_names(labels, 30).values()]
        tables.append(build(caption, header, rows))
    return tuple(tables)


def disputed_table(summary: Summary) -> Table | None:
    """Rows of the data whose label was ever in dispute; None where there are none."""
    if summary.disputed_rows.empty:
        return None
    columns = (
        "row",
        "implementation",
        "truth",
        "runs in dispute",
        "its votes",
        "votes of the reference",
        "smallest margin",
    )
    rows = [
        [
            number_cell(row["row"], str(row["row"])),
            text_cell(row["implementation"]),
            text_cell(str(row["truth"])),
            number_cell(
                row["disputed"], f"{count(row['disputed'])} of {count(row['tested'])}"
            ),
            text_cell(row["votes"]),
            text_cell(row["reference_votes"]),
            number_cell(row["smallest_margin"], significant(row["smallest_margin"])),
        ]
        for row in summary.disputed_rows.to_dict("records")
    ]
    return build("Rows ever in dispute", columns, rows)


def metric_table(summary: Summary, metrics: tuple[str, ...], caption: str) -> Table:
    """Mean and interval of each metric per implementation, with the paired difference."""
    names = short_names(summary.implementations, 40)
    values = Lookup(summary.metrics, "implementation", "metric")
    differences = Lookup(summary.differences, "implementation", "metric")
    rows = []
    for metric in metrics:
        for name in summary.implementations:
            mean, low, high = values.triple("mean", name, metric)
            spread = values.number("spread", name, metric)
            runs = values.number("runs", name, metric)
            rows.append(
                [
                    text_cell(METRIC_NAMES[metric]),
                    text_cell(names[name]),
                    number_cell(mean, interval(mean, low, high)),
                    number_cell(spread, decimal(spread)),
                    number_cell(runs, count(runs)),
                    _difference_cell(summary, differences, name, metric),
                    number_cell(
                        differences.number("p", name, metric),
                        significant(differences.number("p", name, metric)),
                    ),
                ]
            )
    columns = (
        "metric",
        "implementation",
        "mean (95 % interval)",
        "spread over splits",
        "runs",
        "difference (95 % interval)",
        "p (Holm)",
    )
    return build(caption, columns, rows)


def _difference_cell(summary: Summary, differences: Lookup, name: str, metric: str) -> Cell:
    if name == summary.reference:
        return Cell("reference", "")
    value, low, high = differences.triple("mean", name, metric)
    if differences.text("outcome", name, metric) == "identical":
        return Cell("identical", "0.0")
    return number_cell(value, interval(value, low, high, signed=True))


def class_table(summary: Summary) -> Table:
    """Precision, recall and F1 of each class."""
    rows = [
        [
            text_cell(str(row["class_name"])),
            text_cell(row["implementation"]),
            *(number_cell(row[c], decimal(row[c])) for c in ("precision", "recall", "f1")),
            number_cell(row["support"], count(row["support"])),
        ]
        for row in summary.class_scores.to_dict("records")
    ]
    columns = ("class", "implementation", "precision", "recall", "F1", "test samples")
    return build("Scores per class over all test predictions", columns, rows)


def time_table(summary: Summary) -> Table:
    """Quantiles and means of single calls, per operation and implementation."""
    lookup = Lookup(summary.timing, "implementation", "operation")
    columns = ("median", "p5", "p95", "minimum", "mean", "standard_deviation", "cold")
    rows = []
    for operation in OPERATIONS:
        for name in summary.implementations:
            if (name, operation) not in lookup:
                continue
            values = [
                lookup.number(f"{column}_seconds", name, operation) for column in columns
            ]
            rounds = lookup.number("rounds", name, operation)
            rows.append(
                [
                    text_cell(operation),
                    text_cell(name),
                    *(number_cell(value, seconds(value)) for value in values),
                    number_cell(rounds, count(rounds)),
                ]
            )
    header = [column.replace("_", " ") for column in columns]
    header[-1] = "first call (cold)"
    return build(
        "Time of one call", ("operation", "implementation", *header, "rounds"), rows
    )


def ratio_table(summary: Summary) -> Table:
    """Paired ratios with interval, noise floor and remarks."""
    repeated = bool((summary.ratios["processes"] > 1).any())
    rows = [
        [
            text_cell(row["operation"]),
            text_cell(row["implementation"]),
            number_cell(row["ratio"], significant(row["ratio"])),
            number_cell(row["low"], span(row["low"], row["high"])),
            *([number_cell(row["process_low"], processes_text(row))] if repeated else []),
            number_cell(row["floor_low"], span(row["floor_low"], row["floor_high"])),
            text_cell(str(row["speed"])),
            number_cell(row["outliers"], count(row["outliers"])),
            number_cell(row["ties"], count(row["ties"])),
            number_cell(row["autocorrelation"], decimal(row["autocorrelation"], 2)),
        ]
        for row in summary.ratios.to_dict("records")
    ]
    columns = (
        "operation",
        "implementation",
        "ratio",
        "95 % interval",
        *(["over processes"] if repeated else []),
        "noise floor",
        "in words",
        "outliers",
        "ties",
        "lag-1 autocorrelation",
    )
    return build("Time over that of the reference, paired", columns, rows)


def processes_text(row: Mapping[Any, Any]) -> str:
    """Return the spread of a ratio over the processes it was timed in."""
    return f"{span(row['process_low'], row['process_high'])} in {count(row['processes'])}"


def memory_table(summary: Summary) -> Table | None:
    """Peak memory per operation and implementation; None where it was not measured."""
    used = summary.memory
    if used.empty:
        return None
    names = short_names(summary.implementations, 40)
    apart = bool(used["resident_bytes"].notna().any())
    rows = [
        [
            text_cell(row["operation"]),
            text_cell(names[row["implementation"]]),
            number_cell(row["traced_bytes"], data_size(row["traced_bytes"])),
            *(
                [number_cell(row["resident_bytes"], data_size(row["resident_bytes"]))]
                if apart
                else []
            ),
        ]
        for row in used.to_dict("records")
    ]
    columns = ("operation", "implementation", "allocated")
    return build(
        "Peak memory of one call, beyond the arrays it is given",
        (*columns, "resident growth") if apart else columns,
        rows,
    )


def feature_table(summary: Summary) -> Table:
    """Range and moments of each feature."""
    rows = [
        [
            text_cell(str(row["feature"])),
            *(
                number_cell(row[column], significant(row[column], 4))
                for column in ("minimum", "maximum", "mean", "standard_deviation")
            ),
            number_cell(row["distinct"], count(row["distinct"])),
        ]
        for row in summary.dataset.features.to_dict("records")
    ]
    columns = (
        "feature",
        "minimum",
        "maximum",
        "mean",
        "standard deviation",
        "distinct values",
    )
    return build("Features", columns, rows)


def class_count_table(summary: Summary) -> Table:
    """How many samples each class has."""
    data = summary.dataset
    rows = [
        [
            text_cell(name),
            number_cell(number, count(number)),
            number_cell(number, share(number / max(data.n_samples, 1))),
        ]
        for name, number in zip(data.class_names, data.class_counts, strict=True)
    ]
    return build("Classes", ("class", "samples", "share"), rows)


def failure_table(summary: Summary) -> Table | None:
    """Errors by implementation and message; None where every run went well."""
    failed = summary.runs.loc[summary.runs["status"] != "ok"]
    if failed.empty:
        return None
    numbers = failed.groupby(["implementation", "message"], sort=False)["run"].count()
    rows = [
        [
            text_cell(row["implementation"]),
            text_cell(row["message"]),
            number_cell(row["run"], count(row["run"])),
        ]
        for row in numbers.reset_index().to_dict("records")
    ]
    return build("Runs that ended in an error", ("implementation", "message", "runs"), rows)

"""The tables of the page of a sweep, section by section."""

import pandas as pd

from gnbbench.report.lookup import Lookup
from gnbbench.report.tables import Cell, Table, build, number_cell, text_cell
from gnbbench.statistics.summary import Summary
from gnbbench.words import (
    count,
    decimal,
    interval,
    percent,
    share,
    short_names,
    significant,
)

MARK = " *"
NO_SPLIT = "no split"

# Last numbers of disagreements that share a column; beyond the last there is one more.
BIN_ENDS = (0, 1, 2, 3, 5, 10, 20, 50, 100)


def headline_table(summary: Summary) -> Table:
    """All train fractions together, one row per implementation."""
    columns = (
        "implementation",
        "runs compared",
        "runs that match entirely",
        "share",
        "disagreements per run: mean",
        "median",
        "most",
        "largest |Δp|",
        "mean test accuracy",
        "runs with an error",
    )
    rows = [
        [
            text_cell(row["implementation"]),
            number_cell(row["runs"], count(row["runs"])),
            number_cell(row["exact_runs"], count(row["exact_runs"])),
            number_cell(row["exact_share"], share(row["exact_share"])),
            *_mismatch_cells(row),
            _probability_cell(row),
            number_cell(row["test_accuracy"], decimal(row["test_accuracy"])),
            number_cell(row["failed_runs"], count(row["failed_runs"])),
        ]
        for row in summary.overall.to_dict("records")
    ]
    return build("All train fractions together", columns, rows)


def fraction_table(summary: Summary) -> Table:
    """Agreement of each competitor at each train fraction."""
    columns = (
        "train fraction",
        "implementation",
        "runs that match entirely",
        "share",
        "disagreements per run: mean",
        "median",
        "most",
        "largest |Δp|",
    )
    possible = possible_fractions(summary)
    rows = []
    for row in summary.agreement.to_dict("records"):
        runs = f"{count(row['exact_runs'])} of {count(row['compared_runs'])}"
        if row["fraction"] not in possible:
            runs = NO_SPLIT
        rows.append(
            [
                fraction_cell(row["fraction"]),
                text_cell(row["implementation"]),
                number_cell(row["exact_runs"], runs),
                number_cell(row["exact_share"], share(row["exact_share"])),
                *_mismatch_cells(row),
                _probability_cell(row),
            ]
        )
    return build("Agreement at each train fraction", columns, rows)


def histogram_tables(summary: Summary) -> tuple[Table, ...]:
    """Return the runs by number of disagreements, per competitor that has any."""
    names = short_names(summary.implementations, 40)
    tables = []
    for name in summary.implementations[1:]:
        own = summary.mismatch_counts.loc[summary.mismatch_counts["implementation"] == name]
        if not own["disagreements"].any():
            continue
        caption = f"Runs by number of disagreements with {names[summary.reference]}: "
        tables.append(_histogram(caption + names[name], own))
    return tuple(tables)


def accuracy_table(summary: Summary) -> Table:
    """Train and test accuracy with intervals, and the difference from the reference."""
    names = short_names(summary.implementations, 40)
    values = Lookup(summary.metrics, "fraction", "implementation", "metric")
    changes = Lookup(summary.accuracy_differences, "fraction", "implementation")
    wide, possible = _conservative(summary), possible_fractions(summary)
    rows = []
    for fraction in summary.fractions:
        for name in summary.implementations:
            test = values.triple("mean", fraction, name, "test_accuracy")
            spread = values.number("spread", fraction, name, "test_accuracy")
            train, gap = (
                values.number("mean", fraction, name, metric)
                for metric in ("train_accuracy", "gap")
            )
            p = changes.number("p", fraction, name)
            mark = MARK if fraction in wide else ""
            rows.append(
                [
                    fraction_cell(fraction),
                    text_cell(names[name]),
                    number_cell(train, decimal(train)),
                    number_cell(test[0], interval(*test) + mark),
                    number_cell(spread, decimal(spread)),
                    number_cell(gap, decimal(gap)),
                    _difference_cell(summary, changes, fraction, name),
                    number_cell(p, significant(p)),
                    text_cell(
                        changes.text("outcome", fraction, name)
                        if fraction in possible
                        else NO_SPLIT
                    ),
                ]
            )
    columns = (
        "train fraction",
        "implementation",
        "train accuracy",
        "test accuracy (95 % interval)",
        "spread over splits",
        "gap",
        "difference (95 % interval)",
        "p (Holm)",
        "in words",
    )
    return build("Accuracy at each train fraction", columns, rows)


def slope_table(summary: Summary) -> Table:
    """Gain in test accuracy between neighbouring train fractions, in points."""
    wide = _conservative(summary)
    rows = []
    for row in summary.slopes.to_dict("records"):
        points = [100 * row[column] for column in ("slope", "low", "high")]
        mark = MARK if row["from_fraction"] in wide else ""
        rows.append(
            [
                fraction_cell(row["from_fraction"]),
                fraction_cell(row["to_fraction"]),
                text_cell(row["implementation"]),
                number_cell(points[0], interval(*points, signed=True) + mark),
            ]
        )
    columns = (
        "from",
        "to",
        "implementation",
        "points of test accuracy per ten points of train fraction (95 % interval)",
    )
    return build("Slope of the learning curve", columns, rows)


def split_table(summary: Summary) -> Table:
    """Sizes and runs of each train fraction."""
    columns = (
        "train fraction",
        "train samples",
        "test samples",
        "runs",
        "with fewer than two training samples of a class",
        "without a split",
        "intervals",
    )
    numbers = ("n_train", "n_test", "runs", "thin_runs", "impossible_runs")
    rows = [
        [
            fraction_cell(row["fraction"]),
            *(number_cell(row[name], count(row[name])) for name in numbers),
            text_cell("conservative *" if row["conservative"] else "usual"),
        ]
        for row in summary.points.to_dict("records")
    ]
    return build("Splits at each train fraction", columns, rows)


def fraction_cell(fraction: float) -> Cell:
    """Cell of a train fraction, sorted by its size."""
    # A first column sorts as text, by which 0.5 comes before 0.125: equally many digits.
    return Cell(percent(fraction), f"{fraction:.9f}")


def possible_fractions(summary: Summary) -> set[float]:
    """Fractions at which there is a split."""
    table = summary.points
    return set(table.loc[table["n_train"] > 0, "fraction"])


def _conservative(summary: Summary) -> set[float]:
    table = summary.points
    return set(table.loc[table["conservative"], "fraction"])


def _mismatch_cells(row: dict[object, float]) -> list[Cell]:
    mean, median, most = (row[f"mismatches_{of}"] for of in ("mean", "median", "max"))
    return [
        number_cell(mean, decimal(mean, 3) if mean else "0"),
        number_cell(median, median_text(median)),
        number_cell(most, count(most)),
    ]


def median_text(value: float) -> str:
    """Return a median of whole numbers as text, with a half where it has one."""
    return decimal(value, 1) if value % 1 else count(value)


def _probability_cell(row: dict[object, float]) -> Cell:
    largest = row["max_probability_difference"]
    return number_cell(largest, significant(largest))


def _difference_cell(summary: Summary, changes: Lookup, fraction: float, name: str) -> Cell:
    if name == summary.reference:
        return Cell("reference", "")
    value, low, high = changes.triple("mean", fraction, name)
    if changes.text("outcome", fraction, name) == "identical":
        return Cell("identical", "0.0")
    mark = MARK if fraction in _conservative(summary) else ""
    return number_cell(value, interval(value, low, high, signed=True) + mark)


def _histogram(caption: str, own: pd.DataFrame) -> Table:
    """One row per train fraction, one column per number or range of disagreements."""
    most = int(own["disagreements"].max())
    ends = [end for end in BIN_ENDS if end < most] + [most]
    starts = [0, *(end + 1 for end in ends[:-1])]
    rows = []
    for fraction, runs in own.groupby("fraction"):
        cells = []
        for start, end in zip(starts, ends, strict=True):
            within = runs["disagreements"].between(start, end)
            number = float(runs.loc[within, "runs"].sum())
            cells.append(number_cell(number, count(number)))
        rows.append([fraction_cell(float(str(fraction))), *cells])
    header = [
        str(start) if start == end else f"{start} to {end}"
        for start, end in zip(starts, ends, strict=True)
    ]
    return build(caption, ("train fraction", *header), rows)

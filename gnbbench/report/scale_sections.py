"""The tables of the page of a scale study."""

from gnbbench.report.scale_wording import (
    agreement_text,
    lookup_agreement,
    multiple,
    power,
    power_interval,
    ratio_range,
    ratio_text,
)
from gnbbench.report.tables import Cell, Table, build, number_cell, text_cell
from gnbbench.statistics.scale_summary import SYMBOLS, ScaleSummary
from gnbbench.words import DASH, count, seconds, share, short_names, significant

_MEGA = 1e6
_GIGA = 1e9


def exponent_table(summary: ScaleSummary) -> Table:
    """Exponents of every axis, operation and implementation, with their intervals."""
    names = short_names(summary.implementations, 40)
    columns = (
        "implementation",
        "axis",
        "operation",
        "time grows as",
        "95 %",
        "fitted over",
    )
    rows = []
    for row in summary.exponents.to_dict("records"):
        axis, symbol = str(row["axis"]), SYMBOLS[str(row["axis"])]
        fitted = DASH
        if row["points"] >= 2:
            ends = f"{symbol} = {count(row['first'])} to {count(row['last'])}"
            fitted = f"{ends}, {count(row['points'])} sizes"
        value = float(row["exponent"])
        rows.append(
            [
                text_cell(names[str(row["implementation"])]),
                text_cell(axis),
                text_cell(str(row["operation"])),
                number_cell(value, power(axis, value)),
                text_cell(power_interval(float(row["low"]), float(row["high"]))),
                text_cell(fitted),
            ]
        )
    return build("How time grows", columns, rows)


def time_table(summary: ScaleSummary, axis: str) -> Table:
    """Each time along one axis, with ratio, throughput and equal labels."""
    names = short_names(summary.implementations, 40)
    columns = (
        *("implementation", SYMBOLS[axis], "operation", "time", "of processes"),
        *("ratio to reference", "95 %", "same labels", "rows per s", "GB per s"),
        "share of one read",
    )
    rows = []
    for row in summary.times.loc[summary.times["axis"] == axis].to_dict("records"):
        name, size = str(row["implementation"]), int(row["size"])
        value = {key: float(row[key]) for key in ("rows_per_second", "bytes_per_second")}
        equal = lookup_agreement(summary, axis, size, name)
        is_reference = name == summary.reference
        low, high = float(row["low_seconds"]), float(row["high_seconds"])
        rows.append(
            [
                text_cell(names[name]),
                number_cell(size, count(size)),
                text_cell(str(row["operation"])),
                number_cell(float(row["seconds"]), seconds(float(row["seconds"]))),
                text_cell(f"{seconds(low)} to {seconds(high)}"),
                number_cell(
                    float(row["ratio"]), ratio_text(float(row["ratio"]), str(row["speed"]))
                ),
                text_cell(ratio_range(float(row["ratio_low"]), float(row["ratio_high"]))),
                number_cell(equal, agreement_text(equal, is_reference=is_reference)),
                number_cell(value["rows_per_second"], _many(value["rows_per_second"])),
                number_cell(
                    value["bytes_per_second"],
                    significant(value["bytes_per_second"] / _GIGA),
                ),
                number_cell(
                    float(row["share_of_read"]),
                    share(round(float(row["share_of_read"]), 4)),
                ),
            ]
        )
    return build(f"Time against {axis} ({summary.held_text(axis)})", columns, rows)


def agreement_table(summary: ScaleSummary) -> Table:
    """Labels of each competitor at each point, held against the reference's."""
    names = short_names(summary.implementations, 40)
    columns = ("implementation", "axis", "size", "test rows", "differ", "same labels")
    rows: list[list[Cell]] = []
    for row in summary.agreement.to_dict("records"):
        equal = float(row["agreement"])
        rows.append(
            [
                text_cell(names[str(row["implementation"])]),
                text_cell(str(row["axis"])),
                number_cell(float(row["size"]), count(float(row["size"]))),
                number_cell(float(row["n_test"]), count(float(row["n_test"]))),
                number_cell(
                    float(row["disagreements"]), count(float(row["disagreements"]))
                ),
                number_cell(equal, agreement_text(equal)),
            ]
        )
    return build("Labels against the reference's", columns, rows)


def memory_table(summary: ScaleSummary) -> Table:
    """Memory beyond the arrays given, in megabytes and as multiples of X."""
    names = short_names(summary.implementations, 40)
    columns = (
        *("implementation", "axis", "size", "operation", "allocated (MB)"),
        *("allocated", "resident (MB)", "resident"),
    )
    rows = []
    for row in summary.memory.to_dict("records"):
        traced, resident = float(row["traced_bytes"]), float(row["resident_bytes"])
        rows.append(
            [
                text_cell(names[str(row["implementation"])]),
                text_cell(str(row["axis"])),
                number_cell(float(row["size"]), count(float(row["size"]))),
                text_cell(str(row["operation"])),
                number_cell(traced, significant(traced / _MEGA)),
                number_cell(
                    float(row["traced_multiple"]), multiple(float(row["traced_multiple"]))
                ),
                number_cell(resident, significant(resident / _MEGA)),
                number_cell(
                    float(row["resident_multiple"]),
                    multiple(float(row["resident_multiple"])),
                ),
            ]
        )
    return build("Memory beyond the arrays given", columns, rows)


def _many(number: float) -> str:
    """Return a large number with three significant digits."""
    for size, word in ((1e9, "billion"), (1e6, "million"), (1e3, "thousand")):
        if number >= size:
            return f"{significant(number / size)} {word}"
    return significant(number)

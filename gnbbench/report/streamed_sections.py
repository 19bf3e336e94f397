"""The tables of a streamed study: what its passes took, and what models learned."""

from rich.table import Table as RichTable
from rich.text import Text

from gnbbench.report.tables import Table, build, number_cell, text_cell
from gnbbench.statistics.summary import Summary
from gnbbench.words import DASH, count, printable, seconds, significant

OPERATIONS = {"training": "partial_fit", "scoring": "predict"}


def pass_table(summary: Summary) -> Table | None:
    """Seconds of reading, of each implementation and of the whole, pass by pass."""
    if not summary.is_streamed:
        return None
    rows = [
        [
            text_cell(row["stage"]),
            text_cell(_doer(row)),
            number_cell(row["rows"], count(row["rows"])),
            number_cell(row["seconds"], seconds(row["seconds"])),
            number_cell(row["rows_per_second"], significant(row["rows_per_second"])),
            number_cell(row["times_reading"], _multiple(row["times_reading"])),
        ]
        for row in summary.passes.to_dict("records")
    ]
    columns = ("pass", "what", "rows", "time", "rows a second", "time over reading")
    return build("What a pass took", columns, rows)


def parameter_table(summary: Summary) -> Table | None:
    """Largest relative difference of each parameter from the reference's."""
    if not summary.is_streamed or summary.parameters.empty:
        return None
    rows = [
        [
            text_cell(row["implementation"]),
            text_cell(row["parameter"]),
            number_cell(
                row["largest_relative_difference"],
                significant(row["largest_relative_difference"]),
            ),
        ]
        for row in summary.parameters.to_dict("records")
    ]
    columns = ("implementation", "parameter", "largest relative difference")
    return build("What the models learned, against the reference", columns, rows)


def pass_block(summary: Summary, block: RichTable) -> RichTable:
    """Return a terminal's table with a line for each thing that a pass did."""
    for row in summary.passes.to_dict("records"):
        cells = (
            f"{row['stage']}: {printable(_doer(row))}",
            seconds(row["seconds"]),
            significant(row["rows_per_second"]),
            _multiple(row["times_reading"]),
        )
        block.add_row(*map(Text, cells))
    return block


def _doer(row: dict[object, object]) -> str:
    """Return what took the time, in words."""
    if row["what"] != "calls":
        return str(row["what"])
    return f"{row['implementation']}, {OPERATIONS[str(row['stage'])]}"


def _multiple(value: float) -> str:
    text = significant(value)
    return text if text == DASH else f"{text} ×"

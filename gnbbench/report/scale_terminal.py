"""The report of a scale study for a terminal, in 80 columns."""

from collections.abc import Sequence
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from gnbbench.report.scale_wording import (
    agreement_text,
    lookup_agreement,
    power,
    power_interval,
    ratio_text,
)
from gnbbench.report.terminal import NAME_WIDTH, WIDTH
from gnbbench.statistics.scale_summary import SCALE_OPERATIONS, SYMBOLS, ScaleSummary
from gnbbench.words import DASH, count, printable, seconds, short_names

MOST_SIZES = 4


def scale_table(summary: ScaleSummary) -> RenderableType:
    """Return what a terminal shows: the finding, growth, then some sizes of each axis."""
    style = "bold red" if len(summary.differing) else "bold green"
    parts: list[RenderableType] = [
        _line(summary.headline, style),
        _line(summary.detail.partition(" Time grows:")[0], ""),
    ]
    for axis in summary.axes:
        parts += [_line(f"\nAlong {axis} ({summary.held_text(axis)})", "bold")]
        parts += [_times(summary, axis), _growth(summary, axis)]
    parts += [_line(sentence, "yellow") for sentence in summary.stops["sentence"]]
    parts += [_line(f"Remark: {warning}", "yellow") for warning in summary.warnings]
    return Group(*parts)


def shown_sizes(sizes: Sequence[int]) -> list[int]:
    """Return up to four sizes, the first and the last among them."""
    if len(sizes) <= MOST_SIZES:
        return list(sizes)
    gap = (len(sizes) - 1) / (MOST_SIZES - 1)
    return [sizes[round(gap * place)] for place in range(MOST_SIZES)]


def _times(summary: ScaleSummary, axis: str) -> Table:
    names = short_names(summary.implementations, NAME_WIDTH)
    block = _block(
        (SYMBOLS[axis], 9),
        ("", NAME_WIDTH),
        ("fit", 8),
        ("× ref.", 9),
        ("predict", 8),
        ("× ref.", 9),
        ("same labels", None),
    )
    table = summary.times.loc[summary.times["axis"] == axis]
    for size in shown_sizes(sorted(set(table["size"]))):
        there = table.loc[table["size"] == size]
        present = [
            one for one in summary.implementations if one in set(there["implementation"])
        ]
        for place, name in enumerate(present):
            mine = there.loc[there["implementation"] == name].set_index("operation")
            found: dict[Any, dict[Any, Any]] = mine.to_dict("index")
            cells = [cell for one in SCALE_OPERATIONS for cell in _cells(found.get(one))]
            equal = lookup_agreement(summary, axis, size, name)
            is_reference = name == summary.reference
            block.add_row(
                count(size) if place == 0 else "",
                Text(names[name]),
                *cells,
                agreement_text(equal, is_reference=is_reference),
            )
    return block


def _cells(row: dict[Any, Any] | None) -> tuple[str, str]:
    """Return time and ratio of one operation."""
    if row is None:
        return DASH, DASH
    ratio = ratio_text(float(row["ratio"]), str(row["speed"]), digits=2)
    return seconds(float(row["seconds"])), ratio


def _growth(summary: ScaleSummary, axis: str) -> Table:
    names = short_names(summary.implementations, NAME_WIDTH)
    block = _block(
        ("growth", 9),
        ("", NAME_WIDTH),
        ("fit", 8),
        ("95 %", 15),
        ("predict", 8),
        ("95 %", None),
        right=False,
    )
    table = summary.exponents.loc[summary.exponents["axis"] == axis]
    for name in summary.implementations:
        mine = table.loc[table["implementation"] == name].set_index("operation")
        by_operation: dict[Any, dict[Any, Any]] = mine.to_dict("index")
        cells = []
        for operation in SCALE_OPERATIONS:
            row = by_operation[operation]
            cells += [
                power(axis, float(row["exponent"])),
                power_interval(float(row["low"]), float(row["high"])),
            ]
        block.add_row("", Text(names[name]), *cells)
    return block


def _block(*columns: tuple[str, int | None], right: bool = True) -> Table:
    """Return a table of 80 columns without rows; a column without a width has the rest."""
    block = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), width=WIDTH)
    for place, (heading, width) in enumerate(columns):
        block.add_column(
            Text(heading),
            width=width,
            ratio=1 if width is None else None,
            justify="right" if right and place != 1 else "left",
            overflow="fold",
        )
    return block


def _line(text: str, style: str) -> Text:
    return Text(printable(text) if not text.startswith("\n") else text, style=style)

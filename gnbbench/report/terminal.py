"""The document in a terminal of 80 columns."""

from collections.abc import Iterator, Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table as RichTable
from rich.text import Text as RichText

from gnbbench.report.blocks import (
    Block,
    Cell,
    Code,
    Column,
    Document,
    Heading,
    Section,
    Table,
    Terminal,
    Text,
    Verdicts,
    visible,
)

WIDTH = 80

_COLOURS = {"": "", "good": "green", "unsure": "yellow", "bad": "red", "none": "dim"}
_LOOKS = {"plain": "", "strong": "bold", "muted": "dim", "note": ""}


def terminal(document: Document) -> RenderableType:
    """Return what a terminal shows: what stands outside of the page's sections."""
    return Group(*_shown(document.blocks))


def _shown(blocks: Sequence[Block]) -> Iterator[RenderableType]:
    for block in blocks:
        if isinstance(block, Terminal):
            yield from _shown(block.blocks)
        elif isinstance(block, Text | Code):
            yield _line(block)
        elif isinstance(block, Heading):
            yield RichText(f"\n{visible(block.text)}", style="bold", overflow="fold")
        elif isinstance(block, Verdicts):
            yield from _verdict_lines(block)
        elif isinstance(block, Table):
            yield terminal_table(block)
        elif not isinstance(block, Section):
            raise TypeError(f"a terminal cannot show {block.kind}")


def _line(block: Text | Code) -> RichText:
    if isinstance(block, Code):
        return RichText(visible(block.text), style="bold", overflow="fold")
    style = f"{_LOOKS[block.look]} {_COLOURS[block.tone]}".strip()
    text = f"{block.lead} {block.text}" if block.lead else block.text
    return RichText(visible(text), style=style, overflow="fold")


def _verdict_lines(block: Verdicts) -> Iterator[RichText]:
    for verdict in block.verdicts:
        text = RichText(overflow="fold")
        if len(block.verdicts) > 1 and not block.short:
            text.append(f"{verdict.name}  ")
        text.append(visible(verdict.sentence), style=f"bold {_COLOURS[verdict.tone]}")
        if verdict.detail and not block.short:
            text.append(f" {visible(verdict.detail)}")
        yield text


def terminal_table(table: Table) -> RichTable:
    """Return a table of 80 columns; a column without a width has the rest."""
    shown = RichTable(
        box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), width=WIDTH
    )
    for column in table.columns:
        _add_column(shown, column)
    for row in table.cells:
        shown.add_row(*map(_cell, row))
    return shown


def _cell(cell: Cell) -> RichText:
    text = RichText(cell.text, style=_COLOURS[cell.tone], overflow="fold")
    for fact in cell.facts:
        text.append(f"\n{' '.join(filter(None, fact))}", style="default")
    return text


def _add_column(shown: RichTable, column: Column) -> None:
    shown.add_column(
        RichText(column.heading),
        width=column.width,
        ratio=1 if column.width is None else None,
        justify=column.align,
        no_wrap=column.whole,
        overflow="fold",
    )

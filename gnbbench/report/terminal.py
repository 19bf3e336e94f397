"""The document in a terminal, fitted to its width, and as Markdown."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from textwrap import indent
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.containers import Lines
from rich.table import Table as RichTable
from rich.text import Text as RichText

from gnbbench.report import blocks
from gnbbench.words import SPACE

WIDTH = 80  # Without a terminal, as in a pipe
# Words longer than this are broken rather than leave a column out; with more room only much
# longer words are.
_LEAST_WIDTH, _LONG_WORDS = 12, (20, 40)
_GLUE = "\ue000"  # Stands for a no-break space while lines are broken

_COLOURS = {"": "", "good": "green", "unsure": "yellow", "bad": "red", "none": "dim"}
_LOOKS = {"plain": "", "strong": "bold", "muted": "dim", "note": ""}


def terminal(contents: Iterable[blocks.Block]) -> RenderableType:
    """Render blocks for a terminal."""
    return Group(*_shown(contents))


def markdown(contents: Iterable[blocks.Block]) -> str:
    """Render as Markdown what a terminal shows of blocks."""
    return "\n\n".join(_paragraphs(contents)) + "\n"


def _paragraphs(contents: Iterable[blocks.Block]) -> Iterator[str]:
    for block in contents:
        if isinstance(block, blocks.Table):
            heads = [column.heading for column in block.columns]
            marks = ["--:" if head.align == "right" else "---" for head in block.columns]
            cells = [[", ".join(_lines(cell)) for cell in row] for row in block.cells]
            head, *rows = (map(_escaped, row) for row in (heads, *cells))
            lines = (f"| {' | '.join(row)} |" for row in (head, marks, *rows))
            yield "\n".join(lines)
        elif isinstance(block, blocks.Snippet):
            yield indent(blocks.visible(block.text), "    ")
        else:
            start = "### " if isinstance(block, blocks.Heading) else ""
            yield from (start + _escaped(str(text).strip()) for text in _shown([block]))


def _escaped(text: str) -> str:
    """Escape Markdown and HTML in a text."""
    line = blocks.visible(text).replace("\n", " ")
    return re.sub(r"([\\`*_<>|\[\]#])", r"\\\1", line)


def _shown(contents: Iterable[blocks.Block]) -> Iterator[RenderableType]:
    for block in contents:
        if isinstance(block, blocks.Text | blocks.Snippet):
            yield _line(block)
        elif isinstance(block, blocks.Heading):
            yield _Words(f"\n{blocks.visible(block.text)}", style="bold", overflow="fold")
        elif isinstance(block, blocks.Verdicts):
            yield from _verdict_lines(block)
        elif isinstance(block, blocks.Table):
            yield _Fitted(block)
        else:
            raise TypeError(f"a terminal cannot show {block.kind}")


def _line(block: blocks.Text | blocks.Snippet) -> RichText:
    if isinstance(block, blocks.Snippet):
        # A command is copied: it is not broken, even if it is wider than the terminal.
        text = blocks.visible(block.text)
        return RichText(text, style="bold", no_wrap=True, overflow="ignore")
    style = f"{_LOOKS[block.look]} {_COLOURS[block.tone]}".strip()
    text = f"{block.lead} {block.text}" if block.lead else block.text
    return _Words(blocks.visible(text), style=style, overflow="fold")


def _verdict_lines(block: blocks.Verdicts) -> Iterator[RichText]:
    for verdict in block.verdicts:
        text = _Words(overflow="fold")
        if len(block.verdicts) > 1 and not block.short:
            text.append(f"{verdict.name}  ")
        style = f"bold {_COLOURS[verdict.tone]}"
        text.append(blocks.visible(verdict.sentence), style=style)
        if verdict.detail and not block.short:
            text.append(f" {blocks.visible(verdict.detail)}")
        yield text


class _Words(RichText):
    """Text that is never broken at a no-break space, unlike rich's."""

    def wrap(self, *options: Any, **named: Any) -> Lines:
        """Return the lines that fit."""
        glued = self.copy()
        glued.plain = self.plain.replace(SPACE, _GLUE)
        lines = RichText.wrap(glued, *options, **named)
        for line in lines:
            line.plain = line.plain.replace(_GLUE, SPACE)
        return lines


@dataclass(frozen=True)
class _Fitted:
    """A table that fits the terminal, leaves nothing out and breaks no number.

    Columns that do not fit become rows; rows that do not fit become sentences.
    """

    table: blocks.Table

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> Iterator[Any]:
        room = _room(options, len(self.table.columns))
        least = self._least(_LEAST_WIDTH)
        if sum(least) > room and len(self.table.columns) > 2:
            turned = _Fitted(_turned(self.table))
            fits = sum(turned._least(_LEAST_WIDTH)) <= _room(options, len(self.table) + 1)
            yield from [turned] if fits else _sentences(self.table)
            return
        for longest in _LONG_WORDS:
            words = self._least(longest)
            least = words if sum(words) <= room else least
        natural = [
            max(self._widest(place), cell_len(column.heading))
            for place, column in enumerate(self.table.columns)
        ]
        yield self._of_widths(_shrunk(natural, least, room))

    def _least(self, longest: int) -> list[int]:
        """Return the least widths: of numbers, and of words up to the longest."""
        least = []
        for place, column in enumerate(self.table.columns):
            words = " ".join([*self._texts(place), column.heading]).split(" ")
            width = min(max(map(cell_len, words)), longest)
            is_whole = column.align == "right" or column.whole
            least.append(max(self._widest(place), width) if is_whole else width)
        return least

    def _texts(self, place: int) -> list[str]:
        return [line for row in self.table.cells for line in _lines(row[place])]

    def _widest(self, place: int) -> int:
        return max(map(cell_len, self._texts(place)), default=1)

    def _of_widths(self, widths: Sequence[int]) -> RichTable:
        shown = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
        for column, width in zip(self.table.columns, widths, strict=True):
            shown.add_column(
                _Words(column.heading), width=width, justify=column.align, overflow="fold"
            )
        for row in self.table.cells:
            shown.add_row(*map(_cell, row))
        return shown


def _turned(table: blocks.Table) -> blocks.Table:
    """Transpose a table."""
    names = [str(place) for place in range(len(table))]
    turned = zip(names, table.cells, strict=True)
    columns = [blocks.Column(cells[0].text, name) for name, cells in turned]
    rows = [
        {"heading": column.heading, **dict(zip(names, cells, strict=True))}
        for column, *cells in zip(table.columns, *table.cells, strict=True)
    ]
    first = blocks.Column(table.columns[0].heading, "heading")
    return blocks.Table(table.caption, rows[1:], (first, *columns))


def _sentences(table: blocks.Table) -> Iterator[RichText]:
    """Yield each row as a sentence of its columns."""
    for row in table.cells:
        parts = [
            f"{column.heading} {', '.join(_lines(cell))}".strip()
            for column, cell in zip(table.columns, row, strict=True)
        ]
        text = _Words(parts[0], style=f"bold {_COLOURS[row[0].tone]}", overflow="fold")
        yield text.append(f": {'; '.join(parts[1:])}", style="not bold")


def _room(options: ConsoleOptions, n_columns: int) -> int:
    """Return the width for text, without edges, gaps and padding."""
    return options.max_width - 2 * n_columns - 1


def _shrunk(natural: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """Shrink widths until they fit, first the column furthest above its least."""
    widths = list(natural)
    while sum(widths) > room:
        place = max(range(len(widths)), key=lambda at: widths[at] - least[at])
        if widths[place] <= least[place]:
            break
        widths[place] -= 1
    return widths


def _lines(cell: blocks.Cell) -> list[str]:
    facts = (" ".join(filter(None, fact)) for fact in cell.facts)
    return [line for text in (cell.text, *facts) for line in text.split("\n")]


def _cell(cell: blocks.Cell) -> RichText:
    first, *facts = _lines(cell) if cell.facts else [cell.text]
    text = _Words(first, style=_COLOURS[cell.tone], overflow="fold")
    for fact in facts:
        text.append(f"\n{fact}", style="default")
    return text

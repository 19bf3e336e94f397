"""What a report says, read back: tables of a section, lines of a terminal."""

from collections.abc import Callable, Iterable
from io import StringIO
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from rich.console import Console

from gnbbench.report.blocks import Block, Document, Fold, Section, Table
from gnbbench.report.figures.drawing import Drawing
from gnbbench.report.terminal import WIDTH, terminal
from gnbbench.statistics.summary import Summary

# A figure of the catalogue by its name, and an invented study by its name.
Draw = Callable[..., Drawing]
Give = Callable[..., Summary]
# Compares a text with the one kept in a file.
Kept = Callable[[Path, str], None]


def tables(document: Document, anchor: str) -> dict[str, Table]:
    """Return the tables of a section by their captions, folded ones too."""
    found: dict[str, Table] = {}

    def walk(blocks: Iterable[Block]) -> None:
        for block in blocks:
            if isinstance(block, Table):
                found[block.caption] = block
            elif isinstance(block, Section | Fold):
                walk(block.blocks)

    walk(section for section in document.sections if section.anchor == anchor)
    return found


def texts(table: Table) -> list[list[str]]:
    """Return what is read in each cell, row by row."""
    return [[cell.text for cell in row] for row in table.cells]


def column(table: Table, heading: str) -> list[str]:
    """Return what is read in one column."""
    place = [one.heading for one in table.columns].index(heading)
    return [row[place] for row in texts(table)]


def shown(document: Any, width: int = WIDTH) -> str:
    """Return what a terminal shows of a document, or of what has its part for it."""
    console = Console(width=width, record=True, file=StringIO(), color_system=None)
    console.print(terminal(document.terminal))
    return console.export_text()


def panels(drawing: Drawing) -> list[Axes]:
    """Return the axes of a figure that data are drawn in: not those of its keys."""
    return [axes for axes in drawing.figure.axes if axes.axison and axes.get_title("left")]

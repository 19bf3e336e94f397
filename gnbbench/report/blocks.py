"""The document of a study: its report, as blocks that every renderer understands."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import isnan
from numbers import Real
from typing import Any, Literal, Self, TypeAlias

import pandas as pd

from gnbbench import words
from gnbbench.files import toml_beside
from gnbbench.report.figures.drawing import Absence, Drawing, draw_figure
from gnbbench.words import SPACE, count, decimal, significant

# Text other than a number that a spreadsheet would run as a formula.
_FORMULA = re.compile(r"(?![+-]?[\d.]+(e[+-]?\d+)?$)[=+\-@\t\r]")
_KEPT = ("\n", SPACE)
_NOTES = toml_beside(__file__, "prose/notes.toml")
_TABLES = toml_beside(__file__, "tables.toml")

Row: TypeAlias = Mapping[Any, Any]


class Block:
    """A part of a document; templates tell blocks apart by their kind."""

    @property
    def kind(self) -> str:
        """The name of its class in lower case."""
        return type(self).__name__.lower()


@dataclass(frozen=True)
class Text(Block):
    """One paragraph; only a `markupsafe.Markup` keeps its markup."""

    text: str
    look: Literal["plain", "muted", "strong", "note"] = "plain"
    tone: str = ""  # "good", "unsure" or "bad": the colour that repeats the words
    lead: str = ""  # Strong words before it


@dataclass(frozen=True)
class Heading(Block):
    """A heading below that of its section."""

    text: str


@dataclass(frozen=True)
class Facts(Block):
    """Names with their values."""

    pairs: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Items(Block):
    """A list."""

    texts: Sequence[str]
    style: str = ""  # Class of the list in the style sheet


@dataclass(frozen=True)
class Snippet(Block):
    """Text to copy verbatim."""

    text: str


@dataclass(frozen=True)
class Prose(Block):
    """A text on the method from the folder ``prose``, with values filled in."""

    name: str
    values: Mapping[str, Any] = field(default_factory=dict)


def note(name: str, /, **values: Any) -> str:
    """Return a note from ``prose/notes.toml``, with values filled in."""
    return str(_NOTES[name]).replace("\n", " ").format(**values)


@dataclass(frozen=True)
class VerdictLine:
    """The verdict on one subject, in words that a colour repeats."""

    name: str
    outcome: str
    tone: str
    sentence: str
    detail: str = ""
    anchor: str = ""


@dataclass(frozen=True)
class Verdicts(Block):
    """The verdict on each subject."""

    verdicts: Sequence[VerdictLine]
    short: bool = False  # Whether the sentence alone is shown


@dataclass(frozen=True)
class Cell:
    """One cell of a table."""

    text: str  # As shown
    key: str  # For sorting: a number, or text
    tone: str = ""
    link: str = ""  # Its target, such as "#check-offset-1e9"
    label: str = ""  # Of the link, for screen readers
    facts: tuple[tuple[str, str, str], ...] = ()  # Below it: name, value, detail
    message: str = ""  # Below those


@dataclass(frozen=True)
class Column:
    """One column of a table: which values of a row it shows, and how.

    Rows are sorted by the first value, unless the value or the result is a `Cell`.
    """

    heading: str
    of: str | tuple[str, ...] = ""  # Names of the values; empty: the heading
    show: Callable[..., str | Cell] = str
    tone: Callable[[Row], str] | None = None
    link: Callable[[Row], str] | None = None
    align: Literal["left", "right"] = "left"  # In a terminal
    whole: bool = False  # In a terminal: whether its text is never broken

    @classmethod
    def each(cls, *headings: str, **shared: Any) -> tuple[Self, ...]:
        """Return a column for each heading, which is also the name of the value."""
        return tuple(cls(heading, **shared) for heading in headings)

    @classmethod
    def described(
        cls,
        parts: Mapping[str, Any],
        heading: str,
        of: str = "",
        show: str = "",
        how: str = "",
    ) -> Self:
        """Return a column from its entry in ``tables.toml``."""
        return cls(
            heading.format(**parts),
            tuple(of.split()) if " " in of else of,
            (parts.get(show) or getattr(words, show)) if show else str,
            align="right" if how == "right" else "left",
            whole=how == "whole",
        )

    def cell(self, row: Row) -> Cell:
        """Return the cell of a row."""
        of = self.of or self.heading
        values = [row[name] for name in ((of,) if isinstance(of, str) else of)]
        first = values[0]
        text = first if isinstance(first, Cell) else self.show(*values)
        if isinstance(text, Cell):
            return text
        if isinstance(first, Real) and not isinstance(first, bool):
            key = "" if isnan(first) else f"{float(first):.9g}"
        else:
            text = visible(text)
            key = "" if first is None else text
        tone = self.tone(row) if self.tone else ""
        return Cell(text, key, tone, self.link(row) if self.link else "")


@dataclass(frozen=True, eq=False)
class Table(Block):
    """A table; its first column names the rows."""

    caption: str
    rows: pd.DataFrame | Sequence[Row]
    columns: tuple[Column, ...]
    note: str = ""  # Below it, muted; only a `markupsafe.Markup` keeps its markup
    style: str = ""  # Class of the table in the style sheet
    anchor: str = ""  # Name of the value that anchors a row
    totals: tuple[Cell, ...] = ()  # Last row, a cell for each column

    @classmethod
    def named(
        cls,
        name: str,
        rows: pd.DataFrame | Sequence[Row],
        note: str = "",
        /,
        without: Collection[str] = (),
        **parts: Any,
    ) -> Self:
        """Return the table of that name in ``tables.toml``, perhaps without some columns.

        `parts` fill its braces, or are functions that show values.
        """
        entry = _TABLES[name]
        wanted = [column for column in entry["columns"] if column[0] not in without]
        columns = tuple(Column.described(parts, *column) for column in wanted)
        how = (entry.get(key, "") for key in ("style", "anchor"))
        return cls(entry.get("caption", "").format(**parts), rows, columns, note, *how)

    @cached_property
    def records(self) -> Sequence[Row]:
        """The rows, as values by name."""
        if isinstance(self.rows, pd.DataFrame):
            return self.rows.to_dict("records")
        return self.rows

    @cached_property
    def cells(self) -> tuple[tuple[Cell, ...], ...]:
        """The cells, row by row."""
        return tuple(tuple(c.cell(row) for c in self.columns) for row in self.records)

    @cached_property
    def numeric(self) -> tuple[bool, ...]:
        """Whether every key of a column is a number."""
        return tuple(
            place > 0 and all(_reads_as_number(row[place].key) for row in self.cells)
            for place in range(len(self.columns))
        )

    @cached_property
    def anchors(self) -> tuple[str, ...]:
        """The anchor of each row, empty if it has none."""
        return tuple(str(row[self.anchor]) if self.anchor else "" for row in self.records)

    def in_short(self, *headings: str, most: int | None = None) -> Self:
        """Return a short table for a terminal: some columns, and at most `most` rows."""
        columns = tuple(
            replace(column, align="right" if numeric else "left")
            for column, numeric in zip(self.columns, self.numeric, strict=True)
            if column.heading in headings
        )
        rows = self.rows if most is None else self.rows[:most]
        return replace(self, columns=columns, rows=rows)

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, eq=False)
class Figure(Block):
    """A figure, drawn on first use."""

    name: str
    draw: Callable[[], Drawing | Absence]
    elsewhere: str = ""  # Stem of its files if another page has them

    @classmethod
    def of(cls, name: str, summary: Any, *part: Any) -> "Figure":
        """Return the named figure of a summary or of a part of it."""
        return cls(name.format(*part), partial(draw_figure, name, summary, *part))

    @cached_property
    def drawing(self) -> Drawing | Absence:
        """The drawing, or why there is none."""
        return self.draw()


@dataclass(frozen=True)
class Files(Block):
    """The list of all files written beside the page."""


@dataclass(frozen=True)
class Fold(Block):
    """Blocks that are shown on demand."""

    title: str
    blocks: Sequence[Block]
    is_open: bool = False

    @classmethod
    def of(cls, table: Table) -> "Fold":
        """Return a fold of a table, under its caption."""
        return cls(table.caption, (table,))


@dataclass(frozen=True)
class Section(Block):
    """A part of the page; those at the top level are in the table of contents."""

    anchor: str
    title: str
    blocks: Sequence[Block]
    tone: str = ""

    @classmethod
    def of(cls, title: str, content: Block | Iterable[Block], anchor: str = "") -> Self:
        """Return a section of one block or several; by default the title is its anchor."""
        several = (content,) if isinstance(content, Block) else tuple(content)
        return cls(anchor or title.lower().replace(" ", "-"), title, several)


@dataclass(frozen=True)
class Fact:
    """One value of a tile."""

    implementation: str  # Short name
    value: str  # With its unit
    detail: str  # Interval, bound or floor


@dataclass(frozen=True)
class Tile:
    """One tile under the headline: a title, and a fact for each subject."""

    title: str
    facts: tuple[Fact, ...]

    @classmethod
    def of(
        cls, title: str, names: Mapping[str, str], fact: Callable[[str], tuple[str, str]]
    ) -> "Tile":
        """Return a tile with a fact for each name; `fact` returns its value and detail."""
        return cls(title, tuple(Fact(text, *fact(name)) for name, text in names.items()))

    @classmethod
    def fact(cls, title: str, value: str, detail: str, subject: str = "") -> "Tile":
        """Return a tile with one fact."""
        return cls(title, (Fact(subject, value, detail),))


@dataclass(frozen=True)
class Attachment:
    """A file beside the page; if its content is None, an earlier one is removed."""

    name: str
    content: pd.DataFrame | str | None
    words: str  # What it holds


def csv_text(frame: pd.DataFrame) -> str:
    """Return a table as CSV, with a quote before text that a spreadsheet would run."""
    plain = frame.rename(columns=_harmless)
    for place, kind in enumerate(plain.dtypes):
        if not pd.api.types.is_numeric_dtype(kind):
            plain.isetitem(place, plain.iloc[:, place].map(_harmless).to_numpy())
    return plain.to_csv(index=False)


def _harmless(value: Any) -> Any:
    is_formula = isinstance(value, str) and _FORMULA.match(value)
    return f"'{value}" if is_formula else value


@dataclass(frozen=True, eq=False, kw_only=True)
class Document:
    """The whole report of a study."""

    study: str
    subject: str  # Name of the dataset, or of what was examined
    headline: str
    tone: str = ""
    setting: str = ""  # Which implementations are compared, and on what data
    origin: str = ""  # When it was made, and by which version
    tiles: tuple[Tile, ...] = ()
    parts: tuple[Section, ...]
    payload: Mapping[str, Any] = field(default_factory=dict)  # Of ``summary.json``
    attachments: tuple[Attachment, ...] = ()
    band: tuple[Block, ...] = ()  # Between the headline and the setting
    terminal: tuple[Block, ...] = ()  # What a terminal shows

    @property
    def sections(self) -> tuple[Section, ...]:
        """The parts of the page that are not empty."""
        return tuple(section for section in self.parts if section.blocks)

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """The figures of this page, in order."""
        figures = (block for block in _walk(self.parts) if isinstance(block, Figure))
        return tuple(figure for figure in figures if not figure.elsewhere)

    @property
    def drawings(self) -> tuple[Drawing | Absence, ...]:
        """Every figure as a drawing, or the reason why there is none."""
        return tuple(figure.drawing for figure in self.figures)


def visible(text: str) -> str:
    """Replace every control character but line breaks by a mark."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in _KEPT else " " if c.isspace() else "�" for c in text
    )


def frame_table(caption: str, frame: pd.DataFrame) -> Table:
    """Return a whole frame as a table, with values formatted by type."""
    names = map(str, frame.columns)
    columns = tuple(Column(name.replace("_", " "), name, _value_text) for name in names)
    return Table(caption, frame, columns)


def _value_text(value: Any) -> str:
    if value is None or isinstance(value, (bool, str)) or not isinstance(value, Real):
        return "" if value is None else str(value)
    number = float(value)
    if number.is_integer() and not isinstance(value, float):
        return count(number)
    return decimal(number, 5) if 0.001 <= abs(number) < 1000 else significant(number, 4)


def _walk(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Section | Fold):
            yield from _walk(block.blocks)


def _reads_as_number(key: str) -> bool:
    try:
        float(key or "nan")
    except ValueError:
        return False
    return True

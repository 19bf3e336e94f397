"""Every text of a document, with its location and its subject."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import unescape
from typing import Any

from gnbbench.report import blocks
from gnbbench.report.figures.drawing import Drawing
from gnbbench.report.files import templates

# Columns that name the subject of a row.
NAMING = ("implementation", "model", "file")
_VERBS = "(?:differs|gives|gave|fails|failed|could)"
POWERS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
NUMBER = re.compile(
    r"(?<![\w.,-])[−+]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d{1,3}\b|\s×\s10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?"
    r"(?![⁻⁰¹²³⁴⁵⁶⁷⁸⁹\d])"
)
# Foreign text is not a sentence of ours: messages, code, names of files and features.
QUOTED = re.compile(r'"[^"]*"|`[^`]*`|\'[^\']*\'|\([^()]*line \d+: .*?\)+(?=[.;]|$)')


@dataclass(frozen=True)
class Said:
    """A text, its location, and the implementation it is about."""

    text: str
    place: str
    subject: str = ""
    tone: str = ""
    heading: str = ""  # Of its column or tile
    row: Mapping[str, str] = field(default_factory=dict)  # All of its row, by headings

    @cached_property
    def plain(self) -> str:
        """The text without foreign parts."""
        return QUOTED.sub("…", self.text)


@dataclass(frozen=True)
class Number:
    """A number as written: its value and the unit of its last digit."""

    text: str
    value: float
    step: float

    @classmethod
    def of(cls, text: str) -> "Number":
        """Return the number in a match of `NUMBER`."""
        plain = text.replace(",", "").replace("−", "-")
        digits, _, power = re.sub(r"\s×\s10", "e", plain).translate(POWERS).partition("e")
        decimals = len(digits.partition(".")[2])
        exponent = int(power or 0)
        return cls(text, float(f"{digits}e{exponent}"), float(f"1e{exponent - decimals}"))

    def rounds(self, value: float) -> bool:
        """Return whether it equals the value rounded to its digits."""
        return abs(value - self.value) <= 0.5000001 * self.step


def numbers(text: str) -> list[Number]:
    """Return every number in a text."""
    return [Number.of(match) for match in NUMBER.findall(text)]


def said(document: blocks.Document, names: Sequence[str]) -> list[Said]:
    """Return every text of a document; a sole competitor is the subject of all of them."""
    sole = names[0] if len(names) == 1 else ""
    texts = [Said(document.headline, "headline", sole, document.tone)]
    texts += [Said(document.setting, "setting")]
    for tile in document.tiles:
        for fact in tile.facts:
            row = {"value": fact.value, "detail": fact.detail}
            subject = fact.implementation if fact.implementation in names else sole
            texts += [
                Said(text, f"tile of {name}", subject, "", tile.title, row)
                for name, text in (("value", fact.value), ("detail", fact.detail))
            ]
    for place, listed in (
        ("band", document.band),
        ("terminal", document.terminal),
        *((f"section {part.anchor}", (part,)) for part in document.sections),
    ):
        texts += [
            replace(entry, subject=entry.subject or sole)
            for entry in _Walk(place, names).read(listed)
        ]
    return [entry for entry in texts if entry.text.strip()]


class _Walk:
    """A walk through blocks that remembers the subject of the last heading or lead."""

    def __init__(self, place: str, names: Sequence[str]) -> None:
        self._place, self._names, self._subject = place, names, ""

    def read(self, listed: Iterable[blocks.Block]) -> Iterator[Said]:
        for block in listed:
            yield from self._block(block)

    def _block(self, block: blocks.Block) -> Iterator[Said]:
        if isinstance(block, blocks.Section | blocks.Fold):
            yield self._said(block.title)
            yield from self.read(block.blocks)
        elif isinstance(block, blocks.Text):
            text = f"{block.lead} {_stripped(block.text)}".strip()
            self._note(text)
            yield self._said(text, block.tone)
        elif isinstance(block, blocks.Heading):
            self._note(block.text)
            yield self._said(block.text)
        elif isinstance(block, blocks.Verdicts):
            for verdict in block.verdicts:
                self._subject = verdict.name if verdict.name in self._names else ""
                yield self._said(verdict.sentence, verdict.tone)
                yield self._said(verdict.detail)
        elif isinstance(block, blocks.Table):
            yield from self._table(block)
        else:
            yield from map(self._said, _texts(block))

    def _table(self, table: blocks.Table) -> Iterator[Said]:
        yield self._said(table.caption)
        headings = [column.heading for column in table.columns]
        place = f"{self._place}: {table.caption}" if table.caption else self._place
        for cells in table.cells:
            row = dict(zip(headings, (cell.text for cell in cells), strict=True))
            named = [row[heading] for heading in NAMING if heading in row]
            others = [n for n in self._names if f" {n} " in f"{table.caption} "]
            others = [*headings, *others]
            own = next((name for name in others if name in self._names), self._subject)
            own = next(iter(named), own)
            for heading, cell in zip(headings, cells, strict=True):
                facts = (" ".join(fact).strip() for fact in cell.facts)
                for text in (cell.text, *facts):
                    yield Said(text, place, own, cell.tone, heading, row)

    def _note(self, text: str) -> None:
        """Remember the subject of a lead such as "numpy: the same labels"."""
        if text.startswith("Remark"):
            self._subject = ""
        for name in self._names:
            if text == name or re.match(rf"{re.escape(name)}(?::| {_VERBS}\b)", text):
                self._subject = name

    def _said(self, text: str, tone: str = "") -> Said:
        return Said(_stripped(text), self._place, self._subject, tone)


def _texts(block: blocks.Block) -> list[str]:
    """Return the texts of a block without nested blocks."""
    if isinstance(block, blocks.Facts):
        return [f"{name}: {value}" for name, value in block.pairs]
    if isinstance(block, blocks.Items):
        return list(map(str, block.texts))
    if isinstance(block, blocks.Prose):
        template = templates().get_template(f"prose/{block.name}.html")
        text = re.sub(r"<(h3|dt)>.*?</\1>", "", template.render(block.values))
        parts = re.split(r"</(?:p|li|dd)>", text)
        return [" ".join(_stripped(part).split()) for part in parts]
    if isinstance(block, blocks.Figure):
        drawing: Any = block.drawing
        if isinstance(drawing, Drawing):
            return [drawing.title, drawing.finding, drawing.caption]
        return [drawing.reason]
    return []


def _stripped(text: str) -> str:
    """Return the visible part of a text that may be markup."""
    markup = hasattr(text, "__html__") or text.lstrip().startswith("<")
    return unescape(re.sub(r"<[^>]+>", "", text)) if markup else str(text)

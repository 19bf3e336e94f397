"""What a document says, as JSON in which a difference can be read: a block on a line."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import MISSING, fields, is_dataclass
from itertools import chain
from typing import Any

from markupsafe import Markup

from gnbbench.report import blocks
from gnbbench.words import DASH

# Rows kept of a table.
ROWS = 12
# Longer texts, except rows, take several lines.
WIDTH = 160


def entries(document: blocks.Document, rows: int = ROWS) -> list[str]:
    """Return what a page says, block after block, each as JSON on one line."""
    front = ("study", "subject", "tone", "headline", "setting")
    lines: list[Any] = [{name: getattr(document, name)} for name in front]
    lines += _blocks(document.band, rows)
    lines += [_plain(tile) for tile in document.tiles]
    lines += _blocks(document.sections, rows)
    files = [file for file in document.attachments if file.content is not None]
    lines += [{"file": file.name, "words": file.words} for file in files]
    return [as_json(line) for line in lines]


def block_entries(listed: Iterable[blocks.Block], rows: int = ROWS) -> list[str]:
    """Return what blocks say, each as JSON on one line, and so each row of a table."""
    return [as_json(line) for line in _blocks(listed, rows)]


def array(lines: Iterable[str]) -> str:
    """Return lines of JSON as one array."""
    return "[\n" + ",\n".join(lines) + "\n]"


def _blocks(listed: Iterable[blocks.Block], rows: int) -> Iterator[Any]:
    for block in listed:
        if isinstance(block, blocks.Section):
            yield {"section": block.anchor, "title": block.title, "tone": block.tone}
            yield from _blocks(block.blocks, rows)
        elif isinstance(block, blocks.Fold):
            yield {"fold": block.title, "open": block.is_open}
            yield from _blocks(block.blocks, rows)
            yield {"end of fold": block.title}
        elif isinstance(block, blocks.Table):
            heads = zip(block.columns, block.numeric, strict=True)
            names = [f"{column.heading}{' #' * numeric}" for column, numeric in heads]
            yield {"table": block.caption, "columns": names, "rows": len(block.cells)}
            yield from ([_cell(cell) for cell in row] for row in block.cells[:rows])
            yield from [[_cell(cell) for cell in block.totals]] if block.totals else []
            yield from [{"note": block.note}] if block.note else []
        elif isinstance(block, blocks.Figure):
            yield {"figure": block.name}
        else:
            yield {block.kind: _plain(block)}


def _cell(cell: blocks.Cell) -> Any:
    """Return the text of a cell, with what else it has; keys are what is read, mostly."""
    rest = {name: value for name, value in _plain(cell).items() if name != "key"}
    return rest["text"] if len(rest) == 1 else rest


def _plain(value: Any) -> Any:
    """Return the fields of a block that differ from their defaults."""
    if is_dataclass(value):
        held = {field: getattr(value, field.name) for field in fields(value)}
        return {
            field.name: _plain(content)
            for field, content in held.items()
            if field.default is MISSING or content != field.default
        }
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(content) for content in value]
    return value


def as_json(value: Any) -> str:
    """Return a value as JSON on one line."""
    return json.dumps(value, ensure_ascii=False, default=str)


def folded(value: Any, indent: str = "") -> str:
    """Return JSON with a row of a table, or what is short, on one line."""
    value = _table(value)
    line = as_json(value)
    is_row = isinstance(value, list) and not any(isinstance(x, list | dict) for x in value)
    if is_row or not isinstance(value, list | dict) or len(indent + line) <= WIDTH:
        return line
    inner = f"{indent} "
    if isinstance(value, dict):
        parts = [f"{as_json(key)}: {folded(part, inner)}" for key, part in value.items()]
    else:
        parts = [folded(part, inner) for part in value]
    left, right = "{}" if isinstance(value, dict) else "[]"
    body = f",\n{inner}".join(parts)
    return f"{left}\n{inner}{body}\n{indent}{right}"


def _table(value: Any) -> Any:
    """Return rows of the same fields as the names of these and the rows' values."""
    is_list = isinstance(value, list) and all(isinstance(row, dict) for row in value)
    if not is_list or len(value) < 2 or len({tuple(row) for row in value}) > 1:
        return value
    return {"columns": [*value[0]], "rows": [[*row.values()] for row in value]}


def words_of(document: blocks.Document) -> Iterator[str]:
    """Return what a page shows of a document, in order; of prose and figures, nothing."""
    yield document.headline
    yield from _words(document.band)
    yield document.setting
    for tile in document.tiles:
        yield tile.title
        for fact in tile.facts:
            is_alone = len(tile.facts) == 1
            named = ": ".join(filter(None, (fact.implementation, fact.detail)))
            each = (fact.implementation, fact.value, fact.detail)
            yield from (fact.value, named) if is_alone else each
    yield from (section.title for section in document.sections)
    yield from _words(document.sections)


def _words(listed: Iterable[blocks.Block]) -> Iterator[str]:
    for block in listed:
        if isinstance(block, blocks.Section | blocks.Fold):
            yield block.title
            yield from _words(block.blocks)
        elif isinstance(block, blocks.Table):
            yield from _table_words(block)
        elif isinstance(block, blocks.Verdicts):
            for verdict in block.verdicts:
                yield from () if block.short else (verdict.name, verdict.outcome)
                yield from (verdict.sentence, verdict.detail * (not block.short))
        else:
            yield from map(_uncoded, _simple_words(block))


def _simple_words(block: blocks.Block) -> Iterable[str]:
    if isinstance(block, blocks.Facts):
        return chain(*block.pairs)
    if isinstance(block, blocks.Items):
        return block.texts
    if isinstance(block, blocks.Text):
        return (block.lead, block.text)
    return (block.text,) if isinstance(block, blocks.Heading | blocks.Snippet) else ()


def _table_words(table: blocks.Table) -> Iterator[str]:
    yield table.caption
    yield from (column.heading for column in table.columns)
    for cell in chain(*table.cells, table.totals):
        yield from (_uncoded(cell.text or DASH), *chain(*cell.facts), cell.message)
    yield _uncoded(table.note)


def _uncoded(text: str) -> str:
    """Return text without backticks, or without tags if it is HTML."""
    plain = text.striptags() if isinstance(text, Markup) else text
    return re.sub("`([^`]+)`", r"\1", blocks.visible(plain))

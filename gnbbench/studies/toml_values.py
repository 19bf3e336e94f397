"""Values of TOML texts: their types in words, and the lines that they stand in."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ValueKind:
    """A type of value, in words and as a test."""

    words: str
    fits: Callable[[Any], bool]


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return _is_whole(value) or isinstance(value, float)


def _list_of(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(fits, value))


TABLE = ValueKind("a table", lambda value: isinstance(value, dict))
TEXT = ValueKind("text in quotes", _is_text)
WHOLE = ValueKind("a whole number", _is_whole)
NUMBER = ValueKind("a number", _is_number)
SWITCH = ValueKind("true or false", lambda value: isinstance(value, bool))
TEXTS = ValueKind('a list of text, such as ["a", "b"]', _list_of(_is_text))
NUMBERS = ValueKind("a list of numbers, such as [0.1, 0.5]", _list_of(_is_number))
TABLES = ValueKind(
    "a table, or several as [[dataset]]",
    lambda value: TABLE.fits(value) or _list_of(TABLE.fits)(value),
)


def line_of(text: str, path: Sequence[str | int]) -> int:
    """Return the line in which the statement that sets a key begins, from 1.

    A text cut off after a line is TOML again only where no statement is cut in two, so
    that the lines between two such cuts are one statement, however odd it is written.
    The first cut after which the key is there ends the statement that sets it.
    """
    lines = text.split("\n")
    begin = 1
    for end in range(1, len(lines) + 1):
        try:
            found = tomllib.loads("\n".join(lines[:end]))
        except tomllib.TOMLDecodeError:
            continue
        if _holds(found, path):
            return begin
        begin = end + 1
    return 1


def _holds(table: Any, path: Sequence[str | int]) -> bool:
    for key in path:
        if isinstance(key, int):
            there = isinstance(table, list) and key < len(table)
        else:
            there = isinstance(table, Mapping) and key in table
        if not there:
            return False
        table = table[key]
    return True

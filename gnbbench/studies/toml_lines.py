"""Where a key stands in a TOML text, which `tomllib` does not tell."""

import tomllib
from collections.abc import Mapping, Sequence
from typing import Any


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

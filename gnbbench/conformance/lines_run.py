"""Which lines of a checked file ran while its answers were compared, and which did not."""

import ast
from collections.abc import Sequence
from typing import NamedTuple

from gnbbench.implementations.sources import FUNCTION, blocks, pieces
from gnbbench.tracebacks import line_below
from gnbbench.words import listing

MOST_NAMED = 3  # Pieces that did not run
# Calls that only tell the user something.
_TELLING = {"print", "warn", "warning", "info", "debug", "error", "critical", "exception"}
_SILENT = ast.Pass | ast.Assert | ast.Global | ast.Nonlocal | ast.Import | ast.ImportFrom


class LinesRun(NamedTuple):
    """What ran of the functions in a file of which any part ran."""

    run: set[int]
    idle: list[tuple[int, int]]  # First and last lines of what did not

    def in_words(self, text: str) -> str:
        """Return what did not run of a source; empty if everything did."""
        every, texts = text.splitlines(), []
        for first, last in self.idle:
            words = line_below(every[:first]) or f"line {first}"
            if last > first:
                end = line_below(every[:last]) or f"line {last}"
                words = f"{words.replace('line', 'lines')} to {end.split()[-1]}"
            texts.append(words)
        few = listing(texts, MOST_NAMED)
        return f"{few}, which did not run" if texts else ""


def lines_run(text: str, marked: set[int]) -> LinesRun:
    """Return what ran of a source, given the first lines of the pieces that did.

    What only refuses or tells something gives no answers: it is not called idle.

    Examples
    --------
    >>> lines_run("def f(x):\\n    if x > 9:\\n        x = 9\\n    return x", {2, 4})
    LinesRun(run={2, 4}, idle=[(3, 3)])
    """
    lines = LinesRun(set(), [])
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, FUNCTION) and node.body[0].lineno in marked:
            _sort(node.body, marked, lines)
    return LinesRun(lines.run, sorted(lines.idle))


def _sort(block: Sequence[ast.stmt], marked: set[int], lines: LinesRun) -> None:
    """Add the lines of a block to those that ran or that did not."""
    idle: list[ast.stmt] = []
    for piece in pieces(block):
        if piece[0].lineno not in marked:
            idle += piece
            continue
        for node in piece:
            inner = [] if isinstance(node, ast.FunctionDef) else [*blocks(node)]
            last = inner[0][0].lineno - 1 if inner else node.end_lineno or 0
            lines.run.update(range(node.lineno, max(last, node.lineno) + 1))
            for each in inner:
                _sort(each, marked, lines)
    if idle and not _is_silent(idle):
        lines.idle.append((idle[0].lineno, idle[-1].end_lineno or 0))


def _is_silent(block: Sequence[ast.stmt]) -> bool:
    """Return whether a block gives no answers: it refuses, tells something or is empty."""
    return isinstance(block[-1], ast.Raise) or all(map(_tells, block))


def _tells(node: ast.stmt) -> bool:
    if not isinstance(node, ast.Return | ast.Expr):
        return isinstance(node, _SILENT)
    value = node.value
    if isinstance(value, ast.Call) and isinstance(node, ast.Expr):
        return getattr(value.func, "id", getattr(value.func, "attr", "")) in _TELLING
    return value is None or (isinstance(value, ast.Constant) and not value.value)

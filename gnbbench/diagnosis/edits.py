"""Edits of a source by nodes of its syntax tree; the rest of the file is unchanged."""

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import unified_diff
from itertools import pairwise

from gnbbench.diagnosis.findings import Cause
from gnbbench.diagnosis.source_lines import Source, name_of, source_of

_SHARE = "1e-9 * np.var({X}, axis=0).max()"
_PLAIN_SHARE = (
    "1e-9 * max(sum((v - sum(c) / len(c)) ** 2 for v in c) / len(c) for c in zip(*{X}))"
)
_NAME = "smoothing"


@dataclass(frozen=True)
class Edit:
    """New text for a range of bytes of a source."""

    start: int
    end: int
    text: str


Edits = tuple[Edit, ...]


class SourceFile:
    """A source with its syntax tree, and the bytes of each node."""

    def __init__(self, text: str, found: str, cause: Cause) -> None:
        self.content = text.encode()
        self.tree = ast.parse(text)
        self.source: Source = source_of(cause, self.tree, set(re.findall(r"\w+", found)))
        lines = self.content.splitlines(keepends=True)
        self._starts = [0]
        for line in lines:
            self._starts.append(self._starts[-1] + len(line))
        self.parents = {
            id(child): node
            for node in ast.walk(self.tree)
            for child in ast.iter_child_nodes(node)
        }

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Return the start and the end of a node."""
        first, last = node.lineno, node.end_lineno  # type: ignore[attr-defined]
        columns = node.col_offset, node.end_col_offset  # type: ignore[attr-defined]
        return self._starts[first - 1] + columns[0], self._starts[last - 1] + columns[1]

    def text(self, node: ast.AST) -> str:
        """Return the text of a node."""
        start, end = self.span(node)
        return self.content[start:end].decode()

    def replaced(self, node: ast.AST, text: str) -> Edit:
        """Return the edit that replaces a node."""
        return Edit(*self.span(node), text)

    def before(self, node: ast.AST, text: str) -> Edit:
        """Return the edit that inserts text before a node."""
        return Edit(self.span(node)[0], self.span(node)[0], text)

    def after(self, node: ast.AST, text: str) -> Edit:
        """Return the edit that inserts text after a node."""
        return Edit(self.span(node)[1], self.span(node)[1], text)

    def last_name(self, node: ast.AST, text: str) -> Edit:
        """Return the edit that changes a name, or the last attribute of an object."""
        end = self.span(node)[1]
        return Edit(end - len(name_of(node)), end, text)

    def function_around(self, node: ast.AST) -> ast.FunctionDef | None:
        """Return the innermost function around a node."""
        current: ast.AST | None = node
        while current is not None and not isinstance(current, ast.FunctionDef):
            current = self.parents.get(id(current))
        return current

    def imports(self, name: str) -> bool:
        """Return whether a module is imported under a name."""
        return any(
            (alias.asname or alias.name) == name
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        )

    def samples_argument(self, function: ast.FunctionDef | None) -> str:
        """Return the argument that has all training samples; empty if there is none."""
        names = [argument.arg for argument in function.args.args] if function else []
        names = [name for name in names if name not in {"self", "cls"}]
        return names[0] if len(names) > 1 else ""  # Without labels they may be a class's

    def share_of_variance(self, node: ast.AST) -> tuple[str, Edits]:
        """Return scikit-learn's smoothing, and the edit that computes it before a loop.

        Empty if the training samples are out of reach.
        """
        function = self.function_around(node)
        samples = self.samples_argument(function)
        if not samples or function is None:
            return "", ()
        if self.imports("np"):
            return _SHARE.format(X=samples), ()
        line = f"{_NAME} = {_PLAIN_SHARE.format(X=samples)}"
        return _NAME, (self.at_start(function, line),)

    def at_start(self, function: ast.FunctionDef, line: str) -> Edit:
        """Return the edit that inserts a statement below the docstring of a function."""
        first = function.body[0]
        is_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
        first = function.body[1] if is_docstring and len(function.body) > 1 else first
        return self.before(first, f"{line}\n{' ' * first.col_offset}")


def difference(before: str, after: str, name: str) -> str:
    """Return the changes of a file as a unified diff."""
    sides = before.splitlines(), after.splitlines()
    return "\n".join(unified_diff(*sides, name, name, lineterm="", n=1))


def applied(text: str, chosen: Iterable[Edits]) -> str:
    """Return the source with all edits; empty where two change the same text."""
    content = text.encode()
    edits = sorted(
        {edit for edits in chosen for edit in edits}, key=lambda e: (e.start, e.end)
    )
    if any(a.end > b.start for a, b in pairwise(edits)):
        return ""
    for edit in reversed(edits):
        content = content[: edit.start] + edit.text.encode() + content[edit.end :]
    changed = content.decode()
    try:
        ast.parse(changed)
    except SyntaxError:
        return ""
    return changed

"""Which of several readings of labels a source allows: of tied rows, and of lost ones."""

import ast
import re
from dataclasses import replace
from itertools import chain

from gnbbench.diagnosis import findings, variants
from gnbbench.diagnosis.edits import name_of
from gnbbench.diagnosis.findings import Cause, stated

_SAID = re.compile(r"; ([^;]+) gets such rows")
_COUNTS = re.compile(r"count|prior|freq|size|num|total|major|sum|^n_|^y", re.IGNORECASE)
_SCORES = re.compile(r"lik|pdf|dens|post|prob|score|joint|log", re.IGNORECASE)
_LABELS = re.compile(r"_?y\w*|\w*(label|target)s?", re.IGNORECASE)
_LARGEST = {"argmax", "argsort", "idxmax", "max", "nlargest", "sort", "sorted"}
# What orders classes by their counts, or by when they first appear in the training rows.
_BY_COUNT = {"bincount", "mode", "most_common", "multimode", "value_counts"}
_BY_ROWS = {
    "Counter",
    "defaultdict",
    "drop_duplicates",
    "factorize",
    "fromkeys",
    "setdefault",
}
_SORTED = {"set", "sorted", "unique"}
_SORTING = {"np", "numpy", "jnp", "torch", "cp", "cupy"}

# What is said of a product in single precision, and what a source has that computes so.
_OF_SINGLE = re.compile(r"It gives (.+): there a product of densities in single precision")
_SINGLE = re.compile(r"float(16|32)|single|half|\bf[24]\b|torch|jax|jnp|tensor|\btf\b|cupy")


def as_source_allows(cause: Cause, text: str) -> Cause:
    """Return a cause without what nothing in a source would do.

    Without a narrow type, a bound near that of single precision is where a search starts.
    """
    said = _OF_SINGLE.match(cause.summary)
    if said is None or _SINGLE.search(text):
        return with_tied_class(cause, text)
    name, told = findings.DECISION, said[1]
    summary = variants.WORDS["does"][name].format(words=told)
    remedy = variants.WORDS["remedy"][name]
    return replace(stated(name, cause.explained, summary, remedy, told), kind=cause.kind)


def with_tied_class(cause: Cause, text: str) -> Cause:
    """Return a cause without the classes that nothing in a source would give to ties.

    Labels may fit several; what goes by counts, by rows or backwards has to be written.
    """
    said = _SAID.search(cause.summary)
    if said is None or " or " not in said[1]:
        return cause
    nodes = [*ast.walk(ast.parse(text))]
    is_by_count = any(_counts(node) for node in nodes)
    is_by_rows = any(_keeps_order(node) for node in nodes)
    is_backwards = any(_is_backwards(node) for node in nodes)
    needs = {
        "largest": is_by_count,
        "most frequent": is_by_count,
        "appearance": is_by_rows,
        "last": is_backwards,
        "last to appear": is_backwards and is_by_rows,
    }
    absent = {variants.TIES[rule] for rule, is_written in needs.items() if not is_written}
    left = [words for words in said[1].split(" or ") if words not in absent]
    told = " or ".join(left) or said[1]
    return replace(cause, summary=cause.summary.replace(said[1], told))


def _names(*nodes: ast.AST) -> list[str]:
    return [name for node in nodes for name in map(name_of, ast.walk(node)) if name]


def _counts(node: ast.AST) -> bool:
    """Return whether something may prefer the class with the most rows."""
    match node:
        case ast.Call(func, args, keywords) if name_of(func) in _LARGEST:
            compared = _names(*args, *keywords, getattr(func, "value", func))
        case ast.Compare(ops=[ast.Gt() | ast.GtE() | ast.Lt() | ast.LtE()]):
            compared = _names(node)
        case _:
            return name_of(node) in _BY_COUNT
    is_of_scores = any(map(_SCORES.search, compared))
    return not is_of_scores and any(map(_COUNTS.search, compared))


def _keeps_order(node: ast.AST) -> bool:
    """Return whether something may list classes as they appear in the training rows."""
    match node:
        case ast.Compare(ops=ops):
            return any(isinstance(op, ast.In | ast.NotIn) for op in ops)
        case ast.Attribute(value, "unique"):
            return name_of(value) not in _SORTING
        case ast.For(iter=rows) | ast.comprehension(iter=rows):
            names = _names(rows)
            return any(map(_LABELS.fullmatch, names)) and not _SORTED & {*names}
    return name_of(node) in _BY_ROWS or getattr(node, "arg", "") == "sort"


def _is_backwards(node: ast.AST) -> bool:
    """Return whether something may take the last of several that are the same."""
    match node:
        case ast.Compare(ops=ops):
            return any(isinstance(op, ast.GtE | ast.LtE) for op in ops)
        case ast.Subscript(slice=ast.UnaryOp() | ast.Slice(step=ast.UnaryOp())):
            return True
        case ast.Subscript(slice=key, ctx=ast.Store()):
            return any(map(_SCORES.search, _names(key)))
        case ast.Call(func, args) if name_of(func) in {"append", "dict", "max", "sorted"}:
            pairs = (ast.walk(arg) for arg in args if name_of(func) != "dict")
            return "zip" in _names(*args) or any(
                isinstance(part, ast.Tuple) for part in chain(*pairs)
            )
    return name_of(node) in {"argsort", "pop", "reversed"} or (
        getattr(node, "arg", "") == "reverse"
    )

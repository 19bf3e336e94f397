"""What a source file defines, and what of it is a script: read, not run."""

import ast
from collections.abc import Iterable, Iterator

# What makes names of a module that its source does not spell out.
_DYNAMIC = {"__getattr__", "exec", "globals", "locals", "modules", "setattr", "vars"}
# Calls of these do no more than compute, or set up what follows ...
_HARMLESS = {
    *(
        "np",
        "numpy",
        "math",
        "namedtuple",
        "TypeVar",
        "range",
        "len",
        "list",
        "tuple",
        "dict",
    ),
    *(
        "set",
        "frozenset",
        "float",
        "int",
        "str",
        "bool",
        "abs",
        "min",
        "max",
        "sum",
        "sorted",
    ),
    *("round", "zip", "enumerate", "map", "partial", "object", "sys", "os", "warnings"),
    *("Path", "pathlib", "logging", "random", "collections", "functools", "typing"),
}
# ... unless they are called one of these.
_ACTS = {
    *("load", "loadtxt", "genfromtxt", "fromfile", "memmap", "save", "savetxt", "savez"),
    *("system", "popen", "exit", "_exit", "abort", "kill", "read", "readline", "read_text"),
    *("read_bytes", "write", "write_text", "open", "mkdir", "makedirs", "remove", "unlink"),
    *("chdir", "walk", "listdir", "execv", "fork", "basicConfig", "info"),
}
_DEFINITIONS = (
    ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom
)
_TESTS_ITSELF = "__name__"


def without_script(tree: ast.Module, wanted: str = "") -> list[tuple[int, int]]:
    """Take the script part out of a module; return its lines, first and last of each piece.

    Imports, definitions and what computes constants stay, and whatever the definitions, or
    the name that is wanted, cannot be made without.
    """
    if wanted and wanted not in set(defined(tree)) and is_dynamic(tree):
        return []
    kept = _supported([node for node in tree.body if _is_definition(node)], tree.body)
    needed = {wanted, *_needed(node for node in tree.body if id(node) in kept)}
    while more := [
        node for node in tree.body if id(node) not in kept and needed & set(_bound(node))
    ]:
        kept |= {id(node) for node in more}
        needed |= {name for node in more for name in _loaded(node)}
    dropped = [node for node in tree.body if id(node) not in kept and not _is_main(node)]
    tree.body = [node for node in tree.body if id(node) in kept]
    pieces: list[tuple[int, int]] = []
    for node in dropped:
        first, last = node.lineno, node.end_lineno or node.lineno
        if pieces and not any(pieces[-1][1] < kept.lineno < first for kept in tree.body):
            pieces[-1] = (pieces[-1][0], last)
        else:
            pieces.append((first, last))
    return pieces


def _supported(nodes: list[ast.stmt], body: list[ast.stmt]) -> set[int]:
    """Return which statements stay: those that do not rest on what the script assigns."""
    while True:
        kept = {id(node) for node in nodes}
        bound = {name for node in nodes for name in _bound(node)}
        script = {name for node in body if id(node) not in kept for name in _bound(node)}
        missing = script - bound
        left = [
            node
            for node in nodes
            if isinstance(node, _DEFINITIONS) or not missing & set(_loaded(node))
        ]
        if len(left) == len(nodes):
            return kept
        nodes = left


def left_out(pieces: list[tuple[int, int]]) -> str:
    """Return the sentence on the lines that were left out; empty where there are none."""
    if not pieces:
        return ""
    if len(pieces) > 3:
        first, last = pieces[0][0], pieces[-1][1]
        return f"the script between lines {first} and {last} was left out"
    texts = [f"{a} to {b}" if b > a else f"{a}" for a, b in pieces]
    is_one = len(pieces) == 1 and pieces[0][0] == pieces[0][1]
    lines = " and ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))
    return f"the script in line{'' if is_one else 's'} {lines} was left out"


def _is_definition(node: ast.stmt) -> bool:
    """Tell whether a statement defines, imports or computes, and does nothing else."""
    if isinstance(node, _DEFINITIONS | ast.Pass | ast.Global):
        return True
    if isinstance(node, ast.If):
        parts: list[ast.stmt] = [*node.body, *node.orelse]
        return (
            not _is_main(node) and _computes(node.test) and all(map(_is_definition, parts))
        )
    if isinstance(node, ast.Try):
        handled = [inner for handler in node.handlers for inner in handler.body]
        parts = [*node.body, *handled, *node.orelse, *node.finalbody]
        return all(map(_is_definition, parts))
    if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr):
        return node.value is None or _computes(node.value)
    return isinstance(node, ast.Delete | ast.Assert) and _computes(node)


def _is_main(node: ast.stmt) -> bool:
    """Tell whether it is ``if __name__ == "__main__"``, which no import runs."""
    return isinstance(node, ast.If) and _TESTS_ITSELF in set(_loaded(node.test))


def _computes(given: ast.AST) -> bool:
    """Tell whether an expression calls nothing but what is known to compute."""
    return all(
        _is_harmless(node.func) for node in _walked(given) if isinstance(node, ast.Call)
    ) and not any(isinstance(node, ast.Await | ast.Yield) for node in ast.walk(given))


def _walked(given: ast.AST) -> Iterator[ast.AST]:
    """Yield all nodes but those of lambdas, which are not run."""
    if not isinstance(given, ast.Lambda):
        yield given
        for node in ast.iter_child_nodes(given):
            yield from _walked(node)


def _is_harmless(called: ast.expr) -> bool:
    if isinstance(called, ast.Attribute) and called.attr in _ACTS:
        return False
    root: ast.expr = called
    while isinstance(root, ast.Attribute | ast.Call | ast.Subscript):
        root = root.func if isinstance(root, ast.Call) else root.value
    return isinstance(
        root, ast.Constant | ast.List | ast.Dict | ast.ListComp | ast.BinOp
    ) or (isinstance(root, ast.Name) and root.id in _HARMLESS)


def _needed(nodes: Iterable[ast.stmt]) -> Iterator[str]:
    """Yield what must be there to define functions and classes: bases, defaults, ..."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from (name for part in node.decorator_list for name in _loaded(part))
            yield from (name for part in node.args.defaults for name in _loaded(part))
        elif isinstance(node, ast.ClassDef):
            for base in (*node.decorator_list, *node.bases, *node.keywords):
                yield from _loaded(base)
            yield from _needed(node.body)
            for inner in node.body:
                yield from () if isinstance(inner, _DEFINITIONS) else _loaded(inner)


def _loaded(given: ast.AST) -> Iterator[str]:
    for node in ast.walk(given):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id


def _bound(node: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement of a script binds."""
    module = ast.Module(body=[node], type_ignores=[])
    if not _is_main(node):
        yield from defined(module)


def defined(tree: ast.AST) -> Iterator[str]:
    """Yield the names that a module binds, in whatever branch of its own code."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.alias):
            yield node.asname or node.name.partition(".")[0]
        yield from defined(node)


def is_dynamic(tree: ast.Module) -> bool:
    """Tell whether a module may have names that `defined` does not see."""
    return any(
        (isinstance(node, ast.Name) and node.id in _DYNAMIC)
        or (isinstance(node, ast.Attribute) and node.attr in _DYNAMIC)
        or (isinstance(node, ast.FunctionDef) and node.name in _DYNAMIC)
        or (isinstance(node, ast.alias) and node.name == "*")
        or isinstance(node, ast.Global)
        for node in ast.walk(tree)
    )

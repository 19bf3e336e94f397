"""Origin files: those of a folder, and their definitions apart from the script part."""

import ast
import builtins
import collections
import contextlib
import copy
import json
import os
import re
import symtable
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gnbbench.errors import OptionError
from gnbbench.files import content_of, toml_beside
from gnbbench.words import listing

# Lists of words by name; ``vocabulary.toml`` explains each.
LISTS: dict[str, list[str]] = {
    name: words.split() for name, words in toml_beside(__file__, "vocabulary.toml").items()
}
_DYNAMIC, _HARMLESS, ACTS, _ASKED_FOR = (
    set(LISTS[kind]) for kind in ("dynamic", "harmless", "acts", "asked_for")
)
FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef
DEFINITIONS = FUNCTION | ast.ClassDef | ast.Import | ast.ImportFrom

KEEPING_ABSENT = "__gnbbench_absent__"  # Makes the placeholders of failed imports
_OF_METHODS = {"staticmethod", "classmethod", "property"}
RUN = "__ran__"  # Takes the first line of a piece that runs
# What is lost with an import -> the list of a module that names it.
LOST = {"class": "__lost__", "function": "__lost_functions__"}
# Statements that compute, if what is in them does.
_COMPUTING = (
    *(ast.If, ast.For, ast.While, ast.Try, ast.Assign, ast.AugAssign, ast.AnnAssign),
    *(ast.Expr, ast.Delete, ast.Assert),
)
_LITERALS = ast.Constant | ast.List | ast.Tuple | ast.Dict | ast.UnaryOp
# Methods that fill a container without binding it.
FILLING = {"append", "extend", "insert", "add", "update", "setdefault"}
SUFFIXES = (".py", ".ipynb")
NOTEBOOK = SUFFIXES[1]
SAYS_BAYES = re.compile(r"(?i:bayes|gnb|gauss)|NB|(?:^|_)nb")
CELL = "# code cell "  # And its number, in a line above its code
# Folders of generated or installed files.
_FOLDERS = {"__pycache__", "node_modules", "site-packages", "__MACOSX", "build", "dist"}
_TESTS = {"test", "tests"}
# Other files that may hold homework -> why they are not read.
_UNREAD = {
    **dict.fromkeys((".zip", ".rar", ".7z", ".gz", ".tar"), "an archive: unpack it"),
    **dict.fromkeys((".r", ".m", ".jl", ".java", ".c", ".cpp"), "not Python"),
}
# Commands that IPython takes without a sign before them.
_COMMAND = re.compile(
    r"(?:autoreload|cd|cls|clear|conda|load_ext|ls|matplotlib|pip3?|pwd|reload_ext|reset)"
    r"(\s+(?![-+*/%@&|^<>=!]*=)[-\w./~].*)?"
)
_SET_UP = {"setup.py", "conftest.py", "noxfile.py", "manage.py"}
# In a package initialiser
_MODEL = re.compile(rb"\bdef \w*(fit|predict|train|classif)|\bclass \w*(Bayes|Classif)")


def source_in(notebook: bytes) -> str:
    """Join the code cells of a notebook, each below a line with its number."""
    cells = [c for c in json.loads(notebook)["cells"] if c["cell_type"] == "code"]
    texts = map(_python, (_dedented("".join(cell["source"])) for cell in cells))
    return "\n".join(f"{CELL}{i}\n{text}" for i, text in enumerate(texts, 1))


def _dedented(cell: str) -> str:
    """Return a cell without the indentation of its first line, as notebooks run it."""
    (indent,) = re.findall(r"\A\s*?([ \t]*)(?=\S|\Z)", cell)
    return re.sub(rf"(?m)^{indent}", "", cell) if indent else cell


def without_magics(script: bytes) -> bytes:
    """Return a script without the lines that IPython alone understands, if it has any."""
    if not re.search(rb"(?m)^[ \t]*[%!]", script):
        return script
    with contextlib.suppress(UnicodeDecodeError):
        return _python(script.decode()).encode()
    return script


def _python(cell: str) -> str:
    """Return a cell without the lines that only a notebook understands."""
    with contextlib.suppress(SyntaxError):
        alone = {n.lineno for n in ast.parse(cell).body if isinstance(n, ast.Expr)}
        numbered = enumerate(cell.split("\n"), 1)
        return "\n".join(
            "pass" if i in alone and _COMMAND.fullmatch(t) else t for i, t in numbered
        )
    lines = cell.splitlines()
    if cell.startswith("%%") and not cell.startswith(("%%time", "%%capture")):
        return "\n" * (len(lines) - 1)  # it is in another language
    signs = re.compile(rf"^(\s*)([%!?].*|\S+\?|{_COMMAND.pattern})$")
    return "\n".join(signs.sub(r"\1pass", line) for line in lines)


def without_script(tree: ast.Module, wanted: str = "") -> list[tuple[int, int]]:
    """Remove the script part of a module; return the first and last line of each piece.

    Imports, definitions and computed constants stay, and whatever the definitions or the
    wanted name need.
    """
    if wanted and wanted not in set(defined(tree)) and is_dynamic(tree):
        return []
    kept = _supported(tree.body)
    stays = [node for node in tree.body if node in kept]
    _require_what_the_script_gives(stays, {*dir(builtins)}.union(*map(_bound, stays)))
    needed = {wanted}.union(*(loaded(n) for n in stays if isinstance(n, DEFINITIONS)))
    free = {node for node in tree.body if not is_main(node)}
    while more := {node for node in free - kept if needed & bound_or_filled(node)}:
        kept |= more
        needed = needed.union(*map(loaded, more))
    stays = [node for node in tree.body if node in kept]
    known = {*dir(builtins)}.union(*map(_bound, stays))
    lifted = [
        inner
        for node in tree.body
        if node not in kept or isinstance(node, ast.FunctionDef)
        for inner in _inside(node, known)
    ]
    tree.body = sorted([*stays, *lifted], key=lambda node: node.lineno)
    lines = set[int]().union(*map(_lines, free - kept)) - set().union(*map(_lines, lifted))
    pieces: list[tuple[int, int]] = []
    for line in sorted(lines):
        if pieces and not any(pieces[-1][1] < kept.lineno < line for kept in tree.body):
            pieces[-1] = (pieces[-1][0], line)
        else:
            pieces.append((line, line))
    return pieces


def _lines(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _require_what_the_script_gives(stays: list[ast.stmt], known: set[str]) -> None:
    """Let functions require what is the script's by default: predict(row, y=y).

    The first defaults go, so that those that follow are valid.
    """
    for node in stays:
        defaults = node.args.defaults if isinstance(node, ast.FunctionDef) else []
        while defaults and isinstance(node, ast.FunctionDef):
            name = node.args.args[-len(defaults)].arg
            if name in known or getattr(defaults[0], "id", "") != name:
                break
            del defaults[0]


def _inside(node: ast.stmt, known: set[str]) -> list[ast.stmt]:
    """Return definitions within a function, loop or the like that need nothing of it."""
    found: dict[str, ast.stmt] = {}
    waiting = [] if isinstance(node, ast.ClassDef) else [*ast.iter_child_nodes(node)]
    own = set[str]()
    if isinstance(node, ast.FunctionDef):
        taken = {part.arg for part in ast.walk(node.args) if isinstance(part, ast.arg)}
        own = taken | {*defined(node)}
    while waiting:
        inner = waiting.pop(0)
        if not isinstance(inner, ast.FunctionDef | ast.ClassDef):
            waiting += [] if isinstance(inner, ast.expr) else ast.iter_child_nodes(inner)
        elif own & from_outside(inner):
            continue
        elif inner.name not in known and loaded(inner) - {*defined(inner)} <= known:
            found.setdefault(inner.name, inner)
    return [*found.values()]


def from_outside(definition: ast.stmt) -> set[str]:
    """Return the names that a definition takes from where it stands."""
    tables = [symtable.symtable(ast.unparse(definition), "", "exec")]
    names = set[str]()
    for table in tables:
        tables += table.get_children()
        known = table.get_symbols() if table.get_type() != "module" else []
        names |= {symbol.get_name() for symbol in known if symbol.is_global()}
    return names - {getattr(definition, "name", "")}


class Origin(NamedTuple):
    """Where an argument comes from: a call, a part of its result, its name or literal."""

    call: "Call | None"
    part: str
    name: str


class Call(NamedTuple):
    """A call by name, or of a method of what a class made: Class.method."""

    name: str
    args: tuple[Origin, ...]
    named: dict[str, Origin]


def calls_in(tree: ast.Module) -> tuple[list[Call], dict[str, Origin]]:
    """Return the calls of a module and its functions, and what its names stand for.

    A name that is not bound in a function stands for what it is elsewhere in the file.
    """
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    scopes: list[ast.Module | ast.FunctionDef] = [tree, *functions]
    elsewhere: dict[str, Origin] = {}
    for scope in scopes[::-1]:
        inner: dict[str, Origin] = {}
        collections.deque(_calls_of(scope.body, inner), maxlen=0)
        # What a call made says more than what is filled.
        elsewhere |= {
            n: made for n, made in inner.items() if made.call or n not in elsewhere
        }
    calls = [call for scope in scopes for call in _calls_of(scope.body, {**elsewhere})]
    return calls, elsewhere


def _calls_of(body: Iterable[ast.AST], known: dict[str, Origin]) -> Iterator[Call]:
    """Yield the calls of statements in turn, and keep what their names stand for."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        if isinstance(node, ast.Call) and (call := _origin(node, known).call):
            yield call
        yield from _calls_of(ast.iter_child_nodes(node), known)
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            _bind(node.targets[0], node.value, known)


def _bind(target: ast.expr, value: ast.expr, known: dict[str, Origin]) -> None:
    if isinstance(target, ast.Name):
        made = _origin(value, known)._replace(name=target.id)
        # What is read back from a file is what was kept there.
        is_back = re.search(r"pickle|joblib|\.pkl\b", ast.unparse(value))
        known[target.id] = known.get(target.id, made) if is_back else made
    elif isinstance(target, ast.Tuple):
        made = _origin(value, known)
        for place, item in enumerate(target.elts):
            if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts):
                _bind(item, value.elts[place], known)
            elif isinstance(item, ast.Name):
                known[item.id] = Origin(made.call, str(place), item.id)


def _origin(node: ast.expr, known: Mapping[str, Origin]) -> Origin:
    """Return what an expression stands for, as far as calls and names show it."""
    if isinstance(node, ast.Name):
        return known.get(node.id, Origin(None, "", node.id))
    if isinstance(node, ast.Subscript | ast.Starred | ast.Attribute):
        held = _origin(node.value, known)
        part = getattr(node, "slice", None)
        if isinstance(part, ast.Constant) and held.call and not held.part:
            return Origin(held.call, str(part.value), held.name)
        return held if isinstance(node, ast.Subscript) else Origin(None, "", held.name)
    if not isinstance(node, ast.Call):
        return Origin(None, "", ast.unparse(node) if isinstance(node, _LITERALS) else "")
    name = getattr(node.func, "id", "")
    if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        made = known[node.func.value.id].call if node.func.value.id in known else None
        name = f"{made.name}.{node.func.attr}" if made else ""
    args = tuple(_origin(arg, known) for arg in node.args)
    named = {k.arg or "**": _origin(k.value, known) for k in node.keywords}
    return Origin(Call(name, args, named) if name else None, "", "")


def mark(tree: ast.AST) -> None:
    """Let each piece of the functions tell its first line when it runs.

    What a decorator may compile, such as one of Numba, stays as it is.
    """
    for node in ast.walk(tree):
        decorators = {getattr(d, "id", "") for d in getattr(node, "decorator_list", ())}
        if isinstance(node, FUNCTION) and decorators <= _OF_METHODS:
            for block in blocks(node):
                _mark_block(block)


def _mark_block(block: list[ast.stmt]) -> None:
    marked: list[ast.stmt] = []
    for piece in pieces(block):
        for inner in blocks(piece[-1]):
            if not isinstance(piece[-1], DEFINITIONS):
                _mark_block(inner)
        is_text = isinstance(getattr(piece[0], "value", None), ast.Constant)
        text = piece[: is_text and isinstance(piece[0], ast.Expr)]
        call = ast.parse(f"{RUN}({piece[0].lineno})").body[0]
        for part in ast.walk(call):
            ast.copy_location(part, piece[0])
        marked += [*text, call, *piece[len(text) :]]
    block[:] = marked


def blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """Yield the blocks of a compound statement."""
    for name in ("body", "orelse", "finalbody"):
        if block := getattr(node, name, []):
            yield block
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield part.body


def pieces(block: Sequence[ast.stmt]) -> Iterator[list[ast.stmt]]:
    """Yield the pieces of a block that run as a whole: up to compound statements."""
    piece: list[ast.stmt] = []
    for node in block:
        piece.append(node)
        if any(blocks(node)) and not isinstance(node, DEFINITIONS):
            yield piece
            piece = []
    if piece:
        yield piece


def keep_absent_imports(tree: ast.Module) -> None:
    """Let a failed import bind placeholders, which raise the error when they are used.

    ``import *`` stands for all names that nothing else binds. What is made with such a
    name, a class or a decorated function, is a placeholder as well, unless it says Bayes;
    so is what a statement binds that reads such a name.
    """
    unbound, absent = _unbound(tree), set[str]()
    tree.body = [part for node in tree.body for part in _one_by_one(node)]
    for place, node in enumerate(tree.body):
        is_definition = isinstance(node, DEFINITIONS)
        reads = _made_from(node) if is_definition else loaded(node)
        is_lost = not absent.isdisjoint(reads)
        is_lost = is_lost and not SAYS_BAYES.search(getattr(node, "name", ""))
        is_import = isinstance(node, ast.Import | ast.ImportFrom)
        if getattr(node, "module", "") == "__future__" or not (is_import or is_lost):
            continue
        what = "class" if isinstance(node, ast.ClassDef) else "function"
        names, kind = _bound(node), what if is_lost and is_definition else "import"
        if "*" in names:
            names, kind = unbound, "star"
        absent |= names
        call = f"{KEEPING_ABSENT}(_error, globals(), {sorted(names)}, {kind!r})"
        guarded = ast.parse(f"try: pass\nexcept ImportError as _error: {call}").body[0]
        assert isinstance(guarded, ast.Try)  # noqa: S101
        for inner in ast.walk(guarded):
            ast.copy_location(inner, node)
        guarded.body = [node]
        tree.body[place] = guarded


def _one_by_one(node: ast.stmt) -> list[ast.stmt]:
    """Split an import of several names, some of which may be absent."""
    if not isinstance(node, ast.Import | ast.ImportFrom):
        return [node]
    parts = [copy.copy(node) for _ in node.names]
    for part, alias in zip(parts, node.names, strict=True):
        part.names = [alias]
    return [*parts]


def _made_from(node: ast.stmt) -> set[str]:
    """Return the names that a class or function is made from."""
    parts: list[ast.expr] = []
    if isinstance(node, ast.ClassDef):
        parts = [*node.bases, *node.decorator_list]
    elif isinstance(node, ast.FunctionDef):
        parts = [*node.args.defaults, *node.decorator_list]
    return {n.id for part in parts for n in ast.walk(part) if isinstance(n, ast.Name)}


def _unbound(tree: ast.Module) -> set[str]:
    """Return the names that a module reads and that it binds nowhere."""
    nodes = [*ast.walk(tree)]
    names = [node for node in nodes if isinstance(node, ast.Name)]
    bound = {node.id for node in names if not isinstance(node.ctx, ast.Load)}
    bound |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    bound |= {node.name or "" for node in nodes if isinstance(node, ast.ExceptHandler)}
    return {node.id for node in names} - bound - set(defined(tree)) - {*dir(builtins)}


def _supported(body: list[ast.stmt]) -> set[ast.stmt]:
    """Return the statements that do not depend on assignments of the script."""
    kept = set[ast.stmt]()
    lost: set[str] = set()
    for node in body:
        stays = _is_definition(node) and not lost & loaded(node)
        if stays or isinstance(node, DEFINITIONS):
            kept.add(node)
            lost -= _bound(node)
        else:
            lost |= bound_or_filled(node)
    return kept


def bound_or_filled(node: ast.stmt) -> set[str]:
    """Return the names that a statement binds, and those of containers that it fills."""
    return _bound(node) | _filled(node)


def _filled(node: ast.stmt) -> set[str]:
    """Return the names of the containers that a statement fills."""
    held = (
        inner.value
        for inner in ast.walk(node)
        if (isinstance(inner, ast.Attribute) and inner.attr in FILLING)
        or (isinstance(inner, ast.Subscript) and isinstance(inner.ctx, ast.Store))
    )
    names = {name.id for name in held if isinstance(name, ast.Name)}
    return names - _HARMLESS  # As np.append is


def left_out(pieces: list[tuple[int, int]]) -> str:
    """Return the sentence on the lines that were left out; empty if there are none."""
    if not pieces:
        return ""
    if len(pieces) > 3:
        first, last = pieces[0][0], pieces[-1][1]
        return f"the script between lines {first} and {last} was left out"
    texts = [f"{a} to {b}" if b > a else f"{a}" for a, b in pieces]
    is_one = len(pieces) == 1 and pieces[0][0] == pieces[0][1]
    return f"the script in line{'' if is_one else 's'} {listing(texts)} was left out"


def _is_definition(node: ast.stmt) -> bool:
    """Return whether a statement only defines, imports or computes."""
    if isinstance(node, DEFINITIONS | ast.Pass | ast.Global):
        return True
    own = (part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr))
    inner = (part for block in blocks(node) for part in block)
    is_known = isinstance(node, _COMPUTING) and not is_main(node)
    return is_known and all(map(_computes, own)) and all(map(_is_definition, inner))


def is_main(node: ast.stmt) -> bool:
    """Return whether it is ``if __name__ == "__main__"``, which no import runs."""
    return isinstance(node, ast.If) and "__name__" in loaded(node.test)


def _computes(tree: ast.AST) -> bool:
    """Return whether an expression only calls what is known to compute."""
    return not any(
        isinstance(node, ast.Await | ast.Yield)
        or {getattr(node, "id", ""), getattr(node, "attr", "")} & _ASKED_FOR
        or (isinstance(node, ast.Call) and not _is_harmless(node.func))
        for node in _run(tree)
    )


def _run(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that run with a statement, without the bodies of functions."""
    yield tree
    inner = ast.iter_child_nodes(tree)
    if isinstance(tree, FUNCTION):
        inner = iter([*tree.decorator_list, *tree.args.defaults])
    for node in () if isinstance(tree, ast.Lambda) else inner:
        yield from _run(node)


def _is_harmless(called: ast.expr) -> bool:
    name = called.attr if isinstance(called, ast.Attribute) else ""
    if name in FILLING or name.startswith("is_"):
        return True
    if name in ACTS:
        return False
    root: ast.expr = called
    while isinstance(root, ast.Attribute | ast.Call | ast.Subscript):
        root = root.func if isinstance(root, ast.Call) else root.value
    return isinstance(
        root, ast.Constant | ast.List | ast.Dict | ast.ListComp | ast.BinOp
    ) or (isinstance(root, ast.Name) and root.id in _HARMLESS)


def loaded(tree: ast.AST) -> set[str]:
    """Return the names that a statement needs to run."""
    is_added = isinstance(tree, ast.AugAssign)
    nodes = (node for node in _run(tree) if isinstance(node, ast.Name))
    return {node.id for node in nodes if is_added or isinstance(node.ctx, ast.Load)}


def _bound(node: ast.stmt) -> set[str]:
    """Return the names that a statement of a script binds."""
    module = ast.Module(body=[node], type_ignores=[])
    return set() if is_main(node) else set(defined(module))


def defined(tree: ast.AST) -> Iterator[str]:
    """Yield the names that a module binds, in whatever branch of its own code."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, FUNCTION | ast.ClassDef):
            yield node.name
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.alias):
            yield node.asname or node.name.partition(".")[0]
        yield from defined(node)


def is_dynamic(tree: ast.Module) -> bool:
    """Return whether a module may have names that `defined` does not see."""
    return any(
        isinstance(node, ast.Global)
        or _DYNAMIC & {getattr(node, field, "") for field in ("id", "attr", "name")}
        for node in ast.walk(tree)
    )


def files_in(folder: Path) -> tuple[dict[str, str], dict[str, str]]:
    """Return the files to check by relative path, and why others are skipped.

    Of identical files only the first is checked.
    """
    files: dict[str, str] = {}
    skipped: dict[str, str] = {}
    known: dict[bytes, str] = {}
    for path in _sources(folder):
        name, content = path.relative_to(folder).as_posix(), b""
        reason = _other_task(path.relative_to(folder))
        try:
            content = content_of(path) if path.suffix in SUFFIXES else b""
            is_set_up = path.name == "__init__.py" and not _MODEL.search(content)
            reason = "a package initialiser" if is_set_up else reason
            reason = reason if reason or content.strip() else "empty"
        except OSError:
            reason = "unreadable"
        if content in known and not reason:
            reason = f"the same as {known[content]}"
        if reason:
            skipped[name] = reason
        else:
            known[content] = name
            files[name] = str(path)
    if not files:
        beside = "; ".join(f"{name}: {reason}" for name, reason in skipped.items())
        what = "holds no Python file or notebook"
        what += f" to check ({beside})" if beside else ""
        raise OptionError(str(folder), what, "Give one, or its folder.")
    return files, skipped


def _sources(folder: Path) -> Iterator[Path]:
    """Yield Python files and notebooks outside environments and caches."""
    for place, folders, names in os.walk(folder):
        inner = (Path(place) / name for name in sorted(folders))
        folders[:] = [
            path.name
            for path in inner
            if path.name not in _FOLDERS and path.name[0] != "."
            if not os.path.lexists(path / "pyvenv.cfg")
        ]
        paths = (Path(place) / name for name in sorted(names) if name[0] != ".")
        known = (path for path in paths if path.suffix.lower() in {*SUFFIXES, *_UNREAD})
        # No pipes and devices; a broken link is told.
        yield from (path for path in known if path.is_file() or path.is_symlink())


def _other_task(path: Path) -> str:
    """Return why a file is not an implementation; empty if it may be one."""
    if path.suffix not in SUFFIXES:
        kind = path.suffix.lower()
        return _UNREAD.get(kind, f"rename it to end in {kind}")
    if _TESTS & {*path.parts[:-1], path.stem} or re.match(r"test_|.*_test$", path.stem):
        return "a test"
    return "set-up, not an implementation" if path.name in _SET_UP else ""

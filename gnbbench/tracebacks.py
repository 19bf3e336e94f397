"""Errors of third-party code: where they arose, and hints on them; Ctrl-C."""

import ast
import builtins
import dis
import linecache
import os
import re
import signal
import sys
import tomllib
import traceback
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import suppress
from difflib import get_close_matches
from functools import cache, lru_cache
from importlib.util import find_spec
from inspect import getattr_static
from pathlib import Path
from types import CodeType, TracebackType
from typing import Any

_LONGEST_MESSAGE = 1500  # Characters kept of an error message
# Code here is not the user's: this package, the standard library, installed packages.
_NOT_THE_USERS = tuple(
    f"{place}{os.sep}"
    for place in (
        str(Path(__file__).parent),
        str(Path(linecache.__file__).parent),
        *(path for path in sys.path if path.endswith("-packages")),
    )
)
_LONGEST_LINE = 100

_KNOWN_ERRORS = Path(__file__).with_name("known_errors.toml")
_NAMES = (
    re.compile(r"[Mm]odule '(?P<module>[\w.]+)' has no attribute '(?P<name>\w+)'"),
    re.compile(r"cannot import name '(?P<name>\w+)' from '(?P<module>[\w.]+)'"),
)
_METHOD = re.compile(
    r"'(?:(?P<array>numpy\.\w+)|DataFrame|Series|\w*Index|\w*GroupBy)' object has no "
    r"attribute '(?P<name>\w+)'"
)


@cache
def _known() -> dict[str, Any]:
    """Load the hints on known errors."""
    return tomllib.loads(_KNOWN_ERRORS.read_text(encoding="utf-8"))


def described(error: BaseException) -> str:
    """Return an error's class, message and location in the user's code on one line."""
    if type(error).__module__.startswith(f"{__package__}."):
        return cause_of(error)
    mark = ": " if cause_of(error) else " "
    return mark.join(filter(None, (type(error).__name__, explained(error))))


def raised(method: str, error: BaseException) -> str:
    """Say on one line what a method raises, or what is wrong with its answer."""
    text = described(error)
    if not text.startswith("`"):
        return f"`{method}` raises {text}"
    return text.partition(". ")[0].replace("`: ", "` ", 1)


def explained(error: BaseException) -> str:
    """Return the message of an error, with the line of the user's code and a hint."""
    what, place = cause_of(error), place_of(error)
    file, line, text = place or ("", None, "")
    hint = _undefined(what, file, is_loaded=True, line=line or 0)
    hint = hint or (_not_made(what, file) if isinstance(error, AttributeError) else "")
    hint = hint or (_not_given(text, file) if "'NoneType'" in what else "")
    hint = hint or (hint_on(type(error).__name__, what, text, file) if place else "")
    hint = hint or _made_by(what, text, file) or _opened(error) or _sized(what, file)
    hint = hint or _across(what, file) or _counted(what, line, file)
    hint = hint or _shared(file, _empty_lists(error, text))
    hint = hint or ("" if what else _raised_if(line, file))
    where = f"{Path(file).name}, {line_in(file, line)}: {text}" if place else ""
    notes = "; ".join(filter(None, (where, hint)))
    if hint:  # More helpful than a long message
        what = what.partition(". ")[0]
    return " ".join(filter(None, (what, f"({notes})" if notes else "")))


# What has names of its own.
_SCOPES = (
    ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda | ast.comprehension
) | ast.ImportFrom


def _undefined(message: str, file: str, *, is_loaded: bool = False, line: int = 0) -> str:
    """Return which line defines an undefined name in a script, or imports it in vain.

    Or how an object keeps it, in whose class it was read without self.
    """
    found = re.match(r"name '(\w+)' is not defined", message)
    with suppress(SyntaxError, ValueError, RecursionError, ImportError):
        waiting: list[ast.AST] = [_tree("".join(linecache.getlines(file)))] if found else []
        while found and waiting:
            match node := waiting.pop(0):
                case ast.alias(of, to) if found[1] == (to or of) and not find_spec(of):
                    where = f"{line_in(file, node.lineno)} imports it, and fails"
                    return f"{where}: {installing(of)}"
                case ast.Name(id=name, ctx=ast.Store()) if is_loaded and name == found[1]:
                    where = f"{line_in(file, node.lineno)} defines it, in the script"
                    return f"{where}, which was left out: let a function compute it"
                case ast.ClassDef(body=body) if is_loaded and found[1] in {
                    getattr(method, "name", "") for method in body
                }:
                    return f"it is a method of {node.name}: write self.{found[1]}"
                case ast.ClassDef() if node.lineno <= line <= (node.end_lineno or 0):
                    if found[1] in _kept_by(node):
                        return f"{node.name} keeps it in self.{found[1]}: write that"
            if not isinstance(node, _SCOPES):
                waiting += ast.iter_child_nodes(node)
    parts = [*_nodes(file)] if found and is_loaded else []
    functions = (n for n in parts if isinstance(n, ast.FunctionDef))
    others = (n for n in functions if not n.lineno <= line <= (n.end_lineno or 0))
    local = {part for other in others for part in ast.walk(other)}
    parts = [part for part in parts if part not in local]
    bound = {
        n.id for n in parts if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    bound |= {n.arg for n in parts if isinstance(n, ast.arg)} | {*dir(builtins)}
    meant = get_close_matches(found[1], bound - {found[1]}, 1, 0.75) if found else []
    return f"did you mean {meant[0]}?" if meant and parts else ""


def _kept_by(node: ast.AST) -> set[str]:
    """Return the attributes that a class or method sets."""
    parts = (n for n in ast.walk(node) if isinstance(n, ast.Attribute))
    return {part.attr for part in parts if isinstance(part.ctx, ast.Store)}


# As people write __init__.
_OF_INIT = re.compile(r"_*(init|int|inti|ini)_*")
_GROWS = {"append", "extend", "insert"}


@lru_cache(4)
def _tree(source: str) -> ast.Module:
    """Return a source's syntax tree, which each hint on an error reads."""
    return ast.parse(source)


def _nodes(file: str) -> Iterator[ast.AST]:
    """Yield all parts of a file's syntax tree; none if it cannot be read."""
    with suppress(SyntaxError, ValueError, RecursionError):
        yield from ast.walk(_tree("".join(linecache.getlines(file))))


def _not_made(message: str, file: str) -> str:
    """Return which method sets an attribute that is missing, if it is no __init__."""
    missing = re.match(r"'\w+' object has no attribute '(\w+)'", message)
    for method in _nodes(file) if missing else ():
        if not isinstance(method, ast.FunctionDef) or method.name == "__init__":
            continue
        is_init = _OF_INIT.fullmatch(method.name)
        if missing and is_init and missing[1] in _kept_by(method):
            where = line_in(file, method.lineno)
            return f"`{method.name}` in {where} sets it: name that `__init__`"
    return ""


def _not_given(line: str, file: str) -> str:
    """Return which parameter of a constructor that a line reads is None by default."""
    for node in _nodes(file):
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            taken, defaults = node.args.args[::-1], node.args.defaults[::-1]
            for taking, default in zip(taken, defaults, strict=False):
                is_none = getattr(default, "value", 0) is None
                if is_none and re.search(rf"\bself\.{taking.arg}\b", line):
                    return f"its constructor's `{taking.arg}` is None unless given"
    return ""


def _counted(message: str, line: int | None, file: str) -> str:
    """Return which range of a fixed number, around a line, goes past what there is."""
    past = re.match(r"index \d+ is out of bounds for axis \d with size (\d+)", message)
    size = int(past[1]) if past else sys.maxsize
    for node in _nodes(file) if past and line else ():
        loops = [node] if isinstance(node, ast.For) else getattr(node, "generators", [])
        if not loops or not node.lineno <= line <= node.end_lineno:  # type: ignore[attr-defined]
            continue
        for loop in loops:
            match loop.iter:
                case ast.Call(ast.Name("range"), [ast.Constant(int(n))]) if n > size:
                    where = f"range({n}) in {line_in(file, loop.iter.lineno)} goes past "
                    return f"{where}the {size} that there are: write range(len(...))"
    return ""


def _made_by(message: str, line: str, file: str) -> str:
    """Return which function makes the dictionary that a line wants in place of an array."""
    is_array = re.search(r"'(numpy.ndarray|list)' .* '(items|keys|values|get)'", message)
    wanted = re.search(r"\b(\w+)\.(items|keys|values|get)\b", line) if is_array else None
    for node in _nodes(file) if wanted else ():
        match node:
            case ast.Assign([ast.Name(name)], ast.Call(ast.Name(maker))) if (
                wanted and name == wanted[1] and maker != "dict"
            ):
                makes = f"{line_in(file, node.lineno)} makes `{name}` with {maker}"
                return f"{makes}: write fit(X, y), which does so, and predict(X)"
    return ""


def _raised_if(line: int | None, file: str) -> str:
    """Return the condition on which a line raises an error without a message."""
    for node in (node for node in _nodes(file) if isinstance(node, ast.If)):
        if any(isinstance(part, ast.Raise) and part.lineno == line for part in node.body):
            return f"it does so if {excerpt(ast.unparse(node.test))}"
    return ""


_READERS = {"genfromtxt", "loadtxt", "open", "read_csv", "read_table"}
_MADE_FULL = {"array", "empty", "full", "ones", "zeros"}


def _sized(message: str, file: str) -> str:
    """Return which array of a written size does not fit the others in a message."""
    wrong = re.search(r"has size (\d+) and .* has size (\d+)", message) or re.search(
        r"shapes? \((?:\d+,)?(\d+),?\) (?:into shape )?\((?:\d+,)?(\d+),?\)", message
    )
    sizes = {*wrong.groups()} if wrong and wrong[1] != wrong[2] else set()
    functions = (n for n in _nodes(file) if sizes and isinstance(n, ast.FunctionDef))
    for node in (node for function in functions for node in ast.walk(function)):
        match node:
            case ast.Subscript(slice=ast.Tuple([ast.Slice(), ast.Slice(upper=size)])):
                written = _last_number(size) if size else 0
            case ast.Call(ast.Attribute(attr=name), [size, *_]) if name in _MADE_FULL:
                written = _columns(size) if name == "array" else _last_number(size)
            case _:
                written = 0
        if written > 1 and str(written) in sizes:
            line = getattr(node, "lineno", None)
            where = f"`{excerpt(ast.unparse(node))}` in {line_in(file, line)}"
            has = f"{where} has size {written} whatever the data have"
            return f"{has}: take it from them, such as X.shape[1]"
    return ""


def _across(message: str, file: str) -> str:
    """Return which moment is of each row, if a file takes all along that axis."""
    calls = [n for n in _nodes(file) if "broadcast" in message and isinstance(n, ast.Call)]
    calls = [c for c in calls if getattr(c.func, "attr", "") in {"mean", "std", "var"}]
    along = {c: k.value for c in calls for k in c.keywords if k.arg == "axis"}
    if {*map(ast.unparse, along.values())} != {"1"}:
        return ""
    first = next(iter(along))
    where = f"`{excerpt(ast.unparse(first))}` in {line_in(file, first.lineno)}"
    return f"{where} is of each row: write axis=0 for each feature"


def _last_number(size: ast.expr) -> int:
    """Return the last number of a written size; 0 if it is computed."""
    last = size.elts[-1] if isinstance(size, ast.Tuple | ast.List) and size.elts else size
    number = getattr(last, "value", 0)
    return number if isinstance(number, int) else 0


def _columns(rows: ast.expr) -> int:
    """Return the number of columns of a written table that repeats a number, else 0."""
    while isinstance(rows, ast.List) and len({*map(ast.unparse, rows.elts)}) == 1:
        if isinstance(rows.elts[0], ast.Constant):
            return len(rows.elts)
        rows = rows.elts[0]
    return 0


def _opened(error: BaseException) -> str:
    """Return which parameter a function that an error passed opens as a file."""
    frames = traceback.extract_tb(error.__traceback__)
    passed = {frame.filename: frame.name for frame in frames if _users_line(frame)}
    for file, called in passed.items():
        for taker in (n for n in _nodes(file) if getattr(n, "name", "") == called):
            taken = {n.arg for n in ast.walk(taker) if isinstance(n, ast.arg)}
            for node in ast.walk(taker):
                match node:
                    case ast.Call(
                        ast.Name(reader) | ast.Attribute(attr=reader), [ast.Name(name), *_]
                    ) if reader in _READERS and name in taken:
                        opens = f"{line_in(file, node.lineno)} opens `{name}` as a file"
                        return f"{opens}: let it take the samples and labels themselves"
    return ""


def _empty_lists(error: BaseException, line: str) -> set[str]:
    """Return the empty lists of its object that a line indexes in vain."""
    last = [*_steps(error.__traceback__)][-1:] if isinstance(error, IndexError) else []
    names = re.findall(r"self\.(\w+)\[", line)
    held = {
        n: getattr_static(s.tb_frame.f_locals.get("self"), n, 0)
        for s in last
        for n in names
    }
    return {name for name, value in held.items() if isinstance(value, list) and not value}


def _shared(file: str, empty: set[str]) -> str:
    """Return which list of a class grows with the calls of any of its objects.

    Or which of those found empty is so until a method sets it.
    """
    for kind in (node for node in _nodes(file) if isinstance(node, ast.ClassDef)):
        held = [n for n in kind.body if isinstance(n, ast.Assign)]
        lists = [n.targets[0] for n in held if ast.unparse(n.value) == "[]"]
        parts = [n for n in ast.walk(kind) if isinstance(n, ast.Attribute)]
        grown = {getattr(n.value, "attr", "") for n in parts if n.attr in _GROWS}
        grown -= _kept_by(kind)
        unset = {n.id for n in lists if isinstance(n, ast.Name)} & empty
        for method in kind.body if unset else ():
            if isinstance(method, ast.FunctionDef) and (late := unset & _kept_by(method)):
                return f"its list {min(late)} is empty until `{method.name}` sets it"
        names = [n.id for n in lists if isinstance(n, ast.Name) and n.id in grown]
        if names:
            which = f"all objects of {kind.name} share its list {names[0]}, which keeps"
            return f"{which} what earlier calls added: write self.{names[0]} = [] in fit"
    return ""


def line_in(file: str, line: int | None) -> str:
    """Return the line of a file in words; in a notebook, with its cell."""
    above = linecache.getlines(file)[: line or 0] if file.endswith(".ipynb") else []
    return line_below(above) or f"line {line}"


def line_below(above: Sequence[str]) -> str:
    """Return the cell and line of the last line in words; empty outside notebooks."""
    for distance, text in enumerate(reversed(above)):
        if text.startswith("# code cell "):
            return f"{text[2:].strip()}, line {distance}"
    return ""


def cause_of(error: BaseException) -> str:
    """Return the message of an error on one line, truncated."""
    try:
        return " ".join(str(error)[:_LONGEST_MESSAGE].split())
    except Exception:  # noqa: BLE001  third-party code may raise anything
        return "(its message cannot be shown)"


def place_of(error: BaseException, path: str = "") -> tuple[str, int | None, str] | None:
    """Return file, line number and text of the last line in the user's code or `path`."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        text = _users_line(frame)
        if text or frame.filename == path:
            return frame.filename, frame.lineno, excerpt(text)
    return None


def _users_line(frame: traceback.FrameSummary) -> str:
    """Return the text of a line of the user's code; empty for compiled and other code."""
    if frame.filename.startswith((*_NOT_THE_USERS, "<")):
        return ""
    return linecache.getline(frame.filename, frame.lineno or 0).strip()


def excerpt(line: str) -> str:
    """Return a source line, truncated."""
    text = line.strip()
    return text if len(text) <= _LONGEST_LINE else f"{text[:_LONGEST_LINE]}…"


def steps_passed(error: BaseException) -> tuple[int, ...]:
    """Return how far each call in the user's code got, the outermost first.

    In code that ran before, Python may point behind an instruction, into its cache.
    """
    frames = traceback.extract_tb(error.__traceback__)
    steps: dict[tuple[CodeType, int], int] = {}  # Recursion adds none
    for step, frame in zip(_steps(error.__traceback__), frames, strict=True):
        if _users_line(frame):
            code = step.tb_frame.f_code
            starts = _starts(code)
            at = starts[max(bisect_right(starts, step.tb_lasti) - 1, 0)]
            steps[code, at] = at
    return tuple(steps.values())


@lru_cache(64)
def _starts(code: CodeType) -> list[int]:
    """Return where the instructions of code start, in order."""
    return [instruction.offset for instruction in dis.get_instructions(code)]


def _steps(step: TracebackType | None) -> Iterator[TracebackType]:
    while step is not None:
        yield step
        step = step.tb_next


def hint_on(kind: str, message: str, line: str, file: str = "") -> str:
    """Return a hint on an error in a file, empty if nothing is known about it."""
    if hint := _hint_on_name(message, file) or _undefined(message, file):
        return hint
    for row in _known()["known"]:
        if row["kind"] == kind and re.search(row["pattern"], f"{message} {line}"):
            hint = row["hint"]
            return str(row.get("notebook_hint", hint) if file.endswith(".ipynb") else hint)
    absent = re.match(r"No module named '([\w.]+)'", message)
    if not absent or kind != "ModuleNotFoundError":
        return ""
    if re.match(r"from \.", line):
        return f"its package lacks {absent[1]}: give the file where it lies in its package"
    return missing_module(absent[1])


def _hint_on_name(message: str, file: str) -> str:
    """Return what stands for a name that a library removed; empty if unknown."""
    for match in filter(None, (pattern.search(message) for pattern in _NAMES)):
        module, name = match["module"], match["name"]
        beside = Path(file).with_name(f"{module}.py") if file else None
        origin = getattr(sys.modules.get(module), "__file__", None)
        if beside is not None and beside.is_file() and origin != str(beside):
            return f"{beside.name} beside it has the name of another module: rename it"
        whose = f"{module} no longer has {name}"
        removed = _known()["removed"].get(module, {})
        if module == "numpy":
            whose, removed = f"NumPy no longer has np.{name}", _known()["numpy"]
        is_of_numpy = module == "scipy" and hasattr(sys.modules.get("numpy"), name)
        if instead := removed.get(name, f"np.{name}" if is_of_numpy else ""):
            return f"{whose}: write {instead}"
    method = _METHOD.search(message)
    name, is_array = (method["name"], bool(method["array"])) if method else ("", False)
    instead = _known()["array" if is_array else "pandas"].get(name, "")
    whose = "arrays in NumPy 2 have no " if is_array else "pandas no longer has ."
    return f"{whose}{name}: write {instead}" if instead else ""


def missing_module(name: str) -> str:
    """Return where a module is now, or how to make it importable."""
    if instead := _known()["moved"].get(name):
        return f"import it from {instead}: {name} was moved"
    if "." in name:  # Its parent was found, or the error would name it
        folder, _, missing = name.rpartition(".")
        for place in getattr(sys.modules.get(folder), "__path__", ()):
            if "-packages" not in place:
                return f"put {missing} into {place}; if it is compiled, build it first"
        return f"the installed {name.partition('.')[0]} has no {name}"
    return installing(name)


def installing(package: str) -> str:
    """Return how to make a module importable: by pip if known, else by PYTHONPATH.

    Unknown names may be absent from the package index, or anybody's.
    """
    pip_name = _known()["distributions"].get(package)
    if pip_name or package in _known()["packages"].split():
        return f"install it: {sys.executable} -m pip install {pip_name or package}"
    how = "if it is your own file or folder: PYTHONPATH=DIR gnbbench ..."
    return f"{how}, where DIR contains {package}"


_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
# Not empty if signals are watched: in commands, and in workers, which get no Ctrl-C.
_watched: list[bool] = []
_received: list[int] = []


def watch_signals() -> None:
    """Let SIGTERM and SIGHUP interrupt a study like Ctrl-C, unless they are ignored."""
    expect_none()
    for name in _SIGNALS:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)


def expect_none() -> None:
    """Attribute a KeyboardInterrupt without a signal to third-party code."""
    _watched.append(True)


def pass_on_interruption(error: BaseException) -> None:
    """Reraise an error if it is an interruption from outside."""
    if isinstance(error, KeyboardInterrupt) and (_received or not _watched):
        raise error


def _interrupt(number: int, _frame: object) -> None:
    _received.append(number)
    raise KeyboardInterrupt

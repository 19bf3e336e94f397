"""A module of others, imported by name or made of a file, and what it holds to compare."""

import ast
import contextlib
import hashlib
import importlib
import importlib.util
import inspect
import io
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import get_close_matches
from importlib.machinery import SourceFileLoader
from importlib.metadata import EntryPoint
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from gnbbench.errors import ImplementationError

_FUNCTION = "fit_predict"
_CONTRACT = (
    "a class with fit and predict, or a function fit_predict(X_train, y_train, X_test)"
)
# Module that a user's file imported from its own folder -> that folder.
_neighbours: dict[str, Path] = {}


def imported(name: str) -> ModuleType:
    """Return the module; what it prints while it is imported is dropped."""
    check_module_name(name)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and f"{name}.".startswith(f"{error.name}."):
            raise absent_module(name, error.name) from error
        raise _fails_on_import(name, error) from error
    except (Exception, SystemExit) as error:
        raise _fails_on_import(name, error) from error


def check_module_name(name: str) -> None:
    """Raise unless a text can be the dotted name of a module."""
    if not all(part.isidentifier() for part in name.split(".")):
        raise ImplementationError(
            name, "is not a module name", "Give package.module:Class or file.py:Class."
        )


def absent_module(name: str, absent: str) -> ImplementationError:
    """Return the error for a module that cannot be found, or for a package it is in."""
    return ImplementationError(
        name,
        f"there is no module '{absent}'",
        "Install it, or give the file: path/to/file.py:Class.",
    )


def announced_object(point: EntryPoint) -> object:
    """Return what the entry point stands for."""
    try:
        found: object = point.load()
    except Exception as error:
        package = point.dist.name if point.dist else "its package"
        raise ImplementationError(
            point.name,
            f"the entry point {point.value} of {package} does not load "
            f"({type(error).__name__}: {error})",
            f"Reinstall {package}, or ask its maintainers.",
        ) from error
    return found


def _fails_on_import(name: str, error: BaseException) -> ImplementationError:
    return ImplementationError(
        name,
        f"raises {type(error).__name__} when it is imported: {error}",
        f"Fix that; for the full traceback: python -c 'import {name}'",
    )


def member(module: ModuleType, where: str, attribute: str) -> Any:
    """Return what a name stands for in a module; without a name, its one candidate."""
    if not attribute:
        return _only_candidate(module, where)
    found: Any = module
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise missing_member(where, part, dir(found), candidates(module))
        found = getattr(found, part)
    return found


def candidates(module: ModuleType) -> list[str]:
    """Return the names of what a module itself defines and a study can compare."""
    defined = {
        name: value
        for name, value in vars(module).items()
        if getattr(value, "__module__", None) == module.__name__ and name[0] != "_"
    }
    classes = [name for name, value in defined.items() if _is_estimator_class(value)]
    functions = [name for name, value in defined.items() if _is_fit_predict(value)]
    named = [name for name in functions if name == _FUNCTION]
    return classes or named or functions


def _only_candidate(module: ModuleType, where: str) -> Any:
    found = candidates(module)
    if not found:
        raise ImplementationError(
            where, f"does not contain {_CONTRACT}", f"Write one, or name it: {where}:NAME"
        )
    if len(found) > 1:
        raise ImplementationError(
            where,
            f"contains several implementations ({', '.join(found)})",
            f"Name one: {where}:{found[0]}",
        )
    return getattr(module, found[0])


def _is_estimator_class(value: Any) -> bool:
    return (
        isinstance(value, type)
        and not inspect.isabstract(value)
        and all(callable(getattr(value, name, None)) for name in ("fit", "predict"))
    )


def _is_fit_predict(value: Any) -> bool:
    """Tell whether a function is called so, or takes (X..., y..., X...)."""
    if not inspect.isfunction(value):
        return False
    names = [name.lower() for name in _required(value)]
    return value.__name__ == _FUNCTION or (
        len(names) == 3 and [name[0] for name in names] == ["x", "y", "x"]
    )


def _required(function: Callable[..., Any]) -> list[str]:
    return [
        name
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.default is parameter.empty
        and parameter.kind is parameter.POSITIONAL_OR_KEYWORD
    ]


def missing_member(
    where: str, part: str, known: Iterable[str], offered: Sequence[str]
) -> ImplementationError:
    """Return the error for a name that a module has not, beside those that it has."""
    names = [name for name in known if not name.startswith("_")]
    guesses = get_close_matches(part, names, n=1, cutoff=0.5) or offered[:1]
    hint = f"Did you mean '{guesses[0]}'?" if guesses else f"Name {_CONTRACT}."
    return ImplementationError(where, f"has no '{part}'", hint)


def module_of(path: Path, digest: str) -> ModuleType:
    """Return the module that a file makes; one of equal digest is loaded once.

    While it loads, its folder comes first in ``sys.path``, as if the file were run;
    afterwards last, for imports that it does later. What it prints meanwhile is dropped.
    """
    path = path.absolute()
    name = f"_gnbbench_file_{hashlib.sha256(f'{path}{digest}'.encode()).hexdigest()[:16]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(
        name, path, loader=_Loader(name, str(path))
    )
    if spec is None or spec.loader is None:
        raise ImplementationError(str(path), "is not a Python file", "Give a file.py.")
    module = importlib.util.module_from_spec(spec)
    # Dataclasses and pickle look a class's module up while it is being made.
    sys.modules[name] = module
    try:
        with _folder_first(path.parent), contextlib.redirect_stdout(io.StringIO()):
            spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise does_not_load(path, error) from error
    return module


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file and of those neighbours that it imports."""
    folder = path.absolute().parent
    found: dict[Path, bytes] = {}
    waiting = [path.absolute()]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found[path] = read_source(path)
            waiting += _imported(path, found[path], folder)
    parts = [
        f"{file.relative_to(folder)} {hashlib.sha256(found[file]).hexdigest()}"
        for file in sorted(found)
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


class _Loader(SourceFileLoader):
    """Reads the source alone: a compiled copy may be that of the file before its edit."""

    def get_code(self, fullname: str) -> CodeType:
        """Return the code of the source as it is now."""
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code


@contextlib.contextmanager
def _folder_first(folder: Path) -> Iterator[None]:
    """Let a file import its neighbours, and not those of an earlier file."""
    for name, home in list(_neighbours.items()):
        if home != folder and any(place.exists() for place in _places(folder, name)):
            sys.modules.pop(name, None)
            del _neighbours[name]
    importlib.invalidate_caches()
    before = set(sys.modules)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        if str(folder) not in sys.path:
            sys.path.append(str(folder))
        for name in set(sys.modules) - before:
            origin = getattr(sys.modules[name], "__file__", None)
            if origin and Path(origin) in _places(folder, name):
                _neighbours[name] = folder


def _places(folder: Path, module: str) -> tuple[Path, Path]:
    """Return the two files of which one would be this module, seen from the folder."""
    base = folder.joinpath(*module.split("."))
    return base.with_name(f"{base.name}.py"), base / "__init__.py"


def _imported(path: Path, source: bytes, folder: Path) -> list[Path]:
    """Return the files in or below the folder that a source imports."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return []
    found = []
    for node in ast.walk(tree):
        home, names = folder, []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            home = path.parents[node.level - 1] if node.level else folder
            base = [node.module] if node.module else []
            names = [".".join([*base, *tail]) for tail in _tails(node)]
        for name in names:
            found += [place for part in _prefixes(name) for place in _places(home, part)]
    return [place for place in found if place.is_file() and place.is_relative_to(folder)]


def _tails(node: ast.ImportFrom) -> list[list[str]]:
    """Return what may follow the module's name: each imported name may be a module."""
    tails = [[alias.name] for alias in node.names if alias.name != "*"]
    return [[], *tails] if node.module else tails


def _prefixes(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[: count + 1]) for count in range(len(parts))]


def read_source(path: Path) -> bytes:
    """Return what is in a file, or raise in words for the user."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise ImplementationError(
            str(path),
            "cannot be read: " + (error.strerror or str(error)),
            "Check the path.",
        ) from error


def does_not_load(path: Path, error: BaseException) -> ImplementationError:
    """Return the error that says in which line the file raised what."""
    line = error.lineno if isinstance(error, SyntaxError) else None
    if line is None or error.filename != str(path):  # type: ignore[attr-defined]
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == str(path)]
        line = lines[-1] if lines else None
    where = str(path) if line is None else f"{path}, line {line}"
    what = error.msg if isinstance(error, SyntaxError) else str(error)
    return ImplementationError(
        where,
        f"raises {type(error).__name__} when it is loaded: {what}",
        f"Fix it; for the full traceback: python {path.name}",
    )

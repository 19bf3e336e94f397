"""A user's Python file becomes a module, under a name that meets no other."""

import ast
import contextlib
import hashlib
import importlib.util
import io
import sys
import traceback
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

from gnbbench.errors import ImplementationError

# Module that a user's file imported from its own folder -> that folder.
_neighbours: dict[str, Path] = {}


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
        raise ImplementationError(str(path), "is no Python file", "Give a file.py.")
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
        f"Mend it; see all with: python {path.name}",
    )

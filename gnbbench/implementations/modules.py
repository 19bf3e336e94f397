"""Third-party modules, imported by name or loaded from a file."""

import ast
import codecs
import contextlib
import hashlib
import importlib
import importlib.util
import inspect
import io
import linecache
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import get_close_matches
from functools import lru_cache, partial
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.metadata import EntryPoint
from itertools import product
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, cast

from gnbbench.errors import ImplementationError
from gnbbench.files import content_of
from gnbbench.implementations import scripts, sources
from gnbbench.implementations.roles import names_used
from gnbbench.tracebacks import cause_of, hint_on, installing, line_in, place_of
from gnbbench.words import listing

# Module that a user's file imported from its own folders -> that folder.
_neighbours: dict[str, Path] = {}
_added: set[str] = set()  # The folders of such files, which stay where imports look
# Path of a file that is watched -> the set to which it adds lines that run.
watched: dict[Path, set[int]] = {}
_FILE = "_gnbbench_file_"  # In the names of modules of files
_ABSENT = "__errors__"  # Of the imports of a module that failed
# Modules that no file of the user may replace: this program needs the real ones.
_PROTECTED = sys.stdlib_module_names | {
    *("gnbbench", "joblib", "matplotlib", "numpy", "pandas", "scipy", "seaborn"),
    *("sklearn", "statsmodels", "threadpoolctl"),
}
# Marks of the root of a project.
_ROOT_MARKS = (".git", "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt")


def imported(name: str) -> ModuleType:
    """Import a module, and discard what it prints."""
    check_module_name(name)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and f"{name}.".startswith(f"{error.name}."):
            raise absent_module(name, error.name) from error
        raise missing_package(name, str(error.name)) from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        what = f"raises {type(error).__name__} when it is imported: {error}"
        remedy = f"Fix that; for the full traceback: python -c 'import {name}'"
        raise ImplementationError(name, what, remedy) from error


def check_module_name(name: str) -> None:
    """Raise unless a text can be the dotted name of a module."""
    if not all(part.isidentifier() for part in name.split(".")):
        remedy = "Give package.module:Class or file.py:Class."
        raise ImplementationError(name, "is not a module name", remedy)


def absent_module(name: str, absent: str) -> ImplementationError:
    """Return the error for a module that cannot be found, or for a package it is in."""
    remedy = "Install it, or give the file: path/to/file.py:Class."
    return ImplementationError(name, f"there is no module '{absent}'", remedy)


def announced_object(point: EntryPoint) -> object:
    """Load the object of an entry point."""
    try:
        loaded: object = point.load()
    except Exception as error:
        package = point.dist.name if point.dist else "its package"
        raise ImplementationError(
            point.name,
            f"the entry point {point.value} of {package} does not load "
            f"({type(error).__name__}: {error})",
            f"Reinstall {package}, or ask its maintainers.",
        ) from error
    return loaded


def missing_member(
    where: str, part: str, known: Iterable[str], offered: Sequence[str]
) -> ImplementationError:
    """Return the error for a name that a module lacks, with the nearest that it has."""
    names = [name for name in known if not name.startswith("_")]
    guesses = get_close_matches(part, names, n=1, cutoff=0.5) or offered[:1]
    contract = (
        "a class with fit and predict, or a function fit_predict(X_train, y_train, X_test)"
    )
    hint = f"Did you mean '{guesses[0]}'?" if guesses else f"Name {contract}."
    if (name := part.partition("=")[0]) != part and name.isidentifier():
        hint = f"Parameters follow a question mark: '{where}?{part}'."
    return ImplementationError(where, f"has no '{part}'", hint)


def module_of(path: Path, digest: str, wanted: str = "") -> ModuleType:
    """Load the definitions in a file as a module, once for each digest.

    Its script part is left out; ``module.__left_out__`` describes it. While it loads, its
    folder and those above it in its project come first for imports, as if the file were
    run; afterwards they come last, for later imports. What it prints is discarded.
    """
    path = path.absolute()
    package, roots = _package_of(path)
    marks = hashlib.sha256(f"{path}{digest}{wanted}".encode()).hexdigest()[:16]
    name = f"{package}{'.' if package else ''}{_FILE}{marks}"
    if name in sys.modules:
        return sys.modules[name]
    loader = _Loader(name, str(path), wanted)
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None  # noqa: S101  it has a loader
    module = importlib.util.module_from_spec(spec)
    if path in watched:
        vars(module)[sources.RUN] = watched[path].add
    # Dataclasses and pickle look up a class's module while it is being loaded.
    sys.modules[name] = module
    try:
        with _roots_first(roots, path, package), contextlib.redirect_stdout(io.StringIO()):
            loader.exec_module(module)
    except BaseException as error:
        del sys.modules[name]
        if isinstance(error, KeyboardInterrupt):
            raise
        raise does_not_load(path, error) from error
    if part := loader.part:
        vars(module).update(__part__="+".join(filter(None, (part.name, part.ask))))
        vars(module)[part.name].returns = part.returns
    notes = [_of_script(loader, path)]
    files = with_imported(path)
    homes = {str(file) for file in files}
    loaded = (m for m in [*sys.modules.values()] if getattr(m, "__file__", "") in homes)
    absent = [error for held in loaded for error in vars(held).get(_ABSENT, ())]
    if names := list(dict.fromkeys(_what_failed(error, path) for error in absent)):
        left = "was" if len(names) == 1 else "were"
        what = f"{listing(names)} cannot be imported and {left} left out"
        with_it = [
            f"{kind if len(lost) == 1 else several} {listing(lost)}"
            for kind, several in (("class", "classes"), ("function", "functions"))
            if (lost := vars(module).get(sources.LOST[kind]))
        ]
        what += f", with {listing(with_it)}" if with_it else ""
        notes.append(what)
    # Files that would be imported, were they not shadowed by a module
    beside = {p.name: p.stem for p in files if p.parent in roots and p != path}
    if ignored := [name for name, stem in beside.items() if stem in _PROTECTED]:
        what = f"{listing(ignored)} beside it was not used, as an installed or built-in "
        what += "module has that name"
        notes.append(what)
    _unfold(module)
    script, note = loader.bound - {*vars(module)}, "; ".join(filter(None, notes))
    vars(module).update(__left_out__=note, __calls__=loader.calls, __script__=script)
    errors = [does_not_load(path, error) for error in absent]
    vars(module).update(__made__=loader.made, __absent__=errors)
    return module


def _of_script(loader: "_Loader", path: Path) -> str:
    """Return what became of a file's script, or of a notebook's cells, in words."""
    if part := loader.part:
        ends = sorted((part.first, part.last))  # Those of a function may come after
        first, last = (line_in(str(path), line) for line in ends)
        where = f"in {first}" if first == last else f"from {first} to {last}"
        what = f"`{part.name}` stands for statements of the script {where}"
        is_compared = scripts.ANSWERS in part.returns
        return (
            f"{what}; it gives what they compare with true labels" if is_compared else what
        )
    note = sources.left_out(loader.left_out)
    if path.suffix == sources.NOTEBOOK:
        note = f"its code cells were joined{', without what they only run' if note else ''}"
    return note


def forget(path: Path) -> None:
    """Forget what was loaded from a file, with or without its script."""
    for name, module in [*sys.modules.items()]:
        if _FILE in name and module.__file__ == str(path):
            del sys.modules[name]


def _what_failed(error: ImportError, path: Path) -> str:
    """Return the module that cannot be imported, or the name that it does not have."""
    if isinstance(error, ModuleNotFoundError):
        return f"'{error.name}'"
    if match := re.search(r"`(\w+)` has been removed|import name '(\w+)'", cause_of(error)):
        name = match[1] or match[2]
        return f"'{error.name}.{name}'" if error.name else f"'{name}'"
    _, _, text = place_of(error, str(path)) or ("", 0, "")
    imported = re.match(r"(?:from|import) (\S+)", text.strip())
    name = error.name or (imported[1] if imported else "")
    return f"'{name}'" if name else "a module"


class _StandIn:
    """A placeholder for a name that could not be imported; using it raises the error."""

    def __init__(self, error: ImportError) -> None:
        self.__dict__["raised"] = error, error.__traceback__

    def __getattr__(self, name: str) -> Any:
        error, place = self.__dict__["raised"]
        raise error.with_traceback(place)  # The original one, however often it is raised

    def __call__(self, *_: Any, **__: Any) -> Any:
        return self.used

    # Python looks these up in the class.
    __mro_entries__ = __neg__ = __pos__ = __abs__ = __add__ = __radd__ = __call__
    __sub__ = __rsub__ = __mul__ = __rmul__ = __matmul__ = __rmatmul__ = __call__
    __truediv__ = __rtruediv__ = __floordiv__ = __mod__ = __pow__ = __rpow__ = __call__
    __lt__ = __le__ = __gt__ = __ge__ = __len__ = __iter__ = __getitem__ = __call__
    __contains__ = __enter__ = __float__ = __int__ = __array__ = __bool__ = __call__


def is_absent(value: object) -> bool:
    """Return whether a value stands for what could not be imported."""
    return isinstance(value, _StandIn)


def functions_in(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """Return the functions that a module itself defines."""
    return {
        name: _unveiled(name, value)
        for name, value in defined_in(module).items()
        if inspect.isfunction(value)
    }


def _unfold(module: ModuleType) -> None:
    """Bind functions in place of those with filled arguments, or that Numba compiles."""
    for name, value in [*vars(module).items()]:
        kept = "func" if isinstance(value, partial) else "py_func"
        written = None if is_absent(value) else getattr(value, kept, None)
        if inspect.isfunction(written) and callable(value):
            vars(module)[name] = _as_function(name, value, written, module)


def _as_function(
    name: str, held: Callable[..., Any], written: Any, module: ModuleType
) -> Callable[..., Any]:
    def call(*args: Any, **named: Any) -> Any:
        return held(*args, **named)

    signed = held if isinstance(held, partial) else written
    call.__signature__ = inspect.signature(signed)  # type: ignore[attr-defined]
    call.__wrapped__ = written  # type: ignore[attr-defined]
    call.__name__, call.__module__ = name, module.__name__
    return call


def _unveiled(name: str, function: Any) -> Callable[..., Any]:
    """Give a lambda its name, and what a decorator returned its signature."""
    if function.__name__ != name:
        cells = (cell.cell_contents for cell in function.__closure__ or ())
        for held in cells:
            if getattr(held, "__name__", "") == name:
                function.__wrapped__ = held
        function.__name__ = name
    return cast("Callable[..., Any]", function)


def defined_in(module: ModuleType, *, private: bool = False) -> dict[str, Any]:
    """Return what a module itself defines; for a package, what the package defines."""
    is_package = Path(module.__file__ or "").name == "__init__.py"
    package = f"{module.__package__}."
    return {
        name: value
        for name, value in vars(module).items()
        for home in [str(getattr(value, "__module__", None))]
        if home == module.__name__ or (is_package and home.startswith(package))
        if name[0] != "_" or private
    }


def absent_for(
    module: ModuleType, functions: Sequence[Callable[..., Any]]
) -> list[ImplementationError]:
    """Return the errors of failed imports, if what a module defines needs any."""
    used = set[str]().union(*map(names_used, functions))
    absent = {name for name, value in vars(module).items() if is_absent(value)}
    is_lost = any(name in vars(module) for name in sources.LOST.values())
    is_needed = not functions or is_lost or bool(used & absent)
    return [*vars(module).get("__absent__", ())] if is_needed else []


def _stand_in(
    absent: list[ImportError],
    error: ImportError,
    scope: dict[str, Any],
    names: list[str],
    kind: str,
) -> None:
    """Bind names to what raises the error of an import; those of ``*`` if nothing did."""
    absent.append(error)
    if kind in sources.LOST:
        scope.setdefault(sources.LOST[kind], []).extend(names)
    for name in names:
        if kind != "star" or name not in scope:
            scope[name] = _StandIn(error)


def with_imported(path: Path) -> dict[Path, bytes]:
    """Return the sources of a file and of the files of its project that it imports."""
    _, roots = _package_of(path.absolute())
    contents: dict[Path, bytes] = {}
    waiting = [path.absolute()]
    while waiting:
        path = waiting.pop()
        if path not in contents:
            contents[path] = read_source(path)
            waiting += _imported(path, contents[path], roots)
    return contents


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file and of the files of its project that it imports."""
    root, contents = _package_of(path.absolute())[1][-1], with_imported(path)
    parts = [
        f"{file.relative_to(root)} {hashlib.sha256(contents[file]).hexdigest()}"
        for file in sorted(contents)
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def encoding_of(source: bytes) -> str:
    """Return the encoding of Python source that could be loaded."""
    if source.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    try:
        source.decode()
    except UnicodeDecodeError:  # `tokenize` refuses a declaration not in UTF-8
        declared = re.search(rb"coding[:=]\s*([-\w.]+)", source)
        return declared[1].decode() if declared else "latin-1"
    return "utf-8"


class _Loader(SourceFileLoader):
    """Reads only the source: a compiled copy may be older than the last edit.

    Without a wanted name, that of a neighbour, which keeps its script.
    """

    def __init__(self, name: str, path: str, wanted: str | None = None) -> None:
        super().__init__(name, path)
        self.wanted = wanted
        self.left_out: list[tuple[int, int]] = []
        self.part: scripts.Part | None = None  # Of its script, as a function
        self.made: dict[str, sources.Origin] = {}
        self.bound = set[str]()  # Of its script too
        self.calls: list[sources.Call] = []

    def exec_module(self, module: ModuleType) -> None:
        """Run the source with placeholders for what it cannot import."""
        errors = vars(module).setdefault(_ABSENT, [])
        vars(module)[sources.KEEPING_ABSENT] = partial(_stand_in, errors)
        super().exec_module(module)

    def get_code(self, fullname: str) -> CodeType:
        """Compile the definitions in the present source."""
        path = self.get_filename(fullname)
        tree = ast.parse(read_source(Path(path)), path)
        self.bound = {*sources.defined(tree)}
        if self.wanted == scripts.TRAINER:
            self.part = scripts.make_function(tree)
        self.calls, self.made = sources.calls_in(tree)
        if self.wanted is not None:
            self.left_out = sources.without_script(tree, self.wanted)
        sources.keep_absent_imports(tree)
        if Path(path) in watched:
            sources.mark(tree)
        return compile(tree, path, "exec", dont_inherit=True)


class _Neighbours:
    """Finds modules beside a file and in the folders above it, before installed ones."""

    def __init__(self, roots: Sequence[Path], path: Path, package: str) -> None:
        self.places, self.path = [str(root) for root in roots], str(path)
        self.own = package.partition(".")[0]  # The package that the file is in
        self.home = str(path.parents[package.count(".") + 1]) if package else ""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: object = None
    ) -> ModuleSpec | None:
        """Return the spec of a neighbour of this name; None for protected names."""
        del target
        spec = PathFinder.find_spec(name, path) if path else self._beside(name)
        origin = Path(spec.origin or "") if spec else Path()
        if spec is None or not isinstance(spec.loader, SourceFileLoader):
            return spec
        if origin.is_relative_to(self.places[-1]) and "site-packages" not in origin.parts:
            spec.loader = _Loader(name, str(origin))
        return spec

    def _beside(self, name: str) -> ModuleSpec | None:
        if name in _PROTECTED:
            return None
        is_own = bool(name) and name == self.own
        spec = PathFinder.find_spec(name, [self.home] if is_own else self.places)
        if spec is not None and spec.origin == self.path:  # No file imports itself
            others = [
                place for place in self.places if Path(place) != Path(self.path).parent
            ]
            spec = PathFinder.find_spec(name, others)
        # A plain folder of that name yields to an installed package.
        if spec is None or (spec.loader is not None and spec.origin is not None):
            return spec
        installed = PathFinder.find_spec(name, [p for p in sys.path if p not in _added])
        return None if installed is not None and installed.origin is not None else spec


@contextlib.contextmanager
def _roots_first(roots: Sequence[Path], path: Path, package: str) -> Iterator[None]:
    """Let a file import from beside and above it, without an earlier file's modules."""
    for name, home in list(_neighbours.items()):
        homes = (root for root in roots if any(p.exists() for p in _places(root, name)))
        if home != next(homes, home):
            sys.modules.pop(name, None)
            del _neighbours[name]
    importlib.invalidate_caches()
    before = set(sys.modules)
    finder = _Neighbours(roots, path, package)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        added = [place for place in finder.places if place not in sys.path]
        sys.path.extend(added)
        _added.update(added)
        for name in set(sys.modules) - before:
            module = sys.modules[name]
            origins = {getattr(module, "__file__", None), *getattr(module, "__path__", ())}
            for root in roots:
                if origins & set(map(str, _places(root, name))):
                    _neighbours[name] = root


def _package_of(path: Path) -> tuple[str, list[Path]]:
    """Return the package that a file is in, and the folders that its imports start from.

    Nearest first: its folder, and those above it up to that of the project, which a mark
    shows, or else the highest package, or what holds its imports; besides, ``src`` there.
    """
    above = list(path.parents)
    outside = (i for i, at in enumerate(above) if not (at / "__init__.py").exists())
    imports = imports_in(read_source(path))
    # Its relative imports go up this many folders, where there are so many.
    levels = max(next(outside), *(level for level, _ in imports), 0)
    levels = min(levels, len(above) - 1)
    is_marked = (any((at / mark).exists() for mark in _ROOT_MARKS) for at in above)
    top = max(levels, next((i for i, marked in enumerate(is_marked) if marked), 0))
    top = max(top, *(_climb_to(names, above) for level, names in imports if not level), 0)
    parts = [place.name for place in reversed(above[:levels])]
    roots = above[: top + 1]
    source = roots[-1] / "src"
    if source.is_dir() and source not in roots:
        roots.insert(-1, source)
    return ".".join(parts), roots


def _places(folder: Path, module: str) -> tuple[Path, Path, Path]:
    """Return the files and the folder that could be this module, seen from a folder."""
    base = folder.joinpath(*module.split("."))
    return base.with_name(f"{base.name}.py"), base / "__init__.py", base


def _climb_to(names: Sequence[str], above: Sequence[Path]) -> int:
    """Return the place of the first folder that has a module; 0 if an installed one is."""
    tops = {name.partition(".")[0] for name in names}
    packages = [place for place in sys.path if place.endswith("-packages")]
    if tops & _PROTECTED or any(PathFinder.find_spec(top, packages) for top in tops):
        return 0
    for place, folder in enumerate(above):
        if any(p.is_file() for name in names for p in _places(folder, name)):
            return place
    return 0


@lru_cache(100)
def imports_in(source: bytes) -> list[tuple[int, list[str]]]:
    """Return for each import its dots, and the modules it may need: a name may be one."""
    imports: list[tuple[int, list[str]]] = []
    for node in ast.walk(parsed_source(source)):
        if isinstance(node, ast.Import):
            imports.append((0, [alias.name for alias in node.names]))
        elif isinstance(node, ast.ImportFrom):
            base = [node.module] if node.module else []
            names = [".".join([*base, alias.name]) for alias in node.names]
            imports.append((node.level, base + names))
    return imports


def _imported(path: Path, source: bytes, roots: Sequence[Path]) -> list[Path]:
    """Return the files of the project that a source imports."""
    files: list[Path] = []
    for level, names in imports_in(source):
        homes = path.parents[level - 1 : level] if level else roots
        for name, home in product(names, homes):
            parts = name.split(".")
            for count in range(1, len(parts) + 1):
                files += _places(home, ".".join(parts[:count]))
    return [p for p in files if p.is_file() and p.is_relative_to(roots[-1])]


def parsed_source(source: bytes) -> ast.Module:
    """Return the syntax tree of a source; an empty one if it cannot be parsed."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return ast.Module(body=[], type_ignores=[])


def read_source(path: Path) -> bytes:
    """Return the Python source in a file or notebook; raise a user's error if it fails."""
    try:
        content = content_of(path)
        if path.suffix != sources.NOTEBOOK:
            return sources.without_magics(content)
        source = sources.source_in(content)
    except OSError as error:
        what = f"cannot be read: {error.strerror or error}"
        raise ImplementationError(str(path), what, "Check the path.") from error
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        remedy = f"Save it as a script: jupyter nbconvert --to script {path.name}"
        raise ImplementationError(str(path), "is not a notebook", remedy) from error
    # Lines that errors quote are looked up there.
    lines = source.splitlines(keepends=True)
    linecache.cache[str(path)] = (len(source), None, lines, str(path))
    return source.encode()


def does_not_load(path: Path, error: BaseException) -> ImplementationError:
    """Return the error that names the file, the line and the cause of a failed load."""
    if isinstance(error, SyntaxError):
        file, line, what = error.filename or str(path), error.lineno, error.msg
        text = error.text or ""
        if Path(file).suffix == sources.NOTEBOOK:  # Not the line of its JSON
            text = linecache.getline(file, line or 0)
        text = text.strip()
    else:
        file, line, text = place_of(error, str(path)) or (str(path), None, "")
        what = cause_of(error)
    where = file if line is None else f"{file}, {line_in(file, line)}"
    shown = f" (`{text}`)" if text else ""
    kind = type(error).__name__
    hint = hint_on(kind, what, text, file)
    is_absent = isinstance(error, ModuleNotFoundError) and "was moved" not in hint
    dots = re.match(r"from (\.+)", text)
    if dots and (is_absent or re.search(r"\(unknown location\)|beyond top-level", what)):
        above = [*Path(file).absolute().parents][: len(dots[1])][-1]
        what = f"does not find in {above} what it imports{shown}"
        remedy = "Give the file where it lies in its package."
        return ImplementationError(where, what, remedy)
    if is_absent and isinstance(error, ImportError) and error.name:
        return missing_package(where, error.name, shown)
    remedy = f"{hint[:1].upper()}{hint[1:]}" or "Fix it"
    if path.suffix != sources.NOTEBOOK:
        remedy += f"; for the full traceback: python {shlex.quote(path.name)}"
    return ImplementationError(
        where, f"raises {kind} when it is loaded: {what}{shown}", remedy
    )


def missing_package(where: str, package: str, shown: str = "") -> ImplementationError:
    """Return the error for code that imports a package unknown to this interpreter."""
    parent, _, child = package.rpartition(".")
    if parent:  # It was found, or the error would name it
        what = f"needs '{package}', but {parent} has no {child}{shown}"
        remedy = f"Complete {parent}, or install another version of it."
        return ImplementationError(where, what, remedy)
    what = f"needs '{package}', which {sys.executable} does not find{shown}"
    remedy = installing(package)
    return ImplementationError(where, what, remedy[0].upper() + remedy[1:])

"""What a user types for an implementation: parsed, and checked to exist.

That is a name, a module, a file, a command line, or a folder of predictions. NumPy and
other libraries are not loaded.
"""

import ast
import csv
import hashlib
import importlib.machinery
import importlib.util
import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.metadata import EntryPoint, entry_points
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from gnbbench.errors import (
    ImplementationError,
    OptionError,
    UnknownNameError,
    refuse_undecoded,
)
from gnbbench.implementations import modules
from gnbbench.implementations.catalogue import Implementation, by_name, check_installed
from gnbbench.implementations.sources import SUFFIXES, defined, files_in, is_dynamic
from gnbbench.implementations.tasks import why_no_model
from gnbbench.parameters import parameters_in

GROUP = "gnbbench.implementations"
COMMAND = "command:"  # Prefix of a command line
# Placeholders for paths: of tables, and of a manifest
TRAIN, TEST, OUT, EVERY = MARKS = "{train}", "{test}", "{out}", "{manifest}"
MANIFEST = "manifest.csv"  # The list of all questions in a folder
COLUMNS = ("train", "test", "out", "train_sha256", "test_sha256")
PREDICTIONS = "predictions:"  # Prefix of a folder of predictions
_NAMED = re.compile(rf"(?:([\w.+-]+)=)?{COMMAND}(.*)", re.DOTALL)
# Interpreters, and the names of their scripts
_RUNS = re.compile(r"[gm]?awk|bash|java|julia|node|octave|perl|php|python|Rscript|ruby|sh")
_SCRIPT = re.compile(r"[\w./~+-]+\.(awk|jar|java|jl|js|m|mjs|php|pl|py|R|r|rb|sh)")
# Options that a folder may follow by its bare name
_TAKES_FOLDER = {"-cp", "-classpath", "--class-path", "-p", "--module-path"}
_OF_SHELLS = {"|", ">", ">>", "<", "2>", "&&", "||", ";", "&"}
_REMEDY = "Give one such as 'command:Rscript nb.R {train} {test}'."

Kind = Literal["name", "module", "file", "command", "predictions"]


@dataclass(frozen=True)
class Specification:
    """Where an implementation is, and the parameters of its constructor."""

    kind: Kind
    place: str  # The name, the dotted module or the path
    # A name in the module or file, or the name of a program; empty if left open
    attribute: str
    # For the constructor, or for the function besides its three arrays
    parameters: Mapping[str, Any]
    query: str  # The parameters as typed, question mark included

    @property
    def where(self) -> str:
        """What was typed, without parameters."""
        return f"{self.place}:{self.attribute}" if self.attribute else self.place

    @property
    def absolute(self) -> str:
        """The whole text, made valid in any working directory."""
        if self.kind == "command":
            name = f"{self.attribute}=" if self.attribute else ""
            return f"{name}{COMMAND}{shlex.join(words_in(self.place))}"
        if self.kind == "predictions":
            return f"{PREDICTIONS}{Path(self.place).expanduser().absolute()}"
        if self.kind != "file":
            return f"{self.where}{self.query}"
        path = Path(self.place).expanduser().absolute()
        return f"{path}:{self.attribute}{self.query}"


def parsed(text: str) -> Specification:
    """Return the parts of ``PLACE[:NAME][?key=value&...]``."""
    if (program := named_command(text)) is not None:
        name, command = program
        return Specification("command", command, name, {}, "")
    if text.startswith(PREDICTIONS):
        return Specification("predictions", text.removeprefix(PREDICTIONS), "", {}, "")
    target, mark, options = text.partition("?")
    parameters = parameters_in(options, target, ImplementationError) if mark else {}
    query = mark + options
    place, attribute = target, ""
    if ":" in target and not target.endswith(SUFFIXES):
        place, _, attribute = target.rpartition(":")
    kind: Kind = "module" if attribute or target.endswith(":") else "name"
    if place.endswith(SUFFIXES):
        kind = "file"
    elif "/" in target or "\\" in target or _is_file(place):
        if os.path.isdir(target):  # noqa: PTH112  Path.is_dir raises for long words
            raise _directory(target)
        remedy = (
            "Give path/to/file.py:Class or file.py:function; for a program in another "
            "language its command, such as 'command:Rscript nb.R {train} {test}'."
        )
        raise ImplementationError(target, "is not a Python file", remedy)
    return Specification(kind, place, attribute, parameters, query)


def check_name(*texts: str, others: bool = False) -> None:
    """Raise the errors of `implementation` that show without loading anything.

    A name must be known, and its library installed; a module must be there, a file must be
    readable and parse, and its source must define the class or function. Beside `others` a
    source that does not parse fails later, so that it does not stop them.
    """
    known, listed = by_name(), []
    for specification in map(parsed, texts):
        name = specification.place
        if specification.kind == "module":
            _check_module(specification)
        elif specification.kind == "command":
            words_in(name)
        elif specification.kind == "predictions":
            manifest(Path(name).expanduser())
        elif specification.kind == "file":
            path = Path(name).expanduser().absolute()
            _check_defined(specification, path, modules.read_source(path), others=others)
        elif name in known:
            listed.append(known[name])
        elif name not in announced():
            raise unknown_name(name)
    check_installed(*listed)


def announced() -> dict[str, EntryPoint]:
    """Return the entry points of the group "gnbbench.implementations" by name.

    Nothing is imported. If two packages announce the same name, the first one found wins.
    """
    points: dict[str, EntryPoint] = {}
    for point in entry_points(group=GROUP):
        points.setdefault(point.name, point)
    return points


def unknown_name(name: str) -> UnknownNameError | ImplementationError:
    """Return the error for an unknown name; a dotted one probably means a module."""
    module, _, attribute = name.rpartition(".")
    if os.path.isdir(name):  # noqa: PTH112
        return _directory(name)
    if not module:
        return UnknownNameError("implementation", name, [*by_name(), *announced()])
    return ImplementationError(
        name,
        "is not a known implementation",
        f"For a class in a module, write {module}:{attribute}",
    )


def _directory(name: str) -> ImplementationError:
    """Return the error for a directory in place of an implementation."""
    remedy = f"Give a file in it, such as {Path(name) / 'gnb.py'}, or {PREDICTIONS}{name}."
    return ImplementationError(name, "is a directory", remedy)


def _check_module(specification: Specification) -> None:
    """Raise unless the module's package exists; check its source if it can be found."""
    name = specification.place
    modules.check_module_name(name)
    package, *rest = name.split(".")
    loaded = sys.modules.get(package)
    spec = loaded.__spec__ if loaded else importlib.util.find_spec(package)
    if spec is None and loaded is None:
        raise modules.absent_module(name, package)
    for part in rest:  # without importing the packages on the way
        places = spec.submodule_search_locations if spec is not None else None
        if spec is None or places is None:
            return
        spec = importlib.machinery.PathFinder.find_spec(f"{spec.name}.{part}", places)
    if spec is not None and spec.has_location and str(spec.origin).endswith(".py"):
        path = Path(str(spec.origin))
        _check_defined(specification, path, modules.read_source(path))


def _check_defined(
    specification: Specification, path: Path, source: bytes, *, others: bool = False
) -> None:
    """Raise unless the source can define the name."""
    try:
        tree = ast.parse(source, str(path))
    except (SyntaxError, ValueError, RecursionError) as error:
        if others:
            return
        raise modules.does_not_load(path, error) from error
    known = set(defined(tree))
    for attribute in specification.attribute.split("+"):
        wanted = attribute.partition(".")[0]
        if wanted and wanted not in known and not is_dynamic(tree):
            classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
            offered = [n.name for n in classes if {"fit", "predict"} <= set(defined(n))]
            raise modules.missing_member(
                specification.place, wanted, sorted(known), offered
            )


def named_command(text: str) -> tuple[str, str] | None:
    """Return name and command line of ``[NAME=]command:…``; None for any other text."""
    match = _NAMED.fullmatch(text)
    return (match[1] or "", match[2]) if match else None


def is_program(text: Any) -> bool:
    """Return whether a text names a program by its command line."""
    return isinstance(text, str) and named_command(text) is not None


def takes_manifest(text: Any) -> bool:
    """Return whether a text names a program that answers several questions in one start."""
    return is_program(text) and EVERY in text


def program_name(text: str) -> str:
    """Return the name of a program: as given, or of its first file, or of itself."""
    name, command = named_command(text) or ("", text)
    program, *words = words_in(command)
    files = [word for word in words if _is_file(word)]
    return name or Path([*files, program][0]).name


def is_elsewhere(text: Any) -> bool:
    """Return whether a text names predictions made elsewhere."""
    return isinstance(text, str) and text.startswith(PREDICTIONS)


def refuse_programs(reference: Any, against: Any) -> None:
    """Raise if a study would measure a program's start instead of its code."""
    several = against if isinstance(against, list | tuple) else (against,)
    refuse_predictions(reference, *several)
    for text in filter(is_program, (reference, *several)):
        remedy = "Use: gnbbench compare, sweep-split, explain, conformance or check."
        raise ImplementationError(text, "is a program, which starts anew each time", remedy)


def refuse_predictions(*texts: Any) -> None:
    """Raise if a study needs predictions for other splits than the exported ones."""
    for text in filter(is_elsewhere, texts):
        remedy = "Use: gnbbench check, compare or explain."
        raise ImplementationError(text, "has no predictions for this study", remedy)


def words_in(command: str) -> list[str]:
    """Return the words of a command, with absolute paths of the program and files."""
    try:
        words = _split(command)
    except ValueError as error:
        raise ImplementationError(command, f"cannot be split ({error})", _REMEDY) from error
    if not words:
        raise ImplementationError("command:", "names no program", _REMEDY)
    if shell := _OF_SHELLS & {*words}:
        what, remedy = f"no shell runs it, which {min(shell)!r} needs", "Write a script."
        raise ImplementationError(command, what, remedy)
    _refuse_misspelt(words)
    program = shutil.which(words[0])
    if program is None and _is_file(words[0]):
        remedy = "Run chmod +x on it, or name what runs it, as in 'command:perl nb.pl'."
        raise ImplementationError(words[0], "the file is not executable", remedy)
    if program is None:
        remedy = "Install it, or give its path."
        raise ImplementationError(words[0], "is not a program that can be run", remedy)
    if _RUNS.fullmatch(Path(words[0]).name.rstrip("0123456789.")):
        script = next(filter(_SCRIPT.fullmatch, words[1:]), ".")
        if not _is_file(script) and script != ".":
            raise ImplementationError(script, "there is no such file", "Check the path.")
    # A link stays as it is: what a program does may depend on the name it is called by.
    named = (
        str(Path(word).absolute())
        if before in _TAKES_FOLDER and os.path.isdir(word)  # noqa: PTH112
        else _from_here(word)
        for before, word in pairwise(words)
    )
    words = [str(Path(program).absolute()), *named]
    refuse_undecoded(" ".join(words))
    return words


def _refuse_misspelt(words: list[str]) -> None:
    """Raise for a placeholder that resembles a known one; scripts have braces as well."""
    for mark in re.findall(r"\{\w+\}", " ".join(words)):
        near = get_close_matches(mark, MARKS, n=1, cutoff=0.8)
        if near and mark not in MARKS:
            remedy = f"Did you mean {near[0]}?"
            raise ImplementationError(mark, "is not a placeholder of commands", remedy)


def _split(command: str) -> list[str]:
    """Split a command at spaces; on Windows a backslash escapes nothing."""
    if os.name == "nt":
        return [word.strip("'\"") for word in shlex.split(command, posix=False)]
    return shlex.split(command)


def _from_here(word: str) -> str:
    """Return a word with absolute paths if it is a file, a directory or a list of these."""
    paths = list(map(Path, word.split(os.pathsep)))
    is_place = [
        _is_file(path)
        or (os.path.isdir(path) and (str(path) in (".", "..") or {"/", os.sep} & {*word}))  # noqa: PTH112
        for path in paths
    ]
    return (
        os.pathsep.join(str(path.absolute()) for path in paths) if all(is_place) else word
    )


def command_digest(command: str) -> str:
    """Return the digest of the program and of the files that a command names."""
    digest = hashlib.sha256()
    for word in words_in(command):
        digest.update(word.encode() + b"\0")
        if _is_file(word):
            with Path(word).open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def manifest(folder: Path) -> list[dict[str, str]]:
    """Return the list of all questions in a folder; raise if there is none."""
    try:
        text = (folder / MANIFEST).read_text(encoding="utf-8-sig")
    except OSError as error:
        remedy = "Write the splits first: gnbbench export wine --out splits"
        what = f"has no {MANIFEST}" if folder.is_dir() else "is not a directory"
        raise ImplementationError(str(folder), what, remedy) from error
    rows = list(csv.DictReader(text.splitlines()))
    if not rows or not {*COLUMNS} <= rows[0].keys():
        remedy = "Write the splits again: gnbbench export"
        raise ImplementationError(str(folder / MANIFEST), "is not a list of splits", remedy)
    return rows


def _is_file(word: str | Path) -> bool:
    """Return whether a word of a command names a file, however long it is."""
    return os.path.isfile(word)  # noqa: PTH113  Path.is_file raises for long words


def files_by_name(sources: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the sources to check by name, and why other files are skipped.

    Folders are searched recursively for Python files and notebooks.
    """
    folders: dict[str, str] = {}
    skipped: dict[str, str] = {}
    others: list[Any] = []
    for source in sources if isinstance(sources, list | tuple) else [sources]:
        is_path = isinstance(source, str | Path) and not is_program(source)
        folder = Path(source).expanduser() if is_path else None
        if folder is None or not folder.is_dir():
            others.append(str(source) if isinstance(source, Path) else source)
            continue
        inside, beside = files_in(folder)
        beside |= (helpers := _helpers_in(inside))
        inside = {name: path for name, path in inside.items() if name not in helpers}
        for name, path in inside.items():
            folders[path if name in folders else name] = path
        skipped |= beside
    if not others and not folders:
        raise OptionError("FILE", "nothing to check", "Give a file, such as my_gnb.py.")
    named = _names_of(others)
    for name in set(named) & set(folders):
        raise OptionError("FILE", f"'{name}' is given twice", "Give each file once.")
    return {**folders, **named}, skipped


def _helpers_in(files: Mapping[str, str]) -> dict[str, str]:
    """Return the files that others import and that seem to hold no model, with why."""
    at = {Path(path).absolute(): name for name, path in files.items()}
    sources: dict[str, bytes] = {}
    importers: dict[str, str] = {}
    for path, name in at.items():
        with suppress(ImplementationError):
            imported = modules.with_imported(path)
            beside = {at[p]: text for p, text in imported.items() if p in at and p != path}
            sources |= beside
            importers = {**dict.fromkeys(beside, name), **importers}
    helpers = {
        name: f"imported by {importer}; {why}"
        for name, importer in importers.items()
        if (why := why_no_model(sources[name]))
    }
    return helpers if len(helpers) < len(files) else {}


def _names_of(sources: Sequence[Any]) -> dict[str, Any]:
    """Return the sources by file name, or by path where two names are equal."""
    paths = [typed_as(source) for source in sources]
    # Drop the directories, but keep what follows the file's name.
    parts = [(p, "", "") if is_program(p) else p.partition(".py") for p in paths]
    names = [
        program_name(head) if is_program(head) else Path(head).name + suffix + rest
        for head, suffix, rest in parts
    ]
    names = [name.removeprefix(PREDICTIONS) for name in names]
    named: dict[str, Any] = {}
    for path, name, source in zip(paths, names, sources, strict=True):
        shown = name if names.count(name) == 1 else path
        if shown in named:
            raise OptionError("FILE", f"'{shown}' is given twice", "Give each file once.")
        named[shown] = source
    return named


def typed_as(source: Any) -> str:
    """Return a source as a user would type it."""
    if isinstance(source, str):
        return source
    if isinstance(source, Implementation):
        return source.specification or source.name
    return str(getattr(source, "__name__", type(source).__name__))


def digest_of(source: Any) -> str:
    """Return the digest of a file or program; empty for anything else."""
    if is_program(source):
        return command_digest(parsed(source).place)
    if not isinstance(source, str) or parsed(source).kind != "file":
        return ""
    path = Path(parsed(source).place).expanduser()
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""

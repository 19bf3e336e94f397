"""Specifications of implementations as typed by a user: parsed, and checked to exist.

Neither needs NumPy or any library.
"""

import ast
import importlib.machinery
import importlib.util
import os
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Literal

from gnbbench.errors import ImplementationError, UnknownNameError
from gnbbench.implementations import modules
from gnbbench.implementations.catalogue import by_name, check_installed
from gnbbench.implementations.commands import (
    COMMAND,
    PREDICTIONS,
    manifest,
    named_command,
    words_in,
)
from gnbbench.implementations.sources import SUFFIXES, defined, is_dynamic
from gnbbench.parameters import parameters_in

GROUP = "gnbbench.implementations"

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
    # Unlike a Path, it takes a name that is too long for a file for none.
    elif "/" in target or "\\" in target or os.path.isfile(place):  # noqa: PTH113
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
    if not module:
        return UnknownNameError("implementation", name, [*by_name(), *announced()])
    return ImplementationError(
        name,
        "is not a known implementation",
        f"For a class in a module, write {module}:{attribute}",
    )


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

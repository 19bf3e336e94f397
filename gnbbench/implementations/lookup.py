"""From what a user names or hands over to an implementation."""

from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

from gnbbench.errors import ImplementationError
from gnbbench.implementations.declaration import Implementation
from gnbbench.implementations.modules import announced_object, imported, member
from gnbbench.implementations.names import announced, catalogue, unknown_name
from gnbbench.implementations.objects import of_object
from gnbbench.implementations.source_files import digest_of, module_of
from gnbbench.implementations.specifications import Specification, parsed


def implementation(given: Any) -> Implementation:
    """Return the implementation that a text or an object stands for."""
    if not isinstance(given, str):
        return of_object(given)
    specification = parsed(given)
    found = _entry_of(specification)
    if found.foreign or specification.query:
        text = specification.absolute
        found = replace(found, make=partial(fresh_model, text, found.digest))
    return replace(found, specification=given)


def is_foreign(given: Any) -> bool:
    """Tell whether a text or object stands for code of others; nothing is loaded."""
    if isinstance(given, str):
        return parsed(given).place not in catalogue()
    return given.foreign if isinstance(given, Implementation) else True


def fresh_model(text: str, digest: str) -> Any:
    """Return a fresh model of what a text stands for, in whatever process this is."""
    return _cached_entry(text, digest).make()


@cache
def _cached_entry(text: str, digest: str) -> Implementation:
    specification = parsed(text)
    found = _entry_of(specification)
    if found.digest != digest:
        raise ImplementationError(
            specification.where,
            "was changed while the study ran",
            "Give the same command again: it is another study now.",
        )
    return found


def _entry_of(specification: Specification) -> Implementation:
    """Return what a specification stands for; its maker holds in this process alone."""
    if specification.kind == "name":
        return _by_name(specification)
    if specification.kind == "file":
        path = Path(specification.place).expanduser()
        digest = digest_of(path)
        module = module_of(path, digest)
    else:
        digest, module = "", imported(specification.place)
    return _of_module(module, digest, specification)


def _by_name(specification: Specification) -> Implementation:
    name, parameters = specification.place, specification.parameters
    known = catalogue()
    if name in known:
        entry = of_object(known[name], where=name, parameters=parameters)
    else:
        points = announced()
        if name not in points:
            raise unknown_name(name)
        found = announced_object(points[name])
        entry = replace(of_object(found, where=name, parameters=parameters), foreign=True)
    return replace(entry, name=name + specification.query)


def _of_module(
    module: ModuleType, digest: str, specification: Specification
) -> Implementation:
    found = member(module, specification.place, specification.attribute)
    entry = of_object(found, where=specification.where, parameters=specification.parameters)
    return replace(
        entry,
        name=entry.name + specification.query,
        description=f"{entry.name} of {specification.place}",
        digest=digest,
        foreign=True,
    )

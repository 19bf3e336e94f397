"""From what a user names or hands over to the implementations of a study."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

from gnbbench.errors import ImplementationError, OptionError
from gnbbench.implementations.catalogue import Implementation, by_name, check_installed
from gnbbench.implementations.modules import (
    announced_object,
    digest_of,
    imported,
    member,
    module_of,
)
from gnbbench.implementations.names import Specification, announced, parsed, unknown_name
from gnbbench.implementations.objects import of_object


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
        return parsed(given).place not in by_name()
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
            "Run the command again; it is now a new study.",
        )
    return found


def _entry_of(specification: Specification) -> Implementation:
    """Return what a specification stands for; its maker holds in this process alone."""
    if specification.kind == "name":
        return _of_name(specification)
    if specification.kind == "file":
        path = Path(specification.place).expanduser()
        digest = digest_of(path)
        module = module_of(path, digest)
    else:
        digest, module = "", imported(specification.place)
    return _of_module(module, digest, specification)


def _of_name(specification: Specification) -> Implementation:
    name, parameters = specification.place, specification.parameters
    known = by_name()
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


def implementations(
    reference: Any, against: Any, *, timeout_seconds: float | None = None
) -> tuple[Implementation, ...]:
    """Return the reference and its competitors, under names that differ."""
    if isinstance(against, Mapping):
        competitors = [
            replace(_found(value, timeout_seconds), name=str(name))
            for name, value in against.items()
        ]
    else:
        given = list(against) if isinstance(against, list | tuple) else [against]
        check_named_once([reference, *given], "--against", ", the reference included")
        competitors = [_found(value, timeout_seconds) for value in given]
    if not competitors:
        raise OptionError("--against", "nothing to compare", "Name an implementation.")
    found = [_found(reference, timeout_seconds), *competitors]
    check_installed(*found)
    return with_distinct_names(found)


def _found(given: Any, timeout_seconds: float | None) -> Implementation:
    if timeout_seconds is not None and is_foreign(given):
        # It looks up in a worker process, by this module, what is named.
        from gnbbench.implementations.isolation import isolated

        return isolated(given, timeout_seconds=timeout_seconds)
    return implementation(given)


def check_named_once(given: Sequence[Any], option: str, note: str = "") -> None:
    """Raise where one text stands for two implementations."""
    names = [value for value in given if isinstance(value, str)]
    for name in names:
        if names.count(name) > 1:
            remedy = "Name each implementation once."
            raise OptionError(option, f"'{name}' is named twice{note}", remedy)


def with_distinct_names(given: list[Implementation]) -> tuple[Implementation, ...]:
    """Return implementations of equal name as Mine, Mine 2, Mine 3."""
    taken: dict[str, int] = {}
    result = []
    for entry in given:
        taken[entry.name] = taken.get(entry.name, 0) + 1
        count = taken[entry.name]
        name = entry.name if count == 1 else f"{entry.name} {count}"
        result.append(replace(entry, name=name))
    return tuple(result)

"""From what a user names or hands over to the implementations of a study."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from gnbbench.errors import GnbBenchError, ImplementationError, OptionError
from gnbbench.implementations.catalogue import Implementation, by_name, check_installed
from gnbbench.implementations.modules import (
    announced_object,
    digest_of,
    imported,
    module_of,
)
from gnbbench.implementations.names import Specification, announced, parsed, unknown_name
from gnbbench.implementations.objects import Code, code_in, code_of, with_parameters
from gnbbench.implementations.probing import Data, found_convention


def implementation(given: Any, data: Data = None) -> Implementation:
    """Return the implementation that a text or an object stands for.

    How code of others wants to be called is tried out, on data if made ones do not do.
    """
    if isinstance(given, Implementation):
        return given
    code = named_code(given) if isinstance(given, str) else code_of(given)
    if isinstance(code, Code):
        how = found_convention(code.make, code.conventions, data)
        if isinstance(given, str):
            # In whatever process it is made, it is loaded anew.
            text = parsed(given).absolute
            forget(text)
            code = replace(code, make=partial(fresh, text, code.digest))
        code = code.called(how)
    elif parsed(given).query:
        code = replace(code, make=partial(fresh, given, code.digest))
    return replace(code, specification=given if isinstance(given, str) else "")


def is_foreign(given: Any) -> bool:
    """Tell whether a text or object stands for code of others; nothing is loaded."""
    if isinstance(given, str):
        return parsed(given).place not in by_name()
    return given.foreign if isinstance(given, Implementation) else True


def forget(text: str) -> None:
    """Have a file loaded anew: what was tried out may have left its traces."""
    specification = parsed(text)
    if specification.kind == "file":
        module, _ = _module_of(specification)
        sys.modules.pop(module.__name__, None)
        _cached.cache_clear()


def fresh(text: str, digest: str, *given: Any) -> Any:
    """Return a fresh model of what a text stands for, in whatever process this is."""
    return _cached(text, digest).make(*given)


@cache
def _cached(text: str, digest: str) -> Implementation | Code:
    specification = parsed(text)
    found = named_code(text)
    if found.digest != digest:
        remedy = "Run the command again; it is now a new study."
        raise ImplementationError(
            specification.where, "was changed while the study ran", remedy
        )
    return found


def named_code(text: str) -> Implementation | Code:
    """Return what a text stands for: an implementation of the catalogue, or code of others.

    What makes code holds in this process alone.
    """
    specification = parsed(text)
    place, query = specification.place, specification.query
    if specification.kind == "name":
        return _of_name(specification)
    is_file = specification.kind == "file"
    module, digest = _module_of(specification) if is_file else (imported(place), "")
    notes = vars(module).get("__left_out__") if is_file else ""
    code = code_in(module, place, specification.attribute, specification.parameters)
    return replace(
        code,
        name=code.name + query,
        description=f"{code.name} of {place}",
        digest=digest,
        notes=(*([notes] if notes else []), *code.notes),
    )


def _module_of(specification: Specification) -> tuple[ModuleType, str]:
    """Return the module of a file, and the digest of it and of what it imports."""
    path = Path(specification.place).expanduser()
    wanted = specification.attribute.partition(".")[0].partition("+")[0]
    digest = digest_of(path)
    return module_of(path, digest, wanted), digest


def _of_name(specification: Specification) -> Implementation | Code:
    name, parameters = specification.place, specification.parameters
    known = by_name()
    if name not in known:
        points = announced()
        if name not in points:
            raise unknown_name(name)
        code = code_of(announced_object(points[name]), name, parameters)
        return replace(code, name=name + specification.query)
    entry = known[name]
    if not parameters:
        return entry
    entry = with_parameters(entry, parameters, where=name)
    return replace(entry, name=name + specification.query)


def implementations(
    reference: Any, against: Any, *, timeout_seconds: float | None = None, data: Data = None
) -> tuple[Implementation, ...]:
    """Return the reference and its competitors, under names that differ."""

    def found(given: Any) -> Implementation:
        if timeout_seconds is not None and is_foreign(given):
            # It looks up in a worker process, by this module, what is named.
            from gnbbench.implementations.isolation import isolated

            return isolated(given, timeout_seconds=timeout_seconds, data=data)
        return implementation(given, data)

    if isinstance(against, Mapping):
        named = zip(against, each_loaded(found, list(against.values())), strict=True)
        competitors = [replace(entry, name=str(name)) for name, entry in named]
    else:
        given = list(against) if isinstance(against, list | tuple) else [against]
        check_named_once([reference, *given], "--against", ", the reference included")
        competitors = each_loaded(found, given)
    if not competitors:
        raise OptionError("--against", "nothing to compare", "Name an implementation.")
    entries = [found(reference), *competitors]
    check_installed(*entries)
    return with_distinct_names(entries)


def each_loaded(
    found: Callable[[Any], Implementation], given: Sequence[Any]
) -> list[Implementation]:
    """Return what each stands for; one that cannot be loaded stops none of several.

    It is then an implementation that fails. Raise where none can be loaded.
    """
    entries: list[Implementation] = []
    errors: list[GnbBenchError] = []
    for one in given:
        try:
            entries.append(found(one))
        except GnbBenchError as error:
            may_be_broken = isinstance(one, str) and parsed(one).kind != "name"
            if not may_be_broken or type(error) is OptionError:
                raise
            errors.append(error)
            message = str(error)
            make = partial(_refuse, message)
            entries.append(Implementation(Path(one).name, make, message, one, foreign=True))
    if errors and len(errors) == len(given):
        raise errors[0] if len(errors) == 1 else GnbBenchError(*map(str, errors))
    return entries


def _refuse(message: str) -> NoReturn:
    raise GnbBenchError(message)


def check_named_once(given: Sequence[Any], option: str, note: str = "") -> None:
    """Raise where one text stands for two implementations."""
    names = [value for value in given if isinstance(value, str)]
    for name in names:
        if names.count(name) > 1:
            remedy = "Name each implementation once."
            raise OptionError(option, f"'{name}' is named twice{note}", remedy)


def with_distinct_names(given: list[Implementation]) -> tuple[Implementation, ...]:
    """Return implementations of equal name as Mine, Mine 2, Mine 3."""
    names = [entry.name for entry in given]
    counts = [names[: place + 1].count(name) for place, name in enumerate(names)]
    return tuple(
        replace(entry, name=f"{entry.name} {count}") if count > 1 else entry
        for entry, count in zip(given, counts, strict=True)
    )

"""The implementations of a study, the reference first, under names that differ."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gnbbench.errors import OptionError
from gnbbench.implementations.declaration import Implementation
from gnbbench.implementations.isolation import isolated
from gnbbench.implementations.libraries import check_installed
from gnbbench.implementations.lookup import implementation, is_foreign


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
        _check_named_once([reference, *given])
        competitors = [_found(value, timeout_seconds) for value in given]
    if not competitors:
        raise OptionError("--against", "nothing to compare", "Name an implementation.")
    return _with_distinct_names([_found(reference, timeout_seconds), *competitors])


def _found(given: Any, timeout_seconds: float | None) -> Implementation:
    if timeout_seconds is not None and is_foreign(given):
        return isolated(given, timeout_seconds=timeout_seconds)
    found = implementation(given)
    check_installed(found)
    return found


def _check_named_once(given: list[Any]) -> None:
    names = [value for value in given if isinstance(value, str)]
    for name in names:
        if names.count(name) > 1:
            raise OptionError(
                "--against",
                f"'{name}' is named twice, the reference included",
                "Name each implementation once.",
            )


def _with_distinct_names(given: list[Implementation]) -> tuple[Implementation, ...]:
    """Return implementations of equal name as Mine, Mine 2, Mine 3."""
    taken: dict[str, int] = {}
    result = []
    for entry in given:
        taken[entry.name] = taken.get(entry.name, 0) + 1
        count = taken[entry.name]
        name = entry.name if count == 1 else f"{entry.name} {count}"
        result.append(replace(entry, name=name))
    return tuple(result)

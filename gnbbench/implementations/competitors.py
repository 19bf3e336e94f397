"""The implementations of a study: the reference and its competitors."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from gnbbench.errors import GnbBenchError, OptionError
from gnbbench.implementations.answers import answered_ahead
from gnbbench.implementations.attempts import Data
from gnbbench.implementations.catalogue import Implementation, check_installed
from gnbbench.implementations.isolation import isolated
from gnbbench.implementations.lookup import implementation, is_foreign
from gnbbench.implementations.names import is_program, parsed
from gnbbench.implementations.programs import program
from gnbbench.words import distinct

UNLIMITED_SECONDS = 3600.0  # Of all starts of a program, if there is no limit


def implementations(
    reference: Any,
    against: Any,
    *,
    timeout_seconds: float | None = None,
    data: Data = None,
    keep: Path | None = None,
) -> tuple[Implementation, ...]:
    """Return the reference and its competitors, under names that differ."""

    def load(specification: Any) -> Implementation:
        if is_program(specification):
            limit = timeout_seconds or UNLIMITED_SECONDS
            started = program(specification, keep)
            specification = replace(started, ahead=partial(answered_ahead, seconds=limit))
        if timeout_seconds is not None and is_foreign(specification):
            return isolated(specification, timeout_seconds=timeout_seconds, data=data)
        return implementation(specification, data)

    if isinstance(against, Mapping):
        named = zip(against, each_loaded(load, list(against.values())), strict=True)
        competitors = [replace(entry, name=str(name)) for name, entry in named]
    else:
        specifications = list(against) if isinstance(against, list | tuple) else [against]
        every_name = [reference, *specifications]
        check_named_once(every_name, "--against", ", the reference included")
        competitors = each_loaded(load, specifications)
    if not competitors:
        raise OptionError("--against", "nothing to compare", "Name an implementation.")
    entries = [load(reference), *competitors]
    check_installed(*entries)
    return with_distinct_names(entries)


def each_loaded(
    load: Callable[[Any], Implementation], specifications: Sequence[Any]
) -> list[Implementation]:
    """Load implementations; one of several that cannot be loaded fails when called.

    Raise if none can be loaded.
    """
    entries: list[Implementation] = []
    errors: list[GnbBenchError] = []
    for specification in specifications:
        try:
            entries.append(load(specification))
        except GnbBenchError as error:
            may_be_broken = (
                isinstance(specification, str) and parsed(specification).kind != "name"
            )
            if not may_be_broken or type(error) is OptionError:
                raise
            errors.append(error)
            message = str(error)
            broken = Implementation(
                Path(specification).name,
                partial(_refuse, message),
                message,
                specification,
                foreign=True,
            )
            entries.append(broken)
    if errors and len(errors) == len(specifications):
        raise errors[0] if len(errors) == 1 else GnbBenchError(*map(str, errors))
    return entries


def _refuse(message: str) -> NoReturn:
    raise GnbBenchError(message)


def check_named_once(specifications: Sequence[Any], option: str, note: str = "") -> None:
    """Raise if an implementation is named twice."""
    names = [name for name in specifications if isinstance(name, str)]
    for name in names:
        if names.count(name) > 1:
            remedy = "Name each implementation once."
            raise OptionError(option, f"'{name}' is named twice{note}", remedy)


def with_distinct_names(entries: list[Implementation]) -> tuple[Implementation, ...]:
    """Return the implementations; those of equal name become Mine, Mine 2, Mine 3."""
    names = distinct((entry.name for entry in entries), "{} {}")
    pairs = zip(entries, names, strict=True)
    return tuple(replace(entry, name=name) for entry, name in pairs)

"""What a shell offers where a name or one of some values is typed."""

from collections.abc import Callable, Iterator
from typing import Any, Literal, get_args, get_origin

from gnbbench.studies.option import option_of


def candidates(name: str, field: Any) -> Callable[[str], list[str]] | None:
    """Return what completes an option's value; where it is None or empty, files are."""
    if name in {"against", "reference", "implementation"}:
        return _beginning("implementations")
    if name == "data" and option_of(field).is_argument:
        return _beginning("datasets")
    if name == "missing":
        return _beginning("error drop")
    is_choice = get_origin(field.annotation) is Literal
    return _beginning(" ".join(get_args(field.annotation))) if is_choice else None


def _beginning(of: str) -> Callable[[str], list[str]]:
    def found(incomplete: str) -> list[str]:
        return [name for name in _names(of) if name.startswith(incomplete)]

    return found


def _names(of: str) -> Iterator[str]:
    if of == "datasets":
        from gnbbench.data.catalogue import names

        yield from names()
    elif of == "implementations":
        from gnbbench.implementations.catalogue import by_name

        yield from by_name()
    else:
        yield from of.split()

"""TOML tables validated by pydantic; every mistake is reported with its line."""

import tomllib
from collections.abc import Collection, Mapping, Sequence
from types import UnionType
from typing import Any, TypeAlias, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError, create_model
from pydantic.fields import FieldInfo

from gnbbench.errors import ConfigurationError, meant

# Path of a value: keys by name, and a table in an array by its index.
Key: TypeAlias = tuple[str | int, ...]

STRICT = ConfigDict(extra="forbid", strict=True)
# Expected type -> wording in a remedy
ASKED: Mapping[Any, str] = {
    str: "text in quotes",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    dict: "a table",
    tuple[str, ...]: 'a list of text, such as ["a", "b"]',
    tuple[float, ...]: "a list of numbers, such as [0.1, 0.5]",
}
# Actual type -> wording in a message
CALLED = {str: "text", int: "a whole number", float: "a number with a point"}
CALLED |= {bool: "true or false", tuple: "a list", dict: "a table"}


def optional_keys(name: str, types: Mapping[str, Any]) -> type[BaseModel]:
    """Return a model of a table whose keys are all optional."""
    keys: dict[str, Any] = {key: (kind, None) for key, kind in types.items()}
    return create_model(name, __config__=STRICT, **keys)


def frozen(value: Any) -> Any:
    """Return a TOML value with tuples in place of lists."""
    if isinstance(value, dict):
        return {key: frozen(item) for key, item in value.items()}
    return tuple(map(frozen, value)) if isinstance(value, list) else value


def line_of(text: str, path: Sequence[str | int]) -> int:
    """Return the line number, from 1, where the statement that sets a key begins.

    The text up to a line is valid TOML only if no statement is cut in two, so the
    lines between two valid cuts are one statement. The first cut after which the key is
    present ends the statement that sets it.
    """
    lines = text.split("\n")
    begin = 1
    for end in range(1, len(lines) + 1):
        try:
            read = tomllib.loads("\n".join(lines[:end]))
        except tomllib.TOMLDecodeError:
            continue
        if _holds(read, path):
            return begin
        begin = end + 1
    return 1


def _holds(table: Any, path: Sequence[str | int]) -> bool:
    try:
        for key in path:
            table = table[key]
    except (KeyError, IndexError, TypeError):
        return False
    return True


def hint(name: str, known: Collection[str]) -> str:
    """Suggest a known name, or list all of them."""
    return meant(name, known, instead=f"Known: {', '.join(known)}.")


class TableReader:
    """Reads one TOML text and locates its keys."""

    example: str  # Path of an example file

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text.replace("\r\n", "\n"), name

    def loaded(self) -> dict[str, Any]:
        """Parse the text, with tuples in place of lists."""
        try:
            table: dict[str, Any] = frozen(tomllib.loads(self.text))
        except tomllib.TOMLDecodeError as error:
            raise self.refusal(f"it is not valid TOML: {error}") from error
        except RecursionError as error:
            raise self.refusal("its lists are nested too deeply") from error
        return table

    def refusal(self, what: str) -> ConfigurationError:
        """Return an error about the whole text."""
        return ConfigurationError(self.name, what, f"See {self.example}.")

    def error(self, key: Key, what: str, remedy: str) -> ConfigurationError:
        """Return an error about a key, with its line."""
        where = f"{self.name}, line {line_of(self.text, key)}"
        return ConfigurationError(where, what.rstrip("."), remedy)

    def check(self, table: Mapping[str, Any], model: type[BaseModel], where: Key) -> None:
        """Raise for the first key that is unknown, missing or has a wrong value."""
        try:
            model.model_validate(table)
        except ValidationError as error:
            faults = {str(fault["loc"][0]): fault["type"] for fault in error.errors()}
        else:
            return
        key = next((key for key in table if key in faults), next(iter(faults)))
        parts = ".".join(part for part in where if isinstance(part, str))
        place = f" in [{parts}]" if where else ""
        if faults[key] == "missing":
            raise self.error(where, f"'{key}' is missing{place}", "Add it.")
        if faults[key] == "extra_forbidden":
            what, remedy = f"unknown key '{key}'{place}", self.unknown(key, model)
            raise self.error((*where, key), what, remedy)
        what, value = "has a wrong value", table[key]
        if faults[key].endswith("_type"):
            called = CALLED.get(type(value), "a date or time")
            what = f"is {str(value).lower() if isinstance(value, bool) else called}"
        remedy = f"Give {_asked(model.model_fields[key])}."
        raise self.error((*where, key), f"'{key}' {what}", remedy)

    def unknown(self, key: str, model: type[BaseModel]) -> str:
        """Return the remedy for an unknown key."""
        return hint(key, model.model_fields)


def _asked(field: FieldInfo) -> str:
    """Describe the valid values of a key."""
    if field.description:
        return field.description
    annotation = field.annotation
    is_union = get_origin(annotation) in {Union, UnionType}
    kinds = get_args(annotation) if is_union else (annotation,)
    first = kinds[0]
    words = ASKED.get(first) or ASKED.get(get_origin(first))
    choices = " or ".join(f'"{name}"' for name in get_args(first) if name)
    return (words or choices) + (", or a list of what it may be" if is_union else "")

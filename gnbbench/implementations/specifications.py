"""What a user typed to name an implementation, taken apart; nothing is loaded."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from gnbbench.errors import ImplementationError

_WORDS = {
    "true": True,
    "false": False,
    "none": None,
    "inf": float("inf"),
    "-inf": -float("inf"),
    "nan": float("nan"),
}
_BRACKETS = tuple("[({'\"")


@dataclass(frozen=True)
class Specification:
    """Where an implementation is to be found, and what its constructor is given."""

    kind: Literal["name", "module", "file"]
    place: str  # The name, the dotted module or the path
    attribute: str  # What to take of the module or file; empty when that was left open
    # For the constructor, or for the function besides its three arrays
    parameters: Mapping[str, Any]
    query: str  # The parameters as typed, question mark included

    @property
    def where(self) -> str:
        """What was typed, without parameters."""
        return f"{self.place}:{self.attribute}" if self.attribute else self.place

    @property
    def absolute(self) -> str:
        """The whole text again, which holds in any working directory."""
        if self.kind != "file":
            return f"{self.where}{self.query}"
        path = Path(self.place).expanduser().absolute()
        return f"{path}:{self.attribute}{self.query}"


def parsed(text: str) -> Specification:
    """Return the parts of ``PLACE[:NAME][?key=value&...]``."""
    target, mark, options = text.partition("?")
    parameters = _parameters(target, options) if mark else {}
    query = mark + options
    place, colon, attribute = target.rpartition(":") if ":" in target else (target, "", "")
    if target.endswith(".py"):
        return Specification("file", target, "", parameters, query)
    if place.endswith(".py"):
        return Specification("file", place, attribute, parameters, query)
    if "/" in target or "\\" in target or Path(place).is_file():
        raise ImplementationError(
            target, "is no Python file", "Give path/to/file.py:Class or file.py:function."
        )
    if colon:
        return Specification("module", place, attribute, parameters, query)
    return Specification("name", target, "", parameters, query)


def _parameters(where: str, text: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for part in text.split("&"):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not key.isidentifier():
            raise ImplementationError(
                where, f"'{part}' is no parameter", "Write ?key=value&key=value after it."
            )
        if key in found:
            raise ImplementationError(
                where, f"the parameter '{key}' is given twice", "Give it once."
            )
        found[key] = _value(where, key, value)
    return found


def _value(where: str, key: str, text: str) -> Any:
    """Return a number, truth value, None or list where the text reads so, else the text."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        if text.startswith(_BRACKETS):
            raise ImplementationError(
                where,
                f"the value of '{key}' cannot be read: {text[:60]}",
                "Write lists as [0.2, 0.8] and texts plainly or in matching quotes.",
            ) from error
        return text

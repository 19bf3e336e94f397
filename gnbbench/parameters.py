"""Parameters after a name: ``NAME?key=value&key=value``."""

import ast
from typing import Any

from gnbbench.errors import PlacedError

_WORDS = {
    "true": True,
    "false": False,
    "none": None,
    **{text: float(text) for text in ("inf", "-inf", "nan")},
}
_BRACKETS = tuple("[({'\"")


def parameters_in(text: str, where: str, error: type[PlacedError]) -> dict[str, Any]:
    """Parse the parameters after a question mark; `where` is for errors."""
    parameters: dict[str, Any] = {}
    for part in text.split("&"):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not key.isidentifier():
            remedy = "Write ?key=value&key=value after it."
            raise error(where, f"'{part}' is not key=value", remedy)
        if key in parameters:
            raise error(where, f"the parameter '{key}' is given twice", "Give it once.")
        parameters[key] = _value(value, key, where, error)
    return parameters


def _value(text: str, key: str, where: str, error: type[PlacedError]) -> Any:
    """Parse a number, boolean, None or list; return other text unchanged."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as cause:
        if text.startswith(_BRACKETS):
            what = f"the value of '{key}' cannot be read: {text[:60]}"
            remedy = "Write lists as [0.2, 0.8], and text plainly or in matching quotes."
            raise error(where, what, remedy) from cause
        return text

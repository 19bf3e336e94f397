"""What a module or file holds that can be compared."""

import inspect
from collections.abc import Callable
from difflib import get_close_matches
from types import ModuleType
from typing import Any

from gnbbench.errors import ImplementationError

_FUNCTION = "fit_predict"
_CONTRACT = (
    "a class with fit and predict, or a function fit_predict(X_train, y_train, X_test)"
)


def member(module: ModuleType, where: str, attribute: str) -> Any:
    """Return what a name stands for in a module; without a name, its one candidate."""
    if not attribute:
        return _only_candidate(module, where)
    found: Any = module
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise _missing(found, where, part, candidates(module))
        found = getattr(found, part)
    return found


def candidates(module: ModuleType) -> list[str]:
    """Return the names of what a module itself defines and a study can compare."""
    own = {
        name: value
        for name, value in vars(module).items()
        if getattr(value, "__module__", None) == module.__name__ and name[0] != "_"
    }
    classes = [name for name, value in own.items() if _is_estimator_class(value)]
    functions = [name for name, value in own.items() if _is_fit_predict(value)]
    named = [name for name in functions if name == _FUNCTION]
    return classes or named or functions


def _only_candidate(module: ModuleType, where: str) -> Any:
    found = candidates(module)
    if not found:
        raise ImplementationError(
            where, f"does not hold {_CONTRACT}", f"Write one, or name it: {where}:NAME"
        )
    if len(found) > 1:
        raise ImplementationError(
            where,
            f"holds more than one to compare ({', '.join(found)})",
            f"Name one: {where}:{found[0]}",
        )
    return getattr(module, found[0])


def _is_estimator_class(value: Any) -> bool:
    return (
        isinstance(value, type)
        and not inspect.isabstract(value)
        and all(callable(getattr(value, name, None)) for name in ("fit", "predict"))
    )


def _is_fit_predict(value: Any) -> bool:
    """Tell whether a function is called so, or takes (X..., y..., X...)."""
    if not inspect.isfunction(value):
        return False
    names = [name.lower() for name in _required(value)]
    return value.__name__ == _FUNCTION or (
        len(names) == 3 and [name[0] for name in names] == ["x", "y", "x"]
    )


def _required(function: Callable[..., Any]) -> list[str]:
    return [
        name
        for name, one in inspect.signature(function).parameters.items()
        if one.default is one.empty and one.kind is one.POSITIONAL_OR_KEYWORD
    ]


def _missing(holder: Any, where: str, part: str, offered: list[str]) -> ImplementationError:
    names = [name for name in dir(holder) if not name.startswith("_")]
    guesses = get_close_matches(part, names, n=1, cutoff=0.5) or offered[:1]
    hint = f"Did you mean '{guesses[0]}'?" if guesses else f"Name {_CONTRACT}."
    return ImplementationError(where, f"has no '{part}'", hint)

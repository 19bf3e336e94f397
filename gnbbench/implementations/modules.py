"""An importable module, and what it or a file holds that can be compared."""

import contextlib
import importlib
import inspect
import io
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from importlib.metadata import EntryPoint
from types import ModuleType
from typing import Any

from gnbbench.errors import ImplementationError

_FUNCTION = "fit_predict"
_CONTRACT = (
    "a class with fit and predict, or a function fit_predict(X_train, y_train, X_test)"
)


def imported(name: str) -> ModuleType:
    """Return the module; what it prints while it is imported is dropped."""
    check_module_name(name)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and f"{name}.".startswith(f"{error.name}."):
            raise absent_module(name, error.name) from error
        raise _does_not_load(name, error) from error
    except (Exception, SystemExit) as error:
        raise _does_not_load(name, error) from error


def check_module_name(name: str) -> None:
    """Raise unless a text can be the dotted name of a module."""
    if not all(part.isidentifier() for part in name.split(".")):
        raise ImplementationError(
            name, "is no name of a module", "Give package.module:Class or file.py:Class."
        )


def absent_module(name: str, absent: str) -> ImplementationError:
    """Return the error for a module that cannot be found, or for a package it is in."""
    return ImplementationError(
        name,
        f"there is no module '{absent}' here",
        "Install it, or give the file: path/to/file.py:Class.",
    )


def announced_object(point: EntryPoint) -> object:
    """Return what the entry point stands for."""
    try:
        found: object = point.load()
    except Exception as error:
        package = point.dist.name if point.dist else "its package"
        raise ImplementationError(
            point.name,
            f"the entry point {point.value} of {package} does not load "
            f"({type(error).__name__}: {error})",
            f"Install {package} anew, or ask those who make it.",
        ) from error
    return found


def _does_not_load(name: str, error: BaseException) -> ImplementationError:
    return ImplementationError(
        name,
        f"raises {type(error).__name__} when it is imported: {error}",
        f"Mend that; see all with: python -c 'import {name}'",
    )


def member(module: ModuleType, where: str, attribute: str) -> Any:
    """Return what a name stands for in a module; without a name, its one candidate."""
    if not attribute:
        return _only_candidate(module, where)
    found: Any = module
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise missing_member(where, part, dir(found), candidates(module))
        found = getattr(found, part)
    return found


def candidates(module: ModuleType) -> list[str]:
    """Return the names of what a module itself defines and a study can compare."""
    defined = {
        name: value
        for name, value in vars(module).items()
        if getattr(value, "__module__", None) == module.__name__ and name[0] != "_"
    }
    classes = [name for name, value in defined.items() if _is_estimator_class(value)]
    functions = [name for name, value in defined.items() if _is_fit_predict(value)]
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
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.default is parameter.empty
        and parameter.kind is parameter.POSITIONAL_OR_KEYWORD
    ]


def missing_member(
    where: str, part: str, known: Iterable[str], offered: Sequence[str]
) -> ImplementationError:
    """Return the error for a name that a module has not, beside those that it has."""
    names = [name for name in known if not name.startswith("_")]
    guesses = get_close_matches(part, names, n=1, cutoff=0.5) or offered[:1]
    hint = f"Did you mean '{guesses[0]}'?" if guesses else f"Name {_CONTRACT}."
    return ImplementationError(where, f"has no '{part}'", hint)

"""A class, a function or an object becomes an implementation."""

import copy
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from typing import Any, Self

import numpy as np

from gnbbench.errors import ImplementationError
from gnbbench.implementations.catalogue import Implementation

_CONTRACT = (
    "Give a name (see: gnbbench list implementations), an object with fit(X, y) and "
    "predict(X), or a function of (X_train, y_train, X_test)."
)


def of_object(
    given: Any, *, where: str = "", parameters: Mapping[str, Any] | None = None
) -> Implementation:
    """Return the implementation that something other than a text stands for."""
    where, chosen = where or repr(given), dict(parameters or {})
    if isinstance(given, Implementation):
        return with_parameters(given, chosen, where=where) if chosen else given
    if inspect.isroutine(given) or isinstance(given, partial):
        return _of_function(given, where, chosen)
    missing = [name for name in ("fit", "predict") if not _has(given, name)]
    if missing:
        raise ImplementationError(where, f"has no {' and no '.join(missing)}", _CONTRACT)
    if isinstance(given, type):
        _check_taken(given, where, chosen, skipped=0)
        return Implementation(
            given.__name__,
            partial(given, **chosen) if chosen else given,
            f"class {given.__module__}.{given.__name__}",
            foreign=True,
        )
    kind = type(given)
    described = f"object of {kind.__module__}.{kind.__name__}"
    entry = Implementation(
        kind.__name__, partial(_fresh_copy, given), described, foreign=True
    )
    return with_parameters(entry, chosen, where=where) if chosen else entry


def with_parameters(
    entry: Implementation, parameters: Mapping[str, Any], *, where: str
) -> Implementation:
    """Return an implementation whose models have parameters set after they are made."""
    model = entry.make()
    if not _has(model, "get_params") or not _has(model, "set_params"):
        raise ImplementationError(where, "takes no parameters", "Name it without '?'.")
    known = model.get_params()
    for name in parameters:
        if name not in known:
            raise _unknown(where, name, known)
    return replace(entry, make=partial(_with_parameters_set, entry.make, dict(parameters)))


def _of_function(given: Any, where: str, parameters: dict[str, Any]) -> Implementation:
    _check_taken(given, where, parameters, skipped=3)
    function = getattr(given, "func", given)
    return Implementation(
        function.__name__,
        partial(FunctionEstimator, given, parameters),
        f"function {function.__module__}.{function.__name__}",
        foreign=True,
    )


def _check_taken(
    make: Callable[..., Any], where: str, parameters: Mapping[str, Any], *, skipped: int
) -> None:
    """Refuse parameters that a callable does not know, and those it needs and has not."""
    try:
        signature = inspect.signature(make)
    except (ValueError, TypeError):  # as some compiled classes: found out when made
        return
    every = list(signature.parameters.values())
    positional = [parameter for parameter in every if parameter.kind in {0, 1}]
    if len(positional) < skipped and not any(parameter.kind == 2 for parameter in every):
        raise ImplementationError(
            where,
            f"has no fit and no predict, and takes {signature}",
            _CONTRACT,
        )
    named = [parameter for parameter in every[skipped:] if parameter.kind in {1, 3}]
    known = [parameter.name for parameter in named]
    for name in parameters:
        if name not in known and not any(parameter.kind == 4 for parameter in every):
            raise _unknown(where, name, known)
    for parameter in named:
        if parameter.default is parameter.empty and parameter.name not in parameters:
            raise ImplementationError(
                where,
                f"cannot be made without its parameter '{parameter.name}'",
                f"Give it: {where}?{parameter.name}=VALUE",
            )


def _unknown(where: str, name: str, known: Iterable[str]) -> ImplementationError:
    names = sorted(known)
    guesses = get_close_matches(name, names, n=1)
    hint = f"Did you mean '{guesses[0]}'? " if guesses else ""
    remedy = f"It takes: {', '.join(names)}." if names else "It takes none."
    return ImplementationError(where, f"has no parameter '{name}'", hint + remedy)


def _has(given: Any, name: str) -> bool:
    return callable(getattr(given, name, None))


def _with_parameters_set(make: Callable[[], Any], parameters: dict[str, Any]) -> Any:
    return make().set_params(**parameters)


def _fresh_copy(given: Any) -> Any:
    """Return an unfitted copy, by its parameters where it tells them."""
    if hasattr(given, "get_params"):
        from sklearn.base import clone

        return clone(given)
    return copy.deepcopy(given)


class FunctionEstimator:
    """Offers ``fit`` and ``predict`` by one function, and nothing that it does not.

    Every call gets arrays of its own, so that a function which changes them does not
    change what the next call sees.
    """

    def __init__(
        self, function: Callable[..., Any], parameters: Mapping[str, Any] | None = None
    ) -> None:
        self.function = function
        self.parameters = dict(parameters or {})

    def fit(self, X: Any, y: Any) -> Self:
        """Return the estimator with its train side kept."""
        self._train_side = np.array(X), np.array(y)
        return self

    def predict(self, X: Any) -> Any:
        """Return what the function says of these samples after the train side."""
        if not hasattr(self, "_train_side"):
            raise ValueError("call fit before predict")
        X_train, y_train = self._train_side
        return self.function(X_train.copy(), y_train.copy(), np.array(X), **self.parameters)

"""Turn a class, an object or functions into an implementation."""

import copy
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from types import SimpleNamespace
from typing import Any

from gnbbench.errors import ImplementationError, meant
from gnbbench.implementations import tasks
from gnbbench.implementations.adapting import AdaptedModel, positional
from gnbbench.implementations.catalogue import Implementation
from gnbbench.implementations.conventions import CHANCES, ONE_CALL, Convention
from gnbbench.implementations.modules import missing_member
from gnbbench.implementations.roles import (
    asks_by_name,
    does_nothing,
    is_data,
    needed_for,
    parameters_of,
    required,
)
from gnbbench.implementations.sources import Call
from gnbbench.implementations.ways import at_once, of_class, of_function, of_named
from gnbbench.words import listing

_CONTRACT = (
    "Give a name (see: gnbbench list implementations), an object with fit(X, y) and "
    "predict(X), or a function of (X_train, y_train, X_test)."
)
METHODS = ("fit", "predict")


@dataclass(frozen=True)
class Code:
    """Third-party code and its possible conventions."""

    name: str
    # Returns the object with the methods or functions, given the convention's arguments
    make: Callable[..., Any]
    description: str
    conventions: tuple[Convention, ...]  # The likeliest first
    digest: str = ""  # Of the sources, for what comes from a file
    notes: tuple[str, ...] = ()  # What was done to load it
    not_judged: tuple[str, ...] = ()  # Other models beside it
    line: str = ""  # What names it, where it was found by trial
    remark: str = ""  # What it is, if no Gaussian naive Bayes

    def called(self, how: Convention) -> Implementation:
        """Return the implementation under one of the conventions."""
        return Implementation(
            self.name,
            self.make if how.is_plain else partial(AdaptedModel, self.make, how),
            self.description,
            digest=self.digest,
            foreign=True,
            called=how.called,
            adaptations=(*self.notes, *how.adaptations),
            contradictions=how.contradictions,
            unnormalised=how.unnormalised,
            not_judged=(*self.not_judged, *self._further(how), *_unlabelled(how)),
            remark=self.remark,
            limits=how.limits,
        )

    def _further(self, how: Convention) -> Iterator[str]:
        """Yield what was not judged, and is not part of what was left aside."""
        aside = re.split(r"\W+", " ".join(self.not_judged))
        yield from (name for name in how.not_judged if name.strip("`") not in aside)


def _unlabelled(how: Convention) -> Iterator[str]:
    """Yield a remark if the code itself returns no labels."""
    if how.answer == "score":
        yield f"labels of its own, as `{how.predict}` gives scores, whose largest was taken"
    if how.answer in CHANCES:
        chances = "log-odds" if how.answer == "odds" else "a probability"
        yield f"labels of its own, as `{how.predict}` gives {chances}"


def code_of(
    model: Any,
    where: str = "",
    parameters: Mapping[str, Any] | None = None,
    calls: Sequence[Call] = (),
) -> Code:
    """Return the code of a class, an object or a function."""
    where, chosen = where or repr(model), dict(parameters or {})
    if inspect.isroutine(model) or isinstance(model, partial):
        return _of_function(model, where, chosen)
    is_class = isinstance(model, type)
    methods = _methods_named(model, where, chosen)
    make: Callable[..., Any] = model if is_class else partial(_fresh_copy, model)
    if is_class and chosen:
        make = partial(model, **chosen)
    ways = _ways(model, make if is_class else None, methods, calls)
    if not ways and is_class and not methods and (whole := at_once(model)):
        code = _of_function(whole, where, chosen)
        return replace(code, name=model.__name__, description=f"class {model.__name__}")
    if not ways:
        raise _uncallable(model, where, methods)
    kind = model if is_class else type(model)
    _refuse_async((getattr(model, n, None) for n in (ways[0].fit, ways[0].predict)), where)
    fitting = inspect.getattr_static(model, ways[0].fit, None)
    makes_itself = isinstance(fitting, classmethod | staticmethod)
    if is_class and not chosen and needed_for(make) and makes_itself:
        make, is_class = (lambda: model), False
    described = f"{'class' if is_class else 'object of'} {kind.__module__}.{kind.__name__}"
    if is_class:
        _check_known(_known(model), where, chosen)
        missing = [] if ways[0].made_of else needed_for(make)
        _check_written(model, ways[0].predict, missing, where)
        _check_complete(missing, where)
    elif chosen:
        _check_settable(model, where, chosen)
        make = partial(_with_parameters_set, make, chosen)
    return Code(kind.__name__, positional(make), described, ways)


def _ways(
    model: Any, make: Any, methods: Mapping[str, str], calls: Sequence[Call]
) -> tuple[Convention, ...]:
    """Return the conventions of a class or object; those by shape if it has no others."""
    named = of_class(model, make, methods.get("fit", ""), methods.get("predict", ""), calls)
    own = tasks.methods_of(model)
    pairs = [] if methods or named else tasks.pairs_by_shape(own, of_object=True)
    return tuple(named or chain(*(of_class(model, make, *pair) for pair in pairs)))


def _refuse_async(functions: Iterable[Any], where: str) -> None:
    for function in filter(inspect.iscoroutinefunction, functions):
        name = function.__name__
        what = f"`{name}` is an async def, which does nothing until it is awaited"
        raise ImplementationError(where, what, f"Write def {name}, without async.")


def _uncallable(model: Any, where: str, methods: Mapping[str, str]) -> ImplementationError:
    """Return the error for a class or object without a known convention."""
    fit, ask = methods.get("fit", ""), methods.get("predict", "predict")
    if has(model, ask) and not parameters_of(tasks.method_of(model, ask)):
        remedy = "Let it take the samples to label: def predict(self, X)."
        return ImplementationError(where, f"`{ask}` takes nothing", remedy)
    learns = [fit] if fit else tasks.learning_methods(model)
    for name in learns[:1]:
        if more := required(tasks.method_of(model, name))[2:]:
            what = f"`{name}` takes {listing(more)} besides samples and labels"
            remedy = "Let it find them itself (n_features = X.shape[1]) or give defaults."
            return ImplementationError(where, what, remedy)
        what = f"`{name}` names no samples and labels among its parameters"
        if tables := required(tasks.method_of(model, name)):
            what = f"`{name}` takes {listing(tables)}, not samples and their labels"
        remedy = f"Let it take both: def {name}(self, X, y)."
        return ImplementationError(where, what, remedy)
    missing = [name for name in METHODS if not has(model, name)] or ["way to fit it"]
    return ImplementationError(where, f"has no {' and no '.join(missing)}", _CONTRACT)


def with_parameters(
    entry: Implementation, parameters: Mapping[str, Any], *, where: str
) -> Implementation:
    """Return an implementation that sets parameters of the models it makes."""
    _check_settable(entry.make(), where, parameters)
    return replace(entry, make=partial(_with_parameters_set, entry.make, dict(parameters)))


def _methods_named(model: Any, where: str, chosen: dict[str, Any]) -> dict[str, str]:
    """Pop fit=NAME and predict=NAME from typed parameters, unless the code takes them."""
    own = getattr(model, "get_params", dict)
    taken = set(_known(model) if isinstance(model, type) else own())
    names = {m: str(chosen.pop(m)) for m in METHODS if m in chosen and m not in taken}
    for name in names.values():
        if not has(model, name):
            methods = [n for n in dir(model) if n[0] != "_" and has(model, n)]
            raise missing_member(where, name, methods, methods)
    return names


def _of_function(func: Any, where: str, parameters: dict[str, Any]) -> Code:
    function = getattr(func, "func", func)
    name = function.__name__
    ways = of_function(func) or [Convention("", name, (), (), ONE_CALL)]
    skipped = len(ways[0].learns_from or ways[0].answers_from)
    kinds = [p.kind for p in parameters_of(func)]
    if 2 not in kinds and sum(kind < 2 for kind in kinds) < skipped:
        what = f"has no fit and no predict, and takes {inspect.signature(func)}"
        raise ImplementationError(where, what, _CONTRACT)
    needed = required(func)[skipped:]
    _check_complete([name for name in needed if name not in parameters], where)
    _check_known(_known(func)[skipped:], where, parameters)
    bound = {name: partial(func, **parameters) if parameters else func}
    described = f"function {function.__module__}.{name}"
    return Code(name, partial(SimpleNamespace, **bound), described, tuple(ways))


def code_of_functions(
    given: Sequence[Any],
    where: str,
    parameters: dict[str, Any],
    functions: Mapping[str, Callable[..., Any]],
    calls: Sequence[Call],
) -> Code:
    """Return the implementation that functions of a module form together."""
    are_functions = len(given) > 1 and all(map(callable, given))
    _refuse_async(given, where)
    chosen = [
        partial(function, **{n: v for n, v in parameters.items() if n in _known(function)})
        for function in given
        if are_functions
    ]
    bound = {function.func.__name__: function for function in chosen}
    if not (ways := of_named(bound, calls) if bound else []):
        remedy = "Write file.py:fit_function+predict_function."
        raise ImplementationError(where, "is not two functions to fit and predict", remedy)
    _check_known(
        [name for function in given for name in _known(function)], where, parameters
    )
    names = listing([*bound])
    described = f"functions {names} of {given[0].__module__}"
    for name in tasks.further_answers(functions, given[-1]):
        if not tasks.is_other_model(name):
            bound.setdefault(name, partial(functions[name]))
    return Code(names, partial(SimpleNamespace, **bound), described, tuple(ways))


class IncompleteError(ImplementationError):
    """Code that cannot be made without parameters that only its author knows."""

    def __init__(self, where: str, names: Sequence[str], remedy: str = "") -> None:
        noun, them = ("parameters", "them") if len(names) > 1 else ("parameter", "it")
        quoted = listing([f"'{name}'" for name in names])
        what = f"cannot be made without its {noun} {quoted}"
        advice = f"Give {them} a default{remedy}"
        if any(is_data(name) or asks_by_name(name) for name in names):
            advice = "Take samples and labels in fit, and rows to label in predict."
        super().__init__(where, what, advice)
        self.names = names

    def __reduce__(self) -> tuple[Any, ...]:
        return ImplementationError, (self.where, self.what, self.remedy)


def _check_written(model: Any, name: str, missing: Sequence[str], where: str) -> None:
    """Raise if the method that predicts has no body in code that is given no data."""
    if any(map(is_data, missing)) and does_nothing(getattr(model, name, None)):
        remedy = "Let it return one label per row, from samples that fit takes."
        raise ImplementationError(where, f"`{name}` is unwritten", remedy)


def _check_complete(needed: Sequence[str], where: str) -> None:
    """Raise if required parameters were not typed."""
    if needed:
        raise IncompleteError(where, needed)


def _check_known(known: Iterable[str], where: str, chosen: Iterable[str]) -> None:
    """Raise if a parameter is unknown."""
    names = sorted(known)
    for name in () if "**" in names else chosen:
        if name not in names:
            takes = f"It takes: {', '.join(names)}." if names else "It takes none."
            remedy = meant(name, names, takes)
            raise ImplementationError(where, f"has no parameter '{name}'", remedy)


def _known(model: Any) -> list[str]:
    """Return the parameters that can be passed by name, or ** if any can."""
    parameters = parameters_of(model)
    return ["**" if p.kind == 4 else p.name for p in parameters if p.kind in {1, 3, 4}]


def _check_settable(model: Any, where: str, parameters: Mapping[str, Any]) -> None:
    if not has(model, "get_params") or not has(model, "set_params"):
        raise ImplementationError(where, "takes no parameters", "Name it without '?'.")
    _check_known(model.get_params(), where, parameters)


def has(model: Any, name: str) -> bool:
    return callable(getattr(model, name, None))


def _with_parameters_set(make: Callable[[], Any], parameters: dict[str, Any]) -> Any:
    return make().set_params(**parameters)


def _fresh_copy(model: Any) -> Any:
    """Return an unfitted copy, made from its parameters if it has get_params."""
    if hasattr(model, "get_params"):
        from sklearn.base import clone

        return clone(model)
    return copy.deepcopy(model)

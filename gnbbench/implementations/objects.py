"""Turn a class, an object or functions into an implementation."""

import copy
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from gnbbench.errors import ImplementationError, meant
from gnbbench.implementations import tasks
from gnbbench.implementations.adapting import AdaptedModel
from gnbbench.implementations.catalogue import Implementation
from gnbbench.implementations.conventions import ONE_CALL, Convention
from gnbbench.implementations.modules import (
    absent_for,
    defined_in,
    functions_in,
    is_absent,
    missing_member,
)
from gnbbench.implementations.probing import ENOUGH, least_share
from gnbbench.implementations.roles import (
    is_data,
    joined,
    needed_for,
    parameters_of,
    required,
    words_of,
)
from gnbbench.implementations.sources import SAYS_BAYES, SUFFIXES, Call
from gnbbench.implementations.ways import (
    functions_to_name,
    is_abstract,
    is_unfinished,
    label_column,
    of_chain,
    of_class,
    of_function,
    of_functions,
    of_one_object,
    of_pair,
)
from gnbbench.words import listing

_CONTRACT = (
    "Give a name (see: gnbbench list implementations), an object with fit(X, y) and "
    "predict(X), or a function of (X_train, y_train, X_test)."
)
_METHODS = ("fit", "predict")
MOST_LISTED = 8  # Functions or methods of a file in which nothing is known
_CALLED = {"func", "function", "fn", "pdf", "density"}  # Parameters that are functions


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
        )

    def _further(self, how: Convention) -> Iterator[str]:
        """Yield what was not judged, and is not part of what was left aside."""
        aside = re.split(r"\W+", " ".join(self.not_judged))
        yield from (name for name in how.not_judged if name.strip("`") not in aside)


def _unlabelled(how: Convention) -> Iterator[str]:
    """Yield a remark if the code itself returns no labels."""
    if how.answer == "score":
        yield f"labels of its own, as `{how.predict}` gives scores, whose largest was taken"
    if how.answer == "chance":
        yield f"labels of its own, as `{how.predict}` gives a probability"


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
    maker = make if is_class else None
    fit, predict = methods.get("fit", ""), methods.get("predict", "")
    pair = [] if methods else tasks.pair_by_shape(model)
    ways = tuple(of_class(model, maker, fit, predict, calls))
    ways = ways or tuple(of_class(model, maker, pair[0], pair[1]) if pair else ())
    if not ways and is_class and not methods and (at_once := of_one_object(model)):
        learn, how = at_once
        call = partial(_asked_at_once, model, learn, how.predict.rpartition(".")[2])
        make = partial(SimpleNamespace, **{how.predict: call})
        return Code(model.__name__, make, f"class {model.__name__}", (how,))
    if not ways:
        raise _uncallable(model, where, fit, predict or "predict")
    kind = model if is_class else type(model)
    if is_class and not chosen and needed_for(make) and _makes_itself(model, ways[0].fit):
        make, is_class = partial(_itself, model), False
    described = f"{'class' if is_class else 'object of'} {kind.__module__}.{kind.__name__}"
    if is_class:
        _check_known(_known(model), where, chosen)
        _check_complete(() if ways[0].made_of else needed_for(make), where, make)
    elif chosen:
        _check_settable(model, where, chosen)
        make = partial(_with_parameters_set, make, chosen)
    return Code(kind.__name__, make, described, ways)


def _asked_at_once(kind: type, learn: str, ask: str, *data: Any) -> Any:
    """Return the answer of an object that is made with all data."""
    model = kind(*data)
    if learn:
        getattr(model, learn)()
    return getattr(model, ask)()


def _uncallable(model: Any, where: str, fit: str, ask: str) -> ImplementationError:
    """Return the error for a class or object without a known convention."""
    if _has(model, ask) and not parameters_of(tasks.method_of(model, ask)):
        remedy = "Let it take the samples to label: def predict(self, X)."
        return ImplementationError(where, f"`{ask}` takes nothing", remedy)
    learns = [fit] if fit else tasks.learning_methods(model)
    for name in learns[:1]:
        if more := required(tasks.method_of(model, name))[2:]:
            what = f"`{name}` takes {listing(more)} besides samples and labels"
            remedy = "Let it find them itself, such as n_features = X.shape[1], or give "
            remedy += "defaults."
            return ImplementationError(where, what, remedy)
        what = f"`{name}` names no samples and labels among its parameters"
        if tables := required(tasks.method_of(model, name)):
            what = f"`{name}` takes {listing(tables)}, not samples and their labels"
        remedy = f"Let it take both: def {name}(self, X, y)."
        return ImplementationError(where, what, remedy)
    missing = [name for name in _METHODS if not _has(model, name)] or ["way to fit it"]
    return ImplementationError(where, f"has no {' and no '.join(missing)}", _CONTRACT)


def with_parameters(
    entry: Implementation, parameters: Mapping[str, Any], *, where: str
) -> Implementation:
    """Return an implementation that sets parameters of the models it makes."""
    _check_settable(entry.make(), where, parameters)
    return replace(entry, make=partial(_with_parameters_set, entry.make, dict(parameters)))


def code_in(
    module: ModuleType, where: str, attribute: str, parameters: Mapping[str, Any]
) -> Code:
    """Return the code of a name in a module; without a name, of its only candidate."""
    place = f"{where}:{attribute}" if attribute else where
    short = Path(where).name if where.endswith(SUFFIXES) else where
    functions = functions_in(module)
    chosen = {
        name: functions.get(str(value), value) if name not in _METHODS else value
        for name, value in parameters.items()
    }
    if "+" in attribute:
        pair = [_member(module, where, name) for name in attribute.split("+")]
        calls = vars(module).get("__calls__", ())
        code = replace(_of_pair(pair, place, chosen, functions, calls), name=short)
        return _with_column(code, functions.values())
    if attribute:
        member = _member(module, where, attribute)
        code = _of_member(module, member, place, chosen)
        if not inspect.isroutine(member):
            return _with_column(code, tasks.members(member).values())
        code = _with_column(code, functions.values())
        return replace(code, name=f"{short}:{attribute}")
    classes = _classes(module, chosen)
    classes = classes or _classes(module, chosen, nested=True)
    named = [str(chosen.get(method)) for method in _METHODS]
    if not classes and set(named) <= set(functions):
        left = {name: value for name, value in chosen.items() if name not in _METHODS}
        return code_in(module, where, "+".join(named), left)
    calls = vars(module).get("__calls__", ())
    ways = of_functions(functions, calls)
    classes = classes or _private(module, chosen, ways)
    typed = dict.fromkeys(how.path for how in ways)
    beside = _beside(typed, classes, functions)
    classes = [] if beside else classes
    candidates = classes or list(typed)
    parts_of = {n: [_member(module, "", p) for p in n.split("+")] for n in candidates}
    used = {name: tasks.used_by(parts) for name, parts in parts_of.items()}
    libraries = {n for n, value in vars(module).items() if tasks.is_estimator(value)}
    own = [n for n in candidates if not used[n] & libraries] or candidates
    names = tasks.likeliest(own, used, of_classes=not typed or bool(classes))
    candidates += beside
    # What could not be made may have been the one to check.
    is_lost = "__lost__" in vars(module) and not any(map(SAYS_BAYES.search, names))
    if not names or is_lost:
        _check_reachable(functions, where)
        return _by_trial(module, where, is_open=not is_lost and not parameters)
    parts = {n: (used[n] - {n}) & {*names} for n in names} if classes else {}
    whole = [n for n in names if parts.get(n, set()) == {*names} - {n}]
    names = whole if len(whole) == 1 else names
    if len(names) > 1:
        several = f"contains several implementations ({', '.join(names)})"
        raise ImplementationError(where, several, f"Name one: {where}:{names[0]}")
    code = code_in(module, where, names[0], chosen)
    first_of = {n: _member(module, where, n.partition("+")[0]) for n in candidates}
    bases = getattr(first_of[names[0]], "__mro__", ())
    aside = [n for n in candidates if n not in {*names, *parts.get(names[0], ())}]
    others = listing(
        [n for n in aside if first_of[n] not in bases or tasks.is_other_model(n)]
    )
    if others:
        note = f"{names[0]} was taken; left aside: {others}"
        code = replace(code, notes=(note,), not_judged=(others,))
    return replace(code, name=short) if names[0] in typed else code


def _of_member(module: ModuleType, member: Any, place: str, chosen: dict[str, Any]) -> Code:
    """Return the code of what a file defines, made as the file makes it."""
    calls = vars(module).get("__calls__", ())
    own = _as_in_file(module, member, calls) if isinstance(member, type) else {}
    own = {name: value for name, value in own.items() if name not in chosen}
    code = code_of(member, place, {**own, **chosen}, calls)
    note = f"the constructor was given {listing([*own])} as in the file"
    return replace(code, notes=(*code.notes, *([note] if own else [])))


def _as_in_file(module: ModuleType, kind: type, calls: Sequence[Call]) -> dict[str, Any]:
    """Return what only the author can know of a constructor, as the file itself gives it.

    A parameter with a class of the file as its type gets an object of that.
    """
    wanted = [name for name in needed_for(kind) if not is_data(name)]
    values: dict[str, Any] = {}
    for parameter in parameters_of(kind) if wanted else ():
        typed = vars(module).get(str(getattr(parameter.annotation, "__name__", "")))
        if inspect.isclass(typed) and typed.__module__ == module.__name__:
            values |= {} if required(typed) else {parameter.name: typed()}
    for call in calls if wanted else ():
        if call.name == kind.__name__:
            args = dict(zip(required(kind), call.args, strict=False)) | call.named
            known = {n: o.name for n, o in args.items() if o.name in vars(module)}
            values |= {n: vars(module)[name] for n, name in known.items()}
    return {name: value for name, value in values.items() if name in wanted}


def _by_trial(module: ModuleType, where: str, *, is_open: bool) -> Code:
    """Return the code of names that label well by trial; else raise with what is there."""
    what, lines = what_is_there(module, where)
    shares: dict[str, float] = {}
    for line in lines if is_open else ():
        attribute, _, query = line.removeprefix(f"{where}:").partition("?")
        typed = dict(each.split("=") for each in query.split("&") if each)
        if "VALUE" in typed.values() or not _has_all(module, attribute):
            continue
        code = code_in(module, where, attribute, typed)
        shares[line] = least_share(code.make, code.conventions)
        if shares[line] >= ENOUGH:
            is_pair = "+" in attribute
            return replace(code, name=Path(where).name) if is_pair else code
    remedy = "Write a class with fit(X, y) and predict(X)."
    lines.sort(key=lambda line: shares.get(line, 0.0) < 0.0)
    if lines:
        remedy = f"Name what fits and what predicts, such as {lines[0]}"
        remedy += (
            ", which gave no labels when it was tried"
            if shares.get(lines[0], 0.0) < 0.0
            else ""
        )
    raise ImplementationError(where, what, remedy)


def _private(
    module: ModuleType, chosen: Mapping[str, Any], ways: Iterable[Convention]
) -> list[str]:
    """Return private classes that say Bayes, unless functions predict by themselves."""
    is_function = any(not how.returned for how in ways)
    return [] if is_function else _classes(module, chosen, private=True)


def _has_all(module: ModuleType, attribute: str) -> bool:
    return all(hasattr(module, name) for name in attribute.split("+"))


def _beside(
    typed: Iterable[str],
    classes: list[str],
    functions: Mapping[str, Callable[..., Any]],
) -> list[str]:
    """Return classes that say nothing of Bayes, if functions do that do not use them."""
    named = [name for name in typed if tasks.IS_BAYES.search(name)]
    parts = [functions[part] for name in named for part in name.split("+")]
    used = set[str]().union(*(tasks.names_reached(part, None) for part in parts))
    says_so = any(map(SAYS_BAYES.search, classes)) or used & {*classes}
    return classes if named and not says_so else []


def what_is_there(module: ModuleType, where: str) -> tuple[str, list[str]]:
    """Return what a file contains in which nothing is known, and how to name parts of it.

    Raise if a failed import may be the reason, as what is there needs it.
    """
    functions = functions_in(module)
    classes = {
        n: value for n, value in defined_in(module).items() if isinstance(value, type)
    }
    members = [m for kind in classes.values() for m in tasks.members(kind).values()]
    absent = absent_for(module, [*functions.values(), *members])
    for error in (*absent, *_without_self(classes, where)):
        raise error
    texts, lines = [], []
    for name, kind in classes.items():
        methods = _signatures(tasks.public_functions(kind), kind) or "no methods"
        what = f"class {name} ({methods})"
        texts.append(f"the abstract {what}" if is_abstract(kind) else what)
        pair = [] if is_abstract(kind) else tasks.pair_by_shape(kind)
        lines += [f"{where}:{name}?fit={pair[0]}&predict={pair[1]}"] if pair else []
        lines += [f"{where}:{name}"] if not pair and of_one_object(kind) else []
    made = {
        name: maker
        for name, maker in vars(module).get("__made__", {}).items()
        if not is_absent(vars(module).get(maker))
        if all(_has(vars(module).get(maker), method) for method in _METHODS)
    }
    texts += [f"{name}, made by the library's {maker}" for name, maker in made.items()]
    if functions:
        noun = "functions" if len(functions) > 1 else "function"
        texts.append(f"{noun} {_signatures(functions, module)}")
    calls = vars(module).get("__calls__", ())
    lines += [f"{where}:{name}" for name in made]
    lines += functions_to_name(functions, where, calls)
    what = "does not contain a class with fit and predict, or functions that do this; it "
    return f"{what}contains {'; '.join(texts) or 'neither classes nor functions'}", lines


def _without_self(classes: Mapping[str, type], where: str) -> Iterator[ImplementationError]:
    """Yield an error for each method whose first parameter is for samples."""
    for name, kind in classes.items():
        for method in tasks.public_functions(kind):
            held = inspect.getattr_static(kind, method)  # Not of static and class methods
            parameters = parameters_of(held) if inspect.isfunction(held) else ()
            first = next((p.name for p in parameters), "")
            if joined(first) in {"x", "df", "data"}:
                what = f"`{name}.{method}` has no self before {first}"
                remedy = f"Write def {method}(self, {first}, ...)."
                yield ImplementationError(where, what, remedy)


def _signatures(functions: Iterable[str], owner: Any) -> str:
    """Return the first functions of a class or module with their parameters."""
    texts = [
        f"{name}({', '.join(p.name for p in parameters_of(tasks.method_of(owner, name)))})"
        for name in functions
    ]
    more = [f"{len(texts) - MOST_LISTED} more"] if len(texts) > MOST_LISTED else []
    return listing([*texts[:MOST_LISTED], *more])


def _with_column(code: Code, given: Iterable[Callable[..., Any]]) -> Code:
    """Return code with the name of the label column that its source uses."""
    ways = (replace(how, label_column=label_column(given)) for how in code.conventions)
    return replace(code, conventions=tuple(ways))


def _check_reachable(functions: Mapping[str, Callable[..., Any]], where: str) -> None:
    """Raise if what fits and predicts is defined within a function."""
    for name, given in functions.items():
        codes = [*filter(inspect.iscode, given.__code__.co_consts)]
        names = [code.co_name for code in codes]
        inner = [n for n in names if tasks.learns(n) or tasks.answers(n)]
        what = f"its functions {listing(inner)}" if len(inner) > 1 else ""
        for code in codes:
            if set(_METHODS) <= set(code.co_names):
                what = f"its class {code.co_name}"
        if what:
            remedy = f"Move {'them' if 'functions' in what else 'it'} out of {name}"
            raise ImplementationError(
                where,
                f"makes {what} within the function {name}",
                f"{remedy}, to the top level of the file",
            )


def _member(module: ModuleType, where: str, attribute: str) -> Any:
    found: Any = module
    for part in attribute.split("."):
        if not hasattr(found, part):
            offered = [*_classes(module), *functions_in(module)]
            raise missing_member(where, part, dir(found), offered)
        found = getattr(found, part)
    return found


def _classes(
    module: ModuleType,
    chosen: Mapping[str, Any] | None = None,
    *,
    nested: bool = False,
    private: bool = False,
) -> list[str]:
    """Return classes with fit and predict; if there are none, with other names for them.

    Chosen names come before both. Nested classes are those defined within a class; private
    ones must say Bayes.
    """
    given = defined_in(module, private=private)
    classes = {n: value for n, value in given.items() if isinstance(value, type)}
    if private:
        classes = {n: value for n, value in classes.items() if SAYS_BAYES.search(n)}
    if nested:
        classes = {
            f"{outer}.{name}": value
            for outer, holder in classes.items()
            for name, value in vars(holder).items()
            if isinstance(value, type)
        }
    first = {given: n for n, given in reversed(classes.items())}  # Not its other names
    classes = {n: given for given, n in reversed(first.items()) if not is_abstract(given)}
    wanted = [str((chosen or {}).get(method, method)) for method in _METHODS]
    for methods in (wanted, _METHODS):
        named = [n for n, given in classes.items() if all(_has(given, m) for m in methods)]
        # Another model does not stand for one that says Bayes, but gives only scores.
        is_bayes = any(SAYS_BAYES.search(name) for name in {*classes} - {*named})
        if named and not (is_bayes and all(map(tasks.is_other_model, named))):
            return [n for n in named if not is_unfinished(classes[n])] or named
    calls = vars(module).get("__calls__", ())
    return [n for n, kind in classes.items() if of_class(kind, kind, calls=calls)]


def _makes_itself(model: type, fit: str) -> bool:
    """Return whether a class is fitted without an object, of which fit makes one."""
    return isinstance(inspect.getattr_static(model, fit, None), classmethod | staticmethod)


def _itself(model: Any) -> Any:
    return model


def _methods_named(model: Any, where: str, chosen: dict[str, Any]) -> dict[str, str]:
    """Pop fit=NAME and predict=NAME from typed parameters, unless the code takes them."""
    taken = set(_known(model) if isinstance(model, type) else _params(model))
    names = {m: str(chosen.pop(m)) for m in _METHODS if m in chosen and m not in taken}
    for name in names.values():
        if not _has(model, name):
            methods = [n for n in dir(model) if n[0] != "_" and _has(model, n)]
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


def _of_pair(
    given: Sequence[Any],
    where: str,
    parameters: dict[str, Any],
    functions: Mapping[str, Callable[..., Any]],
    calls: Sequence[Call],
) -> Code:
    """Return the implementation that functions of a module form together."""
    are_functions = len(given) > 1 and all(map(callable, given))
    chosen = [
        partial(function, **{n: v for n, v in parameters.items() if n in _known(function)})
        for function in given
        if are_functions
    ]
    ways = of_pair(*chosen) if len(chosen) == 2 else []
    if len(chosen) > 2:
        named = {function.func.__name__: function for function in chosen}
        ways = of_chain(named, [*named][-1], calls)
    if not ways:
        remedy = "Write file.py:fit_function+predict_function."
        raise ImplementationError(where, "is not two functions to fit and predict", remedy)
    _check_known(
        [name for function in given for name in _known(function)], where, parameters
    )
    bound = {function.func.__name__: function for function in chosen}
    names = listing([*bound])
    described = f"functions {names} of {given[0].__module__}"
    for name in tasks.further_answers(functions, given[-1]):
        if not tasks.is_other_model(name):
            bound.setdefault(name, partial(functions[name]))
    return Code(names, partial(SimpleNamespace, **bound), described, tuple(ways))


def _check_complete(
    needed: Iterable[str] | None, where: str, make: Callable[..., Any] | None = None
) -> None:
    """Raise if required parameters were not typed."""
    types = {p.name: str(p.annotation) for p in (parameters_of(make) if make else ())}
    values = {
        name: "NAME"
        if "Callable" in types.get(name, "") or _CALLED & set(words_of(name))
        else "VALUE"
        for name in needed or ()
    }
    if values:
        noun, them = ("parameters", "them") if len(values) > 1 else ("parameter", "it")
        quoted = listing([f"'{name}'" for name in values])
        typed = "&".join(f"{name}={value}" for name, value in values.items())
        also = ", with the name of a function in it" if "NAME" in values.values() else ""
        what = f"cannot be made without its {noun} {quoted}"
        raise ImplementationError(
            where, what, f"Give {them} a default, or a value: {where}?{typed}{also}"
        )


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
    if not _has(model, "get_params") or not _has(model, "set_params"):
        raise ImplementationError(where, "takes no parameters", "Name it without '?'.")
    _check_known(_params(model), where, parameters)


def _params(model: Any) -> Iterable[str]:
    return model.get_params() if _has(model, "get_params") else ()


def _has(model: Any, name: str) -> bool:
    return callable(getattr(model, name, None))


def _with_parameters_set(make: Callable[[], Any], parameters: dict[str, Any]) -> Any:
    return make().set_params(**parameters)


def _fresh_copy(model: Any) -> Any:
    """Return an unfitted copy, made from its parameters if it has get_params."""
    if hasattr(model, "get_params"):
        from sklearn.base import clone

        return clone(model)
    return copy.deepcopy(model)

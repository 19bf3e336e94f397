"""Look an implementation up: in the catalogue, in third-party code, or as an object."""

import ast
import contextlib
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Any

from gnbbench.errors import ImplementationError
from gnbbench.implementations import modules, tasks, trials, ways
from gnbbench.implementations.adapting import made_in
from gnbbench.implementations.answers import predictions
from gnbbench.implementations.attempts import Data
from gnbbench.implementations.catalogue import Implementation, Library, by_name
from gnbbench.implementations.conventions import Convention
from gnbbench.implementations.modules import defined_in, functions_in
from gnbbench.implementations.names import Specification, announced, parsed, unknown_name
from gnbbench.implementations.objects import (
    METHODS,
    Code,
    IncompleteError,
    code_of,
    code_of_functions,
    has,
    with_parameters,
)
from gnbbench.implementations.probing import find_convention
from gnbbench.implementations.programs import program
from gnbbench.implementations.roles import (
    asks_by_name,
    extra_role,
    globals_in,
    is_data,
    is_label,
    is_training,
    names_features,
    needed_for,
    parameters_of,
    required,
    texts_for,
)
from gnbbench.implementations.scripts import PREDICTOR, TRAINER
from gnbbench.implementations.sources import SAYS_BAYES, SUFFIXES, Call
from gnbbench.words import listing


def implementation(model: Any, data: Data = None) -> Implementation:
    """Return the implementation that a text or an object stands for.

    The convention of third-party code is found by trial, on `data` if synthetic samples do
    not suffice.
    """
    if isinstance(model, Implementation):
        return model
    code = named_code(model) if isinstance(model, str) else code_of(model)
    if isinstance(code, Code):
        if isinstance(model, str):
            code, how = settled(model, code, data)
            # Whichever process makes it loads it again.
            text = parsed(code.line or model).absolute
            forget(text)
            code = replace(code, make=partial(fresh, text, code.digest))
        else:
            how = find_convention(code.make, code.conventions, data)
        code = code.called(how)
    elif parsed(model).query:
        code = replace(code, make=partial(fresh, model, code.digest))
    return replace(code, specification=model if isinstance(model, str) else "")


def is_foreign(model: Any) -> bool:
    """Return whether a text or object stands for third-party code; nothing is loaded."""
    if isinstance(model, str):
        specification = parsed(model)
        is_ours = specification.kind == "predictions" or specification.place in by_name()
        return not is_ours
    return model.foreign if isinstance(model, Implementation) else True


def forget(text: str) -> None:
    """Forget a loaded file: trying conventions may have left traces in it."""
    modules.forget(_path_of(text).absolute())
    _cached.cache_clear()


def watched(text: str) -> set[int]:
    """Load a file again when it is used next; return a set to which it adds lines that run.

    They are the first of pieces that run as a whole; see `sources.mark`.
    """
    forget(text)
    return modules.watched.setdefault(_path_of(text), set())


def unwatched(text: str) -> list[int]:
    """Load a file again, as it is, when it is used next; return the lines that ran."""
    forget(text)
    return sorted(modules.watched.pop(_path_of(text), ()))


def _path_of(text: str) -> Path:
    return Path(parsed(text).place).expanduser()


def fresh(text: str, digest: str, *args: Any) -> Any:
    """Return a fresh model of what a text stands for, in any process."""
    return _cached(text, digest).make(*args)


@cache
def _cached(text: str, digest: str) -> Implementation | Code:
    specification = parsed(text)
    code = named_code(text)
    if code.digest != digest:
        remedy = "Run the command again; it is now a new study."
        raise ImplementationError(
            specification.where, "was changed while the study ran", remedy
        )
    return code


def named_code(text: str) -> Implementation | Code:
    """Return what a text stands for: a catalogued implementation, or third-party code.

    The maker of code is valid in this process only.
    """
    specification = parsed(text)
    if specification.kind == "command":
        return program(text)
    if specification.kind == "predictions":
        return predictions(text)
    is_name = specification.kind == "name"
    return _of_name(specification) if is_name else _of_module(specification)


def _of_module(specification: Specification) -> Code:
    place, query = specification.place, specification.query
    module, digest = _module_of(specification)
    code, module = _code_in(module, specification)
    notes = vars(module).get("__left_out__", "")
    code = _given_what_scripts_make(code, module)
    path = Path(place).expanduser() if specification.kind == "file" else None
    return replace(
        code,
        name=code.name + query,
        remark=tasks.no_gaussian(path, code.name) if path else "",
        description=f"{code.name} of {place}",
        digest=digest,
        notes=(*([notes] if notes else []), *code.notes, *_reads_of_file(code, module)),
    )


def _offered(
    module: ModuleType, where: str, name: str, parameters: Mapping[str, Any]
) -> Code:
    """Return the code of a name and parameters that are tried."""
    return _given_what_scripts_make(code_in(module, where, name, parameters), module)


def settled(text: str, code: Code, data: Data = None) -> tuple[Code, Convention]:
    """Return code with the convention that is found by trial, or that of other names.

    Others are tried where those that were not typed give no labels.
    """
    how, specification = find_convention(code.make, code.conventions, data), parsed(text)
    is_open = not (specification.attribute or specification.query or code.line)
    is_open = is_open and not (how.only_features or how.own_labels)
    if how.fails and is_open and (line := _line_of_script(specification)):
        code = replace(_of_module(parsed(line)), name=code.name, line=line)
        how = find_convention(code.make, code.conventions, data)
    elif how.fails and is_open and specification.kind in {"file", "module"}:
        place, (module, _) = specification.place, _module_of(specification)
        load = partial(_offered, module, place)
        other, note = trials.instead(module, place, load, code, how)
        if other:
            code = _of_module(parsed(other.line))
            code = replace(code, name=other.code.name, line=other.line)
            how = find_convention(code.make, code.conventions, data)
        code = replace(code, notes=(*code.notes, *([note] if note else [])))
    return code, how


def _given_what_scripts_make(code: Code, module: ModuleType) -> Code:
    """Return code whose functions are given training data for those of the script."""
    read = dict.fromkeys(chain(*_data_read(code, module).values()))
    script = _of_script(read, module)
    made = [*getattr(vars(module).get(TRAINER), "returns", ())]
    names = [n for n in read if n in script - {*made} and not asks_by_name(n)]
    if not (names or made):
        return code
    named = {n: role for n in names if (role := extra_role(n))}
    if named:
        named |= dict.fromkeys(filter(names_features, names), "feature_names")
    places = [f".{place}" if len(made) > 1 else "" for place in range(len(made))]
    kept = [f"{n} made.{TRAINER}{at}" for n, at in zip(made, places, strict=True)]
    labels = [n for n in names if is_label(n) and n not in named]
    ways = []
    for how in code.conventions:
        is_whole = how.takes_tables or not (how.fit or how.made_of)
        samples = "data" if is_whole and not labels else "X"
        known = dict.fromkeys(names, samples) | dict.fromkeys(labels, "y") | named
        roles = tuple(f"{name} {role}" for name, role in known.items())
        roles += tuple(kept) if TRAINER in how.learners else ()
        if labels and how.learns_from == ("data",):
            ways.append(replace(how, of_script=roles, learns_from=("X",)))
        ways.append(replace(how, of_script=roles))
    make = partial(made_in, vars(module), code.make)
    return replace(code, make=make, conventions=tuple(ways))


def _of_script(read: Iterable[str], module: ModuleType) -> set[str]:
    """Return the names of a script among those that functions read: training data, too."""
    held = {n: vars(module).get(n) for n in filter(is_training, read)}
    given = {
        n for n, v in held.items() if hasattr(type(v), "__len__") and type(v) is not str
    }
    return given.union(vars(module).get("__script__", ()))


def _data_read(code: Code, module: ModuleType) -> dict[str, list[str]]:
    """Return which data of its module each function or method reads that is called."""
    functions, how = functions_in(module), code.conventions[0]
    kind = vars(module).get(code.name)
    methods = tasks.members(kind) if isinstance(kind, type) else {}
    called, own = {*how.learners, how.predict, *methods}, functions | methods
    reached = called.union(*(tasks.names_reached(own[n], kind) for n in called & {*own}))
    return {n: [*filter(is_data, globals_in(own[n]))] for n in own if n in reached}


def _reads_of_file(code: Code, module: ModuleType) -> Iterator[str]:
    """Yield which data of the file itself functions and methods read that are called."""
    for name, read in _data_read(code, module).items():
        script = _of_script(read, module)
        held = {n: vars(module).get(n) for n in read if n not in script}
        held = {n: value for n, value in held.items() if not modules.is_absent(value)}
        if names := [n for n, value in held.items() if hasattr(type(value), "__len__")]:
            yield f"`{name}` reads {listing(names)} of the file itself"


def _module_of(specification: Specification) -> tuple[ModuleType, str]:
    """Return a module, and the digest of its file and of what that imports."""
    if specification.kind == "module":
        return modules.imported(specification.place), ""
    path = Path(specification.place).expanduser()
    wanted = specification.attribute.partition(".")[0].split("+")
    wanted = [TRAINER] if {TRAINER, PREDICTOR} & {*wanted} else wanted
    digest = modules.digest_of(path)
    return modules.module_of(path, digest, wanted[0]), digest


def _code_in(module: ModuleType, specification: Specification) -> tuple[Code, ModuleType]:
    """Return the code of a name in a module, or of its script as a function."""
    place, parameters = specification.place, specification.parameters
    try:
        return code_in(module, place, specification.attribute, parameters), module
    except ImplementationError:
        if line := _line_of_script(specification):
            module, _ = _module_of(parsed(line))
            code = code_in(module, place, parsed(line).attribute, parameters)
            return replace(code, name=Path(place).name, line=line), module
        raise


def _line_of_script(specification: Specification) -> str:
    """Return the line that names functions made of a script, if they give labels."""
    place = specification.place
    if specification.kind == "file" and not specification.attribute:
        with contextlib.suppress(ImplementationError):
            module, _ = _module_of(replace(specification, attribute=TRAINER))
            if part := vars(module).get("__part__"):
                code = code_in(module, place, part, specification.parameters)
                code = _given_what_scripts_make(code, module)
                if not find_convention(code.make, code.conventions).fails:
                    return f"{place}:{part}"
    return ""


def _of_name(specification: Specification) -> Implementation | Code:
    name, parameters = specification.place, specification.parameters
    known = by_name()
    if name not in known:
        points = announced()
        if name not in points:
            raise unknown_name(name)
        code = code_of(modules.announced_object(points[name]), name, parameters)
        return replace(code, name=name + specification.query)
    entry = known[name]
    if not parameters:
        return entry
    is_library = isinstance(entry.make, Library)
    entry = with_parameters(entry, parameters, where=name)
    if not is_library:
        _check_values(entry.make(), name)
    return replace(entry, name=name + specification.query)


def _check_values(model: Any, where: str) -> None:
    """Refuse a value that fit would refuse on any data."""
    try:
        model.fit([[0.0], [1.0]], [0, 1])
    except ValueError as error:
        # scikit-learn's words; whether priors match the classes depends on the data.
        parameter = re.match(r"The '(\w+)' parameter of \w+ (must .+)", str(error))
        if parameter:
            what = f"its parameter '{parameter[1]}' {parameter[2].rstrip('.')}"
            raise ImplementationError(where, what, "Give another value.") from error


def code_in(
    module: ModuleType, where: str, attribute: str, parameters: Mapping[str, Any]
) -> Code:
    """Return the code of a name in a module; without a name, of its only candidate."""
    place = f"{where}:{attribute}" if attribute else where
    short = Path(where).name if where.endswith(SUFFIXES) else where
    functions, calls = functions_in(module), vars(module).get("__calls__", ())
    chosen = {
        name: functions.get(str(value), value) if name not in METHODS else value
        for name, value in parameters.items()
    }
    if "+" in attribute:
        pair = [_member(module, where, name) for name in attribute.split("+")]
        code = code_of_functions(pair, place, chosen, functions, calls)
        return replace(code, name=short)
    if attribute:
        member = _member(module, where, attribute)
        code = _of_member(module, member, place, chosen)
        name = f"{short}:{attribute}" if inspect.isroutine(member) else code.name
        return replace(code, name=name)
    classes = _classes(module, chosen) or _classes(module, chosen, nested=True)
    named = [str(chosen.get(method)) for method in METHODS]
    if not classes and set(named) <= set(functions):
        left = {name: value for name, value in chosen.items() if name not in METHODS}
        return code_in(module, where, "+".join(named), left)
    pairs = ways.of_functions(functions, calls)
    if all(how.returned for how in pairs):
        classes = classes or _classes(module, chosen, private=True)
    typed = dict.fromkeys(how.path for how in pairs)
    beside = _beside(typed, classes, functions)
    classes = [] if beside else classes
    candidates = classes or list(typed)
    every = [*candidates, *beside]
    parts_of = {n: [_member(module, "", p) for p in n.split("+")] for n in every}
    used = {name: tasks.used_by(parts_of[name]) for name in candidates}
    libraries = {n for n, value in vars(module).items() if tasks.is_estimator(value)}
    absent = {n for n, value in vars(module).items() if modules.is_absent(value)}
    own = [n for n in candidates if not used[n] & libraries] or candidates
    names = tasks.likeliest(own, used, of_classes=not typed or bool(classes))
    names = [n for n in names if not used[n] & absent] or names
    # What could not be made may have been the one to check.
    is_lost = "__lost__" in vars(module) and not any(map(SAYS_BAYES.search, names))
    if not names or is_lost:
        tasks.check_reachable(functions, where)
        load = partial(_offered, module, where)
        return trials.code_by_trial(
            module, where, load, is_open=not is_lost and not parameters
        )
    parts = {n: (used[n] - {n}) & {*names} for n in names} if classes else {}
    whole = [n for n in names if parts.get(n, set()) == {*names} - {n}]
    names = whole if len(whole) == 1 else names
    if len(names) > 1:
        several = f"contains several implementations ({', '.join(names)})"
        raise ImplementationError(where, several, f"Name one: {where}:{names[0]}")
    code = code_in(module, where, names[0], chosen)
    bases = getattr(parts_of[names[0]][0], "__mro__", ())
    aside = [n for n in every if n not in {*names, *parts.get(names[0], ())}]
    aside = [n for n in aside if parts_of[n][0] not in bases or tasks.is_other_model(n)]
    others = listing(aside)
    if others:
        note = f"{names[0]} was taken; left aside: {others}"
        code = replace(code, notes=(note,), not_judged=(others,))
    return replace(code, name=short) if names[0] in typed else code


def _of_member(module: ModuleType, member: Any, place: str, chosen: dict[str, Any]) -> Code:
    """Return the code of what a file defines, made as the file makes it."""
    calls = vars(module).get("__calls__", ())
    own = _as_in_file(module, member, calls) if isinstance(member, type) else {}
    own = {name: value for name, value in own.items() if name not in chosen}

    def load(given: Mapping[str, Any]) -> Code:
        known = functions_in(module)
        values = {name: known.get(str(value), value) for name, value in given.items()}
        return code_of(member, place, {**own, **chosen, **values}, calls)

    try:
        code = load({})
    except IncompleteError as error:
        with_values = trials.trials_of(load, place, chosen, error.names, module)
        done, ended = trials.tried(with_values)
        remedy = f", or a value: {done[-1].line}" if done else ""
        if ended and not done:
            remedy = "; no number, text or function of the file in its place gave labels"
        raise IncompleteError(place, error.names, remedy) from None
    named = [f"{n}={v!r}" if isinstance(v, str) else n for n, v in own.items()]
    note = f"the constructor was given {listing(named)} as in the file"
    return replace(code, notes=(*code.notes, *([note] if own else [])))


def _as_in_file(module: ModuleType, kind: type, calls: Sequence[Call]) -> dict[str, Any]:
    """Return what only the author can know of a constructor, as the file itself gives it.

    A parameter with a class of the file as its type gets an object of that, one that its
    code compares with a text that says Gauss that text.
    """
    wanted = [name for name in needed_for(kind) if not is_data(name)]
    values: dict[str, Any] = {}
    for parameter in parameters_of(kind) if wanted else ():
        typed = vars(module).get(str(getattr(parameter.annotation, "__name__", "")))
        if inspect.isclass(typed) and typed.__module__ == module.__name__:
            values |= {} if required(typed) else {parameter.name: typed()}
    for call in (c for c in calls if wanted and c.name == kind.__name__):
        args = dict(zip(required(kind), call.args, strict=False)) | call.named
        for name, origin in args.items():
            with contextlib.suppress(ValueError, SyntaxError):
                known = vars(module).get(origin.name)
                values[name] = known or ast.literal_eval(origin.name)
    gauss = {n: t for n in wanted for t in texts_for(kind, n) if "gauss" in t.lower()}
    return {name: value for name, value in (values | gauss).items() if name in wanted}


def _beside(
    typed: Iterable[str], classes: list[str], functions: Mapping[str, Callable[..., Any]]
) -> list[str]:
    """Return classes that say nothing of Bayes, if functions do that do not use them."""
    named = [name for name in typed if tasks.IS_BAYES.search(name)]
    parts = [functions[part] for name in named for part in name.split("+")]
    used = set[str]().union(*(tasks.names_reached(part, None) for part in parts))
    says_so = any(map(SAYS_BAYES.search, classes)) or used & {*classes}
    return classes if named and not says_so else []


def _member(module: ModuleType, where: str, attribute: str) -> Any:
    found: Any = module
    for part in attribute.split("."):
        if not hasattr(found, part):
            offered = [*_classes(module), *functions_in(module)]
            raise modules.missing_member(where, part, dir(found), offered)
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
    own = {n: given for given, n in reversed(first.items())}
    classes = {n: kind for n, kind in own.items() if not ways.is_abstract(kind)}
    wanted = [str((chosen or {}).get(method, method)) for method in METHODS]
    for methods in (wanted, METHODS):
        named = [n for n, given in classes.items() if all(has(given, m) for m in methods)]
        # Another model does not stand for one that says Bayes, but gives only scores.
        is_bayes = any(SAYS_BAYES.search(name) for name in {*classes} - {*named})
        if named and not (is_bayes and all(map(tasks.is_other_model, named))):
            return [n for n in named if not ways.is_unfinished(classes[n])] or named
    calls = vars(module).get("__calls__", ())
    return [n for n, kind in classes.items() if ways.of_class(kind, kind, calls=calls)]

"""Possible conventions of classes and functions, inferred from names and signatures."""

import builtins
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, compress, product
from typing import Any

from gnbbench.implementations import tasks
from gnbbench.implementations.conventions import ONE_CALL, Convention
from gnbbench.implementations.limits import by_feature
from gnbbench.implementations.roles import (
    Roles,
    asking_roles,
    count_role,
    data_by_choice,
    does_nothing,
    extra_role,
    globals_in,
    inside,
    is_asked,
    is_data,
    is_label,
    is_sample,
    is_table,
    is_training,
    learning_roles,
    learning_ways,
    names_used,
    of_a_class,
    only_by_name,
    parameters_of,
    required,
    returned_functions,
    returned_names,
    roles_of_one_call,
    roles_with_label_name,
    with_defaults,
    words_of,
)
from gnbbench.implementations.sources import Call, Origin
from gnbbench.words import listing


def of_class(
    model: Any,
    make: Callable[..., Any] | None = None,
    fit: str = "",
    predict: str = "",
    calls: Sequence[Call] = (),
) -> list[Convention]:
    """Return possible conventions of a class or object, the likeliest first."""
    fits = [fit] if fit else tasks.learning_methods(model)
    asks = [predict] if predict else tasks.answering_methods(model)
    is_alone = not fits and {*tasks.methods_of(model)} == {*asks}
    by_choice = data_by_choice(make, table=True) if make and is_alone else ()
    made_of = (make and learning_roles(make, anything=False)) or by_choice
    if made_of and not fits:
        fits = [""]
    if fits and not asks and "__call__" in tasks.members(model):
        asks = ["__call__"]
    conventions: list[Convention] = []
    for learn, ask in product(fits, asks):
        method = tasks.method_of(model, learn) if learn else None
        ways = learning_ways(method) if method else [()]
        learns_from = ways[0] if ways else None
        takes = required(method) if method else []
        is_other = not make or takes != required(make)
        if is_other and {"X", "y", "data"} & {*made_of} and learns_from == ("data",):
            # The constructor takes the rest.
            wants_labels = all(map(is_label, takes))
            learns_from = ("y",) if wants_labels else ("X",)
            if wants_labels and made_of == ("data",):
                made_of = ("X",)
        if learns_from == () and make and not made_of:
            made_of = data_by_choice(make)
        asking = tasks.method_of(model, ask)
        if learns_from is None or not (learns_from or made_of):
            continue
        by_name = any(map(only_by_name, filter(None, (method, asking))))
        taken = with_defaults(model, learns_from and method, learns_from)
        made = with_defaults(model, make, made_of)
        conventions += [
            Convention(learn, ask, into, roles, asked, by_name=by_name)
            for into, roles in (
                *((made, roles) for roles in (taken, *ways[1:])),
                *_with_columns(make, made_of, ways),
            )
            for asked in _asked(asking, method, learns_from)
        ]
    conventions += [] if made_of else _by_feature(model, filter(None, fits), asks)
    conventions += chain(
        *(of_closure(tasks.method_of(model, n), n) for n in fits[: not asks] if n)
    )
    conventions += [] if fit else _by_steps(model, asks, calls, made_of)
    again = partial(of_class, model, make, fit, calls=calls)
    return conventions if predict else _fed(model, conventions, again, fit)


def _fed(
    model: Any, conventions: list[Convention], again: partial[list[Convention]], fit: str
) -> list[Convention]:
    """Return conventions, or others if a learner gives too little for each of these."""
    if any(_is_fed(model, how) for how in conventions):
        return conventions
    wholes = [] if fit else _methods_of_one_call(model)
    asks = tasks.scoring_methods(model)[: bool(conventions) and not wholes]
    return wholes or [*chain(*(again(predict=ask) for ask in asks))] or conventions


def _by_feature(
    model: Any, fits: Iterable[str], asks: Iterable[str]
) -> Iterator[Convention]:
    """Yield how methods are called of which one takes each feature as an argument."""
    for names in product(fits, asks):
        learn, ask = (tasks.method_of(model, name) for name in names)
        yield from by_feature(learn, ask, names, of_object=True)


def _is_fed(model: Any, how: Convention) -> bool:
    """Return whether a learner gives what the method that predicts asks for."""
    if how.before or how.returned or not how.fit:
        return True
    learner = {how.fit: tasks.method_of(model, how.fit)}
    return _follows(tasks.method_of(model, how.predict), [how.fit], learner)


def _asked(
    ask: Callable[..., Any], fit: Callable[..., Any] | None, taken: Roles
) -> Iterator[Roles]:
    """Yield the roles of a method that predicts, also of what its learner returned."""
    yield from asking_roles(ask)
    if fit and (returned := returned_names(fit)):
        again = _again(required(fit), taken)
        yield from asking_roles(ask, returned=returned, again=again)


def _again(names: Iterable[str], learns_from: Roles) -> dict[str, str]:
    """Return the roles of a learner's arguments in a call that predicts."""
    roles = (f"{role}_train" if role in {"X", "y"} else role for role in learns_from)
    return dict(zip(names, roles, strict=False))


def _with_columns(
    make: Callable[..., Any] | None, made_of: Roles, ways: Sequence[Roles]
) -> list[tuple[Roles, Roles]]:
    """Return other roles of a constructor of two things: one may be a column's name."""
    if not make or made_of != ("X", "y"):
        return []
    if ways[0] == ("data",):
        return [(("feature_names", "label_name"), ("data",))]
    return [(("data", "label_name"), ())] if ways[0] == () else []


def at_once(kind: type) -> Callable[..., Any] | None:
    """Return a class that is made with all data and asked for nothing more, as a function.

    First comes its method that learns, if there is one.
    """
    learns, asks = tasks.learning_methods(kind)[:1], tasks.answering_methods(kind)[:1]
    takes = [required(tasks.method_of(kind, name)) for name in (*learns, *asks)]
    if not asks or any(takes) or not roles_of_one_call(required(kind)):
        return None

    def call(*data: Any) -> Any:
        model = kind(*data)
        return [getattr(model, name)() for name in (*learns, *asks)][-1]

    call.__name__, call.__module__ = f"{kind.__name__}.{asks[0]}", kind.__module__
    call.__signature__ = inspect.signature(kind)  # type: ignore[attr-defined]
    return call


def _by_steps(
    model: Any, asks: Sequence[str], calls: Sequence[Call], made_of: Roles
) -> list[Convention]:
    """Return how several methods learn in turn: as the file calls them, or all of data."""
    kind = model if isinstance(model, type) else type(model)
    methods = {f"{kind.__name__}.{n}": m for n, m in tasks.methods_of(model).items()}
    conventions = []
    for ask in asks:
        last = f"{kind.__name__}.{ask}"
        asking = {n for n, m in methods.items() if n == last or ask in names_used(m)}
        mine = [call for call in calls if call.name in methods]
        ends = [place for place, call in enumerate(mine) if call.name in asking]
        turns = mine[: ends[0]] if ends else []
        turns = turns or [*_steps_before(kind, ask, methods)]
        steps: dict[str, list[str]] = {}
        for call in turns:
            _made_role(methods, Origin(call, "", ""), steps, is_deep=True)
        known = {
            n: [role.replace(f".{kind.__name__}.", ".") for role in roles]
            for n, roles in _with_data(steps).items()
        }
        if len(known) > bool(not made_of):
            asked = asking_roles(methods[last])
            conventions += [_in_turn(known, ask, made_of, roles) for roles in asked]
    return conventions


def _steps_before(
    kind: type, ask: str, methods: Mapping[str, Callable[..., Any]]
) -> Iterator[Call]:
    """Yield calls of methods that set what a predictor reads, of data alone, in order.

    The constructor, and the predictor, call none of them, and they call no predictor. What
    sets what these read comes before.
    """
    own = tasks.members(kind)
    reads = tasks.names_reached(own[ask], kind)
    known = reads | tasks.names_reached(own["__init__"], kind)
    wanted = {n.rpartition(".")[2]: required(method) for n, method in methods.items()}
    free = [n for n in vars(kind) if n in wanted and n not in known]
    free = [n for n in free if all(map(is_data, wanted[n]))]
    free = [n for n in free if ask not in names_used(own[n])]
    free = [n for n in free if not tasks.OTHER_TASKS & {*words_of(n)}]
    steps = set[str]()
    while more := {n for n in free if reads & {*globals_in(own[n], "STORE_ATTR")}} - steps:
        steps |= more
        reads = reads.union(*(tasks.names_reached(own[n], kind) for n in more))
    for name in sorted(steps, key=free.index):
        sources = tuple(Origin(None, "", source) for source in wanted[name])
        yield Call(f"{kind.__name__}.{name}", sources, {})


def is_abstract(kind: type) -> bool:
    """Return whether a class has abstract methods, even without the metaclass for them."""
    parts = tasks.members(kind).values()
    is_marked = any(getattr(part, "__isabstractmethod__", False) for part in parts)
    return inspect.isabstract(kind) or is_marked


def is_unfinished(kind: type) -> bool:
    """Return whether a class leaves methods to its subclasses, or predicts nothing."""
    methods = tasks.members(kind)
    is_left = any("NotImplementedError" in names_used(m) for m in methods.values())
    return is_left or any(does_nothing(m) for n, m in methods.items() if tasks.answers(n))


def of_chain(
    functions: Mapping[str, Callable[..., Any]], ask: str, calls: Sequence[Call]
) -> list[Convention]:
    """Return how functions that feed a predictor are called in turn, as the file does.

    Without a call of it there, what it takes is looked for by names.
    """
    names = required(functions[ask])
    real = [call for call in calls if call.name == ask]
    fits = (len(call.args) + len(call.named) >= len(names) for call in real)
    called = next(compress(real, fits), None) or _imagined(functions, ask)
    conventions: list[Convention] = []
    if called is None:
        return conventions
    made = dict(zip(names, called.args, strict=False)) | called.named
    for is_deep in (False, True):
        if conventions:
            break
        for roles in asking_roles(functions[ask]):
            steps: dict[str, list[str]] = {}
            whole = [
                role
                if role == "X"
                else _made_role(functions, made[name], steps, is_deep=is_deep) or role
                for name, role in zip(names, roles, strict=False)
            ]
            learned = [role for role in whole if role.startswith(("whole.", "state."))]
            known = _with_data(steps)
            if known and not learned and "X" in whole and ask not in known:
                conventions.append(_in_turn(known, ask, (), tuple(whole)))
    return [*dict.fromkeys(conventions)]


def _in_turn(
    steps: Mapping[str, Sequence[str]], ask: str, made_of: Roles, asked: Roles
) -> Convention:
    """Return the convention of calls that learn in turn, given the roles in each."""
    *first, fit = (name.rpartition(".")[2] for name in steps)
    *others, last = steps.values()
    before = (" ".join([n, *roles]) for n, roles in zip(first, others, strict=True))
    return Convention(fit, ask, made_of, tuple(last), asked, tuple(before))


def _made_role(
    functions: Mapping[str, Callable[..., Any]],
    source: Origin,
    steps: dict[str, list[str]],
    *,
    is_deep: bool,
) -> str:
    """Return the role of what a function of the file made, and add its call to the steps.

    Names of data stand for data, but not in depth.
    """
    call = source.call
    if not call or call.name not in functions or (is_data(source.name) and not is_deep):
        return ""
    names = required(functions[call.name])
    if not names and "." not in call.name:  # A function that reads data
        return ""
    if "split" in words_of(call.name) and is_data(source.name):
        return ""
    made = dict.fromkeys(names, Origin(None, "", ""))
    made |= dict(zip(names, call.args, strict=False)) | call.named
    roles = [
        _made_role(functions, made[n], steps, is_deep=is_deep)
        or f"?{n if is_data(n) or extra_role(n) else made[n].name}"
        for n in names
    ]
    is_other = steps.setdefault(call.name, roles) != roles
    return "?" if is_other else ".".join(filter(None, ("made", call.name, source.part)))


def _with_data(steps: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the roles of calls, those of data known by their names; none if unknown."""
    asked = {role[1:] for roles in steps.values() for role in roles if role[:1] == "?"}
    known = {name: extra_role(name) or count_role(name) for name in asked}
    samples = "X" if any(is_label(n) and not known[n] for n in asked) else "data"
    known |= {n: "y" if is_label(n) else samples for n in asked if not known[n]}
    is_known = all(known[n] != samples or is_data(n) for n in asked)
    if not is_known or "?" in chain.from_iterable(steps.values()):
        return {}
    return {
        name: [known.get(role[1:], role) if role[0] == "?" else role for role in roles]
        for name, roles in steps.items()
    }


def _imagined(functions: Mapping[str, Callable[..., Any]], ask: str) -> Call | None:
    """Return the call of a predictor with what functions return under the same names."""
    others = {n: inside(c) for n, c in functions.items() if n != ask}
    gives = {n: returned_names(code, alone=True) for n, code in others.items()}
    kinds = {n: {w.rstrip("s") for w in words_of(n)} for n in gives}

    def origin_of(name: str) -> Origin:
        words = {w.rstrip("s") for w in words_of(name)}
        makers = [n for n in gives if name in gives[n]]
        makers = makers or [n for n in gives if words <= kinds[n] and len(gives[n]) < 2]
        if len(makers) != 1 or is_sample(name):
            return Origin(None, "", name)
        taken, returned = required(functions[makers[0]]), gives[makers[0]]
        call = Call(makers[0], tuple(Origin(None, "", n) for n in taken), {})
        part = str(returned.index(name)) if len(returned) > 1 else ""
        return Origin(call, part, name)

    origins = tuple(map(origin_of, required(functions[ask])))
    makers = {origin.call.name for origin in origins if origin.call}
    return Call(ask, origins, {}) if len(makers) > 1 else None


def _methods_of_one_call(model: Any) -> list[Convention]:
    """Return the methods that learn and predict in one call."""
    roles = {
        name: roles_of_one_call(required(tasks.method_of(model, name)))
        for name in tasks.members(model)
        if name[0] != "_" and not tasks.DOES_NEITHER & set(words_of(name))
    }
    return [Convention("", n, (), (), asked) for n, asked in roles.items() if asked]


def of_functions(
    functions: Mapping[str, Callable[..., Any]], calls: Sequence[Call]
) -> list[Convention]:
    """Return the conventions by which functions of a module form an implementation.

    The calls are those of the file.
    """
    one_call = {
        name: how
        for name, given in functions.items()
        if not tasks.DOES_NEITHER & set(words_of(name))
        and not (tasks.is_other_model(name) and any(map(tasks.IS_BAYES.search, functions)))
        for how in of_function(given, strict=True)
        if not how.returned
    }
    # Those that take true labels as well may score.
    scored = [how for how in one_call.values() if "y_asked" in how.answers_from]
    one_call = {n: how for n, how in one_call.items() if how not in scored}
    able = {n: code for n, code in functions.items() if parameters_of(code)}
    asks = tasks.outermost(functions, tasks.answers)
    able_to_score = {n: f for n, f in functions.items() if not tasks.is_density(n, f)}
    scoring = tasks.outermost(able_to_score, tasks.gives_scores)
    asks = asks or [n for n in scoring if not tasks.may_learn(n, functions[n], ())]
    called = {n for whole in one_call for n in names_used(functions[whole])}
    # What the file itself calls comes first; a function that does all does that as well.
    chains = {ask: of_chain(functions, ask, calls) for ask in asks if ask not in called}
    fed = {ask: _as_pair(functions, ways) for ask, ways in chains.items() if ways}
    fits = tasks.outermost(able, tasks.learns)
    # What parts data prepares them, whatever its name.
    fits = [n for n in fits if "train_test_split" not in names_used(able[n])] or fits
    fits = fits or (
        []
        if fed
        else tasks.outermost(functions, lambda n: tasks.has_word(n, tasks.LEARNED))
    )
    for others in (tasks.DOES_NEITHER, tasks.OTHER_TASKS)[: 1 if one_call else 2]:
        fits = fits or [n for n in functions if tasks.may_learn(n, functions[n], others)]
    # What they call may get the samples of one class.
    above = [
        n for n in able if tasks.may_learn(n, able[n]) and names_used(able[n]) & {*fits}
    ]
    above = [n for n in above if tasks.names_reached(able[n], None).isdisjoint(asks)]
    fits = above if above and "fit" not in fits else fits
    if not fed and not any(_follows(functions[a], fits, functions) for a in asks):
        # What calls a predictor may ask for more than a learner gives.
        nearer = {n: c for n, c in functions.items() if _follows(c, fits, functions)}
        asks = tasks.outermost(nearer, tasks.answers) or asks
    pairs = [
        *fed.values(),
        *(
            ways
            for fit, ask in product(fits, asks)
            # A function that calls the other does more than its own part.
            if ask not in fed and fit not in names_used(functions[ask])
            if ask not in names_used(functions[fit])
            for ways in [of_pair(functions[fit], functions[ask])]
            if ways and (not one_call or any(map(is_sample, required(functions[fit])[:1])))
            if _follows(functions[ask], [fit], functions)
            or (
                not (one_call or (of_a_class(functions[ask]) and not tasks.answers(ask)))
                and not _of_script(functions[ask], ask, calls)
            )
        ),
    ]
    # Functions that share words belong together: gnb and gnb_predict.
    kin = [len(tasks.shared_words(ways[0].fit, ways[0].predict)) for ways in pairs]
    most: dict[str, int] = {}
    for ways, n in zip(pairs, kin, strict=True):
        most[ways[0].predict] = max(n, most.get(ways[0].predict, 1))
    akin = (p for p, n in zip(pairs, kin, strict=True) if n == most[p[0].predict])
    pairs = [*akin] or pairs
    used = {name for ways in pairs for name in ways[0].path.split("+")}
    # A function that calls a pair is the same again, and slower.
    alone = [
        how
        for name, how in one_call.items()
        if not used & names_used(functions[name])
        # Beside a learner a predictor's table is what it learned.
        and not (name in used and "data" in how.answers_from)
    ]
    closures = (
        of_closure(given)
        for name, given in functions.items()
        if tasks.learns(name) or tasks.may_learn(name, given)
    )
    ways = [*alone, *chain.from_iterable(pairs)] or [*chain.from_iterable(closures)]
    return ways or scored or [how for n in asks for how in of_function(functions[n])]


def _reads_data(ask: Callable[..., Any]) -> bool:
    """Return whether a function of rows reads samples and labels of its file's script."""
    script = getattr(inside(ask), "__globals__", {}).get("__script__", ())
    used = tasks.names_reached(ask, None) & {*script}
    is_pair = any(map(is_label, used)) and any(map(is_sample, used))
    is_whole = any(is_table(name) and is_training(name) for name in used)
    return len(required(ask)) == 1 and (is_pair or is_whole)


def _of_script(ask: Callable[..., Any], name: str, calls: Sequence[Call]) -> list[str]:
    """Return what a file gives a predictor in every call that no call of it made."""
    real = [call for call in calls if call.name == name]
    passed = [dict(zip(required(ask), c.args, strict=False)) | c.named for c in real]
    absent = [{n for n, v in by.items() if v.name and not v.call} for by in passed]
    return [
        n
        for n in required(ask)
        if not is_data(n) and all(n in a for a in absent or [set()])
    ]


def _follows(
    ask: Callable[..., Any], fits: list[str], functions: Mapping[str, Callable[..., Any]]
) -> bool:
    """Return whether a function takes no more than samples and what one learner gives."""
    names = {name for name in required(ask) if not is_label(name)}
    states = {name for name in names if not is_sample(name)}
    learners = [functions[fit] for fit in fits]
    return any(
        len(states - {*required(f)}) <= (states == names) + max(1, len(returned_names(f)))
        for f in learners
    )


def _as_pair(
    functions: Mapping[str, Callable[..., Any]], ways: list[Convention]
) -> list[Convention]:
    """Return the ways to call a learner and a predictor, if the file calls no more.

    What it hands on in another way than their names suggest comes first.
    """
    first = ways[0]
    if first.before:
        return ways
    pair = of_pair(functions[first.fit], functions[first.predict])
    parts = [role.replace(f"made.{first.fit}.", "state.") for role in first.answers_from]
    is_whole = all(role == "X" or role.startswith("state.") for role in parts)
    is_other = is_whole and tuple(parts) not in [how.answers_from for how in pair]
    return [*ways, *pair] if is_other else pair


def of_named(
    functions: Mapping[str, Callable[..., Any]], calls: Sequence[Call]
) -> list[Convention]:
    """Return the conventions by which functions that are called in turn belong together."""
    chain = of_chain(functions, [*functions][-1], calls)
    if len(functions) > 2 or chain:
        return chain if len(functions) > 2 else _as_pair(functions, chain)
    return of_pair(*functions.values()) if len(functions) == 2 else []


def of_function(func: Callable[..., Any], *, strict: bool = False) -> list[Convention]:
    """Return the conventions of a function that learns and predicts, if it does.

    Strictly, what is asked for has a name that says so.
    """
    name, names = getattr(func, "__name__", ""), required(func)
    roles = roles_of_one_call(names)
    if not roles and len(names) == 2 and tasks.answers(name):
        roles = roles_of_one_call(names, asks=not strict)
    if not roles and name == "fit_predict":
        roles = ONE_CALL
    named = roles_with_label_name(names)
    ways = [Convention("", name, (), (), way) for way in (roles, named) if way]
    is_reading = not strict and _reads_data(func)
    reading = [Convention("", name, (), (), ("X",))] if is_reading else []
    return ways or of_closure(func) or reading


def of_pair(fit: Callable[..., Any], ask: Callable[..., Any]) -> list[Convention]:
    """Return the conventions by which two functions form an implementation."""
    # Parameters may be bound already.
    fitting, asking = (getattr(function, "func", function) for function in (fit, ask))
    returned = returned_names(fitting)
    conventions: list[Convention] = []
    for learns_from in filter(None, learning_ways(fit)):
        again = _again(required(fit), learns_from)
        taken = with_defaults(fitting, fit, learns_from)
        conventions += [
            Convention(fitting.__name__, asking.__name__, (), taken, answers_from)
            for answers_from in asking_roles(ask, returned=returned, again=again)
        ]
    names = fitting.__name__, asking.__name__
    return [*conventions, *by_feature(fit, ask, names, of_object=False)]


def of_closure(func: Callable[..., Any], name: str = "") -> list[Convention]:
    """Return how a function that gives back one that answers is called, if it does."""
    name = name or getattr(func, "__name__", "")
    names = returned_functions(func) if name else []
    learns_from = learning_roles(func)
    scope = getattr(inside(func), "__globals__", {})
    kinds = [*filter(inspect.isclass, map(scope.get, sorted(names_used(func))))]
    if learns_from and not names:
        # Or an object of another class.
        return [
            Convention(name, ask, (), learns_from, roles, returned=(ask,))
            for kind in kinds
            if kind.__module__ == inside(func).__module__
            for ask in tasks.answering_methods(kind)
            for roles in asking_roles(tasks.method_of(kind, ask))
        ]
    if not names or not learns_from:
        return []
    asks = [one for one in names if tasks.answers(one) or one.startswith(f"{name}(")]
    ask = (asks or names)[0]
    return [Convention(name, ask, learns_from=learns_from, returned=tuple(names))]


def not_made(functions: Mapping[str, Callable[..., Any]], module: Mapping[str, Any]) -> str:
    """Return what a function that predicts needs and no function makes, in words."""
    made = {stored for f in functions.values() for stored in globals_in(f, "STORE_GLOBAL")}
    # What a script would fill is empty.
    kinds = {list, dict, set}
    empty = {n for n, held in module.items() if type(held) in kinds and not held}
    made |= {*vars(builtins), *module} - empty
    gives = {n: {*returned_names(f, alone=True)} for n, f in functions.items()}
    meant = [n for n, function in functions.items() if not tasks.is_part(n, function)]
    asks = [*filter(tasks.answers, functions)]
    taken = {n: required(functions[n]) for n in meant}
    asks = asks or [
        n for n in meant if "bayes" in n.lower() and any(map(is_asked, taken[n]))
    ]
    of_rows = [n for n in meant if [*map(is_sample, taken[n])] == [True]]
    is_learned = any(tasks.learns(n) or tasks.may_learn(n, functions[n]) for n in functions)
    for name in asks or of_rows:
        others = set[str]().union(*(gives[n] for n in functions if n != name))
        function, calls = functions[name], module.get("__calls__", ())
        takes = _of_script(function, name, calls)
        if not (is_learned or any(call.name == name for call in calls)):
            takes = [n for n in required(function) if not is_data(n)]
        absent = {
            "reads": [n for n in globals_in(function) if n not in made | others],
            "takes": [n for n in takes if n not in others],
        }
        for verb, names in absent.items():
            if names:
                return f"; no function makes {listing(names)}, which `{name}` {verb}"
    return ""

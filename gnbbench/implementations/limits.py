"""The data that code is written for: columns, labels, numbers, and single features."""

import ast
import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain, islice, product
from operator import attrgetter
from typing import Any

import numpy as np

from gnbbench.arrays import Array
from gnbbench.implementations import tasks
from gnbbench.implementations.adapting import made_in
from gnbbench.implementations.attempts import (
    ENOUGH,
    N_CLASSES,
    Attempt,
    Example,
    attempted,
    made,
)
from gnbbench.implementations.conventions import (
    ANSWERED,
    Container,
    Convention,
    LabelForm,
)
from gnbbench.implementations.roles import (
    Roles,
    asks_by_name,
    extra_role,
    globals_in,
    inside,
    is_label,
    is_table,
    is_training,
    learning_ways,
    names_used,
    of_a_class,
    required,
    returned_names,
    syntax_of,
)

FEWEST_FEATURES = 2  # That are arguments of their own
MOST_WAYS, MOST_FEATURES, MOST_LABELS, MOST_LISTS = 6, 31, 12, 6
# With a smaller share some class gets no label.
NEARLY_ALL = 0.9
# Labels and how they are given, for three classes and for two
_PLAIN: tuple[tuple[Array, LabelForm], ...] = (
    *((np.array([5, 7, 9]), form) for form in ("given", "codes")),
    (np.arange(2), "codes"),
)
_CONTAINERS: tuple[Container, ...] = ("arrays", "lists", "frames")


def of_limited_data(
    make: Callable[..., Any], conventions: Sequence[Convention], furthest: Attempt
) -> Attempt | None:
    """Return an attempt that labels well with data such as the code itself names.

    These have columns of some names, labels of its own, or fewer or more features.
    """
    ways = [*dict.fromkeys([furthest.how.plainly_given, *conventions])][:MOST_WAYS]
    tries = (
        attempt
        for labels in ((), *own_labels_of(make, ways[0]))
        for attempt in _attempts(make, ways, labels)
    )
    every = chain(tries, _of_other_widths(make, furthest))
    return next((attempt for attempt in every if attempt.reached >= NEARLY_ALL), None)


def _of_other_widths(make: Callable[..., Any], furthest: Attempt) -> Iterator[Attempt]:
    """Yield attempts with fewer or more features, if these may be what code lacks."""
    # What answers, though with no labels, has features enough.
    is_short = furthest.reached < ANSWERED or "data" in furthest.how.learns_from
    if furthest.how.only_features or not is_short:
        return
    # Where other numbers do, it is not that of features.
    forms = [
        (how, classes)
        for classes, form in (*_PLAIN, (np.arange(N_CLASSES), furthest.how.label_form))
        for how in [replace(furthest.how, label_form=form)]
        if attempted(make, how, made(classes)).reached < NEARLY_ALL
    ]
    for n, (how, classes) in product(range(2, MOST_FEATURES), forms):
        yield attempted(make, replace(how, only_features=n), made(classes))


def _attempts(
    make: Callable[..., Any], ways: Iterable[Convention], labels: tuple[Any, ...]
) -> Iterator[Attempt]:
    """Yield attempts with these labels of the code, or with any and its columns."""
    named: list[tuple[Array, LabelForm]] = [
        (np.arange(len(labels)), form) for form in ("own", "names")
    ]
    containers = _CONTAINERS if labels else _CONTAINERS[-1:]
    manners = product(named if labels else _PLAIN, ways, containers, (False, True))
    for (classes, form), how, container, one_by_one in manners:
        fields: dict[str, Any] = {"label_form": form, "container": container}
        fields |= {"own_labels": labels, "only_classes": len(labels)}
        tried = replace(how, one_by_one=one_by_one, **fields)
        attempt = attempted(make, tried, made(classes))
        if labels and not _takes_others(make, attempt, classes):
            yield attempt
        if attempt.columns:
            yield _with_columns(make, attempt, made(classes))


def _takes_others(make: Callable[..., Any], attempt: Attempt, classes: Array) -> bool:
    """Return whether code that labels well does so with other labels, too."""
    if attempt.reached < NEARLY_ALL or attempt.how.label_form == "names":
        return False
    fields: dict[str, Any] = {"own_labels": (), "label_form": "codes"}
    other = replace(attempt.how, **fields)
    return attempted(make, other, made(classes)).reached >= NEARLY_ALL


def _with_columns(make: Callable[..., Any], attempt: Attempt, example: Example) -> Attempt:
    """Return an attempt in which a table has the columns that the code looks for.

    Any of them may be that of the labels.
    """
    names: list[str] = []
    while (more := [n for n in attempt.columns if n not in names]) and (
        len(names) + len(more) <= MOST_FEATURES
    ):
        names += more
        attempt = attempted(make, _named(attempt.how, names), example)
    tries = [attempt]
    likely = sorted(names, key=is_label)[::-1]
    for label in likely if attempt.how.takes_tables else ():
        if tries[-1].reached >= ENOUGH or len(names) < 2:
            break
        others = [name for name in names if name != label]
        how = replace(_named(attempt.how, others), label_column=label)
        tries.append(attempted(make, how, example))
    return max(tries, key=attrgetter("reached"))


def _named(how: Convention, names: Sequence[str]) -> Convention:
    return replace(how, feature_columns=tuple(names), only_features=len(names))


def names_two(make: Callable[..., Any], how: Convention) -> bool:
    """Return whether code compares with two labels, and so is meant for two classes."""
    functions, _ = _parts_of(make, how)
    kinds = ({*_constants(f, kind)} for kind in (str, int) for f in functions)
    return any(len(labels) == 2 for labels in kinds)


def own_labels_of(make: Callable[..., Any], how: Convention) -> Iterator[tuple[Any, ...]]:
    """Yield labels that code may name itself, in order: in lists, and compared with.

    Lists are those of its attributes before it has learned, and of its module.
    """
    functions, held = _parts_of(make, how)
    lists = [*held]
    for function in functions:
        scope = getattr(inside(function), "__globals__", {})
        read = [scope[name] for name in globals_in(function) if name in scope]
        lists += [*read, *_alike(read), *_lists_in(function)]
    texts = [text for function in functions for text in _constants(function, str)]
    numbers = [n for function in functions for n in _constants(function, int)]
    candidates = [*lists, *_alike(held), texts, numbers]
    distinct = dict.fromkeys(filter(None, map(_labels_in, candidates)))
    yield from islice(distinct, MOST_LISTS)


def _lists_in(function: Callable[..., Any]) -> Iterator[list[Any]]:
    """Yield the constants of each list or tuple that is written out in a function.

    And the numbers up to a written one, each of which it compares with.
    """
    nodes = [*ast.walk(syntax_of(function))]
    compared = {ast.unparse(side) for node in nodes for side in _equated(node)}
    for node in nodes:
        match node:
            case ast.List() | ast.Tuple() | ast.Set():
                yield [getattr(item, "value", None) for item in node.elts]
            case ast.For(
                ast.Name(each), ast.Call(ast.Name("range"), [ast.Constant(int(n))])
            ) | ast.comprehension(
                ast.Name(each), ast.Call(ast.Name("range"), [ast.Constant(int(n))])
            ) if each in compared and n <= MOST_LABELS:
                yield [*range(n)]


def _equated(node: ast.AST) -> list[ast.expr]:
    """Return both sides of a comparison for equality."""
    is_one = isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.NotEq)
    return [node.left, *node.comparators] if is_one else []  # type: ignore[attr-defined]


def _alike(values: Iterable[Any]) -> list[list[Any]]:
    """Return the texts and the integers among values."""
    values = [*values]
    return [[value for value in values if type(value) is kind] for kind in (str, int)]


def _labels_in(values: Any) -> tuple[Any, ...]:
    """Return distinct texts or integers in order, if that is what a container holds."""
    values = sorted(values, key=str) if isinstance(values, set) else values
    held = [*values] if isinstance(values, list | tuple | dict) else []
    if isinstance(values, dict) and all(isinstance(v, str) for v in values.values()):
        held = [*values.values()]
    is_known = any(all(type(v) is kind for v in held) for kind in (str, int))
    labels = tuple(dict.fromkeys(held)) if is_known else ()
    return labels if 2 <= len(labels) <= MOST_LABELS else ()


def _parts_of(
    make: Callable[..., Any], how: Convention
) -> tuple[list[Callable[..., Any]], list[Any]]:
    """Return the functions or methods of code, with those they use, and what it holds."""
    while isinstance(make, partial) and make.func is made_in:
        make = make.args[1]
    model: Any = make
    with suppress(Exception, SystemExit):
        model = model if how.made_of else make()
    own = vars(type(model)) if not isinstance(model, type) else vars(model)
    held = own | (getattr(model, "__dict__", {}) if model is not make else {})
    held = {name: value for name, value in held.items() if name[:2] != "__"}
    functions = [value for value in held.values() if callable(value)]
    functions = functions or [*tasks.members(model).values()]
    waiting, known = [*functions], dict[int, Callable[..., Any]]()
    while waiting:
        function = inside(waiting.pop(0))
        scope = getattr(function, "__globals__", None)
        if scope is None or id(function) in known:
            continue
        known[id(function)] = function
        used = (scope.get(name) for name in names_used(function))
        own = filter(inspect.isfunction, used)
        waiting += [other for other in own if other.__globals__ is scope]
    return [*known.values()], [value for value in held.values() if not callable(value)]


def _constants(function: Callable[..., Any], kind: type) -> Iterator[Any]:
    """Yield the constants that a function compares with, or of text also gives."""
    nodes = [node for node in ast.walk(syntax_of(function)) if hasattr(node, "lineno")]
    for node in sorted(nodes, key=attrgetter("lineno", "col_offset")):
        parts: list[ast.expr] = _equated(node)
        if kind is str and isinstance(node, ast.IfExp):
            parts = [node.body, node.orelse]
        elif kind is str and isinstance(node, ast.Return | ast.Assign):
            parts = [node.value] if node.value else []
        elif kind is str and isinstance(node, ast.Call):
            parts = [*node.args] if getattr(node.func, "attr", "") == "append" else []
        values = (getattr(part, "value", None) for part in parts)
        yield from (value for value in values if type(value) is kind)


def by_feature(
    fit: Callable[..., Any],
    ask: Callable[..., Any],
    names: tuple[str, str],
    *,
    of_object: bool,
) -> Iterator[Convention]:
    """Yield how a pair is called if the one that predicts takes features as arguments.

    Functions also get what was learned: what the learner returns by name, or all of it.
    """
    returned = None if of_object else returned_names(fit)
    for roles in _asked(required(ask), returned):
        n = sum(role.startswith("feature.") for role in roles)
        if n >= FEWEST_FEATURES and not of_a_class(ask):
            for learned_from in _learned_from(fit, n):
                yield Convention(*names, (), learned_from, roles, only_features=n)


def _asked(names: Sequence[str], returned: Sequence[str] | None) -> Iterator[Roles]:
    """Yield the roles of features, and of what was returned if functions are called."""
    made = [*(returned or ())]
    parts = {name: f"state.{made.index(name)}" for name in names if name in made}
    tries = [parts]
    if returned is not None and not parts:
        tries = [{n: f"whole.{n}"} for n in dict.fromkeys([*names[:1], *names[-1:]])]
    for known in tries:
        free = [name for name in names if name not in known]
        if not any(map(_is_other, free)):
            places = {name: f"feature.{place}" for place, name in enumerate(free)}
            yield tuple((known | places)[name] for name in names)


def _is_other(name: str) -> bool:
    """Return whether a name is one for data or settings rather than for a feature."""
    tasks = (is_label, is_table, is_training, asks_by_name, extra_role)
    return any(bool(task(name)) for task in tasks)


def _learned_from(fit: Callable[..., Any], n_features: int) -> Iterator[Roles]:
    """Yield the roles of a call that learns: features and labels, or as of any learner."""
    names = required(fit)
    if len(names) == n_features + 1:
        labels = [place for place, name in enumerate(names) if is_label(name)]
        place = labels[0] if len(labels) == 1 else n_features
        roles = [f"feature.{i}" for i in range(n_features)]
        roles.insert(place, "y")
        yield tuple(roles)
    yield from learning_ways(fit)

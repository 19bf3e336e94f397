"""The roles of parameters, inferred from names, signatures and code."""

import ast
import dis
import inspect
import re
import textwrap
import unicodedata
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from inspect import Parameter
from string import digits
from tokenize import TokenError
from types import CodeType, MappingProxyType
from typing import Any

from gnbbench.implementations.sources import LISTS, SAYS_BAYES

Roles = tuple[str, ...]
# Words in the names of parameters.
_TRAINING, _ASKING, _SAMPLES, _LABELS, _MOMENTS = (
    set(LISTS[kind]) for kind in ("training", "asking", "samples", "labels", "moments")
)
_COLUMN, _COLUMNS, _DISTINCT, _FEATURES = (
    set(LISTS[kind]) for kind in ("column", "several_columns", "distinct", "features")
)
_AMOUNTS = {"weight", "weights", "fraction", "percent", "percentage", "ratio", "size"}
_LEARNED = {word.rstrip("s") for word in LISTS["learned"]}
_TABLES = {"data", "dataset", "df", "table", "reader"}
_NO_LABELS = _MOMENTS | set(LISTS["scores"])
_TWO_CLASSES = [{"neg", "pos"}, {"negative", "positive"}, {"ham", "spam"}, {"no", "yes"}]
_COUNTS, _NAMES = set(LISTS["counts"]), {"names", "types", "kinds"}
# Names of further parameters -> their roles.
_EXTRAS = {
    name: key.removeprefix("extras.")
    for key, names in LISTS.items()
    if key.startswith("extras.")
    for name in names
}

# Letters that Unicode does not decompose, in their plain form.
_LETTERS = str.maketrans({"đ": "d", "ı": "i", "ł": "l", "ß": "ss", "ø": "o"})
_ACRONYM = r"(?<=[A-Z])(?=[A-Z][a-z]{2})"  # NBTrain, but not Xs
_CASES = re.compile(rf"(?<=[a-z])(?=[A-Z])|(?<=[a-zA-Z])(?=\d)|{_ACRONYM}")


@lru_cache(10_000)
def words_of(name: str) -> tuple[str, ...]:
    """Split a name into words, whatever its style: getPredictions, X_train, xtest."""
    letters = unicodedata.normalize("NFKD", name)
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    spaced = _CASES.sub("_", plain).lower().translate(_LETTERS)
    spaced = re.sub(
        r"^_*([xy])(?=(train|test|training|testing|new|tr|trn|te|tst)(_|$))", r"\1_", spaced
    )
    spaced = re.sub(r"^(train|test)([xy])$", r"\1_\2", spaced)
    # Data and labels: DTR, LTrain
    spaced = re.sub(r"^([dl])_?(?=(tr|te|train|test|val|eval)$)", _of_pair, spaced)
    return tuple(filter(None, spaced.split("_")))


def _of_pair(prefix: re.Match[str]) -> str:
    return "x_" if prefix[1] == "d" else "y_"


def joined(name: str) -> str:
    return "_".join(words_of(name))


def extra_role(name: str) -> str:
    """Return the role of a further parameter: num_of_classes is a number of classes."""
    words = [word for word in words_of(name) if word != "of"]
    if words[-1:] and words[-1] in {"num", "nb", "number", "total"}:  # features_num
        words = ["num", *words[:-1]]
    counted = {*words[1:]} if {*words[:1]} & _COUNTS else set[str]()
    kinds = {
        "n_classes": bool(counted) and counted <= _LABELS,
        "n_features": bool(counted) and counted <= _FEATURES,
        "label_name": bool(_COLUMN & {*words} and _LABELS & {*words}),
        "feature_names": bool(_COLUMNS & {*words} and _FEATURES & {*words}),
        "classes": bool(_DISTINCT & {*words} and _LABELS & {*words}),
    }
    joint = next((role for role, applies in kinds.items() if applies), "")
    return _EXTRAS.get("_".join(words), joint)


def count_role(name: str) -> str:
    """Return that of the number of features for a count of what else there is."""
    first, *others = words_of(name) or [""]
    return "n_features" if first in _COUNTS and others else ""


_STEMS = {
    task: ["".join(words_of(s)) for s in LISTS[task]] for task in ("learns", "answers")
}
# Participles may begin a word: fittedvalues.
_AGENT = re.compile("|".join(w if w.endswith("ed") else rf"{w}$" for w in LISTS["agents"]))


@lru_cache(10_000)
def says(name: str, task: str) -> bool:
    """Return whether a name has a word for a task, also within one, as in rowprediction."""
    words = [word for word in words_of(name) if not _AGENT.match(word)]
    # A word of two syllables may be written as two: yu_ce.
    whole = "".join(words)
    return any(
        whole.startswith(stem)
        or ((len(stem) > 5 or not stem.isascii()) and stem in whole)
        or any(w.startswith(stem) or (len(stem) > 4 and w.endswith(stem)) for w in words)
        for stem in _STEMS[task]
    )


# Stand for the parameters of compiled code, which are unknown.
_ANYTHING = [
    Parameter("args", Parameter.VAR_POSITIONAL),
    Parameter("kwargs", Parameter.VAR_KEYWORD),
]


def parameters_of(func: Callable[..., Any]) -> list[Parameter]:
    """Return the parameters of a call, also those that are read from **kwargs."""
    try:
        every = list(inspect.signature(func).parameters.values())
    except (ValueError, TypeError):
        return _ANYTHING
    named = [p.name for p in every if p.kind == Parameter.VAR_KEYWORD]
    called = vars(func).get("__init__", func) if inspect.isclass(func) else func
    read = [
        Parameter(node.slice.value, Parameter.KEYWORD_ONLY)
        for node in (ast.walk(syntax_of(called)) if named else ())
        if isinstance(node, ast.Subscript) and getattr(node.value, "id", "") in named
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
    ]
    return [*every, *{p.name: p for p in read}.values()]


def required(func: Callable[..., Any], kinds: Container[int] = (0, 1, 3)) -> list[str]:
    """Return the parameters without a default, of kinds of ``inspect.Parameter``."""
    every = parameters_of(func)
    return [p.name for p in every if p.default is p.empty and p.kind in kinds]


def last_step(func: Callable[..., Any]) -> str:
    """Return the function beside another that makes labels of what that one gives."""
    func = inspect.unwrap(getattr(func, "func", func))  # Of a partial one
    scope: dict[str, Any] = getattr(func, "__globals__", {})
    wanted, starts = [getattr(func, "__name__", "")], tuple(_STEMS["answers"])
    names = (n for n in scope if any(w.startswith(starts) for w in words_of(n)))
    of_one = (n for n in names if inspect.isfunction(scope[n]))
    return next((n for n in of_one if required(scope[n]) == wanted), "")


only_by_name = partial(required, kinds=(3,))  # What must be named in a call


def needed_for(make: Callable[..., Any]) -> list[str]:
    """Return the parameters that only the author of the code can know."""
    names = required(make)
    return [n for n in names if not (extra_role(n) or _number_role(n, names, make))]


def _number_role(name: str, names: Sequence[str], func: Callable[..., Any]) -> str:
    """Return the role of K or D beside data, or in a constructor that says Bayes.

    Labels in a constructor that takes no samples are a list of them.
    """
    is_alone = inspect.isclass(getattr(func, "func", func))
    is_alone = is_alone and not any(is_sample(n) or is_table(n) for n in names)
    if is_alone and joined(name) in LISTS["label_lists"]:
        return "classes"
    is_beside = len(names) > 2
    is_own = inspect.isclass(func) and SAYS_BAYES.search(func.__name__)
    known = {"K": "n_classes", "D": "n_features"} if is_beside or is_own else {}
    return known.get(name.upper() if is_beside else name, "")


def learning_roles(func: Callable[..., Any], *, anything: bool = True) -> Roles | None:
    """Return the roles of a call that learns; None if they are unknown.

    A constructor is given data only if its names ask for them.
    """
    names = required(func)
    if with_columns := _as_named(names, *_orders_of(names, anything=anything)):
        return with_columns
    validates = anything and len(names) > 2
    roles = [_named_role(name, names, func, validates=validates) for name in names]
    free = [place for place, role in enumerate(roles) if not role]
    chosen = [names[place] for place in free]
    words = {word for name in chosen for word in words_of(name)}
    are_numbered = all(map(is_label, chosen)) and not {*digits}.isdisjoint("".join(chosen))
    are_of_each_class = are_numbered or any(words >= two for two in _TWO_CLASSES)
    if are_of_each_class or not (anything or all(map(is_sample, chosen[:1]))):
        return None
    if len(free) == 1 and not _takes_labels(func, len(names)):
        roles[free[0]] = "data"
    elif len(free) == 1 and len(names) == 1:
        roles = ["X", "y"]
    elif len(free) == 2:
        is_swapped = is_label(chosen[0]) and not is_label(chosen[1])
        roles[free[0]], roles[free[1]] = ("y", "X") if is_swapped else ("X", "y")
    elif free:
        return None
    if not names and anything and _takes_labels(func, 1):
        return ("X", "y")
    return tuple(roles)


def learning_ways(func: Callable[..., Any]) -> list[Roles]:
    """Return the possible roles of a call that learns, the likeliest first.

    A second name for classes may be that of labels, and one for labels that of a column.
    """
    roles, names = learning_roles(func), required(func)
    if roles and roles[:2] == ("data", "classes"):
        return [("X", "y", *roles[2:]), roles]
    if roles == ("X", "y") and not any(map(is_data, names)) and len(names) == 2:
        return [roles, ("y", "X")]
    if len(names) == 2 and "feature_names" in (roles or ()) and is_label(names[1]):
        return [("X", "y"), *([roles] if roles else [])]
    if roles == ("X", "y") and len(names) == 2 and set(words_of(names[0])) & _TABLES:
        return [roles, ("data", "label_name")]
    return [] if roles is None else [roles]


def _named_role(
    name: str, names: Sequence[str], func: Callable[..., Any], *, validates: bool
) -> str:
    """Return the role that a name shows: a number, a list, or data to validate with."""
    role = extra_role(name)
    if not role and validates and asks_by_name(name):
        role = "y_train" if is_label(name) else "X_train"
    return role or _number_role(name, names, func)


def _orders_of(names: Sequence[str], *, anything: bool) -> list[Roles]:
    """Return orders of a table and its columns; constructors may get the latter alone."""
    if anything or any(extra_role(name) == "classes" for name in names):
        return [_WITH_COLUMNS]
    return [_WITH_COLUMNS, _WITH_COLUMNS[1:], _WITH_COLUMNS[:0:-1]]


_WITH_COLUMNS = ("data", "feature_names", "label_name")


def _as_named(names: Sequence[str], *orders: Roles) -> Roles:
    """Return the first order of roles that the names have, if there is one."""
    for roles in orders:
        pairs = zip(roles, names, strict=False)
        if len(roles) == len(names) and all(_NAMES_OF[role](n) for role, n in pairs):
            return roles
    return ()


def with_defaults(owner: Any, func: Any, roles: Roles) -> Roles:
    """Return the roles of a call, if it is one, with those of numbers or names by default.

    In code that says Bayes, K is a number of classes, and so is k beside d.
    """
    bayes = SAYS_BAYES.search(getattr(owner, "__name__", ""))
    taken = parameters_of(func)[len(roles) :] if func else []
    numbers = {"K": "n_classes"} if bayes else {}
    if bayes and {"k", "d"} <= {parameter.name for parameter in taken}:
        numbers |= {"k": "n_classes", "d": "n_features"}
    for parameter in taken:
        name = numbers.get(parameter.name, parameter.name)
        role, default = extra_role(name), parameter.default
        is_count = type(default) is int and role in {"n_classes", "n_features"}
        is_list = isinstance(default, list | tuple) and role.endswith("_names")
        if not (is_count or is_list) or parameter.kind not in {0, 1}:
            break
        roles = (*roles, role)
    return roles


def data_by_choice(make: Callable[..., Any], *, table: bool = False) -> Roles:
    """Return the roles of data that a constructor accepts, but does not require."""
    parameters = parameters_of(make)
    if table and [is_table(p.name) for p in parameters[:1]] == [True]:
        return ("data",)
    first = [is_label(p.name) for p in parameters[:2]]
    return ("X", "y") if first == [False, True] and not required(make) else ()


def _takes_labels(func: Callable[..., Any], place: int) -> bool:
    """Return whether the parameter at this place is for labels, though it has a default."""
    first = parameters_of(func)[: place + 1]
    is_last = len(first) > place and is_label(first[place].name)
    is_last = is_last and not isinstance(first[place].default, str)  # A column's name
    return is_last or any(parameter.kind == 2 for parameter in first)


def asking_roles(
    func: Callable[..., Any],
    *,
    returned: Sequence[str] = (),
    again: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Roles]:
    """Yield possible roles of a call that predicts, the likeliest first.

    Besides samples these are parts of the learned state, parameters known by name, and the
    learner's arguments under the same names.
    """
    names = required(func)
    if len(names) <= 1:
        yield from [("X",)] if parameters_of(func) else []
        return
    asked = [place for place, name in enumerate(names) if is_asked(name)]
    likely = [p for p in (len(names) - 1, 0) if not _MOMENTS & {*words_of(names[p])}]
    for place in dict.fromkeys([*asked[:1], *likely]):
        others = names[:place] + names[place + 1 :]
        known = {name: "classes" for name in others if joined(name) in LISTS["label_lists"]}
        given_labels = (name for name in others if is_label(name) and name not in known)
        known |= dict.fromkeys(given_labels, "y_asked")
        numbers = {name: _number_role(name, names, func) for name in others}
        known |= {n: role for n in others if (role := extra_role(n) or numbers[n])}
        known |= {
            n: "y_train" if is_label(n) else "X_train" for n in others if is_training(n)
        }
        known |= {n: "feature_names" for n in others if names_features(n)}
        known |= again
        roles = [known.get(name, "") if name not in returned else "" for name in others]
        states = [name for name, role in zip(others, roles, strict=True) if not role]
        parts = iter(_parts_of_state(states, returned))
        roles = [role or next(parts) for role in roles]
        roles.insert(place, "X")
        yield tuple(roles)
        if lists := [name for name in known if known[name] == "classes" and is_label(name)]:
            # Or labels of the rows, to score them.
            pairs = zip(names, roles, strict=True)
            yield tuple("y_asked" if name in lists else role for name, role in pairs)


def _parts_of_state(names: Sequence[str], returned: Sequence[str]) -> list[str]:
    """Return which part of the learned state each name stands for."""
    if len(names) == 1 and names[0] not in returned:
        return [f"whole.{names[0]}"]
    # Other names stand for the remaining parts, in the order in which they were returned.
    full = {n: [r for r in returned if n.startswith(r)] or [n] for n in names}
    meant = [full[n][0] if len(full[n]) == 1 else n for n in names]  # m for means
    left = (place for place, name in enumerate(returned) if name not in meant)
    parts = (returned.index(n) if n in returned else next(left, n) for n in meant)
    return [f"state.{part}" for part in parts]


def returned_names(func: Callable[..., Any], *, alone: bool = False) -> list[str]:
    """Return the names in the tuple that a function returns, from its source.

    Or a name that is returned alone, if asked for.
    """
    if names := getattr(func, "returns", ()):
        return [*names] if alone or len(names) > 1 else []
    for value in reversed(_returned(func)):
        if isinstance(value, ast.Tuple):
            return [ast.unparse(item) for item in value.elts]
        if alone and isinstance(value, ast.Name):
            return [value.id]
    return []


def _returned(func: Callable[..., Any]) -> list[ast.expr]:
    """Return what a function returns, the outermost first, from its source."""
    returns = [node for node in ast.walk(syntax_of(func)) if isinstance(node, ast.Return)]
    return [node.value for node in returns if node.value]


def n_returned(func: Callable[..., Any]) -> int:
    """Return how many things a function returns, besides itself, from its source."""
    values = [value for value in _returned(func) if getattr(value, "id", "") != "self"]
    sizes = (len(v.elts) if isinstance(v, ast.Tuple) else 1 for v in values)
    return max(sizes, default=0)


def gives_nothing(func: Callable[..., Any]) -> bool:
    """Return whether a function that does something gives no value, from its source."""
    made = [*ast.walk(syntax_of(func))]
    given = (n for n in made if isinstance(n, ast.Return | ast.Yield | ast.YieldFrom))
    return not (does_nothing(func) or any(n.value for n in given) or len(made) < 2)


def syntax_of(func: Callable[..., Any]) -> ast.AST:
    """Return the syntax tree of a function; an empty one if there is no source."""
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(inside(func)))).body[0]
    except (OSError, TypeError, SyntaxError, TokenError):
        return ast.Pass()


def texts_for(kind: type, name: str) -> list[str]:
    """Return the texts with which the methods of a class compare one of its parameters."""
    nodes = [node for code in vars(kind).values() for node in ast.walk(syntax_of(code))]
    compares = [node for node in nodes if isinstance(node, ast.Compare)]
    kept = [n for n in compares if name in re.findall(r"[^\W_]\w*", ast.unparse(n.left))]
    parts = [p for n in kept for side in n.comparators for p in ast.walk(side)]
    values = (part.value for part in parts if isinstance(part, ast.Constant))
    return [*dict.fromkeys(value for value in values if isinstance(value, str))]


def returned_functions(func: Callable[..., Any]) -> list[str]:
    """Return what a function makes and gives back, if it can be called.

    By its name, or as a call of the function itself where it has none.
    """
    made = syntax_of(func)
    call = f"{getattr(made, 'name', '')}({', '.join(required(func))})"
    defined = (n for n in ast.walk(made) if isinstance(n, ast.FunctionDef) and n != made)
    inner = {call, *(node.name for node in defined)}
    for value in _returned(func):
        parts = value.elts if isinstance(value, ast.Tuple) else [value]
        if isinstance(value, ast.Dict):
            parts = value.values
        names = [call if isinstance(p, ast.Lambda) else ast.unparse(p) for p in parts]
        if inner & {*names}:
            keys = value.keys if isinstance(value, ast.Dict) else ()
            return [str(getattr(key, "value", "")) for key in keys] or names
    return []


def roles_of_one_call(names: Sequence[str], *, asks: bool = False) -> Roles:
    """Return the roles of a call that learns and predicts; none if they are unknown.

    What is asked may come before a table, or have any name of samples, if the call is known
    to predict.
    """
    known = {name: role for name in names if (role := extra_role(name))}
    labels = [name for name in names if is_label(name)]
    if len(labels) > 1:
        known |= {n: "classes" for n in labels if joined(n) in LISTS["label_lists"]}
        truth = [n for n in labels if set(words_of(n)) & _ASKING and n not in known]
        known |= dict.fromkeys(truth[:1], "y_asked")
    free = [name for name in names if name not in known]
    asks = asks or {*known.values()} >= {*_WITH_COLUMNS[1:]}
    if len(free) == 2:
        for table, asked in (free, free[::-1])[: 1 + asks]:
            is_new = set(words_of(asked)) & _ASKING or (asks and is_asked(asked))
            if is_table(table) and is_new:
                known |= {table: "data", asked: "X"}
                return tuple(known[name] for name in names)
        return ()
    labels = [name for name in free if is_label(name)]
    if len(free) != 3 or len(labels) != 1:
        return ()
    first, last = (name for name in free if name != labels[0])
    if set(words_of(first)) & _ASKING or last == first.upper() != first:  # x before X
        first, last = last, first
    is_last = is_asked(last) or last.startswith(first)  # X and Xq
    if not (is_sample(first) and is_last):
        return ()
    known |= {labels[0]: "y_train", first: "X_train", last: "X"}
    return tuple(known[name] for name in names)


def roles_with_label_name(names: Sequence[str]) -> Roles:
    """Return the roles of a call with two tables and the name of their label column.

    The names of the other columns may follow.
    """
    first = ("data", "X", "label_name")
    orders = first, (*first, "feature_names"), ("data", "X", *_WITH_COLUMNS[1:])
    return _as_named(names, *orders)


def names_features(name: str) -> bool:
    return extra_role(name) == "feature_names" or joined(name) in {"features", "attributes"}


def is_table(name: str) -> bool:
    """Return whether a name is one for training data with their labels."""
    words = set(words_of(name))
    return bool(words & (_TRAINING | _TABLES)) and not words & (_ASKING | _AMOUNTS)


def is_label(name: str) -> bool:
    words = set(words_of(name))
    is_other = words & (_NO_LABELS | _COUNTS) or {w.rstrip("s") for w in words} & _LEARNED
    return bool(words & _LABELS) and not is_other


def of_a_class(func: Callable[..., Any]) -> bool:
    """Return whether a function is given a mean, a variance or a prior, as a density is."""
    return any(_MOMENTS & {*words_of(name)} for name in required(func))


def is_sample(name: str) -> bool:
    words = set(words_of(name))
    is_other = words & (_LABELS | _NAMES | _AMOUNTS)
    return bool(words & (_SAMPLES | _TRAINING)) and not is_other


def is_training(name: str) -> bool:
    """Return whether a name is one for training data alone."""
    words = set(words_of(name))
    return bool(words & _TRAINING) and words <= _TRAINING | _SAMPLES | _LABELS


def is_data(name: str) -> bool:
    """Return whether a name is one for samples or labels."""
    return is_sample(name) or is_label(name) or is_table(name)


def asks_by_name(name: str) -> bool:
    """Return whether a name is one for rows to ask for alone, such as X_test."""
    return bool(_ASKING & {*words_of(name)})


def is_asked(name: str) -> bool:
    words = set(words_of(name))
    is_training = words & _TRAINING and not words & _ASKING
    is_other = is_training or words & (_LABELS | _AMOUNTS)
    return bool(words & (_SAMPLES | _ASKING)) and not is_other


# Roles -> whether a name is one for them.
_NAMES_OF: dict[str, Callable[[str], bool]] = {
    "data": is_table,
    "X": is_asked,
    "label_name": is_label,
    "feature_names": names_features,
}


def names_used(func: Callable[..., Any]) -> set[str]:
    """Return the names that a function's code uses."""
    return {name for code in _codes(func) for name in code.co_names}


def globals_in(func: Callable[..., Any], kind: str = "LOAD_GLOBAL") -> list[str]:
    """Return the names of its module that a function's code reads, or sets of a kind."""
    steps = (step for code in _codes(func) for step in dis.get_instructions(code))
    return [*dict.fromkeys(str(step.argval) for step in steps if step.opname == kind)]


def does_nothing(func: Callable[..., Any] | None) -> bool:
    """Return whether a function only passes, as those that subclasses replace."""
    code = getattr(inside(func), "__code__", None)
    done = {step.opname for step in dis.get_instructions(code)} if code else {""}
    return done <= {"RESUME", "NOP", "LOAD_CONST", "RETURN_CONST", "RETURN_VALUE"}


def inside(func: Any) -> Any:
    """Return the function in a decorated one, or in one of which arguments are filled."""
    try:
        return inspect.unwrap(func.func if isinstance(func, partial) else func)
    except ImportError:  # What stands for a missing module
        return func


def _codes(model: Any) -> Iterator[CodeType]:
    """Yield the code of a function, and of functions defined in it."""
    waiting = [getattr(inside(model), "__code__", None)]
    while waiting:
        if isinstance(code := waiting.pop(), CodeType):
            yield code
            waiting += code.co_consts

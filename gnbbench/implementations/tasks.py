"""Which functions learn and which predict, inferred from names, calls and shapes."""

import ast
import inspect
import re
import sys
from collections.abc import Callable, Container, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from gnbbench.errors import ImplementationError
from gnbbench.implementations import modules
from gnbbench.implementations.roles import (
    inside,
    is_label,
    is_sample,
    is_table,
    joined,
    learning_ways,
    n_returned,
    names_used,
    of_a_class,
    parameters_of,
    required,
    says,
    words_of,
)
from gnbbench.implementations.sources import FUNCTION, LISTS, SAYS_BAYES
from gnbbench.words import listing

ANSWERING = LISTS["answering"]
LEARNED, _SCORES, _NEITHER, _SPREAD = (
    set(LISTS[kind]) for kind in ("learned", "scores", "does_neither", "spread")
)
_SAYS_DENSITY = re.compile(rb"\b(exp|var|std|pow|pdf|logpdf)\b")
# Libraries in which names say what has to do with densities.
_NAMES_SPREAD = {"matplotlib", "numpy", "pandas", "scipy", "seaborn", "sklearn", "tqdm"}
MOST_TAKEN, MOST_PAIRS = 3, 12  # Of what fits whatever its name, and of pairs with it
DOES_NEITHER = _SCORES | _NEITHER
IS_BAYES = re.compile(r"bayes|gnb|gauss", re.IGNORECASE)
_IS_NAIVE = re.compile(r"naiv|naif|ingenu", re.IGNORECASE)
_OTHER_MODELS = set(LISTS["other_models"])
_OF_DENSITIES = {"exp", "pi", "pdf", "logpdf", "NormalDist"}
# Words for learned quantities do not mark another task if nothing else learns.
OTHER_TASKS = DOES_NEITHER - set(LISTS["moments"])
_READING = {"open", "input", "read_csv", "loadtxt", "genfromtxt"}
_ACTING = OTHER_TASKS - _SCORES  # Such as those that print


def shared_words(fit: str, ask: str) -> set[str]:
    """Return the words that two names share, and that describe neither task."""
    shared = set(words_of(fit)) & set(words_of(ask)) - LEARNED - _SCORES
    return {w for w in shared if not says(w, "learns") and not says(w, "answers")}


def learns(name: str) -> bool:
    """Return whether a name says that it learns."""
    is_other = says(name, "answers") or DOES_NEITHER & set(words_of(name))
    return says(name, "learns") and not is_other


def answers(name: str) -> bool:
    """Return whether a name says that it gives labels, as predict_gnb_log does."""
    other_tasks = DOES_NEITHER - ({"log"} if IS_BAYES.search(name) else set())
    return says(name, "answers") and not other_tasks & set(words_of(name))


def gives_scores(name: str) -> bool:
    """Return whether a name says that it gives probabilities of classes."""
    words = set(words_of(name))
    return bool(_SCORES & words) and not (_NEITHER - {"log"}) & words


def why_no_model(source: bytes) -> str:
    """Return why a source seems to hold no model; empty if it may, or cannot be read."""
    tree = modules.parsed_source(source)
    nodes = [*ast.walk(tree)]
    left = {id(n) for node in nodes if _is_base(node) for n in ast.walk(node)}
    if not tree.body or any(_may_model(n) for n in nodes if id(n) not in left):
        return ""
    if left:
        return "its classes leave fit and predict to those that inherit from them"
    return "no name in it says that it learns or predicts"


def _is_base(node: ast.AST) -> bool:
    """Return whether a class has no body in any method that learns or answers."""
    if not isinstance(node, ast.ClassDef):
        return False
    named = [m for m in node.body if isinstance(m, FUNCTION)]
    lines = [n for m in named if learns(m.name) or answers(m.name) for n in m.body]
    done = (line.value if isinstance(line, ast.Expr) else line for line in lines)
    return bool(lines) and all(
        isinstance(n, ast.Pass | ast.Raise | ast.Constant) for n in done
    )


def _may_model(node: ast.AST) -> bool:
    """Return whether this is a class, or a function of no other known task."""
    if not isinstance(node, FUNCTION):
        return isinstance(node, ast.ClassDef)
    name, parameters = node.name, [one.arg for one in node.args.args]
    is_worded = learns(name) or answers(name) or gives_scores(name)
    is_free = any(map(is_label, parameters)) and not DOES_NEITHER & {*words_of(name)}
    return is_worded or is_free or bool(SAYS_BAYES.search(name))


def has_word(name: str, wanted: set[str]) -> bool:
    words = set(words_of(name))
    return bool(words & wanted) and not (words & DOES_NEITHER or says(name, "answers"))


def may_learn(
    name: str, function: Callable[..., Any], others: Container[str] = DOES_NEITHER
) -> bool:
    """Return whether a function takes samples and their labels, and has no other task.

    Or it takes a table and the name of its label column.
    """
    names = required(function)
    ways = learning_ways(function)
    roles = {role for way in ways[:1] for role in way} - {"feature_names"}
    is_pair = [is_label(parameter) for parameter in names] == [False, True]
    return (
        (roles == {"data", "label_name"} or (is_pair and is_sample(names[0])))
        and not any(word in others for word in words_of(name))
        and not says(name, "answers")
    )


def members(model: Any) -> dict[str, Callable[..., Any]]:
    """Return the methods of a class, or of an object's, without reading properties."""
    kind = model if isinstance(model, type) else type(model)
    return dict(inspect.getmembers(kind, inspect.isroutine))


def methods_of(model: Any) -> dict[str, Any]:
    """Return the public methods, those of its own class first, as they are called."""
    kind = model if isinstance(model, type) else type(model)
    known = _public(model)
    names = dict.fromkeys([*(name for name in vars(kind) if name in known), *known])
    return {name: method_of(model, name) for name in names}


def _public(model: Any) -> dict[str, Callable[..., Any]]:
    return {name: method for name, method in members(model).items() if name[0] != "_"}


def learning_methods(model: Any) -> list[str]:
    """Return the methods named after learning, the likeliest first."""
    return outermost(_public(model), learns)


def answering_methods(model: Any) -> list[str]:
    """Return the methods that give labels; if there are none, those that give scores."""
    if callable(getattr(model, "predict", None)):
        return ["predict"]
    listed = _listed_methods(model)
    worded = _public(model)
    labelling = [name for name in listed if not _SCORES & set(words_of(name))]
    labelling = list(dict.fromkeys((*labelling, *outermost(worded, answers))))
    # Those that take labels as well may score.
    names = {name: required(method_of(model, name)) for name in labelling}
    free = [name for name in labelling if not any(map(is_label, names[name]))]
    # The author's labels come before labels derived from scores.
    scoring = [] if labelling else [*listed, *outermost(worded, gives_scores)]
    if all(of_a_class(method_of(model, name)) for name in scoring):
        every = {n: m for n, m in members(model).items() if n in {*worded, "__call__"}}
        users = [n for n, m in every.items() if {*scoring} & names_used(m) - {n}]
        scoring = [n for n in users if not learns(n)] or scoring
    shaped = [n for n in worded if (labelling or scoring) and _may_answer(model, n)]
    shaped = shaped if len(shaped) == 1 else []
    return list(
        dict.fromkeys((free or shaped or labelling) if labelling else shaped + scoring)
    )


def scoring_methods(model: Any) -> list[str]:
    """Return the methods that give scores of samples alone, by their names."""
    named = (*_listed_methods(model), *outermost(_public(model), gives_scores))
    takes = {name: [*map(is_sample, required(method_of(model, name)))] for name in named}
    return [n for n in takes if takes[n] == [True] and _SCORES & {*words_of(n)}]


def _may_answer(model: Any, name: str) -> bool:
    """Return whether a method takes samples alone, and has no other task."""
    is_other = DOES_NEITHER & set(words_of(name)) or says(name, "learns")
    takes = [*map(is_sample, required(method_of(model, name)))]
    return takes == [True] and not is_other


def _listed_methods(model: Any) -> list[str]:
    """Return the methods with one of the names for predicting, in the order of these."""
    public = _public(model)
    return [n for wanted in ANSWERING for n in public if joined(n) == wanted]


def pairs_by_shape(
    functions: Mapping[str, Callable[..., Any]], *, of_object: bool
) -> list[tuple[str, str]]:
    """Return functions that may fit and predict, whatever their names, the likeliest first.

    One takes two things or more, or a table, the other rows and, unless an object holds
    it, what was learned. An object may have been made with the data.
    """
    takes = {name: required(function) for name, function in functions.items()}
    used = {name: names_used(function) for name, function in functions.items()}
    takes = {name: names for name, names in takes.items() if not _READING & used[name]}
    meant = [n for n in takes if is_meant(n, functions[n])]
    alone = 1 if of_object else 2
    free = [n for n in takes if takes[n] and not _ACTING & {*words_of(n)}]
    fits = [n for n in free if learns(n) or may_learn(n, functions[n], ())]
    others = [names for names in takes.values() if len(names) == alone]
    fits = fits or [
        name
        for name in meant
        if len(takes[name]) == 2 and not answers(name) and not is_label(takes[name][0])
        if of_object or any(takes[name][0] in o and takes[name][1] not in o for o in others)
    ]
    fits += [n for n in free if [*map(is_table, takes[n])] == [True] and not answers(n)]
    fits = [n for n in dict.fromkeys(fits) if len(takes[n]) <= MOST_TAKEN]
    pairs = []
    plain = [name for name in fits if len(takes[name]) <= 2]
    inner = set[str]().union(*(used[name] for name in plain))
    for fit in sorted(fits, key=lambda n: (n not in plain, n in inner, not learns(n))):
        most = 1 + max(n_returned(functions[fit]), alone - 1)
        rest = [n for n in meant if n != fit and fit not in used[n] and n not in used[fit]]
        rest = [
            n for n in rest if 1 <= len({*takes[n]} - {*filter(is_label, takes[n])}) <= most
        ]
        rest = [n for n in rest if answers(n) or not any(map(is_label, takes[n]))]
        inner = set[str]().union(*(names_reached(functions[n], None) for n in (fit, *rest)))
        # What is defined last, and called by no other, comes first.
        rest.reverse()
        rest.sort(key=lambda n: (n in inner, not answers(n), len(takes[n]) < alone))
        pairs += [(fit, ask) for ask in rest]
    made = [("", n) for n in meant[::-1] if of_object and len(takes[n]) == 1]
    return [*pairs[:MOST_PAIRS], *made]


def is_meant(name: str, function: Callable[..., Any]) -> bool:
    """Return whether a function may predict: its name says so, or says no other task."""
    return answers(name) or gives_scores(name) or not is_part(name, function)


def check_reachable(functions: Mapping[str, Callable[..., Any]], where: str) -> None:
    """Raise if what fits and predicts is defined within a function."""
    for name, given in functions.items():
        codes = [code for code in given.__code__.co_consts if inspect.iscode(code)]
        whole = {code.co_name: {"fit", "predict"} <= {*code.co_names} for code in codes}
        inner = [n for n, is_class in whole.items() if is_class or learns(n) or answers(n)]
        if inner:
            what = f"makes {listing(inner)} within the function {name}"
            them = "them" if len(inner) > 1 else "it"
            remedy = f"Move {them} out of {name}, and let {them} take what {name} computes"
            raise ImplementationError(where, what, remedy)


def is_part(name: str, function: Callable[..., Any]) -> bool:
    """Return whether a function has another task, such as a density of a class."""
    return bool(DOES_NEITHER & {*words_of(name)}) or of_a_class(function)


def is_density(name: str, function: Callable[..., Any]) -> bool:
    """Return whether a function takes a number, a mean and a variance, and says Gauss."""
    is_moments = of_a_class(function) and len(required(function)) == MOST_TAKEN
    return is_moments and "gauss" in name.lower()


def public_functions(model: Any) -> dict[str, Callable[..., Any]]:
    """Return the public methods of an object, and functions it holds, by name."""
    names = [name for name in dir(model) if name[0] != "_"]
    held = {name: inspect.getattr_static(model, name, None) for name in names}
    return {
        name: function
        for name in names
        if inspect.isroutine(held[name]) or isinstance(held[name], partial)
        if callable(function := getattr(model, name))  # A descriptor may give an array
    }


def further_answers(
    functions: Mapping[str, Callable[..., Any]], ask: Callable[..., Any]
) -> list[str]:
    """Return other functions that take the same and give labels or probabilities."""
    takes = [*map(is_label, required(ask))]
    return [
        name
        for name, function in functions.items()
        if not name.startswith(("_", "set_")) and function != ask
        if answers(name) or gives_scores(name)
        if [*map(is_label, required(function))] == takes
    ]


def names_reached(function: Callable[..., Any], owner: Any) -> set[str]:
    """Return the names that a function uses, or that functions it calls use."""
    names, waiting = set[str](), [function]
    while waiting:
        called = inside(waiting.pop())
        fresh = names_used(called) - names
        names |= fresh
        scope = getattr(called, "__globals__", {})
        used: list[Any] = [getattr(owner, name, scope.get(name)) for name in fresh]
        waiting += [each for each in used if inspect.isroutine(inside(each))]
    return names


def method_of(model: Any, name: str) -> Any:
    """Return a method with the parameters that are given when it is called."""
    method, static = getattr(model, name), inspect.getattr_static(model, name)
    is_unbound = isinstance(model, type) and inspect.isfunction(static)
    names = [parameter.name for parameter in parameters_of(method)]
    return partial(method, None) if names and (is_unbound or names[0] == "self") else method


def outermost(
    functions: Mapping[str, Callable[..., Any]], fits: Callable[[str], bool]
) -> list[str]:
    """Return the functions with a fitting name that no other calls; an exact name wins."""
    named = [name for name in functions if fits(name)]
    exact = [name for name in named if name in {"fit", "predict"}]
    inner = {
        name for other in named for name in names_used(functions[other]) if name != other
    }
    return exact or [name for name in named if name not in inner] or named


def likeliest(
    names: list[str], used: Mapping[str, set[str]], *, of_classes: bool
) -> list[str]:
    """Drop names of other models; prefer what says Bayes, then Gauss, then naive.

    Of several left, those that use what densities take; functions that say they predict;
    and the name whose words all others have as well, as GaussianNB.
    """
    likely = [name for name in names if not is_other_model(name)] or names
    learners = {name: name if of_classes else name.partition("+")[0] for name in likely}
    bayesian = [name for name in likely if IS_BAYES.search(learners[name])]
    gaussian = [name for name in bayesian if "gauss" in learners[name].lower()]
    naive = [n for n in bayesian if _IS_NAIVE.search(learners[n])]
    # Several of Gauss alone may be of full covariances.
    is_vague = len(gaussian) != 1 and not any("nb" in words_of(n) for n in gaussian)
    both = [n for n in gaussian if n in naive]
    likely = both or (naive if is_vague else []) or gaussian or bayesian or likely
    likely = [name for name in likely if used[name] & _OF_DENSITIES] or likely
    if not of_classes:
        likely = [name for name in likely if answers(name.rpartition("+")[2])] or likely
    words = {name: set(words_of(name)) for name in likely}
    return [n for n in likely if all(words[n] <= words[o] for o in likely)][:1] or likely


def is_other_model(name: str) -> bool:
    return bool(_OTHER_MODELS & set(words_of(name.replace("+", "_"))))


def used_by(parts: Iterable[Any]) -> set[str]:
    """Return the names that the methods of classes, or functions, use."""
    return {
        name
        for part in parts
        for code in (members(part).values() if isinstance(part, type) else [part])
        for name in names_used(code)
    }


def no_gaussian(path: Path, name: str) -> str:
    """Return that nothing in a file can be a square or a density, if it is so.

    Not if it imports a library that is not known to say so in names.
    """
    # Sooner than by parsing what it imports
    if _SAYS_DENSITY.search(modules.read_source(path)):
        return ""
    files = modules.with_imported(path)
    source = b"\n".join(files.values())
    if not (tree := modules.parsed_source(source)).body:
        return ""
    own = {part for file in files for part in (file.stem, file.parent.name)}
    imported = {
        n.partition(".")[0] for _, names in modules.imports_in(source) for n in names
    }
    others = imported - own - sys.stdlib_module_names - _NAMES_SPREAD
    if others or any(map(_may_square, ast.walk(tree))):
        return ""
    other = next((w.capitalize() for w in words_of(name) if w in _OTHER_MODELS), "")
    said = f"; its name says {other}" if other else ""
    return f"it computes no variance and no density, so it is no Gaussian naive Bayes{said}"


def _may_square(node: ast.AST) -> bool:
    """Return whether an operation or a name may be that of a square or a density."""
    op = getattr(node, "op", None)
    if isinstance(node, ast.BinOp) and isinstance(op, ast.Mult):
        return ast.unparse(node.left) == ast.unparse(node.right)
    names = (getattr(node, field, "") for field in ("id", "attr", "name", "arg", "value"))
    texts = (n for n in names if isinstance(n, str) and n.replace(".", "_").isidentifier())
    words = {word for text in texts for word in words_of(text.replace(".", "_"))}
    is_metric = "error" in words  # mean_squared_error
    return isinstance(op, ast.Pow | ast.MatMult) or bool(words & _SPREAD) > is_metric


def is_estimator(kind: Any) -> bool:
    """Return whether something is a class of scikit-learn that learns."""
    is_library = isinstance(kind, type) and kind.__module__.startswith("sklearn.")
    return is_library and callable(getattr(kind, "fit", None))

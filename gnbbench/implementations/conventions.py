"""Calling conventions of third-party code, inferred from names and signatures."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product
from typing import Any, Literal, Self

from gnbbench.implementations.roles import (
    Roles,
    asking_roles,
    constants_in,
    counts_by_choice,
    data_by_choice,
    does_nothing,
    is_label,
    is_sample,
    learning_roles,
    learning_ways,
    making_roles,
    names_used,
    parameters_of,
    required,
    returned_functions,
    returned_names,
    roles_of_one_call,
    roles_with_label_name,
    words_of,
)
from gnbbench.implementations.sources import LISTS, SAYS_BAYES
from gnbbench.implementations.tasks import (
    DOES_NEITHER,
    LEARNED,
    OTHER_TASKS,
    answering_methods,
    answers,
    gives_scores,
    has_word,
    learning_methods,
    learns,
    may_learn,
    members,
    method_of,
    outermost,
    shared_words,
    steps_before,
)
from gnbbench.words import listing

ONE_CALL = ("X_train", "y_train", "X")  # Of a function that learns and predicts
# Frames are of pandas; with "frames first" only the training data are in one, with "label
# first" as well, their labels in its first column.
Container = Literal[
    "arrays", "lists", "frames", "frames first", "label first", "transposed", "pairs"
]
FRAMED = ("frames", "frames first", "label first")
# How labels are passed: unchanged, also to code that answers with their places, as 0, 1, 2,
# ..., as 1, 2, 3, ..., or as a table of one or more columns.
LabelForm = Literal["given", "places", "codes", "from one", "column", "one-hot"]


@dataclass(frozen=True)
class Convention:
    """How an implementation is called; the defaults are scikit-learn's convention.

    Roles name the arguments of a call: "X" and "y" to learn from or "X" to label; "data", a
    table of both with the label last; "X_train" and the like for code that learns and
    predicts in one call; "whole.name", the learned state, or "state.name", a part of it.
    """

    fit: str = "fit"  # Method or function that learns; empty if there is none
    predict: str = "predict"
    made_of: Roles = ()  # Arguments of the constructor
    learns_from: Roles = ("X", "y")
    answers_from: Roles = ("X",)
    container: Container = "arrays"
    label_form: LabelForm = "given"
    label_column: str = "label"  # Its name in a DataFrame
    one_by_one: bool = False  # Whether it is called row by row
    part: int | None = None  # The item of an answer that holds the labels
    # What it returns for a row: a label; "first" etc. of several values; scores by class
    answer: str = "label"
    columns: str = "sorted"  # Order of the classes in a list of scores
    # Methods or functions that return tables of probabilities and of their logarithms, and
    # whether they are called row by row
    probabilities: str = ""
    log_probabilities: str = ""
    tables_one_by_one: bool = False
    table_columns: str = "sorted"  # Order of the classes in them; "named" in dictionaries
    returned: tuple[str, ...] = ()  # Functions that learning gives back, which answer
    # How other functions contradict `predict`, a sentence each
    contradictions: tuple[str, ...] = ()
    not_judged: tuple[str, ...] = ()  # Other predictors, which could not be called
    own_labels: tuple[str, ...] = ()  # The only ones that it knows, where it fails
    # How three classes went, where two did: "fails" or "wrong"
    two_classes: str = ""
    only_features: int = 0  # The only number with which it works, if there is one
    run: tuple[int, ...] = ()  # The lines of its file that run

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """Rebuild a convention from the fields that another process sent."""
        values: Any = {n: tuple(v) if isinstance(v, list) else v for n, v in plain.items()}
        return cls(**values)

    @property
    def has_codes(self) -> bool:
        """Whether its classes are numbers from `first_code` on."""
        return self.label_form in {"codes", "from one", "one-hot"}

    @property
    def first_code(self) -> int:
        """The number of its first class."""
        return int(self.label_form == "from one")

    @property
    def is_plain(self) -> bool:
        """Whether it is scikit-learn's convention."""
        tables = (self.probabilities, self.log_probabilities)
        is_usual = set(tables) <= {"", "predict_proba", "predict_log_proba"}
        is_usual = is_usual and self.table_columns != "named"
        return is_usual and self.called_alike == PLAIN

    @property
    def called_alike(self) -> Self:
        """The same call, without its other answers."""
        return replace(
            self,
            probabilities="",
            log_probabilities="",
            tables_one_by_one=False,
            table_columns="sorted",
            label_column="label",
            contradictions=(),
            not_judged=(),
            two_classes="",
            run=(),
        )

    @property
    def adaptations(self) -> tuple[str, ...]:
        """The differences from scikit-learn's convention, a short sentence each."""
        ask, learns = f"`{self.predict}`", self.learns_from
        is_odd = bool({"data", "n_classes", "n_features"} & {*learns})
        is_odd = bool(self.fit) and (is_odd or learns[:2] == ("y", "X"))
        is_odd = is_odd and self.container != "pairs"
        special = set(_ROLES) - ({"X"} if self.fit else {"X", *ONE_CALL})
        besides = [role for role in self.answers_from if role in special]
        scored, is_yielded = self.answer == "score", self.answer == "yielded"
        is_framed, is_first = self.container in FRAMED, self.container == "label first"
        is_named = is_framed and self.label_column != "label"
        validates = self.fit and not {"X_train", "y_train"}.isdisjoint(learns)
        tables = [self.probabilities, self.log_probabilities]
        tables = [name for name in tables if name not in {"", *TABLES, self.predict}]
        codes = "1, 2, 3, …" if self.first_code else "0, 1, 2, …"
        if self.two_classes:
            codes = f"{self.first_code} and {self.first_code + 1}"
        upward = "; y += 1" * self.first_code
        is_numbered = self.has_codes and self.label_form != "one-hot"
        place, is_item = ORDINALS[self.part or 0], self.answer in ORDINALS
        parts = [f"`{name}`" for name in self.fit.split("+")]
        fits = f"{listing(parts)} {'were' if len(parts) > 1 else 'was'}"
        given = f"{fits} given" if self.fit else "training data were given as"
        sentences = {
            f"{fits} called to fit": self.fit not in ("", "fit"),
            f"{ask} was called to predict": (self.fit or self.made_of)
            and not self.returned
            and self.predict != "predict",
            f"what `{self.fit}` returns was called to predict": self.returned,
            f"{ask} was called to fit and predict": not self.fit
            and not self.made_of
            and self.predict != "fit_predict",
            f"the constructor was given {_listed(self.made_of)}": self.made_of,
            f"{fits} given {_listed(learns)}": is_odd,
            f"{fits} given nothing more": self.fit and not learns,
            f"{ask} was also given {_listed(besides)}": besides and self.fit,
            f"{ask} was given {_listed(besides)}": besides and not self.fit,
            "data were given as lists of rows": self.container == "lists",
            "training data were given as pairs of a row and its label": (
                self.container == "pairs"
            ),
            "data were given as pandas DataFrames": self.container == "frames",
            f"{given} pandas DataFrames": is_framed and self.container != "frames",
            f"the column of the labels was called '{self.label_column}'": is_named,
            "samples were given as columns": self.container == "transposed",
            f"`{self.fit}` was also given the training rows to validate with": validates,
            f"labels were encoded as {codes} and its answers decoded": self.has_codes,
            "its answers 0, 1, 2, … were taken for places in the sorted labels; to return "
            "labels, keep `classes = np.unique(y)` in fit and return `classes[answer]`": (
                self.label_form == "places"
            ),
            f"labels must be {codes} for it to work; to take others, let it number them "
            f"with `classes, y = np.unique(y, return_inverse=True){upward}`": is_numbered,
            "on synthetic data it runs with two classes, but fails with three": (
                self.two_classes == "fails"
            ),
            "on synthetic data it labels two classes right, but not three": (
                self.two_classes == "wrong"
            ),
            "labels were given as a column of a table": self.label_form == "column",
            "labels were given one-hot, a column per class": self.label_form == "one-hot",
            f"{ask} was called row by row, which makes it slow": self.one_by_one,
            f"the {place} of the tuple that {ask} gave was taken": self.part is not None,
            f"the class with the largest of the scores that {ask} gave was taken": scored,
            f"the {self.answer} of the values that {ask} gives a row was taken": is_item,
            f"what {ask} yields was collected": is_yielded,
            f"{listing([f'`{name}`' for name in tables])} gave probabilities": tables,
        }
        told = (sentence for sentence, applies in sentences.items() if applies)
        end = "first" if is_first else "last"
        return tuple(
            text.replace("in the last column", f"in the {end} column") for text in told
        )


PLAIN = Convention()
TABLES = ("predict_proba", "predict_log_proba")
ORDINALS = ("first", "second", "third", "fourth", "fifth")
_ROLES = {
    "X": "the samples",
    "y": "their labels",
    "data": "one table with the label in the last column",
    "X_train": "the training samples",
    "y_train": "their labels",
    "classes": "the list of labels",
    "n_classes": "the number of classes",
    "n_features": "the number of features",
    "label_name": "the name of the label column",
    "feature_names": "the names of the feature columns",
    "y_asked": "placeholder labels",
    "X_labelled": "a last column of labels that are not the true ones",
}


def _listed(roles: Sequence[str]) -> str:
    return listing([_ROLES.get(role, role) for role in roles])


def of_class(
    model: Any,
    make: Callable[..., Any] | None = None,
    fit: str = "",
    predict: str = "",
    *,
    by_shape: bool = False,
) -> list[Convention]:
    """Return possible conventions of a class or object, the likeliest first.

    By shape, the only method that takes samples and labels learns, and the only one that
    takes samples predicts, whatever their names.
    """
    fits = [fit] if fit else learning_methods(model, by_shape=by_shape)
    asks = [predict] if predict else answering_methods(model, by_shape=by_shape)
    made_of = (make and making_roles(make)) or ()
    if made_of and not fits:
        fits = [""]
    if fits and not asks and _is_called_itself(model):
        asks = ["__call__"]
    steps = {ask: steps_before(model, ask) if fits == [""] else [] for ask in asks}
    conventions: list[Convention] = []
    for learn, ask in product(fits, asks):
        method, skipped = method_of(model, learn) if learn else (None, 0)
        ways = learning_ways(method, skipped=skipped) if method else [()]
        learns_from = ways[0] if ways else None
        if method and {"X", "y", "data"} & {*made_of} and learns_from == ("data",):
            # The constructor takes the rest.
            wants_labels = all(map(is_label, required(method, skipped) or ()))
            learns_from = ("y",) if wants_labels else ("X",)
            if wants_labels and made_of == ("data",):
                made_of = ("X",)
        if learns_from == () and make and not made_of:
            made_of = data_by_choice(make)
        asking, skipped = method_of(model, ask)
        if learns_from is None or not (learns_from or made_of):
            continue
        filled = method_of(model, learn)[1] if learn else 0
        taken = with_counts(model, learns_from and method, learns_from, filled)
        made = with_counts(model, make, made_of)
        conventions += [
            Convention(learn or "+".join(steps[ask]), ask, made, roles, asked)
            for roles in (taken, *ways[1:])
            for asked in asking_roles(asking, skipped=skipped)
        ]
    conventions += chain(
        *(of_closure(*method_of(model, n), name=n) for n in fits[: not asks] if n)
    )
    return conventions or ([] if fit or predict else _methods_of_one_call(model))


def with_counts(owner: Any, func: Any, roles: Roles, skipped: int = 0) -> Roles:
    """Return the roles of a call, if it is one, with those of numbers with defaults."""
    if not func:
        return roles
    bayes = bool(SAYS_BAYES.search(getattr(owner, "__name__", "")))
    return (*roles, *counts_by_choice(func, skipped + len(roles), bayes=bayes))


def is_abstract(kind: type) -> bool:
    """Return whether a class has abstract methods, even without the metaclass for them."""
    marks = (getattr(m, "__isabstractmethod__", False) for m in members(kind).values())
    return inspect.isabstract(kind) or any(marks)


def is_unfinished(kind: type) -> bool:
    """Return whether a class leaves methods to its subclasses, or predicts nothing."""
    methods = members(kind)
    is_left = any("NotImplementedError" in names_used(m) for m in methods.values())
    return is_left or any(does_nothing(m) for n, m in methods.items() if answers(n))


def _feeding(
    functions: Mapping[str, Callable[..., Any]],
    ask: str,
    fed: Mapping[str, Mapping[str, str]],
) -> list[str]:
    """Return the function that made all that a predictor takes besides samples."""
    pairs = fed.get(ask, {}).items()
    makers = [made.split("[")[0] for name, made in pairs if made and not is_sample(name)]
    names = required(functions[ask]) or []
    n_samples = sum(map(is_sample, names)) or 1  # Whatever their name
    is_one = len(set(makers)) == 1 and len(makers) >= len(names) - n_samples
    return makers[:1] if is_one and makers[0] in functions else []


class Jointly:
    """Functions that learn a part each, called with what they name; gives their parts."""

    def __init__(
        self, learners: Mapping[str, Callable[..., Any]], parts: Mapping[str, str]
    ) -> None:
        self._learners, self._parts = learners, parts
        self.__name__, self.returned = "+".join(learners), [*parts]
        names = chain.from_iterable(
            required(learner) or () for learner in learners.values()
        )
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        self._names = [*dict.fromkeys(names)]
        self.__signature__ = inspect.Signature(
            [inspect.Parameter(name, kind) for name in self._names]
        )

    def __call__(self, *values: Any) -> tuple[Any, ...]:
        known = dict(zip(self._names, values, strict=True))
        learned = {
            name: learner(*(known[wanted] for wanted in required(learner) or ()))
            for name, learner in self._learners.items()
        }
        items = (made.rstrip("]").partition("[")[::2] for made in self._parts.values())
        return tuple(
            learned[name][int(place)] if place else learned[name] for name, place in items
        )


def joined_learners(
    functions: Mapping[str, Callable[..., Any]],
    ask: str,
    fed: Mapping[str, Mapping[str, str]],
    learners: Sequence[str] = (),
) -> Jointly | None:
    """Return the functions that each made a part of what a predictor takes, if several did.

    Which do may be known; then in the order of what it takes.
    """
    names, values = required(functions[ask]) or [], fed.get(ask, {})
    parts = {
        name: made
        for name, made in zip(names, values.values(), strict=False)
        if (maker := functions.get(made.split("[")[0])) and required(maker)
        if len(values) == len(names) and not (is_sample(name) or is_label(name))
    }
    makers = [*dict.fromkeys(made.split("[")[0] for made in parts.values())]
    if learners and [*learners] != makers:
        makers, parts = [*learners], {name: name for name in learners}
    return Jointly({n: functions[n] for n in makers}, parts) if len(makers) > 1 else None


def _methods_of_one_call(model: Any) -> list[Convention]:
    """Return the methods that learn and predict in one call."""
    roles = {
        name: roles_of_one_call(required(*method_of(model, name)) or [])
        for name in members(model)
        if name[0] != "_" and not DOES_NEITHER & set(words_of(name))
    }
    return [Convention("", n, (), (), asked) for n, asked in roles.items() if asked]


def of_functions(
    functions: Mapping[str, Callable[..., Any]], fed: Mapping[str, Mapping[str, str]]
) -> list[Convention]:
    """Return the conventions by which functions of a module form an implementation.

    `fed` has, for each function, its arguments and which functions made them.
    """
    one_call = {
        name: how
        for name, given in functions.items()
        if not DOES_NEITHER & set(words_of(name))
        for how in of_function(given, strict=True)
        if not how.returned
    }
    if "fit_predict" in one_call:
        one_call = {"fit_predict": one_call["fit_predict"]}
    able = {n: code for n, code in functions.items() if parameters_of(code) != []}
    fits = outermost(able, learns)
    asks = outermost(functions, answers)
    asks = asks or outermost(functions, gives_scores)
    called = {n for whole in one_call for n in names_used(functions[whole])}
    makers = dict.fromkeys(m for ask in asks for m in _feeding(functions, ask, fed))
    fits = fits or [maker for maker in makers if maker not in called]
    fits = fits or outermost(functions, lambda name: has_word(name, LEARNED))
    for others in (DOES_NEITHER, OTHER_TASKS)[: 1 if one_call else 2]:
        fits = fits or [n for n in functions if may_learn(n, functions[n], 0, others)]
    if "fit" not in fits:
        fits = _learners_above(functions, fits, asks) or fits
    if not any(_follows(functions[a], functions[f]) for f, a in product(fits, asks)):
        # What calls a predictor may ask for more than a learner gives.
        nearer = {
            n: code
            for n, code in functions.items()
            if any(_follows(code, functions[fit]) for fit in fits)
        }
        asks = outermost(nearer, answers) or asks
    inner = [name for name in able if learns(name) and name not in fits]
    jointly = ((ask, joined_learners(functions, ask, fed)) for ask in asks)
    pairs = [of_pair(learner, functions[ask]) for ask, learner in jointly if learner]
    pairs = [ways for ways in pairs if ways]
    # What calls a learner may need more than samples and labels.
    for learners in (fits, inner):
        pairs = pairs or [
            ways
            for fit, ask in product(learners, asks)
            # A function that calls the other does more than its own part.
            if fit not in names_used(functions[ask])
            if ask not in names_used(functions[fit])
            for ways in [of_pair(functions[fit], functions[ask])]
            if ways and not (one_call and _takes_no_samples(functions[fit]))
        ]
    # Functions that share words belong together: gnb and gnb_predict.
    kin = [len(shared_words(ways[0].fit, ways[0].predict)) for ways in pairs]
    most: dict[str, int] = {}
    for ways, n in zip(pairs, kin, strict=True):
        most[ways[0].predict] = max(n, most.get(ways[0].predict, 1))
    akin = (p for p, n in zip(pairs, kin, strict=True) if n == most[p[0].predict])
    pairs = [*akin] or pairs
    used = {name for ways in pairs for name in (ways[0].fit, ways[0].predict)}
    # A function that calls a pair is the same again, and slower.
    alone = [
        how for name, how in one_call.items() if not used & names_used(functions[name])
    ]
    closures = (
        of_closure(given)
        for name, given in functions.items()
        if learns(name) or may_learn(name, given)
    )
    ways = [*alone, *chain.from_iterable(pairs)] or [*chain.from_iterable(closures)]
    return ways or [how for n in asks for how in of_function(functions[n])]


def _follows(ask: Callable[..., Any], fit: Callable[..., Any]) -> bool:
    """Return whether a function takes no more than samples and what a learner gives."""
    known, parts = required(fit) or (), returned_names(getattr(fit, "func", fit))
    others = [n for n in required(ask) or () if not (n in known or is_label(n))]
    return len(others) <= 1 + max(1, len(parts))


def _learners_above(
    functions: Mapping[str, Callable[..., Any]], fits: list[str], asks: list[str]
) -> list[str]:
    """Return functions of samples and labels that call a learner, but no predictor.

    The learner that they call gets the samples of one class.
    """
    used = {name: names_used(functions[name]) for name in functions if name not in fits}
    return [
        name
        for name, called in used.items()
        if not called.isdisjoint(fits) and called.isdisjoint(asks)
        if may_learn(name, functions[name])
    ]


def label_column(given: Iterable[Any]) -> str:
    """Return the label column that code names, if there is exactly one, else "label"."""
    functions = [*given]
    defaults = (p.default for one in functions for p in parameters_of(one) or ())
    constants = chain.from_iterable(map(constants_in, functions))
    texts = {value for value in chain(defaults, constants) if isinstance(value, str)}
    names = {*LISTS["label_columns"]} & texts or {t for t in texts if is_label(t)}
    return names.pop() if len(names) == 1 and max(names).isidentifier() else "label"


def _takes_no_samples(func: Callable[..., Any]) -> bool:
    """Return whether a function starts from the result of another, not from samples."""
    return not any(map(is_sample, (required(func) or ["X"])[:1]))


def of_function(func: Callable[..., Any], *, strict: bool = False) -> list[Convention]:
    """Return the conventions of a function that learns and predicts, if it does.

    Strictly, what is asked for has a name that says so.
    """
    name, names = getattr(func, "__name__", ""), required(func) or []
    roles = roles_of_one_call(names)
    if not roles and len(names) == 2 and answers(name):
        roles = roles_of_one_call(names[::-1])[::-1]
        roles = roles or roles_of_one_call(names, asks=not strict)
    if not roles and name == "fit_predict":
        roles = ONE_CALL
    named = roles_with_label_name(required(func) or [])
    ways = [Convention("", name, (), (), way) for way in (roles, named) if way]
    return ways or of_closure(func)


def of_pair(fit: Callable[..., Any], ask: Callable[..., Any]) -> list[Convention]:
    """Return the conventions by which two functions form an implementation."""
    # Parameters may be bound already.
    fitting, asking = (getattr(function, "func", function) for function in (fit, ask))
    returned = returned_names(fitting)
    conventions: list[Convention] = []
    for learns_from in filter(None, learning_ways(fit)):
        # Roles of the learner's arguments in a call that predicts
        roles = (f"{role}_train" if role in {"X", "y"} else role for role in learns_from)
        again = dict(zip(required(fit) or (), roles, strict=False))
        taken = with_counts(fitting, fit, learns_from)
        conventions += [
            Convention(fitting.__name__, asking.__name__, (), taken, answers_from)
            for answers_from in asking_roles(ask, returned=returned, again=again)
        ]
    return conventions


def of_closure(
    func: Callable[..., Any], skipped: int = 0, *, name: str = ""
) -> list[Convention]:
    """Return how a function that gives back one that answers is called, if it does."""
    name = name or getattr(func, "__name__", "")
    names = returned_functions(func) if name else []
    learns_from = learning_roles(func, skipped=skipped)
    if not names or not learns_from:
        return []
    asks = [one for one in names if answers(one) or one.startswith(f"{name}(")]
    ask = (asks or names)[0]
    return [Convention(name, ask, learns_from=learns_from, returned=tuple(names))]


def _is_called_itself(model: Any) -> bool:
    """Return whether objects of the class are callable."""
    kind = model if isinstance(model, type) else type(model)
    return inspect.isfunction(inspect.getattr_static(kind, "__call__", None))

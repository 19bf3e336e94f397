"""Third-party code behind ``fit(X, y)`` and ``predict(X)``, called by its convention."""

import contextlib
import io
import random
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any, Self

import numpy as np

from gnbbench.arrays import Array, FloatArray, labels_in
from gnbbench.errors import ImplementationError
from gnbbench.implementations.conventions import (
    CHANCES,
    FRAMED,
    LABEL_FIRST,
    ORDINALS,
    TABLES,
    Container,
    Convention,
)
from gnbbench.implementations.roles import is_label, last_step, only_by_name
from gnbbench.words import listing, plural

# Attributes that a fitted model may have.
ATTRIBUTES = (
    *("classes_", "class_count_", "class_prior_", "theta_", "var_", "sigma_", "epsilon_"),
    "n_features_in_",
)


class LimitError(ImplementationError):
    """Data with another number of features or classes than code is written for."""


def fitted_model(model: Any, answer: Any, predict: str = "predict") -> Any:
    """Return what predicts after a fit: what it gave back, if that can, else the model."""
    return answer if callable(getattr(answer, predict, None)) else model


def prepared_call(model: Any, operation: str, *args: Any) -> Callable[[], Any]:
    """Return an operation ready to be called; if adapted, only third-party code is left."""
    if isinstance(model, AdaptedModel):
        return model.prepared(operation, *args)
    return partial(getattr(model, operation), *args)


def learns_when_asked(make: Callable[[], Any]) -> bool:
    """Return whether fit only stores its samples, so that predict has to learn."""
    if not (isinstance(make, partial) and make.func is AdaptedModel):
        return False
    how: Convention = make.args[1]
    return not (how.fit or how.made_of)


_SCOPE = object()  # Asks what makes a model for the names of its module


def made_in(scope: dict[str, Any], make: Callable[..., Any], *args: Any) -> Any:
    """Return what is made with the arguments, or the scope if that is asked for."""
    return scope if args and args[0] is _SCOPE else make(*args)


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Silence third-party code, and restore the random state afterwards."""
    states = random.getstate(), np.random.get_state()  # noqa: NPY002  others' own
    with (
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        warnings.simplefilter("ignore")
        try:
            yield
        finally:
            random.setstate(states[0])
            np.random.set_state(states[1])  # noqa: NPY002


class AdaptedModel:
    """A model whose code is called by its own convention."""

    classes: Array  # The distinct labels, sorted; the code gets `labels` instead
    labels: list[Any]

    def __init__(self, make: Callable[..., Any], convention: Convention) -> None:
        self._make, self.how = make, convention
        self.model: Any = None if convention.made_of else make()
        self._state: Any = None
        self._made: dict[str, Any] = {}  # What each call that learns returned
        self._learner: Any = None  # Of what gives back a function that answers
        self._seen: tuple[Array, Array] | None = None  # The training samples and labels

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from samples and labels."""
        self.prepared("fit", X, y)()
        return self

    def predict(self, X: Any) -> Array:
        """Return one label per row."""
        answer = self.prepared("predict", X)()
        try:
            return self.labels_in(answers_by_row(answer, len(X), self.how.part), self.how)
        except (TypeError, ValueError, KeyError, IndexError) as error:
            what = f"gave {kind_of(answer)}, which has no label for each row"
            if (shape := getattr(answer, "shape", ())) and shape[0] != len(X):
                what = f"gave an answer of shape {shape} for {plural(len(X), 'row')}"
            elif self.how.one_by_one:
                what = f"gave {kind_of(answer[0])} for a row, which is no label"
            name = self.how.predict
            last = last_step(getattr(self.model, name))
            such = f", such as what `{last}({name})` gives" if last else ""
            remedy = f"Return one label per row{such}."
            raise ImplementationError(f"`{name}`", what, remedy) from error

    def labels_in(self, rows: Any, how: Convention) -> Array:
        """Return the labels in an answer on some rows, read by a convention."""
        decided = labels_of(rows, how.answer, self._columns(how.columns), self.labels)
        is_named = how.label_form in {"text", "answered as text", "own", "names"}
        if is_named:
            is_own = how.label_form in {"own", "names"}
            known = [*how.own_labels] if is_own else self.classes.astype(str).tolist()
            decided = np.array([known.index(t) if t in known else -1 for t in decided])
        is_coded = how.has_codes or is_named
        is_coded = is_coded or (how.label_form == "places" and how.answer != "score")
        codes = range(10**6) if is_named else how.codes
        return decoded(decided, self.classes, codes) if is_coded else decided

    def labels_as(self, how: Convention, kind: str, answer: Any, rows: Any) -> str:
        """Return what integer labels are in an answer; nothing where unknown."""
        in_table = "data" in {*how.made_of, *how.learns_from}  # Whose numbers may be floats
        if in_table or kind != "label" or type(self.labels[0]) is not int:
            return ""
        kind = np.asarray(unwrapped(rows[0])).dtype.kind
        if kind == "i":
            return "objects" if getattr(answer, "dtype", None) == np.dtype(object) else ""
        return {"b": "truth values", "f": "floats"}.get(kind, "")

    def prepared(self, operation: str, X: Any, y: Any = None) -> Callable[[], Any]:
        """Return an operation that only runs the third-party code."""
        how = self.how
        if operation == "fit":
            return self._learning(np.array(X), np.array(y))
        if self._seen is None:
            raise ValueError("call fit before predict")
        self._give_to_script()
        name = how.predict
        if operation in TABLES:
            name = how.tables[operation]
            how = replace(how, one_by_one=how.tables_one_by_one)
        ask, X = getattr(self.model, name), np.array(X)
        if not callable(ask):
            what = f"returns {kind_of(ask)}, which predicts nothing"
            remedy = "Let it return an object with predict(X)."
            raise ImplementationError(f"`{how.fit}`", what, remedy)
        ask = positional(ask)
        if "place" in how.answers_from:
            held = self._values(how.answers_from, X)
            at = how.answers_from.index("place")
            return lambda: [ask(*held[:at], i, *held[at + 1 :]) for i in range(len(X))]
        if not how.one_by_one:
            call = partial(ask, *self._values(how.answers_from, X, one_by_one=False))
            if how.kept and operation == "predict":
                return lambda: (call(), getattr(self.model, how.kept))[1]
            # A generator has done nothing when it returns.
            return (lambda: list(call())) if how.answer == "yielded" else call
        calls = [
            self._values(how.answers_from, row, one_by_one=True)
            for row in rows_in(X, _asking(how))
        ]
        return lambda: [ask(*arguments) for arguments in calls]

    def __getattr__(self, name: str) -> Any:
        how = self.__dict__.get("how")
        if how is not None and how.tables.get(name):
            return partial(self._table, name)
        if name not in ATTRIBUTES or self.model is None:
            raise AttributeError(f"{name} is not offered")
        value = getattr(self.model, name)
        is_coded = name == "classes_" and how is not None and how.has_codes
        return decoded(value, self.classes, how.codes) if is_coded and how else value

    def _table(self, operation: str, X: Any) -> Array:
        is_same = self.how.tables[operation] == self.how.predict
        part = self.how.part if is_same else None
        rows = answers_by_row(self.prepared(operation, X)(), len(X), part)
        columns = self._columns(self.how.table_columns)
        own = list(getattr(self.model, "classes_", self.labels))
        scores, _ = scores_of(rows, columns)
        return scores[:, [columns.index(label) for label in own]]

    def _learning(self, X: Array, y: Array) -> Callable[[], None]:
        how = self.how
        self.classes, codes = np.unique(y, return_inverse=True)
        self._refuse_unknown(X)
        labels = how.codes.step * codes + how.codes[0] if how.has_codes else y
        labels = y.astype(str) if how.label_form == "text" else labels
        labels = np.array(how.own_labels)[codes] if how.label_form == "own" else labels
        labels = codes if how.label_form == "names" else labels
        self.labels = np.unique(labels).tolist()
        self._seen = X, labels
        steps = [call.split() for call in how.before]
        steps += [[how.fit, *how.learns_from]] if how.fit else []
        roles = {role for _, *roles in steps for role in roles if role[:5] != "made."}
        values = dict(zip(roles, self._values([*roles]), strict=True))
        made_of = self._values(how.made_of)

        def learn() -> None:
            self._give_to_script()
            if how.made_of:
                self.model = self._make(*made_of)
            learner = self.model if self._learner is None else self._learner
            for name, *roles in steps:
                held = [values[r] if r in values else self._learned(r) for r in roles]
                self._state = positional(getattr(learner, name))(*held)
                self._made[name] = self._state
            if how.fit:
                self.model = fitted_model(learner, self._state, how.predict)
            if how.returned:
                self._learner, is_one = learner, len(how.returned) == 1
                if isinstance(self._state, Mapping):
                    self.model = SimpleNamespace(**self._state)
                elif self.model is learner:
                    held = [self._state] if is_one else self._state
                    named = zip(how.returned, held, strict=True)
                    self.model = SimpleNamespace(**dict(named))

        return learn

    def _give_to_script(self) -> None:
        """Bind names that functions read of their module: training data, what is made."""
        names = dict(name.split() for name in self.how.of_script)
        # What its own statements make is there once they have run.
        names = {n: role for n, role in names.items() if role[:5] != "made." or self._made}
        if names:
            values = self._values([*names.values()])
            self._make(_SCOPE).update(zip(names, values, strict=True))

    def _refuse_unknown(self, X: Array) -> None:
        """Raise for labels or features with which the code cannot work."""
        how, name = self.how, f"`{self.how.fit or self.how.predict}`"
        if how.own_labels and how.label_form not in {"own", "names"}:
            known = listing([repr(label) for label in how.own_labels])
            what = f"knows only the labels {known}, though y has others"
            remedy = "Take them from y, as in np.unique(y)."
            raise ImplementationError(name, what, remedy)
        if how.only_features not in {0, X.shape[1]}:
            only = plural(how.only_features, "feature")
            what = f"works with {only} alone, not with {X.shape[1]}"
            remedy = "Let it take the last column for the labels: row[-1], data[:, -1]."
            if "data" not in {*how.made_of, *how.learns_from} or how.feature_columns:
                remedy = "Let it use every column of X."
            raise LimitError(name, what, remedy)
        if how.only_classes not in {0, len(self.classes)}:
            only = plural(how.only_classes, "class", "classes")
            what = f"works with {only} alone, not with {len(self.classes)}"
            raise LimitError(name, what, "Let it take the classes from y: np.unique(y).")

    def _values(
        self, roles: Sequence[str], asked: Any = None, *, one_by_one: bool = False
    ) -> list[Any]:
        """Return the arguments of a call; fit comes first, or is this call."""
        assert self._seen is not None  # noqa: S101
        (X, y), how = self._seen, self.how
        is_framed, names = how.container in FRAMED, feature_names(X, how)
        is_apart = how.container == "apart"
        known: dict[str, Callable[[], Any]] = {
            "data": lambda: contained(X, how, y),
            "classes": lambda: self.labels if how.container == "lists" else np.unique(y),
            "n_classes": lambda: len(self.labels),
            "n_features": lambda: X.shape[1],
            "own_name": lambda: "model",
            "no_names": list,
            "share": lambda: 0.2,
            "place": lambda: 0,
            "label_name": lambda: how.label_column if is_framed else X.shape[1],
            "feature_names": lambda: list(names if is_framed else range(X.shape[1])),
            **dict.fromkeys(
                ("X", "X_train"), lambda: contained(X, how, y if is_apart else None)
            ),
            **dict.fromkeys(
                ("y", "y_train"),
                lambda: [*self.labels] if is_apart else contained(formed(y, how), how),
            ),
        }
        if any(role.startswith("feature.") for role in roles):
            columns = (X if asked is None else np.asarray(asked)).T
            held = (partial(_column, column, how) for column in columns)
            known |= {f"feature.{place}": column for place, column in enumerate(held)}
        if asked is not None:
            n_asked = 1 if one_by_one else len(asked)
            known["X"] = lambda: asked if one_by_one else contained(asked, _asking(how))
            known["X_labelled"] = lambda: with_label(
                asked, y[0], how, one_by_one=one_by_one
            )
            known["y_asked"] = lambda: contained(
                formed(np.repeat(y[:1], n_asked), how), how
            )
        return [known[role]() if role in known else self._learned(role) for role in roles]

    def _learned(self, role: str) -> Any:
        """Return the part of the learned state that a role names."""
        kind, _, part = role.partition(".")
        if kind == "made":
            name, _, part = part.partition(".")
            return _part_of(self._made[name], part) if part else self._made[name]
        if kind == "whole" and self._state is not None and self._state is not self.model:
            return self._state
        try:
            return _part_of(self._state, part)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            parts = [
                n[6:] for n in self.how.answers_from if n.startswith(("state.", "whole."))
            ]
            wanted = [part for part in parts if not part.isdigit()]
            them = "it a default" if len(wanted) == 1 else "them defaults"
            what = f"takes {listing(wanted)}, which `{self.how.fit}` does not return"
            remedy = f"Let it return {listing(wanted)}, or give {them}."
            if not wanted:
                what = f"takes item {int(part) + 1} of what `{self.how.fit}` returns, "
                what += f"which is {kind_of(self._state)}"
                remedy = "Let it take samples, and what was learned."
            raise ImplementationError(f"`{self.how.predict}`", what, remedy) from error

    def _columns(self, order: str) -> list[Any]:
        """Return the class of each column of scores."""
        if order in ("sorted", "named"):
            return self.labels
        if order == "appearing":
            assert self._seen is not None  # noqa: S101  a fit comes first
            return list(dict.fromkeys(self._seen[1].tolist()))
        return list(np.asarray(getattr(self.model, order)).tolist())


def _column(values: Any, how: Convention) -> Any:
    """Return one feature of all rows, or of one, in the code's container."""
    return contained(values, how) if np.ndim(values) else float(values)


def positional(call: Callable[..., Any]) -> Callable[..., Any]:
    """Return a call whose arguments are given in turn, also those that need a name."""
    named = only_by_name(call)

    def passing(*values: Any) -> Any:
        first = len(values) - len(named)
        return call(*values[:first], **dict(zip(named, values[first:], strict=True)))

    return passing if named else call


def kind_of(answer: Any) -> str:
    """Return the type of an answer, in words."""
    name = type(answer).__name__
    article = "an" if name[0] in "aeio" else "a"
    return "nothing" if answer is None else f"{article} {name}"


def formed(labels: Array, how: Convention) -> Array:
    """Return labels in the form that the code expects."""
    if how.label_form == "one-hot":
        return np.eye(int(labels.max()) + 1)[labels]
    return labels[:, np.newaxis] if how.is_in_table else labels


def _asking(how: Convention) -> Convention:
    """Return the convention for rows to label."""
    is_other = how.container in {*FRAMED[2:], "columns"}
    return replace(how, container="arrays") if is_other else how


def feature_names(X: Array, how: Convention) -> list[str]:
    """Return the names of feature columns in a DataFrame: the code's, or 0, 1, 2, …."""
    return [*how.feature_columns] or [str(place) for place in range(X.shape[1])]


def contained(values: Array, how: Convention, labels: Array | None = None) -> Any:
    """Return a copy of an array in the code's container; labels become its last column."""
    if how.container in FRAMED:
        import pandas as pd

        if values.ndim == 1:
            return pd.Series(values, name=how.label_column)
        names = None if "numbered" in how.container else feature_names(values, how)
        frame = pd.DataFrame(values, columns=names)
        if labels is not None:
            place = 0 if how.container in LABEL_FIRST else frame.shape[1]
            frame.insert(place, how.label_column, labels)
        return frame
    if labels is not None:
        return _with_labels(values, labels, how.container)
    is_turned = how.container in {"transposed", "columns"}
    copied = values.T.copy() if is_turned else values.copy()
    return values.tolist() if how.container == "lists" else copied


def _with_labels(values: Array, labels: Array, container: Container) -> Any:
    """Return rows and their labels in one table or list, or by class."""
    if container in {"groups", "apart"}:
        apart = {label: values[labels == label] for label in np.unique(labels).tolist()}
        return apart if container == "groups" else [*apart.values()]
    if container in {"tuple", "dictionary"}:
        return (values, labels) if container == "tuple" else {"X": values, "y": labels}
    pairs = zip(values.tolist(), labels.tolist(), strict=True)
    if container == "records":
        return [_Record(features=row, label=label) for row, label in pairs]
    if container == "lists":
        return [[*row, label] for row, label in pairs]
    if container in {"pairs", "label pairs"}:
        turn = 1 if container == "pairs" else -1
        return [(np.array(row), label)[::turn] for row, label in pairs]
    kind = object if labels.dtype.kind in "OUS" else np.float64
    parts = values.astype(kind), labels[:, np.newaxis].astype(kind)
    return np.hstack(parts[::-1] if container in LABEL_FIRST else parts)


class _Record(dict[str, Any]):
    """A row and its label, under any keys that code has for them."""

    def __missing__(self, key: str) -> Any:
        return self["label" if is_label(key) else "features"]


def with_label(asked: Any, label: Any, how: Convention, *, one_by_one: bool) -> Any:
    """Return rows, or one row, with a label in a last column."""
    if not one_by_one:
        return contained(asked, _asking(how), np.repeat(label, len(asked)))
    if hasattr(asked, "to_dict"):
        return type(asked)({**asked.to_dict(), how.label_column: label})
    return [*asked, label] if isinstance(asked, list) else np.append(asked, label)


def rows_in(values: Array, how: Convention) -> list[Any]:
    """Return the rows one by one, in the code's container."""
    if how.container == "transposed":
        return [row[:, np.newaxis] for row in values.copy()]
    held = contained(values, how)
    is_frame = how.container in FRAMED[:2]
    return [held.iloc[i] for i in range(len(held))] if is_frame else list(held)


def answers_by_row(answer: Any, n_rows: int, part: int | None) -> list[Any] | Array | None:
    """Return the answer on each row; None if it does not have that many rows."""
    if part is not None:
        answer = answer[part]
    if hasattr(answer, "to_numpy"):  # a DataFrame or Series of pandas
        is_table = getattr(answer, "ndim", 1) == 2 and len(answer) == n_rows
        if is_table and answer.shape[1] > 1:
            return list(answer.to_dict("records"))
        answer = answer.to_numpy()
    if isinstance(answer, Mapping):
        held = {key: np.ravel(value) for key, value in answer.items()}
        if any(len(value) != n_rows for value in held.values()):
            return None
        return [{key: held[key][i] for key in held} for i in range(n_rows)]
    if isinstance(answer, np.ndarray) and (answer.ndim != 1 or answer.dtype != object):
        answer = answer.T if answer.ndim == 2 and len(answer) != n_rows else answer
        return answer if answer.ndim in {1, 2} and len(answer) == n_rows else None
    if isinstance(answer, str) or not hasattr(answer, "__iter__"):
        return None
    answers = list(answer)
    return answers if len(answers) == n_rows else None


def labels_of(
    rows: list[Any] | Array | None,
    answer: str,
    columns: Sequence[Any],
    labels: Sequence[Any],
) -> Array:
    """Return the labels in the answers on rows; anything else becomes an unknown label."""
    if rows is None:
        raise ValueError("its answer is not one for each row")
    if answer in {"score", "mark"}:
        scores, order = scores_of(rows, columns)
        return np.asarray(np.array(order)[scores.argmax(axis=1)])
    if answer in CHANCES:
        held = [row[0] for row in rows] if answer == "first chance" else rows
        chances = np.array([unwrapped(row) for row in held], dtype=np.float64)
        half = 0.0 if answer == "odds" else 0.5
        return np.array(labels)[(chances > half).astype(np.intp)]
    if answer == "column" and np.shape(rows)[1:] != (1,):
        raise ValueError("its answer is no column with a label for each row")
    if answer in {*ORDINALS, "column"}:
        places = {"column": 0, ORDINALS[-1]: -1}
        place = places[answer] if answer in places else ORDINALS.index(answer)
        rows = [_part_of(row, str(place)) for row in rows]
    if isinstance(rows, np.ndarray) and rows.ndim == 1 and rows.dtype != object:
        return rows
    plain = [unwrapped(row) for row in rows]
    labelled = labels_in(plain)
    if labelled.dtype == object or labelled.ndim != 1:
        unknown = unknown_label(np.asarray(labels))
        plain = [value if _is_among(value, labels) else unknown for value in plain]
        labelled = np.array(plain)
    return labelled


def scores_of(rows: Any, columns: Sequence[Any]) -> tuple[FloatArray, list[Any]]:
    """Return a score for each row and class, and the class that each column is for."""
    order = list(columns)
    if isinstance(rows, list) and in_pairs(rows[0], columns):
        rows = [in_pairs(row, columns) for row in rows]
    if isinstance(rows, list) and isinstance(rows[0], Mapping):
        keys = set[Any]().union(*rows)  # Some rows may have the best label alone
        order = [label for label in columns if label in keys] or order
        rows = [
            [row.get(n, -np.inf) for n in order] if order[0] in keys else [*row.values()]
            for row in rows
        ]
    elif isinstance(rows, list):
        rows = [np.ravel(row) for row in rows]
    return np.asarray(rows, dtype=np.float64), order


def in_pairs(row: Any, labels: Sequence[Any]) -> dict[Any, Any]:
    """Return the score of each label in a row of pairs of both; empty if it is none."""
    is_list = isinstance(row, list | tuple) and len(row) == len(labels)
    if not (is_list and all(isinstance(p, list | tuple) and len(p) == 2 for p in row)):
        return {}
    for turn in (1, -1):
        pairs = [tuple(map(unwrapped, pair))[::turn] for pair in row]
        if all(_is_among(name, labels) for name, _ in pairs):
            return {label: dict(pairs).get(label, -np.inf) for label in labels}
    return {}


def decoded(answers: Any, classes: Array, codes: range) -> Array:
    """Return the labels of the numbers of classes; others are unknown."""
    numbers = (np.asarray(answers, dtype=np.float64) - codes[0]) / codes.step
    known = np.isin(numbers, range(len(classes)))
    labels: Array = classes[np.where(known, numbers, 0).astype(np.intp)]
    return labels if known.all() else np.where(known, labels, unknown_label(classes))


# What stands for an answer that is no label, such as None: by the kind of the labels
NO_LABELS: dict[str, Any] = {"i": np.iinfo(np.int32).min, "f": -np.inf}


def unknown_label(classes: Array) -> Any:
    """Return a label of the same type that is not among the classes."""
    kind = classes.dtype.kind
    return classes.min() - 1 if kind in "bu" else NO_LABELS.get(kind, "")


def unwrapped(value: Any) -> Any:
    """Return the only item of an array or list, however deeply nested."""
    while isinstance(value, list | tuple | np.ndarray) and np.size(value) == 1:
        value = value.item() if isinstance(value, np.ndarray) else value[0]
    return value


def size_of(row: Any) -> int:
    """Return how many values of one kind an answer holds; 0 if a tuple mixes kinds."""
    if isinstance(row, tuple) and len({isinstance(v, int | np.integer) for v in row}) > 1:
        return 0  # Scores and a label, say
    try:
        return int(np.size(row))
    except ValueError:
        return 0


def _is_among(value: Any, labels: Sequence[Any]) -> bool:
    try:
        return value in labels
    except (TypeError, ValueError):
        return False


def _part_of(whole: Any, part: str) -> Any:
    """Return an item by its place, or by its name."""
    if isinstance(whole, Mapping):
        return whole[part] if part in whole else list(whole.values())[int(part)]
    if part.lstrip("-").isdigit():
        return whole[int(part)]
    return getattr(whole, part)


def gives_dictionaries(model: Any, name: str, X: Array) -> bool:
    """Return whether a method gives a dictionary for each row."""
    with contextlib.suppress(Exception, SystemExit):
        return isinstance(next(iter(getattr(model, name)(X))), Mapping)
    return False


def own_labels(make: Callable[..., Any], how: Convention, y: Array) -> tuple[str, ...]:
    """Return the labels that untrained code has, if they are text and not in the data."""
    model = None
    with contextlib.suppress(Exception):
        model = None if how.made_of else make()
    for name, held in getattr(model, "__dict__", {}).items():
        is_list = is_label(name) and isinstance(held, list | tuple) and len(held) > 1
        is_text = is_list and all(isinstance(label, str) for label in held)
        if is_text and not {*held} & {*y.tolist()}:
            return tuple(held)
    return ()

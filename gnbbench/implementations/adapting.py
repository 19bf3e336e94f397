"""Code of others called as its convention says, behind ``fit(X, y)`` and ``predict(X)``."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gnbbench.implementations.conventions import ORDINALS, Convention

Array = NDArray[Any]
# What a fitted model may tell of itself.
ATTRIBUTES = (
    *("classes_", "class_count_", "class_prior_", "theta_", "var_", "sigma_", "epsilon_"),
    "n_features_in_",
)


def fitted_model(model: Any, answer: Any, predict: str = "predict") -> Any:
    """Return what predicts after a fit: what it gave back, if that can, else the model."""
    return answer if callable(getattr(answer, predict, None)) else model


def prepared_call(model: Any, operation: str, *given: Any) -> Callable[[], Any]:
    """Return an operation not yet called; where it is adapted, code of others alone."""
    if isinstance(model, AdaptedModel):
        return model.prepared(operation, *given)
    return partial(getattr(model, operation), *given)


class AdaptedModel:
    """A model whose code is called in its own manner."""

    def __init__(self, make: Callable[..., Any], convention: Convention) -> None:
        self._make, self._how = make, convention
        self._model: Any = None if convention.made_of else make()
        self._state: Any = None
        self._seen: _Sides | None = None

    def fit(self, X: Any, y: Any) -> Self:
        """Return itself, having learned."""
        self.prepared("fit", X, y)()
        return self

    def predict(self, X: Any) -> Array:
        """Return one label a row."""
        rows = answers_by_row(self.prepared("predict", X)(), len(X), self._how.part)
        labels = labels_of(rows, self._how.answer, self.columns, self._labels)
        return decoded(labels, self._classes) if self._how.has_codes else labels

    def prepared(self, operation: str, X: Any, y: Any = None) -> Callable[[], Any]:
        """Return an operation that does what the code of others does, and no more."""
        how = self._how
        if operation == "fit":
            return self._learning(np.array(X), np.array(y))
        if self._seen is None:
            raise ValueError("call fit before predict")
        name = how.probabilities if operation == "predict_proba" else how.predict
        ask, X = getattr(self._model, name), np.array(X)
        if not how.one_by_one:
            return partial(ask, *self._values(how.answers_from, X))
        given = [self._values(how.answers_from, row) for row in rows_in(X, how.container)]
        return lambda: [ask(*arguments) for arguments in given]

    def __getattr__(self, name: str) -> Any:
        how = self.__dict__.get("_how")
        if name == "predict_proba" and how is not None and how.probabilities:
            return self._predict_proba
        if name not in ATTRIBUTES or self._model is None:
            raise AttributeError(f"{name} is not offered")
        value = getattr(self._model, name)
        is_coded = name == "classes_" and how is not None and how.has_codes
        return decoded(np.asarray(value), self._classes) if is_coded else value

    def _predict_proba(self, X: Any) -> Array:
        rows = answers_by_row(self.prepared("predict_proba", X)(), len(X), None)
        columns = self.columns
        own = list(getattr(self._model, "classes_", self._labels))
        order = [columns.index(label) for label in own]
        return scores_of(rows, columns)[:, order]

    def _learning(self, X: Array, y: Array) -> Callable[[], None]:
        how = self._how
        self._classes, codes = np.unique(y, return_inverse=True)
        labels = codes if how.has_codes else y
        self._labels = (
            list(range(len(self._classes))) if how.has_codes else self._classes.tolist()
        )
        self._appearing = list(dict.fromkeys(labels.tolist()))
        self._seen = _Sides(X, labels)
        made_of, given = self._values(how.made_of), self._values(how.learns_from)

        def learn() -> None:
            if how.made_of:
                self._model = self._make(*made_of)
            if how.fit:
                self._state = getattr(self._model, how.fit)(*given)
                self._model = fitted_model(self._model, self._state, how.predict)

        return learn

    def _values(self, roles: Sequence[str], asked: Any = None) -> list[Any]:
        return [self._value(role, asked) for role in roles]

    def _value(self, role: str, asked: Any) -> Any:
        sides, container = self._seen, self._how.container
        assert sides is not None  # noqa: S101  a fit comes first
        if role.startswith("state"):
            part = role.removeprefix("state").removeprefix(".")
            return _part_of(self._state, part) if part else self._state
        if role == "X" and asked is not None:
            return asked if self._how.one_by_one else contained(asked, container)
        if role == "data":
            return contained(sides.X, container, sides.y)
        if role[0] in "Xy":
            return contained(sides.X if role[0] == "X" else sides.y, container)
        labels = np.unique(sides.y)
        counts = {"n_classes": len(labels), "n_features": sides.X.shape[1]}
        return counts.get(role, labels)

    @property
    def columns(self) -> list[Any]:
        """The class that each score of a list of them is for."""
        order = self._how.columns
        known = {"sorted": self._labels, "appearing": self._appearing}
        return known.get(order) or list(np.asarray(getattr(self._model, order)).tolist())


@dataclass(frozen=True)
class _Sides:
    """What was learned from, labels as they are given."""

    X: Array
    y: Array


def contained(values: Array, container: str, labels: Array | None = None) -> Any:
    """Return a copy of an array as code wants it; with labels, they are its last column."""
    if container == "frames":
        import pandas as pd

        if values.ndim == 1:
            return pd.Series(values, name="label")
        frame = pd.DataFrame(values, columns=[f"x{i}" for i in range(values.shape[1])])
        return frame if labels is None else frame.assign(label=labels)
    if labels is not None:
        if container == "lists":
            pairs = zip(values.tolist(), labels.tolist(), strict=True)
            return [[*row, label] for row, label in pairs]
        kind = object if labels.dtype.kind in "OUS" else np.float64
        return np.column_stack((values.astype(kind), labels.astype(kind)))
    return values.tolist() if container == "lists" else values.copy()


def rows_in(values: Array, container: str) -> list[Any]:
    """Return each row by itself, as code wants it."""
    held = contained(values, container)
    return [held.iloc[i] for i in range(len(held))] if container == "frames" else list(held)


def answers_by_row(answer: Any, n_rows: int, part: int | None) -> list[Any] | Array | None:
    """Return what an answer says of each row; None where it is no answer on so many."""
    if part is not None:
        answer = answer[part]
    if hasattr(answer, "to_numpy"):  # a DataFrame or Series of pandas
        if getattr(answer, "ndim", 1) == 2 and len(answer) == n_rows:
            return (
                list(answer.to_dict("records"))
                if answer.shape[1] > 1
                else answer.to_numpy()
            )
        answer = answer.to_numpy()
    if isinstance(answer, Mapping):
        held = {key: np.ravel(value) for key, value in answer.items()}
        if any(len(value) != n_rows for value in held.values()):
            return None
        return [{key: held[key][i] for key in held} for i in range(n_rows)]
    if isinstance(answer, np.ndarray):
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
    """Return the labels of rows of which something is said; none of them is a new label."""
    if rows is None:
        raise ValueError("its answer is not one for each row")
    if answer == "score":
        order = _column_names(rows, columns)
        chosen = np.argmax(scores_of(rows, columns), axis=1)
        found: Array = np.array(order)[chosen]
        return found
    if answer in ORDINALS:
        rows = [_part_of(row, str(ORDINALS.index(answer))) for row in rows]
    if isinstance(rows, np.ndarray) and rows.ndim == 1 and rows.dtype != object:
        return rows
    plain = [unwrapped(row) for row in rows]
    found = np.array(plain)
    if found.dtype == object or found.ndim != 1:
        unknown = unknown_label(np.asarray(labels))
        found = np.array(
            [value if _is_among(value, labels) else unknown for value in plain]
        )
    return found


def scores_of(rows: Any, columns: Sequence[Any]) -> NDArray[np.float64]:
    """Return a score for each row and class."""
    if isinstance(rows, list) and isinstance(rows[0], Mapping):
        order = _column_names(rows, columns)
        named = order[0] in rows[0]
        rows = [
            [row.get(label, -np.inf) for label in order] if named else list(row.values())
            for row in rows
        ]
    elif isinstance(rows, list):
        rows = [np.ravel(row) for row in rows]
    return np.asarray(rows, dtype=np.float64)


def _column_names(rows: Any, columns: Sequence[Any]) -> list[Any]:
    if isinstance(rows, list) and rows and isinstance(rows[0], Mapping):
        return [label for label in columns if label in rows[0]] or list(columns)
    return list(columns)


def decoded(answers: Array, classes: Array) -> Array:
    """Return the labels that answers 0, 1, 2, ... stand for; others are none of them."""
    numbers = np.asarray(answers, dtype=np.float64)
    known = np.isin(numbers, range(len(classes)))
    labels: Array = classes[np.where(known, numbers, 0).astype(np.intp)]
    return labels if known.all() else np.where(known, labels, unknown_label(classes))


def unknown_label(classes: Array) -> Any:
    """Return a label of the same kind that is none of these."""
    return classes.min() - 1 if classes.dtype.kind in "biuf" else ""


def unwrapped(value: Any) -> Any:
    """Return the only item of an array or list, however deep it lies."""
    while isinstance(value, list | tuple | np.ndarray) and np.size(value) == 1:
        value = value.item() if isinstance(value, np.ndarray) else value[0]
    return value


def _is_among(value: Any, labels: Sequence[Any]) -> bool:
    try:
        return value in labels
    except (TypeError, ValueError):
        return False


def _part_of(whole: Any, part: str) -> Any:
    """Return an item by its place, or by its name."""
    if isinstance(whole, Mapping):
        return whole[part] if part in whole else list(whole.values())[int(part)]
    if part.isdigit():
        return whole[int(part)]
    return getattr(whole, part)

"""Which convention code follows: each is tried on a few samples, until one answers."""

import contextlib
import io
import random
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from gnbbench.arrays import Array
from gnbbench.implementations.adapting import AdaptedModel, answers_by_row
from gnbbench.implementations.conventions import (
    ORDINALS,
    Container,
    Convention,
    LabelForm,
)

Data = tuple[Array, Array] | None  # Samples and their labels
# An answer that gets fewer of the samples right, which lie far apart, may be a misreading.
ENOUGH = 0.8
# In which manners code is called, the plainest first.
_USUAL: list[LabelForm] = ["given", "codes"]
_TABLES: list[LabelForm] = ["column", "one-hot"]
_CONTAINERS: list[Container] = ["arrays", "lists", "frames"]
Manner = tuple[LabelForm, Container, bool]
USUAL: list[Manner] = [*product(_USUAL, _CONTAINERS, (False, True))]
# These are for what cannot be fitted in any of those, or to frames alone.
UNUSUAL: list[Manner] = [
    *product(_TABLES, _CONTAINERS[::2], (False, True)),
    *(("given", "frames first", one_by_one) for one_by_one in (False, True)),
    ("given", "transposed", False),
]
# Samples of a class that is learned from, and those to be labelled of all.
N_TRAIN, N_TEST = 12, 11
N_FEATURES, N_CLASSES = 4, 3
N_REAL = 60
# Instead of a share of labels: what failed even when it was fitted, and what did later.
FAILED, FITTED = -2.0, -1.0


class Example(NamedTuple):
    """Samples to learn from, and a few to label."""

    X_train: Array
    y_train: Array
    X_test: Array
    y_test: Array


def examples(data: Data) -> Iterator[Example]:
    """Yield made samples under the labels of the data, then some of the data themselves.

    Made ones lie far apart. Without data, labels are no numbers of classes.
    """
    classes = np.array([4, 7, 9]) if data is None else np.unique(data[1])
    yield made(classes[:N_CLASSES])
    if len(classes) > 2:
        yield made(classes[:2])
    if data is not None:
        X, y = excerpt(*data)
        yield Example(X, y, X[:N_TEST], y[:N_TEST])


def excerpt(X: Array, y: Array) -> tuple[Array, Array]:
    """Return some samples of every class, mixed."""
    chosen = np.concatenate([np.flatnonzero(y == label)[:N_REAL] for label in np.unique(y)])
    chosen = np.random.default_rng(0).permutation(chosen)
    return X[chosen], y[chosen]


def made(classes: Array) -> Example:
    """Return samples of as many well separated classes, in no order of their labels."""
    generator = np.random.default_rng(0)
    n_classes = len(classes)
    sizes = [N_TRAIN + 2 * place for place in range(n_classes)]
    codes = np.concatenate([generator.permutation(np.repeat(range(n_classes), sizes)), []])
    codes = np.concatenate((np.arange(n_classes)[::-1], codes)).astype(np.intp)
    asked = np.arange(N_TEST)[::-1] % n_classes
    centres = 2.0 + 3.0 * np.arange(n_classes)[:, np.newaxis] + 0.2 * np.arange(N_FEATURES)
    centres[1:, 1::2] = centres[1:, 1::2][::-1]
    noise = generator.normal(scale=0.4, size=(len(codes) + N_TEST, N_FEATURES))
    X = centres[np.concatenate((codes, asked))] + noise
    return Example(X[:-N_TEST], classes[codes], X[-N_TEST:], classes[asked])


def found_convention(
    make: Callable[..., Any],
    conventions: Sequence[Convention],
    data: Data = None,
) -> Convention:
    """Return the first convention under which the code gives labels, or gets furthest.

    Under a plain one nothing is adapted. One that gets the labels of samples far apart
    wrong stands back behind one that gets them right.
    """
    furthest = conventions[0]
    with _undisturbed():
        for example in examples(data):
            most, furthest = _furthest(make, conventions, USUAL, example)
            if most == FAILED or (most == FITTED and furthest.container == "frames"):
                later = _furthest(make, conventions, UNUSUAL, example)
                most, furthest = max((most, furthest), later, key=itemgetter(0))
            if most >= 0.0:
                return _completed(make, furthest, example)
    return furthest


def _furthest(
    make: Callable[..., Any],
    conventions: Sequence[Convention],
    manners: Sequence[Manner],
    example: Example,
) -> tuple[float, Convention]:
    """Return how far the code gets, and the first convention under which it does so."""
    most, furthest = FAILED, conventions[0]
    for how, (form, container, one_by_one) in product(conventions, manners):
        tried = replace(how, label_form=form, container=container, one_by_one=one_by_one)
        share, found = _tried(make, tried, example)
        if share >= ENOUGH:
            return share, found
        if min(share, 0.0) > most:
            most, furthest = min(share, 0.0), found
    return most, furthest


def _tried(
    make: Callable[..., Any], how: Convention, example: Example
) -> tuple[float, Convention]:
    """Return which share of labels is right, or how it failed, and how that came."""
    share = FAILED
    try:
        model = AdaptedModel(make, how).fit(example.X_train, example.y_train)
        share = FITTED
        answer = model.prepared("predict", example.X_test)()
        readings = list(_readings(model, how, answer, example))
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001  code of others: the next is tried
        return share, how
    return max(readings, key=lambda pair: pair[0], default=(share, how))


def _readings(
    model: AdaptedModel, how: Convention, answer: Any, example: Example
) -> Iterator[tuple[float, Convention]]:
    """Yield every way to read labels out of an answer, with how many are right."""
    is_yielded = isinstance(answer, Iterator)
    parts = range(len(answer)) if isinstance(answer, tuple) and not how.one_by_one else ()
    for part in (None, *parts):
        try:
            rows = answers_by_row(answer, N_TEST, part)
        except (TypeError, ValueError):
            continue
        for kind, columns in () if rows is None else _kinds(model, rows):
            said = "yielded" if is_yielded and kind == "label" else kind
            found = replace(how, part=part, answer=said, columns=columns)
            try:
                labels = model.labels_in(rows, found)
            except (TypeError, ValueError, KeyError, IndexError):
                continue
            if labels.shape != (N_TEST,) or np.isin(labels, model.classes).mean() < 0.5:
                continue
            share = float(np.mean(labels == example.y_test))
            # Another meaning is given to answers only where it makes sense of them.
            is_bent = how.label_form != "given" or part is not None or kind in ORDINALS
            if share >= ENOUGH or not is_bent:
                yield share, found


def _kinds(model: AdaptedModel, rows: Any) -> Iterator[tuple[str, str]]:
    """Yield what each row's answer may be: a label, one of several values, or scores."""
    first = rows[0]
    if np.size(first) == 1 and not isinstance(first, dict):
        is_column = isinstance(first, list | tuple | np.ndarray) and np.ndim(first) > 0
        is_column = is_column and not model.how.one_by_one
        yield ("first" if is_column else "label"), "sorted"
        return
    if isinstance(first, dict) and set(first) <= set(model.labels):
        yield "score", "sorted"
        return
    n_values = len(first) if hasattr(first, "__len__") else 0
    for ordinal in ORDINALS[:n_values]:
        yield ordinal, "sorted"
    n_scores = n_values if isinstance(first, dict) else np.size(first)
    if n_scores == len(model.labels):
        for name in ("classes_", "classes", "labels"):
            held: Any = getattr(model.model, name, None)
            is_list = isinstance(held, list | tuple | np.ndarray)
            if is_list and sorted(map(str, held)) == sorted(map(str, model.labels)):
                yield "score", name
        yield "score", "sorted"
        yield "score", "appearing"


def _completed(make: Callable[..., Any], how: Convention, example: Example) -> Convention:
    """Return a convention with the method that gives probabilities of classes, if any."""
    if how.is_plain:
        return how
    names = ("predict_proba", how.predict) if how.answer == "score" else ("predict_proba",)
    for name in names:
        tried = replace(how, probabilities=name)
        try:
            model = AdaptedModel(make, tried).fit(example.X_train, example.y_train)
            tables = [model.predict_proba(example.X_test)]
            if name != "predict_proba":
                # Far apart, exponents of scores and labels one-hot sum to one as well; of
                # mixed classes the exponents do not, and probabilities differ from 0 and 1.
                mixed = np.random.default_rng(0).permutation(example.y_train)
                model = AdaptedModel(make, tried).fit(example.X_train, mixed)
                tables.append(model.predict_proba(example.X_test))
        except (Exception, SystemExit):  # noqa: BLE001, S112  it offers none
            continue
        shape = (N_TEST, len(model.classes))
        is_sure = name != "predict_proba" and np.isin(tables[-1], (0.0, 1.0)).all()
        if not is_sure and all(
            table.shape == shape and np.allclose(table.sum(axis=1), 1.0, atol=1e-6)
            for table in tables
        ):
            return tried
    return how


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Let code of others print and draw at random without anybody noticing."""
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

"""Samples on which code of others is tried out, and how far it gets with them."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from gnbbench.arrays import Array
from gnbbench.implementations.adapting import AdaptedModel, answers_by_row
from gnbbench.implementations.conventions import ORDINALS, Convention
from gnbbench.tracebacks import lines_passed

Data = tuple[Array, Array] | None  # Samples and their labels
# An answer that gets fewer of the samples right, which lie far apart, may be a misreading.
ENOUGH = 0.8
# Samples of a class that is learned from, and those to be labelled of all.
N_TRAIN, N_TEST = 12, 11
N_FEATURES, N_CLASSES = 4, 3
N_REAL = 60
# Instead of a share of labels: what failed when it was fitted, what did when it was asked,
# and what gave an answer that holds no labels.
FAILED, FITTED, ANSWERED = -3.0, -2.0, -1.0


class Example(NamedTuple):
    """Samples to learn from, and a few to label."""

    X_train: Array
    y_train: Array
    X_test: Array
    y_test: Array


def examples(data: Data) -> Iterator[Example]:
    """Yield made samples under the labels of the data, then some of the data themselves.

    Made ones lie far apart. Without data, labels are no numbers of classes at first.
    """
    classes = np.array([4, 7, 9]) if data is None else np.unique(data[1])
    yield made(classes[:N_CLASSES])
    if len(classes) > 2:
        yield made(classes[:2])
    if data is None:
        yield made(np.arange(N_CLASSES))
    if data is not None:
        X, y = excerpt(*data)
        yield Example(X, y, X[:N_TEST], y[:N_TEST])


def excerpt(X: Array, y: Array) -> tuple[Array, Array]:
    """Return some samples of every class, mixed."""
    chosen = np.concatenate([np.flatnonzero(y == label)[:N_REAL] for label in np.unique(y)])
    chosen = np.random.default_rng(0).permutation(chosen)
    return X[chosen], y[chosen]


def made(classes: Array, scale: float = 0.4) -> Example:
    """Return samples of as many classes, in no order of their labels.

    By default these lie far apart; at five times the scale they overlap.
    """
    generator = np.random.default_rng(0)
    n_classes = len(classes)
    sizes = [N_TRAIN + 2 * place for place in range(n_classes)]
    codes = np.concatenate([generator.permutation(np.repeat(range(n_classes), sizes)), []])
    codes = np.concatenate((np.arange(n_classes)[::-1], codes)).astype(np.intp)
    asked = np.arange(N_TEST)[::-1] % n_classes
    centres = 2.0 + 3.0 * np.arange(n_classes)[:, np.newaxis] + 0.2 * np.arange(N_FEATURES)
    centres[1:, 1::2] = centres[1:, 1::2][::-1]
    noise = generator.normal(scale=scale, size=(len(codes) + N_TEST, N_FEATURES))
    X = centres[np.concatenate((codes, asked))] + noise
    return Example(X[:-N_TEST], classes[codes], X[-N_TEST:], classes[asked])


class Attempt(NamedTuple):
    """How far code got when it was called in one manner."""

    reached: float  # The share of labels that is right, or how it failed
    lines: tuple[int, ...]  # Of the code, from the outermost call to where it failed
    how: Convention

    @property
    def progress(self) -> tuple[float, tuple[int, ...]]:
        """What to compare attempts by: all that give labels are equal."""
        return min(self.reached, 0.0), self.lines


def attempted(make: Callable[..., Any], how: Convention, example: Example) -> Attempt:
    """Return which share of labels is right, or how it failed, and how that came."""
    reached = FAILED
    try:
        model = AdaptedModel(make, how).fit(example.X_train, example.y_train)
        reached = FITTED
        answer = model.prepared("predict", example.X_test)()
        reached = ANSWERED
        readings = list(_readings(model, how, answer, example))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  code of others: the next is tried
        return Attempt(reached, lines_passed(error), how)
    share, reading = max(readings, key=itemgetter(0), default=(ANSWERED, how))
    return Attempt(share, (), reading)


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

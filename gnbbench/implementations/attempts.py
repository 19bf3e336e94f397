"""Attempts to call third-party code by a convention, on a few samples."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from gnbbench.arrays import Array
from gnbbench.implementations.adapting import (
    AdaptedModel,
    answers_by_row,
    in_pairs,
    size_of,
    unwrapped,
)
from gnbbench.implementations.conventions import (
    ANSWERED,
    CHANCES,
    FAILED,
    FITTED,
    FRAMED,
    ORDINALS,
    Convention,
    LabelForm,
)
from gnbbench.implementations.roles import globals_in
from gnbbench.tracebacks import steps_passed

Data = tuple[Array, Array] | None  # Samples and their labels
# What code says of one row where it wants a table.
_WANTS_TABLE = re.compile(r"axis 1 is out of|No axis named 1|too many indices|tuple index")
# What arrays and lists say of a column's name, and DataFrames of an array's index.
_WRONG_KIND = re.compile(
    r"only integers, slices|indices must be integers|key of type tuple|\(slice\(|^\(.*None"
    r"|'(numpy.ndarray|list)' object has no attribute '(ix|as_matrix|iteritems|i(col|row))'"
)
_COLUMN = re.compile(
    r"(?:KeyError|'(?:DataFrame|Series)' object has no attribute)\W+(\w[^'\"]*)"
)
# With fewer correct labels of well-separated samples, an answer may be misread.
ENOUGH = 0.8
# Scale of noise at which classes overlap, which shows more than separated ones.
OVERLAPPING = 2.0
# Training samples of each class, and test samples in all.
N_TRAIN, N_TEST = 12, 11
N_FEATURES, N_CLASSES, N_REAL = 4, 3, 60


class Example(NamedTuple):
    """Samples to learn from, and a few to label."""

    X_train: Array
    y_train: Array
    X_test: Array
    y_test: Array


def suited(example: Example, how: Convention) -> Example:
    """Return an example with the only numbers of features and classes that code takes."""
    n, X = how.only_features or example.X_train.shape[1], example.X_train
    if how.only_classes not in {0, len(np.unique(example.y_train))}:
        return made(np.arange(how.only_classes), n_features=n)
    if X.shape[1] < n:
        return made(np.unique(example.y_train), n_features=n)
    return example._replace(X_train=X[:, :n], X_test=example.X_test[:, :n])


def examples(data: Data) -> Iterator[Example]:
    """Yield synthetic samples with the labels of the data, then some of the data.

    Synthetic classes are well separated. Without data, labels are not 0, 1, 2 at first.
    """
    classes = np.array([5, 7, 9]) if data is None else np.unique(data[1])
    yield made(classes[:N_CLASSES])
    if len(classes) > 2:
        yield made(classes[:2])
    if data is None:
        yield made(np.arange(N_CLASSES))
    if data is not None:
        X, y = excerpt(*data)
        yield Example(X, y, X[:N_TEST], y[:N_TEST])


def excerpt(X: Array, y: Array) -> tuple[Array, Array]:
    """Return some samples of every class, shuffled."""
    chosen = np.concatenate([np.flatnonzero(y == label)[:N_REAL] for label in np.unique(y)])
    chosen = np.random.default_rng(0).permutation(chosen)
    return X[chosen], y[chosen]


def made(classes: Array, scale: float = 0.4, n_features: int = N_FEATURES) -> Example:
    """Return synthetic samples of these classes, in no order of their labels.

    By default the classes are well separated; at five times the scale they overlap.
    """
    generator = np.random.default_rng(0)
    n_classes = len(classes)
    sizes = [N_TRAIN + 2 * place for place in range(n_classes)]
    codes = np.concatenate([generator.permutation(np.repeat(range(n_classes), sizes)), []])
    codes = np.concatenate((np.arange(n_classes)[::-1], codes)).astype(np.intp)
    asked = np.arange(N_TEST)[::-1] % n_classes
    centres = 2.0 + 3.0 * np.arange(n_classes)[:, np.newaxis] + 0.2 * np.arange(n_features)
    centres[1:, 1::2] = centres[1:, 1::2][::-1]
    noise = generator.normal(scale=scale, size=(len(codes) + N_TEST, n_features))
    X = centres[np.concatenate((codes, asked))] + noise
    return Example(X[:-N_TEST], classes[codes], X[-N_TEST:], classes[asked])


class Attempt(NamedTuple):
    """How far code got when it was called by one convention."""

    reached: float  # The share of correct labels, or how it failed
    steps: tuple[int, ...]  # Of the code, from the outermost call to where it failed
    how: Convention
    # That it looked for in a table, and that were not there
    columns: tuple[str, ...] = ()
    is_lacking: bool = False  # It used what could not be imported

    @property
    def progress(self) -> tuple[float, tuple[int, ...]]:
        """The rank of an attempt: all that return labels are equal."""
        return min(self.reached, 0.0), self.steps


def attempted(make: Callable[..., Any], how: Convention, example: Example) -> Attempt:
    """Try a convention: return the share of correct labels, or where it failed."""
    reached, example = FAILED, suited(example, how)
    try:
        model = AdaptedModel(make, how).fit(example.X_train, example.y_train)
        reached = FITTED
        answer = model.prepared("predict", example.X_test)()
        reached = ANSWERED
        if answer is None:
            how, answer = _kept(model, how)
        readings = list(_readings(model, how, answer, example))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  third-party code: the next is tried
        steps = steps_passed(error)
        if how.one_by_one and _WANTS_TABLE.search(str(error)):
            steps = steps[:-1]  # A row cannot get further
        elif steps and _WRONG_KIND.search(str(error)):
            steps = (*steps[:-1], steps[-1] - 1)
        if how.one_by_one and reached == FITTED and _answers_once(make, how, example):
            reached = ANSWERED
        is_lacking = isinstance(error, ImportError)
        return Attempt(reached, steps, how, _columns_missed(error, how), is_lacking)
    # Of readings that are as right, the author's own labels.
    readings.sort(key=lambda found: found[1].answer == "score")
    share, reading = max(readings, key=itemgetter(0), default=(ANSWERED, how))
    may_be_chance = share >= ENOUGH and reading.answer in {*ORDINALS, "column"}
    is_scored = share >= 0.0 and "y_asked" in how.answers_from
    is_chance = may_be_chance and _is_chance(make, reading, example)
    if is_chance or (is_scored and not _is_label(make, reading, example)):
        return Attempt(ANSWERED, (), how)
    return Attempt(share, (), reading)


def _columns_missed(error: BaseException, how: Convention) -> tuple[str, ...]:
    """Return the columns of a DataFrame that an error says are not there."""
    text = f"{type(error).__name__}: {error}"
    is_number = isinstance(error, KeyError) and not all(
        isinstance(name, str) for name in error.args
    )
    if how.container not in FRAMED or is_number:
        return ()
    if "KeyError" in text and re.search(r"\[|not found", text):
        names = re.findall(r"'([^']*)'", text.partition("dtype")[0])
        names = names if "[" in text else sorted(names)  # Of a set
        return tuple(dict.fromkeys(filter(None, names)))
    return (missed[1],) if (missed := _COLUMN.search(text)) else ()


def _answers_once(make: Callable[..., Any], how: Convention, example: Example) -> bool:
    """Return whether a first row gets its label, where all rows in turn do not."""
    labels = labels_by(make, how, example, example.X_test[:1])
    return labels is not None and bool((labels == example.y_test[:1]).all())


def _is_chance(make: Callable[..., Any], how: Convention, example: Example) -> bool:
    """Return whether labels turn into other numbers, as chances do, if classes overlap."""
    near = suited(made(np.unique(example.y_train), OVERLAPPING), how)
    labels = labels_by(make, how, near, near.X_test)
    return labels is not None and not np.isin(labels, near.y_train).all()


def is_mark(make: Callable[..., Any], how: Convention, example: Example) -> bool:
    """Return whether rows of scores are one-hot, also where classes overlap."""
    near = suited(made(np.unique(example.y_train), OVERLAPPING), how)
    if how.answer != "score" or how.one_by_one:
        return False
    for each in (example, near):
        try:
            model = AdaptedModel(make, how).fit(each.X_train, each.y_train)
            rows = answers_by_row(
                model.prepared("predict", each.X_test)(), N_TEST, how.part
            )
        except (Exception, SystemExit):  # noqa: BLE001  third-party code
            return False
        table = np.asarray(rows)
        is_table = isinstance(rows, np.ndarray) and table.dtype.kind in "buif"
        if not (
            is_table and np.isin(table, (0, 1)).all() and (table.sum(axis=-1) == 1).all()
        ):
            return False
    return True


def _is_label(make: Callable[..., Any], how: Convention, example: Example) -> bool:
    """Return whether answers are labels whatever labels are given to score with."""
    y = example.y_train
    turned = np.roll(np.arange(len(y)), -int(np.argmax(y != y[0])))
    other = example._replace(X_train=example.X_train[turned], y_train=y[turned])
    first, second = (labels_by(make, how, e, e.X_test) for e in (example, other))
    return first is not None and second is not None and np.mean(first == second) >= ENOUGH


def _kept(model: AdaptedModel, how: Convention) -> tuple[Convention, Any]:
    """Return the answer that code without one keeps in an attribute, and its convention."""
    for name in sorted(globals_in(getattr(model.model, how.predict), "STORE_ATTR")):
        answer = getattr(model.model, name, None)
        if answers_by_row(answer, N_TEST, None) is not None:
            return replace(how, kept=name), answer
    return how, None


def _readings(
    model: AdaptedModel, how: Convention, answer: Any, example: Example
) -> Iterator[tuple[float, Convention]]:
    """Yield every way to read labels from an answer, with the share that is right."""
    parts = range(len(answer)) if isinstance(answer, tuple) and not how.one_by_one else ()
    for part in (None, *parts):
        try:
            rows: Any = answers_by_row(answer, N_TEST, part)
        except (TypeError, ValueError):
            continue
        kinds = [] if rows is None else _kinds(model, rows)
        texts: list[LabelForm] = ["answered as text"] if how.label_form == "given" else []
        for (kind, columns), form in product(kinds, [how.label_form, *texts]):
            said = "yielded" if kind == "label" and isinstance(answer, Iterator) else kind
            reading = replace(how, part=part, answer=said, columns=columns, label_form=form)
            reading = replace(reading, labels_as=model.labels_as(how, kind, answer, rows))
            try:
                labels = model.labels_in(rows, reading)
            except (TypeError, ValueError, KeyError, IndexError):
                continue
            if labels.shape != (N_TEST,) or np.isin(labels, model.classes).mean() < 0.5:
                continue
            share = float(np.mean(labels == example.y_test))
            # Answers are reinterpreted only if that makes enough labels right, or all are
            # the text of one.
            is_text = form == "answered as text" and kind == "label"
            is_text &= bool(np.isin(labels, model.classes).all())
            is_bent = not is_text and form != "given"
            is_bent = is_bent or part is not None or kind in CHANCES
            is_bent = is_bent or (kind in ORDINALS and _n_plain(rows[0]) > 1)
            if share >= ENOUGH or not is_bent:
                yield share, reading


def _n_plain(values: Any) -> int:
    """Return how many of a row's values may be labels: no tables, lists or dictionaries."""
    held = [*values.values()] if isinstance(values, Mapping) else [*values]
    return sum(np.ndim(value) == 0 and not isinstance(value, Mapping) for value in held)


def _kinds(model: AdaptedModel, rows: Any) -> Iterator[tuple[str, str]]:
    """Yield what each row's answer may be: a label, one of several values, or scores."""
    first = rows[0]
    size, has_two = size_of(first), len(model.labels) == 2
    if size == 1 and not isinstance(first, dict):
        is_column = isinstance(first, list | tuple | np.ndarray) and np.ndim(first) > 0
        how = model.how
        is_column = is_column and not (how.one_by_one or how.container == "transposed")
        yield ("column" if is_column else "label"), "sorted"
        if has_two and isinstance(unwrapped(first), float):
            numbers = np.array([unwrapped(row) for row in rows], dtype=np.float64)
            are_shares = np.array_equal(numbers, numbers.clip(0.0, 1.0))
            yield ("chance" if are_shares else "odds"), "sorted"
        return
    is_named = isinstance(first, dict) and set(first) <= set(model.labels)
    if is_named or in_pairs(first, model.labels):
        yield "score", "sorted"
        return
    n_values = len(first) if hasattr(first, "__len__") else 0
    yield from ((ordinal, "sorted") for ordinal in ORDINALS[:n_values])
    if has_two and size == 0 and isinstance(unwrapped(first[0]), float):
        yield "first chance", "sorted"
    n_scores = n_values if isinstance(first, dict) else size
    if n_scores == len(model.labels):
        for name in ("classes_", "classes", "labels"):
            held: Any = getattr(model.model, name, None)
            is_list = isinstance(held, list | tuple | np.ndarray)
            if is_list and sorted(map(str, held)) == sorted(map(str, model.labels)):
                yield "score", name
        yield from (("score", "sorted"), ("score", "appearing"))


def labels_by(
    make: Callable[..., Any], how: Convention, trial: Example, X: Array
) -> Array | None:
    """Return the labels that code gives; None if it fails."""
    try:
        return AdaptedModel(make, how).fit(trial.X_train, trial.y_train).predict(X)
    except (Exception, SystemExit):  # noqa: BLE001  third-party code
        return None

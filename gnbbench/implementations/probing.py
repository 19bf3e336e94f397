"""Find the convention of third-party code by trying candidates on a few samples.

Other functions that predict are called too, and must agree.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

import numpy as np

from gnbbench.arrays import Array
from gnbbench.implementations.adapting import (
    AdaptedModel,
    answers_by_row,
    gives_dictionaries,
    own_labels,
    size_of,
    undisturbed,
    unwrapped,
)
from gnbbench.implementations.conventions import (
    ANSWERED,
    CHANCES,
    FAILED,
    FITTED,
    FRAMED,
    ORDINALS,
    TABLES,
    Container,
    Convention,
    LabelForm,
)
from gnbbench.implementations.roles import globals_in, is_label, says, words_of
from gnbbench.implementations.tasks import (
    further_answers,
    gives_scores,
    names_reached,
    public_functions,
)
from gnbbench.tracebacks import steps_passed
from gnbbench.words import sums_of

Data = tuple[Array, Array] | None  # Samples and their labels
# What code says of one row where it wants a table.
_WANTS_TABLE = re.compile(r"axis 1 is out of|No axis named 1|too many indices|tuple index")
# What arrays and lists say of a column's name, and DataFrames of an array's index.
_WRONG_KIND = re.compile(
    r"only integers, slices|indices must be integers|key of type tuple|\(slice\(|^\(.*None"
    r"|'(numpy.ndarray|list)' object has no attribute '(ix|as_matrix|iteritems|i(col|row))'"
)
_COLUMN = re.compile(r"(?:KeyError|'DataFrame' object has no attribute)\W+(\w[^'\"]*)")
# With fewer correct labels of well-separated samples, an answer may be misread.
ENOUGH = 0.8
# Training samples of each class, and test samples in all.
N_TRAIN, N_TEST = 12, 11
N_FEATURES, N_CLASSES, N_REAL = 4, 3, 60


class Example(NamedTuple):
    """Samples to learn from, and a few to label."""

    X_train: Array
    y_train: Array
    X_test: Array
    y_test: Array


def examples(data: Data) -> Iterator[Example]:
    """Yield synthetic samples with the labels of the data, then some of the data.

    Synthetic classes are well separated. Without data, labels are not 0, 1, 2 at first.
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
    column: str = ""  # That it looked for in a table, and that was not there

    @property
    def progress(self) -> tuple[float, tuple[int, ...]]:
        """The rank of an attempt: all that return labels are equal."""
        return min(self.reached, 0.0), self.steps


def attempted(make: Callable[..., Any], how: Convention, example: Example) -> Attempt:
    """Try a convention: return the share of correct labels, or where it failed."""
    reached = FAILED
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
        lack = _COLUMN.search(f"{type(error).__name__}: {error}")
        column = lack[1] if lack and how.container in FRAMED else ""
        return Attempt(reached, steps, how, column)
    # Of readings that are as right, the author's own labels.
    readings.sort(key=lambda found: found[1].answer == "score")
    share, reading = max(readings, key=itemgetter(0), default=(ANSWERED, how))
    may_be_chance = share >= ENOUGH and reading.answer in {*ORDINALS, "column"}
    is_scored = share >= 0.0 and "y_asked" in how.answers_from
    is_chance = may_be_chance and _is_chance(make, reading, example)
    if is_chance or (is_scored and not _is_label(make, reading, example)):
        return Attempt(ANSWERED, (), how)
    return Attempt(share, (), reading)


def _answers_once(make: Callable[..., Any], how: Convention, example: Example) -> bool:
    """Return whether a first row gets its label, where all rows in turn do not."""
    labels = _labels(make, how, example, example.X_test[:1])
    return labels is not None and bool((labels == example.y_test[:1]).all())


def _is_chance(make: Callable[..., Any], how: Convention, example: Example) -> bool:
    """Return whether labels turn into other numbers, as chances do, if classes overlap."""
    near = made(np.unique(example.y_train), OVERLAPPING)
    labels = _labels(make, how, near, near.X_test)
    return labels is not None and not np.isin(labels, near.y_train).all()


def _is_label(make: Callable[..., Any], how: Convention, example: Example) -> bool:
    """Return whether answers are labels whatever labels are given to score with."""
    y = example.y_train
    turned = np.roll(np.arange(len(y)), -int(np.argmax(y != y[0])))
    other = example._replace(X_train=example.X_train[turned], y_train=y[turned])
    first, second = (_labels(make, how, e, e.X_test) for e in (example, other))
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
            # Answers are reinterpreted only if that makes enough labels right.
            is_bent = (form, part) != ("given", None) or kind in CHANCES
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
        is_column = is_column and not model.how.one_by_one
        yield ("column" if is_column else "label"), "sorted"
        if has_two and isinstance(unwrapped(first), float):
            yield "chance", "sorted"
        return
    if isinstance(first, dict) and set(first) <= set(model.labels):
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


# Scale of noise at which classes overlap, which shows more than separated ones.
OVERLAPPING = 2.0
# By how much the last feature is moved to see whether code looks at it.
FAR = 50.0
JOINT = "predict_joint_log_proba"
# How far a row's probabilities may be from a sum of 1.
ROUNDING = 1e-6


def _with_label_column(
    make: Callable[..., Any], how: Convention, example: Example
) -> Convention:
    """Return how code is called that looks at no last column of rows to label.

    Where it is trained on a table with labels there, it wants such rows to label as well.
    """
    if "data" not in how.learns_from or "X" not in how.answers_from:
        return how
    (labelled,), X = _labelled([how]), example.X_test
    far, lost = X.copy(), X.copy()
    # A floor under densities hides what is far from every class, but not a NaN.
    far[:, -1], lost[:, -1] = X[:, -1] + FAR, np.nan
    asked = ((how, X), (how, far), (how, lost), (labelled, X))
    plain, *others, right = (_labels(make, way, example, rows) for way, rows in asked)
    if plain is None or right is None:
        return how
    is_ignored = all(other is not None and (plain == other).all() for other in others)
    return labelled if is_ignored and np.mean(right == example.y_test) >= ENOUGH else how


def _of_two_classes(
    make: Callable[..., Any], attempt: Attempt, earlier: list[Example], example: Example
) -> Attempt:
    """Note on an attempt with two classes how three go in the same way, if worse."""
    if not earlier or len(np.unique(example.y_train)) != 2 or attempt.reached <= FITTED:
        return attempt
    furthest = max(attempted(make, attempt.how, three).reached for three in earlier)
    labels = np.asarray(_labels(make, attempt.how, earlier[-1], earlier[-1].X_test))
    is_lost = furthest < ENOUGH <= attempt.reached and np.unique(labels).size < 3
    went = "fails" if furthest <= FITTED else "wrong" if is_lost else ""
    return attempt._replace(how=replace(attempt.how, two_classes=went))


def _with_its_width(
    make: Callable[..., Any], how: Convention, example: Example
) -> Convention:
    """Note whether code that learns from a table fails where that has another feature."""
    is_made = example.X_test.shape[1] == N_FEATURES
    if "data" not in how.learns_from or not is_made:
        return how
    wide = made(np.unique(example.y_train), n_features=N_FEATURES + 1)
    fails = attempted(make, how, wide).reached < 0.0
    return replace(how, only_features=N_FEATURES) if fails else how


def _labelled(ways: Sequence[Convention]) -> Iterator[Convention]:
    """Yield conventions that learn from one table with a label in rows to label too."""
    for how in ways:
        if "data" in {*how.learns_from, *how.answers_from} and "X" in how.answers_from:
            roles = ("X_labelled" if role == "X" else role for role in how.answers_from)
            yield replace(how, answers_from=tuple(roles))


def with_further_answers(
    make: Callable[..., Any], how: Convention, example: Example
) -> Convention:
    """Add tables of probabilities, and contradictions of labels, to a convention.

    scikit-learn's methods of an implementation with scikit-learn's convention are left to
    the study, which compares them itself.
    """
    overlapping = made(np.unique(example.y_train), OVERLAPPING)
    for name, tried in _opinions(make, how, example):
        if tried is None:
            how = replace(how, not_judged=(*how.not_judged, f"`{name}`"))
            continue
        if tried.answer == "score" and "joint" not in words_of(name):
            how = _with_table(make, how, tried, (example, overlapping))
        if name != how.predict:
            how = _with_contradiction(make, how, tried, overlapping)
    return how


def _opinions(
    make: Callable[..., Any], how: Convention, example: Example
) -> Iterator[tuple[str, Convention | None]]:
    """Yield other functions that predict, with their conventions; None if unknown."""
    if how.answer == "score":
        yield how.predict, how
    model = AdaptedModel(make, how).fit(example.X_train, example.y_train).model
    ask = getattr(model, how.predict)
    further = further_answers(public_functions(model), ask) if how.fit else []
    steps = names_reached(ask, model) if further else set()
    for name in further:
        is_usual = how.is_plain and name in {*TABLES, JOINT}
        is_named = name in TABLES and gives_dictionaries(model, name, example.X_test)
        if is_usual and not is_named:
            continue
        ways = (
            replace(how.called_alike, predict=name, one_by_one=one_by_one, part=None)
            for one_by_one in (how.one_by_one, not how.one_by_one)
        )
        tries = (attempted(make, replace(way, answer="label"), example) for way in ways)
        known = (
            attempt.how
            for attempt in tries
            # Only correct labels show which score belongs to which class.
            if attempt.reached >= (ENOUGH if attempt.how.answer == "score" else 0.0)
        )
        opinion = next(known, None)
        if opinion and is_named:
            opinion = replace(opinion, columns="named")
        if opinion or name not in steps:
            yield name, opinion


def _with_table(
    make: Callable[..., Any],
    how: Convention,
    tried: Convention,
    trials: tuple[Example, Example],
) -> Convention:
    """Add the table of a function to a convention, if it holds probabilities."""
    name = tried.predict
    is_log = "log" in words_of(name)
    fields: dict[str, Any] = {"log_probabilities" if is_log else "probabilities": name}
    fields |= {"tables_one_by_one": tried.one_by_one, "table_columns": tried.columns}
    offering = replace(how, **fields)
    manner = (how.tables_one_by_one, how.table_columns)
    differs = manner != (tried.one_by_one, tried.columns)
    if how.tables[TABLES[is_log]] or (differs and any(how.tables.values())):
        return replace(how, not_judged=(*how.not_judged, f"`{name}`"))
    try:
        tables = [_table(make, offering, trial, is_log=is_log) for trial in trials]
    except (Exception, SystemExit):  # noqa: BLE001  third-party code
        return replace(how, not_judged=(*how.not_judged, f"`{name}`"))
    sums = np.concatenate([table.sum(axis=1) for table in tables])
    # One-hot labels sum to 1 as well.
    if np.abs(sums - 1.0).max() <= ROUNDING:
        return how if np.isin(tables[-1], (0.0, 1.0)).all() else offering
    if tried.columns == "named":  # Not scikit-learn's, which would be asked for arrays
        how = replace(how, table_columns="named")
    are_logs = not is_log and any((table < 0.0).any() for table in tables)
    if not says(name, "answers") or (are_logs and not gives_scores(name)):
        return how
    kind, whose = TABLES[is_log], "exponentials of the rows" if is_log else "rows"
    if tried.columns == "named" and not is_log:
        kind = whose = "dictionaries"
    text = f"the {whose} of `{name}` {sums_of(sums.min(), sums.max())}"
    kind = "negative" if are_logs else kind
    return replace(how, unnormalised=(*how.unnormalised, (kind, text)))


def _table(
    make: Callable[..., Any], how: Convention, trial: Example, *, is_log: bool
) -> Array:
    model = AdaptedModel(make, how).fit(trial.X_train, trial.y_train)
    table: Array = getattr(model, TABLES[is_log])(trial.X_test)
    return np.exp(table) if is_log else table


def _labels(
    make: Callable[..., Any], how: Convention, trial: Example, X: Array
) -> Array | None:
    """Return the labels that code gives; None if it fails."""
    try:
        return AdaptedModel(make, how).fit(trial.X_train, trial.y_train).predict(X)
    except (Exception, SystemExit):  # noqa: BLE001  third-party code
        return None


def _with_contradiction(
    make: Callable[..., Any], how: Convention, tried: Convention, trial: Example
) -> Convention:
    """Add to a convention the rows on which another function contradicts the labels."""
    X = np.concatenate((trial.X_train, trial.X_test))
    ways = [how, tried, *(_labelled([tried]) if "data" in tried.learns_from else ())]
    labels, *others = (_labels(make, way, trial, X) for way in ways)
    if labels is None or others[0] is None:
        return replace(how, not_judged=(*how.not_judged, f"`{tried.predict}`"))
    n = min(int(np.sum(labels != own)) for own in others if own is not None)
    rows = f"{n} of {len(X)} rows whose classes overlap"
    text = f"`{tried.predict}` gives other labels than `{how.predict}` for {rows}"
    if tried.answer == "score":
        text = f"`{how.predict}` does not give the class with the largest of "
        text += f"`{tried.predict}` for {rows}"
    return replace(how, contradictions=(*how.contradictions, text)) if n else how


# Ways to pass data to code, the plainest first.
_USUAL: list[LabelForm] = ["given", "places", "codes", "from one"]
_TABLES: list[LabelForm] = ["column", "one-hot"]
_CODED: list[LabelForm] = ["signs", "text"]
_CONTAINERS: list[Container] = ["arrays", "lists", "frames"]
# With no larger share of correct labels, an unusual manner is a misreading.
MISREAD = 0.6
Manner = tuple[LabelForm, Container, bool]
USUAL: list[Manner] = [
    (form, container, one_by_one)
    for container, form, one_by_one in product(_CONTAINERS, _USUAL, (False, True))
]
# These are for code that cannot be fitted in any of those, or only to frames.
_LABELLED: list[tuple[LabelForm, Container]] = [
    *(("codes", "label first"), ("given", "first column"), ("codes", "first column")),
    *(("given", "pairs"), ("given", "label pairs"), ("given", "groups")),
    *(("given", "tuple"), ("given", "dictionary"), ("given", "records")),
]
UNUSUAL: list[Manner] = [
    *product(_TABLES, _CONTAINERS[::2], (False, True)),
    *product(_CODED, _CONTAINERS[:1], (False, True)),
    *product(_USUAL[::2], FRAMED[1:4], (False, True)),
    *((*manner, one_by_one) for manner in _LABELLED for one_by_one in (False, True)),
    *(("given", other, False) for other in ("transposed", "columns", "apart")),
]


def find_convention(
    make: Callable[..., Any], conventions: Sequence[Convention], data: Data = None
) -> Convention:
    """Return the first convention under which the code returns labels, or gets furthest.

    A plain one adapts nothing. One with wrong labels on well-separated samples yields to
    one with right labels, but only for the same function: the author's own labels are
    judged, right or wrong.
    """
    attempts, earlier = [Attempt(FAILED, (), conventions[0])], list[Example]()
    with undisturbed():
        for example in examples(data):
            for name in dict.fromkeys(how.predict for how in conventions):
                ways = [how for how in conventions if how.predict == name]
                attempt = _furthest(make, ways, USUAL, example)
                if attempt.reached < 0.0:
                    unusual = _furthest(make, ways, UNUSUAL, example)
                    if _is_better(make, unusual, attempt, data):
                        attempt = max(attempt, unusual, key=attrgetter("progress"))
                attempt = _with_labels_inside(make, ways, attempt, (example, data))
                attempt = _of_two_classes(make, attempt, earlier, example)
                if attempt.reached >= 0.0:
                    how = _with_label_column(make, attempt.how, example)
                    how = _with_its_width(make, how, example)
                    return with_further_answers(make, how, example)
                attempts.append(attempt)
            earlier.append(example)
        furthest = max(attempts, key=attrgetter("progress"))
        best = furthest.how
        if best.label_form == "places":  # Of answers, which never came
            best = replace(best, label_form="given")
        # With one feature, such as column 0 of a table whose column 1 holds the labels
        pair = np.unique(example.y_train)[:2]
        alone = _furthest(make, conventions, USUAL + UNUSUAL, made(pair, n_features=1))
        wide = attempted(make, alone.how, made(pair))
        if wide.reached <= FITTED and alone.reached >= ENOUGH:
            best = replace(alone.how, only_features=1)
        known = own_labels(make, best, example.y_train)
        return replace(best, fails=furthest.reached, own_labels=known)


def _with_labels_inside(
    make: Callable[..., Any],
    ways: Sequence[Convention],
    attempt: Attempt,
    given: tuple[Example, Data],
) -> Attempt:
    """Return a better attempt with labels in a last column of samples, if there is one.

    Rows to label may need one as well, and so may samples beside their labels.
    """
    example, data = given
    if attempt.reached < 0.0 and (labelled := [*_labelled(ways)]):
        others = _furthest(make, labelled, USUAL, example)
        attempt = max(attempt, others, key=attrgetter("progress"))
    roles: dict[str, Any] = {"learns_from": ("data", "y"), "answers_from": ("X_labelled",)}
    tables = [replace(how, **roles) for how in ways if how.learns_from == ("X", "y")]
    is_odd = attempt.how.container == "frames" and FITTED < attempt.reached <= MISREAD
    if tables and is_odd:
        inside = _furthest(make, tables, USUAL, example)
        if inside.reached >= ENOUGH and _holds(make, inside.how, data):
            return inside
    return attempt


def _is_better(
    make: Callable[..., Any], unusual: Attempt, attempt: Attempt, data: Data
) -> bool:
    """Return whether an attempt in an unusual manner may stand for a usual one."""
    is_framed = attempt.how.container == "frames"
    is_lost = attempt.reached == FAILED or (attempt.reached == FITTED and is_framed)
    if unusual.reached < 0.0 or (is_lost and unusual.how.container == "frames first"):
        # Code that fails on transposed samples fails late, which shows nothing.
        return is_lost and unusual.how.container != "transposed"
    return _holds(make, unusual.how, data)


def _holds(make: Callable[..., Any], how: Convention, data: Data) -> bool:
    """Return whether an unusual manner beats chance on every example.

    Code that takes rows for columns, say, may return labels too.
    """
    most = 2 if how.label_form == "signs" else np.inf
    return all(
        attempted(make, how, example).reached > MISREAD
        for example in examples(data)
        if len(np.unique(example.y_train)) <= most
    )


def _furthest(
    make: Callable[..., Any],
    conventions: Sequence[Convention],
    manners: Sequence[Manner],
    example: Example,
) -> Attempt:
    """Return the first attempt with correct labels, or the one that gets furthest."""
    furthest = Attempt(FAILED, (), conventions[0])
    for how, (form, container, one_by_one) in product(conventions, manners):
        is_table = "data" in {*how.made_of, *how.learns_from, *how.answers_from}
        if (form, container) in _LABELLED and not is_table:
            continue
        tried = replace(how, label_form=form, container=container, one_by_one=one_by_one)
        attempt = attempted(make, tried, example)
        if column := attempt.column:
            named = attempted(make, replace(tried, label_column=column), example)
            attempt = named if named.reached >= ENOUGH or is_label(column) else attempt
        if attempt.reached >= ENOUGH:
            return _with_own_labels(make, attempt, example)
        # Of orders of arguments that both fail, the error of the likelier one is told.
        now, then = ([r[0] == "X" for r in w.answers_from] for w in (how, furthest.how))
        gets_further = attempt.progress > furthest.progress
        if gets_further if now == then else attempt.reached > furthest.reached:
            furthest = attempt
    return furthest


def _with_own_labels(
    make: Callable[..., Any], attempt: Attempt, example: Example
) -> Attempt:
    """Return an attempt that reads the places of labels beside a table, if it has them."""
    how = attempt.how
    if how.part is None or (how.answer, how.label_form) != ("score", "given"):
        return attempt
    placed = replace(how, part=None, answer="label", label_form="places")
    tried = attempted(make, placed, example)
    is_own = tried.how.answer == "label" and tried.reached >= attempt.reached
    return tried if is_own else attempt

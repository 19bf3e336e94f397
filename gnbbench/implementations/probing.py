"""Find the convention of third-party code by trying candidates on a few samples.

Other functions that predict are called too, and must agree.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from operator import attrgetter
from typing import Any

import numpy as np

from gnbbench.arrays import Array
from gnbbench.implementations.adapting import (
    AdaptedModel,
    gives_dictionaries,
    own_labels,
    undisturbed,
)
from gnbbench.implementations.attempts import (
    ENOUGH,
    N_CLASSES,
    N_FEATURES,
    OVERLAPPING,
    Attempt,
    Data,
    Example,
    attempted,
    examples,
    is_mark,
    labels_by,
    made,
    suited,
)
from gnbbench.implementations.conventions import (
    CHANCES,
    FAILED,
    FITTED,
    FRAMED,
    TABLES,
    Container,
    Convention,
    LabelForm,
)
from gnbbench.implementations.limits import NEARLY_ALL, names_two, of_limited_data
from gnbbench.implementations.roles import is_label, says, words_of
from gnbbench.implementations.tasks import (
    further_answers,
    gives_scores,
    names_reached,
    public_functions,
)
from gnbbench.words import sums_of

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
    plain, *others, right = (labels_by(make, way, example, rows) for way, rows in asked)
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
    three = suited(earlier[-1], attempt.how)
    labels = np.asarray(labels_by(make, attempt.how, three, three.X_test))
    is_lost = furthest < ENOUGH <= attempt.reached and np.unique(labels).size < 3
    went = "fails" if furthest <= FITTED else "wrong" if is_lost else ""
    return attempt._replace(how=replace(attempt.how, two_classes=went))


def _with_its_width(
    make: Callable[..., Any], how: Convention, example: Example
) -> Convention:
    """Note whether code fails where samples have another feature."""
    is_made = example.X_test.shape[1] == N_FEATURES
    if how.only_features or not is_made:
        return how
    classes, n = np.unique(example.y_train), N_FEATURES
    # In turn, as some code fails at random.
    for width in (n + 1, n, n + 2, n, n - 1, n):
        of_width = made(classes, n_features=width)
        if (attempted(make, how, of_width).reached < 0.0) == (width == n):
            return how
    return replace(how, only_features=n)


def _with_its_classes(
    make: Callable[..., Any], how: Convention, example: Example
) -> Convention:
    """Note whether code with numbered labels works with as many classes alone."""
    n_classes = len(np.unique(example.y_train))
    if how.only_classes or not how.has_codes or n_classes != N_CLASSES:
        return how
    tries = (
        attempted(make, how, made(np.arange(n))) for n in (n_classes - 1, n_classes + 1)
    )
    is_fixed = all(attempt.reached < NEARLY_ALL for attempt in tries)
    return replace(how, only_classes=n_classes) if is_fixed else how


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
    overlapping = suited(made(np.unique(example.y_train), OVERLAPPING), how)
    for name, tried in _opinions(make, how, example):
        is_number = name in TABLES and tried is not None and tried.answer in CHANCES
        if tried is None or is_number:  # One a row, in place of one a class
            how = replace(how, not_judged=(*how.not_judged, f"`{name}`"))
        if tried is None:
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
        if opinion or name not in steps or name in TABLES:
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
        left = (f"`{name}`",) if name != how.predict else ()
        return replace(how, not_judged=(*how.not_judged, *left))
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


def _with_contradiction(
    make: Callable[..., Any], how: Convention, tried: Convention, trial: Example
) -> Convention:
    """Add to a convention the rows on which another function contradicts the labels."""
    X = np.concatenate((trial.X_train, trial.X_test))
    ways = [how, tried, *(_labelled([tried]) if "data" in tried.learns_from else ())]
    labels, *others = (labels_by(make, way, trial, X) for way in ways)
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
_ONES: list[LabelForm] = ["from one", "column from one"]
_TURNED: list[LabelForm] = ["given", "codes", *_TABLES, *_ONES]
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
    *((form, "transposed", False) for form in _TURNED),
    *((form, "columns", True) for form in ("given", "codes")),
    *((form, "transposed", True) for form in _TURNED),
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
                if 0.0 <= attempt.reached < ENOUGH:
                    attempt = _of_what_it_names(make, ways, attempt) or attempt
                if attempt.reached >= 0.0:
                    return _within_limits(make, attempt.how, example)
                attempts.append(attempt)
            earlier.append(example)
        furthest = max(attempts, key=attrgetter("progress"))
        if named := _of_what_it_names(make, conventions, furthest):
            return _within_limits(make, named.how, example)
        return _failing(make, conventions, furthest, example)


def _within_limits(
    make: Callable[..., Any], how: Convention, example: Example
) -> Convention:
    """Note on a convention what data it works with, and what other functions answer."""
    example = suited(example, how)
    how = _with_label_column(make, how, example)
    how = replace(how, answer="mark") if is_mark(make, how, example) else how
    how = _with_its_width(make, how, example)
    how = _with_its_classes(make, how, example)
    return with_further_answers(make, how, suited(example, how))


def _of_what_it_names(
    make: Callable[..., Any], ways: Sequence[Convention], furthest: Attempt
) -> Attempt | None:
    """Return an attempt with data that code names itself, if it labels these well."""
    named = of_limited_data(make, ways, furthest)
    if named is None:
        return None
    two, three = made(np.arange(2)), made(np.arange(N_CLASSES))
    named = _of_two_classes(make, named, [three], two)
    if named.how.two_classes and names_two(make, named.how):  # It is meant so
        return named._replace(how=replace(named.how, only_classes=2, two_classes=""))
    return named


def _failing(
    make: Callable[..., Any],
    conventions: Sequence[Convention],
    furthest: Attempt,
    example: Example,
) -> Convention:
    """Return the convention that got furthest, and why it gives no labels."""
    best = furthest.how
    if best.label_form == "places":  # Of answers, which never came
        best = replace(best, label_form="given")
    # With one feature, such as column 0 of a table whose column 1 holds the labels
    pair = np.unique(example.y_train)[:2]
    # An odd manner of a class or function without tables would only hide its error.
    manners = USUAL + UNUSUAL * best.takes_tables
    alone = _furthest(make, conventions, manners, made(pair, n_features=1))
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
        # Code that fails on transposed samples fails late, which shows nothing, except
        # where it needs what cannot be imported.
        is_late = unusual.how.container == "transposed"
        return unusual.is_lacking or (is_lost and not is_late)
    return _holds(make, unusual.how, data)


def _holds(make: Callable[..., Any], how: Convention, data: Data) -> bool:
    """Return whether an unusual manner beats chance on every example.

    Code that takes rows for columns, say, may return labels too.
    """
    most = 2 if how.label_form == "signs" or how.answer in CHANCES else np.inf
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
        if (form, container) in _LABELLED and not how.takes_tables:
            continue
        tried = replace(how, label_form=form, container=container, one_by_one=one_by_one)
        attempt = attempted(make, tried, example)
        for column in attempt.columns[:1]:
            named = attempted(make, replace(tried, label_column=column), example)
            attempt = named if named.reached >= ENOUGH or is_label(column) else attempt
        if attempt.reached >= ENOUGH:
            return _with_own_labels(make, attempt, example)
        # A guess, which must do better than chance
        if how.by_feature and attempt.reached <= MISREAD:
            continue
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

"""What else answers beside what gives labels: it is asked too, and must say the same."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from gnbbench.arrays import Array
from gnbbench.implementations.adapting import AdaptedModel
from gnbbench.implementations.attempts import ENOUGH, Example, attempted, made
from gnbbench.implementations.conventions import TABLES, Convention
from gnbbench.implementations.roles import says, words_of
from gnbbench.implementations.tasks import further_answers, public_functions

# Scale of noise at which classes overlap: it shows what samples far apart do not.
OVERLAPPING = 2.0
JOINT = "predict_joint_log_proba"
# How far a row's probabilities may be from a sum of 1.
ROUNDING = 1e-6


def with_further_answers(
    make: Callable[..., Any], how: Convention, example: Example
) -> Convention:
    """Return a convention with the tables of probabilities, and what contradicts labels.

    Nothing is compared with what the study itself compares: scikit-learn's methods of an
    implementation that is called as scikit-learn's.
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
    """Yield what else answers, and how it is called, which is None where nobody knows."""
    if how.answer == "score":
        yield how.predict, how
    model = AdaptedModel(make, how).fit(example.X_train, example.y_train).model
    ask = getattr(model, how.predict)
    further = further_answers(public_functions(model), ask) if how.fit else []
    for name in further:
        if how.is_plain and name in {*TABLES, JOINT}:
            continue
        ways = (
            replace(how.called_alike, predict=name, one_by_one=one_by_one, part=None)
            for one_by_one in (how.one_by_one, not how.one_by_one)
        )
        tries = (attempted(make, replace(way, answer="label"), example) for way in ways)
        known = (
            attempt.how
            for attempt in tries
            # Which score is whose can be told from right ones alone.
            if attempt.reached >= (ENOUGH if attempt.how.answer == "score" else 0.0)
        )
        yield name, next(known, None)


def _with_table(
    make: Callable[..., Any],
    how: Convention,
    tried: Convention,
    trials: tuple[Example, Example],
) -> Convention:
    """Return a convention that offers what a function gives, if these are probabilities."""
    name = tried.predict
    is_log = "log" in words_of(name)
    offering = replace(how, tables_one_by_one=tried.one_by_one, table_columns=tried.columns)
    if is_log:
        offering = replace(offering, log_probabilities=name)
    else:
        offering = replace(offering, probabilities=name)
    is_other_manner = (how.probabilities or how.log_probabilities) and (
        offering.tables_one_by_one != how.tables_one_by_one
        or offering.table_columns != how.table_columns
    )
    if is_other_manner or (how.log_probabilities if is_log else how.probabilities):
        return replace(how, not_judged=(*how.not_judged, f"`{name}`"))
    try:
        tables = [_table(make, offering, trial, is_log=is_log) for trial in trials]
    except (Exception, SystemExit) as error:  # noqa: BLE001  code of others
        del error
        return replace(how, not_judged=(*how.not_judged, f"`{name}`"))
    sums = np.concatenate([table.sum(axis=1) for table in tables])
    # Labels one-hot sum to 1 as well.
    if np.abs(sums - 1.0).max() <= ROUNDING:
        return how if np.isin(tables[-1], (0.0, 1.0)).all() else offering
    if not says(name, "answers"):
        return how
    whose = f"exponentials of the rows of `{name}`" if is_log else f"rows of `{name}`"
    text = f"the {whose} sum to {sums.min():.2g} to {sums.max():.2g} instead of 1"
    return replace(how, contradictions=(*how.contradictions, text))


def _table(
    make: Callable[..., Any], how: Convention, trial: Example, *, is_log: bool
) -> Array:
    model = AdaptedModel(make, how).fit(trial.X_train, trial.y_train)
    operation = TABLES[is_log]
    table: Array = getattr(model, operation)(trial.X_test)
    return np.exp(table) if is_log else table


def _with_contradiction(
    make: Callable[..., Any], how: Convention, tried: Convention, trial: Example
) -> Convention:
    """Return a convention that tells of rows for which another function says otherwise."""
    X = np.concatenate((trial.X_train, trial.X_test))
    try:
        labels, others = (
            AdaptedModel(make, way).fit(trial.X_train, trial.y_train).predict(X)
            for way in (how, tried)
        )
    except (Exception, SystemExit) as error:  # noqa: BLE001  code of others
        del error
        return replace(how, not_judged=(*how.not_judged, f"`{tried.predict}`"))
    n = int(np.sum(labels != others))
    rows = f"{n} of {len(X)} rows whose classes overlap"
    text = f"`{tried.predict}` gives other labels than `{how.predict}` for {rows}"
    if tried.answer == "score":
        text = f"`{how.predict}` does not give the class with the largest of "
        text += f"`{tried.predict}` for {rows}"
    return replace(how, contradictions=(*how.contradictions, text)) if n else how

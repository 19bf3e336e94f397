"""Checks on constant features, extreme sizes, ties, odd labels and bad input."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np

from gnbbench.arrays import Array, FloatArray
from gnbbench.conformance import contract
from gnbbench.conformance.contract import YES_OR_NO, Criterion, Family, Finding, Make
from gnbbench.conformance.problems import (
    Problem,
    blobs,
    blobs_with,
    lent,
    on_grid,
    or_refused,
    undisputed,
)
from gnbbench.files import toml_beside

DEGENERATE = Family(
    "degenerate data",
    "scikit-learn: 1e-9 of the largest variance keeps every variance above zero",
)
EMPTY = "a class without a row has no likelihood"
_CASES = toml_beside(__file__, "named_cases.toml")


def _problem(X: object, y: object, X_test: object, labels: object) -> Problem:
    rows, asked = (np.array(values, dtype=np.float64) for values in (X, X_test))
    return Problem(rows, np.array(y), asked, np.array(labels))


MISSING = -999.0, -9999.0, -99.0, -1.0, 0.0, 99.0, 999.0, 9999.0


def _codes_of_missing() -> Problem:
    """Return features in which half of a class's numbers stand for missing ones elsewhere.

    Rows to label lie halfway between the classes but for one feature.
    """
    y, steps = np.tile([1, 0], 8), np.repeat([0.0, 2.0], 8)
    X = np.add.outer(steps + 2.0 * (y == 0), MISSING)
    asked = np.tile(np.add(MISSING, 2.0), (16, 1)) - np.repeat(np.eye(8), 2, axis=0)
    asked[::2] -= np.eye(8)
    return Problem(X, y, asked, np.ones(16, dtype=y.dtype))


DEGENERATE.check(
    "codes-of-missing",
    "Numbers that elsewhere stand for missing ones, such as -999, count as any other.",
    source="a sample without NaN has no missing number",
    on=_codes_of_missing,
)(Problem.right_and_finite)
DEGENERATE.check(
    "constant-feature",
    "A feature that is constant changes no label and makes no probability NaN.",
    on=blobs_with(lambda X: np.column_stack([X, np.full(len(X), 7.0)])),
)(Problem.right_and_finite)
# Of features that are all constant, only the priors distinguish the classes.
_ASKS = {"all-constant": or_refused(Problem.right_and_finite)}
for _id, _row in toml_beside(__file__, "few_rows.toml").items():
    _samples = [_row[name] for name in ("X", "y", "X_test", "labels")]
    DEGENERATE.check(
        _id, _row["statement"], source=_row.get("source"), on=partial(_problem, *_samples)
    )(_ASKS.get(_id, Problem.right_and_finite))


@DEGENERATE.check(
    "empty-class",
    "A class announced to partial_fit that never occurs is never predicted.",
    on=blobs,
    source=EMPTY,
)
def _empty_class(problem: Problem, make: Make) -> Finding:
    """The last of the three announced classes never occurs."""
    problem = problem.with_samples(lambda X: X + 10.0)
    seen, asked = problem.y < 2, problem.labels < 2
    # Many programs give a class without rows the mean 0: predict there too, far from all.
    X_test = np.vstack([problem.X_test[asked], np.zeros((1, 4))])
    labels = np.append(problem.labels[asked], 0)
    contract.require_batches(make)
    model = contract.learned_in_batches(
        make, [(problem.X[seen], problem.y[seen])], [0, 1, 2]
    )
    return contract.right_and_finite(model, X_test, labels, [0, 1, 2])


@DEGENERATE.check(
    "empty-class-with-prior",
    "A class that never occurs is not predicted even if it has a prior.",
    on=blobs,
    source=EMPTY,
)
def _empty_class_with_prior(problem: Problem, make: Make) -> Finding:
    make_with = partial(contract.configured, make, priors=[0.25, 0.25, 0.5])
    return _empty_class(problem, make_with)


SIZES = Family(
    "sizes", "classes so far apart that the nearest mean is right by any definition"
)
EXACT = "labels by exact arithmetic, margins of at least half a nat"
CLEAR = "labels by float64, margins that neither rounding nor the divisor can reach"
SURE = "labels by float64, margins that rounding cannot reach"
CLEAR_LEAD = 1e-6  # That rounding cannot reach, in nats


def _random_classes(n_classes: int, n_features: int) -> Problem:
    generator = np.random.default_rng(40)
    y = np.repeat(np.arange(n_classes), 15)
    noise = generator.normal(size=(len(y), n_features))
    asked = n_classes * generator.normal(size=(60, n_features))
    return undisputed(on_grid(noise + 2.0 * y[:, np.newaxis]), y, on_grid(asked))


def _thousand_classes() -> Problem:
    """Classes lie 10 standard deviations apart on a lattice of 10 by 10 by 10.

    The first has fifty times the rows of any other, which decide for it beyond the middle;
    the last is a thousand times as wide, and likelier in the middle of eight others.
    """
    generator = np.random.default_rng(41)
    labels = np.arange(1000)
    centres = 10.0 * np.column_stack([labels // 100, labels // 10 % 10, labels % 10])
    # Four fixed corners per class give all of them the same variance.
    corners = np.array([[1, 1, 1], [-1, -1, 1], [1, -1, -1], [-1, 1, -1]], dtype=np.float64)
    widths = np.where(labels == 999, 1000.0, 1.0)[:, np.newaxis, np.newaxis]
    X = (centres[:, np.newaxis] + widths * corners).reshape(-1, 3)
    X_test = centres + on_grid(generator.uniform(-3.0, 3.0, centres.shape))
    asked = labels[::10]  # Enough, since some programs are slow
    X = np.vstack([X, *[corners] * 49])
    y = np.append(np.repeat(labels, 4), np.zeros(4 * 49, dtype=labels.dtype))
    X_test = np.vstack([X_test[asked], [[0.0, 0.0, 5.1], [45.0, 45.0, 45.0]]])
    return Problem(X, y, X_test, np.append(asked, [0, 999]))


def _many_features() -> Problem:
    """The last of 10,000 features are informative; products of densities underflow.

    Rows lie halfway between the classes, where no thousand of the features decide.
    """
    generator = np.random.default_rng(42)
    y = np.tile([0, 1], 10)
    shift = np.where(np.arange(10_000) < 9_000, 0.0, 2.0)
    X = generator.normal(size=(20, 10_000)) + shift * y[:, np.newaxis]
    return clear(X, y, generator.normal(size=(10, 10_000)) + shift / 2.0, 1.0, np.inf)


def log_joint(
    X: FloatArray, y: Array, asked: FloatArray, *, ddof: int = 0, added: float = 0.0
) -> FloatArray:
    """Return joint log-likelihoods, up to a constant, with an amount on variances."""
    groups = [X[y == label] for label in np.unique(y)]
    moments = [(len(g), g.mean(axis=0), g.var(axis=0, ddof=ddof) + added) for g in groups]
    return np.column_stack(
        [
            np.log(n) - 0.5 * ((asked - mean) ** 2 / var + np.log(var)).sum(axis=1)
            for n, mean, var in moments
        ]
    )


def leads_of(joint: FloatArray) -> FloatArray:
    """Return by how much the best class of each row leads."""
    ordered = np.sort(joint, axis=1)
    return np.asarray(ordered[:, -1] - ordered[:, -2])


def clear(X: FloatArray, y: Array, asked: FloatArray, least: float, most: float) -> Problem:
    """Return the problem with the rows whose lead is in a range for both divisors."""
    joints = [log_joint(X, y, asked, ddof=ddof) for ddof in (0, 1)]
    best = [joint.argmax(axis=1) for joint in joints]
    leads = np.array([*map(leads_of, joints)])
    kept = ((leads > least) & (leads < most)).all(axis=0) & (best[0] == best[1])
    return Problem(X, y, asked[kept], np.unique(y)[best[0][kept]])


@cache
def _near_boundaries() -> tuple[Problem, ...]:
    """Return rows that n - 1 or equal priors label otherwise, at each size.

    The last problems have as many rows as features, and a class of two rows.
    """
    generator, found = np.random.default_rng(46), list[Problem]()
    few = {24: [8, 12], 25: [2, 9]}
    for n_features in (*range(1, 25), 20, 2):
        n_classes = 2 if len(found) in few else 2 + 5 * n_features % 11
        counts = np.array(few.get(len(found), 5 + 4 * np.arange(n_classes) % 9))
        y = np.repeat(np.arange(n_classes), counts)
        centres = generator.normal(size=(n_classes, n_features)) / np.sqrt(n_features)
        X = centres[y] + generator.normal(size=(len(y), n_features))
        asked = generator.normal(size=(400, n_features))
        joint = log_joint(X, y, asked)
        best, sure = joint.argmax(axis=1), leads_of(joint) > CLEAR_LEAD
        others = log_joint(X, y, asked, ddof=1), joint - np.log(counts)
        moved = [np.flatnonzero(sure & (o.argmax(axis=1) != best))[:4] for o in others]
        rows = np.unique(np.concatenate(moved))
        problem = Problem(X, y, asked[rows], best[rows])
        if n_features == 3:
            # Log-scores of hundreds, of which single precision keeps too few digits.
            problem = _with_near_ties(problem, asked).with_samples(lambda X: X * 2.0**150)
        found.append(problem)
    return tuple(found)


def _with_near_ties(problem: Problem, ends: FloatArray) -> Problem:
    """Add rows whose two best classes differ by about 1e-5 nats, between pairs of rows."""

    def scored(rows: FloatArray) -> FloatArray:
        return log_joint(problem.X, problem.y, rows)

    inside, outside = ends[:-1], ends[1:]
    best, others = (scored(rows).argmax(axis=1) for rows in (inside, outside))
    inside, outside, best = (values[best != others] for values in (inside, outside, best))
    for _ in range(18):
        middle = (inside + outside) / 2.0
        stays = (scored(middle).argmax(axis=1) == best)[:, np.newaxis]
        inside, outside = np.where(stays, middle, inside), np.where(stays, outside, middle)
    leads = leads_of(scored(inside))
    kept = np.flatnonzero((leads > CLEAR_LEAD) & (leads < 20.0 * CLEAR_LEAD))[:20]
    rows = np.vstack([problem.X_test, inside[kept]])
    return replace(problem, X_test=rows, labels=np.append(problem.labels, best[kept]))


@SIZES.check(
    "near-boundaries",
    "Rows near boundaries get the right labels, at 1 to 24 features and 2 to 12 classes of "
    "unequal size.",
    source=SURE,
)
def _right_near_boundaries(make: Make) -> Finding:
    """Ask for all rows, then for as many as classes, as features, as learned from."""
    wrong, first = 0.0, "all labels right"
    for problem in _near_boundaries():
        model = contract.fitted(make, problem.X.copy(), problem.y.copy())
        n_classes, n_features = int(problem.y[-1]) + 1, problem.X.shape[1]
        for n_rows in (len(problem.labels), n_classes, n_features, len(problem.y)):
            rows = np.resize(np.arange(len(problem.labels)), n_rows)
            asked = problem.X_test[rows], problem.labels[rows]
            finding = contract.wrong_labels(model, *asked)
            if finding.measured and not wrong:
                features = "feature" if n_features == 1 else "features"
                first = f"first with {n_classes} classes and {n_features} {features}"
                first += f": {finding.message}"
            wrong += finding.measured or 0.0
    return Finding(wrong, message=first)


@lent
def _many_rows() -> Problem:
    """Return 20,003 rows: two classes that move halfway through, and one of ten rows.

    Their shares change there as well. The last row is one of the ten.
    """
    generator, places = np.random.default_rng(44), np.arange(20_003)
    y = (generator.random(len(places)) < np.where(places < 10_000, 0.4, 0.6)).astype(int)
    y[2002::2000] = 2
    moved = np.where(places < 10_000, 0.0, 1.5)[:, np.newaxis]
    X = generator.normal(size=(len(y), 2)) + np.array([0.0, 1.0, 4.0])[y, np.newaxis]
    return clear(X + moved, y, 2.0 * generator.normal(size=(60_000, 2)), 0.005, 0.05)


@lent
def _large_class() -> Problem:
    """Return a class of more rows than 16 bits count, and rows beside its boundary."""
    y = np.repeat([0, 1], [66_000, 10_000])
    X = np.tile([-1.0, 0.0, 1.0, 0.0], 19_000) + 4.0 * y
    return Problem(X[:, np.newaxis], y, np.array([[2.1], [2.4]]), np.array([0, 1]))


@lent
def _many_to_label() -> Problem:
    """Return 10,001 rows of the second and the third class in no regular order."""
    X = np.array([[-3.0], [-1.0], [1.0], [3.0], [9.0], [11.0]])
    labels = np.random.default_rng(47).integers(1, 3, 10_001)
    asked = np.where(labels == 1, 2.5, 10.5)[:, np.newaxis]
    return Problem(X, np.array([0, 0, 1, 1, 2, 2]), asked, labels)


def _many_labelled(problem: Problem, make: Make) -> Finding:
    """Ask for two rows beside a boundary afterwards, which many rows should not move."""
    model = problem.fitted(make)
    finding = contract.right_and_finite(model, problem.X_test, problem.labels, problem.y)
    later = contract.wrong_labels(model, np.array([[5.99], [6.01]]), np.array([1, 2]))
    if finding.measured or not finding.holds or not later.measured:
        return finding
    return replace(later, message=f"{later.message} after them")


@lent
def _rare_class() -> Problem:
    """Return the same samples, and rows between a class of ten rows and the others."""
    whole = _many_rows()
    asked = 3.0 * np.random.default_rng(45).normal(size=(60_000, 2))
    problem = clear(whole.X, whole.y, asked, 0.05, 0.5)
    second = log_joint(whole.X, whole.y, problem.X_test).argsort(axis=1)[:, 1:]
    kept = np.flatnonzero((second == 2).any(axis=1))[:500]
    return replace(problem, X_test=problem.X_test[kept], labels=problem.labels[kept])


for _id, _source, _problem_of in (
    ("two-classes", EXACT, partial(_random_classes, 2, 3)),
    ("thousand-classes", None, _thousand_classes),
    ("one-feature", EXACT, partial(_random_classes, 3, 1)),
    ("ten-thousand-features", None, _many_features),
    ("many-rows", CLEAR, _many_rows),
    ("rare-class", CLEAR, _rare_class),
    ("large-class", EXACT, _large_class),
):
    SIZES.check(_id, _CASES["sizes"][_id], source=_source, on=_problem_of)(
        Problem.right_and_finite
    )
SIZES.check(
    "many-rows-to-label",
    "10,001 rows at a time get the right labels, and change no later one.",
    on=_many_to_label,
)(_many_labelled)


@lent
def mirrored() -> Problem:
    """Return two classes that mirror each other, and rows halfway between them."""
    return _problem([[-3.0], [-1.0], [1.0], [3.0]], [7, 7, 4, 4], [[0.0]] * 2, [4, 4])


TIES = Family(
    "ties",
    "scikit-learn: numpy.argmax takes the first of equal classes, in sorted order",
    on=mirrored,
)
# Every number is small and whole or a sum of equal terms: the tie is exact.
TIES.check(
    "tie-first-class",
    "Halfway between two mirrored classes, the first in sorted order is predicted.",
)(Problem.wrong_labels)


@TIES.check(
    "tie-same-label",
    "Rows that tie get the same label every time.",
    source="a prediction depends on the model and the row",
)
def _same_label(problem: Problem, make: Make) -> Finding:
    model = problem.fitted(make)
    labels = [contract.labels_of(model, problem.X_test) for _ in range(12)]
    return contract.differing_labels(np.concatenate(labels), np.resize(labels[0][:1], 24))


@TIES.check(
    "tie-probabilities",
    "Two classes that tie have a probability of one half each.",
    measure=Criterion("absolute error", 4.0 * 2.0**-53),
    source="equal scores have equal shares; exp and log are off by one unit at most",
)
def _half(problem: Problem, make: Make) -> Finding:
    table = problem.table(make)[:1]
    return Finding(float(np.abs(table - 0.5).max()), message=f"{table[0].tolist()}")


@lent
def uneven() -> Problem:
    """Return classes of 4, 20 and 8 rows: priors of another class move labels."""
    whole = blobs()
    rows = [np.flatnonzero(whole.y == c)[:n] for c, n in enumerate((4, 20, 8))]
    X, y = (values[np.concatenate(rows)] for values in (whole.X, whole.y))
    asked = 1.0 + 1.5 * np.random.default_rng(51).normal(size=(200, 4))
    return clear(X, y, asked, 0.05, np.inf)


LABELS = Family(
    "labels",
    "scikit-learn, glossary: classes_ are the sorted labels, predict gives those",
    on=uneven,
)


def _named(problem: Problem, make: Make, names: Array) -> Finding:
    """Without the third class, the better of the other two wins by the same margin."""
    named = problem.named(names)
    model = named.fitted(make)
    last = problem.labels == len(names) - 1
    contract.labels_of(model, problem.X_test[last])  # Which may be shorter
    return contract.wrong_labels(model, named.X_test, named.labels)


for _kind, _row in _CASES["labels"].items():
    _names = np.array(_row["names"], _row.get("dtype"))
    LABELS.check(f"{_kind}-labels", _row["statement"])(partial(_named, names=_names))


@LABELS.check(
    "sorted-classes",
    "classes_ holds the distinct labels in sorted order.",
    measure=YES_OR_NO,
)
def _sorted_classes(problem: Problem, make: Make) -> Finding:
    names = np.array(["z", "m", "a"])
    model = contract.fitted(make, problem.X, names[problem.y])
    contract.require(model, "classes_")
    in_order = contract.class_order(model, names).tolist() == [0, 1, 2]
    return Finding(holds=in_order, message=f"classes_ is {list(model.classes_)}")


BAD_INPUT = Family(
    "bad input",
    "scikit-learn, developer's guide: estimators validate X, y and parameters",
    YES_OR_NO,
)
Attempt = Callable[[Make, Problem], Any]


def _refused(make: Make, attempt: Attempt) -> Finding:
    """Return whether the attempt raised, given that the model accepts good input."""
    control = blobs().wrong_labels(make)
    if control.measured:
        return Finding(holds=False, message=f"good input: {control.message}")
    try:
        answer = attempt(make, blobs())
    except contract.NotOffered:
        raise
    except Exception as error:  # noqa: BLE001  any exception will do
        return Finding(message=f"refused with {type(error).__name__}")
    came = f"labels {np.asarray(answer).ravel()[:3].tolist()} …"
    return Finding(holds=False, message=f"no exception; {came}")


def _spoiled(**changes: Callable[[Array], Array]) -> Attempt:
    """Return an attempt to train and predict with changed arrays."""

    def attempt(make: Make, good: Problem) -> Any:
        changed = {name: change(getattr(good, name)) for name, change in changes.items()}
        problem = replace(good, **changed)
        return contract.labels_of(problem.fitted(make), problem.X_test)

    return attempt


def _made_with(**parameters: Any) -> Attempt:
    """Return an attempt to predict with these constructor parameters."""
    return lambda make, good: contract.labels_of(
        good.fitted(partial(contract.configured, make, **parameters)), good.X_test
    )


def _with_value(X: FloatArray, value: float) -> FloatArray:
    X = X.copy()
    X[7, 1] = value
    return X


def _negative_weight(make: Make, good: Problem) -> Any:
    weights = np.where(np.arange(60) == 5, -2.0, 1.0)
    return contract.labels_of(good.fitted(make, sample_weight=weights), good.X_test)


def _unknown_label(make: Make, good: Problem) -> Any:
    contract.require_batches(make)
    batches = [(good.X, good.y), (good.X, good.y + 1)]
    model = contract.learned_in_batches(make, batches, [0, 1, 2])
    return contract.labels_of(model, good.X_test)


_nan = partial(_with_value, value=float("nan"))
_infinity = partial(_with_value, value=float("inf"))
_ATTEMPTS: dict[str, Attempt] = {
    "nan-in-fit": _spoiled(X=_nan),
    "infinity-in-fit": _spoiled(X=_infinity),
    "nan-in-predict": _spoiled(X_test=_nan),
    "infinity-in-predict": _spoiled(X_test=_infinity),
    "one-dimensional-x": _spoiled(X=lambda X: X[:, 0]),
    "two-dimensional-y": _spoiled(y=lambda y: np.column_stack([y, y])),
    "unequal-lengths": _spoiled(y=lambda y: y[:-1]),
    "no-samples": _spoiled(X=lambda X: X[:0], y=lambda y: y[:0]),
    "missing-feature": _spoiled(X_test=lambda X: X[:, :-1]),
    # Broadcasting would spread one column over all features.
    "single-feature": _spoiled(X_test=lambda X: X[:, :1]),
    "predict-before-fit": lambda make, good: make().predict(good.X_test),
    "negative-smoothing": _made_with(var_smoothing=-1e-9),
    "priors-sum": _made_with(priors=[0.5, 0.5, 0.5]),
    "priors-number": _made_with(priors=[0.5, 0.5]),
    "negative-prior": _made_with(priors=[-0.5, 0.5, 1.0]),
    "negative-weight": _negative_weight,
    "unknown-label": _unknown_label,
}
for _id, _attempt in _ATTEMPTS.items():
    _what = _CASES["refused"][_id]
    BAD_INPUT.check(_id, f"{_what} raises an error.")(partial(_refused, attempt=_attempt))

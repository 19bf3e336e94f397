"""Checks on other ways to the same model: layouts, batches, weights, orders, repetition."""

import copy
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from tempfile import TemporaryFile
from typing import Any

import numpy as np
import pandas as pd

from gnbbench.arrays import Array
from gnbbench.conformance import contract
from gnbbench.conformance.contract import (
    Family,
    Finding,
    Make,
    NotOffered,
    fitted,
    labels_of,
)
from gnbbench.conformance.edge_cases import CLEAR, clear, uneven
from gnbbench.conformance.problems import Problem, blobs, blobs_with, unequal, with_far_row
from gnbbench.data.dataset import Dataset
from gnbbench.data.loading import load
from gnbbench.implementations.adapting import fitted_model
from gnbbench.processes.messages import NO_ADDRESS, pickled_and_back
from gnbbench.tracebacks import described

MEMORY = Family(
    "memory",
    "only values count; other layouts may sum in another order (Higham 2002)",
    contract.SAME_MODEL,
    blobs,
)


def _laid_out(problem: Problem, make: Make, layout: Callable[[Array], Any]) -> Finding:
    """Train and predict in a layout; compare with C-contiguous arrays."""
    plain = problem.fitted(make)
    model = fitted(make, layout(problem.X), problem.y)
    trained = contract.alike(model, plain, problem.X_test, problem.y)
    asked = layout(problem.X_test)
    changed = int((np.asarray(plain.predict(asked)) != problem.labels).sum())
    if changed:
        message = f"{changed} labels of such samples wrong"
        return Finding(trained.measured, holds=False, message=message)
    return trained


def _read_only(X: Array) -> Array:
    frozen = X.copy()
    frozen.flags.writeable = False
    return frozen


def _strided(X: Array) -> Array:
    """Return every other row and column of a larger array, backwards."""
    view = np.full((2 * len(X), 2 * X.shape[1]), np.nan)[::-2, ::-2]
    view[...] = X
    return view


def _memory_mapped(X: Array) -> Array:
    # The file is deleted with the array.
    with TemporaryFile() as file:
        mapped = np.memmap(file, X.dtype, "w+", shape=X.shape)
    mapped[...] = X
    mapped.flags.writeable = False
    return mapped


for _id, _what, _layout in (
    ("fortran-order", "Arrays in Fortran order", np.asfortranarray),
    ("read-only", "Read-only arrays", _read_only),
    ("non-contiguous", "Strided views", _strided),
    ("memory-mapped", "Memory-mapped files", _memory_mapped),
    ("lists", "Lists of lists", np.ndarray.tolist),
):
    MEMORY.check(_id, f"{_what} give the model and the labels of a plain array.")(
        partial(_laid_out, layout=_layout)
    )


@MEMORY.check(
    "data-frames",
    "DataFrames and Series, with any index, give the labels of arrays.",
    on=uneven,
    measure=contract.WRONG_LABELS,
)
def _data_frames(problem: Problem, make: Make) -> Finding:
    """pandas divides variances by n - 1, and pairs rows with labels by index."""
    generator, names = np.random.default_rng(52), list("abcd")
    asked = 1.0 + 1.5 * generator.normal(size=(200, 4))
    index = generator.permutation(len(problem.y))
    frame = pd.DataFrame(problem.X, index, names)
    try:
        model = fitted(make, frame, pd.Series(problem.y, index, name="label"))
        labels = labels_of(model, pd.DataFrame(asked, columns=names))
    except Exception as error:
        raise NotOffered("it takes no DataFrames") from error
    return contract.differing_labels(labels, labels_of(problem.fitted(make), asked))


BATCHES = Family(
    "partial_fit",
    "Chan, Golub and LeVeque (1983): moments of parts give those of the whole, and "
    "smoothing is defined on the whole",
    contract.SAME_MODEL,
    # Rows are sorted by the widest feature, so that batches differ in variance.
    unequal,
)


def _in_batches(problem: Problem, make: Make, cut: Callable[[Array], Any]) -> Finding:
    batches = [(problem.X[rows], problem.y[rows]) for rows in cut(problem.y)]
    return problem.like_one_fit(make, contract.learned_in_batches(make, batches, [0, 1]))


def _single_rows(y: Array) -> Array:
    return np.arange(len(y))[:, np.newaxis]


for _id, _batches, _cut in (
    ("equal-batches", "four equal batches", lambda y: np.array_split(np.arange(len(y)), 4)),
    (
        "uneven-batches",
        "batches of 1 to 39 rows",
        lambda y: np.split(np.arange(len(y)), [1, 3, 20, 21]),
    ),
    ("single-rows", "one row after another", _single_rows),
    (
        "class-by-class",
        "one class after another",
        lambda y: [np.flatnonzero(y == label) for label in (1, 0)],
    ),
):
    BATCHES.check(
        f"partial-fit-{_id}", f"partial_fit of {_batches} gives the model of one fit."
    )(partial(_in_batches, cut=_cut))
BATCHES.check(
    "partial-fit-constant-feature",
    "Single rows with a constant feature give the model of one fit, not NaN.",
    # It has only the smoothing as variance; so have all features in a single row.
    on=lambda: unequal().with_samples(lambda X: np.pad(X, ((0, 0), (0, 1)))),
)(partial(_in_batches, cut=_single_rows))


@BATCHES.check(
    "partial-fit-cancer",
    "Eight batches of breast_cancer, in order of an area, give the labels of one fit.",
    on=partial(load, "breast_cancer"),
    measure=contract.WRONG_LABELS,
)
def _cancer_labels(data: Dataset, make: Make) -> Finding:
    parts = np.array_split(np.argsort(data.X[:, 3], kind="stable"), 8)
    batches = [(data.X[rows], data.y[rows]) for rows in parts]
    labels = labels_of(contract.learned_in_batches(make, batches, data.classes), data.X)
    return contract.differing_labels(
        labels, labels_of(fitted(make, data.X, data.y), data.X)
    )


@BATCHES.check(
    "partial-fit-labels",
    "Batches in order of a feature give the right labels, with classes in any order.",
    on=blobs,
    measure=contract.WRONG_LABELS,
)
def _batch_labels(problem: Problem, make: Make) -> Finding:
    parts = np.split(np.argsort(problem.X[:, 0], kind="stable"), [5, 20])
    batches = [(problem.X[rows], problem.y[rows]) for rows in parts]
    model = contract.learned_in_batches(make, batches, [1, 0, 2])
    return contract.wrong_labels(model, problem.X_test, problem.labels)


@BATCHES.check(
    "partial-fit-after-fit",
    "partial_fit goes on from what fit learned, and fit begins anew.",
    source="scikit-learn, glossary: partial_fit does not clear the model, but updates it",
    on=uneven,
    measure=contract.WRONG_LABELS,
)
def _after_fit(problem: Problem, make: Make) -> Finding:
    """Most rows of the largest class come later; then the others are learned alone."""
    contract.require_batches(make)
    is_late = (problem.y == 1) & (np.cumsum(problem.y == 1) > 5)
    order = np.argsort(is_late, kind="stable")
    X, y, n = problem.X[order], problem.y[order], np.count_nonzero(~is_late)
    model = fitted(make, X[:n], y[:n])
    model.partial_fit(X[n:], y[n:])
    labels = labels_of(model, problem.X_test)
    finding = contract.differing_labels(
        labels, labels_of(problem.fitted(make), problem.X_test)
    )
    if finding.measured:
        return finding
    again = fitted_model(model, model.fit(X[:n], y[:n]))
    fresh = labels_of(fitted(make, X[:n], y[:n]), problem.X_test)
    finding = contract.differing_labels(labels_of(again, problem.X_test), fresh)
    return replace(finding, message=f"{finding.message} after fit")


@BATCHES.check(
    "partial-fit-stream",
    "A batch counts each time it comes, also in an array that is filled again.",
    source="scikit-learn, glossary: partial_fit updates the model",
    on=uneven,
    measure=contract.WRONG_LABELS,
)
def _stream(problem: Problem, make: Make) -> Finding:
    contract.require_batches(make)
    order = np.arange(32).reshape(16, 2).T[[0, 0, 0, 1]]
    X, y, model = problem.X[:16].copy(), problem.y[:16].copy(), make()
    classes = {"classes": np.arange(3)}
    for rows in order:  # Those that are labelled between change nothing
        X[:], y[:] = problem.X[rows], problem.y[rows]
        model.partial_fit(X, y, **classes)
        labels_of(model, problem.X_test.copy())
        for values in (X, *classes.values()):
            values.fill(-1)
        classes = {}
    rows = order.ravel()
    labels = labels_of(fitted(make, problem.X[rows], problem.y[rows]), problem.X_test)
    return contract.differing_labels(labels_of(model, problem.X_test), labels)


WEIGHTS = Family(
    "weights",
    "scikit-learn, glossary: a row of weight k is k rows, one of weight 0 is none",
    contract.SAME_MODEL,
    blobs,
)


def _times(problem: Problem) -> Array:
    """Return numbers of times that move means, variances and priors of the classes."""
    times: Array = 1 + 4 * problem.y + 7 * (problem.X[:, 0] > 1.0)
    return times


def _repeated(problem: Problem) -> Problem:
    """Return the problem with each row so many times."""
    rows = np.repeat(np.arange(len(problem.y)), _times(problem))
    asked = 1.0 + 1.5 * np.random.default_rng(51).normal(size=(200, 4))
    return clear(problem.X[rows], problem.y[rows], asked, 0.05, np.inf)


def _same_weight(problem: Problem, make: Make, weight: float) -> Finding:
    weighted = problem.fitted(make, sample_weight=np.full(60, weight))
    return problem.like_one_fit(make, weighted)


WEIGHTS.check("weights-ones", "Weights of one give the model without weights.")(
    partial(_same_weight, weight=1.0)
)


@WEIGHTS.check("weights-duplicates", "A row of weight k is a row k times.", on=unequal)
def _duplicates(problem: Problem, make: Make) -> Finding:
    times = np.tile([1, 2, 3], 20)
    rows = np.repeat(np.arange(60), times)
    weighted = problem.fitted(make, sample_weight=times.astype(np.float64))
    repeated = fitted(make, problem.X[rows], problem.y[rows])
    return contract.alike(weighted, repeated, problem.X_test, problem.y)


@WEIGHTS.check(
    "weights-labels",
    "Rows that weigh some quarters give the labels of rows that occur so many times.",
    measure=contract.WRONG_LABELS,
    source=CLEAR,
)
def _weighted_labels(problem: Problem, make: Make) -> Finding:
    times, whole = _times(problem), _repeated(problem)
    # And rows far off, one of a class of its own, which weigh nothing.
    X, y = np.vstack([problem.X, np.full((4, 4), 1000.0)]), np.append(problem.y, range(4))
    weights = np.append(times / 4.0, np.zeros(4))
    model = fitted(make, X, y, sample_weight=weights)
    finding = contract.wrong_labels(model, whole.X_test, whole.labels)
    with suppress(NotOffered):
        rows = range(0, 64, 2), range(1, 64, 2)
        batches, parts = [(X[n], y[n]) for n in rows], [weights[n] for n in rows]
        model = contract.learned_in_batches(make, batches, range(4), sample_weight=parts)
        later = contract.wrong_labels(model, whole.X_test, whole.labels)
        if later.measured and not finding.measured:
            return replace(later, message=f"{later.message} after partial_fit")
    return finding


@WEIGHTS.check("weights-zero-outlier", "An outlier of weight 0 is ignored.")
def _zero_outlier(problem: Problem, make: Make) -> Finding:
    """Smoothing that included the outlier would be 1e12 times too large."""
    X = np.vstack([problem.X, np.full((1, 4), 1e6)])
    weights = np.append(np.ones(60), 0.0)
    weighted = fitted(make, X, np.append(problem.y, 0), sample_weight=weights)
    return problem.like_one_fit(make, weighted)


WEIGHTS.check("weights-tiny", "Weights of 1e-12 give the model without weights.")(
    partial(_same_weight, weight=1e-12)
)


@WEIGHTS.check(
    "weights-tiny-class", "A class of tiny weights beside large ones is not empty."
)
def _tiny_class(problem: Problem, make: Make) -> Finding:
    """Rows of one class weigh 2**-40: its moments stay, its prior shrinks as much."""
    light = np.where(problem.y == 0, 2.0**-40, 1.0)
    asked = problem.X[problem.y == 0].mean(axis=0, keepdims=True) - 12.0
    weighted = problem.fitted(make, sample_weight=light)
    lighter = problem.fitted(make, sample_weight=light * 2.0**40)
    return contract.alike(weighted, lighter, asked, problem.y)


SYMMETRY = Family(
    "symmetry",
    "sums over rows and features have no order, and labels no value",
    contract.SAME_MODEL,
    unequal,
)


def _chosen_rows(problem: Problem, make: Make, rows: Array) -> Finding:
    return problem.like_one_fit(make, fitted(make, problem.X[rows], problem.y[rows]))


SYMMETRY.check("permuted-rows", "The order of the rows changes nothing.")(
    partial(_chosen_rows, rows=np.random.default_rng(50).permutation(60))
)


@SYMMETRY.check(
    "permuted-columns",
    "The order of the features changes no label.",
    on=blobs_with(lambda X: X[:, [2, 0, 3, 1]]),
    measure=contract.WRONG_LABELS,
)
def _labels(problem: Problem, make: Make) -> Finding:
    labels = labels_of(problem.fitted(make), problem.X_test)
    return contract.differing_labels(labels, problem.labels, "wrong")


SYMMETRY.check(
    "permuted-labels",
    "Renaming the classes changes only the names.",
    on=lambda: blobs().named(np.array([2, 0, 1])),
    measure=contract.WRONG_LABELS,
)(_labels)


def _twice(problem: Problem) -> tuple[Array, Array, Array]:
    """Return samples with two features that occur twice, and rows to label."""
    asked = 1.0 + 1.5 * np.random.default_rng(53).normal(size=(200, 4))
    repeated = [0, 1, 2, 3, 0, 2]
    return problem.X[:, repeated], problem.y, asked[:, repeated]


for _id, _statement, _problem_of in (
    (
        "repeated-rows",
        "A row that occurs several times counts each time.",
        lambda: _repeated(blobs()),
    ),
    (
        "repeated-features",
        "A feature that occurs twice counts twice.",
        lambda: clear(*_twice(blobs()), 0.05, np.inf),
    ),
    (
        "far-row",
        "A row far from all others of its class counts as much.",
        lambda: clear(*with_far_row(), 0.05, np.inf),
    ),
):
    SYMMETRY.check(
        _id, _statement, on=_problem_of, measure=contract.WRONG_LABELS, source=CLEAR
    )(Problem.wrong_labels)
SYMMETRY.check(
    "doubled-rows", "Every row twice gives the same model, since the divisor is n."
)(partial(_chosen_rows, rows=np.tile(np.arange(60), 2)))

REPETITION = Family(
    "repetition",
    "scikit-learn, developer's guide, APIs of scikit-learn objects",
    contract.Criterion("difference", 0.0),
    blobs,
)


@REPETITION.check(
    "deterministic",
    "Two fits to the same data are equal.",
    source="the same operations on the same numbers: not a bit may differ",
)
def _deterministic(problem: Problem, make: Make) -> Finding:
    return problem.like_one_fit(make, problem.fitted(make))


@REPETITION.check(
    "input-unchanged",
    "Training and prediction leave the caller's arrays as they are.",
    measure=contract.Criterion("arrays", 0.0),
)
def _input_unchanged(problem: Problem, make: Make) -> Finding:
    # Of other numbers, a mean that is subtracted and added again may leave a rest.
    problem = problem.with_samples(lambda X: 1.1 * X)
    before = problem.with_samples(np.copy)
    model, weights = make(), np.full(60, 2.0)
    takes_weights = contract.has_argument(model, "fit", "sample_weight")
    options = {"sample_weight": weights} if takes_weights else {}
    model = fitted_model(model, model.fit(problem.X, problem.y, **options))
    with suppress(Exception):  # Which changes nothing, or is not offered
        model.partial_fit(problem.X, problem.y)
    for method in ("predict", "predict_proba", "predict_joint_log_proba"):
        if getattr(model, method, None):
            getattr(model, method)(problem.X_test)
    changed = [
        name
        for name in ("X", "y", "X_test")
        if not np.array_equal(getattr(problem, name), getattr(before, name))
    ]
    if not np.array_equal(weights, np.full(60, 2.0)):
        changed.append("sample_weight")
    return Finding(
        float(len(changed)), message=f"changed: {', '.join(changed) or 'nothing'}"
    )


@REPETITION.check(
    "fit-twice", "A second fit forgets the first.", measure=contract.SAME_MODEL
)
def _fit_twice(problem: Problem, make: Make) -> Finding:
    # The first data have one class more and one less, and other features and scales; then
    # the same features, with one class more, then with other shares. What is learned late
    # is learned by answering.
    # At last the same labels with other features, in arrays that are filled again.
    other, fresh = unequal(), fitted(make, problem.X.copy(), problem.y.copy())
    is_fourth = (problem.y == 0) & (np.cumsum(problem.y == 0) > 2)
    more = problem.X.copy(), np.where(is_fourth, 3, problem.y)
    fewer = problem.X[~is_fourth], problem.y[~is_fourth]
    turned = problem.X[:, ::-1].copy(), problem.y.copy()
    pairs = (1000.0 * other.X, other.y + 2), more, fewer, turned
    models = [fitted(make, *pair) for pair in pairs]
    # What these raise is of no second fit.
    contract.alike(fresh, fresh, problem.X_test, problem.y)
    for model, asked in zip(models, (other.X_test, *[problem.X_test] * 3), strict=True):
        labels_of(model, asked.copy())
    turned[0][:] = problem.X
    try:
        for model in models:
            given = problem.X.copy(), problem.y.copy()
            answer = model.fit(*(turned if model is models[-1] else given))
            again = fitted_model(model, answer)
            finding = contract.alike(again, fresh, problem.X_test, problem.y)
            if not finding.holds or finding.measured != 0.0:
                break
    except Exception as error:  # noqa: BLE001  third-party code may raise anything
        return Finding(np.inf, message=f"a second fit raises {described(error)}")
    return finding


@REPETITION.check(
    "predict-alone",
    "A row gets the same label alone and among others.",
    on=uneven,
    measure=contract.WRONG_LABELS,
    source="a prediction depends on the model and the row",
)
def _predict_alone(problem: Problem, make: Make) -> Finding:
    model = problem.fitted(make)
    alone = [labels_of(model, row[np.newaxis].copy())[0] for row in problem.X_test[:20]]
    return contract.differing_labels(np.array(alone), labels_of(model, problem.X_test)[:20])


@REPETITION.check(
    "arrays-changed-later",
    "Arrays that change after a call change neither the model nor earlier answers.",
    measure=contract.WRONG_LABELS,
    source="an answer depends on the values that a call was given",
)
def _changed_later(problem: Problem, make: Make) -> Finding:
    X, y, asked = problem.X.copy(), problem.y.copy(), problem.X_test.copy()
    expected = labels_of(problem.fitted(make), asked.copy())
    model = fitted(make, X, y)
    X[:], y[:] = -problem.X, problem.y[::-1]
    labels = labels_of(model, asked)
    found = {"the samples learned from changed": (labels.copy(), expected)}
    asked[:] = problem.X_test[::-1]
    changed = labels_of(model, asked).copy(), expected[::-1]
    found["another call of predict"] = labels, found[next(iter(found))][0]
    found["the array of rows to label was filled again"] = changed
    labels_of(model, problem.X_test)
    # Far from both ends.
    place, order = np.flatnonzero(np.diff(expected))[-2], np.arange(len(expected))
    order[place : place + 2] = place + 1, place
    changed = labels_of(model, problem.X_test[order]), expected[order]
    found["two rows changed places"] = changed
    if ask := getattr(model, "predict_proba", None):
        answer = ask(problem.X_test.copy())
        given = np.array(answer)
        ask(asked.copy())
        rows = [row.tobytes() for row in given], [row.tobytes() for row in np.array(answer)]
        found["another call of predict_proba"] = np.array(rows[0]), np.array(rows[1])
    for text, pair in found.items():
        if (finding := contract.differing_labels(*pair)).measured:
            return Finding(finding.measured, message=f"{finding.message} after {text}")
    return finding


@REPETITION.check(
    "two-models",
    "What other models learn and answer does not affect the first.",
    measure=contract.WRONG_LABELS,
)
def _two_models(problem: Problem, make: Make) -> Finding:
    """Another model is asked first for rows that hardly differ from those before."""
    model, rows = problem.fitted(make), problem.X_test + 1e-3
    near, before = rows + 2.0**-40, labels_of(model, rows.copy())
    unequal().fitted(make)
    other = fitted(make, -problem.X, problem.y.copy())
    labels_of(other, near.copy())
    known = np.isin(before, problem.y)  # What is no label may differ between near rows
    finding = contract.differing_labels(labels_of(model, near.copy())[known], before[known])
    # Labels that do not follow from what is learned are the same for all models.
    if finding.measured or np.mean(before == problem.labels) < 0.8:
        return finding
    # To one that squares samples, opposite ones are the same, not those of a third.
    third = fitted(make, 4.0 * np.abs(problem.X).max() - problem.X, problem.y.copy())
    alike = (labels_of(one, rows.copy()) == before for one in (other, third))
    if not all(map(np.all, alike)):
        return finding
    # The others answer as the first does, which learned the opposite.
    finding = contract.differing_labels(labels_of(other, -rows)[known], before[known])
    return replace(finding, message=f"{finding.message} of the other model")


@REPETITION.check(
    "threads",
    "Several threads can use one model at once.",
    measure=contract.WRONG_LABELS,
    source="prediction only reads the model",
)
def _threads(problem: Problem, make: Make) -> Finding:
    """Eight threads predict different rows with one model, many times."""
    model = problem.fitted(make)
    orders = [np.random.default_rng(n).permutation(len(problem.labels)) for n in range(64)]

    def n_wrong(order: Array) -> int:
        rows = problem.X_test[order][: 5 + order[0]]
        return int((labels_of(model, rows) != problem.labels[order][: len(rows)]).sum())

    with ThreadPoolExecutor(8) as pool:
        wrong = sum(pool.map(n_wrong, orders))
    return Finding(float(wrong), message=f"{wrong} labels wrong in 64 calls by 8 threads")


@REPETITION.check(
    "copy-by-parameters",
    "get_params makes an equal model, and fit changes no parameter.",
    measure=contract.YES_OR_NO,
)
def _copy_by_parameters(problem: Problem, make: Make) -> Finding:
    # Like ``sklearn.base.clone``: a new model from the parameters only.
    model = contract.configured(make)
    contract.require(model, "get_params", "set_params")
    before = model.get_params()
    model.fit(problem.X, problem.y)
    after = model.get_params()
    if before.keys() != after.keys() or any(before[k] is not after[k] for k in before):
        return Finding(holds=False, message="fit changed a parameter")
    copy = type(model)(**after)
    copy.fit(problem.X, problem.y)
    finding = contract.alike(copy, model, problem.X_test, problem.y)
    same = finding.holds and finding.measured == 0.0
    return Finding(holds=same, message=f"the copy: {finding.message}")


@REPETITION.check("pickled", "A fitted model survives pickling, or copying.", on=uneven)
def _pickled(problem: Problem, make: Make) -> Finding:
    model = problem.fitted(make)
    try:
        again: Any = pickled_and_back(model)
    except NO_ADDRESS as error:
        # A class defined in a notebook or function cannot be imported by pickle.
        of = type(model)
        if getattr(sys.modules.get(of.__module__), of.__name__, None) is of:
            raise
        try:
            again = copy.deepcopy(model)
        except Exception:  # noqa: BLE001  third-party code may hold anything
            raise NotOffered("its class cannot be imported") from error
    return contract.alike(again, model, problem.X_test, problem.y)

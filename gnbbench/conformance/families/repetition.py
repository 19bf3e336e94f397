"""Doing it again, elsewhere or at the same time gives the same."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.reduction import ForkingPickler
from typing import Any

import numpy as np

from gnbbench.conformance.contract import (
    Array,
    Make,
    NotOffered,
    configured,
    fitted,
    has_argument,
    labels_of,
    require,
)
from gnbbench.conformance.evidence import alike, wrong_labels
from gnbbench.conformance.problems import blobs, unequal
from gnbbench.conformance.result import Check, Finding

SAME = "the same operations on the same numbers: not a bit may differ"
CONTRACT = "scikit-learn, developer's guide, APIs of scikit-learn objects"


def _deterministic(make: Make) -> Finding:
    problem = blobs()
    first, second = (fitted(make, problem.X, problem.y) for _ in range(2))
    return alike(first, second, problem.X_test, problem.y)


def _input_unchanged(make: Make) -> Finding:
    problem, before = blobs(), blobs()
    model = make()
    weights = np.full(60, 2.0)
    if has_argument(model, "fit", "sample_weight"):
        model.fit(problem.X, problem.y, sample_weight=weights)
    else:
        model.fit(problem.X, problem.y)
    for method in ("predict", "predict_proba", "predict_joint_log_proba"):
        if hasattr(model, method):
            getattr(model, method)(problem.X_test)
    changed = [
        name
        for name in ("X", "y", "X_test")
        if not np.array_equal(getattr(problem, name), getattr(before, name))
    ]
    if not np.array_equal(weights, np.full(60, 2.0)):
        changed.append("sample_weight")
    return Finding(holds=not changed, message=f"changed: {', '.join(changed) or 'nothing'}")


def _fit_twice(make: Make) -> Finding:
    # The first data have other classes, features and scales.
    problem, other = blobs(), unequal()
    model = fitted(make, 1000.0 * other.X, other.y + 5)
    model.fit(problem.X, problem.y)
    return alike(model, fitted(make, problem.X, problem.y), problem.X_test, problem.y)


def _predict_alone(make: Make) -> Finding:
    problem = blobs()
    model = fitted(make, problem.X, problem.y)
    alone = [labels_of(model, row[np.newaxis])[0] for row in problem.X_test[:20]]
    return _changed(np.array(alone), labels_of(model, problem.X_test)[:20])


def _two_models(make: Make) -> Finding:
    # What one learns stays out of the other, and out of what it learned before.
    problem, other = blobs(), unequal()
    model = fitted(make, problem.X, problem.y)
    fitted(make, other.X, other.y)
    return wrong_labels(model, problem.X_test, problem.labels)


def _threads(make: Make) -> Finding:
    """Eight threads ask for different rows of one model, many times."""
    problem = blobs()
    model = fitted(make, problem.X, problem.y)
    orders = [
        np.random.default_rng(seed).permutation(len(problem.labels)) for seed in range(64)
    ]

    def asked(order: Array) -> int:
        rows = problem.X_test[order][: 5 + order[0]]
        return int((labels_of(model, rows) != problem.labels[order][: len(rows)]).sum())

    with ThreadPoolExecutor(8) as pool:
        wrong = sum(pool.map(asked, orders))
    return Finding(float(wrong), message=f"{wrong} labels wrong in 64 calls by 8 threads")


def _copy_by_parameters(make: Make) -> Finding:
    # What ``sklearn.base.clone`` does: a new object from the parameters alone.
    problem = blobs()
    model = configured(make)
    require(model, "get_params", "set_params")
    before = model.get_params()
    model.fit(problem.X, problem.y)
    after = model.get_params()
    if before.keys() != after.keys() or any(before[k] is not after[k] for k in before):
        return Finding(holds=False, message="fit changed a parameter")
    copy = type(model)(**after)
    copy.fit(problem.X, problem.y)
    finding = alike(copy, model, problem.X_test, problem.y)
    same = finding.holds and finding.measured == 0.0
    return Finding(holds=same, message=f"the copy: {finding.message}")


def _pickled(make: Make) -> Finding:
    problem = blobs()
    model = fitted(make, problem.X, problem.y)
    try:
        again: Any = ForkingPickler.loads(ForkingPickler.dumps(model))
    except (AttributeError, ImportError) as error:
        # A class of a notebook or of a function has no address for pickle to keep.
        if "<locals>" in type(model).__qualname__ or type(model).__module__ == "__main__":
            raise NotOffered("its class cannot be imported") from error
        raise
    return alike(again, model, problem.X_test, problem.y)


def _changed(got: Array, expected: Array) -> Finding:
    changed = int((got != expected).sum())
    return Finding(float(changed), message=f"{changed} of {len(expected)} labels differ")


def _check(
    name: str,
    statement: str,
    unit: str,
    examine: Callable[[Make], Finding],
    source: str = SAME,
) -> Check:
    tolerance = None if unit == "yes or no" else 0.0
    return Check(name, "repetition", statement, tolerance, unit, source, examine)


CHECKS = (
    _check(
        "deterministic",
        "Two fits to the same data are equal.",
        "difference",
        _deterministic,
    ),
    _check(
        "input-unchanged",
        "Training and prediction leave the caller's arrays as they are.",
        "yes or no",
        _input_unchanged,
        CONTRACT,
    ),
    _check(
        "fit-twice", "A second fit forgets the first.", "difference", _fit_twice, CONTRACT
    ),
    _check(
        "predict-alone",
        "A row gets the same label alone and among others.",
        "labels",
        _predict_alone,
        "a prediction depends on the model and the row",
    ),
    _check(
        "two-models",
        "What a second object learns does not reach the first.",
        "labels",
        _two_models,
        CONTRACT,
    ),
    _check(
        "threads",
        "Several threads can ask one model at once.",
        "labels",
        _threads,
        "prediction reads the model and writes nothing to it",
    ),
    _check(
        "copy-by-parameters",
        "get_params makes an equal object, and fit changes no parameter.",
        "yes or no",
        _copy_by_parameters,
        CONTRACT,
    ),
    _check(
        "pickled", "A fitted model survives pickling.", "difference", _pickled, CONTRACT
    ),
)

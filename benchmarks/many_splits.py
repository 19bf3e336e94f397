"""All splits at once against fitting and scoring scikit-learn in a loop.

Both do the same work on the same 1000 stratified 70/30 splits, in turns and in alternating
order: fit on the training rows, label all rows. Labels must be equal.
"""

from collections.abc import Iterator

import numpy as np
from measured import LABELS, Measured, in_turns
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.naive_bayes import GaussianNB as ScikitLearnGaussianNB

from gnbbench.core.leave_one_out import leave_one_out
from gnbbench.core.many_splits import many_labels
from gnbbench.splits import split

RUNS = 1000
PAIRS = 5
LOADERS = {"wine": load_wine, "breast_cancer": load_breast_cancer, "digits": load_digits}

# Largest ratio of the median pair; leaving one out is measured without a limit.
LIMITS = {"wine": 1 / 30, "breast_cancer": 1 / 20, "digits": 1 / 8}


def loop(
    X: NDArray[np.float64], y: NDArray[np.int64], masks: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return the labels of all rows by scikit-learn, fitted run by run."""
    return np.array(
        [ScikitLearnGaussianNB().fit(X[train], y[train]).predict(X) for train in masks]
    )


def loop_leaving_one_out(X: NDArray[np.float64], y: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return each row's label by scikit-learn fitted on all others."""
    rows = np.arange(len(y))
    labels = [
        ScikitLearnGaussianNB()
        .fit(X[rows != row], y[rows != row])
        .predict(X[row : row + 1])[0]
        for row in rows
    ]
    return np.array(labels)


def measured() -> Iterator[Measured]:
    """Yield the comparisons on each dataset, after a check that labels are equal."""
    for name, loader in LOADERS.items():
        X, y = loader(return_X_y=True)
        yield from _measured(name, X, y)


def _measured(
    name: str, X: NDArray[np.float64], y: NDArray[np.int64]
) -> Iterator[Measured]:
    masks = np.zeros((RUNS, len(y)), dtype=bool)
    for run, mask in enumerate(masks):
        mask[split(y, run).train] = True
    labels, fallback_rows = many_labels(X, y, masks)
    one_out = leave_one_out(X, y)
    differing = int((labels != loop(X, y, masks)).sum())
    yield Measured(name, f"differing labels of {RUNS} splits", (differing,), LABELS, 0)
    differing = int((one_out.labels != loop_leaving_one_out(X, y)).sum())
    yield Measured(name, "differing labels, leave one out", (differing,), LABELS, 0)
    many, *_ = in_turns(PAIRS, many_labels, loop, X, y, masks)
    yield Measured(
        name,
        f"{RUNS} splits at once",
        many,
        limit=LIMITS[name],
        remark=f"{int(fallback_rows.sum())} rows fitted singly",
    )
    left_out, *_ = in_turns(PAIRS, leave_one_out, loop_leaving_one_out, X, y)
    yield Measured(
        name,
        "leave one out",
        left_out,
        remark=f"{one_out.fallback_rows} rows fitted singly",
    )

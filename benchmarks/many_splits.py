"""All splits at once against scikit-learn in a loop.

Both fit the training rows of the same 1000 stratified 70/30 splits and label all rows, in
alternating order. Labels must be equal.
"""

from collections.abc import Iterator

import numpy as np
from measured import LABELS, Measured, in_turns
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.naive_bayes import GaussianNB as ScikitLearnGaussianNB

from gnbbench.core.many_splits import many_labels
from gnbbench.splits import split

RUNS = 1000
PAIRS = 5
LOADERS = {"wine": load_wine, "breast_cancer": load_breast_cancer, "digits": load_digits}

# Largest ratio of the median pair.
LIMITS = {"wine": 1 / 30, "breast_cancer": 1 / 20, "digits": 1 / 8}


def loop(
    X: NDArray[np.float64], y: NDArray[np.int64], masks: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return the labels of all rows by scikit-learn, fitted run by run."""
    return np.array(
        [ScikitLearnGaussianNB().fit(X[train], y[train]).predict(X) for train in masks]
    )


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
    differing = int((labels != loop(X, y, masks)).sum())
    yield Measured(name, f"differing labels of {RUNS} splits", (differing,), LABELS, 0)
    many, *_ = in_turns(PAIRS, many_labels, loop, X, y, masks)
    yield Measured(
        name,
        f"{RUNS} splits at once",
        many,
        limit=LIMITS[name],
        remark=f"{int(fallback_rows.sum())} rows fitted singly",
    )

"""All splits at once against fitting and scoring scikit-learn in a loop.

Run it with ``python benchmarks/many_splits.py``. Both do the same work on the same 1000
stratified 70/30 splits, in turns and in alternating order, with BLAS on one thread: fit
on the training rows, label all rows. Labels must be equal. It prints each ratio beside its
limit and exits 1 if one is exceeded; it is no test, because a busy machine may exceed any
limit.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.naive_bayes import GaussianNB as ScikitLearnGaussianNB
from threadpoolctl import threadpool_limits

from gnbbench.core.leave_one_out import leave_one_out
from gnbbench.core.many_splits import many_labels
from gnbbench.splits import split

RUNS = 1000
PAIRS = 5
LOADERS = {"wine": load_wine, "breast_cancer": load_breast_cancer, "digits": load_digits}

# Largest ratio of the median pair; leaving one out is measured without a limit.
LIMITS = {"wine": 1 / 30, "breast_cancer": 1 / 20, "digits": 1 / 8}


@dataclass(frozen=True)
class Line:
    """The ratios of one comparison, and how many labels the estimator had to give."""

    dataset: str
    operation: str
    ratios: list[float]
    fallback_rows: int
    limit: float | None

    @property
    def within(self) -> bool:
        """Whether the ratio keeps its limit."""
        return self.limit is None or median(self.ratios) <= self.limit


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


def seconds(operation: Callable[[], Any]) -> tuple[float, Any]:
    """Return how long one call takes, and its result."""
    begin = time.perf_counter()
    result = operation()
    return time.perf_counter() - begin, result


def ratios(ours: Callable[[], Any], theirs: Callable[[], Any]) -> list[float]:
    """Return the ratio of each pair; the first one of a pair changes in turn."""
    found = []
    for pair in range(PAIRS):
        order = (ours, theirs) if pair % 2 else (theirs, ours)
        taken = {operation: seconds(operation)[0] for operation in order}
        found.append(taken[ours] / taken[theirs])
    return found


def lines(name: str) -> list[Line]:
    """Return the comparisons on one dataset, after a check that labels are equal."""
    X, y = LOADERS[name](return_X_y=True)
    masks = np.zeros((RUNS, len(y)), dtype=bool)
    for run, mask in enumerate(masks):
        mask[split(y, run).train] = True
    labels, fallback_rows = many_labels(X, y, masks)
    one_out = leave_one_out(X, y)
    same = (labels == loop(X, y, masks)).all()
    if not same or (one_out.labels != loop_leaving_one_out(X, y)).any():
        sys.exit(f"{name}: labels differ from scikit-learn's")
    many = ratios(lambda: many_labels(X, y, masks), lambda: loop(X, y, masks))
    left_out = ratios(lambda: leave_one_out(X, y), lambda: loop_leaving_one_out(X, y))
    return [
        Line(name, f"{RUNS} runs", many, int(fallback_rows.sum()), LIMITS[name]),
        Line(name, "leave one out", left_out, one_out.fallback_rows, None),
    ]


def main() -> None:
    """Measure, print the table, and exit 1 if a limit is exceeded."""
    with threadpool_limits(1):
        found = [line for name in LOADERS for line in lines(name)]
    table = Table("dataset", "operation", "ratio", "range", "fallback rows", "limit", "")
    for line in found:
        table.add_row(
            line.dataset,
            line.operation,
            f"{median(line.ratios):.4f}",
            f"{min(line.ratios):.4f} to {max(line.ratios):.4f}",
            str(line.fallback_rows),
            "" if line.limit is None else f"{line.limit:.4f}",
            "" if line.limit is None else ("ok" if line.within else "exceeded"),
        )
    Console().print(table)
    sys.exit(0 if all(line.within for line in found) else 1)


if __name__ == "__main__":
    main()

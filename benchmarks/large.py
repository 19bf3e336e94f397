"""The core on large data against scikit-learn, in pairs.

Both fit and label the same samples in one process, in alternating order. One read of the
samples is timed too, and the extra memory of our fit and predict is measured. Labels must
be equal. It needs about 3 GB of memory and a minute.
"""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from measured import LABELS, MEBIBYTES, READS, Measured, in_turns, timed
from numpy.typing import NDArray
from sklearn.naive_bayes import GaussianNB as ScikitLearnGaussianNB

from gnbbench.core import GaussianNB

PAIRS = 3
MEBIBYTE = 2**20
MOST_EXTRA_MEBIBYTES = 64.0
MOST_READS = 8.0
AIMED_READS = 4.0


@dataclass(frozen=True)
class Workload:
    """A size, and the largest ratios to scikit-learn's time: threads -> (fit, predict)."""

    n_samples: int
    n_features: int
    n_classes: int
    limits: dict[int, tuple[float | None, float | None]]
    aims: tuple[float | None, float | None] = (None, None)
    most_reads: float | None = None

    def __str__(self) -> str:
        return f"{self.n_samples:,} x {self.n_features}, {self.n_classes} classes"


WORKLOADS = (
    Workload(1_000_000, 50, 10, {1: (0.12, 0.025), 2: (0.1, 0.02)}, most_reads=MOST_READS),
    Workload(1_000_000, 10, 2, {1: (0.6, 0.7)}),
    Workload(20_000, 50, 200, {1: (0.6, 0.1)}),
)
# Largest ratios of the exact solver on the first of them, and where all columns tie.
MOST_EXACT, MOST_TIED = 0.25, 0.45


def extra_mebibytes(operation: Callable[..., Any], *arguments: Any) -> float:
    """Return the rise of resident memory during an operation, without its result."""
    status, done = Path("/proc/self/status"), threading.Event()

    def resident() -> float:
        lines = status.read_text().splitlines()
        [line] = [line for line in lines if line.startswith("RssAnon")]
        return int(line.split()[1]) / 1024.0

    def watch() -> None:
        while not done.is_set():
            seen.append(resident())
            time.sleep(0.001)

    before = resident()
    seen = [before]
    watcher = threading.Thread(target=watch)
    watcher.start()
    result = operation(*arguments)
    done.set()
    watcher.join()
    return max(0.0, max(seen) - before - getattr(result, "nbytes", 0) / MEBIBYTE)


def measured() -> Iterator[Measured]:
    """Yield all figures of every workload."""
    for workload in WORKLOADS:
        yield from _measured(workload)


def _measured(workload: Workload) -> Iterator[Measured]:
    rng, work = np.random.default_rng(0), str(workload)
    y = rng.integers(0, workload.n_classes, workload.n_samples)
    X: NDArray[np.float64] = rng.normal(size=(workload.n_samples, workload.n_features))
    X += 0.5 * rng.normal(size=(workload.n_classes, workload.n_features))[y]
    read = median(timed(np.sum, X)[0] for _ in range(5))
    for n_threads, limits in workload.limits.items():
        suffix = "" if n_threads == 1 else f", {n_threads} threads"
        aims = workload.aims if n_threads == 1 else (None, None)
        ours, theirs = GaussianNB(n_jobs=n_threads), ScikitLearnGaussianNB()
        ratios, times, *_ = in_turns(PAIRS, ours.fit, theirs.fit, X, y)
        yield Measured(work, f"fit{suffix}", ratios, limit=limits[0], aim=aims[0])
        if n_threads == 1:
            reads = tuple(value / read for value in times)
            most, aim = workload.most_reads, AIMED_READS if workload.most_reads else None
            yield Measured(work, "time of fit", reads, READS, most, aim)
        ratios, _, *labels = in_turns(PAIRS, ours.predict, theirs.predict, X)
        yield Measured(work, f"predict{suffix}", ratios, limit=limits[1], aim=aims[1])
        differing = int((labels[0] != labels[1]).sum())
        yield Measured(work, f"differing labels{suffix}", (differing,), LABELS, 0)
        for what, operation in (("fit", ours.fit), ("predict", ours.predict)):
            arguments = (X, y) if what == "fit" else (X,)
            extra = extra_mebibytes(operation, *arguments)
            name = f"extra memory of {what}{suffix}"
            yield Measured(work, name, (extra,), MEBIBYTES, MOST_EXTRA_MEBIBYTES)
    if workload is WORKLOADS[0]:
        yield from _exact(work, X, y)


def _exact(work: str, X: NDArray[np.float64], y: NDArray[np.int64]) -> Iterator[Measured]:
    """Yield the cost of the exact solver, and whether it equals scikit-learn's bits."""
    ours, theirs = GaussianNB(solver="exact"), ScikitLearnGaussianNB()
    for what, limit in (("exact fit", MOST_EXACT), ("exact fit, tied columns", MOST_TIED)):
        ratios, *_ = in_turns(PAIRS, ours.fit, theirs.fit, X, y)
        yield Measured(work, what, ratios, limit=limit)
        differing = int((ours.var_ != theirs.var_).sum())
        yield Measured(work, f"differing bits of {what}", (differing,), "values", 0)
        extra = extra_mebibytes(ours.fit, X, y)
        yield Measured(
            work, f"extra memory of {what}", (extra,), MEBIBYTES, MOST_EXTRA_MEBIBYTES
        )
        X -= X.mean(axis=0)
        X /= X.std(axis=0)

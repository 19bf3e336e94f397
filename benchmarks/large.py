"""The core on large data against scikit-learn, in pairs, with BLAS on one thread.

Run it with ``make bench-large``. Both fit and label the same samples in one process, in
turns and in alternating order. It prints the ratio of the median pair beside its limit,
the time of one read of the samples, and the memory that our fit and predict added. Labels
must be equal. It exits 1 if a limit is exceeded; it is no test, because a busy machine may
exceed any limit. It needs about 3 GB of memory and a minute.
"""

import gc
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from sklearn.naive_bayes import GaussianNB as ScikitLearnGaussianNB
from threadpoolctl import threadpool_limits

from gnbbench.core import GaussianNB

PAIRS = 3
MEBIBYTE = 2**20
MOST_EXTRA_MEBIBYTES = 64.0
MOST_READS = 8.0


@dataclass(frozen=True)
class Workload:
    """A size, and the largest ratios to scikit-learn's time: threads -> (fit, predict)."""

    n_samples: int
    n_features: int
    n_classes: int
    limits: dict[int, tuple[float | None, float | None]]
    most_reads: float | None = None

    def __str__(self) -> str:
        return f"{self.n_samples:,} x {self.n_features}, {self.n_classes} classes"


WORKLOADS = (
    Workload(1_000_000, 50, 10, {1: (0.35, 0.06), 2: (0.25, 0.04)}, most_reads=MOST_READS),
    Workload(1_000_000, 10, 2, {1: (0.6, 0.8)}),
    Workload(20_000, 50, 200, {1: (0.6, 0.1)}),
)


@dataclass(frozen=True)
class Line:
    """One measured figure with its limit."""

    work: str
    what: str
    values: list[float]
    limit: float | None

    @property
    def within(self) -> bool:
        """Whether the median keeps the limit."""
        return self.limit is None or median(self.values) <= self.limit


def seconds(operation: Callable[[], Any]) -> tuple[float, Any]:
    """Return how long one call takes, and its result."""
    gc.collect()
    begin = time.perf_counter()
    result = operation()
    return time.perf_counter() - begin, result


def paired(
    ours: Callable[[], Any], theirs: Callable[[], Any]
) -> tuple[list[float], list[float], Any, Any]:
    """Return the ratios of some pairs, our times, and both results."""
    ratios, times, ours_result, theirs_result = [], [], None, None
    for pair in range(PAIRS):
        if pair % 2:
            their_seconds, theirs_result = seconds(theirs)
            our_seconds, ours_result = seconds(ours)
        else:
            our_seconds, ours_result = seconds(ours)
            their_seconds, theirs_result = seconds(theirs)
        ratios.append(our_seconds / their_seconds)
        times.append(our_seconds)
    return ratios, times, ours_result, theirs_result


def extra_mebibytes(operation: Callable[[], Any]) -> float:
    """Return how far resident memory rose during the operation, beside its result."""
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
    result = operation()
    done.set()
    watcher.join()
    return max(0.0, max(seen) - before - getattr(result, "nbytes", 0) / MEBIBYTE)


def lines(workload: Workload) -> list[Line]:
    """Return all figures of one workload."""
    rng, work = np.random.default_rng(0), str(workload)
    y = rng.integers(0, workload.n_classes, workload.n_samples)
    X: NDArray[np.float64] = rng.normal(size=(workload.n_samples, workload.n_features))
    X += 0.5 * rng.normal(size=(workload.n_classes, workload.n_features))[y]
    read = median(seconds(lambda: np.add.reduce(X, axis=None))[0] for _ in range(5))
    found = []
    for n_threads, (fit_limit, predict_limit) in workload.limits.items():
        suffix = "" if n_threads == 1 else f", {n_threads} threads"
        ours, theirs = GaussianNB(n_threads=n_threads), ScikitLearnGaussianNB()
        ratios, times, *_ = paired(lambda: ours.fit(X, y), lambda: theirs.fit(X, y))  # noqa: B023  called at once
        found.append(Line(work, f"fit{suffix}", ratios, fit_limit))
        if n_threads == 1:
            reads = [value / read for value in times]
            found.append(Line(work, "fit, in reads", reads, workload.most_reads))
        ratios, _, *labels = paired(lambda: ours.predict(X), lambda: theirs.predict(X))  # noqa: B023  called at once
        found.append(Line(work, f"predict{suffix}", ratios, predict_limit))
        differing = int((labels[0] != labels[1]).sum())
        found.append(Line(work, f"differing labels{suffix}", [differing], 0))
        for what, operation in (("fit", ours.fit), ("predict", ours.predict)):
            given = (X, y) if what == "fit" else (X,)
            extra = extra_mebibytes(lambda: operation(*given))  # noqa: B023  called at once
            name = f"extra MiB of {what}{suffix}"
            found.append(Line(work, name, [extra], MOST_EXTRA_MEBIBYTES))
    return found


def main() -> None:
    """Measure, print the table, and exit 1 if a limit is exceeded."""
    with threadpool_limits(1):
        found = [line for workload in WORKLOADS for line in lines(workload)]
    table = Table("work", "figure", "median", "range", "limit", "")
    for line in found:
        table.add_row(
            line.work,
            line.what,
            f"{median(line.values):.3f}",
            f"{min(line.values):.3f} to {max(line.values):.3f}",
            "" if line.limit is None else f"{line.limit:g}",
            "" if line.limit is None else ("ok" if line.within else "exceeded"),
        )
    Console().print(table)
    sys.exit(0 if all(line.within for line in found) else 1)


if __name__ == "__main__":
    main()

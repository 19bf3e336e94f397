"""One point of a grid of sizes: its samples, a probe of each implementation, costs."""

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.data.gaussians import gaussians
from gnbbench.implementations import Implementation
from gnbbench.implementations.adapting import fitted_model
from gnbbench.measurement import operations, predictions
from gnbbench.measurement.environment import limited_threads
from gnbbench.measurement.memory import (
    Arrays,
    operation_memory,
    resident_growth,
    traced_growth,
)
from gnbbench.measurement.rounds import Clock
from gnbbench.measurement.timing import TimingPlan

# Both kinds of prediction scale alike, so one of them is enough.
SCALED_OPERATIONS = ("fit", "predict")
# Size of first calls, in which libraries are loaded.
SMALL = (64, 3, 2)
FEWEST_OF_A_CLASS = 2
# Enough draws for two training samples of every class.
_DRAWS_A_CLASS = 40
# Arrays of the size of X at the peak: both sides, and what drawing samples or an
# implementation needs in addition.
_ARRAYS = 6
_SCORES = 3
_ITEM = 8


def scale_samples(n_samples: int, n_features: int, n_classes: int, *, seed: int) -> Arrays:
    """Return training samples, their labels, and as many other samples to predict.

    Both come from `gnbbench.data.gaussians.gaussians`, C-contiguous. A class with fewer
    than two training samples gets its first two.
    """
    n_draws = max(2 * n_samples, _DRAWS_A_CLASS * n_classes)
    drawn = gaussians(
        n_samples=n_draws, n_features=n_features, n_classes=n_classes, seed=seed
    )
    X, y = drawn.X, np.asarray(drawn.y, dtype=np.int64)
    counts = np.bincount(y[:n_samples], minlength=n_classes)
    if counts.min() >= FEWEST_OF_A_CLASS:
        return X[:n_samples], y[:n_samples], X[n_samples : 2 * n_samples]
    firsts = [np.flatnonzero(y == code)[:FEWEST_OF_A_CLASS] for code in range(n_classes)]
    needed = np.concatenate(firsts)
    rest = np.setdiff1d(np.arange(n_draws), needed)[: n_samples - len(needed)]
    train = np.union1d(needed, rest)
    others = np.setdiff1d(np.arange(n_draws), train)[:n_samples]
    return X[train], y[train], X[others]


def needed_bytes(n_samples: int, n_features: int, n_classes: int) -> int:
    """Return an estimate of the peak memory at a point of the grid.

    Six arrays of the size of X, and three tables with a score per sample and class.
    """
    return _ITEM * n_samples * (_ARRAYS * n_features + _SCORES * n_classes)


def available_bytes(
    meminfo: Path = Path("/proc/meminfo"), group: Path = Path("/sys/fs/cgroup")
) -> int | None:
    """Return the available memory, None if it is unknown."""
    known = []
    with suppress(OSError):
        lines = meminfo.read_text(encoding="ascii").splitlines()
        free = [line.split()[1] for line in lines if line.startswith("MemAvailable:")]
        known += [int(kilobytes) * 1024 for kilobytes in free]
    with suppress(OSError):
        limit, used = (
            (group / name).read_text(encoding="ascii").strip()
            for name in ("memory.max", "memory.current")
        )
        if limit.isdigit() and used.isdigit():
            known.append(int(limit) - int(used))
    return min(known, default=None)


# A first call that took less is repeated, since it was mostly overhead.
QUICK_SECONDS = 0.05


@dataclass(frozen=True, eq=False)
class Probe:
    """The first calls of one implementation at one point."""

    implementation: str
    status: str  # "ok", "error", "timeout" or "crash"
    message: str = ""  # Of the failure or the warnings
    fit_seconds: float = float("nan")  # Of one call; NaN if it failed
    predict_seconds: float = float("nan")  # Of one call; NaN if it failed
    labels: NDArray[np.intp] | None = None  # Codes of the labels of the test rows

    @property
    def seconds(self) -> float:
        """Time of one call of each operation."""
        return self.fit_seconds + self.predict_seconds


def probe(
    entry: Implementation,
    samples: Arrays,
    n_classes: int,
    *,
    threads: int = 1,
    clock: Clock = time.perf_counter_ns,
) -> Probe:
    """Return labels and rough times of an implementation, or how it failed."""
    with predictions.warnings_kept() as texts:
        try:
            with limited_threads(threads), predictions.run_errors():
                outcome = _called(entry, samples, n_classes, clock)
                if outcome.seconds < QUICK_SECONDS:
                    outcome = _called(entry, samples, n_classes, clock)
        except predictions.RunError as error:
            return Probe(entry.name, error.status, str(error))
    return replace(outcome, message=predictions.warned(" ".join(t.split()) for t in texts))


def _called(entry: Implementation, samples: Arrays, n_classes: int, clock: Clock) -> Probe:
    X_train, y_train, X_test = samples
    model = entry.make()
    start = clock()
    answer = model.fit(X_train, y_train)
    between = clock()
    model = fitted_model(model, answer)
    predicted = model.predict(X_test)
    end = clock()
    labels = predictions.codes_of(predicted, len(X_test), np.arange(n_classes))
    times = (between - start) / 1e9, (end - between) / 1e9
    return Probe(entry.name, "ok", "", *times, labels)


def disagreements(probes: Sequence[Probe], reference: str) -> dict[str, int]:
    """Return how many labels differ from the reference's, if both gave labels."""
    labels = {r.implementation: r.labels for r in probes if r.labels is not None}
    expected = labels.pop(reference, None)
    if expected is None:
        return {}
    return {n: int(np.count_nonzero(own != expected)) for n, own in labels.items()}


def time_point(
    makers: Mapping[str, Callable[[], Any]],
    sizes: tuple[int, int, int],
    seed: int,
    *,
    reference: str,
    plan: TimingPlan,
) -> operations.ImplementationTimings:
    """Time fit and predict, and one read of the samples."""
    X, y, _ = scale_samples(*SMALL, seed=seed)
    operations.load_libraries(makers, X, y)
    return operations.time_implementations(
        makers,
        *scale_samples(*sizes, seed=seed),
        reference=reference if reference in makers else None,
        plan=plan,
        operations=SCALED_OPERATIONS,
        with_read=True,
    )


def memory_peaks(
    make: Callable[[], Any], points: Sequence[tuple[int, int, int]], seed: int
) -> list[tuple[int, str, int, int | None]]:
    """Return the extra memory of fit and predict at some points, the largest last.

    A row has the place of the point, the operation, the peak of what Python and NumPy
    allocated, and the growth of the process, None if that is not measured. Call it in a
    fresh process: the resident size is measured at the last point, before the process has
    held anything large that it could reuse.
    """
    with warnings.catch_warnings(), limited_threads(1):
        warnings.simplefilter("ignore")
        for _ in range(2):  # first calls import and cache
            small = scale_samples(*SMALL, seed=seed)
            operation_memory(make, small, traced_growth, SCALED_OPERATIONS)
        last = scale_samples(*points[-1], seed=seed)
        resident = operation_memory(make, last, resident_growth, SCALED_OPERATIONS)
        peaks = []
        for place, sizes in enumerate(points):
            is_last = sizes == points[-1]
            arrays = last if is_last else scale_samples(*sizes, seed=seed)
            traced = operation_memory(make, arrays, traced_growth, SCALED_OPERATIONS)
            peaks += [
                (place, operation, used or 0, resident[operation] if is_last else None)
                for operation, used in traced.items()
            ]
    return peaks

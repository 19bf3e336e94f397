"""How much memory fit and predictions need beyond the arrays passed to them.

Measured separately from times, since tracing slows every call.
"""

import contextlib
import ctypes
import gc
import time
import tracemalloc
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from gnbbench.arrays import Array
from gnbbench.measurement.environment import limited_threads
from gnbbench.measurement.rounds import old_objects_set_aside
from gnbbench.records import OPERATIONS

# Training samples, their labels, test samples
Arrays = tuple[Array, Array, Array]

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
# Written to clear_refs, it resets the peak of the resident size.
_RESET_PEAK = b"5"

ROWS_OF_CLASS_FIRST = 20
# Another thread, such as a progress bar, may allocate meanwhile, so the least of several
# calls counts; in a long call its share is small.
REPETITIONS = 3
LONG_SECONDS = 0.1


def traced_growth(call: Callable[[], object]) -> int:
    """Return the peak of what Python and NumPy allocate during a call."""
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        call()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def resident_growth(call: Callable[[], object]) -> int | None:
    """Return how much a call makes the resident size of this process grow."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError, TypeError):  # as on Windows
        ctypes.CDLL(None).malloc_trim(0)  # freed memory must not serve as a reserve
    with contextlib.suppress(OSError):
        _CLEAR.write_bytes(_RESET_PEAK)
    before = _kilobytes("VmRSS")
    call()
    peak = _kilobytes("VmHWM")
    if before is None or peak is None:
        return None
    return max(peak - before, 0) * 1024


def _kilobytes(name: str) -> int | None:
    """Return a memory size of this process, as Linux reports it."""
    with contextlib.suppress(OSError, IndexError):
        lines = _STATUS.read_text(encoding="ascii", errors="replace").splitlines()
        return int(next(line for line in lines if line.startswith(f"{name}:")).split()[1])
    return None


def memory_use(
    name: str, make: Callable[[], Any], arrays: Arrays, *, resident: bool = False
) -> list[dict[str, Any]]:
    """Return the peak of the extra memory of each operation of an implementation.

    "traced" counts what Python and NumPy allocate, including the result; "resident" is the
    growth of the process, None if that is not measured. Imports and caches of first calls
    do not count: these are made beforehand on a few rows of each class.
    """
    X_train, y_train, _ = arrays
    by_class = [np.flatnonzero(y_train == label) for label in np.unique(y_train)]
    first = np.concatenate([rows[:ROWS_OF_CLASS_FIRST] for rows in by_class])
    with warnings.catch_warnings(), limited_threads(1), old_objects_set_aside():
        warnings.simplefilter("ignore")
        small = make().fit(X_train[first], y_train[first])
        for operation in OPERATIONS[1:]:
            if getattr(small, operation, None):
                getattr(small, operation)(X_train[first])
        # The resident size first, before this process has held anything large.
        grown = operation_memory(make, arrays, resident_growth) if resident else {}
        traced = operation_memory(make, arrays, _least_traced)
    return [
        {
            "implementation": name,
            "operation": operation,
            "traced_bytes": used or 0,
            "resident_bytes": grown.get(operation),
        }
        for operation, used in traced.items()
    ]


def operation_memory(
    make: Callable[[], Any],
    arrays: Arrays,
    measured: Callable[[Callable[[], object]], int | None],
    operations: Sequence[str] = OPERATIONS,
) -> dict[str, int | None]:
    """Measure the memory of every operation that the model offers."""
    X_train, y_train, X_test = arrays
    model = make()
    sizes = {"fit": measured(partial(model.fit, X_train, y_train))}
    for operation in operations[1:]:
        if getattr(model, operation, None):
            sizes[operation] = measured(partial(getattr(model, operation), X_test))
    return sizes


def _least_traced(call: Callable[[], object]) -> int:
    """Return the traced peak of a call, the least of several if it is short."""
    start = time.perf_counter()
    least = traced_growth(call)
    if time.perf_counter() - start < LONG_SECONDS:
        least = min(least, *(traced_growth(call) for _ in range(REPETITIONS - 1)))
    return least

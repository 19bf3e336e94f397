"""How much memory fit, predict and predict_proba need beyond the arrays they are given.

Measured in a pass of its own, never while times are taken: tracing slows every call.
"""

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from gnbbench.measurement.rounds import old_objects_set_aside
from gnbbench.measurement.scale_memory import resident_growth, traced_growth
from gnbbench.records import OPERATIONS

Arrays = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]

ROWS_OF_CLASS_FIRST = 20
# Another thread (a progress bar) may allocate meanwhile, so that the least of some counts;
# in a longer call its share is small.
REPETITIONS = 3
LONG_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """Peak of the extra memory of one operation."""

    implementation: str
    operation: str  # One of `gnbbench.records.OPERATIONS`
    traced_bytes: int  # What Python and NumPy allocated, its result included
    # Growth of the process's resident size, whoever allocated; None where not measured
    resident_bytes: int | None


def memory_use(
    name: str, make: Callable[[], Any], arrays: Arrays, *, resident: bool = False
) -> list[MemoryUse]:
    """Return the memory that each operation of an implementation takes.

    What its very first calls import and keep does not count: they are made on a few rows
    of each class beforehand.
    """
    X_train, y_train, _ = arrays
    first = _some_of_each_class(y_train)
    with warnings.catch_warnings(), threadpool_limits(limits=1), old_objects_set_aside():
        warnings.simplefilter("ignore")
        small = make().fit(X_train[first], y_train[first])
        for operation in OPERATIONS[1:]:
            if hasattr(small, operation):
                getattr(small, operation)(X_train[first])
        # The resident size first, while nothing of size has been done here.
        grown = _each(make, arrays, resident_growth) if resident else {}
        traced = _each(make, arrays, _least_traced)
    return [
        MemoryUse(name, operation, used or 0, grown.get(operation))
        for operation, used in traced.items()
    ]


def _some_of_each_class(y: NDArray[Any]) -> NDArray[np.intp]:
    return np.concatenate(
        [np.flatnonzero(y == label)[:ROWS_OF_CLASS_FIRST] for label in np.unique(y)]
    )


def _each(
    make: Callable[[], Any],
    arrays: Arrays,
    measured: Callable[[Callable[[], object]], int | None],
) -> dict[str, int | None]:
    """Return what is measured of every operation that is offered."""
    X_train, y_train, X_test = arrays
    model = make()
    found = {"fit": measured(partial(model.fit, X_train, y_train))}
    for operation in OPERATIONS[1:]:
        if hasattr(model, operation):
            found[operation] = measured(partial(getattr(model, operation), X_test))
    return found


def _least_traced(call: Callable[[], object]) -> int:
    """Return the traced peak of a call, the least of some where it is short."""
    start = time.perf_counter()
    least = traced_growth(call)
    if time.perf_counter() - start < LONG_SECONDS:
        least = min(least, *(traced_growth(call) for _ in range(REPETITIONS - 1)))
    return least

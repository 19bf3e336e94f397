"""Peak memory of fit and predict beyond the arrays they are given."""

import contextlib
import ctypes
import gc
import tracemalloc
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from gnbbench.measurement.scale_samples import ScaleSamples, scale_samples

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
# Written to clear_refs, it sets the peak of the resident size to what it is now.
_RESET_PEAK = "5"
_SMALL = (64, 3, 2)


@dataclass(frozen=True, slots=True)
class Peak:
    """Extra memory of one operation at one point."""

    sizes: tuple[int, int, int]  # Samples, features, classes
    operation: str
    traced_bytes: int  # Peak of what Python and NumPy allocated, beyond what there was
    # Growth of the process's resident size to its peak; None where not measured
    resident_bytes: int | None


def memory_peaks(
    make: Callable[[], Any], points: Sequence[tuple[int, int, int]], seed: int
) -> list[Peak]:
    """Return the extra memory of fit and predict at some points, the largest last.

    To be called in a fresh process. The resident size is measured at the last point, before
    anything else of size was done: memory that a process has given back may be handed out
    again without its growing.
    """
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore")
        for _ in range(2):  # what is imported and cached at the first calls is no cost
            _steps(make, scale_samples(*_SMALL, seed=seed), _ignored)
        last = scale_samples(*points[-1], seed=seed)
        resident = _steps(make, last, resident_growth)
        found = []
        for sizes in points:
            samples = last if sizes == points[-1] else scale_samples(*sizes, seed=seed)
            traced = _steps(make, samples, traced_growth)
            found += [
                Peak(
                    sizes,
                    operation,
                    traced[operation] or 0,
                    resident[operation] if sizes == points[-1] else None,
                )
                for operation in traced
            ]
    return found


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
    """Return by how much a call makes the resident size of this process grow."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)  # what was given back is no reserve now
    with contextlib.suppress(OSError):
        _CLEAR.write_text(_RESET_PEAK, encoding="ascii")
    before = _kilobytes("VmRSS")
    call()
    peak = _kilobytes("VmHWM")
    if before is None or peak is None:
        return None
    return max(peak - before, 0) * 1024


def _steps(
    make: Callable[[], Any],
    samples: ScaleSamples,
    measured: Callable[[Callable[[], object]], int | None],
) -> dict[str, int | None]:
    """Return what is measured of a fit and of a prediction after it."""
    model = make()
    fit = measured(partial(model.fit, samples.X_train, samples.y_train))
    predict = measured(partial(model.predict, samples.X_test))
    return {"fit": fit, "predict": predict}


def _ignored(call: Callable[[], object]) -> None:
    call()


def _kilobytes(name: str) -> int | None:
    """Return a size of this process as Linux keeps it."""
    with contextlib.suppress(OSError, IndexError):
        lines = _STATUS.read_text(encoding="ascii", errors="replace").splitlines()
        return int(next(line for line in lines if line.startswith(f"{name}:")).split()[1])
    return None

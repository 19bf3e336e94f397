"""A first look at one point of a grid: are labels equal, and how long does a call take."""

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from gnbbench.implementations import Implementation
from gnbbench.measurement.predictions import codes_of
from gnbbench.measurement.rounds import Clock
from gnbbench.measurement.scale_samples import ScaleSamples
from gnbbench.processes.failures import CallFailure

# A first call that was quicker is repeated: much of it is what first calls cost.
QUICK_SECONDS = 0.05


@dataclass(frozen=True, eq=False)
class Look:
    """What one implementation did at one point."""

    implementation: str
    status: str  # "ok", "error", "timeout" or "crash"
    message: str = ""  # What went wrong, or what was warned of
    fit_seconds: float = float("nan")  # Of one call; NaN where it failed
    predict_seconds: float = float("nan")  # Of one call; NaN where it failed
    labels: NDArray[np.intp] | None = None  # Codes of the labels of the test rows

    @property
    def seconds(self) -> float:
        """Time of one call of each operation."""
        return self.fit_seconds + self.predict_seconds

    def disagreements(self, other: "Look") -> int | None:
        """Return the number of rows with other labels, None where one gave none."""
        if self.labels is None or other.labels is None:
            return None
        return int(np.count_nonzero(self.labels != other.labels))


def look(
    entry: Implementation,
    samples: ScaleSamples,
    n_classes: int,
    *,
    threads: int = 1,
    clock: Clock = time.perf_counter_ns,
) -> Look:
    """Return labels and rough times of an implementation, or how it failed."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with threadpool_limits(limits=threads):
                found = _called(entry, samples, n_classes, clock)
                if found.seconds < QUICK_SECONDS:
                    found = _called(entry, samples, n_classes, clock)
        except CallFailure as failure:
            return Look(entry.name, failure.status, str(failure))
        except Exception as error:  # noqa: BLE001  foreign code may raise anything
            return Look(entry.name, "error", f"{type(error).__name__}: {error}")
    texts = dict.fromkeys(" ".join(str(one.message).split()) for one in caught)
    if not texts:
        return found
    return Look(
        found.implementation,
        found.status,
        "warned: " + "; ".join(texts),
        found.fit_seconds,
        found.predict_seconds,
        found.labels,
    )


def _called(
    entry: Implementation, samples: ScaleSamples, n_classes: int, clock: Clock
) -> Look:
    model = entry.make()
    start = clock()
    fitted = model.fit(samples.X_train, samples.y_train)
    between = clock()
    model = model if fitted is None else fitted
    given = model.predict(samples.X_test)
    end = clock()
    labels = codes_of(given, len(samples.X_test), np.arange(n_classes))
    times = (between - start) / 1e9, (end - between) / 1e9
    return Look(entry.name, "ok", "", *times, labels)


def disagreements(looks: Sequence[Look]) -> dict[str, int | None]:
    """Return how many labels of each differ from those of the first."""
    reference, *others = looks
    return {one.implementation: one.disagreements(reference) for one in others}

"""Memory of operations, told by allocations that are known."""

import tracemalloc
from typing import Any

import numpy as np
import pytest

from gnbbench.measurement.memory import memory_use

X = np.zeros((400, 3))
Y = np.arange(400) % 2
MEGABYTE = 10**6


class Hungry:
    """Takes 2 MB to fit, 1 MB to predict, 9 MB once, and offers no probabilities."""

    kept: Any = None

    def fit(self, X: Any, y: Any) -> "Hungry":
        assert len(X) == len(y)
        if Hungry.kept is None:
            Hungry.kept = bytearray(9 * MEGABYTE)
        bytearray(2 * MEGABYTE)
        return self

    def predict(self, X: Any) -> Any:
        bytearray(MEGABYTE)
        return np.zeros(len(X))


def test_peaks_are_those_of_the_calls_and_not_of_the_first_ones() -> None:
    Hungry.kept = None

    used = {one.operation: one for one in memory_use("hungry", Hungry, (X, Y, X))}

    assert set(used) == {"fit", "predict"}
    assert 2.0 <= used["fit"].traced_bytes / MEGABYTE < 2.1
    assert 1.0 <= used["predict"].traced_bytes / MEGABYTE < 1.1
    assert used["fit"].resident_bytes is None
    assert not tracemalloc.is_tracing()


def test_a_disturbance_by_others_does_not_count() -> None:
    """Negative control of the repetition: a single call would be charged with it."""

    class Disturbed(Hungry):
        calls = 0

        def fit(self, X: Any, y: Any) -> "Hungry":
            Disturbed.calls += 1
            if Disturbed.calls == 2:
                bytearray(7 * MEGABYTE)
            return super().fit(X, y)

    used = memory_use("disturbed", Disturbed, (X, Y, X))[0]

    assert Disturbed.calls > 2
    assert used.traced_bytes < 2.1 * MEGABYTE


def test_who_raises_raises() -> None:
    class Broken(Hungry):
        def fit(self, X: Any, y: Any) -> "Hungry":
            raise ValueError(f"no: {len(X)} and {len(y)}")

    with pytest.raises(ValueError, match="no"):
        memory_use("broken", Broken, (X, Y, X))
    assert not tracemalloc.is_tracing()

"""Memory of operations whose appetite is known."""

import math
import sys
import tracemalloc
from functools import partial
from typing import Any

import numpy as np
import pytest

from gnbbench.measurement.memory import memory_use, resident_growth
from gnbbench.measurement.rounds import old_objects_set_aside
from gnbbench.measurement.scale import memory_peaks
from gnbbench.processes.client import in_fresh_process
from gnbbench.processes.messages import payload

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


def test_peaks_equal_those_of_the_calls_and_not_of_the_first_ones() -> None:
    Hungry.kept = None

    used = {row["operation"]: row for row in memory_use("hungry", Hungry, (X, Y, X))}

    assert set(used) == {"fit", "predict"}
    assert 2.0 <= used["fit"]["traced_bytes"] / MEGABYTE < 2.1
    assert 1.0 <= used["predict"]["traced_bytes"] / MEGABYTE < 1.1
    assert used["fit"]["resident_bytes"] is None
    assert not tracemalloc.is_tracing()


def test_a_disturbance_by_others_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control of the repetition: a single call would be charged with it."""
    # On a busy machine even this call may take long.
    monkeypatch.setattr("gnbbench.measurement.memory.LONG_SECONDS", math.inf)

    class Disturbed(Hungry):
        calls = 0

        def fit(self, X: Any, y: Any) -> "Hungry":
            Disturbed.calls += 1
            if Disturbed.calls == 2:
                bytearray(7 * MEGABYTE)
            return super().fit(X, y)

    used = memory_use("disturbed", Disturbed, (X, Y, X))[0]

    assert Disturbed.calls > 2
    assert used["traced_bytes"] < 2.1 * MEGABYTE


MEGA = 2**20
ONLY_LINUX = pytest.mark.skipif(
    sys.platform != "linux", reason="the resident size is read from /proc"
)


class Copies:
    """Makes a number of copies of X in fit, and none in predict."""

    copies = 3

    def fit(self, X: Any, y: Any) -> "Copies":  # noqa: ARG002
        held = [X.copy() for _ in range(self.copies)]
        self.kept_ = sum(float(one[0, 0]) for one in held)
        return self

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X), dtype=np.int8)


class CopiesTwice(Copies):
    """Makes one copy fewer."""

    copies = 2


@pytest.mark.slow
def test_allocations_are_multiples_of_x() -> None:
    points = [(2000, 8, 2), (20_000, 8, 2)]

    with old_objects_set_aside():  # Of a process that has run other tests
        peaks = memory_peaks(Copies, points, seed=0)
        fewer = memory_peaks(CopiesTwice, points, seed=0)

    for (place, operation, one, _), (*_, other, _) in zip(peaks, fewer, strict=True):
        x_bytes = 8 * points[place][0] * points[place][1]
        expected = (3.0, 2.0) if operation == "fit" else (0.0, 0.0)
        found = one / x_bytes, other / x_bytes
        assert found == pytest.approx(expected, abs=0.1)


@ONLY_LINUX
@pytest.mark.slow
def test_a_fresh_process_grows_by_what_it_takes() -> None:
    takes = payload(partial(np.ones, 8 * MEGA))

    grown = in_fresh_process(resident_growth, takes, seconds=60.0)

    assert grown is not None
    assert 63 * MEGA <= grown <= 80 * MEGA

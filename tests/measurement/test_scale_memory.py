"""Memory of models whose appetite is known."""

import sys
from functools import partial
from typing import Any

import numpy as np
import pytest

from gnbbench.measurement.memory import (
    memory_peaks,
    resident_growth,
    traced_growth,
)
from gnbbench.processes.client import in_fresh_process
from gnbbench.processes.payloads import payload

MEGA = 2**20
ONLY_LINUX = pytest.mark.skipif(
    sys.platform != "linux", reason="the resident size is read from /proc"
)


class Copies:
    """Makes so many copies of X in fit, and none in predict."""

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


def test_allocations_are_multiples_of_x() -> None:
    points = [(2000, 8, 2), (20_000, 8, 2)]

    peaks = memory_peaks(Copies, points, seed=0)
    fewer = memory_peaks(CopiesTwice, points, seed=0)

    for one, other in zip(peaks, fewer, strict=True):
        x_bytes = 8 * one.sizes[0] * one.sizes[1]
        expected = (3.0, 2.0) if one.operation == "fit" else (0.0, 0.0)
        found = one.traced_bytes / x_bytes, other.traced_bytes / x_bytes
        assert found == pytest.approx(expected, abs=0.1)


def test_the_largest_point_alone_has_a_resident_size() -> None:
    peaks = memory_peaks(Copies, [(100, 2, 2), (200, 2, 2)], seed=0)

    assert [one.resident_bytes is None for one in peaks[:2]] == [True, True]
    assert [one.sizes[0] for one in peaks] == [100, 100, 200, 200]


def test_traced_growth_leaves_out_what_was_there() -> None:
    there = bytearray(5 * MEGA)

    grown = traced_growth(lambda: bytearray(MEGA))

    assert MEGA <= grown < 1.1 * MEGA
    assert len(there) == 5 * MEGA


@ONLY_LINUX
@pytest.mark.slow
def test_a_fresh_process_grows_by_what_it_takes() -> None:
    takes = payload(partial(np.ones, 8 * MEGA))

    grown = in_fresh_process(resident_growth, takes, seconds=60.0)

    assert grown is not None
    assert 63 * MEGA <= grown <= 80 * MEGA

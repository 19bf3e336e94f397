"""Fit, predict and one read of X are timed in the same rounds."""

from typing import Any

import numpy as np

from gnbbench.core import GaussianNB
from gnbbench.measurement.scale import time_point
from gnbbench.measurement.timing import TimingPlan
from gnbbench.records import NULL_COMPETITOR, READ_COMPETITOR

SIZES = (64, 3, 2)


class Fails(GaussianNB):
    """Cannot predict."""

    def predict(self, X: Any) -> Any:  # noqa: ARG002
        raise RuntimeError("no")


class NeverFits(GaussianNB):
    """Cannot fit."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:  # noqa: ARG002
        raise MemoryError("no room")


def test_the_read_and_the_null_competitor_take_part() -> None:
    found = time_point(
        {"a": GaussianNB, "b": GaussianNB},
        SIZES,
        0,
        reference="a",
        plan=TimingPlan(rounds=4),
    )

    assert list(found.operations) == ["fit", "predict"]
    for timed in found.operations.values():
        assert timed.names == ("a", "b", READ_COMPETITOR, NULL_COMPETITOR)
        assert timed.seconds.shape == (4, 4)
        medians = np.median(timed.seconds, axis=0)
        assert medians[2] == medians.min()
    assert found.skipped == {}


def test_one_that_fails_leaves_the_others_their_times() -> None:
    makers = {"a": GaussianNB, "fails": Fails, "never": NeverFits}

    found = time_point(makers, SIZES, 0, reference="a", plan=TimingPlan(rounds=2))

    assert found.skipped == {
        "fails": "predict raised RuntimeError: no",
        "never": "fit raised MemoryError: no room",
    }
    assert set(found.operations["fit"].names) >= {"a", "fails"}
    assert "fails" not in found.operations["predict"].names
    assert "never" not in found.operations["fit"].names


def test_without_the_reference_there_is_no_null_competitor() -> None:
    found = time_point(
        {"b": GaussianNB}, SIZES, 0, reference="a", plan=TimingPlan(rounds=2)
    )

    assert NULL_COMPETITOR not in found.operations["fit"].names


def test_nobody_left_is_no_operation() -> None:
    found = time_point(
        {"never": NeverFits}, SIZES, 0, reference="never", plan=TimingPlan(rounds=2)
    )

    assert found.operations == {}

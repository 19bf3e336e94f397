"""Times of fit, in few rounds."""

import pytest

from gnbbench.claims.claim import Reading
from gnbbench.claims.measurements import FitTimes
from gnbbench.measurement.timing import TimingPlan

READING = Reading("times", "iris", test_size=0.3, random_state=42, stratify=True)


@pytest.fixture(scope="module")
def times() -> FitTimes:
    return FitTimes(TimingPlan(rounds=8))


def test_a_ratio_lies_within_its_interval(times: FitTimes) -> None:
    found = times.ratio(READING, "study-a")

    assert 0 < found.low <= found.value <= found.high
    assert "sklearn against itself" in found.message


def test_a_time_has_a_spread_and_the_calls_behind_it(times: FitTimes) -> None:
    found = times.seconds(READING, "study-a")

    assert 0 < found.low <= found.high
    assert found.spread >= 0
    assert "calls" in found.message


def test_both_sides_of_a_ratio_were_timed_together(times: FitTimes) -> None:
    times.ratio(READING, "study-a")

    assert (
        times.seconds(READING, "sklearn").message.split(",")[0]
        == (times.seconds(READING, "study-a").message.split(",")[0])
    )

"""Times of competitors under the same conditions, and when there are enough."""

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from faults.clocks import MICROSECOND, MILLISECOND, SECOND, FakeClock
from numpy.typing import NDArray
from scipy.stats import binom
from threadpoolctl import threadpool_info, threadpool_limits

from gnbbench.measurement import timing
from gnbbench.measurement.timing import PrecisionWatch, TimingPlan, half_width, measure
from gnbbench.records import NULL_COMPETITOR
from gnbbench.sign_test import interval_rank
from gnbbench.statistics.intervals import paired_ratio


def measured(
    durations: dict[str, int], plan: TimingPlan, reference: Any = None
) -> timing.Timings:
    clock = FakeClock()
    calls = {name: clock.prepared(duration) for name, duration in durations.items()}
    return measure(calls, plan, reference=reference, clock=clock)


def test_the_reference_takes_part_a_second_time() -> None:
    durations = {"a": 30 * MICROSECOND, "b": 50 * MICROSECOND}

    measurement = measured(durations, TimingPlan(rounds=6), reference="a")

    assert measurement.names == ("a", "b", NULL_COMPETITOR)
    np.testing.assert_allclose(measurement.seconds[:, 2], 30e-6)
    assert set(measurement.cold_seconds) == {"a", "b"}


def test_orders_are_those_in_which_the_calls_came() -> None:
    clock, calls = FakeClock(), []

    def call(name: str) -> None:
        calls.append(name)
        clock.take(MILLISECOND)

    plan = TimingPlan(rounds=6)
    prepared = {name: partial(partial, call, name) for name in "abc"}
    measurement = measure(prepared, plan, clock=clock)

    # Each timed call comes after an untimed one.
    timed = np.reshape(calls[-36::2], (6, 3))
    assert calls[-36::2] == calls[-35::2]
    np.testing.assert_array_equal(np.array(measurement.names)[measurement.orders], timed)


def test_the_first_call_is_reported_apart() -> None:
    clock = FakeClock()
    durations = iter([SECOND] + [MILLISECOND] * 100)

    preparations = {"a": lambda: partial(clock.take, next(durations))}
    measurement = measure(preparations, TimingPlan(rounds=6), clock=clock)

    assert measurement.cold_seconds == {"a": 1.0}
    np.testing.assert_allclose(measurement.seconds, 1e-3)


@pytest.mark.parametrize(
    ("duration", "n_competitors", "n_rounds"),
    [
        (30 * MICROSECOND, 3, 204),
        (30 * MICROSECOND, 4, 200),
        (10 * MILLISECOND, 2, 24),
        (30 * MILLISECOND, 2, 20),
        (SECOND, 2, 6),
        (SECOND, 4, 8),
    ],
)
def test_rounds_follow_the_budget(duration: int, n_competitors: int, n_rounds: int) -> None:
    durations = {f"{i}": duration for i in range(n_competitors)}

    measurement = measured(durations, TimingPlan(budget_seconds=1.0))

    assert len(measurement.seconds) == n_rounds


@pytest.mark.parametrize("duration", [10**5, 10**6, 10**7, 5 * 10**7, 10**8, 10**9])
def test_time_is_bounded_by_three_budgets_and_the_fewest_rounds(duration: int) -> None:
    budget, block, n = 0.5, 6, 3
    durations = {f"{i}": duration for i in range(n)}

    measurement = measured(durations, TimingPlan(budget_seconds=budget))

    one_block = 2 * block * n * duration / SECOND
    most = max(3 * budget, 3 * n * duration / SECOND)  # Cold calls and calibration
    assert measurement.spent_seconds <= most + one_block + 1e-9


def test_a_given_number_of_rounds_is_rounded_up_to_whole_blocks() -> None:
    durations = {"a": SECOND, "b": SECOND, "c": SECOND}

    measurement = measured(durations, TimingPlan(rounds=7, budget_seconds=0.1))

    assert len(measurement.seconds) == 12
    assert measurement.warnings() == measured(durations, TimingPlan(rounds=12)).warnings()


def test_too_few_rounds_for_lack_of_time_are_reported() -> None:
    slow = measured({"a": SECOND}, TimingPlan(budget_seconds=0.5))
    quick = measured({"a": MILLISECOND}, TimingPlan(budget_seconds=0.5))

    assert any(text.startswith("only 6 rounds were timed") for text in slow.warnings())
    assert not any("rounds were timed" in text for text in quick.warnings())


@pytest.mark.parametrize(("slow", "count"), [(MILLISECOND, 128), (20 * MICROSECOND, 256)])
def test_fast_code_does_not_multiply_the_time_of_slow_code(slow: int, count: int) -> None:
    """The 256 calls that a timing of 100 ns takes would be six times the budget."""
    plan = TimingPlan(budget_seconds=0.33)

    measurement = measured({"constant": 100, "slow": slow}, plan)

    assert measurement.inner_count == count
    assert measurement.spent_seconds < 4 * plan.budget_seconds
    assert ("lasted" in str(measurement.warnings())) == (count < 100)


def test_timings_too_short_for_the_clock_are_reported() -> None:
    measurement = measured({"a": 100, "b": 20 * MILLISECOND}, TimingPlan(0.33))

    assert measurement.inner_count == 4
    assert "shortest timings lasted 0.4 µs" in measurement.warnings()[1]


def test_threads_are_limited_within_and_as_before_afterwards() -> None:
    seen: list[int] = []

    def call() -> None:
        seen.extend(pool["num_threads"] for pool in threadpool_info())

    with threadpool_limits(limits=2):
        measurement = measure({"a": lambda: call}, TimingPlan(rounds=1))
        afterwards = {pool["num_threads"] for pool in threadpool_info()}

    assert set(seen) == {1}
    assert afterwards == {2}
    assert {pool["threads"] for pool in measurement.pools_after} == {1}


def test_threads_beyond_the_limit_are_reported() -> None:
    quiet = measured({"a": MILLISECOND}, TimingPlan(rounds=6))
    pool = {"library": "openmp", "version": None, "threads": 8}

    loud = replace(quiet, pools_after=[pool]).warnings()

    assert "openmp ran 8 threads despite the limit of 1." in loud
    assert not any("in spite of" in text for text in quiet.warnings())


def test_a_plan_says_what_it_does_and_survives_json() -> None:
    plan = TimingPlan(threads=4, seed=9)

    assert plan.sentence().startswith("Warm: one untimed call")
    assert "(seed 9), limited to 4 threads" in plan.sentence()
    assert TimingPlan(**json.loads(json.dumps(asdict(plan)))) == plan
    precise = TimingPlan(budget_seconds=30.0, precision=0.005).sentence()
    assert "until every interval was within ±0.5 % of its ratio" in precise
    assert "or 30 s were spent on all." in precise


@pytest.mark.slow
def test_rounds_go_on_until_the_precision_is_reached() -> None:
    rng = np.random.default_rng(0)
    clock = FakeClock()

    def noisy() -> None:
        clock.take(int(MILLISECOND * np.exp(rng.normal(scale=0.05))))

    plans = [TimingPlan(budget_seconds=300.0, precision=p) for p in (0.02, 0.01, 0.005)]
    calls = {"a": lambda: noisy, "b": lambda: noisy}
    found = [measure(calls, plan, reference="a", clock=clock) for plan in plans]

    rounds = [len(one.seconds) for one in found]
    assert rounds == sorted(set(rounds))
    assert rounds[-1] > 200
    for one, plan in zip(found, plans, strict=True):
        d = np.log(one.seconds[:, 1:]) - np.log(one.seconds[:, :1])
        assert one.is_precise
        assert half_width(d, 0.95) <= (plan.precision or 0.0)


def test_a_precision_that_cannot_be_had_ends_with_the_budget() -> None:
    rng = np.random.default_rng(0)
    clock = FakeClock()

    def noisy() -> None:
        clock.take(int(10 * MILLISECOND * rng.uniform(1.0, 3.0)))

    plan = TimingPlan(budget_seconds=5.0, precision=0.0001)
    calls = {"a": lambda: noisy, "b": lambda: noisy}
    measurement = measure(calls, plan, reference="a", clock=clock)

    assert measurement.is_precise is False
    assert 5.0 <= measurement.spent_seconds < 6.0


@pytest.mark.parametrize(
    ("spread", "bound", "spent"), [(0.0, 2.0, 0.5), (2.0, 2.0, 2.0), (2.0, None, 0.5)]
)
def test_noise_prolongs_rounds(spread: float, bound: float | None, spent: float) -> None:
    rng, clock = np.random.default_rng(0), FakeClock()

    def call() -> None:
        clock.take(int(MILLISECOND * np.exp(rng.normal(scale=spread) - spread**2 / 2)))

    plan = TimingPlan(budget_seconds=0.5, noisy_budget_seconds=bound)
    calls = {"a": lambda: call, "b": lambda: call}
    measurement = measure(calls, plan, reference="a", clock=clock)

    assert spent <= measurement.spent_seconds <= 1.5 * spent
    assert measurement.is_precise is None
    words = "a difference of 20 %, rounds were run, for up to 2 s in all."
    assert (words in plan.sentence()) == (bound is not None)


Draw = Callable[[np.random.Generator, int], NDArray[np.float64]]

NOISES: dict[str, Draw] = {
    "normal": lambda rng, n: 0.05 * rng.normal(size=n),
    "heavy tails": lambda rng, n: 0.03 * rng.standard_t(2, size=n),
    "skewed": lambda rng, n: 0.05 * (rng.exponential(size=n) - np.log(2.0)),
}
N_SIMULATIONS = 600
MOST = 600


@pytest.mark.parametrize("level", [0.95, 0.975, 0.99])
@pytest.mark.parametrize("n", [6, 8, 20, 51, 200, 1000, 5000])
def test_widths_equal_those_of_the_reported_intervals(n: int, level: float) -> None:
    d = np.random.default_rng(n).normal(size=n)

    ratio = paired_ratio(d, level)

    expected = (np.log(ratio.high) - np.log(ratio.low)) / 2
    if np.isnan(expected):
        assert half_width(d[:, None], level) == float("inf")
    else:
        assert half_width(d[:, None], level) == pytest.approx(expected)


@pytest.mark.parametrize("n", [6, 7, 20, 99, 1000])
def test_a_rank_is_the_largest_that_keeps_the_level(n: int) -> None:
    rank = interval_rank(n, 0.95)

    assert binom.cdf(rank - 1, n, 0.5) <= 0.025 < binom.cdf(rank, n, 0.5)


def test_looks_are_a_quarter_apart() -> None:
    watch = PrecisionWatch(0.01, 1)

    due = [n for n in range(1, 100) if watch.is_due(n) and not watch.look(noise(n), 0)]

    assert due == [20, 25, 32, 40, 50, 63, 79, 99]


def noise(n: int) -> NDArray[np.float64]:
    return np.exp(np.random.default_rng(n).normal(size=(n, 2)))


def coverage(draw: Draw, precision: float, stop: Callable[..., int]) -> float:
    """Return how often the interval at the stop holds the true median, 0."""
    hits = 0
    for seed in range(N_SIMULATIONS):
        d = draw(np.random.default_rng(seed), MOST)
        n = stop(d, precision)
        low, high = ends(d[:n])
        hits += low <= 0.0 <= high
    return hits / N_SIMULATIONS


def ends(d: NDArray[np.float64]) -> tuple[float, float]:
    ordered, rank = np.sort(d), interval_rank(len(d), 0.95)
    return float(ordered[rank - 1]), float(ordered[len(d) - rank])


def watched(d: NDArray[np.float64], precision: float) -> int:
    """Return after how many rounds, in whole blocks of two, the watch stops."""
    watch = PrecisionWatch(precision, 1)
    for n in range(2, len(d), 2):
        times = np.exp(np.column_stack([np.zeros(n), d[:n]])) if watch.is_due(n) else None
        if times is not None and watch.look(times, 0):
            return n
    return len(d)


def tempted(d: NDArray[np.float64], precision: float) -> int:
    """Return the number of rounds at which a stopping rule sees a difference."""
    for n in range(20, len(d), 2):
        low, high = ends(d[:n])
        if (high - low) / 2 <= precision or not low <= 0.0 <= high:
            return n
    return len(d)


@pytest.mark.parametrize("name", NOISES)
def test_intervals_hold_nearly_as_often_as_they_say(name: str) -> None:
    assert coverage(NOISES[name], 0.012, watched) >= 0.925


def test_stopping_at_the_first_difference_covers_far_less() -> None:
    """Negative control: a rule that looks at positions."""
    assert coverage(NOISES["normal"], 0.012, tempted) <= 0.87

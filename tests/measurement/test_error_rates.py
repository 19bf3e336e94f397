"""How often timing calls equals different and misses a difference, on simulated machines.

The whole way is taken: measure, pair, noise floor, verdict in words. The clock moves only
when a call takes time, so that nothing here depends on the speed of the machine.
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from gnbbench.measurement import timing as timing_module
from gnbbench.measurement.operations import process_timings
from gnbbench.measurement.timing import TimingPlan, measure
from gnbbench.records import NULL_COMPETITOR, TABLES
from gnbbench.statistics.timing import PROCESS_SPREAD, summarize_timings

N_SIMULATIONS = 100
N_ROUNDS = 60
NANOSECONDS = 40_000.0


@dataclass(frozen=True)
class Machine:
    """What slows a simulated machine, call by call.

    Parameters
    ----------
    wander : float
        Spread of a slow factor; each call's is correlated 0.99 with the last one's.
    heat : float
        Growth of the time by each call made.
    stumbles : float
        Share of calls that are held up, 2 to 20 times as long.
    """

    wander: float = 0.1
    heat: float = 0.0002
    stumbles: float = 0.01


ALL_OF_THEM = Machine()
DRIFT = Machine(wander=0.0, heat=0.001, stumbles=0.0)
AUTOCORRELATION = Machine(wander=0.15, heat=0.0, stumbles=0.0)


class Simulation:
    """One stretch of time on a machine: a clock, and calls that move it."""

    def __init__(self, machine: Machine, seed: int, n_calls: int = 1000) -> None:
        rng = np.random.default_rng(seed)
        innovations = machine.wander * np.sqrt(1 - 0.99**2) * rng.normal(size=n_calls)
        level, wander = machine.wander * rng.normal(), []
        for innovation in innovations.tolist():
            level = 0.99 * level + innovation
            wander.append(level)
        noise = 0.02 * rng.normal(size=n_calls) + machine.heat * np.arange(n_calls)
        is_held_up = rng.random(n_calls) < machine.stumbles
        held_up = np.where(is_held_up, rng.uniform(2, 20, n_calls), 1.0)
        factors = np.exp(np.array(wander) + noise) * held_up
        self._factors = iter(factors.tolist())
        self._now = 0.0

    def clock(self) -> int:
        self._now += 40.0
        return int(self._now)

    def call(self, slower_by: float = 0.0) -> Callable[[], None]:
        return partial(self._take, NANOSECONDS * (1.0 + slower_by))

    def _take(self, nanoseconds: float) -> None:
        self._now += nanoseconds * next(self._factors)


@pytest.fixture(autouse=True)
def _cheap_measurements(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spare every simulation a look at the libraries and a collection of the heap."""
    monkeypatch.setattr(timing_module, "thread_pools", list)
    monkeypatch.setattr(timing_module, "limited_threads", lambda _: nullcontext())
    monkeypatch.setattr(timing_module, "steal_seconds", lambda: None)
    monkeypatch.setattr(gc, "collect", lambda: 0)


def verdict(machine: Machine, seed: int, slower_by: float) -> str:
    """Return what the report would say of one of two, the other being the reference."""
    return verdict_of(TimingPlan(rounds=N_ROUNDS, seed=seed), machine, slower_by)


def verdict_of(plan: TimingPlan, machine: Machine, slower_by: float) -> str:
    simulation = Simulation(machine, plan.seed, n_calls=1000 if plan.rounds else 12_000)
    slower = {"reference": 0.0, "other": slower_by}
    calls = {name: partial(simulation.call, by) for name, by in slower.items()}
    timed = measure(calls, plan, reference="reference", clock=simulation.clock)
    rows = process_timings({"fit": timed}, {}, plan).rows
    return said(pd.DataFrame(rows, columns=list(TABLES["timings"])))


def one_after_the_other(machine: Machine, seed: int, slower_by: float) -> str:
    """Return what the same statistics say of loops around each in turn."""
    simulation = Simulation(machine, seed)
    calls = {
        "reference": simulation.call(),
        "other": simulation.call(slower_by),
        NULL_COMPETITOR: simulation.call(),
    }
    rows = []
    for name, call in calls.items():
        for place in range(N_ROUNDS):
            call()  # untimed, as in every round
            start = simulation.clock()
            call()
            rows.append(("fit", name, place, 0, (simulation.clock() - start) / 1e9))
    return said(pd.DataFrame(rows, columns=list(TABLES["timings"])))


def said(timings: pd.DataFrame) -> str:
    notes = {"regime": "", "warnings": [], "skipped": {}, "cold_seconds": {}}
    summary = summarize_timings(timings, notes, ["reference", "other"])
    return str(summary.tables["ratios"]["speed"].item())


def share(
    wanted: set[str], judge: Callable[..., str], machine: Machine, slower_by: float, n: int
) -> float:
    """Return the fraction of n simulations with one of these words."""
    words = [judge(machine, seed, slower_by) for seed in range(n)]
    return sum(word in wanted for word in words) / n


@pytest.mark.slow
def test_two_that_are_equal_are_called_different_in_at_most_a_tenth() -> None:
    wrong = share({"faster", "slower"}, verdict, ALL_OF_THEM, 0.0, N_SIMULATIONS)

    assert wrong <= 0.1


def in_one_process(machine: Machine, seed: int, slower_by: float) -> str:
    """Return the verdict if one process makes one of two slower or faster."""
    by_process = np.random.default_rng(seed).normal(scale=PROCESS_SPREAD)
    return verdict(machine, seed, np.expm1(np.log1p(slower_by) + by_process))


QUIET = Machine(wander=0.02, heat=0.0, stumbles=0.0)


@pytest.mark.slow
def test_per_process_effects_are_called_differences_in_at_most_5_percent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Negative control: rounds alone do not show it."""
    allowed_for = share({"faster", "slower"}, in_one_process, QUIET, 0.0, 50)
    monkeypatch.setattr("gnbbench.statistics.timing.PROCESS_SPREAD", 0.0)
    wrong = share({"faster", "slower"}, in_one_process, QUIET, 0.0, 50)

    assert allowed_for <= 0.05
    assert wrong > 0.4


@pytest.mark.slow
def test_five_percent_are_found_in_nine_of_ten() -> None:
    assert share({"slower"}, verdict, ALL_OF_THEM, 0.05, N_SIMULATIONS) >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize("machine", [AUTOCORRELATION, ALL_OF_THEM])
def test_one_after_another_resemblance_of_rounds_has_to_be_allowed_for(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Negative control: without, and in that order, the same statistics go wrong."""
    monkeypatch.setattr("gnbbench.statistics.timing.PROCESS_SPREAD", 0.0)
    allowed_for = share({"faster", "slower"}, one_after_the_other, machine, 0.0, 50)
    monkeypatch.setattr("gnbbench.sign_test.widening", lambda _: 1.0)
    wrong = share({"faster", "slower"}, one_after_the_other, machine, 0.0, 50)

    assert allowed_for <= 0.1 < wrong


@pytest.mark.slow
def test_one_after_another_misses_five_percent_under_drift() -> None:
    """There the null run is as far off as anything else; in pairs all are found."""
    assert share({"slower"}, one_after_the_other, DRIFT, 0.05, 10) == 0.0
    assert share({"slower"}, verdict, DRIFT, 0.05, 10) == 1.0


NOISY = Machine(wander=0.3, heat=0.0, stumbles=0.3)
NOISE_BUDGETS = (None, 1.5)  # Seconds; the usual one is 0.01


def noisy(noisy_budget: float | None, machine: Machine, seed: int, by: float) -> str:
    plan = TimingPlan(0.01, seed=seed, noisy_budget_seconds=noisy_budget)
    return verdict_of(plan, machine, by)


@pytest.mark.slow
def test_noise_prolongs_the_timing_until_20_percent_is_detectable() -> None:
    """Negative control: without going on it is missed more often than not."""
    judges = [partial(noisy, budget) for budget in NOISE_BUDGETS]

    before, now = (share({"slower"}, judge, NOISY, 0.2, 40) for judge in judges)

    assert before <= 0.5
    assert now >= 0.9
    assert share({"faster", "slower"}, judges[1], NOISY, 0.0, 40) <= 0.1


CARRIED_OVER = 0.3


class Neighbours:
    """Competitors of equal speed, one of which slows the next call."""

    def __init__(self, names: str, reach: int) -> None:
        self._now = 0.0
        self._reach, self._to_slow = reach, 0
        self._noise = iter(np.random.default_rng(5).normal(scale=0.02, size=9999).tolist())
        self.calls = {name: partial(partial, self._take, name) for name in names.split()}

    def clock(self) -> int:
        return int(self._now)

    def _take(self, name: str) -> None:
        factor = 1.0 + CARRIED_OVER * (self._to_slow > 0)
        self._now += NANOSECONDS * factor * np.exp(next(self._noise))
        self._to_slow = self._reach if name == "slowing" else self._to_slow - 1


def ratios(names: str, reach: int = 2) -> dict[str, float]:
    """Return the ratio of each competitor to the reference, all being equal."""
    neighbours = Neighbours(names, reach)
    plan = TimingPlan(rounds=300)
    timed = measure(neighbours.calls, plan, reference="reference", clock=neighbours.clock)
    d = np.log(timed.seconds) - np.log(timed.seconds[:, [timed.names.index("reference")]])
    found = np.exp(np.median(d, axis=0))
    return dict(zip(timed.names, found.tolist(), strict=True))


@pytest.mark.parametrize("names", ["reference slowing a", "reference slowing a b c"])
def test_one_that_slows_its_successor_moves_no_ratio(names: str) -> None:
    """But its own, as the untimed call slows the timed one."""
    table = ratios(names)

    assert table.pop("slowing") == pytest.approx(1.0 + CARRIED_OVER, abs=0.03)
    for name, ratio in table.items():
        assert ratio == pytest.approx(1.0, abs=0.01), name


def test_a_call_before_each_timed_one_keeps_everything_from_being_carried_over() -> None:
    """Except its own cost, which then falls on the one that slows its successor."""
    table = ratios("reference slowing a", reach=1)

    assert table.pop("slowing") == pytest.approx(1.0 + CARRIED_OVER, abs=0.01)
    assert table == pytest.approx(dict.fromkeys(table, 1.0), abs=0.01)


def test_in_a_fixed_order_the_successor_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control: the balance of the orders is what protects."""

    def fixed(n_competitors: int, seed: int) -> Iterator[NDArray[np.intp]]:
        while seed >= 0:
            yield np.arange(n_competitors)[None, :]

    monkeypatch.setattr(timing_module, "random_blocks", fixed)

    table = ratios("reference slowing a b")

    assert table["a"] == pytest.approx(1.0 + CARRIED_OVER, abs=0.01)
    assert table["b"] == pytest.approx(1.0, abs=0.01)

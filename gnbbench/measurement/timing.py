"""Timing of competitors under equal conditions."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gnbbench.arrays import CountArray, FloatArray
from gnbbench.measurement.environment import (
    limited_threads,
    observed_noise,
    steal_seconds,
    thread_pools,
)
from gnbbench.measurement.rounds import (
    SHORTEST_NANOSECONDS,
    Clock,
    Preparation,
    clock_overhead,
    collector_off,
    inner_count,
    old_objects_set_aside,
    random_blocks,
    time_calls,
    time_round,
)
from gnbbench.records import NULL_COMPETITOR
from gnbbench.sign_test import NARROW, lag_one_autocorrelation, median_interval

FAMILY_LEVEL = 0.95
GROWTH = 1.25
MOST_ROUNDS = 200
MOST_PRECISE_ROUNDS = 5000
USUAL_ROUNDS = 20
FEWEST_ROUNDS = 6  # the least for which a sign test can reach 5 %
OVERRUN = 3


class PrecisionWatch:
    """Checks at intervals how wide the intervals of the paired ratios are.

    The first look comes after 20 rounds by default, each further one after a quarter more
    rounds. The precision is reached when at two consecutive looks no interval, at Holm's
    strictest level for this number of competitors, is wider on either side than requested.

    Stopping as soon as an interval looks good would reduce its coverage. Here only widths
    count, which do not depend on the side on which a ratio lies, at few looks, and twice in
    a row: intervals that cover 95.3 to 97 % after a fixed number of rounds covered 94 to
    98 % in simulations of normal, heavy-tailed and skewed noise.
    """

    def __init__(
        self, precision: float, n_competitors: int, first_look: int = USUAL_ROUNDS
    ) -> None:
        self._precision = precision
        self._level = 1.0 - (1.0 - FAMILY_LEVEL) / max(n_competitors, 1)
        self._next_look = first_look
        self._was_narrow = False

    def is_due(self, n_rounds: int) -> bool:
        """Return whether a look is due."""
        return n_rounds >= self._next_look

    def look(self, times: FloatArray, reference: int) -> bool:
        """Return whether the precision is reached."""
        self._next_look = ceil(GROWTH * len(times))
        logs = np.log(times)
        d = np.delete(logs - logs[:, [reference]], reference, axis=1)
        is_narrow = half_width(d, self._level) <= self._precision
        reached = is_narrow and self._was_narrow
        self._was_narrow = is_narrow
        return reached


def half_width(d: FloatArray, level: float) -> float:
    """Return half the width of the widest sign-test interval of several medians."""
    ends = [
        median_interval(differences, level, lag_one_autocorrelation(differences))
        for differences in d.T
    ]
    widths = np.nan_to_num([high - low for low, high in ends], nan=np.inf)
    return float(widths.max(initial=0.0)) / 2


@dataclass(frozen=True, slots=True)
class TimingPlan:
    """How to time competitors; equal plans give equal orders of competitors.

    Without `rounds`, whole blocks are added until one of these holds: 200 rounds; at least
    20 rounds and the budget spent; at least 6 rounds and three times the budget spent. Only
    elapsed time decides, so that stopping cannot favour a result. With
    `noisy_budget_seconds`, blocks are added beyond that until intervals are narrow enough
    to detect a difference of 20 %, that time is spent, or there are 5,000 rounds.

    With a `precision` there may be 5,000 rounds, and blocks are added until it is reached
    or the budget is spent as above. Then the width of the intervals decides, never their
    position (see `PrecisionWatch`).
    """

    budget_seconds: float = 1.0  # Total, including cold calls and calibration
    # Number of rounds instead of a budget, rounded up to whole blocks
    rounds: int | None = None
    threads: int = 1  # Limit for BLAS and OpenMP
    seed: int = 0  # Seed of the orders
    # Largest half-width of the 95 % interval of every ratio, as a share of the ratio; None
    # to stop by rounds and budget only
    precision: float | None = None
    # Budget if noise would hide a difference of 20 %; None: the usual one
    noisy_budget_seconds: float | None = None

    def is_complete(
        self, rounds: int, spent_seconds: float, *, precise: bool = False
    ) -> bool:
        """Return whether enough blocks have been timed."""
        if self.rounds is not None:
            return rounds >= self.rounds
        is_usual = (
            rounds >= (MOST_ROUNDS if self.precision is None else MOST_PRECISE_ROUNDS)
            or (rounds >= USUAL_ROUNDS and spent_seconds >= self.budget_seconds)
            or (rounds >= FEWEST_ROUNDS and spent_seconds >= OVERRUN * self.budget_seconds)
        )
        if self.noisy_budget_seconds is None:
            return precise or is_usual
        is_spent = spent_seconds >= self.noisy_budget_seconds
        return is_usual and (precise or is_spent or rounds >= MOST_PRECISE_ROUNDS)

    def affordable_count(self, count: int, round_seconds: float) -> int:
        """Return the calls per timing, so many that the fewest rounds fit the budget.

        A round of one call of each competitor takes `round_seconds`.
        """
        if self.rounds is not None:
            return count
        most = OVERRUN * self.budget_seconds / (FEWEST_ROUNDS * round_seconds) - 1
        return min(count, 1 << int(np.log2(max(most, 1))))

    def watch(self, n_competitors: int) -> PrecisionWatch | None:
        """Return the watch on the width of intervals, if there is a need for one."""
        if self.precision is not None:
            return PrecisionWatch(self.precision, n_competitors)
        if self.noisy_budget_seconds is None:
            return None
        return PrecisionWatch(NARROW, n_competitors, first_look=FEWEST_ROUNDS)

    def shared(self, n_parts: int) -> Self:
        """Return the plan of each of several equal parts."""
        noisy = self.noisy_budget_seconds
        return replace(
            self,
            budget_seconds=self.budget_seconds / n_parts,
            noisy_budget_seconds=None if noisy is None else noisy / n_parts,
        )

    def sentence(self) -> str:
        """Return the plan in words."""
        threads = "1 thread" if self.threads == 1 else f"{self.threads} threads"
        text = (
            "Warm: one untimed call of the same function before each timed one; rounds in "
            "random balanced order "
            f"(seed {self.seed}), limited to {threads}, garbage collection off."
        )
        if self.precision is not None:
            text += (
                " Rounds were added until every interval was within "
                f"±{100 * self.precision:.3g} % of its ratio, or "
                f"{self.budget_seconds:g} s were spent on all."
            )
        if self.noisy_budget_seconds is not None:
            text += (
                " While noise would have hidden a difference of 20 %, rounds were run, for "
                f"up to {self.noisy_budget_seconds:g} s in all."
            )
        return text


@dataclass(frozen=True, slots=True)
class Timings:
    """Times of several competitors over the same rounds."""

    names: tuple[str, ...]  # Competitors, in the order of the columns
    # (n_rounds, n_competitors): Time per call, averaged over `inner_count` calls
    seconds: FloatArray
    # (n_rounds, n_competitors): Competitors in the order of their calls
    orders: NDArray[np.intp]
    inner_count: int  # Calls within one timing, the same for all
    cold_seconds: Mapping[str, float]  # First call of each competitor
    spent_seconds: float  # Duration of the whole measurement
    plan: TimingPlan
    noise: Mapping[str, float | None]
    pools_after: list[dict[str, Any]]  # Thread pools under the limit, at the end
    # Whether the plan's precision was reached; None if it has none
    is_precise: bool | None = None

    def warnings(self) -> list[str]:
        """Return what a reader should know before trusting these times."""
        texts = []
        n_rounds = len(self.seconds)
        if self.plan.rounds is None and n_rounds < USUAL_ROUNDS:
            texts.append(
                f"only {n_rounds} rounds were timed, in {self.spent_seconds:.2g} s "
                f"(share of the budget: {self.plan.budget_seconds:.2g} s)."
            )
        shortest = 1e9 * self.inner_count * np.median(self.seconds, axis=0).min()
        if shortest < SHORTEST_NANOSECONDS / 2:
            texts.append(
                f"the shortest timings lasted {shortest / 1e3:.2g} µs, as more calls of "
                "the slowest would exceed the budget: they are less precise."
            )
        limit = self.plan.threads
        return texts + [
            f"{pool['library']} ran {pool['threads']} threads despite the limit of {limit}."
            for pool in self.pools_after
            if pool["threads"] > limit
        ]


def measure(
    preparations: Mapping[str, Preparation],
    plan: TimingPlan | None = None,
    *,
    reference: str | None = None,
    clock: Clock = time.perf_counter_ns,
) -> Timings:
    """Time all competitors under equal conditions.

    Calls are prepared outside the clock. Each competitor is called once cold, at least
    twice to find the inner count, and then once (or `inner_count` times) in every round,
    after an untimed call.
    """
    plan = plan or TimingPlan()
    distinct = dict(preparations)
    if reference is not None:
        preparations = {**distinct, NULL_COMPETITOR: distinct[reference]}
    with limited_threads(plan.threads), old_objects_set_aside():
        start, stolen = clock(), steal_seconds()
        with collector_off():
            cold = {n: time_calls(n, p, 1, clock) / 1e9 for n, p in distinct.items()}
            count = inner_count(distinct, clock, clock_overhead(clock))
            if count > 1:
                once = sum(time_calls(n, p, 1, clock) for n, p in preparations.items())
                count = plan.affordable_count(count, once / 1e9)
        compared = list(preparations).index(reference) if reference else 0
        orders, rounds, is_precise = _rounds(
            preparations, plan, count, clock, start=start, reference=compared
        )
        spent = (clock() - start) / 1e9
        return Timings(
            names=tuple(preparations),
            seconds=np.array([nanoseconds for nanoseconds, _ in rounds]) / (1e9 * count),
            orders=np.array(orders),
            inner_count=count,
            cold_seconds=cold,
            spent_seconds=spent,
            plan=plan,
            noise=observed_noise([switches for _, switches in rounds], stolen, spent),
            pools_after=thread_pools(),
            is_precise=None if plan.precision is None else is_precise,
        )


def _rounds(
    preparations: Mapping[str, Preparation],
    plan: TimingPlan,
    count: int,
    clock: Clock,
    *,
    start: int,
    reference: int,
) -> tuple[list[NDArray[np.intp]], list[tuple[CountArray, int | None]], bool]:
    """Return orders and rounds of the plan, and whether its precision was reached."""
    blocks = random_blocks(len(preparations), plan.seed)
    watch = plan.watch(len(set(preparations) - {NULL_COMPETITOR}) - 1)
    orders: list[NDArray[np.intp]] = []
    rounds: list[tuple[CountArray, int | None]] = []
    precise = False
    while not plan.is_complete(len(rounds), (clock() - start) / 1e9, precise=precise):
        block = list(next(blocks))
        with collector_off():
            rounds += [time_round(preparations, order, count, clock) for order in block]
        orders += block
        if watch is not None and watch.is_due(len(rounds)):
            times = np.array([taken for taken, _ in rounds], dtype=np.float64)
            precise = watch.look(times, reference)
    return orders, rounds, precise

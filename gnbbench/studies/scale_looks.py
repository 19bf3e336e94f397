"""Labels and rough times along each axis, and who goes on to the next size."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gnbbench.implementations import Implementation
from gnbbench.measurement.rounds import Clock
from gnbbench.measurement.scale import Probe, disagreements, probe, scale_samples
from gnbbench.measurement.timing import FEWEST_ROUNDS as SIGN_TEST_ROUNDS
from gnbbench.records import RUN_METRICS, TABLES
from gnbbench.studies.progress import Progress
from gnbbench.studies.scale_budget import (
    FEWEST_ROUNDS,
    TIMING_SHARE,
    Visit,
    affordable,
    grown,
    visit,
)
from gnbbench.studies.scale_plan import ScalePlan, ScalePoint
from gnbbench.studies.store import Store

NOTE = "look "
LEFT_OUT = "the next point would have passed its share of the budget"
# In this order, with these parts: samples take most, and what the others leave over.
_PARTS = {"features": 1, "classes": 1, "samples": 2}
# Of an even share of the budget, what more than one block of rounds may take: the small
# points are many, and the large ones are what is wanted.
_ALLOWED = 1 / 3
# Where the first point of an axis would pass its share, one process times it alone, if
# that takes no more than this part of the whole budget.
_ONCE_SHARE = 0.5
# A reference that is not timed any more may still be asked for labels for so much.
_WITNESS_SHARE = 0.1
_FLOAT_BYTES = 8
# What a visit takes besides calls and samples.
_VISIT_SECONDS = 0.1


@dataclass
class _Walk:
    """Where an axis stands."""

    plan: ScalePlan
    points: list[ScalePoint]  # Those still to come, the next one first
    active: list[str]  # Implementations that go on
    budget: float  # Seconds left, for the times of all processes
    last: int = 0  # The last size; 0 before the first
    # Time of one fit and one prediction there; the reference's also where it is asked for
    # labels alone
    seconds: dict[str, float] = field(default_factory=dict)
    draw_seconds: float = 0.0  # For its samples

    def expected(self, size: int) -> dict[str, float]:
        """Return the time of a call of each at another size."""
        return grown(self.seconds, self.last, size)

    def dear(self, seconds: Mapping[str, float], size: int) -> list[str]:
        """Return whose next point would pass its share, going by times at a size."""
        if not seconds:
            return []
        processes = self.plan.processes
        costs = [
            {
                name: processes * cost
                for name, cost in self.visit(grown(seconds, size, one.size), one).items()
            }
            for one in self.points
        ]
        can = affordable(costs, self.budget)
        return [name for name in seconds if not can[name]]

    def visit(self, seconds: Mapping[str, float], point: ScalePoint) -> dict[str, float]:
        """Return what one process takes at a point, by implementation."""
        return self.planned(seconds, point).seconds

    def planned(self, seconds: Mapping[str, float], point: ScalePoint) -> Visit:
        """Return what one process does at a point."""
        n, d, _ = point.sizes
        even = TIMING_SHARE * self.plan.budget_seconds / len(self.plan.points)
        draws = self.draw_seconds * point.size / self.last if self.last else 0.0
        return visit(
            seconds,
            self.plan.reference,
            x_bytes=_FLOAT_BYTES * n * d,
            allowance=_ALLOWED * even / self.plan.processes,
            # So many in all processes that the sign test has an interval.
            fewest=max(FEWEST_ROUNDS, -(-SIGN_TEST_ROUNDS // self.plan.processes)),
            further_seconds=draws + _VISIT_SECONDS,
        )

    def step(self, note: Mapping[str, Any]) -> None:
        """Go on to the next point with those that are to be timed at this one."""
        self.last = self.points.pop(0).size
        self.seconds = dict(note["seconds"])
        self.active = list(note["timed"])
        self.draw_seconds = note["draw_seconds"]
        self.budget -= self.cost(note["expected_seconds"], note.get("once_seconds", 0.0))

    def cost(self, all_seconds: float, once_seconds: float) -> float:
        """Return what all processes take at a point, a part of it in the first alone."""
        return self.plan.processes * (all_seconds - once_seconds) + once_seconds

    def once(self, timed: Mapping[str, float], late: Mapping[str, float]) -> list[str]:
        """Return who of those that are too dear for all processes one process can time."""
        chosen: list[str] = []
        if self.last:
            return chosen
        point, most = self.points[0], _ONCE_SHARE * self.plan.budget_seconds
        for name in sorted(late, key=lambda one: late[one]):
            tried = [*chosen, name]
            costs = self.visit({**timed, **{one: late[one] for one in tried}}, point)
            once = sum(costs[one] for one in tried)
            if once <= most and self.cost(sum(costs.values()), once) <= self.budget:
                chosen = tried
        return chosen


def look_along_axes(
    store: Store,
    entries: Sequence[Implementation],
    plan: ScalePlan,
    progress: Progress,
    clock: Clock = time.perf_counter_ns,
) -> None:
    """Add, for every point, whose labels are equal and who is to be timed there.

    Points that were looked at before are passed over. An implementation leaves an axis when
    it fails there, or when the next point would cost more than its share of what is left.
    The first point is timed in the first process alone where all would cost too much.
    """
    budget = TIMING_SHARE * plan.budget_seconds
    parts = {name: part for name, part in _PARTS.items() if plan.axes[name].sizes}
    progress.begin("labels", total=len(plan.points), done=len(store.notes(NOTE)))
    for name in list(parts):
        points = [point for point in plan.points if point.axis == name]
        share = budget * parts[name] / sum(parts.values())
        del parts[name]
        walk = _Walk(plan, points, [one.name for one in entries], share)
        while walk.points and walk.active:
            known = store.note(f"{NOTE}{walk.points[0].number}")
            if known is None:
                known = _look(store, walk, entries, clock)
                progress.advance(1)
            walk.step(known)
        budget -= share - walk.budget


def _look(
    store: Store, walk: _Walk, entries: Sequence[Implementation], clock: Clock
) -> dict[str, Any]:
    """Return the note of the next point, after it and its rows were added."""
    point, reference = walk.points[0], entries[0].name
    dear: list[str] = []
    if walk.last:
        expected = walk.expected(point.size)
        dear = walk.dear({name: expected[name] for name in walk.active}, point.size)
    wanted = [name for name in walk.active if name not in dear]
    asked = [*_witness(walk, reference, wanted), *wanted]
    looks, draw_seconds = _looks(entries, asked, point, walk.plan, clock)
    seconds = {one.implementation: one.seconds for one in looks if one.status == "ok"}
    sound = {name: seconds[name] for name in wanted if name in seconds}
    late = walk.dear(sound, point.size)
    timed = {name: one for name, one in sound.items() if name not in late}
    once = walk.once(timed, {name: sound[name] for name in late})
    timed = {name: one for name, one in sound.items() if name in timed or name in once}
    planned = walk.planned(timed, point) if timed else Visit(0, {})
    note = {
        "seconds": seconds,
        "timed": list(timed),
        "draw_seconds": draw_seconds,
        "rounds": planned.rounds,
        "expected_seconds": sum(planned.seconds.values()),
        "once": once,
        "once_seconds": sum(planned.seconds[name] for name in once),
    }
    outcomes = {
        **{one.implementation: (one.status, one.message) for one in looks},
        **dict.fromkeys(
            [*dear, *(name for name in late if name not in once)], ("budget", LEFT_OUT)
        ),
    }
    known = {name: one for name, one in outcomes.items() if name in walk.active}
    _add(store, point, known, looks, reference=reference, note=note)
    return note


def _witness(walk: _Walk, reference: str, wanted: Sequence[str]) -> list[str]:
    """Return the reference where it is not timed any more, but cheap to ask for labels."""
    if reference in wanted or not wanted or reference not in walk.seconds:
        return []
    expected = walk.expected(walk.points[0].size)[reference]
    return [reference] if expected < _WITNESS_SHARE * walk.budget else []


def _looks(
    entries: Sequence[Implementation],
    names: Sequence[str],
    point: ScalePoint,
    plan: ScalePlan,
    clock: Clock,
) -> tuple[list[Probe], float]:
    """Return what those named do at a point, and the time of drawing its samples."""
    if not names:
        return [], 0.0
    start = clock()
    samples = scale_samples(*point.sizes, seed=plan.seed)
    drawn = (clock() - start) / 1e9
    chosen = [entry for entry in entries if entry.name in names]
    return [
        probe(entry, samples, point.sizes[2], threads=plan.threads, clock=clock)
        for entry in chosen
    ], drawn


def _add(
    store: Store,
    point: ScalePoint,
    outcomes: Mapping[str, tuple[str, str]],
    looks: Sequence[Probe],
    *,
    reference: str,
    note: dict[str, Any],
) -> None:
    """Add the rows and the note of a point, all of them or none."""
    n = point.sizes[0]
    blank = [None] * (len(TABLES["pairs"]) - 4)
    has_reference = bool(looks) and looks[0].implementation == reference
    differing = disagreements(looks) if has_reference else {}
    tables = {
        "runs": [
            (0, name, status, message, n, n, 0, *[None] * len(RUN_METRICS))
            for name, (status, message) in outcomes.items()
        ],
        "pairs": [
            (0, name, n, number, *blank)
            for name, number in differing.items()
            if number is not None
        ],
    }
    store.add(tables, {f"{NOTE}{point.number}": note}, point=point.number)

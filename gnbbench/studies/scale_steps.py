"""The three passes over a grid of sizes: labels, then memory, then times.

Labels come first and decide who is timed where. Each axis has an equal part of the budget,
each of its points an equal part of what the points before it left, and each implementation
an equal part of that; whoever needs more at the next point stops along that axis.
"""

import math
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from gnbbench.implementations import Implementation
from gnbbench.measurement.operations import ImplementationTimings
from gnbbench.measurement.rounds import SHORTEST_NANOSECONDS, Clock, williams_design
from gnbbench.measurement.scale import (
    Probe,
    disagreements,
    memory_peaks,
    probe,
    scale_samples,
    time_point,
)
from gnbbench.measurement.timing import FEWEST_ROUNDS as SIGN_TEST_ROUNDS
from gnbbench.measurement.timing import TimingPlan
from gnbbench.processes.client import CallFailure, FreshProcess, in_fresh_process, outcome
from gnbbench.processes.messages import payload
from gnbbench.records import RUN_METRICS, TABLES
from gnbbench.studies.progress import Progress
from gnbbench.studies.scale_grid import ScalePlan, ScalePoint
from gnbbench.studies.store import Store

# Keys of notes begin so; stored studies have them.
LABELS, MEMORY, TIMES = "look ", "memory ", "times "
LEFT_OUT = "processes left out"
OVER_BUDGET = "the next point would have passed its share of the budget"

# Parts of the whole budget; the rest is for labels and starting processes.
TIMING_SHARE = 0.65
MEMORY_SHARE = 0.2
USUAL_ROUNDS = 20
FEWEST_ROUNDS = 4
# More rounds than the fewest may take this of a point's part: what is left over goes to the
# large points, which are what is wanted.
_SPARING = 1 / 3
# Calls before the rounds: cold, two to find the inner count, one to fit a model.
_CALLS_BEFORE = 4
# Speed at which one read of X is expected, for the inner count alone.
_READ_BYTES_PER_SECOND = 1e10
_FLOAT_BYTES = 8
_SHORTEST_CALL = 1e-6
# A further process is left out where times would come to so many times their budget.
OVERRUN = 2.0
MEMORY_POINTS = 4  # Of an axis
# Starting, importing and drawing; how much longer than expected a visit may take; and
# what is traced may be many times slower.
_START_SECONDS = 60.0
_VISIT_FACTOR = 10.0
_TRACED_FACTOR = 50.0


@dataclass(frozen=True)
class PointShare:
    """The time that one process may spend at a point, and what it would need."""

    plan: ScalePlan
    point: ScalePoint
    seconds: float

    def over_budget(self, seconds: Mapping[str, float]) -> list[str]:
        """Return who needs more than its part even for the fewest rounds."""
        # The null competitor has a part of its own, so that the reference needs no more.
        parts = len(seconds) + (self.plan.reference in seconds)
        calls = self._calls(seconds, self._rounds(seconds, FEWEST_ROUNDS))
        return [name for name, one in seconds.items() if one * calls * parts > self.seconds]

    def visit(self, seconds: Mapping[str, float]) -> tuple[int, float]:
        """Return how many rounds are timed, and how long that takes."""
        # The reference is timed against itself too.
        a_call = sum(seconds.values()) + seconds.get(self.plan.reference, 0.0)
        rounds = self._rounds(seconds, USUAL_ROUNDS)
        if a_call * self._calls(seconds, rounds) > _SPARING * self.seconds:
            rounds = self._rounds(seconds, FEWEST_ROUNDS)
        return rounds, a_call * self._calls(seconds, rounds)

    def _rounds(self, names: Collection[str], rounds: int) -> int:
        """Return no fewer, in whole blocks; in all processes enough for a sign test."""
        # One read of X is timed beside the implementations.
        block = len(williams_design(len(names) + 1 + (self.plan.reference in names)))
        least = max(rounds, SIGN_TEST_ROUNDS / self.plan.processes)
        return block * math.ceil(least / block)

    def _calls(self, seconds: Mapping[str, float], rounds: int) -> int:
        """Return how often each is called; the fastest decides on repetitions."""
        n, d, _ = self.point.sizes
        read = _SHORTEST_CALL + _FLOAT_BYTES * n * d / _READ_BYTES_PER_SECOND
        fastest = min([read, *(one / 2 for one in seconds.values())])  # two operations
        ratio = SHORTEST_NANOSECONDS / 1e9 / max(fastest, _SHORTEST_CALL)
        inner = 1 << max(math.ceil(math.log2(ratio)), 0)
        return _CALLS_BEFORE + rounds * (1 + inner)


def compare_labels(
    store: Store,
    entries: Sequence[Implementation],
    plan: ScalePlan,
    progress: Progress,
    clock: Clock = time.perf_counter_ns,
) -> None:
    """Add, for every point, whose labels are equal and who is to be timed there.

    An implementation leaves an axis when it fails there or needs more than its part; by
    its time at one point it is known before the next is tried.
    """
    kept = store.notes(LABELS)
    progress.begin("labels", total=len(plan.points), done=len(kept))
    for kind in plan.kinds:
        left = TIMING_SHARE * plan.budget_seconds / plan.processes / len(plan.kinds)
        points = [point for point in plan.points if point.axis == kind.name]
        active = [entry.name for entry in entries]
        seconds: dict[str, float] = {}
        for place, point in enumerate(points):
            if not active:
                break
            note = kept.get(str(point.number))
            if note is None:
                growth = point.size / points[place - 1].size
                share = PointShare(plan, point, left / (len(points) - place))
                expected = {name: one * growth for name, one in seconds.items()}
                note = _compare_at(store, entries, share, active, expected, clock=clock)
                progress.advance(1)
            active, seconds = note["timed"], note["seconds"]
            left -= note["expected_seconds"]


def _compare_at(
    store: Store,
    entries: Sequence[Implementation],
    share: PointShare,
    active: Sequence[str],
    expected: Mapping[str, float],
    *,
    clock: Clock,
) -> dict[str, Any]:
    """Return the note of a point, after it and its rows were added."""
    plan, point = share.plan, share.point
    known = {name: expected[name] for name in active if name in expected}
    stopped = share.over_budget(known)
    asked = {name for name in active if name not in stopped}
    # A reference too slow to be timed is still asked for labels where that is cheap.
    if asked and expected.get(plan.reference, math.inf) <= share.seconds:
        asked.add(plan.reference)
    probes = _probes([one for one in entries if one.name in asked], plan, point, clock)
    seconds = {one.implementation: one.seconds for one in probes if one.status == "ok"}
    timed = {name: seconds[name] for name in active if name in seconds.keys() - stopped}
    for name in share.over_budget(timed):
        stopped.append(name)
        del timed[name]
    rounds, visit_seconds = share.visit(timed)
    note = {
        "seconds": seconds,
        "timed": list(timed),
        "rounds": rounds,
        "expected_seconds": visit_seconds,
    }
    outcomes = {one.implementation: (one.status, one.message) for one in probes}
    outcomes |= dict.fromkeys(stopped, ("budget", OVER_BUDGET))
    rows = _rows(plan, point, {name: outcomes[name] for name in active}, probes)
    store.add(rows, {f"{LABELS}{point.number}": note}, point=point.number)
    return note


def _probes(
    entries: Sequence[Implementation], plan: ScalePlan, point: ScalePoint, clock: Clock
) -> list[Probe]:
    if not entries:
        return []
    samples = scale_samples(*point.sizes, seed=plan.seed)
    return [
        probe(entry, samples, point.sizes[2], threads=plan.threads, clock=clock)
        for entry in entries
    ]


def _rows(
    plan: ScalePlan,
    point: ScalePoint,
    outcomes: Mapping[str, tuple[str, str]],
    probes: Sequence[Probe],
) -> dict[str, list[tuple[Any, ...]]]:
    """Return how each implementation fared, and labels unlike the reference's."""
    n = point.sizes[0]
    has_reference = bool(probes) and probes[0].implementation == plan.reference
    differing = disagreements(probes) if has_reference else {}
    metrics = [None] * len(RUN_METRICS)
    blank = [None] * (len(TABLES["pairs"]) - 4)
    return {
        "runs": [
            (0, name, status, message, n, n, 0, *metrics)
            for name, (status, message) in outcomes.items()
        ],
        "pairs": [
            (0, name, n, number, *blank)
            for name, number in differing.items()
            if number is not None
        ],
    }


def measure_memory(
    store: Store,
    entries: Sequence[Implementation],
    plan: ScalePlan,
    progress: Progress,
    clock: Clock = time.perf_counter_ns,
) -> None:
    """Add the extra memory of fit and predict, each implementation in a fresh process.

    The first axis is measured in any case, the others while the budget's part lasts.
    """
    pairs = [(kind.name, entry) for kind in plan.kinds for entry in entries]
    kept, labels = store.notes(MEMORY), store.notes(LABELS)
    spent = sum(note["seconds"] for note in kept.values())
    progress.begin("memory", total=len(pairs), done=len(kept))
    for place, (axis, entry) in enumerate(pairs):
        if str(place) in kept:
            continue
        start = clock()
        points = _memory_points(plan, axis, entry.name, labels)
        note: dict[str, Any] = {"axis": axis, "implementation": entry.name}
        if not points:
            note |= {"status": "absent", "message": ""}
        elif place >= len(entries) and spent > MEMORY_SHARE * plan.budget_seconds:
            note |= {"status": "budget", "message": "the budget's part was spent"}
        else:
            call_seconds = labels[str(points[-1].number)]["seconds"][entry.name]
            note |= _peaks(entry, points, plan, call_seconds)
        note["seconds"] = (clock() - start) / 1e9
        spent += note["seconds"]
        store.add({}, {f"{MEMORY}{place}": note})
        progress.advance(1)


def _memory_points(
    plan: ScalePlan, axis: str, name: str, labels: Mapping[str, Mapping[str, Any]]
) -> list[ScalePoint]:
    """Return up to four points at which an implementation is timed, first and last."""
    reached = [
        point
        for point in plan.points
        if point.axis == axis
        and name in labels.get(str(point.number), {"timed": ()})["timed"]
    ]
    if len(reached) <= MEMORY_POINTS:
        return reached
    gap = (len(reached) - 1) / (MEMORY_POINTS - 1)
    return [reached[round(gap * place)] for place in range(MEMORY_POINTS)]


def _peaks(
    entry: Implementation,
    points: Sequence[ScalePoint],
    plan: ScalePlan,
    call_seconds: float,
) -> dict[str, Any]:
    numbers = {point.sizes: point.number for point in points}
    try:
        peaks = in_fresh_process(
            memory_peaks,
            payload(entry.direct or entry.make),
            list(numbers),
            plan.seed,
            seconds=_START_SECONDS + _TRACED_FACTOR * call_seconds,
        )
    except Exception as error:  # noqa: BLE001  foreign code may raise anything
        status, message = _failure(error)
        return {"status": status, "message": message}
    kept = ("operation", "traced_bytes", "resident_bytes")
    rows = [
        [numbers[tuple(peak["sizes"])], *(peak[name] for name in kept)] for peak in peaks
    ]
    return {"status": "ok", "message": "", "rows": rows}


def _failure(error: Exception) -> tuple[str, str]:
    if isinstance(error, CallFailure):
        return outcome(error)
    return "error", f"{type(error).__name__}: {error}"


class Loss(NamedTuple):
    """An implementation that failed while it was timed."""

    process: int
    point: int  # Number of the point
    implementation: str
    status: str
    message: str


def losses_of(plan: ScalePlan, notes: Mapping[str, Mapping[str, Any]]) -> list[Loss]:
    """Return the losses that the notes of visits tell of, in the order of visits."""
    return [
        Loss(*divmod(number, len(plan.points)), *loss)
        for number in sorted(map(int, notes))
        for loss in notes[str(number)]["losses"]
    ]


def measure_times(
    store: Store,
    entries: Sequence[Implementation],
    plan: ScalePlan,
    progress: Progress,
    clock: Clock = time.perf_counter_ns,
) -> None:
    """Add the times of fit and predict at every point, process by process.

    Each process goes through the whole grid, so that an interruption leaves all points
    measured equally often but for the last process. On a machine that is busier than
    foreseen, processes are left out that would take times beyond twice their budget.
    """
    labels = store.notes(LABELS)
    timed = {number: note for number, note in labels.items() if note["timed"]}
    points = [point for point in plan.points if str(point.number) in timed]
    kept = store.notes(TIMES)
    progress.begin("timing", total=plan.processes * len(points), done=len(kept))
    for process in range(plan.processes):
        spent = sum(note["seconds"] for note in kept.values())
        most = OVERRUN * TIMING_SHARE * plan.budget_seconds
        if process and spent + spent / process > most:
            if not store.note(LEFT_OUT):
                store.add({}, {LEFT_OUT: plan.processes - process})
            return
        with FreshProcess() as fresh:
            for point in points:
                number = str(process * len(plan.points) + point.number)
                if number in kept:
                    continue
                start = clock()
                planned = timed[str(point.number)]
                gone = _gone(plan, point, losses_of(plan, kept))
                names = [name for name in planned["timed"] if name not in gone]
                sound = [entry for entry in entries if entry.name in names]
                note, rows = _visit(fresh, sound, plan, point, planned, process=process)
                note["seconds"] = (clock() - start) / 1e9
                kept[number] = note
                batch = {"timings": rows}
                store.add(batch, {f"{TIMES}{number}": note}, point=int(number))
                progress.advance(1)


def _gone(plan: ScalePlan, point: ScalePoint, losses: Sequence[Loss]) -> set[str]:
    """Return those that took a process down, or failed on this axis before."""
    return {
        loss.implementation
        for loss in losses
        if loss.status != "error" or plan.points[loss.point].axis == point.axis
    }


def _visit(
    fresh: FreshProcess,
    entries: Sequence[Implementation],
    plan: ScalePlan,
    point: ScalePoint,
    planned: Mapping[str, Any],
    *,
    process: int,
) -> tuple[dict[str, Any], list[tuple[Any, ...]]]:
    """Return the note and the rows of one visit, whatever code of others does in it."""
    losses: list[tuple[str, str, str]] = []
    timing = TimingPlan(
        rounds=planned["rounds"], threads=plan.threads, seed=plan.seed + process
    )
    while entries:
        try:
            plain = fresh.call(
                time_point,
                payload({one.name: one.direct or one.make for one in entries}),
                point.sizes,
                plan.seed,
                reference=plan.reference,
                plan=payload(timing),
                seconds=_START_SECONDS + _VISIT_FACTOR * planned["expected_seconds"],
            )
            timings = ImplementationTimings.from_plain(plain)
            break
        except Exception as error:  # noqa: BLE001  pickling runs code of others
            status, message = _failure(error)
            foreign = [one for one in entries if one.direct is not None]
            # An error, such as too little memory, is of all; only code of others crashes.
            guilty = foreign if foreign and status != "error" else entries
            losses += [(one.name, status, message) for one in guilty]
            entries = [one for one in entries if one not in guilty]
    else:
        return {"losses": losses, "warnings": [], "regime": timing.sentence()}, []
    losses += [(name, "error", why) for name, why in timings.skipped.items()]
    note = timings.notes()
    kept = ("warnings", "regime", "rounds", "inner_counts", "cold_seconds", "pools_after")
    return {"losses": losses, **{name: note[name] for name in kept}}, list(timings.rows())

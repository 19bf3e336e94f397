"""Times at every point, taken over again in fresh processes."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gnbbench.implementations import Implementation
from gnbbench.measurement.operations import ImplementationTimings
from gnbbench.measurement.rounds import Clock
from gnbbench.measurement.scale import time_point
from gnbbench.measurement.timing import TimingPlan
from gnbbench.processes.client import FreshProcess
from gnbbench.processes.failures import CallError, CallFailure, outcome
from gnbbench.processes.payloads import payload
from gnbbench.studies.progress import Progress
from gnbbench.studies.scale_budget import TIMING_SHARE
from gnbbench.studies.scale_looks import NOTE as LOOK
from gnbbench.studies.scale_plan import ScalePlan, ScalePoint
from gnbbench.studies.store import Store

NOTE = "times "
LEFT_OUT = "processes left out"
# A further process is left out where times would come to so many times their budget.
OVERRUN = 2.0
# Starting and importing; and how much longer than expected a visit may take.
_LONGEST_SECONDS = 60.0
_LONGEST_FACTOR = 10.0


@dataclass(frozen=True)
class Loss:
    """An implementation that failed while it was timed."""

    process: int
    point: int  # Number of the point
    implementation: str
    status: str
    message: str


def visit_number(plan: ScalePlan, process: int, point: int) -> int:
    """Return the number under which the times of a process at a point are stored."""
    return process * len(plan.points) + point


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
    looked = {int(number): note for number, note in store.notes(LOOK).items()}
    points = [point for point in plan.points if looked.get(point.number, {}).get("timed")]
    kept = store.notes(NOTE)
    losses = known_losses(plan, kept)
    progress.begin("timing", total=plan.processes * len(points), done=len(kept))
    spent = sum(note["seconds"] for note in kept.values())
    # Without what one process alone does: a further one takes as long as these on average.
    again = sum(
        note["seconds"] * _share_again(looked[int(number) % len(plan.points)])
        for number, note in kept.items()
    )
    for process in range(plan.processes):
        if process and spent + again / process > _most_seconds(plan):
            if not store.note(LEFT_OUT):
                store.add({}, {LEFT_OUT: plan.processes - process})
            return
        with FreshProcess() as fresh:
            for point in points:
                number = visit_number(plan, process, point.number)
                if str(number) in kept:
                    continue
                start = clock()
                names = _still_sound(looked[point.number]["timed"], point, plan, losses)
                if process:
                    once = looked[point.number].get("once", ())
                    names = [name for name in names if name not in once]
                makers = {one.name: one.direct or one.make for one in entries}
                note, rows = _visit(
                    fresh,
                    {name: makers[name] for name in names},
                    point,
                    plan,
                    others={one.name for one in entries if one.direct is not None},
                    looked=looked[point.number],
                    seed=plan.seed + process,
                )
                losses += _of_note(process, point.number, note)
                note["seconds"] = (clock() - start) / 1e9
                spent += note["seconds"]
                again += note["seconds"] * _share_again(looked[point.number])
                store.add({"timings": rows}, {f"{NOTE}{number}": note}, point=number)
                progress.advance(1)


def _most_seconds(plan: ScalePlan) -> float:
    """Return the time after which no further process is started."""
    return OVERRUN * TIMING_SHARE * plan.budget_seconds


def _share_again(looked: Mapping[str, Any]) -> float:
    """Return the part of a visit that further processes do as well."""
    once = looked.get("once_seconds", 0.0)
    return 1.0 - once / looked["expected_seconds"] if once else 1.0


def known_losses(plan: ScalePlan, notes: Mapping[str, Mapping[str, Any]]) -> list[Loss]:
    """Return the losses that the notes of visits tell of."""
    found: list[Loss] = []
    for number in sorted(map(int, notes)):
        process, point = divmod(number, len(plan.points))
        found += _of_note(process, point, notes[str(number)])
    return found


def _of_note(process: int, point: int, note: Mapping[str, Any]) -> list[Loss]:
    return [Loss(process, point, *one) for one in note["losses"]]


def _still_sound(
    names: Sequence[str], point: ScalePoint, plan: ScalePlan, losses: Sequence[Loss]
) -> list[str]:
    """Return those that took no process down, and did not fail on this axis before."""
    gone = {
        one.implementation
        for one in losses
        if one.status != "error" or plan.points[one.point].axis == point.axis
    }
    return [name for name in names if name not in gone]


def _visit(
    fresh: FreshProcess,
    makers: Mapping[str, Any],
    point: ScalePoint,
    plan: ScalePlan,
    *,
    others: set[str],
    looked: Mapping[str, Any],
    seed: int,
) -> tuple[dict[str, Any], list[tuple[Any, ...]]]:
    """Return the note and the rows of one visit, whatever code of others does in it."""
    losses: list[tuple[str, str, str]] = []
    timing = TimingPlan(rounds=looked["rounds"], threads=plan.threads, seed=seed)
    longest = _LONGEST_SECONDS + _LONGEST_FACTOR * looked["expected_seconds"]
    timed = None
    while makers and timed is None:
        try:
            plain = fresh.call(
                time_point,
                payload(makers),
                point.sizes,
                plan.seed,
                reference=plan.reference,
                plan=payload(timing),
                seconds=longest,
            )
            timed = ImplementationTimings.from_plain(plain)
        except CallFailure as failure:
            status, message = outcome(failure)
            guilty = [name for name in makers if name in others] or list(makers)
            if status == CallError.status:  # such as too little memory, for all
                guilty = list(makers)
            losses += [(name, status, message) for name in guilty]
            makers = {name: one for name, one in makers.items() if name not in guilty}
        except Exception as error:  # noqa: BLE001  pickling runs code of others
            losses += [
                (name, "error", f"{type(error).__name__}: {error}") for name in makers
            ]
            break
    if timed is None:
        return {"losses": losses, "warnings": [], "regime": timing.sentence()}, []
    losses += [(name, "error", why) for name, why in timed.skipped.items()]
    note = timed.notes()
    kept = ("warnings", "regime", "rounds", "inner_counts", "cold_seconds", "pools_after")
    return {"losses": losses, **{name: note[name] for name in kept}}, list(timed.rows())

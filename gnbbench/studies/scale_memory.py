"""Memory along each axis, in a fresh process for each implementation."""

import time
from collections.abc import Sequence
from typing import Any

from gnbbench.implementations import Implementation
from gnbbench.measurement.rounds import Clock
from gnbbench.measurement.scale import memory_peaks
from gnbbench.processes.client import in_fresh_process
from gnbbench.processes.failures import CallFailure, outcome
from gnbbench.processes.payloads import payload
from gnbbench.studies.progress import Progress
from gnbbench.studies.scale_budget import MEMORY_SHARE
from gnbbench.studies.scale_looks import NOTE as LOOK
from gnbbench.studies.scale_plan import ScalePlan, ScalePoint
from gnbbench.studies.store import Store

NOTE = "memory "
POINTS_AN_AXIS = 4
# Starting, importing and drawing; what is traced may be many times slower.
_LONGEST_SECONDS = 60.0
_TRACED_FACTOR = 50.0


def measure_memory(
    store: Store,
    entries: Sequence[Implementation],
    plan: ScalePlan,
    progress: Progress,
    clock: Clock = time.perf_counter_ns,
) -> None:
    """Add the extra memory of fit and predict, at some points of each axis.

    The first axis is measured in any case, the others while the budget's part lasts.
    """
    pairs = [(kind.name, entry) for kind in plan.kinds for entry in entries]
    kept = store.notes(NOTE)
    spent = sum(note["seconds"] for note in kept.values())
    progress.begin("memory", total=len(pairs), done=len(kept))
    for place, (axis, entry) in enumerate(pairs):
        if str(place) in kept:
            continue
        start = clock()
        asked = place >= len(entries) and spent > MEMORY_SHARE * plan.budget_seconds
        points = _points(store, plan, axis, entry.name)
        if not points:
            outcome: dict[str, Any] = {"status": "absent", "message": ""}
        elif asked:
            outcome = {"status": "budget", "message": "the budget's part was spent"}
        else:
            outcome = _measured(store, entry, points, plan)
        seconds = (clock() - start) / 1e9
        spent += seconds
        note = {"axis": axis, "implementation": entry.name, "seconds": seconds, **outcome}
        store.add({}, {f"{NOTE}{place}": note})
        progress.advance(1)


def _points(store: Store, plan: ScalePlan, axis: str, name: str) -> list[ScalePoint]:
    """Return up to four points at which an implementation is timed, first and last."""
    reached = [
        point
        for point in plan.points
        if point.axis == axis
        and name in (store.note(f"{LOOK}{point.number}") or {"timed": ()})["timed"]
    ]
    if len(reached) <= POINTS_AN_AXIS:
        return reached
    gap = (len(reached) - 1) / (POINTS_AN_AXIS - 1)
    return [reached[round(gap * place)] for place in range(POINTS_AN_AXIS)]


def _measured(
    store: Store, entry: Implementation, points: Sequence[ScalePoint], plan: ScalePlan
) -> dict[str, Any]:
    looked = store.note(f"{LOOK}{points[-1].number}")
    longest = _LONGEST_SECONDS + _TRACED_FACTOR * looked["seconds"][entry.name]
    sizes = [point.sizes for point in points]
    make = entry.direct or entry.make
    try:
        peaks = in_fresh_process(
            memory_peaks, payload(make), sizes, plan.seed, seconds=longest
        )
    except CallFailure as failure:
        status, message = outcome(failure)
        return {"status": status, "message": message}
    except Exception as error:  # noqa: BLE001  foreign code may raise anything
        return {"status": "error", "message": f"{type(error).__name__}: {error}"}
    numbers = {point.sizes: point.number for point in points}
    kept = ("operation", "traced_bytes", "resident_bytes")
    rows = [
        [numbers[tuple(peak["sizes"])], *(peak[name] for name in kept)] for peak in peaks
    ]
    return {"status": "ok", "message": "", "rows": rows}

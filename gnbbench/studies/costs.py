"""Times and memory of implementations, where need be in processes of their own.

Code of others may hang or crash there. All implementations are timed in one process, side
by side, as they would be here: calls through a pipe would be charged to those that live
behind it. For memory each has a process, which says what no tracing of Python's allocators
can: what libraries allocate by themselves. It costs a second, and is used for libraries
that have allocators of their own, for code of others, and for all where the data are large.
What runs in yet another process, such as a Java machine, is not seen.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from numpy.typing import NDArray

from gnbbench.errors import ImplementationError
from gnbbench.implementations import Implementation
from gnbbench.implementations.catalogue import Library
from gnbbench.measurement.memory import memory_use
from gnbbench.measurement.operations import (
    ImplementationTimings,
    RepeatedTimings,
    time_implementations,
    time_in_fresh_process,
)
from gnbbench.measurement.timing import OVERRUN, TimingPlan
from gnbbench.processes.client import CallError, CallFailure, in_fresh_process, outcome
from gnbbench.processes.messages import payload

# X_train, y_train, X_test
Arrays = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]

# Imports, first calls and the planned budget; nothing that is well takes longer.
LONGEST_SECONDS = 300.0
# Beside what such data cost, a process costs nothing.
LARGE_BYTES = 2**26

# How the reason begins for which code of others is not timed any more.
_TAKEN_DOWN = "timing"
_UNSAFE = "it hung or crashed in a run"


def time_in_processes(
    entries: Sequence[Implementation],
    arrays: Arrays,
    *,
    plan: TimingPlan,
    processes: int = 1,
    unsafe: Collection[str] = (),
) -> RepeatedTimings:
    """Return the times of all implementations, taken over again in fresh processes."""
    parts: list[ImplementationTimings] = []
    fatal: dict[str, str] = {}
    share = replace(plan, budget_seconds=plan.budget_seconds / processes)
    for place in range(processes):
        part = time_entries(
            entries,
            arrays,
            plan=replace(share, seed=plan.seed + place),
            unsafe={*unsafe, *fatal},
            longest_seconds=LONGEST_SECONDS + OVERRUN * share.budget_seconds,
            fresh=processes > 1,
        )
        parts.append(_with_skipped(part, fatal))
        # What took one process down is not tried in the next.
        fatal |= {k: v for k, v in part.skipped.items() if v.startswith(_TAKEN_DOWN)}
    return RepeatedTimings(tuple(parts), plan)


def require_sendable(entries: Sequence[Implementation]) -> None:
    """Raise unless every implementation can be sent to another process."""
    for entry in entries:
        try:
            payload(entry.direct or entry.make)
        except Exception as error:
            raise ImplementationError(
                entry.name,
                f"cannot be sent to another process ({type(error).__name__}: {error})",
                "Time it in this one (--processes 1), or give it as file.py:Class.",
            ) from error


def time_entries(
    entries: Sequence[Implementation],
    arrays: Arrays,
    *,
    plan: TimingPlan,
    unsafe: Collection[str] = (),
    longest_seconds: float = LONGEST_SECONDS,
    fresh: bool = False,
) -> ImplementationTimings:
    """Return the times of all implementations, or of those that let it be done."""
    reference = entries[0].name
    skipped = dict.fromkeys(unsafe, _UNSAFE)
    safe = [entry for entry in entries if entry.name not in skipped]
    others = [entry.name for entry in safe if entry.direct is not None]
    makers = {entry.name: entry.direct or entry.make for entry in safe}
    if (others or fresh) and reference in makers:
        try:
            plain = in_fresh_process(
                time_in_fresh_process,
                payload(makers),
                *arrays,
                reference=reference,
                plan=payload(plan),
                seconds=longest_seconds,
            )
        except CallFailure as failure:
            status, message = outcome(failure)
            if status == CallError.status:
                raise
            skipped |= dict.fromkeys(others, f"{_TAKEN_DOWN} {message}")
            makers = {name: makers[name] for name in makers if name not in others}
        else:
            return _with_skipped(ImplementationTimings.from_plain(plain), skipped)
    if reference not in makers:
        left = dict.fromkeys(makers, "the reference cannot be timed")
        return ImplementationTimings({}, {**left, **skipped}, plan)
    timed = time_implementations(makers, *arrays, reference=reference, plan=plan)
    return _with_skipped(timed, skipped)


def _with_skipped(
    timed: ImplementationTimings, skipped: Mapping[str, str]
) -> ImplementationTimings:
    return replace(timed, skipped={**timed.skipped, **skipped})


def memory_notes(
    entries: Sequence[Implementation],
    arrays: Arrays,
    *,
    unsafe: Collection[str] = (),
    longest_seconds: float = LONGEST_SECONDS,
) -> dict[str, Any]:
    """Return the memory of every operation of all implementations, ready for JSON."""
    rows: list[dict[str, Any]] = []
    skipped = dict.fromkeys(unsafe, _UNSAFE)
    for entry in entries:
        if entry.name in skipped:
            continue
        try:
            rows += _memory_rows(entry, arrays, longest_seconds)
        except CallError as error:
            skipped[entry.name] = f"it raised {error.kind}: {error.message}"
        except CallFailure as failure:
            skipped[entry.name] = f"it {outcome(failure)[1]}"
        except (Exception, SystemExit) as error:  # noqa: BLE001  foreign code may raise anything
            skipped[entry.name] = f"it raised {type(error).__name__}: {error}"
    return {"rows": rows, "skipped": skipped}


def _memory_rows(
    entry: Implementation, arrays: Arrays, longest_seconds: float
) -> list[dict[str, Any]]:
    make = entry.direct or entry.make
    is_large = sum(array.nbytes for array in arrays) >= LARGE_BYTES
    if is_large or entry.direct is not None or isinstance(entry.make, Library):
        found: list[dict[str, Any]] = in_fresh_process(
            memory_use,
            entry.name,
            payload(make),
            arrays,
            resident=True,
            seconds=longest_seconds,
        )
        return found
    return [asdict(use) for use in memory_use(entry.name, make, arrays)]

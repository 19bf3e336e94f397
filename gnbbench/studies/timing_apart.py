"""Times of code of others, taken in a process of its own, where it may hang or crash.

All implementations are timed in that one process, side by side, as they would be here:
calls through a pipe would be charged to those that live behind it.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from concurrent.futures import TimeoutError as TooLateError
from contextlib import suppress
from dataclasses import replace
from typing import Any

from joblib.externals.loky.backend.reduction import dumps
from numpy.typing import NDArray

from gnbbench.errors import ImplementationError
from gnbbench.implementations import Implementation
from gnbbench.measurement.operations import (
    ImplementationTimings,
    RepeatedTimings,
    time_implementations,
)
from gnbbench.measurement.timing import OVERRUN, TimingPlan
from gnbbench.processes.fresh_process import in_fresh_process

# Imports, first calls and the planned budget; nothing that is well takes longer.
LONGEST_SECONDS = 300.0

# How the reason begins for which code of others is not timed any more.
_TAKEN_DOWN = "timing"


def time_in_processes(
    entries: Sequence[Implementation],
    arrays: tuple[NDArray[Any], NDArray[Any], NDArray[Any]],
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
            dumps(entry.direct or entry.make)
        except Exception as error:
            raise ImplementationError(
                entry.name,
                f"cannot be sent to another process ({type(error).__name__}: {error})",
                "Time it in this one (--processes 1), or give it as file.py:Class.",
            ) from error


def time_entries(
    entries: Sequence[Implementation],
    arrays: tuple[NDArray[Any], NDArray[Any], NDArray[Any]],
    *,
    plan: TimingPlan,
    unsafe: Collection[str] = (),
    longest_seconds: float = LONGEST_SECONDS,
    fresh: bool = False,
) -> ImplementationTimings:
    """Return the times of all implementations, or of those that let it be done."""
    reference = entries[0].name
    skipped = dict.fromkeys(unsafe, "it hung or crashed in a run")
    safe = [entry for entry in entries if entry.name not in skipped]
    others = [entry.name for entry in safe if entry.direct is not None]
    makers = {entry.name: entry.direct or entry.make for entry in safe}
    if (others or fresh) and reference in makers:
        try:
            timed = in_fresh_process(
                _timed, makers, arrays, reference, plan, seconds=longest_seconds
            )
        except (BrokenExecutor, TooLateError) as error:
            late = isinstance(error, TooLateError)
            how = f"took longer than {longest_seconds:g} s" if late else "ended the process"
            skipped |= dict.fromkeys(others, f"{_TAKEN_DOWN} {how}")
            makers = {name: makers[name] for name in makers if name not in others}
        else:
            return _with_skipped(timed, skipped)
    if reference not in makers:
        left = dict.fromkeys(makers, "the reference cannot be timed")
        return ImplementationTimings({}, {**left, **skipped}, plan)
    timed = time_implementations(makers, *arrays, reference=reference, plan=plan)
    return _with_skipped(timed, skipped)


def _with_skipped(
    timed: ImplementationTimings, skipped: Mapping[str, str]
) -> ImplementationTimings:
    return replace(timed, skipped={**timed.skipped, **skipped})


def _timed(
    makers: Mapping[str, Callable[[], Any]],
    arrays: tuple[NDArray[Any], NDArray[Any], NDArray[Any]],
    reference: str,
    plan: TimingPlan,
) -> ImplementationTimings:
    # Libraries are loaded before thread pools are limited and recorded.
    for make in makers.values():
        with suppress(Exception, SystemExit):
            make().fit(*arrays[:2])
    try:
        return time_implementations(makers, *arrays, reference=reference, plan=plan)
    except SystemExit as exit_asked_for:
        raise BrokenExecutor from exit_asked_for

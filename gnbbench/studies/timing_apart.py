"""Times of code of others, taken in a process of its own, where it may hang or crash.

All implementations are timed in that one process, side by side, as they would be here:
calls through a pipe would be charged to those that live behind it.
"""

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from concurrent.futures import TimeoutError as TooLateError
from contextlib import suppress
from dataclasses import replace
from typing import Any

from joblib.externals.loky import get_reusable_executor
from numpy.typing import NDArray

from gnbbench.implementations import Implementation
from gnbbench.measurement.operations import ImplementationTimings, time_implementations
from gnbbench.measurement.timing import TimingPlan

# Imports, first calls and the planned budget; nothing that is well takes longer.
LONGEST_SECONDS = 300.0


def time_entries(
    entries: Sequence[Implementation],
    arrays: tuple[NDArray[Any], NDArray[Any], NDArray[Any]],
    *,
    plan: TimingPlan,
    unsafe: Collection[str] = (),
    longest_seconds: float = LONGEST_SECONDS,
) -> ImplementationTimings:
    """Return the times of all implementations, or of those that let it be done.

    Parameters
    ----------
    entries : sequence of Implementation
        The reference first.
    arrays : tuple of ndarray
        ``X_train``, ``y_train``, ``X_test``.
    plan : TimingPlan
    unsafe : collection of str
        Implementations that hung or crashed when they were evaluated; they are not timed.
    longest_seconds : float, default=300
        After which timing code of others is given up.

    Returns
    -------
    ImplementationTimings
        Where the process of the others hung or died, of the rest, timed here; the others
        are among the skipped.
    """
    reference = entries[0].name
    skipped = dict.fromkeys(unsafe, "it hung or crashed in a run")
    safe = [entry for entry in entries if entry.name not in skipped]
    others = [entry.name for entry in safe if entry.direct is not None]
    makers = {entry.name: entry.direct or entry.make for entry in safe}
    if others and reference in makers:
        try:
            timed = _timed_apart(makers, arrays, reference, plan, longest_seconds)
        except (BrokenExecutor, TooLateError) as error:
            late = isinstance(error, TooLateError)
            how = f"took longer than {longest_seconds:g} s" if late else "ended the process"
            skipped |= dict.fromkeys(others, f"timing {how}")
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


def _timed_apart(
    makers: Mapping[str, Callable[[], Any]],
    arrays: tuple[NDArray[Any], ...],
    reference: str,
    plan: TimingPlan,
    longest_seconds: float,
) -> ImplementationTimings:
    executor = get_reusable_executor(max_workers=1, reuse=False, initializer=_hush)
    try:
        future = executor.submit(_timed, makers, arrays, reference, plan)
        result: ImplementationTimings = future.result(timeout=longest_seconds)
        return result
    finally:
        executor.shutdown(wait=True, kill_workers=True)


def _hush() -> None:
    """Send what is printed in this process nowhere: the study's own output is data."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)


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

"""Timings and memory of a comparison, even if third-party code crashes or hangs."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from gnbbench.implementations import Implementation
from gnbbench.implementations.catalogue import Library
from gnbbench.implementations.names import is_elsewhere, is_program
from gnbbench.implementations.programs import process_seconds
from gnbbench.measurement import operations
from gnbbench.measurement.memory import Arrays, memory_use
from gnbbench.measurement.timing import OVERRUN, TimingPlan
from gnbbench.processes import client
from gnbbench.processes.messages import payload
from gnbbench.tracebacks import described, pass_on_interruption
from gnbbench.words import seconds

# Enough for imports, first calls and the planned budget of any sound implementation.
LONGEST_SECONDS = 300.0
# Above this size the cost of starting a process does not matter.
LARGE_BYTES = 2**26

# Prefix of the reason why third-party code is not timed in further processes.
_TIMING_FAILED = "timing"
_CRASHED_IN_A_RUN = "it hung or crashed in a run"


def time_in_processes(
    entries: Sequence[Implementation],
    arrays: Arrays,
    *,
    plan: TimingPlan,
    processes: int = 1,
    crashed_before: Collection[str] = (),
    process: client.FreshProcess | None = None,
) -> operations.ImplementationTimings:
    """Time all implementations, in the given process or repeatedly in fresh ones."""
    parts: list[operations.ImplementationTimings] = []
    fatal: dict[str, str] = {}
    share = plan.shared(processes)
    for place in range(processes):
        part = time_entries(
            entries,
            arrays,
            plan=replace(share, seed=plan.seed + place),
            crashed_before={*crashed_before, *fatal},
            longest_seconds=LONGEST_SECONDS + OVERRUN * share.budget_seconds,
            fresh=processes > 1,
            process=process,
        )
        parts.append(part.with_skipped(fatal))
        # Code that ended one process is not tried in the next.
        fatal |= {k: v for k, v in part.skipped.items() if v.startswith(_TIMING_FAILED)}
    return operations.repeated(parts, plan)


def time_entries(
    entries: Sequence[Implementation],
    arrays: Arrays,
    *,
    plan: TimingPlan,
    crashed_before: Collection[str] = (),
    longest_seconds: float = LONGEST_SECONDS,
    fresh: bool = False,
    process: client.FreshProcess | None = None,
) -> operations.ImplementationTimings:
    """Time all implementations; those that hang or crash are skipped."""
    reference = entries[0].name
    skipped = dict.fromkeys(crashed_before, _CRASHED_IN_A_RUN)
    skipped |= _made_elsewhere(entries)
    for entry in entries:
        if is_program(entry.specification) and entry.name not in skipped:
            skipped[entry.name] = _whole_processes(entry, arrays, longest_seconds)
    safe = [entry for entry in entries if entry.name not in skipped]
    others = [entry.name for entry in safe if entry.direct is not None]
    makers = {entry.name: entry.direct or entry.make for entry in safe}
    if (others or fresh) and reference in makers:
        try:
            plain = (process.call if process else client.in_fresh_process)(
                operations.time_implementations,
                payload(makers),
                *arrays,
                reference=reference,
                plan=payload(plan),
                fresh=True,
                seconds=longest_seconds,
            )
        except client.CallFailure as failure:
            if not others:
                raise
            status, message = client.outcome(failure)
            verb = "failed: " if status == client.CallError.status else ""
            skipped |= dict.fromkeys(others, f"{_TIMING_FAILED} {verb}{message}")
            makers = {name: makers[name] for name in makers if name not in others}
        else:
            return operations.ImplementationTimings(**plain).with_skipped(skipped)
    if reference not in makers:
        left = dict.fromkeys(makers, "the reference cannot be timed")
        return operations.process_timings({}, {**left, **skipped}, plan)
    timed = operations.time_implementations(makers, *arrays, reference=reference, plan=plan)
    return timed.with_skipped(skipped)


def _made_elsewhere(entries: Sequence[Implementation]) -> dict[str, str]:
    """Return the implementations that cannot be measured here, with the reason."""
    names = [entry.name for entry in entries if is_elsewhere(entry.specification)]
    return dict.fromkeys(names, "its predictions were made elsewhere")


def _whole_processes(entry: Implementation, arrays: Arrays, longest_seconds: float) -> str:
    """Describe the time a program takes, which is not comparable to a Python call."""
    makes = payload(entry.direct or entry.make), *arrays
    try:
        both = client.in_fresh_process(process_seconds, *makes, seconds=longest_seconds)
    except client.CallFailure as failure:
        return f"it is a program, and when timed it {client.outcome(failure)[1]}"
    whole, start = map(seconds, both)
    return f"it is a program that takes {whole} in all, and {start} on four rows"


def memory_notes(
    entries: Sequence[Implementation],
    arrays: Arrays,
    *,
    crashed_before: Collection[str] = (),
) -> dict[str, Any]:
    """Measure the memory of every operation of all implementations, ready for JSON."""
    rows: list[dict[str, Any]] = []
    skipped = dict.fromkeys(crashed_before, _CRASHED_IN_A_RUN)
    programs = [entry.name for entry in entries if is_program(entry.specification)]
    skipped |= dict.fromkeys(programs, "it is a program")
    skipped |= _made_elsewhere(entries)
    for entry in entries:
        if entry.name in skipped:
            continue
        try:
            rows += _memory_rows(entry, arrays)
        except client.CallError as error:
            skipped[entry.name] = f"it raised {error.kind}: {error.message}"
        except client.CallFailure as failure:
            skipped[entry.name] = f"it {client.outcome(failure)[1]}"
        except BaseException as error:  # noqa: BLE001  third-party code may raise anything
            pass_on_interruption(error)
            skipped[entry.name] = f"it raised {described(error)}"
    return {"rows": rows, "skipped": skipped}


def _memory_rows(entry: Implementation, arrays: Arrays) -> list[dict[str, Any]]:
    make = entry.direct or entry.make
    is_large = sum(array.nbytes for array in arrays) >= LARGE_BYTES
    if is_large or entry.direct is not None or isinstance(entry.make, Library):
        asked = (entry.name, payload(make), arrays)
        rows: list[dict[str, Any]] = client.in_fresh_process(
            memory_use, *asked, resident=True, seconds=LONGEST_SECONDS
        )
        return rows
    return memory_use(entry.name, make, arrays)

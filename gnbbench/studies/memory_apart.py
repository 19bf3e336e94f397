"""Memory of each implementation, where need be in a fresh process of its own.

A fresh process costs a second, and says what no tracing of Python's allocators can: what
libraries allocate by themselves. It is used for libraries that have allocators of their
own, for code of others that lives in a process of its own anyway, and for all where the
data are large, beside which the second does not count. What runs in yet another process,
such as a Java machine, is not seen.
"""

from collections.abc import Collection, Sequence
from concurrent.futures import BrokenExecutor
from concurrent.futures import TimeoutError as TooLateError
from dataclasses import asdict
from typing import Any

from gnbbench.implementations import Implementation
from gnbbench.implementations.libraries import Library
from gnbbench.measurement.memory import Arrays, MemoryUse, memory_use
from gnbbench.processes.fresh_process import in_fresh_process
from gnbbench.studies.timing_apart import LONGEST_SECONDS

LARGE_BYTES = 2**26


def memory_notes(
    entries: Sequence[Implementation],
    arrays: Arrays,
    *,
    unsafe: Collection[str] = (),
    longest_seconds: float = LONGEST_SECONDS,
) -> dict[str, Any]:
    """Return the memory of every operation of all implementations, ready for JSON."""
    rows: list[dict[str, Any]] = []
    skipped = dict.fromkeys(unsafe, "it hung or crashed in a run")
    for entry in entries:
        if entry.name in skipped:
            continue
        try:
            rows += [asdict(used) for used in _used(entry, arrays, longest_seconds)]
        except (TooLateError, BrokenExecutor) as error:
            late = isinstance(error, TooLateError)
            skipped[entry.name] = (
                f"it took longer than {longest_seconds:g} s"
                if late
                else "it ended the process"
            )
        except (Exception, SystemExit) as error:  # noqa: BLE001  foreign code may raise anything
            skipped[entry.name] = f"it raised {type(error).__name__}: {error}"
    return {"rows": rows, "skipped": skipped}


def _used(entry: Implementation, arrays: Arrays, longest_seconds: float) -> list[MemoryUse]:
    make = entry.direct or entry.make
    if _goes_apart(entry, arrays):
        return in_fresh_process(
            _resident_too, entry.name, make, arrays, seconds=longest_seconds
        )
    return memory_use(entry.name, make, arrays)


def _goes_apart(entry: Implementation, arrays: Arrays) -> bool:
    is_large = sum(array.nbytes for array in arrays) >= LARGE_BYTES
    return is_large or entry.direct is not None or isinstance(entry.make, Library)


def _resident_too(name: str, make: Any, arrays: Arrays) -> list[MemoryUse]:
    return memory_use(name, make, arrays, resident=True)

"""The whole battery on one implementation, each check alone and within a time limit."""

import sys
import time
from collections.abc import Generator, Sequence
from contextlib import closing
from functools import cache
from typing import Any

from gnbbench.conformance.battery import CHECKS, run_check
from gnbbench.conformance.contract import Make
from gnbbench.conformance.result import Check, Conformance, Result
from gnbbench.implementations import Implementation
from gnbbench.implementations.adapting import AdaptedModel
from gnbbench.processes.client import CallCrash, CallFailure, CallTimeout, WorkerProcess
from gnbbench.processes.interruption import pass_on_interruption
from gnbbench.processes.messages import Payload, importable_payload, opened
from gnbbench.tracebacks import described

# How long an interpreter may take to start and to load the implementation.
LOADING_SECONDS = 120.0
HERE = "examined in this process, without a time limit"


def examine(
    entry: Implementation,
    checks: Sequence[Check] = CHECKS,
    *,
    timeout_seconds: float = 30.0,
) -> Conformance:
    """Return what came of every check.

    The implementation is made again in an interpreter of its own, which goes on from check
    to check as long as it behaves. One that hangs is ended, one that dies is replaced, and
    no process is left behind. What cannot be sent to another process (a class defined in a
    notebook, say) is examined in this one; the description says so then.
    """
    description, version = entry.description, ""
    results: list[Result] = []
    try:
        with closing(_examined_apart(entry.make, checks, timeout_seconds)) as examined:
            for result, told in examined:
                results.append(result)
                version = version or told
    except _NotTransferable:
        results = [run_check(check, entry.make) for check in checks]
        version = version_of(entry.make)
        description = f"{description}; {HERE}" if description else HERE
    return Conformance(entry.name, description, version, tuple(results))


class _NotTransferable(Exception):  # noqa: N818  no error: this process does it instead
    """The implementation cannot be made again in another process."""


def _examined_apart(
    make: Make, checks: Sequence[Check], seconds: float
) -> Generator[tuple[Result, str]]:
    """Yield results with a version, by a worker, and by a new one after each that is gone.

    What dies while it is loaded fails them all.
    """
    maker = _payload_of(make)
    worker: WorkerProcess | None = None
    try:
        worker = _loaded_worker(maker)
        for check in checks:
            start = time.perf_counter()
            try:
                if worker is None:
                    worker = _loaded_worker(maker)
                found = worker.call(examine_check, check.id, seconds=seconds)
                version = found.pop("version")
            except (CallFailure, _NotTransferable) as failure:
                if worker is not None:
                    worker.end()
                worker, version = None, ""
                found = _judged(failure, time.perf_counter() - start)
            yield Result(check, **found), version
    except CallFailure as failure:
        found = _judged(failure)
        found["message"] = f"while it was loaded: {found['message']}"
        for check in checks:
            yield Result(check, **found), ""
    finally:
        if worker is not None:
            worker.end()


def _payload_of(make: Make) -> Payload:
    try:
        return importable_payload(make)
    except Exception as error:  # pickling runs code of others
        raise _NotTransferable(described(error)) from error


def _loaded_worker(maker: Payload) -> WorkerProcess:
    worker = WorkerProcess()
    try:
        reason = worker.call(load, [maker], seconds=LOADING_SECONDS)
    except BaseException:
        worker.end()
        raise
    if reason:
        worker.end()
        raise _NotTransferable(reason)
    return worker


def _judged(
    failure: CallFailure | _NotTransferable, seconds: float = 0.0
) -> dict[str, Any]:
    """Return what the end of a worker says of the implementation."""
    outcome, message = "crash", str(failure)
    if isinstance(failure, CallTimeout):
        outcome, message = "timeout", f"no answer within {failure.seconds:g} s"
    elif isinstance(failure, CallCrash):
        message = f"the process {failure.how}".replace("was ended by", "died of")
    return {"outcome": outcome, "measured": None, "message": message, "seconds": seconds}


# Of this process: the one implementation that is examined.
_makers: list[Make] = []


def load(given: list[Payload]) -> str:
    """Take the maker of models; return why that cannot be done here, or nothing."""
    try:
        _makers[:] = [opened(maker) for maker in given]
    except BaseException as error:  # noqa: BLE001  loading runs code of others
        pass_on_interruption(error)
        return described(error)
    return ""


def examine_check(check_id: str) -> dict[str, Any]:
    """Return what came of one check, as a result has it, and the package's version."""
    (check,) = (check for check in CHECKS if check.id == check_id)
    (make,) = _makers
    found = dict(vars(run_check(check, make)), version=version_of(make))
    del found["check"]
    if found["measured"] is not None:
        found["measured"] = float(found["measured"])
    return found


@cache
def version_of(make: Make) -> str:
    """Return the version of the package that a model comes from."""
    if hasattr(make, "version"):
        return str(make.version or "")
    try:
        module = type(make()).__module__
    except Exception:  # noqa: BLE001  every check will tell it
        return ""
    # What wraps code of others is no part of what is examined.
    if module == AdaptedModel.__module__:
        return ""
    return str(getattr(sys.modules.get(module.partition(".")[0]), "__version__", ""))

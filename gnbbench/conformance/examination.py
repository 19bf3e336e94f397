"""The whole battery on one implementation, each check alone and within a time limit."""

import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any, Self

from gnbbench.conformance.battery import CHECKS, run_check
from gnbbench.conformance.contract import Make
from gnbbench.conformance.result import Check, Conformance, Outcome, Result
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
    description = entry.description
    try:
        with _Apart(entry, timeout_seconds) as apart:
            results = tuple(apart.results(checks))
            version = apart.version or ""
    except _NotTransferable:
        results = tuple(run_check(check, entry.make) for check in checks)
        version = version_of(entry.make)
        description = f"{description}; {HERE}" if description else HERE
    return Conformance(entry.name, description, version, results)


class _NotTransferable(Exception):  # noqa: N818  no error: this process does it instead
    """The implementation cannot be made again in another process."""


class _Apart:
    """Checks carried out by a worker, and by a new one after each that is gone."""

    def __init__(self, entry: Implementation, timeout_seconds: float) -> None:
        self.version: str | None = None
        self._maker = _payload_of(entry.make)
        self._timeout_seconds = timeout_seconds
        self._worker: WorkerProcess | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end_worker()

    def results(self, checks: Sequence[Check]) -> Iterator[Result]:
        """Yield the result of each check; what dies while it is loaded fails them all."""
        try:
            self._worker = self._loaded_worker()
        except CallFailure as failure:
            outcome, message = _judged(failure)
            for check in checks:
                yield Result(check, outcome, None, f"while it was loaded: {message}", 0.0)
            return
        for check in checks:
            yield self._result(check)

    def _result(self, check: Check) -> Result:
        start, seconds = time.perf_counter(), self._timeout_seconds
        try:
            worker = self._worker = self._worker or self._loaded_worker()
            found = worker.call(examine_check, check.id, seconds=seconds)
            if self.version is None:
                self.version = str(worker.call(loaded_version, seconds=seconds))
        except (CallFailure, _NotTransferable) as failure:
            self._end_worker()
            outcome, message = _judged(failure)
            return Result(check, outcome, None, message, time.perf_counter() - start)
        return Result(check, **found)

    def _loaded_worker(self) -> WorkerProcess:
        worker = WorkerProcess()
        try:
            reason = worker.call(load, [self._maker], seconds=LOADING_SECONDS)
        except BaseException:
            worker.end()
            raise
        if reason:
            worker.end()
            raise _NotTransferable(reason)
        return worker

    def _end_worker(self) -> None:
        if self._worker is not None:
            self._worker.end()
        self._worker = None


def _payload_of(make: Make) -> Payload:
    """Return the maker; what a worker could not import is examined in this process."""
    try:
        return importable_payload(make)
    except Exception as error:  # pickling runs code of others
        raise _NotTransferable(described(error)) from error


def _judged(failure: CallFailure | _NotTransferable) -> tuple[Outcome, str]:
    """Return what the end of a worker says of the implementation."""
    if isinstance(failure, CallTimeout):
        return "timeout", f"no answer within {failure.seconds:g} s"
    if isinstance(failure, CallCrash):
        return "crash", f"the process {failure.how}".replace("was ended by", "died of")
    return "crash", str(failure)


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
    """Return what came of one check, under the names that a result has for it."""
    (check,) = (check for check in CHECKS if check.id == check_id)
    (make,) = _makers
    result = run_check(check, make)
    found = {name: value for name, value in vars(result).items() if name != "check"}
    measured = result.measured
    return {**found, "measured": None if measured is None else float(measured)}


def loaded_version() -> str:
    """Return the version of the package that the implementation comes from."""
    (make,) = _makers
    return version_of(make)


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

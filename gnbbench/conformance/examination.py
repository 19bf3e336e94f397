"""The whole battery on one implementation, each check alone and within a time limit."""

import time
from collections.abc import Iterator, Sequence
from typing import Self

from gnbbench.conformance.battery import CHECKS, one_line, run_check
from gnbbench.conformance.contract import Make
from gnbbench.conformance.result import Check, Conformance, Outcome, Result
from gnbbench.conformance.worker import (
    examine_check,
    load,
    loaded_version,
    version_of,
)
from gnbbench.implementations import Implementation
from gnbbench.processes.client import CallCrash, CallFailure, CallTimeout, WorkerProcess
from gnbbench.processes.messages import Payload, importable_payload

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
        raise _NotTransferable(one_line(error)) from error


def _judged(failure: CallFailure | _NotTransferable) -> tuple[Outcome, str]:
    """Return what the end of a worker says of the implementation."""
    if isinstance(failure, CallTimeout):
        return "timeout", f"no answer within {failure.seconds:g} s"
    if isinstance(failure, CallCrash):
        return "crash", f"the process {failure.how}".replace("was ended by", "died of")
    return "crash", str(failure)

"""The whole battery on one implementation, each check alone and within a time limit."""

import time
from collections.abc import Iterable, Iterator
from typing import Self

from gnbbench.conformance.battery import CHECKS
from gnbbench.conformance.judgement import run_check
from gnbbench.conformance.result import Check, Conformance, Result
from gnbbench.conformance.worker import (
    NotTransferable,
    Worker,
    WorkerGone,
    version_of,
)
from gnbbench.errors import OptionError
from gnbbench.implementations import Implementation
from gnbbench.implementations.libraries import check_installed

HERE = "examined in this process, without a time limit"


def examine(
    entry: Implementation,
    *,
    only: Iterable[str] | None = None,
    timeout_seconds: float = 30.0,
) -> Conformance:
    """Return what came of every check of the battery.

    The implementation is made again in an interpreter of its own, which goes on from check
    to check as long as it behaves. One that hangs is ended, one that dies is replaced, and
    no process is left behind. What cannot be sent to another process (a class defined in a
    notebook, say) is examined in this one; the description says so then.
    """
    checks = _chosen(only)
    if not timeout_seconds > 0.0:
        raise OptionError(
            "--timeout", f"{timeout_seconds:g} is no time", "Give seconds above 0."
        )
    check_installed(entry)
    description = entry.description
    try:
        with _Apart(entry, timeout_seconds) as apart:
            results = tuple(apart.results(checks))
            version = apart.version or ""
    except NotTransferable:
        results = tuple(run_check(check, entry.make) for check in checks)
        version = version_of(entry.make)
        description = f"{description}; {HERE}" if description else HERE
    return Conformance(entry.name, description, version, results)


class _Apart:
    """Checks carried out by a worker, and by a new one after each that is gone."""

    def __init__(self, entry: Implementation, timeout_seconds: float) -> None:
        self.version: str | None = None
        self._make = entry.make
        self._timeout_seconds = timeout_seconds
        self._worker: Worker | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._let_go()

    def results(self, checks: tuple[Check, ...]) -> Iterator[Result]:
        """Yield the result of each check; what dies while it is loaded fails them all."""
        try:
            self._worker = Worker(self._make)
        except WorkerGone as gone:
            for check in checks:
                yield Result(check, gone.outcome, None, f"while it was loaded: {gone}", 0.0)
            return
        for check in checks:
            yield self._result(check)

    def _result(self, check: Check) -> Result:
        start = time.perf_counter()
        try:
            worker = self._worker = self._worker or Worker(self._make)
            answer = worker.examine(check.id, self._timeout_seconds)
            if self.version is None:
                self.version = worker.version(self._timeout_seconds)
        except (WorkerGone, NotTransferable) as gone:
            self._let_go()
            outcome = gone.outcome if isinstance(gone, WorkerGone) else "crash"
            seconds = time.perf_counter() - start
            return Result(check, outcome, None, str(gone), seconds)
        outcome, measured, message, seconds = answer
        return Result(check, outcome, measured, message, seconds)

    def _let_go(self) -> None:
        if self._worker is not None:
            self._worker.close()
        self._worker = None


def _chosen(only: Iterable[str] | None) -> tuple[Check, ...]:
    if only is None:
        return CHECKS
    wanted = set(only)
    unknown = sorted(wanted - {check.id for check in CHECKS})
    if unknown:
        raise OptionError(
            "--only",
            f"'{unknown[0]}' is no check",
            "Name checks as the table of the battery does.",
        )
    return tuple(check for check in CHECKS if check.id in wanted)

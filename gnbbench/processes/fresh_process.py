"""Fresh processes in which measurements are taken, one after the other."""

import os
from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from concurrent.futures import TimeoutError as TooLateError
from types import TracebackType
from typing import Any, Self, TypeVar

from joblib.externals.loky import get_reusable_executor

T = TypeVar("T")


class ProcessLostError(Exception):
    """The process died or did not answer in time; it was ended."""

    def __init__(self, status: str, message: str) -> None:
        super().__init__(message)
        self.status = status


class FreshProcess:
    """One process that prints nothing; started when it is first asked, and after a loss."""

    def __init__(self) -> None:
        self._executor: Any = None

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End the process."""
        self.end()

    def ask(self, function: Callable[..., T], *given: Any, seconds: float) -> T:
        """Return what a function returns there; the process ends if it does not."""
        if self._executor is None:
            self._executor = get_reusable_executor(
                max_workers=1, reuse=False, initializer=_hush, timeout=None
            )
        try:
            result: T = self._executor.submit(function, *given).result(timeout=seconds)
        except BaseException:
            self.end()
            raise
        return result

    def call(self, function: Callable[..., T], *given: Any, seconds: float) -> T:
        """what a function returns there, or say in words how the process was lost."""
        try:
            return self.ask(function, *given, seconds=seconds)
        except TooLateError:
            raise ProcessLostError("timeout", f"took longer than {seconds:.3g} s") from None
        except (BrokenExecutor, SystemExit):
            raise ProcessLostError("crash", "ended the process") from None

    def end(self) -> None:
        """End the process at once, if there is one."""
        executor, self._executor = self._executor, None
        if executor is not None:
            executor.shutdown(wait=True, kill_workers=True)


def in_fresh_process(function: Callable[..., T], *given: Any, seconds: float) -> T:
    """Return what a function returns in a process of its own, which prints nothing."""
    with FreshProcess() as process:
        return process.ask(function, *given, seconds=seconds)


def _hush() -> None:
    """Send what is printed in this process nowhere: the study's own output is data."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)

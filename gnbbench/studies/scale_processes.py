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
    """The process died or did not answer in time; it was ended.

    Parameters
    ----------
    status : {"crash", "timeout"}
    message : str
    """

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

    def call(self, function: Callable[..., T], *given: Any, seconds: float) -> T:
        """Return what a function returns there.

        Parameters
        ----------
        function : callable
            Importable by name.
        *given : object
            Its arguments; they are sent there.
        seconds : float
            After which it is given up.

        Returns
        -------
        object

        Raises
        ------
        ProcessLostError
            If the process dies or takes longer.
        """
        if self._executor is None:
            self._executor = get_reusable_executor(
                max_workers=1, reuse=False, initializer=_hush, timeout=None
            )
        try:
            result: T = self._executor.submit(function, *given).result(timeout=seconds)
        except TooLateError:
            self.end()
            raise ProcessLostError("timeout", f"took longer than {seconds:.3g} s") from None
        except (BrokenExecutor, SystemExit):
            self.end()
            raise ProcessLostError("crash", "ended the process") from None
        except BaseException:
            self.end()
            raise
        return result

    def end(self) -> None:
        """End the process at once, if there is one."""
        executor, self._executor = self._executor, None
        if executor is not None:
            executor.shutdown(wait=True, kill_workers=True)


def _hush() -> None:
    """Send what is printed in this process nowhere: the study's own output is data."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)

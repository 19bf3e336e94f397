"""An interpreter of its own for code of others, that can hang, die or print at will."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from typing import Any, Self

from gnbbench.conformance.battery import CHECKS
from gnbbench.conformance.contract import Make
from gnbbench.conformance.judgement import one_line, run_check
from gnbbench.conformance.result import Outcome
from gnbbench.implementations.functions import FunctionEstimator

LOADING_SECONDS = 120.0
"""How long an interpreter may take to start and to load the implementation."""

# What goes back for one check: outcome, measured, message, seconds.
Answer = tuple[Outcome, float | None, str, float]


class NotTransferable(Exception):  # noqa: N818  no error: this process does it instead
    """The implementation cannot be made again in another process."""


class WorkerGone(Exception):  # noqa: N818  a finding about the implementation
    """The interpreter hung or died."""

    def __init__(self, outcome: Outcome, message: str) -> None:
        super().__init__(message)
        self.outcome = outcome


class Worker:
    """A child process that examines one implementation, check by check.

    To be used in a ``with`` statement, at whose end the process and all that it started
    are gone.
    """

    def __init__(self, make: Make) -> None:
        luggage = _packed(make)
        self._connection, theirs = Pipe()
        with theirs:
            # A session of its own, so that one signal ends whatever it starts itself.
            self._process = subprocess.Popen(  # noqa: S603  our interpreter, our code
                [sys.executable, "-c", _program(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        try:
            self._load(luggage)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def examine(self, check_id: str, timeout_seconds: float) -> Answer:
        """Return what came of one check."""
        answer: Answer = self._ask(check_id, timeout_seconds)
        return answer

    def version(self, timeout_seconds: float) -> str:
        """Return the version of the package that the model's class comes from."""
        return str(self._ask(None, timeout_seconds))

    def close(self) -> None:
        """End the process and all that it started."""
        self._connection.close()
        # It may have ended by itself, and all that it started with it.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _load(self, luggage: bytes) -> None:
        reason = self._ask((sys.path, luggage), LOADING_SECONDS)
        if reason:
            raise NotTransferable(reason)

    def _ask(self, question: Any, timeout_seconds: float) -> Any:
        try:
            self._connection.send(question)
            if self._connection.poll(timeout_seconds):
                return self._connection.recv()
        except (EOFError, OSError) as end:
            raise self._death() from end
        # Where a grandchild holds the pipe open, a death shows here alone.
        if self._process.poll() is not None:
            raise self._death()
        raise WorkerGone("timeout", f"no answer within {timeout_seconds:g} s")

    def _death(self) -> WorkerGone:
        code = self._process.wait()
        if code < 0:
            return WorkerGone("crash", f"the process died of {signal.Signals(-code).name}")
        return WorkerGone("crash", f"the process ended with exit code {code}")


def serve(descriptor: int) -> None:
    """Answer questions on a pipe until it closes; what the child process does."""
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    connection: Connection[Any, Any] = Connection(descriptor)
    path, luggage = connection.recv()
    sys.path[:] = path
    try:
        make = ForkingPickler.loads(luggage)
    except Exception as error:  # noqa: BLE001  loading runs code of others
        connection.send(one_line(error))
        return
    connection.send("")
    checks = {check.id: check for check in CHECKS}
    while True:
        try:
            question = connection.recv()
        except EOFError:
            return
        if question is None:
            connection.send(version_of(make))
        else:
            result = run_check(checks[question], make)
            connection.send(
                (result.outcome, result.measured, result.message, result.seconds)
            )


def version_of(make: Make) -> str:
    """Return the version of the package that a model comes from."""
    if hasattr(make, "version"):
        return str(make.version or "")
    try:
        module = type(make()).__module__
    except Exception:  # noqa: BLE001  every check will tell it
        return ""
    # What wraps code of others is no part of what is examined.
    if module == FunctionEstimator.__module__:
        return ""
    return str(getattr(sys.modules.get(module.partition(".")[0]), "__version__", ""))


def _packed(make: Make) -> bytes:
    try:
        return bytes(ForkingPickler.dumps(make))
    except Exception as error:  # pickling runs code of others
        raise NotTransferable(one_line(error)) from error


def _program(descriptor: int) -> str:
    return f"from gnbbench.conformance.worker import serve; serve({descriptor})"


def _end_with(parent: int) -> None:
    """End this process and all that it started when its parent is gone, hung or not."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os.killpg(0, signal.SIGKILL)

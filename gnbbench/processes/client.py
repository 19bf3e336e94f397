"""The study's side of a worker process: calls with a time limit, and how they fail."""

import builtins
import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
import weakref
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, ClassVar

from gnbbench.processes import messages

_SUPERVISOR = Path(__file__).with_name("supervisor.py")
SUPERVISED = hasattr(os, "fork")  # Windows has no such call
_ENDING_SECONDS = 10.0
_REPORT_SECONDS = 1.0
# Limit of an answer: probabilities of a million samples and 250 classes.
MOST_BYTES = 2**31

NO_ANSWER = "the answer was not sent by gnbbench"
# The fields of an error in an answer.
FAULT = {"type": "", "message": "", "user_error": False}
# One thread per worker, as in a study's own processes, unless the user set these.
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"
)


class CallFailure(Exception):  # noqa: N818  the name says what happened
    """Base class of failed calls; status and message go into the records."""

    status: ClassVar[str]


class CallTimeout(CallFailure):
    """The call exceeded its time limit, and its process was killed."""

    status = "timeout"

    def __init__(self, what: str, seconds: float) -> None:
        super().__init__(f"{what} did not answer within {seconds:g} s")
        self.seconds = seconds


class CallCrash(CallFailure):
    """The process ended during the call."""

    status = "crash"

    def __init__(self, what: str, how: str) -> None:
        super().__init__(f"{what}: its process {how}")
        self.how = how


class CallError(CallFailure):
    """The call raised, or returned something other than plain data."""

    status = "error"

    def __init__(self, kind: str, message: str, *, user_error: bool = False) -> None:
        super().__init__(message if user_error else f"{kind}: {message}")
        self.kind = kind
        self.message = message
        self.user_error = user_error


def outcome(failure: CallFailure) -> tuple[str, str]:
    """Return the status and message of a measurement that failed in a subprocess."""
    if isinstance(failure, CallTimeout):
        return failure.status, f"took longer than {failure.seconds:.3g} s"
    if isinstance(failure, CallError) and failure.kind != SystemExit.__name__:
        return failure.status, str(failure)
    return CallCrash.status, "ended the process"


class WorkerProcess:
    """A worker and its supervisor, which end with this object or this process."""

    def __init__(
        self,
        *,
        environment: Mapping[str, str] = MappingProxyType({}),
        relays_warnings: bool = False,
    ) -> None:
        """Start it; the user's environment overrides `environment`."""
        start = _started if SUPERVISED else _started_alone
        self._process, self._channel = start({**environment, **os.environ})
        self._relays_warnings = relays_warnings
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self.end = weakref.finalize(self, _end, self._process, self._channel, self._owner)

    @property
    def usable(self) -> bool:
        """Whether this process can still call the worker."""
        return self.end.alive and self._owner == os.getpid()

    def call(
        self,
        function: Callable[..., Any],
        *arguments: Any,
        seconds: float,
        what: str = "",
        **named: Any,
    ) -> Any:
        """Call a function in the worker; return plain data: numbers, strings, arrays.

        The function is sent by name; arguments are plain data or payloads. After a
        `CallError` the worker can be called again; after other failures it has ended.
        """
        what = what or function.__name__
        request = {
            "function": [function.__module__, function.__qualname__],
            "arguments": arguments,
            "named": named,
            "warnings": self._relays_warnings,
        }
        with self._lock:
            if not self.usable:
                raise CallCrash(what, "has ended before")
            answer = self._exchanged(messages.packed(request), what, seconds)
        for name, text in answer["warnings"]:
            kind: Any = getattr(builtins, name, None)
            is_warning = isinstance(kind, type) and issubclass(kind, Warning)
            warnings.warn(text, kind if is_warning else UserWarning, stacklevel=4)
        if "error" in answer:
            error = answer["error"]
            raise CallError(error["type"], error["message"], user_error=error["user_error"])
        return answer["answer"]

    def _exchanged(self, request: Any, what: str, seconds: float) -> dict[str, Any]:
        deadline = time.monotonic() + seconds
        try:
            self._channel.send(request, deadline)
            answer = messages.unpacked(self._channel.receive(deadline, MOST_BYTES))
        except messages.ChannelTimeoutError:
            self.end()
            raise CallTimeout(what, seconds) from None
        except messages.ChannelClosedError:
            how = _how_it_ended(self._process)
            self.end()
            raise CallCrash(what, how) from None
        except ValueError as error:
            self.end()
            raise CallError("ValueError", f"the answer cannot be read: {error}") from None
        except BaseException:
            # Otherwise the answer would be mistaken for that to the next request.
            self.end()
            raise
        if not _is_an_answer(answer):
            self.end()
            raise CallError("ValueError", NO_ANSWER)
        return dict(answer)


def _is_an_answer(answer: Any) -> bool:
    """Return whether this has the form of a worker's answer, whatever its content."""
    if not isinstance(answer, dict) or answer.keys() - {"answer", "error"} != {"warnings"}:
        return False
    error, warned = answer.get("error", FAULT), answer["warnings"]
    is_fault = isinstance(error, dict) and error.keys() == FAULT.keys()
    texts = (
        [*warned, list(error.values())[:2]] if is_fault and isinstance(warned, list) else []
    )
    return len(answer) == 2 and bool(texts) and all(_are_two_texts(pair) for pair in texts)


def _are_two_texts(pair: Any) -> bool:
    is_pair = isinstance(pair, list) and len(pair) == 2
    return is_pair and all(isinstance(text, str) for text in pair)


class FreshProcess(contextlib.AbstractContextManager["FreshProcess"]):
    """A worker for measurements, started on the first call and again after a failure."""

    begin: Callable[[WorkerProcess], None] | None = None  # Prepares each process
    _worker: WorkerProcess | None = None

    def __exit__(self, *_: object) -> None:
        self.end()

    def call(
        self, function: Callable[..., Any], *arguments: Any, seconds: float, **named: Any
    ) -> Any:
        """Call a function in the process; a failure ends the process."""
        try:
            return self.started().call(function, *arguments, seconds=seconds, **named)
        except BaseException:
            self.end()
            raise

    def started(self) -> WorkerProcess:
        """Return the prepared process."""
        if self._worker is None:
            self._worker = WorkerProcess()
            if self.begin is not None:
                self.begin(self._worker)
        return self._worker

    def end(self) -> None:
        """End the process at once, if there is one."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.end()


def in_fresh_process(
    function: Callable[..., Any], *arguments: Any, seconds: float, **named: Any
) -> Any:
    """Call a function in a subprocess, whose output is discarded."""
    with FreshProcess() as process:
        return process.call(function, *arguments, seconds=seconds, **named)


Started = tuple[subprocess.Popen[bytes], messages.Channel]


def _started(environment: Mapping[str, str]) -> Started:
    """Start a supervisor, in a session that Ctrl-C does not reach."""
    requests, sending = os.pipe()
    receiving, answers = os.pipe()
    serve = _serving(f"Channel({requests}, {answers})")
    supervise = (
        f"import runpy; runpy.run_path({str(_SUPERVISOR)!r})['supervise']"
        f"({requests}, {answers}, {[sys.executable, '-c', serve]!r})"
    )
    try:
        process = subprocess.Popen(  # noqa: S603  our own interpreter and code
            [sys.executable, "-I", "-S", "-c", supervise],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=(requests, answers),
            start_new_session=True,
            env=environment,
        )
    except BaseException:
        os.close(sending)
        os.close(receiving)
        raise
    finally:
        os.close(requests)
        os.close(answers)
    report = _pipes(process)[1].fileno()
    return process, messages.Channel(receiving, sending, alarm=report)


def _started_alone(environment: Mapping[str, str]) -> Started:
    """Start a worker without a supervisor, on systems without fork."""
    process = subprocess.Popen(  # noqa: S603  our own interpreter and code
        [sys.executable, "-c", _serving("standard_channel()")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # No Ctrl-C
        cwd=tempfile.gettempdir(),  # For relative paths in third-party code
        env=environment,
    )
    sending, receiving = (pipe.fileno() for pipe in _pipes(process))
    end = partial(_kill_tree, process)
    return process, messages.BlockingChannel(receiving, sending, end)


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    """Return the pipes to standard input and from standard output."""
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("the process has no pipes")
    return process.stdin, process.stdout


def _serving(channel: str) -> str:
    """Return the source of a worker that answers on a channel."""
    places = [str(Path(place).absolute()) for place in sys.path]
    return (
        f"import sys; sys.path[:] = {places!r}; from gnbbench.processes import messages; "
        f"from gnbbench.processes.worker import serve; serve(messages.{channel})"
    )


def _end(process: subprocess.Popen[bytes], channel: messages.Channel, owner: int) -> None:
    """End the worker and all its children, and wait for them."""
    if owner == os.getpid() and not SUPERVISED:
        _kill_tree(process)
    channel.close()
    for pipe in _pipes(process):
        with contextlib.suppress(OSError):
            pipe.close()
    if owner != os.getpid():
        return  # A forked copy, whose parent owns the worker
    try:
        process.wait(_ENDING_SECONDS)
    except subprocess.TimeoutExpired:
        # The kernel kills the worker together with its supervisor.
        process.kill()
        process.wait()


def _kill_tree(process: subprocess.Popen[bytes]) -> None:
    """Kill a worker and its children, as far as Windows knows them."""
    if process.poll() is None and (program := shutil.which("taskkill")):
        words = [program, "/F", "/T", "/PID", str(process.pid)]
        subprocess.run(words, capture_output=True, check=False)  # noqa: S603  of Windows
    process.kill()


def _how_it_ended(process: subprocess.Popen[bytes]) -> str:
    """Describe how the worker ended, from its supervisor's report or its exit code."""
    words: list[str] = []
    if SUPERVISED:
        report = _pipes(process)[1]
        ready, _, _ = select.select([report], [], [], _REPORT_SECONDS)
        words = os.read(report.fileno(), 100).decode().split() if ready else []
    else:
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = process.wait(_REPORT_SECONDS)
            words = ["signal", str(-code)] if code < 0 else ["exit", str(code)]
    if len(words) != 2:
        return "stopped answering"
    if words[0] == "exit":
        return f"ended with exit code {words[1]}"
    if words[0] == "processes":
        return f"was ended, since it had started more than {words[1]} processes"
    try:
        return f"was ended by {signal.Signals(int(words[1])).name}"
    except ValueError:  # Real-time signals have no names
        return f"was ended by signal {words[1]}"

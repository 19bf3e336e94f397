"""Supervise one worker process and leave no process behind.

This runs as a separate process, with only the standard library, between a study and the
worker. Only then does the worker always end with the study, together with all processes
it started: on Linux, orphans become children of the supervisor, as of an init
process.
"""

import contextlib
import ctypes
import os
import select
import shutil
import signal
import sys
import tempfile
from pathlib import Path

_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of Linux
_SET_CHILD_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
_STUDY, _REPORT = 0, 1
# Maximum of processes that a worker may start; more would stall the machine.
MOST_PROCESSES = 256
_LOOK_SECONDS = 0.2  # Copies that copy themselves double in milliseconds


def supervise(requests: int, answers: int, command: list[str]) -> None:
    """Run a worker until it or the study ends; then kill all processes it started.

    Descriptor 0 is a pipe that the study holds open while it needs the worker. On
    descriptor 1 the supervisor reports how a worker ended, such as "exit 3" or "signal 11".
    """
    _process_control(_SET_CHILD_SUBREAPER, 1)
    ended, alarm = os.pipe()
    os.set_blocking(alarm, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(alarm, warn_on_full_buffer=False)
    # For relative paths in third-party code.
    directory = tempfile.mkdtemp(prefix="gnbbench-")
    os.chdir(directory)
    worker = os.fork()
    if worker == 0:
        _become(requests, answers, command)
    os.close(requests)
    os.close(answers)
    report = ""
    while not report:
        ready = select.select([_STUDY, ended], [], [], _LOOK_SECONDS)[0]
        if _STUDY in ready:
            break
        if ended in ready:
            os.read(ended, 4096)
            report = _report_on(worker)
        elif _has_too_many(os.getpid()):
            report = f"processes {MOST_PROCESSES}"
    with contextlib.suppress(BrokenPipeError):
        os.write(_REPORT, report.encode())
    _end_all(worker)
    os.chdir("/")
    shutil.rmtree(directory, ignore_errors=True)


def _become(requests: int, answers: int, command: list[str]) -> None:
    """Turn this forked child into the worker."""
    supervisor = os.getppid()
    os.setsid()
    _process_control(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    for descriptor in (requests, answers):
        os.set_inheritable(descriptor, True)  # noqa: FBT003  positional only
    os.environ["TMPDIR"] = str(Path.cwd())  # What a killed worker leaves there is removed
    # Background jobs of a shell ignore Ctrl-C, and Python would not handle it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _restrain()
    try:
        if os.getppid() == supervisor:
            os.execv(command[0], command)  # noqa: S606  no shell is wanted
    finally:
        # After a failed start, or without its supervisor, the child must not continue.
        os.kill(os.getpid(), signal.SIGKILL)


def _restrain() -> None:
    """Disable core files, and make the worker the first victim when memory runs out."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_bytes(b"1000")


def _process_control(option: int, value: int) -> None:
    """Call prctl on Linux."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _report_on(worker: int) -> str:
    """Return how the worker ended, empty while it runs; reap dead orphans."""
    with contextlib.suppress(ChildProcessError):
        while True:
            ended, status = os.waitpid(-1, os.WNOHANG)
            if ended == worker and os.WIFSIGNALED(status):
                return f"signal {os.WTERMSIG(status)}"
            if ended == worker:
                return f"exit {os.WEXITSTATUS(status)}"
            if ended == 0:
                return ""
    return ""


def _end_all(worker: int) -> None:
    """Kill the worker's process group, then children until none is left."""
    with contextlib.suppress(OSError):
        os.killpg(worker, signal.SIGKILL)
    while children := _started_by(os.getpid()):
        for child in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        for child in children:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(child, 0)


def _has_too_many(process: int) -> bool:
    """Return whether too many processes descend from this one."""
    left, count = [process], 0
    while left and count <= MOST_PROCESSES:
        children = _started_by(left.pop())
        count, left = count + len(children), left + children
    return count > MOST_PROCESSES


def _started_by(process: int) -> list[int]:
    """Return the children of a process; only Linux knows them."""
    children: list[int] = []
    for threads in Path(f"/proc/{process}/task").glob("*/children"):
        with contextlib.suppress(OSError):  # A thread may have ended
            children += map(int, threads.read_text(encoding="ascii").split())
    return children

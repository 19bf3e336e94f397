"""Supervises one worker process, and leaves no process behind.

It runs as a separate process, with the standard library alone, between a study and the
worker. Only so can the worker end with the study in every case, and with it all processes
that it started: on Linux such orphans become children of the supervisor, as of an init
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


def supervise(requests: int, answers: int, command: list[str]) -> None:
    """Run a worker until it or the study ends; then end all processes that it started.

    Descriptor 0 is a pipe that the study holds open while it needs the worker. On
    descriptor 1 the supervisor reports how a worker ended, such as "exit 3" or "signal 11".
    """
    _process_control(_SET_CHILD_SUBREAPER, 1)
    ended, alarm = os.pipe()
    os.set_blocking(alarm, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(alarm, warn_on_full_buffer=False)
    # Relative paths of third-party code lead here.
    directory = tempfile.mkdtemp(prefix="gnbbench-")
    os.chdir(directory)
    worker = os.fork()
    if worker == 0:
        _become(requests, answers, command)
    os.close(requests)
    os.close(answers)
    status = None
    while status is None and _STUDY not in select.select([_STUDY, ended], [], [])[0]:
        os.read(ended, 4096)
        status = _status_of(worker)
    if status is not None:
        report = f"exit {os.WEXITSTATUS(status)}"
        if os.WIFSIGNALED(status):
            report = f"signal {os.WTERMSIG(status)}"
        with contextlib.suppress(BrokenPipeError):
            os.write(_REPORT, report.encode())
    _end_all(worker)
    os.chdir("/")
    shutil.rmtree(directory, ignore_errors=True)


def _become(requests: int, answers: int, command: list[str]) -> None:
    """Turn this fresh child into the worker."""
    supervisor = os.getppid()
    os.setsid()
    _process_control(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    for descriptor in (requests, answers):
        os.set_inheritable(descriptor, True)  # noqa: FBT003  positional only
    # Background jobs of a shell ignore Ctrl-C, so that Python would not handle it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _restrain()
    try:
        if os.getppid() == supervisor:
            os.execv(command[0], command)  # noqa: S606  no shell is wanted
    finally:
        # After a failed start, or without its supervisor, the child must not go on.
        os.kill(os.getpid(), signal.SIGKILL)


def _restrain() -> None:
    """Let the worker write no core file, and be killed first when memory runs out."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


def _process_control(option: int, value: int) -> None:
    """Call prctl, which only Linux has."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _status_of(worker: int) -> int | None:
    """Return how the worker ended, None while it runs; reap orphans that ended."""
    while True:
        try:
            ended, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return None
        if ended == worker:
            return status
        if ended == 0:
            return None


def _end_all(worker: int) -> None:
    """Kill the worker's group, then children until there are none."""
    with contextlib.suppress(OSError):
        os.killpg(worker, signal.SIGKILL)
    while children := _children():
        for child in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(-1, 0)


def _children() -> list[int]:
    """Return the children of this process; none except on Linux."""
    children = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = entry.read_text(errors="replace").rpartition(")")[2].split()[1]
        except OSError:  # it has ended, or belongs to another user
            continue
        if int(parent) == os.getpid():
            children.append(int(entry.parent.name))
    return children

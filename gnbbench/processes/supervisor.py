"""Keeps one worker process, and leaves none behind.

Runs as a process of its own, of the standard library alone, between a study and the worker.
It alone can see to it that the worker ends with the study however that ends, and that what
the worker started ends too: such orphans become the supervisor's children (Linux), as they
become those of an init process.
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
    """Run a worker until it or the study ends; then end all that it started.

    Descriptor 0 is a pipe that the study holds open while it wants the worker. On
    descriptor 1 the supervisor says how a worker ended by itself, such as "exit 3" or
    "signal 11".
    """
    _process_control(_SET_CHILD_SUBREAPER, 1)
    ended, alarm = os.pipe()
    os.set_blocking(alarm, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(alarm, warn_on_full_buffer=False)
    # What code of others reads and writes by a relative path, it finds and leaves here.
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
    # In the background a shell has all ignore Ctrl-C; Python then raises nothing for it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _restrain()
    try:
        if os.getppid() == supervisor:
            os.execv(command[0], command)  # noqa: S606  no shell is wanted
    finally:
        # Neither a failed start nor a supervisor that is gone may lead back into its code.
        os.kill(os.getpid(), signal.SIGKILL)


def _restrain() -> None:
    """Have the worker write no core file, and go first when memory runs out."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


def _process_control(option: int, value: int) -> None:
    """Call prctl, which Linux alone has."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _status_of(worker: int) -> int | None:
    """Return how the worker ended, None while it runs; orphans that ended are let go."""
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
    """End the worker's group, then whatever children there are until there are none."""
    with contextlib.suppress(OSError):
        os.killpg(worker, signal.SIGKILL)
    while children := _children():
        for child in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(-1, 0)


def _children() -> list[int]:
    """Return the processes whose parent is this one (Linux; elsewhere none are seen)."""
    children = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = entry.read_text(errors="replace").rpartition(")")[2].split()[1]
        except OSError:  # it ended meanwhile, or is another user's
            continue
        if int(parent) == os.getpid():
            children.append(int(entry.parent.name))
    return children

"""Takes from gnbbench, in each process that finds it, what macOS or Windows do not have.

Other packages see the system as it is: they know those systems themselves.
"""

import builtins
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

SYSTEM = os.environ.get("GNBBENCH_TESTED_AS", "")  # Empty where it is only looked at
POSIX = "fork register_at_fork writev set_blocking killpg setsid sysconf getloadavg"
SIGNALS = "SIGKILL SIGHUP SIGCHLD SIGXFSZ set_wakeup_fd"


def _refused(*_: Any, **__: Any) -> None:
    raise OSError(10038, "An operation was attempted on something that is not a socket")


class _Popen(subprocess.Popen[bytes]):
    def __init__(self, command: Any, **named: Any) -> None:
        if {"pass_fds", "preexec_fn"} & set(named):
            raise ValueError("not supported on Windows platforms")
        super().__init__(command, **named)


# Module -> what it has there instead; None: it has no such thing.
CHANGES: dict[str, dict[str, Any]] = {
    "sys": {"platform": SYSTEM},
    "os": {"sched_getaffinity": None},
    "ctypes": {"CDLL": lambda name: name},
}
ABSENT: tuple[str, ...] = ()
if SYSTEM == "win32":
    CHANGES["os"] |= {"name": "nt", **dict.fromkeys(POSIX.split())}
    CHANGES["select"] = {**dict.fromkeys(("poll", "POLLIN", "POLLOUT")), "select": _refused}
    CHANGES["signal"] = dict.fromkeys(SIGNALS.split())
    CHANGES |= {"subprocess": {"Popen": _Popen}, "ctypes": {"CDLL": int}}
    ABSENT = ("resource", "fcntl", "pwd", "grp", "termios")


class Changed(ModuleType):
    """A module as on that system."""

    def __getattr__(self, name: str) -> Any:
        value = CHANGES[self.__name__].get(name, self)
        if value is None:
            raise AttributeError(f"module {self.__name__} has no attribute {name}")
        return getattr(sys.modules[self.__name__], name) if value is self else value

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(sys.modules[self.__name__], name, value)


_changed = {name: Changed(name) for name in CHANGES}
_import, _open = builtins.__import__, Path.open


def _imported(name: str, names: Any = None, *rest: Any, **named: Any) -> Any:
    is_ours = (names or {}).get("__name__", "").startswith("gnbbench")
    if is_ours and name in ABSENT:
        raise ModuleNotFoundError(f"No module named '{name}'", name=name)
    module = _import(name, names, *rest, **named)
    return _changed.get(name, module) if is_ours else module


def _opened(path: Path, *how: Any, **named: Any) -> Any:
    if path.is_relative_to("/proc") or path.is_relative_to("/sys"):
        raise FileNotFoundError(2, "No such file or directory", str(path))
    return _open(path, *how, **named)


if SYSTEM:
    vars(builtins)["__import__"] = _imported
    setattr(Path, "open", _opened)  # noqa: B010  a method is assigned

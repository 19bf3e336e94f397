"""Run a program in any language once: how it ended and what it wrote."""

import contextlib
import os
import re
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from gnbbench.errors import GnbBenchError

with contextlib.suppress(ImportError):  # Only POSIX has it
    import resource

MOST_OUTPUT = 2**28  # Bytes of any file that a program writes, including standard output
MEMORY_SHARE = 0.5  # Of the machine's memory, for each of two concurrent programs
# The exit code of a program that exceeds the file size, where the signal exists.
_TOO_LONG = [-signal.SIGXFSZ] if hasattr(signal, "SIGXFSZ") else []
_MOST_LINES, _LAST_BYTES = 3, 4000
_TELLING = re.compile(r"\b(\w*Error|\w*Exception|error|panicked)\b")
_NOT_FOUND = re.compile(
    "not find|ClassNotFound|No such file|ENOENT|cannot open", re.IGNORECASE
)
_OWN_FOLDER = (
    "it runs in a folder of its own: name files and folders in the command, as in "
    "'java -cp . NB'"
)


class ProgramError(GnbBenchError):
    """A program failed or gave no usable answer."""


def run_program(command: Sequence[str], folder: Path) -> bytes:
    """Run a program in a folder, without a shell; return its standard output.

    The calling worker limits its time and kills what it leaves running.
    """
    output, errors = folder / "stdout", folder / "stderr"
    with output.open("w+b") as out, errors.open("w+b") as err:
        try:
            ended = subprocess.run(  # noqa: S603  what the user typed, split into words
                command,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                preexec_fn=_limited if os.name == "posix" else None,
                check=False,
            )
        except OSError as error:
            raise ProgramError(f"cannot be started: {error.strerror}") from error
        if ended.returncode in _TOO_LONG or _largest(folder) >= MOST_OUTPUT:
            raise ProgramError(f"wrote more than {MOST_OUTPUT // 2**20} MiB")
        # Not by their paths, where the program may have put something else
        if ended.returncode:
            err.seek(0)
            raise ProgramError(_ending(ended.returncode, err.read()))
        out.seek(0)
        return out.read()


def _largest(folder: Path) -> int:
    """Return the size of the largest file, since a program may ignore the signal."""
    sizes = [0]
    with contextlib.suppress(FileNotFoundError):  # It may have removed files
        sizes += [file.lstat().st_size for file in folder.iterdir()]
    return max(sizes)


def _limited() -> None:
    """Limit the file size and memory of a program about to start."""
    pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    memory = int(MEMORY_SHARE * pages * size)
    limits = {resource.RLIMIT_FSIZE: MOST_OUTPUT, resource.RLIMIT_DATA: memory}
    for limit, most in limits.items():
        with contextlib.suppress(ValueError, OSError):  # Not every system has each limit
            hardest = resource.getrlimit(limit)[1]
            allowed = most if hardest == resource.RLIM_INFINITY else min(most, hardest)
            resource.setrlimit(limit, (allowed, allowed))


def _ending(code: int, errors: bytes) -> str:
    """Describe how a program ended, with the relevant lines of its standard error.

    These are the last line that names an error and the lines after it, without stack
    frames, or else the last lines.
    """
    how = f"exit code {code}" if code > 0 else f"signal {signal.Signals(-code).name}"
    text = errors[-_LAST_BYTES:].decode(errors="replace")
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith("at ")]
    telling = [place for place, line in enumerate(lines) if _TELLING.search(line)]
    shown = lines[telling[-1] if telling else -_MOST_LINES :][:_MOST_LINES]
    advice = f"; {_OWN_FOLDER}" if any(map(_NOT_FOUND.search, shown)) else ""
    return f"ended with {how}{': ' if shown else ''}{' | '.join(shown)}{advice}"

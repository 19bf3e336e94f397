"""A program of any language, run once and read: how it ended, and what it wrote."""

import resource
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

MOST_OUTPUT = 2**28  # Bytes of a file that a program writes, standard output included
_LAST_LINES, _LAST_BYTES = 3, 4000


class ProgramError(RuntimeError):
    """A program that ended otherwise than with exit code 0, or gave no usable answer."""


def run_program(command: Sequence[str], folder: Path) -> bytes:
    """Return what a program writes to standard output in a folder, without a shell.

    The worker that calls it limits its time, and ends what it leaves running.
    """
    output, errors = folder / "stdout", folder / "stderr"
    with output.open("wb") as out, errors.open("wb") as err:
        try:
            ended = subprocess.run(  # noqa: S603  what the user typed, split into words
                command,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                preexec_fn=_limit_output,
                check=False,
            )
        except OSError as error:
            raise ProgramError(f"cannot be started: {error.strerror}") from error
    if ended.returncode == -signal.SIGXFSZ or _largest(folder) >= MOST_OUTPUT:
        raise ProgramError(f"wrote more than {MOST_OUTPUT // 2**20} MiB")
    if ended.returncode:
        raise ProgramError(_ending(ended.returncode, errors))
    return output.read_bytes()


def _largest(folder: Path) -> int:
    """Return the size of the largest file: a program may ignore the signal."""
    return max(file.lstat().st_size for file in folder.iterdir())


def _limit_output() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_OUTPUT, MOST_OUTPUT))


def _ending(code: int, errors: Path) -> str:
    """Return how a program ended, with the last lines of its standard error."""
    how = f"exit code {code}" if code > 0 else f"signal {-code}"
    text = errors.read_bytes()[-_LAST_BYTES:].decode(errors="replace")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return ": ".join(
        [f"ended with {how}", *[" | ".join(lines[-_LAST_LINES:])][: len(lines)]]
    )

"""The command line of a program: its words, and the digest of what it names.

NumPy is not loaded for either.
"""

import hashlib
import shlex
import shutil
from pathlib import Path

from gnbbench.errors import ImplementationError

COMMAND = "command:"  # Before a command line, where implementations are named
_REMEDY = "Give one such as 'command:Rscript nb.R {train} {test}'."


def is_program(text: str) -> bool:
    """Tell whether a text names a program by its command line."""
    return text.startswith(COMMAND)


def words_in(command: str) -> list[str]:
    """Return the words of a command, with absolute paths of the program and files."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ImplementationError(command, f"cannot be split ({error})", _REMEDY) from error
    if not words:
        raise ImplementationError("command:", "names no program", _REMEDY)
    program = shutil.which(words[0])
    if program is None:
        remedy = "Install it, or give its path."
        raise ImplementationError(words[0], "is no program that can be run", remedy)
    # A link stays as it is: what a program does may depend on the name it is called by.
    files = [str(Path(word).absolute()) if Path(word).is_file() else word for word in words]
    return [str(Path(program).absolute()), *files[1:]]


def command_digest(command: str) -> str:
    """Return the digest of the program and of the files that a command names."""
    digest = hashlib.sha256()
    for word in words_in(command):
        digest.update(word.encode() + b"\0")
        if Path(word).is_file():
            with Path(word).open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()

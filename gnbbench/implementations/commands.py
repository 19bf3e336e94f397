"""The command line of a program: its words, and the digest of what it names.

NumPy is not loaded for either.
"""

import hashlib
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

from gnbbench.errors import ImplementationError

COMMAND = "command:"  # Before a command line, where implementations are named
_NAMED = re.compile(rf"(?:([\w.+-]+)=)?{COMMAND}(.*)", re.DOTALL)
_REMEDY = "Give one such as 'command:Rscript nb.R {train} {test}'."


def named_command(text: str) -> tuple[str, str] | None:
    """Return name and command line of ``[NAME=]command:…``; None for any other text."""
    match = _NAMED.fullmatch(text)
    return (match[1] or "", match[2]) if match else None


def is_program(text: Any) -> bool:
    """Tell whether a text names a program by its command line."""
    return isinstance(text, str) and named_command(text) is not None


def program_name(text: str) -> str:
    """Return the name of a program: as given, or of its first file, or of itself."""
    name, command = named_command(text) or ("", text)
    program, *words = words_in(command)
    files = [word for word in words if Path(word).is_file()]
    return name or Path([*files, program][0]).name


def refuse_programs(*texts: Any) -> None:
    """Raise where a study would measure a program's start in place of its code."""
    for text in filter(is_program, texts):
        remedy = "Use: gnbbench compare, sweep-split, explain, conformance or check."
        raise ImplementationError(text, "is a program, which starts anew each time", remedy)


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

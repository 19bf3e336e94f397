"""Names of code outside Python: command lines, and folders of predictions.

NumPy is not loaded for either.
"""

import csv
import hashlib
import os
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

from gnbbench.errors import ImplementationError

COMMAND = "command:"  # Prefix of a command line
EVERY = "{manifest}"  # Placeholder for the path of a manifest
MANIFEST = "manifest.csv"  # The list of all questions in a folder
COLUMNS = ("train", "test", "out", "train_sha256", "test_sha256")
PREDICTIONS = "predictions:"  # Prefix of a folder of predictions
_NAMED = re.compile(rf"(?:([\w.+-]+)=)?{COMMAND}(.*)", re.DOTALL)
# Interpreters, and the names of their scripts
_RUNS = re.compile(r"[gm]?awk|bash|java|julia|node|octave|perl|php|python|Rscript|ruby|sh")
_SCRIPT = re.compile(r"[\w./~+-]+\.(awk|jar|java|jl|js|m|mjs|php|pl|py|R|r|rb|sh)")
_OF_SHELLS = {"|", ">", ">>", "<", "2>", "&&", "||", ";", "&"}
_REMEDY = "Give one such as 'command:Rscript nb.R {train} {test}'."


def named_command(text: str) -> tuple[str, str] | None:
    """Return name and command line of ``[NAME=]command:…``; None for any other text."""
    match = _NAMED.fullmatch(text)
    return (match[1] or "", match[2]) if match else None


def is_program(text: Any) -> bool:
    """Return whether a text names a program by its command line."""
    return isinstance(text, str) and named_command(text) is not None


def takes_manifest(text: Any) -> bool:
    """Return whether a text names a program that answers several questions in one start."""
    return is_program(text) and EVERY in text


def program_name(text: str) -> str:
    """Return the name of a program: as given, or of its first file, or of itself."""
    name, command = named_command(text) or ("", text)
    program, *words = words_in(command)
    files = [word for word in words if Path(word).is_file()]
    return name or Path([*files, program][0]).name


def is_elsewhere(text: Any) -> bool:
    """Return whether a text names predictions made elsewhere."""
    return isinstance(text, str) and text.startswith(PREDICTIONS)


def refuse_programs(reference: Any, against: Any) -> None:
    """Raise if a study would measure a program's start instead of its code."""
    several = against if isinstance(against, list | tuple) else (against,)
    refuse_predictions(reference, *several)
    for text in filter(is_program, (reference, *several)):
        remedy = "Use: gnbbench compare, sweep-split, explain, conformance or check."
        raise ImplementationError(text, "is a program, which starts anew each time", remedy)


def refuse_predictions(*texts: Any) -> None:
    """Raise if a study needs predictions for other splits than the exported ones."""
    for text in filter(is_elsewhere, texts):
        remedy = "Use: gnbbench check, compare or explain."
        raise ImplementationError(text, "has no predictions for this study", remedy)


def words_in(command: str) -> list[str]:
    """Return the words of a command, with absolute paths of the program and files."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ImplementationError(command, f"cannot be split ({error})", _REMEDY) from error
    if not words:
        raise ImplementationError("command:", "names no program", _REMEDY)
    if shell := _OF_SHELLS & {*words}:
        what, remedy = f"no shell runs it, which {min(shell)!r} needs", "Write a script."
        raise ImplementationError(command, what, remedy)
    program = shutil.which(words[0])
    if program is None and Path(words[0]).is_file():
        remedy = "Run chmod +x on it, or name what runs it, as in 'command:perl nb.pl'."
        raise ImplementationError(words[0], "the file is not executable", remedy)
    if program is None:
        remedy = "Install it, or give its path."
        raise ImplementationError(words[0], "is not a program that can be run", remedy)
    if _RUNS.fullmatch(Path(words[0]).name.rstrip("0123456789.")):
        script = next(filter(_SCRIPT.fullmatch, words[1:]), ".")
        if not Path(script).exists():
            raise ImplementationError(script, "there is no such file", "Check the path.")
    # A link stays as it is: what a program does may depend on the name it is called by.
    return [str(Path(program).absolute()), *map(_from_here, words[1:])]


def _from_here(word: str) -> str:
    """Return a word with absolute paths if it is a file, a directory or a list of these."""
    paths = list(map(Path, word.split(os.pathsep)))
    is_place = [
        path.is_file() or (path.is_dir() and (str(path) in (".", "..") or "/" in word))
        for path in paths
    ]
    return (
        os.pathsep.join(str(path.absolute()) for path in paths) if all(is_place) else word
    )


def command_digest(command: str) -> str:
    """Return the digest of the program and of the files that a command names."""
    digest = hashlib.sha256()
    for word in words_in(command):
        digest.update(word.encode() + b"\0")
        if Path(word).is_file():
            with Path(word).open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def manifest(folder: Path) -> list[dict[str, str]]:
    """Return the list of all questions in a folder; raise if there is none."""
    try:
        text = (folder / MANIFEST).read_text(encoding="utf-8-sig")
    except OSError as error:
        remedy = "Write the splits first: gnbbench export wine --out splits"
        raise ImplementationError(str(folder), f"has no {MANIFEST}", remedy) from error
    rows = list(csv.DictReader(text.splitlines()))
    if not rows or not {*COLUMNS} <= rows[0].keys():
        remedy = "Write the splits again: gnbbench export"
        raise ImplementationError(str(folder / MANIFEST), "is not a list of splits", remedy)
    return rows

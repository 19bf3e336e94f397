"""What code of others raises: where in it an error arose, what is known of it; Ctrl-C."""

import linecache
import re
import signal
import sys
import tomllib
import traceback
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

_LONGEST_MESSAGE = 1500  # Characters of an error that are kept
# Code below these is no user's: this package, the standard library, what is installed.
_NOT_THE_USERS = tuple(
    f"{place}/"
    for place in (
        str(Path(__file__).parent),
        str(Path(linecache.__file__).parent),
        *(path for path in sys.path if path.endswith("-packages")),
    )
)
_LONGEST_LINE = 100

_KNOWN_ERRORS = Path(__file__).with_name("known_errors.toml")
_NUMPY_NAME = re.compile(r"module 'numpy' has no attribute '(\w+)'")
_ARRAY_METHOD = re.compile(r"'numpy.ndarray' object has no attribute '(\w+)'")


@cache
def _known() -> dict[str, Any]:
    """Return what is known about errors, as the text beside this module has it."""
    return tomllib.loads(_KNOWN_ERRORS.read_text(encoding="utf-8"))


def described(error: BaseException) -> str:
    """Return kind and message of an error on one line, and where in whose code it arose.

    Errors of this package have said it all.
    """
    if type(error).__module__.startswith(f"{__package__}."):
        return cause_of(error)
    mark = ": " if cause_of(error) else " "
    return mark.join(filter(None, (type(error).__name__, explained(error))))


def explained(error: BaseException) -> str:
    """Return the message of an error, with place and line of the user's code and a hint."""
    what, place = cause_of(error), place_of(error)
    file, line, text = place or ("", None, "")
    hint = hint_on(type(error).__name__, what, text) if place else ""
    where = f"{Path(file).name}, {line_in(file, line)}: {text}" if place else ""
    notes = "; ".join(filter(None, (where, hint)))
    if hint:  # it says more than a long message does
        what = what.partition(". ")[0]
    return " ".join(filter(None, (what, f"({notes})" if notes else "")))


def line_in(file: str, line: int | None) -> str:
    """Return which line of a file is meant; in a notebook, of which cell."""
    above = linecache.getlines(file)[: line or 0] if file.endswith(".ipynb") else []
    return line_below(above) or f"line {line}"


def line_below(above: Sequence[str]) -> str:
    """Return which line of which cell the last line is; empty outside of notebooks."""
    for distance, text in enumerate(reversed(above)):
        if text.startswith("# code cell "):
            return f"{text[2:].strip()}, line {distance}"
    return ""


def cause_of(error: BaseException) -> str:
    """Return the message of an error on one line, cut where it is long."""
    try:
        return " ".join(str(error)[:_LONGEST_MESSAGE].split())
    except Exception:  # noqa: BLE001  a message of others' making
        return "(its message cannot be shown)"


def place_of(error: BaseException, path: str = "") -> tuple[str, int | None, str] | None:
    """Return file, line and text of the last of the user's lines, or of the file's."""
    frames = traceback.extract_tb(error.__traceback__, limit=None)
    for frame in reversed(frames):
        text = linecache.getline(frame.filename, frame.lineno or 0).strip()
        is_theirs = text and not frame.filename.startswith((*_NOT_THE_USERS, "<"))
        if is_theirs or frame.filename == path:
            return frame.filename, frame.lineno, excerpt(text)
    return None


def excerpt(line: str) -> str:
    """Return a line of a source, cut where it is long."""
    text = line.strip()
    return text if len(text) <= _LONGEST_LINE else f"{text[:_LONGEST_LINE]}…"


def lines_passed(error: BaseException) -> tuple[int, ...]:
    """Return at which lines of the user's code the calls stood, the outermost first."""
    lines: dict[int, None] = {}  # A call of itself leads no further
    for frame in traceback.extract_tb(error.__traceback__):
        if not frame.filename.startswith((*_NOT_THE_USERS, "<")):
            lines[frame.lineno or 0] = None
    return tuple(lines)


def hint_on(kind: str, message: str, line: str) -> str:
    """Return what is known about an error, empty where nothing is."""
    name, method = _NUMPY_NAME.search(message), _ARRAY_METHOD.search(message)
    if name and (instead := _known()["numpy"].get(name[1])):
        return f"newer versions of NumPy have no np.{name[1]}: write {instead}"
    if method and (instead := _known()["array"].get(method[1])):
        return f"arrays of NumPy 2 have no {method[1]}: write {instead}"
    for row in _known()["known"]:
        if row["kind"] == kind and re.search(row["pattern"], f"{message} {line}"):
            return str(row["hint"])
    absent = re.match(r"No module named '(\w+)", message)
    return installing(absent[1]) if absent and kind == "ModuleNotFoundError" else ""


def installing(package: str) -> str:
    """Return how what is imported gets here: a package that is known, or a file of theirs.

    Other names are nobody's or anybody's on a package index.
    """
    called = _known()["distributions"].get(package)
    if called or package in _known()["packages"].split():
        return f"install it: {sys.executable} -m pip install {called or package}"
    return (
        f"if it is a folder or file of your own: PYTHONPATH=DIR gnbbench ..., where DIR "
        f"holds {package}"
    )


_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
# Not empty where signals are watched: in commands, and in workers, which get no Ctrl-C.
_watched: list[bool] = []
_received: list[int] = []


def watch_signals() -> None:
    """Let SIGTERM and SIGHUP end a study as Ctrl-C does, unless they are ignored."""
    expect_none()
    for name in _SIGNALS:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)


def expect_none() -> None:
    """Attribute a KeyboardInterrupt without a signal to third-party code."""
    _watched.append(True)


def pass_on_interruption(error: BaseException) -> None:
    """Raise an error again if it is an interruption from outside."""
    if isinstance(error, KeyboardInterrupt) and (_received or not _watched):
        raise error


def _interrupt(number: int, _frame: object) -> None:
    _received.append(number)
    raise KeyboardInterrupt

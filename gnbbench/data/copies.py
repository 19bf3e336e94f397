"""Copies of fetched datasets: one file each, whole and checked, or none.

A copy is a line with the SHA-256 digest of what follows, a line of JSON that describes the
data, and the data as CSV. It is called by its source, such as ``openml-61.csv``; with
``+name`` where it was asked for by name, so that the name is known without a network.
"""

import hashlib
import json
import os
import tempfile
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from platformdirs import user_cache_path

from gnbbench.data.sources import one_line
from gnbbench.errors import DatasetError

DIRECTORY_VARIABLE = "GNBBENCH_CACHE"
FIRST_LINE = b"gnbbench dataset 1 sha256 "


@dataclass(frozen=True)
class Fetched:
    """A dataset as a repository has it."""

    source: str  # What names it for good, such as ``openml:61``
    name: str  # What the repository calls it
    origin: str  # Where it comes from, in one sentence
    text: str = field(repr=False)  # Its rows as CSV, with a header
    licence: str = ""  # Terms of use as far as known
    targets: tuple[str, ...] = ()  # Columns that the repository takes for targets
    aside: tuple[str, ...] = ()  # Columns that the repository takes for no features
    notes: tuple[str, ...] = ()  # What is to be known about it, one sentence each


def directory() -> Path:
    """Return where copies are kept: where GNBBENCH_CACHE says, or the user's cache."""
    given = os.environ.get(DIRECTORY_VARIABLE, "")
    return Path(given) if given else user_cache_path("gnbbench", appauthor=False)


def copies_of(repository: str, wanted: str) -> list[Path]:
    """Return the files that should hold a dataset, the newest first."""
    pattern = f"{repository}-{wanted}" if wanted.isdigit() else f"{repository}-*+{wanted}"
    found: set[Path] = set()
    with suppress(OSError):
        found |= set(directory().glob(f"{pattern}.csv"))
        if wanted.isdigit():
            found |= set(directory().glob(f"{pattern}+*.csv"))
    return sorted(found, key=_age)


def read_copy(path: Path) -> Fetched | None:
    """Return the dataset that a copy holds, None where the file is damaged."""
    try:
        head, _, content = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    if head != FIRST_LINE + _digest(content):
        return None
    described, _, text = content.decode("utf-8").partition("\n")
    given = json.loads(described)
    lists = {name: tuple(v) for name, v in given.items() if isinstance(v, list)}
    return Fetched(text=text, **{**given, **lists})


def write_copy(fetched: Fetched, *, asked: str = "") -> Path:
    """Return the file that now holds the dataset; at no time does it hold half of it."""
    described = asdict(fetched)
    text = described.pop("text")
    content = f"{json.dumps(described)}\n{text}".encode()
    name = fetched.source.replace(":", "-") + (f"+{asked}" if asked else "")
    path = directory() / f"{name}.csv"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write_whole(path, FIRST_LINE + _digest(content) + b"\n" + content)
    except OSError as error:
        what = f"the copy {one_line(path)} cannot be written ({error.strerror or error})"
        remedy = f"Give another directory in the environment: {DIRECTORY_VARIABLE}=DIR"
        raise DatasetError(fetched.source, what, remedy) from error
    return path


def _write_whole(path: Path, content: bytes) -> None:
    """Write beside the path, then put the file in its place in one step."""
    number, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(number, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()


def _age(path: Path) -> tuple[float, str]:
    """Return what sorts the newest file first, and files as new by name."""
    try:
        return -path.stat().st_mtime, path.name
    except OSError:
        return 0.0, path.name

"""Fetched datasets and the one cache of them: a copy is whole and checked, or absent.

A copy is a line with the SHA-256 digest of what follows, a line of JSON that describes the
data, and the data as CSV. It is called by its source, such as ``openml-61.csv``; with
``+name`` where it was asked for by name, so that the name is known without a network.
"""

import hashlib
import json
import os
import tempfile
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from platformdirs import user_cache_path

from gnbbench.data.repositories import INSTEAD, OPENML, UCI, Fetched
from gnbbench.data.sources import listed, one_line, shell_word
from gnbbench.errors import DatasetError, OptionError

REPOSITORIES = {repository.prefix: repository for repository in (OPENML, UCI)}
DIRECTORY_VARIABLE = "GNBBENCH_CACHE"
OFFLINE_VARIABLE = "GNBBENCH_OFFLINE"
FIRST_LINE = b"gnbbench dataset 1 sha256 "


def refuse_impossible(source: str) -> None:
    """Raise where no dataset of the repository can be called so."""
    repository, _, wanted = source.partition(":")
    REPOSITORIES[repository].check(wanted)


def fetch_or_load(source: str, *, offline: bool = False) -> Fetched:
    """Return a dataset as the repository has it, from a copy if there is a whole one."""
    refuse_impossible(source)
    repository, _, wanted = source.partition(":")
    is_number = wanted.isdigit()
    wanted = str(int(wanted)) if is_number else wanted.lower()
    paths = copies_of(repository, wanted)
    for path in paths:
        copy = read_copy(path)
        if copy is not None:
            return copy
    if offline or os.environ.get(OFFLINE_VARIABLE, "") not in {"", "0"}:
        what = f"there is no copy in {one_line(directory())}"
        if paths:
            what = f"its copy {one_line(paths[0])} is damaged"
        remedy = f"Fetch it once without --offline and {OFFLINE_VARIABLE}, or {INSTEAD}."
        raise DatasetError(source, f"{what}, and nothing may be fetched", remedy)
    fetched = REPOSITORIES[repository].fetch(wanted)
    write_copy(fetched, asked="" if is_number else wanted)
    return fetched


def default_target(fetched: Fetched) -> str | None:
    """Return the repository's target, None where it has none."""
    if len(fetched.targets) > 1:
        what = f"not given, and {fetched.source} has several: {listed(fetched.targets)}"
        example = shell_word(fetched.targets[-1])
        raise OptionError("--target", what, f"Give one, such as --target {example}.")
    return fetched.targets[0] if fetched.targets else None


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

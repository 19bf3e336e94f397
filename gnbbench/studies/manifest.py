"""What a report wrote into its directory: nothing else is ever replaced or deleted."""

import json
import os
from collections.abc import Collection, Mapping
from hashlib import sha256
from itertools import count
from pathlib import Path

from gnbbench.errors import ResultsError
from gnbbench.report.files import (
    FIGURE_FILE,
    FIGURES_NAME,
    MANIFEST_NAME,
    OTHER_DIRECTORY,
    REPORT_NAMES,
    present,
    replace_file,
    stored_document,
    unlisted_files,
)

SCHEMA = "gnbbench manifest"


def is_report(directory: Path) -> bool:
    """Tell whether a report of ours is there, by its list of files or its summary."""
    return _listed(directory) is not None or bool(stored_document(directory))


def refuse_link(directory: Path) -> None:
    """Raise where figures would be written elsewhere, or cannot be written."""
    figures = directory / FIGURES_NAME
    if figures.is_symlink() or (figures.exists() and not figures.is_dir()):
        what = "it is a link" if figures.is_symlink() else "it is not a directory"
        raise ResultsError(str(figures), what, OTHER_DIRECTORY)


def write_report(directory: Path, contents: Mapping[str, bytes]) -> list[Path]:
    """Write a report in place of an earlier one; return what was kept aside for it.

    The list of files comes before the first of them, with what is there and what will be:
    after a kill at any moment each is known. The page comes last.
    """
    new = {name: sha256(content).hexdigest() for name, content in contents.items()}
    try:
        directory.mkdir(parents=True, exist_ok=True)
        refuse_link(directory)
        ours = _untouched(directory)
        places = {name: directory / name for name in (*new, MANIFEST_NAME)}
        kept = [
            keep_aside(path)
            for name, path in places.items()
            if name not in ours
            and os.path.lexists(path)
            and _digest_of(path) != new.get(name)
        ]
        ours.pop(MANIFEST_NAME, None)
        both = {n: {of[n] for of in (ours, new) if n in of} for n in {**ours, **new}}
        _write_list(directory, both)
        for name, content in contents.items():
            (directory / name).parent.mkdir(exist_ok=True)
            replace_file(directory / name, content)
        _remove(directory, ours.keys() - new.keys())
        _write_list(directory, {name: {digest} for name, digest in new.items()})
    except OSError as error:
        what = f"the report cannot be written ({error.strerror or error})"
        raise ResultsError(str(directory), what, OTHER_DIRECTORY) from error
    return kept


def clear_report(directory: Path) -> list[Path]:
    """Delete a report, and keep aside what is not as it was written; return the latter."""
    refuse_link(directory)
    ours = _untouched(directory)
    kept = [keep_aside(directory / name) for name in present(directory) if name not in ours]
    _remove(directory, ours)
    return kept


def _untouched(directory: Path) -> dict[str, str]:
    """Return the files that are as a report wrote them, with their digests."""
    listed = _listed(directory)
    names = unlisted_files(directory) if listed is None else listed
    found = {name: _digest_of(directory / name) for name in names}
    ours = {n: d for n, d in found.items() if d and (listed is None or d in listed[n])}
    return ours if listed is None else {**ours, MANIFEST_NAME: ""}


def _listed(directory: Path) -> dict[str, list[str]] | None:
    """Return the digests that each file may have; None without a list of ours."""
    try:
        found = json.loads((directory / MANIFEST_NAME).read_text(encoding="utf-8"))
        if found["schema"] != SCHEMA or (directory / MANIFEST_NAME).is_symlink():
            return None
        # No other name is ever written, so none is ever deleted, whatever the list says.
        files = {n: list(map(str, digests)) for n, digests in found["files"].items()}
        return {
            n: d for n, d in files.items() if n in REPORT_NAMES or FIGURE_FILE.fullmatch(n)
        }
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _digest_of(path: Path) -> str:
    """Return the digest of a file; empty where there is none, or a link."""
    if path.is_symlink() or not path.is_file():
        return ""
    return sha256(path.read_bytes()).hexdigest()


def keep_aside(path: Path) -> Path:
    """Give a file another name, so that nothing is lost; return it."""
    names = (f"{path.name}{f'.{n}' if n > 1 else ''}.bak" for n in count(1))
    free = (path.with_name(name) for name in names)
    return path.rename(next(other for other in free if not os.path.lexists(other)))


def _remove(directory: Path, names: Collection[str]) -> None:
    for name in names:
        (directory / name).unlink(missing_ok=True)


def _write_list(directory: Path, digests: Mapping[str, Collection[str]]) -> None:
    files = {name: sorted(found) for name, found in sorted(digests.items())}
    text = json.dumps({"schema": SCHEMA, "files": files}, indent=1)
    replace_file(directory / MANIFEST_NAME, text.encode())

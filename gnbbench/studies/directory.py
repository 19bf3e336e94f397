"""A results directory: the records of one plan and its report.

A manifest lists what a report wrote; nothing else is ever replaced or deleted.
"""

import json
import os
import shutil
import tempfile
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import file_digest, sha256
from itertools import count
from pathlib import Path
from typing import Any

from gnbbench.errors import GnbBenchError, ResultsError
from gnbbench.files import UNFINISHED, json_of, replace_file
from gnbbench.report.files import (
    FIGURE_FILE,
    FIGURES_NAME,
    MANIFEST_NAME,
    OTHER_DIRECTORY,
    REPORT_NAMES,
    present,
    stored_document,
)
from gnbbench.studies.schema import ELSEWHERE, has_our_mark, require_notes
from gnbbench.studies.store import FILE_NAME, Store, discard
from gnbbench.words import shorten

# An unfinished file older than this was abandoned; writing one takes far less.
WRITTEN_WITHIN_SECONDS = 60
MANIFEST_SCHEMA = "gnbbench manifest"
GIVE_STUDY = "Give the directory of a study, such as one in reports/."


def opened(directory: Path) -> Store:
    """Return the store of a results directory, new or to be resumed."""
    path = directory / FILE_NAME
    with _writing(directory):
        refuse_link(directory)
        if not path.exists() or not path.stat().st_size:
            _refuse_foreign(directory)
        directory.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError, IsADirectoryError):
            (directory / MANIFEST_NAME).read_bytes()  # Else its seal could not be renewed
        _refuse_edited(directory)
    store = Store(path)
    try:
        # A report that was killed while writing leaves unfinished files.
        with _writing(directory):
            for folder in (directory, directory / FIGURES_NAME):
                for unfinished in folder.glob(f".*{UNFINISHED}"):
                    # Another process may be moving it into place.
                    with suppress(FileNotFoundError):
                        age = time.time() - unfinished.stat().st_mtime
                        if age > WRITTEN_WITHIN_SECONDS:
                            unfinished.unlink()
    except ResultsError:
        store.close()
        raise
    return store


def clear(directory: Path) -> list[Path]:
    """Delete a study's records and report; return the changed files that were kept.

    A report left there would be taken for that of the next study. Other files stay.
    """
    path = directory / FILE_NAME
    with _writing(directory):
        is_file = path.is_file() and path.stat().st_size > 0
        if path.is_dir() or (is_file and not has_our_mark(path)):
            what = f"its {FILE_NAME} is damaged or belongs to another program"
            raise ResultsError(str(directory), what, OTHER_DIRECTORY)
        if not (is_file or is_report(directory)):
            return []
        discard(path)
        return clear_report(directory)


def stored(directory: Path) -> Store:
    """Open the records of a results directory, which may be read-only, without changes.

    Records that an interruption left in the log are included.
    """
    path = directory / FILE_NAME
    log = path.with_name(f"{path.name}-wal")
    try:
        if not path.is_file():
            what = f"there is no {FILE_NAME} in it"
            if not directory.is_dir():
                exists = directory.exists()
                what = "it is not a directory" if exists else "there is no such directory"
            raise ResultsError(str(directory), what, GIVE_STUDY)
        _refuse_edited(directory)
        if log.exists() and os.access(directory, os.W_OK) and os.access(path, os.W_OK):
            # A log may belong to a running process: only its lock can tell.
            return Store(path)
        return _copied(path, log)
    except OSError as error:
        what = f"it cannot be read ({error.strerror or error})"
        raise ResultsError(str(path), what, "Check its permissions.") from error


def seal(directory: Path, *, is_finished: bool = True) -> None:
    """Store the digest of a finished study's records; none while they may change."""
    digest = _digest_of(directory / FILE_NAME) if is_finished else None
    if digest != _seal_of(directory):
        with _writing(directory):
            manifest = {**json_of(directory / MANIFEST_NAME), "records": digest}
            replace_file(directory / MANIFEST_NAME, json.dumps(manifest, indent=1).encode())


def is_sealed(directory: Path) -> bool:
    """Return whether the records there are as a finished study left them."""
    return _seal_of(directory) is not None


@contextmanager
def reading(directory: Path, *, is_trusted: bool | None = None) -> Iterator[None]:
    """Say of records that they are damaged where using them fails.

    Records that are sealed, or new, are as a study wrote them: the fault is ours.
    """
    is_trusted = is_sealed(directory) if is_trusted is None else is_trusted
    try:
        yield
    except Exception as error:
        if is_trusted or isinstance(error, GnbBenchError | MemoryError):
            raise
        why = f"{type(error).__name__}: {shorten(str(error), 80)}"
        what = f"its records are damaged or edited ({why})"
        raise ResultsError(str(directory), what, ELSEWHERE) from error


def _seal_of(directory: Path) -> Any:
    try:
        return json_of(directory / MANIFEST_NAME)["records"]
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _refuse_edited(directory: Path) -> None:
    path, digest = directory / FILE_NAME, _seal_of(directory)
    # A study that resumes removes the digest before it changes anything.
    if digest not in {None, _digest_of(path)} and digest == _seal_of(directory):
        what = "it was damaged or edited after its study finished"
        raise ResultsError(str(path), what, ELSEWHERE)


def refuse_other_study(directory: Path) -> None:
    """Raise if a report written there would replace files of another study or program."""
    require_reachable(directory)
    if (directory / FILE_NAME).exists() or directory.is_file():
        what = f"it holds {FILE_NAME}, the records of something else"
        what = "it is a file" if directory.is_file() else what
        raise ResultsError(str(directory), what, OTHER_DIRECTORY)
    refuse_link(directory)
    _refuse_foreign(directory)


def refuse_others(directory: Path, payload: Mapping[str, Any]) -> None:
    """Raise if the directory holds records of another plan."""
    if (directory / FILE_NAME).exists():
        kept = plan_in(directory)
        plan = {"study": payload["study"], **payload["plan"]}
        plan.pop("command", None)
        if any(kept.get(key, value) != value for key, value in plan.items()):
            raise other_plan(directory, kept, plan)


def plan_in(directory: Path) -> dict[str, Any]:
    """Return the plan of the stored records; empty if there are none yet."""
    with stored(directory) as store:
        return {} if store.is_empty else require_notes(store.name, store.notes(""))


def other_plan(
    where: Path, kept: Mapping[str, Any], requested: Mapping[str, Any]
) -> ResultsError:
    """Return the error for mixing records of two plans."""
    changes = list(_changes(kept, requested))
    more = f" and {len(changes) - 3} more" if len(changes) > 3 else ""
    listed = ", ".join(changes[:3]) + more
    what = "this directory holds a study with other settings"
    return ResultsError(str(where), f"{what} ({listed})" if listed else what, ELSEWHERE)


def _changes(kept: Mapping[str, Any], requested: Mapping[str, Any]) -> Iterator[str]:
    """Yield the differences between two plans; files and data are only named."""
    typed = requested.get("specifications", {})
    for name, now in requested.items():
        then = kept.get(name, now)
        if name == "digests":
            changed = [entry for entry in now if then.get(entry, now[entry]) != now[entry]]
            yield from (f"{typed.get(n, n).partition(':')[0]} changed" for n in changed)
        elif name == "sha256" and then != now:
            yield "other data"
        elif then != now and name not in {"command", "specifications", "dataset_options"}:
            yield f"{name}: {_plain(then)}, now {_plain(now)}"


def _plain(value: Any) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return shorten(text, 40)


def _copied(path: Path, log: Path) -> Store:
    """Load a store into memory, since SQLite would change a file that has a log."""
    with tempfile.TemporaryDirectory(prefix="gnbbench-") as temporary:
        copy = Path(temporary) / FILE_NAME
        for source, target in ((path, copy), (log, copy.with_name(log.name))):
            if source.exists():
                shutil.copyfile(source, target)
        with Store(copy, name=str(path)) as store:
            return store.in_memory()


def require_reachable(directory: Path) -> None:
    """Raise if the system refuses a path, as it does too long names and locked folders."""
    with _writing(directory), suppress(FileNotFoundError, NotADirectoryError):
        (directory / FILE_NAME).stat()


@contextmanager
def _writing(directory: Path, what: str = "it") -> Iterator[None]:
    try:
        yield
    except OSError as error:
        why = f"{what} cannot be written ({error.strerror or error})"
        raise ResultsError(str(directory), why, OTHER_DIRECTORY) from error


def _refuse_foreign(directory: Path) -> None:
    for name in present(directory):
        what = f"it holds {name} but no {FILE_NAME}, so no study wrote it"
        remedy = ELSEWHERE if is_report(directory) else OTHER_DIRECTORY
        raise ResultsError(str(directory), what, remedy)


def is_report(directory: Path) -> bool:
    """Return whether a report is there, by its manifest or its summary."""
    return _listed(directory) is not None or bool(stored_document(directory))


def refuse_link(directory: Path) -> None:
    """Raise if the folder of figures is a link or no directory."""
    figures = directory / FIGURES_NAME
    if figures.is_symlink() or (figures.exists() and not figures.is_dir()):
        what = "it is a link" if figures.is_symlink() else "it is not a directory"
        raise ResultsError(str(figures), what, OTHER_DIRECTORY)


def write_report(directory: Path, contents: Mapping[str, bytes]) -> list[Path]:
    """Write a report in place of an earlier one; return the changed files that were kept.

    The manifest is written first and lists old and new digests, so that every file is known
    after a kill at any moment. The page is written last.
    """
    new = {name: sha256(content).hexdigest() for name, content in contents.items()}
    with _writing(directory, "the report"):
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
        both = {n: {d[n] for d in (ours, new) if n in d} for n in {**ours, **new}}
        _write_list(directory, both)
        for name, content in contents.items():
            (directory / name).parent.mkdir(exist_ok=True)
            replace_file(directory / name, content)
        _remove(directory, ours.keys() - new.keys())
        _write_list(directory, {name: {digest} for name, digest in new.items()})
    return kept


def clear_report(directory: Path) -> list[Path]:
    """Delete a report, but keep changed files under another name; return these."""
    refuse_link(directory)
    ours = _untouched(directory)
    kept = [keep_aside(directory / name) for name in present(directory) if name not in ours]
    _remove(directory, ours)
    return kept


def _untouched(directory: Path) -> dict[str, str]:
    """Return the digests of the report's files that nobody changed."""
    listed = _listed(directory)
    if listed is None:
        return {}
    digests = {name: _digest_of(directory / name) for name in listed}
    return {MANIFEST_NAME: "", **{n: d for n, d in digests.items() if d and d in listed[n]}}


def _listed(directory: Path) -> dict[str, list[str]] | None:
    """Return the accepted digests of each file; None without a manifest."""
    path = directory / MANIFEST_NAME
    try:
        manifest = json_of(path)
        if manifest["schema"] != MANIFEST_SCHEMA or path.is_symlink():
            return None
        # Files of other names are never deleted, whatever the manifest lists.
        files = {n: list(map(str, digests)) for n, digests in manifest["files"].items()}
        return {
            n: d for n, d in files.items() if n in REPORT_NAMES or FIGURE_FILE.fullmatch(n)
        }
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _digest_of(path: Path) -> str:
    """Return the digest of a file; empty for a link or a missing file."""
    if path.is_symlink() or not path.is_file():
        return ""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def keep_aside(path: Path) -> Path:
    """Rename a file so that nothing is lost; return its new path."""
    names = (f"{path.name}{f'.{n}' if n > 1 else ''}.bak" for n in count(1))
    free = (path.with_name(name) for name in names)
    return path.rename(next(other for other in free if not os.path.lexists(other)))


def _remove(directory: Path, names: Collection[str]) -> None:
    for name in names:
        (directory / name).unlink(missing_ok=True)


def _write_list(directory: Path, digests: Mapping[str, Collection[str]]) -> None:
    files = {name: sorted(names) for name, names in sorted(digests.items())}
    text = json.dumps({"schema": MANIFEST_SCHEMA, "files": files}, indent=1)
    replace_file(directory / MANIFEST_NAME, text.encode())

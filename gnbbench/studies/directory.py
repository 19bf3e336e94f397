"""A results directory: where the records of one plan lie, and nobody else's files."""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from gnbbench.errors import ResultsError
from gnbbench.report.files import OTHER_DIRECTORY, UNFINISHED, present
from gnbbench.studies.manifest import clear_report, is_report, refuse_link
from gnbbench.studies.schema import ELSEWHERE, has_our_mark
from gnbbench.studies.store import FILE_NAME, Store, discard
from gnbbench.words import shorten

# An unfinished file older than this is nobody's work any more; one takes far less.
WRITTEN_WITHIN_SECONDS = 60


def opened(directory: Path) -> Store:
    """Return the store of a results directory, new or to be resumed."""
    path = directory / FILE_NAME
    with _writing(directory):
        refuse_link(directory)
        if not path.exists() or not path.stat().st_size:
            _refuse_foreign(directory)
        directory.mkdir(parents=True, exist_ok=True)
    store = Store(path)
    try:
        with _writing(directory):
            _sweep(directory)
    except ResultsError:
        store.close()
        raise
    return store


def clear(directory: Path) -> list[Path]:
    """Delete a study's records and report; return what is kept aside of the latter.

    A report left there would be taken for the next one's. What is of no study stays.
    """
    path = directory / FILE_NAME
    with _writing(directory):
        is_file = path.is_file() and path.stat().st_size > 0
        if path.is_dir() or (is_file and not _has_records(path)):
            what = f"its {FILE_NAME} is damaged or belongs to another program"
            raise ResultsError(str(directory), what, OTHER_DIRECTORY)
        if not (is_file or is_report(directory)):
            return []
        discard(path)
        return clear_report(directory)


def _has_records(path: Path) -> bool:
    """Tell whether a file is a store of ours, damaged or not."""
    if has_our_mark(path):
        return True
    try:  # The mark of one that was killed may be in its log.
        _copied(path, path.with_name(f"{path.name}-wal")).close()
    except ResultsError:
        return False
    return True


def stored(directory: Path) -> Store:
    """Return the records of a results directory, without a change to them.

    Also from a directory that cannot be written. What an interruption left in the log is
    among them.
    """
    path = directory / FILE_NAME
    log = path.with_name(f"{path.name}-wal")
    try:
        if not path.is_file():
            raise ResultsError(
                str(directory),
                f"there is no {FILE_NAME} in it",
                "Give the directory of a study, such as one in reports/.",
            )
        if log.exists() and os.access(directory, os.W_OK) and os.access(path, os.W_OK):
            # Only a log may have a process behind it, and only its lock tells.
            return Store(path)
        return _copied(path, log)
    except OSError as error:
        raise ResultsError(
            str(path),
            f"it cannot be read ({error.strerror or error})",
            "Check its permissions.",
        ) from error


def refuse_other_study(directory: Path) -> None:
    """Raise if a report written there would replace files that belong to something else."""
    if (directory / FILE_NAME).exists() or directory.is_file():
        what = (
            "it is a file"
            if directory.is_file()
            else f"it holds {FILE_NAME}, the records of something else"
        )
        raise ResultsError(str(directory), what, OTHER_DIRECTORY)
    refuse_link(directory)
    _refuse_foreign(directory)


def other_plan(
    where: Path, kept: Mapping[str, Any], asked: Mapping[str, Any]
) -> ResultsError:
    """Return the refusal of records that would be mixed with others."""
    changes = list(_changes(kept, asked))
    more = f" and {len(changes) - 3} more" if len(changes) > 3 else ""
    listed = ", ".join(changes[:3]) + more
    what = "this directory holds a study with other settings"
    return ResultsError(str(where), f"{what} ({listed})" if listed else what, ELSEWHERE)


def _changes(kept: Mapping[str, Any], asked: Mapping[str, Any]) -> Iterator[str]:
    """Yield what differs between two plans; of files and data, that they changed."""
    typed = asked.get("specifications", {})
    for name, now in asked.items():
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
    """Return a store in memory: SQLite cannot read a file with a log without writing."""
    with tempfile.TemporaryDirectory(prefix="gnbbench-") as temporary:
        copy = Path(temporary) / FILE_NAME
        for source, target in ((path, copy), (log, copy.with_name(log.name))):
            if source.exists():
                shutil.copyfile(source, target)
        with Store(copy, name=str(path)) as store:
            return store.in_memory()


def _sweep(directory: Path) -> None:
    """Delete what a report that was killed while it was written left unfinished."""
    for folder in (directory, directory / "figures"):
        for left in folder.glob(f".*{UNFINISHED}"):
            # It may be moved to its place at this moment.
            with suppress(FileNotFoundError):
                if time.time() - left.stat().st_mtime > WRITTEN_WITHIN_SECONDS:
                    left.unlink()


@contextmanager
def _writing(directory: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ResultsError(
            str(directory),
            f"it cannot be written ({error.strerror or error})",
            OTHER_DIRECTORY,
        ) from error


def _refuse_foreign(directory: Path) -> None:
    for name in present(directory):
        what = f"it holds {name} but no {FILE_NAME}, so no study wrote it"
        remedy = ELSEWHERE if is_report(directory) else OTHER_DIRECTORY
        raise ResultsError(str(directory), what, remedy)

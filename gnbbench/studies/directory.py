"""A results directory: where the records of one plan lie, and nobody else's files."""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gnbbench.errors import ResultsError
from gnbbench.studies.store import FILE_NAME, Store, discard

# Files that a report would replace.
REPORT_NAMES = (
    *("index.html", "summary.json", "runs.csv", "timings.pyperf.json"),
    *("correlations.csv", "normality.csv", "disagreements.csv", "contributions.csv"),
    *("conformance.csv", "junit.xml", "claims.csv"),
)

# An unfinished file older than this is nobody's work any more; one takes far less.
WRITTEN_WITHIN_SECONDS = 60


def opened(directory: Path, *, overwrite: bool = False) -> Store:
    """Return the store of a results directory, new or to be resumed."""
    path = directory / FILE_NAME
    with _writing(directory):
        if overwrite:
            _clear(directory)
        elif not path.exists() or not path.stat().st_size:
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
                f"it holds no {FILE_NAME}",
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
            "Give a directory that you may read.",
        ) from error


def refuse_other_study(directory: Path) -> None:
    """Raise if a report written there would replace files that belong to something else."""
    if (directory / FILE_NAME).exists():
        raise ResultsError(
            str(directory),
            "it holds the records of another study",
            "Choose another directory with --out.",
        )
    _refuse_foreign(directory)


def _copied(path: Path, log: Path) -> Store:
    """Return a store in memory: SQLite cannot read a file with a log without writing."""
    with tempfile.TemporaryDirectory(prefix="gnbbench-") as temporary:
        copy = Path(temporary) / FILE_NAME
        for source, target in ((path, copy), (log, copy.with_name(log.name))):
            if source.exists():
                shutil.copyfile(source, target)
        with Store(copy, name=str(path)) as store:
            return store.in_memory()


def _clear(directory: Path) -> None:
    """Delete records and the report on them, which would be taken for the next one's."""
    path = directory / FILE_NAME
    had_records = path.exists()
    discard(path)
    for name in REPORT_NAMES if had_records else ():
        (directory / name).unlink(missing_ok=True)


def _sweep(directory: Path) -> None:
    """Delete what a report that was killed while it was written left unfinished."""
    for folder in (directory, directory / "figures"):
        for kind in ("html", "json", "csv", "png", "svg"):
            # As tempfile.mkstemp names them: eight letters of its own at the end.
            for left in folder.glob(f".*.{kind}.????????"):
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
            "Choose another directory with --out.",
        ) from error


def _refuse_foreign(directory: Path) -> None:
    for name in REPORT_NAMES:
        if (directory / name).exists():
            raise ResultsError(
                str(directory),
                f"it holds {name} but no records in {FILE_NAME}, so it is not from a study",
                "Choose another directory with --out, or replace it with --overwrite.",
            )

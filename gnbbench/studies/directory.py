"""A results directory: where the records of one plan lie, and nobody else's files."""

from pathlib import Path

from gnbbench.errors import ResultsError
from gnbbench.studies.store import FILE_NAME, Store

# Files that a report would replace.
REPORT_NAMES = ("index.html", "summary.json", "runs.csv")


def opened(directory: Path, *, overwrite: bool = False) -> Store:
    """Return the store of a results directory, new or to be resumed.

    Parameters
    ----------
    directory : Path
        Made if it does not exist.
    overwrite : bool, default=False
        Whether records that are there are deleted first.

    Returns
    -------
    Store

    Raises
    ------
    ResultsError
        If the directory cannot be made, or files in it are not from a study.
    """
    path = directory / FILE_NAME
    try:
        if overwrite:
            for suffix in ("", "-wal", "-shm"):
                path.with_name(path.name + suffix).unlink(missing_ok=True)
        elif not path.exists():
            _refuse_foreign(directory)
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ResultsError(
            str(directory),
            f"it cannot be written ({error.strerror or error})",
            "Choose another directory with --out.",
        ) from error
    return Store(path)


def _refuse_foreign(directory: Path) -> None:
    for name in REPORT_NAMES:
        if (directory / name).exists():
            raise ResultsError(
                str(directory),
                f"it holds {name} but no {FILE_NAME}, so it is not from a study",
                "Choose another directory with --out, or replace it with --overwrite.",
            )

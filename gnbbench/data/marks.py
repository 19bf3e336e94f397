"""Whether a file is still the one that was looked at first."""

from dataclasses import dataclass
from pathlib import Path

from gnbbench.data.sources import one_line
from gnbbench.data.texts import unreadable
from gnbbench.errors import DatasetError


@dataclass(frozen=True)
class FileMark:
    """A file as it was when it was first looked at.

    A copy on another machine serves as well if it kept the time (``cp -p``, ``rsync -t``).
    """

    path: Path  # Where it is, from the root, since parts may be read in another directory
    shown: str  # Its path as it was given, for messages
    n_bytes: int  # Its size
    modified_ns: int  # When it was last written, in nanoseconds since 1970

    def refuse_changed(self) -> None:
        """Raise if the file is gone or was written since."""
        try:
            now = mark_of(self.path)
        except DatasetError as error:
            raise changed(self.shown, "it is gone") from error
        if (now.n_bytes, now.modified_ns) != (self.n_bytes, self.modified_ns):
            raise changed(self.shown, "it changed")


def mark_of(path: Path) -> FileMark:
    """Return the mark of a file as it is now."""
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    path, shown = path.absolute(), one_line(path)
    return FileMark(path, shown, status.st_size, status.st_mtime_ns)


def changed(where: str, what: str) -> DatasetError:
    """Return what to tell of data that are not what they were."""
    remedy = "Leave it alone until the end; start anew."
    return DatasetError(where, f"{what} since it was first looked at", remedy)

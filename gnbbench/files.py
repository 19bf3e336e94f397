"""Files read with an end in sight, and written whole or not at all."""

import errno
import os
import stat
import tempfile
from pathlib import Path

from gnbbench.errors import PlacedError

# Settings, sources and summaries; data have limits of their own.
MOST_BYTES = 2**28
UNFINISHED = ".gnbbench-unfinished"  # How a file ends that is not written to its end


def content_of(path: Path) -> bytes:
    """Return what is in a file; an OSError for a pipe, a device, or what is too large."""
    mode = path.stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise OSError(errno.EINVAL, "it is a device or a pipe")
    with path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise OSError(errno.EFBIG, f"it is larger than {MOST_BYTES // 2**20} MiB")
    return content


def text_of(path: Path, kind: type[PlacedError], remedy: str) -> str:
    """Return the text of a file; what keeps it from being read is an error of that kind."""
    try:
        return content_of(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        what, remedy = f"byte {error.start} is not UTF-8", "Save it as UTF-8."
        raise kind(str(path), what, remedy) from error
    except (OSError, ValueError) as error:
        what = f"it cannot be read ({getattr(error, 'strerror', None) or error})"
        raise kind(str(path), what, remedy) from error


def replace_file(path: Path, content: bytes) -> None:
    """Leave a file with the given content, or the file that was there before."""
    handle, name = tempfile.mkstemp(UNFINISHED, f".{path.name}.", path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        temporary.chmod(0o644)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
